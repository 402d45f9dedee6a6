// The commands of `tenon`, a file each. Adding one: a file, a line here, a line in main.cpp.
#pragma once

#include <CLI/CLI.hpp>

namespace tenon::cli {

// What the shell sees.
inline constexpr int kSuccess = 0;
inline constexpr int kProblems = 1;       // the scene, or a file, has problems
inline constexpr int kWrongUsage = 2;     // the command line makes no sense
inline constexpr int kInterrupted = 130;  // Ctrl-C

// Each adds a subcommand with its options; when it is chosen, it runs and leaves its exit code.
void addInfo(CLI::App& app, int& exitCode);
void addCheck(CLI::App& app, int& exitCode);
void addFormat(CLI::App& app, int& exitCode);
void addPrint(CLI::App& app, int& exitCode);
void addAssemble(CLI::App& app, int& exitCode);
void addSimulate(CLI::App& app, int& exitCode);
void addCompare(CLI::App& app, int& exitCode);
void addBench(CLI::App& app, int& exitCode);
void addReproduce(CLI::App& app, int& exitCode);
void addReplay(CLI::App& app, int& exitCode);
void addDraw(CLI::App& app, int& exitCode);
void addJoints(CLI::App& app, int& exitCode);
void addStudio(CLI::App& app, int& exitCode);
// The same command as a program of its own (cli/server): `app` is the command.
void makeStudio(CLI::App& app, int& exitCode);

}  // namespace tenon::cli
