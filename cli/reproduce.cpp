// `tenon reproduce`: the papers' experiments, as they were printed and as they are here.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "commands.h"
#include "experiment.h"
#include "options.h"
#include "page.h"
#include "text_files.h"
#include "text_table.h"

namespace tenon::cli {
namespace {

struct ReproduceOptions {
  std::string paper, figure;
  std::string output;  // a folder; empty: none
  bool quick = false, json = false;
};

struct Done {
  Experiment experiment;
  Reproduction result;
};

std::string headingOf(const Experiment& experiment) {
  return experiment.paper + " " + experiment.figure + ": " + experiment.title;
}

// ------------------------------------------------------------------------------------ for people

std::string wordOf(const Json& cell, bool pretty) {
  if (cell.is_null()) return "–";
  if (cell.is_string()) return cell.get<std::string>();
  const int digits = cell.is_number_integer() ? 15 : 3;
  return pretty ? prettyNumber(cell.get<double>(), digits)
                : tableNumber(cell.get<double>(), digits);
}

// Columns of words stand at the left.
std::vector<bool> wordColumnsOf(const ResultTable& table) {
  std::vector<bool> words(table.columns.size(), false);
  for (const auto& row : table.rows)
    for (std::size_t c = 0; c < row.size(); ++c)
      if (row[c].is_string()) words[c] = true;
  return words;
}

Ink inkOf(Verdict verdict) {
  return verdict == Verdict::Holds    ? Ink::Green
         : verdict == Verdict::Partly ? Ink::Yellow
                                      : Ink::Red;
}

void print(const Done& done) {
  const Reproduction& result = done.result;
  std::cout << inkOnStdout(Ink::Bold, headingOf(done.experiment)) << "\n" << result.setup << "\n";
  for (const ResultTable& table : result.tables) {
    std::vector<std::vector<TextCell>> cells(1);
    for (const std::string& column : table.columns) cells[0].push_back({column, Ink::Bold});
    for (const auto& row : table.rows) {
      cells.emplace_back();
      for (const Json& cell : row) cells.back().push_back({wordOf(cell, false), std::nullopt});
    }
    std::cout << "\n" << table.title << ":\n\n" << alignedTable(cells, wordColumnsOf(table));
  }
  std::cout << "\n";
  for (const Finding& finding : result.findings)
    std::cout << inkOnStdout(inkOf(finding.verdict), nameOf(finding.verdict)) << ": \""
              << finding.claim << "\" Here: " << finding.here << "\n";
  for (const std::string& remark : result.remarks) std::cout << remark << "\n";
}

void list(const std::vector<Experiment>& all) {
  std::vector<std::vector<TextCell>> cells{
      {{"paper", Ink::Bold}, {"figure", Ink::Bold}, {"what", Ink::Bold}}};
  for (const Experiment& experiment : all)
    cells.push_back({{experiment.paper, std::nullopt},
                     {experiment.figure, std::nullopt},
                     {experiment.title, std::nullopt}});
  std::cout << alignedTable(cells, {true, true, true});
}

// ------------------------------------------------------------------------------------------ JSON

Json toJson(const Experiment& experiment) {
  return {{"paper", experiment.paper}, {"figure", experiment.figure}, {"title", experiment.title}};
}

Json toJson(const Done& done) {
  Json json = toJson(done.experiment);
  json["setup"] = done.result.setup;
  json["findings"] = Json::array();
  for (const Finding& finding : done.result.findings)
    json["findings"].push_back(
        {{"claim", finding.claim}, {"verdict", nameOf(finding.verdict)}, {"here", finding.here}});
  json["tables"] = Json::array();
  for (const ResultTable& table : done.result.tables)
    json["tables"].push_back(
        {{"title", table.title}, {"columns", table.columns}, {"rows", table.rows}});
  json["remarks"] = done.result.remarks;
  return json;
}

// ----------------------------------------------------------------------------------------- files

std::string sectionOf(const Done& done) {
  const Reproduction& result = done.result;
  std::string out = "<h2>" + escaped(headingOf(done.experiment)) + "</h2>\n<p>" +
                    escaped(result.setup) + "</p>\n";
  for (const Finding& finding : result.findings)
    out += "<p><span class=\"verdict " + std::string(nameOf(finding.verdict)) + "\">" +
           std::string(nameOf(finding.verdict)) + "</span> <b>" + escaped(finding.claim) + "</b> " +
           escaped(finding.here) + "</p>\n";
  for (const ResultTable& table : result.tables) {
    const std::vector<bool> left = wordColumnsOf(table);
    out += "<h3>" + escaped(table.title) + "</h3><div class=\"card scroll fit\"><table><thead><tr>";
    const auto cell = [&](const char* tag, std::size_t column, const std::string& text) {
      out += "<" + std::string(tag) + (left[column] ? " class=\"text\">" : ">") + escaped(text) +
             "</" + tag + ">";
    };
    for (std::size_t c = 0; c < table.columns.size(); ++c) cell("th", c, table.columns[c]);
    out += "</tr></thead><tbody>\n";
    for (const auto& row : table.rows) {
      out += "<tr>";
      for (std::size_t c = 0; c < row.size(); ++c) cell("td", c, wordOf(row[c], true));
      out += "</tr>\n";
    }
    out += "</tbody></table></div>\n";
  }
  if (!result.plots.empty()) {
    out += "<div class=\"plots gap\">\n";
    for (const Plot& plot : result.plots) out += cardOf(plot);
    out += "</div>\n";
  }
  if (!result.pictures.empty()) {
    out += "<div class=\"poses gap\">\n";
    for (const Picture& picture : result.pictures)
      out += "<figure class=\"card\">" + imageOf(picture.svg, picture.caption) + "<figcaption>" +
             escaped(picture.caption) + "</figcaption></figure>\n";
    out += "</div>\n";
  }
  for (const std::string& remark : result.remarks)
    out += "<p class=\"remark\">" + escaped(remark) + "</p>\n";
  return out;
}

// index.html, and each plot and picture as a file of its own.
std::optional<Problem> writeAll(const std::string& folder, const std::vector<Done>& all) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) return fileProblem(folder, "cannot be made: " + code.message(), "name another folder");
  std::string body = "<h1>The papers' experiments, run again</h1>\n";
  for (const Done& done : all) {
    body += sectionOf(done);
    int number = 0;
    const auto write = [&](const std::string& svg) {
      const std::string name = done.experiment.paper + "-" + done.experiment.figure + "-" +
                               std::to_string(++number) + ".svg";
      return writeText((std::filesystem::path(folder) / name).string(), svg);
    };
    for (const Plot& plot : done.result.plots)
      if (auto problem = write(standaloneSvgOf(plot))) return problem;
    for (const Picture& picture : done.result.pictures)
      if (auto problem = write(picture.svg)) return problem;
  }
  return writeText((std::filesystem::path(folder) / "index.html").string(),
                   pageOf("The papers' experiments, run again", body));
}

// --------------------------------------------------------------------------------------- command

std::vector<Experiment> chosen(const ReproduceOptions& options, std::vector<Problem>& problems) {
  std::vector<Experiment> some;
  std::vector<std::string> figures;
  for (const Experiment& experiment : experiments()) {
    if (experiment.paper != options.paper) continue;
    figures.push_back(experiment.figure);
    if (options.figure.empty() || experiment.figure == options.figure) some.push_back(experiment);
  }
  if (some.empty())
    problems.push_back(fileProblem(options.paper, "there is no figure '" + options.figure + "'",
                                   "there are " + listed(figures)));
  return some;
}

int run(const ReproduceOptions& options) {
  if (options.paper.empty()) {
    if (options.json) {
      Json json = Json::array();
      for (const Experiment& experiment : experiments()) json.push_back(toJson(experiment));
      printJson(json);
    } else {
      list(experiments());
    }
    return kSuccess;
  }
  std::vector<Problem> problems;
  std::vector<Done> all;
  bool interrupted = false;
  {
    Progress progress;
    Lab lab(options.quick, progress);
    try {
      for (const Experiment& experiment : chosen(options, problems)) {
        lab.breathe(headingOf(experiment));
        all.push_back({experiment, experiment.run(lab)});
      }
    } catch (const Interrupted&) {
      interrupted = true;
    }
    if (!options.output.empty() && problems.empty())
      if (const auto problem = writeAll(options.output, all)) problems.push_back(*problem);
  }
  if (hasErrors(problems)) {
    printFailure(problems, options.json);
    return kProblems;
  }
  if (options.json) {
    Json json = Json::array();
    for (const Done& done : all) json.push_back(toJson(done));
    printJson(json);
  } else {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i > 0) std::cout << "\n\n";
      print(all[i]);
    }
    if (interrupted) std::cout << "\nYou stopped the run. What was finished is above.\n";
    if (!options.output.empty())
      std::cout << "\nWritten: " << (std::filesystem::path(options.output) / "index.html").string()
                << "\n";
  }
  return interrupted ? kInterrupted : kSuccess;
}

}  // namespace

void addReproduce(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<ReproduceOptions>();
  CLI::App* command = app.add_subcommand(
      "reproduce", "Run the papers' experiments, and compare the numbers with those in the papers");
  std::vector<std::string> papers;
  for (const Experiment& experiment : experiments())
    if (papers.empty() || papers.back() != experiment.paper) papers.push_back(experiment.paper);
  command->add_option("PAPER", options->paper, listed(papers) + " (default: list all experiments)")
      ->check(nameOutOf("paper", papers));
  command->add_option("FIGURE", options->figure, "One of its experiments (default: all)");
  command
      ->add_option("-o,--output", options->output,
                   "Write a self-contained index.html and SVG plots into a folder")
      ->type_name("DIR")
      ->check(folder());
  command->add_flag("--quick", options->quick, "Make fewer and shorter runs");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Tenon computes every number when the command runs. Only the papers' own numbers are "
      "stored.\n"
      "The exit code is 0 if the experiments ran, whether the papers' claims hold or not.\n\n"
      "Example:\n"
      "  tenon reproduce jeon 3 -o bead");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

}  // namespace tenon::cli
