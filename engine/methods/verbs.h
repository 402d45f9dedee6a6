// The verbs that methods are made of: accelerations of the free solids, rows that hold, moving on,
// putting positions and velocities right.
#pragma once

#include <tenon/joint.h>
#include <tenon/method_list.h>
#include <tenon/posing.h>
#include <tenon/step.h>

#include <new>
#include <stdexcept>
#include <vector>

#include "methods/by_islands.h"
#include "methods/end_solve.h"
#include "methods/rank_watch.h"
#include "methods/recursive.h"
#include "methods/rotors.h"
#include "solve/row_bounds.h"
#include "solve/row_system.h"

namespace tenon {

using Six = RowSystem::Six;

struct StepScratch::Buffers {
  StageClock clock;           // runs if the step is to be timed
  StageTimes times;           // of a step by islands, but for those that go by rows
  Rows emitted, rows;         // all; those that hold exactly
  std::vector<bool> used;     // by row of `rows`
  std::vector<bool> reached;  // by key: bounds that positions were put back to
  RowSystem system;
  RankWatch ranks;  // of the solves of `system`
  std::vector<double> b, compliance, lambda;
  std::vector<Six> correction;
  std::vector<Wrench> wrenches;
  std::vector<Six> free;               // accelerations of the free solids, linear and angular
  std::vector<Six> acceleration;       // with the joints
  std::vector<Six> slope[4], rate[4];  // of the stages of Runge and Kutta's step
  std::vector<Quat> turning[4];
  Rows directions;         // rows of a step's start
  std::vector<bool> held;  // by row of `directions`
  // Of Displacement, by row: what is left to do, multipliers so far and to come, as displacements are: times dt². By
  // solid: what it was moved by, and what reached bounds push it.
  std::vector<double> gap, total, aim, softness, guess;
  std::vector<BoundedRow> bounded;
  std::vector<double> byKey;  // the multipliers so far
  std::vector<Six> travel, pushed;
  Rotors rotors;
  State before, start, stage, resort;
  PoseScratch posing;
  EndSolve end{clock};
  ByIslands byIslands;
  RecursiveBuffers recursive;
};

// The step of a whole mechanism by its method, checked, with turns counted; by energy and interactive: by rows. If it is not
// finite, or is to stop, the state is as it was: the caller has put it into buffers.before.
StepReport stepWhole(const Mechanism& mechanism, const Control& control,
                     const StepSettings& settings, double dt, State& state,
                     StepScratch::Buffers& buffers);

// The report of a step that memory was not enough for.
inline constexpr std::string_view kNoMemory = "there was not enough memory for this step";
[[nodiscard]] StepReport outOfMemory();
// f(), which is true; false if memory ran out.
template <class F>
[[nodiscard]] bool unlessMemoryRunsOut(const F& f) {
#ifdef __cpp_exceptions
  try {
    return f();
  } catch (const std::bad_alloc&) {
    return false;
  } catch (const std::length_error&) {
    return false;
  }
#else
  return f();
#endif
}

// [m] the extent of the scene as written; at least 1.
[[nodiscard]] double sizeAsWritten(const Mechanism& mechanism);
// Whether joints are open by more than so many sizes of the scene, and further than before.
[[nodiscard]] bool ranAway(const Mechanism& mechanism, const Control& control, const State& before,
                           const State& after, double allowed, Rows& buffer);

// J times a motion of the solids, of one row.
[[nodiscard]] double along(const Rows& rows, const Row& row, const std::vector<Six>& motion);
// J M⁻¹ Jᵀ of one row.
[[nodiscard]] double mobilityOf(const Mechanism& mechanism, const State& state, const Rows& rows,
                                const Row& row);
// motion += M⁻¹ Jᵀ λ of one row.
void push(const Mechanism& mechanism, const State& state, const Rows& rows, const Row& row,
          double lambda, std::vector<Six>& motion);
// buffers.free from buffers.wrenches: v̇ = f/m, I ω̇ = τ - ω × I ω.
void accelerate(const Mechanism& mechanism, const State& state, StepScratch::Buffers& buffers);
// Joints, prescribed motion and limits, the latter while they push.
[[nodiscard]] bool holds(const Row& row);
// What a row that does not hold exactly pushes with: springs, drives, preferred ranges; friction as much
// as would stop the motion within the step, or as its bounds and what carries its load allow.
[[nodiscard]] double softForce(const Row& row, double mobility, double carried, double dt);

// Accelerations under loads, springs, drives and friction, as if no joint held; and the rows that do.
void freeAcceleration(const Mechanism& mechanism, const Control& control, const State& state,
                      double dt, StepScratch::Buffers& buffers);

// Accelerations with Φ̈ = -2α Φ̇ - β² Φ. Bounds push while they are violated, and never pull.
void jointAcceleration(const Mechanism& mechanism, const Control& control,
                       const StepSettings& settings, const State& state, double dt, double alpha,
                       double beta, StepScratch::Buffers& buffers, StepReport& report);

// One linear solve of the rows that hold: J δ = b, δ = M⁻¹ Jᵀ λ. Rows of rotors take part with J δ = b - λ/I: with b = 0
// they are part of the masses. Bounds that would pull are left out,
// and it is solved again, unless λ is an increment that may go either way.
void solveRows(const Mechanism& mechanism, const StepSettings& settings, const State& state,
               StepScratch::Buffers& buffers, StepReport& report, bool increments = false);

// Multipliers of the last solve into the state, times `scale`: forces [N] and torques [N m], by key.
void rememberMultipliers(const StepScratch::Buffers& buffers, double scale, State& state);

// Geometric iterations on the positions until they are right, as in Faure's `correction`.
void correctPositions(const Mechanism& mechanism, const Control& control,
                      const StepSettings& settings, State& state, StepScratch::Buffers& buffers,
                      StepReport& report);
// Nearest velocities that the joints allow, and the bounds that correctPositions has just met.
void correctVelocities(const Mechanism& mechanism, const Control& control,
                       const StepSettings& settings, State& state, StepScratch::Buffers& buffers,
                       StepReport& report);

// Positions on by dt with the velocities of the state; velocities on by dt with `acceleration`.
void movePositions(const Mechanism& mechanism, double dt, State& state);
void moveVelocities(const Mechanism& mechanism, double dt, const std::vector<Six>& acceleration,
                    State& state);
// v = Δx/dt, ω = log(ΔR)/dt since `start`.
void velocitiesFromDisplacements(const Mechanism& mechanism, double dt, const State& start,
                                 State& state);
// Runge and Kutta's step of fourth order.
void moveByRk4(const Mechanism& mechanism, const Control& control, const StepSettings& settings,
               double dt, double alpha, double beta, State& state, StepScratch::Buffers& buffers,
               StepReport& report);

// Takes the step whole, or else in two halves, and so on down to dt/2⁸. What fails even then is left to the
// last resort, and so is the rest of the step: if it cannot be done at all, it is not tried again and again.
template <class Attempt, class LastResort>
void stepInPieces(double dt, StepReport& report, const Attempt& attempt,
                  const LastResort& lastResort) {
  bool hopeless = false;
  const auto pieces = [&](const auto& self, double piece, int depth) -> void {
    if (!report.finite || (!hopeless && attempt(piece))) return;
    if (hopeless || depth == 8) {
      hopeless = true;
      report.converged = false;
      lastResort(piece);
      return;
    }
    ++report.halvings;
    self(self, piece / 2, depth + 1);
    self(self, piece / 2, depth + 1);
  };
  pieces(pieces, dt, 0);
}

// Where nothing else can be had: Faure's step, which needs no convergence; and if that tears the joints, or throws a solid
// further than its velocity and the size of the scene explain, everything stays where it is and loses its momentum.
void stepAsLastResort(const Mechanism& mechanism, const Control& control,
                      const StepSettings& settings, double dt, State& state,
                      StepScratch::Buffers& buffers, StepReport& report);

// The methods, one function each.
using MethodStep = void(const Mechanism& mechanism, const Control& control,
                        const StepSettings& settings, double dt, State& state,
                        StepScratch::Buffers& buffers, StepReport& report);
#define TENON_DECLARE(value, name, function, ...) MethodStep function;
TENON_METHODS(TENON_DECLARE)
#undef TENON_DECLARE

}  // namespace tenon
