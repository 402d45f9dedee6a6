// `tenon draw`: a picture of a scene, at the pose as written, as SVG.
#include <tenon/draw.h>

#include <iostream>
#include <map>
#include <memory>

#include "commands.h"
#include "options.h"
#include "report.h"
#include "scene_input.h"
#include "text_files.h"

namespace tenon::cli {
namespace {

struct DrawOptions {
  std::string scene;
  ParameterOptions set;
  std::string output = kStandardOutput;
  std::string view;
  std::optional<double> yaw, pitch;  // [deg]
  std::vector<int> size{960, 720};   // [px]
  bool noJoints = false, labels = false, plain = false, json = false;
};

struct NamedView {
  double yaw = 0, pitch = 0;  // [deg]
};

const std::map<std::string, NamedView>& namedViews() {
  static const std::map<std::string, NamedView> views{
      {"front", {0, 0}}, {"back", {180, 0}},   {"right", {90, 0}},    {"left", {-90, 0}},
      {"top", {0, 90}},  {"bottom", {0, -90}}, {"iso", {45, 35.2644}}};
  return views;
}

DrawSettings settingsOf(const DrawOptions& options) {
  constexpr double kDegree = kPi / 180;
  DrawSettings settings;
  settings.width = options.size[0];
  settings.height = options.size[1];
  settings.joints = !options.noJoints;
  settings.labels = options.labels;
  settings.background = !options.plain;
  if (const auto named = namedViews().find(options.view); named != namedViews().end()) {
    settings.yaw = named->second.yaw * kDegree;
    settings.pitch = named->second.pitch * kDegree;
  }
  if (options.yaw) settings.yaw = *options.yaw * kDegree;
  if (options.pitch) settings.pitch = *options.pitch * kDegree;
  return settings;
}

// On standard output the picture is all there is; with --json, it is in the report.
int deliver(const DrawOptions& options, const Drawing& drawing, std::vector<Problem> problems) {
  const auto warn = [&](std::string what, std::string remedy) {
    problems.push_back(fileProblem(options.scene, std::move(what), std::move(remedy)));
    problems.back().severity = Severity::Warning;
  };
  if (!drawing.exact)
    warn("too many solids overlap to find out exactly which one hides which",
         "in this picture, a solid may cover another solid that is in front of it");
  if (drawing.leftOut > 0)
    warn("the scene has more than a picture can hold: " + counted(drawing.leftOut, "solid") +
             " left out",
         "draw a part of the scene");
  const bool toFile = options.output != kStandardOutput;
  if (toFile)
    if (const auto problem = writeText(options.output, drawing.svg)) {
      problems.push_back(*problem);
      printFailure(problems, options.json);
      return kProblems;
    }
  if (!options.json) {
    printProblems(problems);
    if (!toFile) std::cout << drawing.svg;
    return kSuccess;
  }
  Json report{{"ok", true},
              {"file", toFile ? Json(options.output) : Json(nullptr)},
              {"width", drawing.width},
              {"height", drawing.height},
              {"solids", drawing.solids},
              {"polygons", drawing.polygons},
              {"exact", drawing.exact},
              {"left_out", drawing.leftOut},
              {"problems", toJson(problems)}};
  if (!toFile) report["svg"] = drawing.svg;
  printJson(report);
  return kSuccess;
}

int run(const DrawOptions& options) {
  LoadedScene loaded;
  Drawing drawing;
  {
    Progress progress;
    loaded = loadAndCompile(options.scene, options.set, progress);
    if (loaded.mechanism) {
      progress.now("drawing " + options.scene);
      drawing = drawScene(*loaded.scene, *loaded.mechanism, initialState(*loaded.mechanism),
                          settingsOf(options));
    }
  }
  if (!loaded.mechanism) {
    printFailure(loaded.problems, options.json);
    return kProblems;
  }
  return deliver(options, drawing, loaded.problems);
}

}  // namespace

void addDraw(CLI::App& app, int& exitCode) {
  auto options = std::make_shared<DrawOptions>();
  CLI::App* command = app.add_subcommand("draw", "Draw a scene as an SVG picture");
  command->add_option("SCENE", options->scene, "A .tenon file, or - for standard input")
      ->required();
  command
      ->add_option("-o,--output", options->output, "The .svg file (default, or -: standard output)")
      ->type_name("FILE")
      ->check(endingOutOf({Ending::Svg}, true));
  options->set.addTo(*command);
  std::vector<std::string> names;
  for (const auto& [name, view] : namedViews()) names.push_back(name);
  command->add_option("--view", options->view, "front, back, left, right, top, bottom or iso")
      ->type_name("VIEW")
      ->check(CLI::IsMember(names));
  command
      ->add_option("--yaw", options->yaw,
                   "Where the viewer stands, in degrees from the front to the right")
      ->type_name("DEG")
      ->transform(within(Quantity::Degrees, -360, 360));
  command->add_option("--pitch", options->pitch, "How high the viewer stands, in degrees upwards")
      ->type_name("DEG")
      ->transform(within(Quantity::Degrees, -90, 90));
  command->add_option("--size", options->size, "Width and height in pixels (default 960 720)")
      ->type_name("W H")
      ->expected(2)
      ->check(CLI::Range(16, 16384).description(""));
  command->add_flag("--no-joints", options->noJoints, "Leave out joints, springs, pins and goals");
  command->add_flag("--labels", options->labels, "Write the names of the solids");
  command->add_flag("--plain", options->plain,
                    "Make the background transparent, and leave out the floor");
  command->add_flag("--json", options->json, "Print a report as JSON");
  command->footer(
      "Tenon draws the pose as written. Without --view, --yaw and --pitch it chooses a view that\n"
      "fits the scene. The same scene gives the same bytes.\n\n"
      "Example:\n"
      "  tenon draw scenes/linkages/four-bar.tenon -o four-bar.svg --yaw 30 --pitch 20");
  command->callback([options, &exitCode] { exitCode = run(*options); });
}

}  // namespace tenon::cli
