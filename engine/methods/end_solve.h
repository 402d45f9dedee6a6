// A step that is solved for its end by Newton's method: energy and interactive.
//
// Unknown are the poses at the end and a multiplier ν = λ dt²/a per row. With the turn R_1 = cay(θ) R_0 and
// Θ = R_0ᵀ θ,
//   m (Δx - v_0 dt) - dt²/a F - Pᵀ ν = 0,             v_1 = a Δx/dt - b v_0
//   dt/a (L_1 - L_0) - dt²/a T - Pᵀ ν = 0,            L_1 = R_1 I Ω_1,  Ω_1 = a Θ/dt - b Ω_0
//   Φ(q_1) + C ν = 0;     of a rotor on a coordinate (rotors.h) Δc - dt ċ_0 + ν/I = 0.
// a = 2, b = 1 with P a discrete gradient over the step keeps energy and momenta: Θ/dt and Δx/dt are
// then the mean velocities, and the work of all forces is the change of ½ m v² + ½ Ω·IΩ. a = 1, b = 0 with
// P at the end is Euler's implicit step, which damps; its turn is exp(θ).
#pragma once

#include <tenon/joint.h>
#include <tenon/loads.h>
#include <tenon/step.h>

#include <vector>

#include "joints/step_rows.h"
#include "methods/rotors.h"
#include "model/stage_clock.h"
#include "solve/bounds.h"
#include "solve/step_system.h"

namespace tenon {

class EndSolve {
 public:
  enum class Forces : std::uint8_t { OverStep, AtEnd };
  explicit EndSolve(StageClock& clock) : clock_(&clock) {}

  // One attempt. False if it did not converge: the state is as before.
  bool attempt(const Mechanism& mechanism, const Control& control, const StepSettings& settings,
               Forces forces, double dt, State& state, StepReport& report);

  // Of the last attempt: whether a bound was reached that the start was clear of; whether a row moves
  // solids by a will of its own, prescribed or animated.
  [[nodiscard]] bool landed() const { return landed_; }
  [[nodiscard]] bool driven() const { return driven_; }
  // Velocities become the nearest that the rows allow which held at the end of the last attempt, joints and bounds. False
  // if a number is not finite.
  bool settle(State& state);

 private:
  using Six = StepSystem::Six;
  enum class Mode : std::uint8_t { Off, Holds, Gives, Slides };

  void begin(const State& state, double dt);
  void warm();
  void guess();
  bool evaluate();
  void chooseModes();
  void chooseMode(std::size_t r);
  void chooseSoft(std::size_t r);
  void chooseOneSided(std::size_t r);
  void chooseFriction(std::size_t r);
  void hold(std::size_t r, double off, double loosely);
  void holdLoosely(std::size_t r, double off);
  void give(std::size_t r, double lambda, double slope, double lower, double upper);
  void fix(std::size_t r, double lambda);
  // Whether a row that is off by u holds, by the law of bounds; else `fix` has been told what it pushes with.
  bool staysWithin(std::size_t r, double off, double lower, double upper, double slack);
  [[nodiscard]] double residual();
  bool factorise();  // Newton's matrix
  void holdWhereTheyAre();
  bool improve();
  void move();
  void commit(State& state, StepReport& report);
  void pushSettled(const Rows& rows, const State& state);
  [[nodiscard]] double mobilityOf(const Row& row) const;

  StageClock* clock_;
  const Mechanism* m_ = nullptr;
  const Control* control_ = nullptr;
  const StepSettings* settings_ = nullptr;
  bool over_ = true;                // Forces::OverStep
  double dt_ = 0, a_ = 2, h2_ = 0;  // h2 = dt²/a
  double give_ = 0,
         loosely_ = 0;  // compliance of rows that hold, and how loosely they do, in mobilities
  bool toggled_ = false, stuck_ = false, stiff_ = false;
  int calm_ = 0;  // iterations since a row came to hold or ceased to
  bool landed_ = false, driven_ = false, fresh_ = true;
  double rowsOff_ = 0;
  double error_ = 0, slip_ = 0;  // what exact joints are open by, and what slips over the step
  bool loaded_ = false;          // there is a matrix
  std::uint64_t made_ = 0;       // all_.made() of the last one

  State start_, middle_, end_;
  std::vector<Vec3> theta_, L0_, L1_;
  Rotors rotors_;
  StepRows all_;
  Rows& rows_ = all_.rows;
  std::vector<StepSystem::RowPart> parts_;
  std::vector<Mode> mode_;
  std::vector<Bounded> bounded_;
  std::vector<std::uint8_t> toggles_;
  std::vector<std::uint8_t> exact_;  // joints that do not yield, and what is prescribed
  bool anyBounds_ = false;           // hard ones
  std::vector<double> mobility_, nu_, increment_, bySlot_;
  std::vector<double> warm_;   // by slot, of the step before
  std::vector<double> total_;  // what the law of bounds takes for multipliers: at first these
  std::vector<Wrench> loads_;
  std::vector<LoadSlope> slopes_;
  std::vector<Mat3> turnedInertia_;   // I R_0ᵀ
  std::vector<Mat3> axes_;            // of solids at the end
  std::vector<Mat3> inverseInertia_;  // in world axes, where the first look at the end was
  std::vector<Six> push_, inertia_, delta_, right_;
  StepSystem system_;
};

}  // namespace tenon
