#include "cases/posing.h"

#include <tenon/measure.h>

#include <algorithm>
#include <memory>
#include <string_view>

namespace tenon::bench {
namespace {

constexpr double kWithin = 1e-3;  // [m] of the target
constexpr double kClosed = 1e-8;  // [m] joints
constexpr int kMostCalls = 3;

Index solidNamed(const Mechanism& m, std::string_view name) {
  const auto found = std::find(m.solidNames.begin(), m.solidNames.end(), name);
  return static_cast<Index>(found - m.solidNames.begin());
}

Want held(const Moving& scene, std::string_view solid, const Vec3& move, bool need) {
  Want want;
  want.solid = solidNamed(scene.mechanism, solid);
  want.target = scene.start.position[want.solid] + move;
  want.need = need;
  return want;
}

struct Assembly {
  Moving scene;
  State state;
  PoseScratch scratch;
  PoseReport report;
};

// Every solid anywhere, then all joints closed.
Prepared fromScatter(const std::string& scene) {
  const auto assembly = std::make_shared<Assembly>();
  assembly->scene = movingScene(scene);
  scatter(assembly->scene.mechanism, 1, assembly->scene.start);
  Prepared prepared;
  prepared.solids = assembly->scene.solids;
  prepared.once = [assembly] {
    assembly->state = assembly->scene.start;
    assembly->report = assemble(assembly->scene.mechanism, assembly->scene.control, {}, {},
                                assembly->state, assembly->scratch);
  };
  prepared.counters = [assembly] {
    Counters counters;
    counters.error = assembly->report.maxError;
    counters.iterations = assembly->report.iterations;
    if (assembly->report.status != PoseStatus::Converged)
      counters.failed = std::string(nameOf(assembly->report.status));
    return counters;
  };
  return prepared;
}

}  // namespace

Pull::Pull(const std::string& scene, bool lanes) : scene_(movingScene(scene)) {
  settings_.lanes = lanes;
  if (scene == "s6") {
    wants_ = {held(scene_, "tom.left.hand", {-0.3, 0.4, 0}, false)};
  } else {  // fig5
    wants_ = {held(scene_, "hind.left.foot", {}, true), held(scene_, "hind.right.foot", {}, true),
              held(scene_, "head", {-0.06, 0.06, 0.053}, false)};
  }
}

void Pull::once() {
  state_ = scene_.start;
  int iterations = 0;
  for (int call = 0; call < kMostCalls; ++call) {
    report_ = track(scene_.mechanism, scene_.control, wants_, settings_, state_, scratch_);
    iterations += report_.iterations;
    if (report_.maxError < kClosed && report_.wantError < kWithin) break;
  }
  report_.iterations = iterations;
}

Counters Pull::counters() const {
  Counters counters;
  counters.error = jointError(scene_.mechanism, scene_.control, state_).max;
  counters.iterations = report_.iterations;
  if (!(report_.wantError < kWithin)) counters.failed = "target not reached";
  return counters;
}

void addPosingCases(Cases& cases) {
  for (const char* scene : {"four-bar", "fig5", "marionette", "s1-20", "s3-10", "strandbeest"})
    cases.push_back({"assemble/" + std::string(scene), [scene] { return fromScatter(scene); },
                     std::string_view(scene) == "fig5"});
  for (const char* scene : {"s6", "fig5"})
    cases.push_back({"track/" + std::string(scene),
                     [scene] {
                       const auto pull = std::make_shared<Pull>(scene);
                       Prepared prepared;
                       prepared.solids = pull->solids();
                       prepared.once = [pull] { pull->once(); };
                       prepared.counters = [pull] { return pull->counters(); };
                       return prepared;
                     },
                     true});
}

}  // namespace tenon::bench
