// `tenon replay`: the commands of a session, one after the other, and the hash that they end in.
#include <tenon/session.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "report.h"
#include "text_files.h"

namespace tenon::cli {
namespace {

struct ReplayOptions {
  std::string file;
  bool answers = false, json = false, strict = false;
};

Problem problemOfLine(const std::string& file, int line, const std::string& text, std::string what,
                      std::string remedy) {
  constexpr std::size_t kShown = 100;
  Problem problem;
  problem.file = file;
  problem.line = line;
  problem.column = 1;
  problem.excerpt = text.substr(0, kShown);
  problem.what = std::move(what);
  problem.remedy = std::move(remedy);
  return problem;
}

// `open` may name a file in place of a text: {"do": "open", "file": "four-bar.tenon"}, as seen from the recording.
std::optional<Problem> fillIn(const std::string& recording, nlohmann::json& request) {
  if (!request.is_object() || request.value("do", nlohmann::json()) != "open" ||
      !request.contains("file") || !request["file"].is_string() || request.contains("text"))
    return std::nullopt;
  const std::filesystem::path path =
      std::filesystem::path(recording).parent_path() / request["file"].get<std::string>();
  const Result<std::string> text = readText(path.string());
  if (!text) return text.problems().front();
  request["text"] = *text;
  request.erase("file");
  // What it may include: the scenes of its folder and below.
  const std::filesystem::path folder = path.parent_path().empty() ? "." : path.parent_path();
  std::error_code ignored;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, ignored)) {
    if (!entry.is_regular_file(ignored) || entry.path().extension() != ".tenon") continue;
    if (const Result<std::string> included = readText(entry.path().string()))
      request["files"][std::filesystem::relative(entry.path(), folder, ignored).generic_string()] =
          *included;
  }
  if (!request.contains("name")) request["name"] = path.string();
  return std::nullopt;
}

// Sessions once recorded any number of steps as one command, which takes a million.
std::vector<nlohmann::json> partsOf(nlohmann::json request) {
  constexpr double kMost = 1'000'000, kMostInAll = 1e12;
  const nlohmann::json count =
      request.is_object() ? request.value("count", nlohmann::json()) : nlohmann::json();
  if (!count.is_number() || request.value("do", nlohmann::json()) != "step") return {request};
  double left = count.get<double>();
  if (!(left > kMost) || left > kMostInAll || left != std::floor(left)) return {request};
  std::vector<nlohmann::json> parts;
  for (; left > 0; left -= kMost) {
    request["count"] = std::min(left, kMost);
    parts.push_back(request);
  }
  return parts;
}

class Replay {
 public:
  explicit Replay(const ReplayOptions& options) : options_(options) {}

  int go() {
    const Result<std::string> text = readText(options_.file);
    if (!text) {
      printFailure(text.problems(), options_.json);
      return kProblems;
    }
    std::size_t begin = 0;
    for (int line = 1; begin < text->size(); ++line) {
      const std::size_t end = std::min(text->find('\n', begin), text->size());
      const std::string request = text->substr(begin, end - begin);
      begin = end + 1;
      if (request.find_first_not_of(" \t\r") == std::string::npos) continue;
      if (!carryOut(request, line)) {
        printFailure(problems_, options_.json);
        return kProblems;
      }
    }
    return finish();
  }

 private:
  bool carryOut(const std::string& text, int line) {
    const auto fail = [&](std::string what, std::string remedy = {}) {
      problems_.push_back(
          problemOfLine(options_.file, line, text, std::move(what), std::move(remedy)));
      return false;
    };
    if (nestsTooDeep(text))
      return fail("this line is nested deeper than any command", "a command is one JSON object");
    nlohmann::json request = nlohmann::json::parse(text, nullptr, false);
    if (request.is_discarded())
      return fail("this line is not JSON", "a command is one JSON object on one line");
    if (const auto problem = fillIn(options_.file, request)) {
      problems_.push_back(*problem);
      return false;
    }
    if (request.contains("do")) {
      ++commands_;
      if (commands_ == 1 && request.value("version", nlohmann::json()).is_null()) old_ = true;
      if (old_) leaveOut(request, line);
    }
    for (const nlohmann::json& part : partsOf(std::move(request))) {
      const std::string answered = session_.run(part.dump());
      const nlohmann::json answer = nlohmann::json::parse(answered);
      if (options_.answers) std::cout << answered << "\n";
      if (answer.value("ok", false)) {
        heed(answer);
        continue;
      }
      for (const nlohmann::json& problem : answer["problems"])
        static_cast<void>(fail(problem.value("what", ""), problem.value("remedy", "")));
      return false;
    }
    return true;
  }

  // What no command knew was ignored before recordings had a version.
  void leaveOut(nlohmann::json& request, int line) {
    if (!request["do"].is_string()) return;
    const std::string command = request["do"].get<std::string>();
    std::vector<std::string> fields;
    for (const auto& [name, value] : request.items()) fields.push_back(name);
    for (const UnknownField& field : unknownFields(command, fields)) {
      request.erase(field.name);
      warned_ = true;
      warnings_.push_back(
          "line " + std::to_string(line) + ": '" + command + "' has no '" + field.name +
          "', so it is ignored" +
          (field.nearest.empty() ? "" : " (did you mean '" + field.nearest + "'?)"));
    }
  }

  // What motion has to say, each once.
  void heed(const nlohmann::json& answer) {
    if (!answer.contains("steps")) return;
    finite_ = finite_ && answer.value("finite", true);
    warned_ = warned_ || !answer.value("converged", true) || answer.value("unexplained", 0) > 0;
    for (const nlohmann::json& problem : answer["problems"]) {
      warned_ = true;
      const std::string what = problem.value("what", "");
      if (std::find(warnings_.begin(), warnings_.end(), what) == warnings_.end())
        warnings_.push_back(what);
    }
  }

  int finish() {
    const nlohmann::json state = nlohmann::json::parse(session_.run(R"({"ask": "state"})"));
    if (!state.value("ok", false)) {
      printFailure({fileProblem(options_.file, "the recording opens no scene",
                                "begin with an 'open' command")},
                   options_.json);
      return kProblems;
    }
    const nlohmann::json measures = nlohmann::json::parse(session_.run(R"({"ask": "measures"})"));
    const std::string hash = state["hash"].is_string() ? state["hash"].get<std::string>() : "none";
    const double time = state["time"].get<double>();
    const double error =
        measures["error"].is_number() ? measures["error"].get<double>() : kInfinity;
    const char* status = !finite_ ? "blown-up" : warned_ ? "warned" : "done";
    if (options_.json) {
      printJson({{"ok", true},
                 {"status", status},
                 {"warnings", warnings_},
                 {"commands", commands_},
                 {"time", time},
                 {"max_error", error},
                 {"state_hash", hash}});
    } else if (!options_.answers) {
      printLine("status", status);
      printLine("commands", std::to_string(commands_));
      printLine("time", shortNumber(time) + " s");
      printLine("joint error", shortNumber(error, 3));
      printLine("state hash", hash);
      for (const std::string& warning : warnings_) std::cerr << "warning: " << warning << "\n";
    }
    return options_.strict && (warned_ || !finite_) ? kProblems : kSuccess;
  }

  const ReplayOptions& options_;
  Session session_;
  std::vector<Problem> problems_;
  std::size_t commands_ = 0;
  std::vector<std::string> warnings_;
  bool finite_ = true, warned_ = false, old_ = false;
};

}  // namespace

void addReplay(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<ReplayOptions>();
  CLI::App* command = app.add_subcommand("replay", "Run the recorded commands of a session");
  command->footer(
      "Example:\n  tenon replay pull.jsonl --json\n\n"
      "A recording is a text of commands. Each line is a JSON object, and `open` comes first. The\n"
      "studio saves recordings, and docs/session.md lists the commands. The same commands end in\n"
      "the same state hash everywhere.");
  command->add_option("FILE", options->file, "The recording, or - for standard input")->required();
  command->add_flag("--answers", options->answers, "Print the answer to every line");
  command->add_flag("--strict", options->strict,
                    "Exit with 1 if the motion blew up or its status is `warned`");
  command->add_flag("--json", options->json, "Print the result as JSON");
  command->callback([options, &exitCode] { exitCode = Replay(*options).go(); });
}

}  // namespace tenon::cli
