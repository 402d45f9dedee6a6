// `tenon joints`: the catalogue of joint kinds.
#include <tenon/joint.h>

#include <cmath>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "report.h"
#include "terminal.h"

namespace tenon::cli {
namespace {

const char* unitOf(bool angular) { return angular ? "rad" : "m"; }

const char* unitOf(OptionUnit unit) {
  switch (unit) {
    case OptionUnit::Length:
      return "m";
    case OptionUnit::Angle:
      return "rad";
    case OptionUnit::Number:
      break;
  }
  return "";
}

// Bits ti tj tk ri rj rk of a lower pair: "ijk", "jk".
std::string lockedAxesOf(unsigned bits) {
  std::string axes;
  for (unsigned axis = 0; axis < 3; ++axis)
    if ((bits >> axis & 1u) != 0) axes += static_cast<char>('i' + static_cast<int>(axis));
  return axes;
}

std::size_t angularResiduals(const JointKind& kind) {
  std::size_t n = 0;
  for (int r = 0; r < kind.residualCount; ++r)
    if (kind.residualAngular[static_cast<std::size_t>(r)]) ++n;
  return n;
}

// Coordinates that the options limit.
std::vector<std::string> boundedCoordinates(const JointKind& kind) {
  std::vector<std::string> names;
  if (kind.limits == nullptr) return names;
  std::vector<double> data;
  (void)prepareOptions(kind, examplesOf(kind).front().options, data);
  CoordinateBounds bounds[kMaxCoordinates];
  kind.limits(data, bounds);
  for (int c = 0; c < kind.coordinateCount; ++c)
    if (std::isfinite(bounds[c].lower) || std::isfinite(bounds[c].upper))
      names.emplace_back(kind.coordinates[c].name);
  return names;
}

// "V V", "V…", "" of a flag.
std::string valuesOf(const JointKind::Option& option) {
  if (option.count < 0) return " V…";
  std::string text;
  for (int i = 0; i < option.count; ++i) text += " V";
  return text;
}

Json toJson(const JointKind& kind) {
  Json coordinates = Json::array(), options = Json::array();
  for (int c = 0; c < kind.coordinateCount; ++c) {
    const JointKind::Coordinate& coordinate = kind.coordinates[static_cast<std::size_t>(c)];
    coordinates.push_back({{"name", coordinate.name},
                           {"unit", unitOf(coordinate.angular)},
                           {"periodic", coordinate.periodic},
                           {"derived", c >= kind.freeCount}});
  }
  for (int o = 0; o < kind.optionCount; ++o) {
    const JointKind::Option& option = kind.options[static_cast<std::size_t>(o)];
    Json entry{{"name", option.name},
               {"count", option.count},
               {"unit", unitOf(option.unit)},
               {"required", option.required},
               {"choice", option.choice}};
    if (!option.required && option.count > 0 && !option.choice) entry["default"] = option.fallback;
    options.push_back(std::move(entry));
  }
  const auto angular = angularResiduals(kind);
  Json json{{"name", kind.name},
            {"summary", kind.summary},
            {"papers", kind.papers},
            {"elsewhere", namesElsewhere(kind)},
            {"residuals", kind.residualCount},
            {"residuals_m", static_cast<std::size_t>(kind.residualCount) - angular},
            {"residuals_rad", angular},
            {"velocities", kind.velocityCount},
            {"relates", kind.relates == Relates::Frames   ? "frames"
                        : kind.relates == Relates::Points ? "points"
                                                          : "coordinates"},
            {"bounded", boundedCoordinates(kind)},
            {"locked", nullptr},
            {"free", kind.freeCount},
            {"coordinates", std::move(coordinates)},
            {"options", std::move(options)}};
  if (kind.locked != 0)
    json["locked"] = {{"translations", lockedAxesOf(kind.locked & 7u)},
                      {"rotations", lockedAxesOf(kind.locked >> 3u)}};
  return json;
}

void print(const JointKind& kind) {
  std::cout << inkOnStdout(Ink::Bold, kind.name) << ": " << kind.summary << "\n";
  std::string locks = counted(static_cast<std::size_t>(kind.residualCount), "constraint");
  if (kind.locked != 0) {
    const std::string translations = lockedAxesOf(kind.locked & 7u);
    const std::string rotations = lockedAxesOf(kind.locked >> 3u);
    locks += "; locks ";
    if (!translations.empty()) locks += "translation along " + translations;
    if (!translations.empty() && !rotations.empty()) locks += ", ";
    if (!rotations.empty()) locks += "rotation about " + rotations;
  }
  if (kind.velocityCount > 0)
    locks += "; " + std::to_string(kind.velocityCount) + " more on velocities";
  std::cout << "  " << locks << "\n";
  std::vector<std::string> names;
  for (int c = 0; c < kind.coordinateCount; ++c) {
    const JointKind::Coordinate& coordinate = kind.coordinates[static_cast<std::size_t>(c)];
    names.push_back(std::string(coordinate.name) + " [" + unitOf(coordinate.angular) + "]");
  }
  if (!names.empty()) std::cout << "  coordinates: " << listed(names) << "\n";
  if (const auto bounded = boundedCoordinates(kind); !bounded.empty())
    std::cout << "  its options limit these coordinates: " << listed(bounded) << "\n";
  for (int o = 0; o < kind.optionCount; ++o) {
    const JointKind::Option& option = kind.options[static_cast<std::size_t>(o)];
    std::cout << "  option: " << option.name << valuesOf(option);
    if (option.unit != OptionUnit::Number) std::cout << " [" << unitOf(option.unit) << "]";
    if (option.required)
      std::cout << ", required";
    else if (option.choice)
      std::cout << ", or another option of this kind";
    else if (option.count > 0)
      std::cout << ", default " << shortNumber(option.fallback);
    std::cout << "\n";
  }
  if (!kind.papers.empty()) std::cout << "  in the papers: " << kind.papers << "\n";
  if (const auto names = namesElsewhere(kind); !names.empty())
    std::cout << "  in other tools: " << listed(names) << "\n";
}

int run(bool json) {
  if (json) {
    Json list = Json::array();
    for (const JointKind& kind : jointCatalogue()) list.push_back(toJson(kind));
    printJson({{"ok", true}, {"joints", std::move(list)}});
  } else {
    for (const JointKind& kind : jointCatalogue()) print(kind);
  }
  return kSuccess;
}

}  // namespace

void addJoints(CLI::App& app, int& exitCode) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("joints", "List the kinds of joints");
  command->add_flag("--json", *json, "Print JSON");
  command->footer(
      "Axis i is the joint's `axis`, j is its `normal`, and k = i × j.\n\n"
      "Example:\n"
      "  tenon joints --json");
  command->callback([json, &exitCode] { exitCode = run(*json); });
}

}  // namespace tenon::cli
