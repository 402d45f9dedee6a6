// `tenon`: the program with all commands. Printing and exit codes live in this folder only.
#include <tenon/version.h>

#include <iostream>
#include <string>

#include "commands.h"
#include "program.h"
#include "report.h"
#include "studio_assets.h"

namespace {

using namespace tenon::cli;

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

  if (const auto ended = readCommandLine(app, argc, argv)) return *ended;
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

int main(int argc, char** argv) { return runProgram(argc, argv, run); }
