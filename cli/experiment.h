// The papers' experiments, run again: what was printed then, what is measured now.
//
// Numbers of the papers are data here; everything else is computed when the command runs.
#pragma once

#include <tenon/mechanism.h>
#include <tenon/posing.h>
#include <tenon/scene.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "plot.h"
#include "report.h"
#include "simulation.h"
#include "terminal.h"

namespace tenon::cli {

enum class Verdict { Holds, Partly, Fails };
[[nodiscard]] std::string_view nameOf(Verdict verdict);

// Something that the paper says or shows, in our words, and how it is here.
struct Finding {
  std::string claim;
  Verdict verdict = Verdict::Holds;
  std::string here;
};

struct ResultTable {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<Json>> rows;  // texts, numbers, or null where there is none
};

struct Picture {
  std::string caption, svg;
};

struct Reproduction {
  std::string setup;  // what was done, in a sentence or two
  std::vector<ResultTable> tables;
  std::vector<Plot> plots;
  std::vector<Picture> pictures;
  std::vector<Finding> findings;
  std::vector<std::string> remarks;
};

// A scene, ready to move.
struct Stage {
  Scene scene;
  Mechanism mechanism;
};

struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

// What experiments work with. Ctrl-C throws Interrupted.
class Lab {
 public:
  using Values = std::vector<std::pair<std::string, std::string>>;

  Lab(bool quick, Progress& progress) : quick_(quick), progress_(progress) {}

  [[nodiscard]] bool quick() const { return quick_; }  // fewer and shorter runs
  // A scene of the papers by name, with other values of parameters and `more` text after it.
  [[nodiscard]] Stage scene(const std::string& name, const Values& set = {},
                            const std::string& more = {});
  [[nodiscard]] Stage sceneOf(const std::string& text, const std::string& name,
                              const Values& set = {});
  [[nodiscard]] RunReport simulate(const Stage& stage, const RunSettings& settings,
                                   const RunWatch& listeners = {});
  [[nodiscard]] PoseReport assemble(const Stage& stage, const PoseSettings& settings, State& state);
  void breathe(const std::string& what);  // between steps of an experiment's own loop

 private:
  bool quick_;
  Progress& progress_;
  NotedInterrupt interrupt_;
};

struct Experiment {
  std::string paper, figure, title;
  Reproduction (*run)(Lab& lab);
};
// In the order of the papers; a function per paper.
[[nodiscard]] std::vector<Experiment> experiments();
[[nodiscard]] std::vector<Experiment> experimentsOfJeon();
[[nodiscard]] std::vector<Experiment> experimentsOfFaure();
[[nodiscard]] std::vector<Experiment> experimentsOfForseyAndWilhelms();
[[nodiscard]] std::vector<Experiment> experimentsOfGascuel();

// A curve of points without extremes.
[[nodiscard]] Curve curveOf(std::string name, std::size_t colour,
                            const std::vector<std::pair<double, double>>& points);
// The slope of log y over log x, by least squares.
[[nodiscard]] double orderOf(const std::vector<std::pair<double, double>>& points);

}  // namespace tenon::cli
