// `tenon`: the program. Chooses the command; prints and exit codes live in this folder only.
#include <tenon/scene.h>
#include <tenon/version.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "commands.h"
#include "report.h"
#include "studio_assets.h"
#include "terminal.h"

namespace {

using namespace tenon::cli;

std::string unknownCommand(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  const std::string near = tenon::nearestWord(word, names);
  return "there is no command '" + word + "'" +
         (near.empty() ? "" : "; did you mean '" + near + "'?");
}

int wrongUsage(const std::string& what, const std::string& command, bool json) {
  if (json)
    printFailure({fileProblem("", what, "try: " + command + " --help")}, json);
  else
    std::cerr << errorLabel() << what << "\ntry: " << command << " --help\n";
  return kWrongUsage;
}

// What the page ships is all of it, and the licences of its scripts.
std::string licences() {
  std::string text;
  for (const StudioAsset& page : studioAssets())
    if (page.path == "licences.txt") return std::string(page.bytes);
  for (const StudioAsset& part : licenceTexts()) text += part.bytes;
  return text;
}

int run(int argc, char** argv) {
  CLI::App app{
      "Tenon describes articulated solids in a language, and checks, measures, assembles and moves "
      "them."};
  app.name("tenon");
  app.footer(
      "Examples:\n"
      "  tenon info scenes/linkages/four-bar.tenon\n"
      "  tenon info scenes/peers/s1.tenon --set N=100 --json\n"
      "  tenon check scenes/*/*.tenon\n"
      "  tenon format --write my-scene.tenon\n"
      "  tenon assemble scenes/faure/fig2-bar-and-discs.tenon -o closed.tenon\n"
      "  tenon simulate scenes/linkages/four-bar.tenon --time 2 -o motion.csv\n"
      "  tenon compare scenes/gascuel/monocycle.tenon -o report.html\n"
      "  tenon bench scenes/figures/marionette.tenon\n"
      "  tenon reproduce jeon 3\n"
      "  tenon draw scenes/linkages/four-bar.tenon -o four-bar.svg\n"
      "  tenon studio scenes/figures/marionette.tenon\n\n"
      "Exit codes: 0 for success, 1 if the scene has problems, 2 for wrong usage, 130 if "
      "interrupted\n"
      "(143 by SIGTERM).\n"
      "`tenon COMMAND --help` explains a command.");
  bool version = false, asksForLicences = false, json = false;
  app.add_flag("--version", version, "Print the version");
  app.add_flag("--licences,--licenses", asksForLicences,
               "Print the licences of the libraries in this program");
  app.add_flag("--json", json, "Print the version or the licences as JSON");

  int exitCode = kSuccess;
  addInfo(app, exitCode);
  addCheck(app, exitCode);
  addFormat(app, exitCode);
  addPrint(app, exitCode);
  addAssemble(app, exitCode);
  addSimulate(app, exitCode);
  addCompare(app, exitCode);
  addBench(app, exitCode);
  addReproduce(app, exitCode);
  addReplay(app, exitCode);
  addDraw(app, exitCode);
  addJoints(app, exitCode);
  addStudio(app, exitCode);

  // What could not be read says nothing: the words themselves do.
  const bool asksForJson = std::any_of(
      argv, argv + argc, [](const char* word) { return std::strcmp(word, "--json") == 0; });
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();  // of the chosen command, if there is one
    return kSuccess;
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    const std::string command = chosen.empty() ? "tenon" : "tenon " + chosen.front()->get_name();
    char** const word =
        std::find_if(argv + 1, argv + argc, [](const char* w) { return w[0] != '-'; });
    const bool unknown = chosen.empty() && word != argv + argc;
    return wrongUsage(unknown ? unknownCommand(app, *word) : error.what(), command, asksForJson);
  }
  if (version) {
    if (json)
      printJson({{"name", "tenon"}, {"version", tenon::kVersion}});
    else
      std::cout << "tenon " << tenon::kVersion << "\n";
  } else if (asksForLicences) {
    if (json)
      printJson({{"licences", licences()}});
    else
      std::cout << licences();
  } else if (app.get_subcommands().empty()) {
    if (json) return wrongUsage("no command is given", "tenon", true);
    std::cerr << app.help();
    return kWrongUsage;
  }
  return exitCode;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    dieCleanlyOnInterrupt();
    const int exitCode = run(argc, argv);
    std::cout.flush();
    if (!std::cout) {
      std::cerr << errorLabel() << "cannot write the output (is the disk full?)\n";
      return kProblems;
    }
    return exitCode == kInterrupted ? exitCodeOfInterrupt() : exitCode;
  } catch (const std::bad_alloc&) {
    std::cerr << "error: out of memory\n";
  } catch (const std::exception& error) {
    std::cerr << "error: this is a bug in Tenon: " << error.what() << "\n";
  }
  return kProblems;
}
