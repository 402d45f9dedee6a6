// `tenon-studio`: the command `tenon studio` as a program of its own, without the engine. `./dev studio` builds and starts it.
#include "commands.h"
#include "program.h"

namespace {

int run(int argc, char** argv) {
  CLI::App app;
  app.name("tenon-studio");
  int exitCode = tenon::cli::kSuccess;
  tenon::cli::makeStudio(app, exitCode);
  return tenon::cli::readCommandLine(app, argc, argv).value_or(exitCode);
}

}  // namespace

int main(int argc, char** argv) { return tenon::cli::runProgram(argc, argv, run); }
