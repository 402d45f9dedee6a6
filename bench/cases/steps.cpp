#include "cases/steps.h"

#include <tenon/measure.h>

#include <algorithm>
#include <memory>

namespace tenon::bench {
namespace {

constexpr double kSeconds = 1;  // of a scene, before it starts again

void choose(Variant variant, StepSettings& settings) {
  settings.islands.fast = variant != Variant::General;
  settings.islands.lanes = variant == Variant::Lanes || variant == Variant::TwoThreads;
  settings.islands.threads = variant == Variant::TwoThreads ? 2 : 1;
}

// Frames of 1/60 s by the methods that are made for them, shorter steps by the others.
double stepOf(Method method) {
  switch (method) {
    case Method::Energy:
    case Method::Interactive:
    case Method::Displacement:
      return 1.0 / 60;
    default:
      return 1.0 / 240;
  }
}

}  // namespace

std::string nameOf(Variant variant) {
  switch (variant) {
    case Variant::Lanes:
      return "lanes";
    case Variant::Scalar:
      return "scalar";
    case Variant::TwoThreads:
      return "threads-2";
    case Variant::General:
      return "general";
  }
  return {};
}

bool fromName(const std::string& name, Variant& variant) {
  for (const Variant each :
       {Variant::Lanes, Variant::Scalar, Variant::TwoThreads, Variant::General}) {
    if (nameOf(each) != name) continue;
    variant = each;
    return true;
  }
  return false;
}

StepSettings settingsOf(Method method, Variant variant) {
  StepSettings settings;
  settings.method = method;
  if (method == Method::Relaxation) settings.iterations = 20;  // of thousands
  choose(variant, settings);
  return settings;
}

Stepping::Stepping(const std::string& scene, Method method, Variant variant, bool timed)
    : scene_(movingScene(scene)),
      settings_(settingsOf(method, variant)),
      dt_(scene_.dt > 0 ? scene_.dt : stepOf(method)),
      state_(scene_.start) {
  settings_.timed = timed;
}

void Stepping::once() {
  last_ = step(scene_.mechanism, scene_.control, settings_, dt_, state_, scratch_);
  const StepReport& report = last_;
  ++steps_;
  iterations_ += report.iterations;
  stages_.add(report.times);
  if (report.halvings > 0) ++halved_;
  if (!report.converged) ++unconverged_;
  if (report.fast) ++fast_;
  blownUp_ = blownUp_ || !report.finite;
  if (++window_ * dt_ < kSeconds && report.finite) return;
  error_ = std::max(error_, jointError(scene_.mechanism, scene_.control, state_).max);
  restart();
}

void Stepping::restart() {
  state_ = scene_.start;
  window_ = 0;
}

Counters Stepping::counters() const {
  Counters counters;
  counters.error = std::max(error_, jointError(scene_.mechanism, scene_.control, state_).max);
  const double steps = std::max(steps_, 1);
  counters.iterations = iterations_ / steps;
  counters.halved = halved_ / steps;
  counters.unconverged = unconverged_ / steps;
  counters.fast = fast_ / steps;
  for (std::size_t s = 0; s < kStages; ++s)
    counters.stages.microseconds[s] = stages_.microseconds[s] / steps;
  if (blownUp_) counters.failed = "blown up";
  return counters;
}

namespace {

Case caseOf(const std::string& name, const std::string& scene, Method method, Variant variant,
            bool timed = false) {
  Case made;
  made.name = name;
  made.onWall = variant == Variant::TwoThreads;
  made.prepare = [scene, method, variant, timed] {
    const auto stepping = std::make_shared<Stepping>(scene, method, variant, timed);
    Prepared prepared;
    prepared.solids = stepping->solids();
    prepared.once = [stepping] { stepping->once(); };
    prepared.counters = [stepping] { return stepping->counters(); };
    return prepared;
  };
  return made;
}

// In joint coordinates, by the number of links: the time of one must not grow with it.
//                                                                     [ForseyWilhelms1988 Table 2]
Prepared recursive(int links, bool bushy) {
  const auto mechanism = std::make_shared<Mechanism>(mechanismOf(writtenFigure(links, bushy)));
  StepSettings settings;
  settings.method = Method::Recursive;
  Prepared prepared;
  prepared.solids = links;
  prepared.once = [mechanism, settings, control = initialControl(*mechanism),
                   state = std::make_shared<State>(initialState(*mechanism)),
                   scratch = std::make_shared<StepScratch>()] {
    use(step(*mechanism, control, settings, 1e-3, *state, *scratch));
  };
  return prepared;
}

}  // namespace

void addStepCases(Cases& cases) {
  const std::string scenes[] = {"s1-20",    "s1-100",       "s1-1000",      "s2-100", "s3",
                                "s4",       "s5",           "link-grid-10", "crowd",  "marionette",
                                "s1-10000", "link-grid-30", "strandbeest"};
  for (const std::string& scene : scenes) {
    for (const Method method : {Method::Energy, Method::Interactive}) {
      const std::string name = "step/" + scene + "/" + std::string(nameOf(method));
      const bool small = scene != "s1-10000" && scene != "link-grid-30";
      for (const Variant variant :
           {Variant::Lanes, Variant::Scalar, Variant::TwoThreads, Variant::General}) {
        // Only a crowd has figures to go side by side, or to be shared out.
        if ((variant == Variant::Lanes || variant == Variant::TwoThreads) && scene != "s5" &&
            scene != "crowd")
          continue;
        Case made = caseOf(name + "/" + nameOf(variant), scene, method, variant);
        made.ofBoth = small && (variant == Variant::Lanes || variant == Variant::Scalar);
        made.reference = name + "/scalar";
        cases.push_back(std::move(made));
      }
    }
    cases.push_back(
        caseOf("step/" + scene + "/displacement", scene, Method::Displacement, Variant::Scalar));
  }
  for (const char* scene : {"s1-20", "s2-100", "marionette"})
    for (const Method method : {Method::Shake, Method::Relaxation, Method::Baumgarte,
                                Method::Implicit, Method::Poststabilized, Method::Recursive})
      cases.push_back(caseOf("step/" + std::string(scene) + "/" + std::string(nameOf(method)),
                             scene, method, Variant::Scalar));
  // What real scenes have, on S5, and scenes as they are written.
  for (const Method method : {Method::Energy, Method::Interactive}) {
    for (const char* scene : {"s5-4",
                              "s5-200",
                              "s5+hand-200",
                              "crowd-25",
                              "crowd+sphere-25",
                              "crowd+sphere-alone",
                              "s5+limits-4",
                              "s5+limits-each-4",
                              "s5+limits-reached-4",
                              "s5+limits-each-reached-4",
                              "s5+damper-4",
                              "s5+drive-4",
                              "s5+spring-4",
                              "s5+damp-4",
                              "s5+drag-4",
                              "s5+friction-4",
                              "s5+prefer-4",
                              "s5+animated-root-4",
                              "s5+force-4",
                              "s5+torque-4",
                              "s5+prescribed-neck-4",
                              "s5+prismatic-4",
                              "s5+cylindrical-4",
                              "s5+rope-slack-4",
                              "s5+rope-taut-4",
                              "s5+distance-4",
                              "r1-4",
                              "own:marionette",
                              "own:hand",
                              "own:chair",
                              "own:monocycle",
                              "own:otary",
                              "own:stewart-platform",
                              "own:slider-crank",
                              "own:strandbeest"})
      cases.push_back(caseOf("real/" + std::string(scene) + "/" + std::string(nameOf(method)),
                             scene, method, Variant::Lanes));
  }
  // What such a step is made of; clocks are part of it.
  for (const char* scene : {"s1-100", "s2-100", "s3", "link-grid-10", "marionette", "strandbeest"})
    for (const Method method : {Method::Energy, Method::Interactive})
      cases.push_back(caseOf("stages/" + std::string(scene) + "/" + std::string(nameOf(method)),
                             scene, method, Variant::General, true));
  for (const int links : {1, 10, 100, 1000, 10'000})
    for (const bool bushy : {false, true})
      cases.push_back(
          {std::string("step/recursive-") + (bushy ? "bush/" : "chain/") + std::to_string(links),
           [links, bushy] { return recursive(links, bushy); }});
}

}  // namespace tenon::bench
