// What a program of ours does around its command line: `tenon`, and the studio's server alone (cli/server).
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

namespace tenon::cli {

// `run` reads the words and gives the exit code. Interrupts, a full disk and our own mistakes end the program in order.
[[nodiscard]] int runProgram(int argc, char** argv, int (*run)(int argc, char** argv));

// Reads the words, and runs the callback of whatever they choose. An exit code if that is all: help was asked for, or the
// words make no sense, which is said.
[[nodiscard]] std::optional<int> readCommandLine(CLI::App& app, int argc, char** argv);

// Says what is wrong with the words, and which command knows more; gives the exit code.
[[nodiscard]] int wrongUsage(const std::string& what, const std::string& command, bool json);

}  // namespace tenon::cli
