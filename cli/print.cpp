// `tenon print`: a scene with its figures, repetitions, includes and arithmetic carried out.
#include <tenon/language.h>

#include <iostream>
#include <memory>

#include "commands.h"
#include "report.h"
#include "scene_input.h"

namespace tenon::cli {
namespace {

struct PrintOptions {
  std::string scene;
  ParameterOptions set;
  bool json = false;
};

int run(const PrintOptions& options) {
  LoadedScene loaded;
  {
    Progress progress;
    loaded = loadAndCompile(options.scene, options.set, progress);
  }
  if (!loaded.mechanism) {
    printFailure(loaded.problems, options.json);
    return kProblems;
  }
  const std::string text = printScene(*loaded.scene);
  if (options.json) {
    printJson({{"ok", true}, {"problems", toJson(loaded.problems)}, {"text", text}});
  } else {
    printProblems(loaded.problems);
    std::cout << text;
  }
  return kSuccess;
}

}  // namespace

void addPrint(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<PrintOptions>();
  CLI::App* command = app.add_subcommand(
      "print", "Print a scene with its figures, repetitions, includes and arithmetic carried out");
  command->add_option("SCENE", options->scene, "A .tenon file, or - for standard input")
      ->required();
  options->set.addTo(*command);
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "If Tenon reads the printed text again, it gets the same scene, to the last bit.\n\n"
      "Example:\n"
      "  tenon print scenes/manikin/bushy.tenon --set links=3");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

}  // namespace tenon::cli
