// How problems and results are printed: for people on stderr and stdout, for programs as JSON.
#pragma once

#include <tenon/result.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tenon::cli {

using Json = nlohmann::ordered_json;

// `file:line:column: error: what; remedy`, the line, a caret. On stderr.
void printProblems(const std::vector<Problem>& problems);

[[nodiscard]] Json toJson(const Problem& problem);
[[nodiscard]] Json toJson(const std::vector<Problem>& problems);

// Bytes that are no UTF-8 (odd file names) are replaced, never a reason to fail.
[[nodiscard]] std::string textOfJson(const Json& json);
void printJson(const Json& json);  // on stdout

// For people, on stdout: a label, a number and what there is to say about it, in columns.
void printLine(const std::string& label, const std::string& value, const std::string& more = {});

// {"ok": false, "problems": […]} or, for people, the problems.
void printFailure(const std::vector<Problem>& problems, bool json);

// A problem of a whole file.
[[nodiscard]] Problem fileProblem(const std::string& file, std::string what, std::string remedy);

[[nodiscard]] std::string counted(std::size_t n, const std::string& noun);  // "1 error", "2 errors"
[[nodiscard]] std::string listed(const std::vector<std::string>& words);    // "a, b and c"
// The same, of a list that may be long: "a, b, c and 9 more".
[[nodiscard]] std::string listedShort(std::vector<std::string> words);
// A number as short as it can be within some digits: "0.15", "1e-12".
[[nodiscard]] std::string shortNumber(double value, int digits = 6);
// The same for tables: "180", not "1.8e+02", up to a million.
[[nodiscard]] std::string tableNumber(double value, int digits);
[[nodiscard]] std::string hex(std::uint64_t value);  // 16 digits

}  // namespace tenon::cli
