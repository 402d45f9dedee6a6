#include "report.h"

#include <cmath>
#include <cstdio>
#include <iomanip>
#include <iostream>

#include "terminal.h"

namespace tenon::cli {

void printProblems(const std::vector<Problem>& problems) {
  for (const Problem& problem : problems) {
    const bool error = problem.severity == Severity::Error;
    const Ink ink = error ? Ink::Red : Ink::Yellow;
    const std::string label = std::string(nameOf(problem.severity)) + ":";
    std::string text = describe(problem);
    // The first line's label and the caret are inked; what they say is not.
    const std::size_t caretLine = text.size() < 2 ? 0 : text.rfind('\n', text.size() - 2) + 1;
    if (caretLine > 0) {
      const std::size_t caret = text.find('^', caretLine);
      if (caret != std::string::npos && caret > caretLine)
        text.replace(caret, text.size() - 1 - caret,
                     inkOnStderr(ink, text.substr(caret, text.size() - 1 - caret)));
    }
    const std::size_t at = text.find(label);
    if (at != std::string::npos) text.replace(at, label.size(), inkOnStderr(ink, label));
    std::cerr << text;
  }
}

Json toJson(const Problem& problem) {
  return {{"file", problem.file},     {"line", problem.line},
          {"column", problem.column}, {"severity", nameOf(problem.severity)},
          {"what", problem.what},     {"remedy", problem.remedy}};
}

Json toJson(const std::vector<Problem>& problems) {
  Json list = Json::array();
  for (const Problem& problem : problems) list.push_back(toJson(problem));
  return list;
}

std::string textOfJson(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void printJson(const Json& json) { std::cout << textOfJson(json); }

void printLine(const std::string& label, const std::string& value, const std::string& more) {
  std::cout << "  " << std::left << std::setw(20) << label << std::right << std::setw(10) << value;
  if (!more.empty()) std::cout << "   " << more;
  std::cout << "\n";
}

void printFailure(const std::vector<Problem>& problems, bool json) {
  if (json)
    printJson({{"ok", false}, {"problems", toJson(problems)}});
  else
    printProblems(problems);
}

Problem fileProblem(const std::string& file, std::string what, std::string remedy) {
  Problem problem;
  problem.file = file;
  problem.what = std::move(what);
  problem.remedy = std::move(remedy);
  return problem;
}

std::string counted(std::size_t n, const std::string& noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

std::string listedShort(std::vector<std::string> words) {
  constexpr std::size_t kShown = 12;
  const std::size_t all = words.size();
  if (all > kShown) {
    words.resize(kShown - 1);
    words.push_back(std::to_string(all - words.size()) + " more");
  }
  return listed(words);
}

std::string shortNumber(double value, int digits) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
  return buffer;
}

std::string tableNumber(double value, int digits) {
  std::string text = shortNumber(value, digits);
  if (!(std::abs(value) >= 1 && std::abs(value) < 1e6) || text.find('e') == std::string::npos)
    return text;
  return shortNumber(std::stod(text), 6);
}

std::string hex(std::uint64_t value) {
  char buffer[20];
  std::snprintf(buffer, sizeof buffer, "%016llx", static_cast<unsigned long long>(value));
  return buffer;
}

}  // namespace tenon::cli
