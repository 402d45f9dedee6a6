// Jeon, Choi & Hong: feedback, its stability, and a bead on a wire.
#include <cmath>

#include "experiment.h"

namespace tenon::cli {
namespace {

// Φ = y: one mass that belongs on a plane.
constexpr const char* kMassAndPlane = R"(title "A mass and a plane";
param start 1;
param speed 0;
gravity 0 0 0;
solid mass
  point-mass;
  mass 1;
  sphere 0.1;
  at 0 (start) 0;
  velocity 0 (speed) 0;
end
joint point-on-plane plane
  object2 mass;
  point1 0 0 0;
  axis1 0 1 0;
  point2 0 0 0;
end
)";

RunSettings feedback(Integrator integrator, double gain, double dt, double duration) {
  RunSettings settings;
  settings.step.method = Method::Baumgarte;
  settings.step.integrator = integrator;
  settings.step.feedback.alpha = settings.step.feedback.beta = gain;
  settings.dt = dt;
  settings.duration = duration;
  settings.asWritten = true;
  settings.every = 1;
  return settings;
}

struct Path {
  std::vector<std::pair<double, double>> points;  // time, Φ
  RunReport result;
};
Path heightOf(Lab& lab, const Stage& stage, const RunSettings& settings) {
  Path path;
  RunWatch listeners;
  listeners.frame = [&](const State& state) {
    path.points.emplace_back(state.time, state.position[0].y);
  };
  path.result = lab.simulate(stage, settings, listeners);
  return path;
}

// -------------------------------------------------------------------------------------- figure 1

Reproduction startFigure(Lab& lab) {
  constexpr double kGain = 4;  // [1/s] their α = β
  Reproduction out;
  out.setup =
      "A mass belongs on a plane, with the feedback α = β = 4 1/s (gains 16 and 8). It starts 1 m "
      "off the plane (a), or on the plane with 1 m/s across it (b). Runge-Kutta steps of 0.01 s "
      "are compared with the closed forms (1 + 4t) exp(-4t) and t exp(-4t).";
  ResultTable table{"Φ over time", {"t (s)", "(a) here", "(a) exact", "(b) here", "(b) exact"}, {}};
  Plot plot;
  plot.title = "Jeon, figure 1: feedback brings wrong starts back";
  plot.xLabel = "time (s)";
  plot.yLabel = "Φ (m)";
  const RunSettings settings = feedback(Integrator::Rk4, kGain, 0.01, 3);
  const Path a = heightOf(
      lab, lab.sceneOf(kMassAndPlane, "plane", {{"start", "1"}, {"speed", "0"}}), settings);
  const Path b = heightOf(
      lab, lab.sceneOf(kMassAndPlane, "plane", {{"start", "0"}, {"speed", "1"}}), settings);
  const auto exactA = [](double t) { return (1 + kGain * t) * std::exp(-kGain * t); };
  const auto exactB = [](double t) { return t * std::exp(-kGain * t); };
  double apart = 0;
  for (std::size_t i = 0; i < a.points.size(); ++i) {
    const double t = a.points[i].first;
    apart = std::max({apart, std::abs(a.points[i].second - exactA(t)),
                      std::abs(b.points[i].second - exactB(t))});
    if (i % 50 == 0)
      table.rows.push_back({t, a.points[i].second, exactA(t), b.points[i].second, exactB(t)});
  }
  plot.curves.push_back(curveOf("(a) Φ(0) = 1", 0, a.points));
  plot.curves.push_back(curveOf("(b) Φ̇(0) = 1", 1, b.points));
  const double left = std::max(std::abs(a.points.back().second), std::abs(b.points.back().second));
  out.findings.push_back({"Feedback corrects wrong positions and wrong velocities.",
                          left < 1e-3 ? Verdict::Holds : Verdict::Fails,
                          prettyNumber(left, 2) +
                              " m are left after 3 s, and the largest distance "
                              "from the closed forms is " +
                              prettyNumber(apart, 2) + " m."});
  out.tables.push_back(std::move(table));
  out.plots.push_back(std::move(plot));
  return out;
}

// -------------------------------------------------------------------------------------- figure 2

Reproduction regionFigure(Lab& lab) {
  constexpr double h = 0.1;  // [s]
  const int steps = lab.quick() ? 100 : 300;
  Reproduction out;
  out.setup =
      "The same mass starts 1 m off the plane, with Euler's steps of 0.1 s and α = β. Powers of "
      "the double pole 1 - αh multiply the error: Φₙ = sⁿ + n sⁿ⁻¹ αh, s = 1 - αh.";
  ResultTable table{"Choices of αh",
                    {"αh", "pole 1 - αh", "by theory", "here", "|Φ| at the end", "steps",
                     "farthest from the closed form"},
                    {}};
  Plot plot;
  plot.title = "Jeon, figure 2: choices within and outside of the stability region";
  plot.xLabel = "time (s)";
  plot.yLabel = "Φ (m)";
  plot.ySpan = {-8, 8};
  bool agree = true, swings = true;
  double apart = 0;
  int gone = -1;  // steps until nothing is left, in the middle of the region
  std::size_t colour = 0;
  for (const double alphaH : {0.2, 0.5, 1.0, 1.5, 1.9, 2.1}) {
    const Path path = heightOf(lab, lab.sceneOf(kMassAndPlane, "plane"),
                               feedback(Integrator::Euler, alphaH / h, h, steps * h));
    const double pole = 1 - alphaH;
    double mine = 0;
    for (std::size_t n = 0; n < path.points.size(); ++n) {
      const auto k = static_cast<double>(n);
      const double power = n == 0 ? 0 : k * std::pow(pole, k - 1) * alphaH;
      const double exact = std::pow(pole, k) + power;
      mine =
          std::max(mine, std::abs(path.points[n].second - exact) / std::max(1.0, std::abs(exact)));
    }
    apart = std::max(apart, mine);
    for (std::size_t n = 1; n < path.points.size(); ++n) {
      if (alphaH == 1 && gone < 0 && std::abs(path.points[n].second) < 1e-9)
        gone = static_cast<int>(n);
      // Beyond the middle, from the third step on.
      if (alphaH > 1 && n > 2 && std::abs(path.points[n].second) > 1e-9)
        swings = swings && path.points[n].second * path.points[n - 1].second < 0;
    }
    const bool theory = std::abs(pole) < 1;
    const bool here = gotToItsEnd(path.result.status) && std::abs(path.points.back().second) < 0.1;
    agree = agree && theory == here;
    table.rows.push_back({alphaH, pole, theory ? "stable" : "unstable",
                          here ? "stable" : "unstable", std::abs(path.points.back().second),
                          path.result.steps, mine});
    std::vector<std::pair<double, double>> shown;
    for (const auto& point : path.points)
      if (point.first <= 4) shown.push_back(point);
    plot.curves.push_back(curveOf("αh = " + shortNumber(alphaH), colour++, shown));
    plot.curves.back().brokenOff = path.result.status == RunStatus::BlownUp;
  }
  out.findings.push_back({"With α = β Euler's steps are stable exactly where |1 - αh| < 1.",
                          agree ? Verdict::Holds : Verdict::Fails,
                          "All choices behave as the pole predicts. The steps agree with the "
                          "closed form to " +
                              prettyNumber(apart, 2) + "."});
  out.findings.push_back(
      {"In the middle of the region, the error dies out fast and without oscillation.",
       gone > 0 && gone < 4 && swings ? Verdict::Holds : Verdict::Fails,
       "With αh = 1 the error is gone after " + std::to_string(gone) +
           " steps. With larger αh it " + (swings ? "changes" : "does not change") +
           " its sign at every step."});
  out.tables.push_back(std::move(table));
  out.plots.push_back(std::move(plot));
  return out;
}

// -------------------------------------------------------------------------------------- figure 3

struct BeadRun {
  RunReport result;
  std::vector<std::pair<double, double>> error;  // time, | |q| - 50 |
  double settled = -1;  // [s] from when on it is within 1 % of the radius; negative: never
};

BeadRun bead(Lab& lab, RunSettings settings) {
  constexpr double kWithin = 0.5;  // [m]
  BeadRun run;
  settings.asWritten = true;
  RunWatch listeners;
  listeners.moment = [&](const Moment& moment) {
    run.error.emplace_back(moment.time, moment.error);
    if (moment.error > kWithin)
      run.settled = -1;
    else if (run.settled < 0)
      run.settled = moment.time;
  };
  run.result = lab.simulate(lab.scene("jeon/bead-on-wire"), settings, listeners);
  if (run.result.status == RunStatus::BlownUp) run.settled = -1;
  return run;
}

RunSettings implicitly(double dt, double duration) {
  RunSettings settings;
  settings.step.method = Method::Implicit;
  settings.dt = dt;
  settings.duration = duration;
  return settings;
}

// A step goes back onto the tangent's circle, by the error of before, and along it by d: it ends at
// √(r² + d²).
double sagOf(const BeadRun& run) {
  constexpr double kRadius = 50;  // [m]
  const State& state = run.result.state;
  const double moved = run.result.settings.dt * norm(state.velocity[0]);
  const double back = run.error.size() < 2 ? 0 : run.error[run.error.size() - 2].second;
  return std::sqrt(kRadius * kRadius + moved * moved - back * back) - kRadius;
}

Reproduction beadFigure(Lab& lab) {
  Reproduction out;
  out.setup =
      "A bead belongs on a circle of radius 50. It starts at 65 with a speed of 50, a tenth off "
      "the tangent. The explicit method makes Euler's steps with α = β = 1/dt, the middle of the "
      "stability region. The implicit method solves eq. 28. The sag √(r² + d²) - r is how far the "
      "last step, d along the tangent, leaves the circle.";
  ResultTable table{"Distance error by step",
                    {"dt (s)", "method", "status", "settled within 0.5 m (s)",
                     "error at the end (m)", "largest after 2 s (m)", "sag (m)"},
                    {}};
  struct Pair {
    BeadRun explicitly, implicitly;
  };
  std::vector<Pair> pairs;
  const std::vector<double> steps{0.01, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0};
  for (const double dt : steps) {
    const double duration = std::max(5.0, 50 * dt);
    pairs.push_back({bead(lab, feedback(Integrator::Euler, 1 / dt, dt, duration)),
                     bead(lab, implicitly(dt, duration))});
    for (const BeadRun* run : {&pairs.back().explicitly, &pairs.back().implicitly}) {
      double late = 0;
      for (const auto& [time, error] : run->error)
        if (time >= 2) late = std::max(late, error);
      const bool blown = run->result.status == RunStatus::BlownUp;
      table.rows.push_back(
          {dt, run == &pairs.back().explicitly ? "baumgarte, Euler" : "implicit",
           blown ? "blown up at " + shortNumber(run->result.state.time, 3) + " s" : "done",
           run->settled < 0 ? Json(nullptr) : Json(run->settled),
           blown ? Json(nullptr) : Json(run->result.endError), blown ? Json(nullptr) : Json(late),
           blown ? Json(nullptr) : Json(sagOf(*run))});
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    Plot plot;
    plot.title = "Jeon, figure 3 (" + std::string(1, static_cast<char>('a' + i)) +
                 "): dt = " + shortNumber(steps[i]) + " s";
    plot.xLabel = "time (s)";
    plot.yLabel = "distance error (m)";
    plot.yScale = Scale::Log;
    plot.curves.push_back(curveOf("baumgarte", 1, pairs[i].explicitly.error));
    plot.curves.back().brokenOff = pairs[i].explicitly.result.status == RunStatus::BlownUp;
    plot.curves.push_back(curveOf("implicit", 0, pairs[i].implicitly.error));
    out.plots.push_back(std::move(plot));
  }

  // "Ideal" gains are not printed: is there any with which dt = 0.1 would go?
  ResultTable gains{"Feedback at dt = 0.1 s",
                    {"αh", "status", "error at the end (m)", "speed at the end (m/s)"},
                    {}};
  std::vector<std::string> survivors;
  for (const double alphaH : {0.1, 0.3, 0.5, 0.7, 1.0, 1.2, 1.5, 1.8}) {
    const BeadRun run = bead(lab, feedback(Integrator::Euler, alphaH / 0.1, 0.1, 20));
    const bool blown = run.result.status == RunStatus::BlownUp;
    double speed = 0;
    for (const Vec3& v : run.result.state.velocity) speed = std::max(speed, norm(v));
    if (!blown && run.result.endError < 5)
      survivors.push_back("αh = " + shortNumber(alphaH) + " (slowed to " + prettyNumber(speed, 2) +
                          " m/s)");
    gains.rows.push_back(
        {alphaH, blown ? "blown up at " + shortNumber(run.result.state.time, 3) + " s" : "done",
         blown ? Json(nullptr) : Json(run.result.endError), speed});
  }

  const auto seconds = [](const BeadRun& run) {
    return run.settled < 0 ? std::string("never") : shortNumber(run.settled, 3) + " s";
  };
  const auto sooner = [](const Pair& pair) {
    return pair.implicitly.settled >= 0 &&
           (pair.explicitly.settled < 0 || pair.implicitly.settled < pair.explicitly.settled);
  };
  out.findings.push_back(
      {"At dt = 0.01 and 0.05 the implicit bead finds the wire much sooner.",
       sooner(pairs[0]) && sooner(pairs[1])   ? Verdict::Holds
       : sooner(pairs[0]) || sooner(pairs[1]) ? Verdict::Partly
                                              : Verdict::Fails,
       "The implicit bead stays within 0.5 m after " + seconds(pairs[0].implicitly) + " and " +
           seconds(pairs[1].implicitly) + ", and the explicit bead after " +
           seconds(pairs[0].explicitly) + " and " + seconds(pairs[1].explicitly) + "."});
  const RunReport& atTenth = pairs[2].explicitly.result;
  const bool lost = atTenth.status == RunStatus::BlownUp || atTenth.endError > 15;
  out.findings.push_back(
      {"At dt = 0.1 the explicit bead blows up, although its gains are ideal.",
       lost ? Verdict::Holds : Verdict::Fails,
       (atTenth.status == RunStatus::BlownUp
            ? "It blows up after " + shortNumber(atTenth.state.time, 3) + " s"
            : "Its error is " + prettyNumber(atTenth.endError) + " m after 5 s, " +
                  prettyNumber(atTenth.maxError) + " at most") +
           ". Of " + std::to_string(gains.rows.size()) + " gains that were tried, " +
           (survivors.empty() ? "none survives" : listed(survivors) + " survives") + "."});
  const RunReport& there = pairs[2].implicitly.result;
  out.findings.push_back(
      {"At dt = 0.1 the implicit bead still converges.",
       there.endError < 0.01 ? Verdict::Holds
       : there.endError < 1  ? Verdict::Partly
                             : Verdict::Fails,
       "It stays near the wire, but its error does not vanish: " + prettyNumber(there.endError) +
           " m is left at the end, which is the sag of its last step (" +
           prettyNumber(sagOf(pairs[2].implicitly)) + " m)."});
  const RunReport& large = pairs.back().implicitly.result;
  out.findings.push_back({"Implicit steps may be as large as 2.0.",
                          large.status == RunStatus::BlownUp ? Verdict::Fails
                          : large.endError < 1               ? Verdict::Holds
                                                             : Verdict::Partly,
                          "The steps stay bounded, but no more: the error at dt = 2 is " +
                              prettyNumber(large.endError) + " m on a radius of 50."});
  out.tables.push_back(std::move(table));
  out.tables.push_back(std::move(gains));
  return out;
}

}  // namespace

std::vector<Experiment> experimentsOfJeon() {
  return {{"jeon", "1", "Feedback corrects a wrong start", startFigure},
          {"jeon", "2", "The stability region of the feedback", regionFigure},
          {"jeon", "3", "A bead on a wire, explicit and implicit", beadFigure}};
}

}  // namespace tenon::cli
