// The verbs that methods are made of: accelerations of the free solids, rows that hold, moving on,
// putting positions and velocities right.
#pragma once

#include <tenon/joint.h>
#include <tenon/posing.h>
#include <tenon/step.h>

#include <vector>

#include "methods/recursive.h"
#include "solve/row_system.h"

namespace tenon {

using Six = RowSystem::Six;

struct StepScratch::Buffers {
  Rows emitted, rows;      // all; those that hold exactly
  std::vector<bool> used;  // by row of `rows`
  RowSystem system;
  std::vector<double> b, compliance, lambda;
  std::vector<Six> correction;
  std::vector<Wrench> wrenches;
  std::vector<Six> free;               // accelerations of the free solids, linear and angular
  std::vector<Six> acceleration;       // with the joints
  std::vector<Six> slope[4], rate[4];  // of the stages of Runge and Kutta's step
  std::vector<Quat> turning[4];
  Rows directions;         // rows of a step's start
  std::vector<bool> held;  // by row of `directions`
  State before, start, stage;
  PoseScratch posing;
  RecursiveBuffers recursive;
};

// J times the motion of the solids.
double along(const Rows& rows, const Row& row, const std::vector<Six>& motion);
// J M⁻¹ Jᵀ of one row, the solids being free.
double mobilityOf(const Mechanism& mechanism, const State& state, const Rows& rows, const Row& row);
// Joints, prescribed motion and limits, the latter while they push.
bool holds(const Row& row);
// What a row that does not hold exactly pushes with: springs, drives, preferred ranges; friction as much
// as would stop the motion within the step, or as its bounds allow.
double softForce(const Row& row, double mobility, double dt);

// Accelerations under loads, springs, drives and friction, as if no joint held; and the rows that do.
void freeAcceleration(const Mechanism& mechanism, const Control& control, const State& state,
                      double dt, StepScratch::Buffers& buffers);

// Accelerations with Φ̈ = -2α Φ̇ - β² Φ. Bounds push while they are violated, and never pull.
void jointAcceleration(const Mechanism& mechanism, const Control& control,
                       const StepSettings& settings, const State& state, double dt, double alpha,
                       double beta, StepScratch::Buffers& buffers, StepReport& report);

// One linear solve of the rows that hold: J δ = b, δ = M⁻¹ Jᵀ λ. Bounds that would pull are left out,
// and it is solved again, unless λ is an increment that may go either way.
void solveRows(const Mechanism& mechanism, const StepSettings& settings, const State& state,
               StepScratch::Buffers& buffers, StepReport& report, bool increments = false);

// Geometric iterations on the positions until they are right, as in Faure's `correction`.
void correctPositions(const Mechanism& mechanism, const Control& control,
                      const StepSettings& settings, State& state, StepScratch::Buffers& buffers,
                      StepReport& report);
// Nearest velocities that the joints allow.
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

// The methods.
void stepByDisplacement(const Mechanism& mechanism, const Control& control,
                        const StepSettings& settings, double dt, State& state,
                        StepScratch::Buffers& buffers, StepReport& report);
void stepByBaumgarte(const Mechanism& mechanism, const Control& control,
                     const StepSettings& settings, double dt, State& state,
                     StepScratch::Buffers& buffers, StepReport& report);
void stepByImplicit(const Mechanism& mechanism, const Control& control,
                    const StepSettings& settings, double dt, State& state,
                    StepScratch::Buffers& buffers, StepReport& report);
void stepByShake(const Mechanism& mechanism, const Control& control, const StepSettings& settings,
                 double dt, State& state, StepScratch::Buffers& buffers, StepReport& report);
void stepByRelaxation(const Mechanism& mechanism, const Control& control,
                      const StepSettings& settings, double dt, State& state,
                      StepScratch::Buffers& buffers, StepReport& report);
void stepByPoststabilization(const Mechanism& mechanism, const Control& control,
                             const StepSettings& settings, double dt, State& state,
                             StepScratch::Buffers& buffers, StepReport& report);
void stepByRecursion(const Mechanism& mechanism, const Control& control,
                     const StepSettings& settings, double dt, State& state,
                     StepScratch::Buffers& buffers, StepReport& report);

}  // namespace tenon
