// One linear solve of the joints' rows, by each solver: joints off by millimetres are put right.
#include <tenon/joint.h>
#include <tenon/posing.h>

#include <memory>

#include "cases/cases.h"
#include "cases/scenes.h"
#include "solve/row_system.h"

namespace tenon::bench {
namespace {

struct Linear {
  Moving scene;
  Rows rows;
  std::vector<bool> used;
  std::vector<double> b, compliance, lambda;
  std::vector<RowSystem::Six> displacement;
  RowSystem system;
  LinearReport report;
};

Prepared prepare(const std::string& scene, LinearSolver solver) {
  const auto linear = std::make_shared<Linear>();
  linear->scene = movingScene(scene);
  disturb(linear->scene.mechanism, 1, 1e-3, 1e-3, linear->scene.start);
  Rows all;
  emitRows(linear->scene.mechanism, linear->scene.control, linear->scene.start, all);
  linear->rows.blocks = all.blocks;
  for (const Row& row : all.rows) {
    if (!row.equality || row.velocity) continue;
    linear->rows.rows.push_back(row);
    linear->b.push_back(-row.error);
  }
  linear->used.assign(linear->rows.rows.size(), true);
  Prepared prepared;
  prepared.solids = linear->scene.solids;
  prepared.once = [linear, solver] {
    linear->system.load(linear->scene.mechanism, linear->scene.start, linear->rows, linear->used);
    linear->compliance.assign(linear->b.size(), 0);
    for (std::size_t r = 0; r < linear->b.size(); ++r)
      linear->compliance[r] = 1e-10 * linear->system.mobility(r);
    linear->report = linear->system.solve({}, linear->compliance, linear->b, {solver},
                                          linear->lambda, linear->displacement);
  };
  prepared.counters = [linear] {
    Counters counters;
    counters.iterations = linear->report.iterations;
    if (!linear->report.finite) counters.failed = "not finite";
    return counters;
  };
  return prepared;
}

}  // namespace

void addSolverCases(Cases& cases) {
  for (const LinearSolver solver : kLinearSolvers) {
    for (const char* scene : {"s1-20", "s1-100", "s1-1000", "s2-100", "s3", "link-grid-5",
                              "link-grid-10", "marionette", "strandbeest"})
      cases.push_back({"solver/" + std::string(scene) + "/" + std::string(nameOf(solver)),
                       [scene, solver] { return prepare(scene, solver); },
                       isDirect(solver) && std::string_view(scene) != "s1-1000"});
  }
  for (const char* scene : {"s1-10000", "link-grid-30"})
    cases.push_back({"solver/" + std::string(scene) + "/direct",
                     [scene] { return prepare(scene, LinearSolver::Direct); }});
}

}  // namespace tenon::bench
