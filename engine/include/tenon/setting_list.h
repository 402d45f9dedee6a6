// The settings of motion and of posing. This list is the only place that names them all. A setting is a field of
// StepSettings, PoseSettings or AllSettings, and a line here. The statements of a scene's `settings`, the options of the
// command line, the session's `settings` and `assemble` commands, what its `catalogue` says, the table in docs/motion.md
// (tools/write_setting_docs.py) and the controls of the page are made from the list, in its order.
//
//   X(name, kind, unit, the greatest value, words of a Choice: two lists, field, second field, methods of motion that
//     take it, methods of assembly that take it, a sentence)
//
// Kinds: Positive (> 0), NotNegative (>= 0), Whole (0, 1, …), Switch (on or off), Choice (one of the words). Fields are
// those of `run`, a AllSettings. Units are those of the session and the command line; a scene's text has units of its own.
#pragma once

#include <cstdint>

namespace tenon {

enum class SettingKind : std::uint8_t { Positive, NotNegative, Whole, Switch, Choice };

}  // namespace tenon

// clang-format off
#define TENON_SETTINGS(X)                                                                                             \
  X("method", Choice, "", 0, kMethodNames, kAssemblyNames, &run.step.method, &run.pose.method, kEvery, kEvery,        \
    "How motion is computed, or how a pose is found.")                                                                \
  X("solver", Choice, "", 0, kSolverNames, kSolverNames, &run.step.linear.solver, &run.pose.linear.solver,            \
    with(kTakesSolver), kEvery,                                                                                       \
    "How linear systems are solved.")                                                                                 \
  X("norm", Choice, "", 0, kNormNames, kNormNames, &run.step.norm, &run.pose.norm, kEvery, kEvery,                    \
    "How errors are measured against the tolerance.")                                                                 \
  X("dt", Positive, "s", kInfinity, kNoNames, kNoNames, &run.dt, nullptr, kEvery, 0,                                  \
    "The length of a step.")                                                                                          \
  X("duration", NotNegative, "s", kInfinity, kNoNames, kNoNames, &run.duration, nullptr, kEvery, 0,                   \
    "How long the motion lasts.")                                                                                     \
  X("tolerance", Positive, "m, rad", kInfinity, kNoNames, kNoNames, &run.step.tolerance, &run.pose.tolerance,         \
    kEvery, kEvery,                                                                                                   \
    "The joint error that counts as closed.")                                                                         \
  X("budget", Positive, "ms", kInfinity, kNoNames, kNoNames, &run.budget, &run.pose.milliseconds, kEvery, kEvery,     \
    "The time for one solve of a pose.")                                                                              \
  X("truncation", Positive, "rad", kInfinity, kNoNames, kNoNames, &run.step.truncation, &run.pose.truncation,         \
    kEvery, kEvery,                                                                                                   \
    "The most that a solid turns in one correction.")                                                                 \
  X("alpha", NotNegative, "1/s", kInfinity, kNoNames, kNoNames, &run.step.feedback.alpha, nullptr,                    \
    with(kTakesFeedback) | only(Method::Relaxation), 0,                                                               \
    "Feedback of velocities, with 0 as 1/dt. In relaxation a factor of each joint's α, without a unit.")              \
  X("beta", NotNegative, "1/s", kInfinity, kNoNames, kNoNames, &run.step.feedback.beta, nullptr,                      \
    with(kTakesFeedback), 0,                                                                                          \
    "Feedback of positions. With 0 it is as large as alpha.")                                                         \
  X("iterations", Whole, "", 1e9, kNoNames, kNoNames, &run.step.iterations, &run.pose.iterations, kEvery, kEvery,     \
    "The most iterations. In a step, 0 means until the tolerance is reached.")                                        \
  X("linear-iterations", Whole, "", 1e9, kNoNames, kNoNames, &run.step.linear.iterations,                             \
    &run.pose.linear.iterations, with(kTakesSolver), kEvery,                                                          \
    "The most iterations of an iterative solver, each time. 0 means as many as it has rows.")                         \
  X("linear-tolerance", Positive, "", 1, kNoNames, kNoNames, &run.step.linear.tolerance, &run.pose.linear.tolerance,  \
    with(kTakesSolver), kEvery,                                                                                       \
    "The residual at which an iterative solver stops, relative to the first.")                                        \
  X("integrator", Choice, "", 0, kIntegratorNames, kNoNames, &run.step.integrator, nullptr, with(kTakesIntegrator), 0, \
    "How accelerations become motion. Only recursive has rk45 and adams-moulton, which divide the step.")             \
  X("guess", Switch, "", 1, kNoNames, kNoNames, &run.step.displacement.guess, nullptr, only(Method::Displacement), 0, \
    "Start iterative solvers from the last multipliers.")                                                             \
  X("accelerate", Switch, "", 1, kNoNames, kNoNames, &run.step.displacement.accelerate, nullptr,                      \
    only(Method::Displacement), 0,                                                                                    \
    "Correct accelerations before positions.")                                                                        \
  X("weighted", Switch, "", 1, kNoNames, kNoNames, &run.step.displacement.weighted, nullptr,                          \
    only(Method::Displacement), 0,                                                                                    \
    "Use the weights of joints, so that heavier ones converge first.")                                                \
  X("largest-turn", NotNegative, "rad", 100, kNoNames, kNoNames, &run.step.relaxation.largestTurn, nullptr,           \
    only(Method::Relaxation), 0,                                                                                      \
    "Take a step back, and halve it, if a solid turns more than this. 0 allows any turn.")                            \
  X("on-cap", Choice, "", 0, kOnCapNames, kNoNames, &run.step.relaxation.onCap, nullptr, only(Method::Relaxation), 0, \
    "What happens when a step uses up its iterations: go on, or stop.")                                               \
  X("step-tolerance", Positive, "m, rad", kInfinity, kNoNames, kNoNames, &run.step.recursive.stepTolerance, nullptr,  \
    only(Method::Recursive), 0,                                                                                       \
    "The error of a step that rk45 and adams-moulton allow.")                                                         \
  X("loops", Choice, "", 0, kLoopsNames, kNoNames, &run.step.recursive.loops, nullptr, only(Method::Recursive), 0,    \
    "How loops on the ground are held: by multipliers, or by Manikin's heavy segments.")                              \
  X("heaviness", Positive, "", kInfinity, kNoNames, kNoNames, &run.step.recursive.heaviness, nullptr,                 \
    only(Method::Recursive), 0,                                                                                       \
    "The mass of a heavy segment, in masses of the scene.")                                                           \
  X("slip", Positive, "m, rad", kInfinity, kNoNames, kNoNames, &run.step.recursive.slip, nullptr,                     \
    only(Method::Recursive), 0,                                                                                       \
    "A heavy segment that slips more than this is tried again.")                                                      \
  X("limit-stiffness", NotNegative, "N/m, N m/rad", kInfinity, kNoNames, kNoNames,                                    \
    &run.step.recursive.limitStiffness, nullptr, only(Method::Recursive), 0,                                          \
    "The stiffness of limits, with critical damping. With 0 it follows from the step.")                               \
  X("fast", Switch, "", 1, kNoNames, kNoNames, &run.step.islands.fast, nullptr, with(kByIslands), 0,                  \
    "Use the fast path where there is one.")                                                                          \
  X("threads", Whole, "", 1024, kNoNames, kNoNames, &run.step.islands.threads, nullptr, with(kByIslands), 0,          \
    "Threads that share the islands on the fast path. 0 takes all threads.")                                          \
  X("sleep-below", NotNegative, "m/s, rad/s", kInfinity, kNoNames, kNoNames, &run.step.islands.sleepBelow, nullptr,   \
    with(kByIslands), 0,                                                                                              \
    "An island that is slower than this sleeps until something pushes it. With 0 none does.")                         \
  X("sleep-after", NotNegative, "s", kInfinity, kNoNames, kNoNames, &run.step.islands.sleepAfter, nullptr,            \
    with(kByIslands), 0,                                                                                              \
    "How long an island must have been slow before it sleeps.")                                                       \
  X("restarts", Whole, "", 1e9, kNoNames, kNoNames, nullptr, &run.pose.restarts, 0, only(AssemblyMethod::Newton),     \
    "How often newton may start again from another pose when it stalls.")                                             \
  X("seed", Whole, "", 9007199254740992, kNoNames, kNoNames, nullptr, &run.pose.seed, 0, only(AssemblyMethod::Newton),             \
    "The seed of the random restarts.")                                                                               \
  X("compromise", Switch, "", 1, kNoNames, kNoNames, nullptr, &run.pose.compromise, 0, only(AssemblyMethod::Newton),  \
    "Let what yields find a compromise.")                                                                             \
  X("exact-translation", Switch, "", 1, kNoNames, kNoNames, nullptr, &run.pose.relaxation.exactTranslation, 0,        \
    only(AssemblyMethod::Relaxation),                                                                                 \
    "Close a joint's translation in one iteration (eqs 18 and 19), not to first order (eqs 14 and 15).")              \
  X("weighted-sum", Switch, "", 1, kNoNames, kNoNames, nullptr, &run.pose.relaxation.weighted, 0,                     \
    only(AssemblyMethod::Relaxation),                                                                                 \
    "Weigh corrections by the number of joints on a solid. Plain sums may diverge.")                                  \
  X("alpha-scale", Positive, "", kInfinity, kNoNames, kNoNames, nullptr, &run.pose.relaxation.alphaScale, 0,          \
    only(AssemblyMethod::Relaxation),                                                                                 \
    "The α of joints that give none of their own.")                                                                   \
  X("pull-method", Choice, "", 0, kAssemblyNames, kNoNames, &run.pull.method, nullptr, kEvery, 0,                     \
    "How a pose follows a hand.")                                                                                     \
  X("pull-iterations", Whole, "", 1e5, kNoNames, kNoNames, &run.pull.iterations, nullptr, kEvery, 0,                  \
    "Iterations each time that a pose follows a hand. With 0, as many as the budget allows.")                         \
  X("pull-solver", Choice, "", 0, kSolverNames, kNoNames, &run.pull.linear.solver, nullptr, kEvery, 0,                \
    "How linear systems are solved while a pose follows a hand.")                                                     \
  X("pull-linear-iterations", Whole, "", 1e5, kNoNames, kNoNames, &run.pull.linear.iterations, nullptr, kEvery, 0,    \
    "The most iterations of that solver, each time. 0 means as many as it has rows.")
// clang-format on
