#include "experiment.h"

#include <tenon/compile.h>
#include <tenon/language.h>

#include <cmath>

#include "paper_scenes.h"

namespace tenon::cli {
namespace {

// The scenes are ours: a problem in one is our mistake.
template <class T>
T valueOf(Result<T> result) {
  if (!result) throw std::logic_error(describe(result.problems().front()));
  return std::move(*result);
}

}  // namespace

std::string_view nameOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::Holds:
      return "holds";
    case Verdict::Partly:
      return "partly";
    case Verdict::Fails:
      return "fails";
  }
  return {};
}

Stage Lab::scene(const std::string& name, const Values& set, const std::string& more) {
  const auto text = paperScene(name);
  if (!text) throw std::logic_error("there is no scene " + name);
  return sceneOf(std::string(*text) + more, name, set);
}

Stage Lab::sceneOf(const std::string& text, const std::string& name, const Values& set) {
  ParseOptions options;
  options.set = set;
  Stage stage;
  stage.scene = valueOf(parseScene(text, name, options));
  stage.mechanism = valueOf(compile(stage.scene));
  return stage;
}

RunReport Lab::simulate(const Stage& stage, const RunSettings& settings,
                        const RunWatch& listeners) {
  std::vector<Problem> problems;
  RunReport result = cli::simulate(stage.scene.title, stage.scene, stage.mechanism, settings,
                                   listeners, problems, progress_);
  if (result.status == RunStatus::Stopped) throw Interrupted();
  if (hasErrors(problems)) throw std::logic_error(describe(problems.front()));
  return result;
}

PoseReport Lab::assemble(const Stage& stage, const PoseSettings& settings, State& state) {
  PoseSettings interruptible = settings;
  interruptible.progress = [this](int, double) { return !interrupt_.came(); };
  PoseScratch scratch;
  PoseReport report = tenon::assemble(stage.mechanism, initialControl(stage.mechanism), {},
                                      interruptible, state, scratch);
  breathe("assembling " + stage.scene.title);
  return report;
}

void Lab::breathe(const std::string& what) {
  if (interrupt_.came()) throw Interrupted();
  progress_.now(what);
}

std::vector<Experiment> experiments() {
  std::vector<Experiment> all;
  for (const auto& ofPaper : {experimentsOfJeon(), experimentsOfFaure(),
                              experimentsOfForseyAndWilhelms(), experimentsOfGascuel()})
    all.insert(all.end(), ofPaper.begin(), ofPaper.end());
  return all;
}

Curve curveOf(std::string name, std::size_t colour,
              const std::vector<std::pair<double, double>>& points) {
  Curve curve;
  curve.name = std::move(name);
  curve.colour = colour;
  for (const auto& [x, y] : points) curve.points.push_back({x, y, y, y});
  return curve;
}

double orderOf(const std::vector<std::pair<double, double>>& points) {
  // Σ (X - X̄)(Y - Ȳ) / Σ (X - X̄)², X = log x, Y = log y.
  double meanX = 0, meanY = 0;
  const auto n = static_cast<double>(points.size());
  for (const auto& [x, y] : points) {
    meanX += std::log(x) / n;
    meanY += std::log(y) / n;
  }
  double across = 0, along = 0;
  for (const auto& [x, y] : points) {
    across += (std::log(x) - meanX) * (std::log(y) - meanY);
    along += (std::log(x) - meanX) * (std::log(x) - meanX);
  }
  return across / along;
}

}  // namespace tenon::cli
