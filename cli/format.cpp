// `tenon format`: the canonical layout of scene texts. Comments are kept.
#include <tenon/language.h>

#include <iostream>
#include <memory>

#include "commands.h"
#include "report.h"
#include "text_files.h"

namespace tenon::cli {
namespace {

struct FormatOptions {
  std::vector<std::string> files;
  bool check = false, write = false, json = false;
};

struct Formatted {
  std::string file;
  std::string text;
  bool changed = false;
  std::vector<Problem> problems;
};

std::string shownName(const std::string& file) {
  return file == kStandardInput ? kShownStandardInput : file;
}

Formatted format(const std::string& file, bool write) {
  Formatted result;
  result.file = shownName(file);
  const Result<std::string> text = readText(file);
  if (!text) {
    result.problems = text.problems();
    return result;
  }
  Result<std::string> formatted = formatText(*text, result.file);
  result.problems = formatted.problems();
  if (!formatted) return result;
  result.text = std::move(*formatted);
  result.changed = result.text != *text;
  if (!write || !result.changed) return result;
  // A layout that is not its own layout would be our mistake; better said than written.
  const Result<std::string> again = formatText(result.text, result.file);
  if (!again || *again != result.text)
    result.problems.push_back(fileProblem(
        result.file, "formatting this text twice gives two results, which is a bug in Tenon",
        "nothing was written; please report this"));
  else if (const auto problem = replaceText(file, *text, result.text))
    result.problems.push_back(*problem);
  return result;
}

void print(const Formatted& result, const FormatOptions& options) {
  printProblems(result.problems);
  if (hasErrors(result.problems)) return;
  if (options.check && result.changed) std::cout << result.file << ": not formatted\n";
  if (options.write && result.changed) std::cout << result.file << ": formatted\n";
  if (!options.check && !options.write) std::cout << result.text;
}

int run(const FormatOptions& options) {
  bool ok = true;
  Json files = Json::array(), problems = Json::array();
  for (const std::string& file : options.files) {
    const Formatted result = format(file, options.write);
    const bool bad = hasErrors(result.problems);
    ok = ok && !bad && !(options.check && result.changed);
    if (!options.json) {
      print(result, options);
      continue;
    }
    for (const Problem& problem : result.problems) problems.push_back(toJson(problem));
    Json entry{{"file", result.file}, {"ok", !bad}, {"changed", result.changed}};
    if (!options.check && !options.write && !bad) entry["text"] = result.text;
    files.push_back(std::move(entry));
  }
  if (options.json)
    printJson({{"ok", ok}, {"problems", std::move(problems)}, {"files", std::move(files)}});
  return ok ? kSuccess : kProblems;
}

}  // namespace

void addFormat(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<FormatOptions>();
  CLI::App* command = app.add_subcommand("format", "Format scene texts in the standard layout");
  command->add_option("FILE", options->files, ".tenon files, or - for standard input")->required();
  auto* check = command->add_flag("--check", options->check,
                                  "Change nothing, and list the files that are not formatted");
  command->add_flag("-w,--write", options->write, "Replace the files")->excludes(check);
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Without --check and --write, Tenon prints the formatted text. A text that is formatted\n"
      "already does not change. --write replaces a file in one step and keeps its permissions.\n\n"
      "Example:\n"
      "  tenon format --write scenes/linkages/four-bar.tenon");
  command->callback([options, &exitCode] {
    if (options->write)
      for (const std::string& file : options->files)
        if (file == kStandardInput)
          throw CLI::ValidationError("--write", "standard input cannot be replaced");
    exitCode = run(*options);
  });
}

}  // namespace tenon::cli
