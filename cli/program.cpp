#include "program.h"

#include <tenon/scene.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <vector>

#include "commands.h"
#include "report.h"
#include "terminal.h"

namespace tenon::cli {
namespace {

std::string unknownCommand(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  const std::string near = nearestWord(word, names);
  return "there is no command '" + word + "'" +
         (near.empty() ? "" : "; did you mean '" + near + "'?");
}

}  // namespace

int wrongUsage(const std::string& what, const std::string& command, bool json) {
  if (json)
    printFailure({fileProblem("", what, "try: " + command + " --help")}, json);
  else
    std::cerr << errorLabel() << what << "\ntry: " << command << " --help\n";
  return kWrongUsage;
}

std::optional<int> readCommandLine(CLI::App& app, int argc, char** argv) {
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
    const std::string command =
        app.get_name() + (chosen.empty() ? "" : " " + chosen.front()->get_name());
    char** const word =
        std::find_if(argv + 1, argv + argc, [](const char* w) { return w[0] != '-'; });
    const bool unknown =
        chosen.empty() && word != argv + argc && !app.get_subcommands(nullptr).empty();
    return wrongUsage(unknown ? unknownCommand(app, *word) : error.what(), command, asksForJson);
  }
  return std::nullopt;
}

int runProgram(int argc, char** argv, int (*run)(int argc, char** argv)) {
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

}  // namespace tenon::cli
