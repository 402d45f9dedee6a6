// A step of trees of solids, solved for its end by Newton's method: the equations of methods/end_solve.h
// in the unknowns that are left when joints hold their points together by construction.
//
// Positions follow from the turns, root to leaves,
//   Δx = Δx_p + Δ(other) - Δ(own) + gap,                          own, other: levers of the joint
// and the joints' forces from the positions, leaves to root: f = m (Δx - drift) + Σ f of the children.
// What is left to solve is the balance of torques about each centre of mass,
//   ρ = T + Σ (s_c × f_c + τ_c) - s × f = τ,                      T = dt/a (L_1 - L_0)
// where s is the lever at the end, or the mean of those of start and end. τ is what a joint that locks
// turns pushes with, along n̄ = w̄ × ū of its rows u · w = 0; of a ball it is 0. Forces that turn with the
// levers are differentiated too: all of it is Newton's method, and converges like it.
//
// Elimination goes from the leaves to the root, 3×3 by 3×3. With f and F_t = T + Σ … changing by
//   δf = xx δx + xt δ,   δF_t = tx δx + tt δ,    δx = c + own × δ,   c = δx_p + δ_p × other,
// a ball's turn is δ = D⁻¹ (E c - ρ). One that locks turns moves with its parent but for the axes A that
// are free:  δ = δ_p + A y + e, where e mends its errors, and the rows of the torque along Ā, across all n̄,
// give y. Only the parent's c and δ_p are left, and what the subtree asks of it goes up.
//
// A joint that is loaded turns its solid with t, and its parent with -t: t = λ n̄ of the rules on the angle of a pin, and
// damping. So ρ = τ + t, where t changes by K_o δ + K_p δ_p: D and what the parent's turn does change by that, and a ball
// that is loaded is one that locks no turn. A limit that is reached, friction that sticks and what is prescribed push with
// a multiplier of their own, which is found along with the turns.
//
// Loads stand out of line: most figures have few, and the code that a browser loads is shorter.
//
// This file is compiled once for every kind of machine. Everything in it is local to its file.
#pragma once

#include "packed/multipliers.h"
#include "packed/tree.h"
#include "packed/tree_border.h"
#include "packed/turn.h"
#include "solve/bounds.h"

namespace tenon::packed {
namespace {

template <class R, bool Over>
class TreeKernel : SolvedWhen<Over> {
  friend class TreeBorder<TreeKernel>;

 public:
  using Number = R;
  TreeKernel(const TreeFigures<R>& figures, const KernelSettings& settings,
             const StatePointers& state, bool over = Over)
      : SolvedWhen<Over>(over),
        t_(figures),
        set_(settings),
        state_(state),
        first_(figures.led ? 1 : 0) {
    h_ = gather<R>([this](int i) { return set_.dt[i]; });
    h2_ = number<R>(1 / kA) * (h_ * h_);
    perStep_ = number<R>(1) / h_;
  }

  TreeOutcome run() {
    TreeOutcome outcome;
    const Mask open = load();
    for (int i = 0; i < kWidth; ++i)
      if (laneOf(open, i)) outcome.open |= 1u << i;
    Mask active = place(outcome);
    for (int i = 0; i < kWidth; ++i)
      if ((set_.lanes >> i & 1u) == 0 || laneOf(open, i)) setOff(active, i);
    Mask converged = none();
    const R one = number<R>(1), tolerance2 = number<R>(set_.tolerance * set_.tolerance);
    R last2 = one;  // change of the iteration before, squared
    int most[kWidth];
    for (int& ofLane : most) ofLane = set_.most;
    for (int k = 0; any(active); ++k) {
      // What slides begins far from where it ends, and its slopes follow the force: those of the first look overshoot.
      // At the end of a step what is prescribed is pushed with too roughly by old matrices.
      const bool fresh =
          t_.anyKinked || isFresh(k) || (t_.slides && k < 2) || (!kOver && t_.anyPrescribed);
      // Where a limit holds, only new matrices know it: others wait.
      Mask moving = active;
      if (t_.anyBounded) {
        if (!fresh) moving = withoutKinks(active);
        if (!any(moving)) continue;
        toggled_ = number<R>(0);
        taking_ = moving;
        looked_ = false;
      }
      if (fresh)
        eliminate<true>();
      else
        eliminate<false>();
      if (t_.anyBounded) {
        if (!fresh) moving = withoutKinks(moving);
        loose_ = choose(
            taking_,
            choose(toggled_ > number<R>(0), number<R>(kLooseness), number<R>(kFade) * loose_),
            loose_);
      }
      if (t_.linkCount > 0) border_.solve(fresh, moving);
      const R change2 = improve(moving);
      // Newton's method squares what is left: it becomes C δ², and C shows in the last two. With the matrices
      // of the iteration before it shrinks as it just did.
      const R ratio2 = change2 / larger(last2, number<R>(1e-300));  // what rests stays
      R left2;
      if (fresh)
        left2 = larger(k > 0 ? ratio2 / last2 : one, one) * (change2 * change2);
      else
        left2 = number<R>(4) * ratio2 * change2;
      // The slopes of loads leave out what is of the order of θ²: they converge as matrices that are kept.
      if (t_.anyLoaded || t_.anyPushed || t_.linkCount > 0) {
        const R more = k > 0 ? larger(left2, number<R>(4) * ratio2 * change2) : one;
        left2 = choose(loaded_ > number<R>(0), more, left2);
      }
      const Mask good = left2 <= (k > 0 ? tolerance2 : number<R>(kSure2) * tolerance2);
      const Mask small = change2 <= number<R>(kMostChange2);
      const Mask closed = worst2_ <= number<R>(set_.closed * set_.closed);
      Mask done = none();
      for (int i = 0; i < kWidth; ++i) {
        if (!laneOf(moving, i)) continue;
        ++outcome.iterations[i];
        if (lane(toggled_, i) > 0 && set_.patient)
          most[i] = least(outcome.iterations[i] + set_.most, kMostOfAll);
        if (!laneOf(within_, i) || !laneOf(small, i) || lane(stuck_, i) > 0)
          setOff(active, i);
        else if (laneOf(good, i) && laneOf(closed, i))
          setOn(done, i);
        else if (outcome.iterations[i] >= most[i])
          setOff(active, i);
      }
      if (any(done)) {
        R unsettled = number<R>(0);
        if (t_.anyBounded) unsettled = lookAtBounds(done);
        for (int i = 0; i < kWidth; ++i) {
          if (!laneOf(done, i)) continue;
          if (lane(unsettled, i) > 0) {
            if (outcome.iterations[i] >= most[i]) setOff(active, i);
            continue;
          }
          setOff(active, i);
          setOn(converged, i);
        }
      }
      last2 = choose(moving, change2, last2);
    }
    for (int i = 0; i < kWidth; ++i)
      if (laneOf(converged, i)) outcome.done |= 1u << i;
    // What the last iteration of others has left in lanes that were done before is looked at again.
    if (t_.anyBounded && outcome.done != 0 && !looked_) lookAtBounds(none());
    unsigned settled = 0;
    for (int i = 0; i < kWidth && looked_ && kOver; ++i)
      if (lane(landed_, i) > 0) settled |= 1u << i;
    settled &= outcome.done;
    if (t_.anyRotors) {  // rows settle these
      outcome.open |= settled;
      outcome.done &= ~settled;
      settled = 0;
    }
    unsigned caught = 0;
    if (t_.linkCount > 0) {
      caught = outcome.done & border_.landed();
      if (t_.settling == nullptr) outcome.open |= caught;
      outcome.done &= ~outcome.open;
    }
    if (outcome.done != 0) finish(outcome.done, outcome.work);
    if (kOver) {
      if (settled != 0) settleHeld(settled, outcome.work);
      if (t_.settling != nullptr && caught != 0) border_.settle(caught, outcome.work);
    }
    return outcome;
  }

 private:
  using Mask = MaskOf<R>;
  static constexpr int kWidth = NumberOf<R>::lanes;
  using SolvedWhen<Over>::kOver, SolvedWhen<Over>::kA, SolvedWhen<Over>::kMean;
  static constexpr double kMostChange2 = 1;  // [rad²] of an iteration
  static constexpr double kSure2 = 1e-4;     // where there is but one change to judge by
  static constexpr double kOpen = 1e-8;      // [m], [rad]
  static constexpr double kStill = 1e-6;  // [rad] below it, the direction of a change tells nothing

  // Whether an iteration makes its matrices anew. By number, so that a lane does what it would do alone. Where rules act on joints
  // matrices cost more, and are exact to θ² only: over a step those of the second iteration serve three more.
  [[nodiscard]] bool isFresh(int k) const {
    if (!kOver) return k == 0 || k % 3 == 2;
    return k < 2 || (t_.anyLoaded && !t_.anyBounded ? k % 4 == 1 : k % 3 == 2);
  }

  static constexpr double kHold = 1e-8;  // b of what holds
  static constexpr int kMostOfAll = 40;  // iterations
  // Of velocities: b, how often they are solved for at most, and what may be left of the first change, squared.
  static constexpr double kHoldSettling = 2e-6;
  static constexpr int kMostSettling = 4;
  static constexpr double kSettled2 = 1e-20;

  static constexpr int least(int a, int b) { return a < b ? a : b; }
  TENON_KERNEL Mask withoutKinks(Mask mask) const {
    for (int i = 0; i < kWidth; ++i)
      if (lane(kinked_, i) > 0) setOff(mask, i);
    return mask;
  }

  TENON_KERNEL const R& dt() const { return h_; }
  static Mask none() {
    if constexpr (kWidth == 1)
      return false;
    else
      return Mask{};
  }
  static void setOff(Mask& mask, int i) {
    if constexpr (kWidth == 1)
      mask = false;
    else
      mask[i] = 0;
  }
  static void setOn(Mask& mask, int i) {
    if constexpr (kWidth == 1)
      mask = true;
    else
      mask[i] = -1;
  }
  static bool any(const Mask& mask) {
    for (int i = 0; i < kWidth; ++i)
      if (laneOf(mask, i)) return true;
    return false;
  }
  TENON_KERNEL V3<R> mean(const V3<R>& a, const V3<R>& b) const {
    if (kOver)
      return number<R>(0.5) * (a + b);
    else
      return b;
  }

  // ------------------------------------------------------------------------------- start of a step

  // Returns which figures have joints that are open.
  Mask load() {
    R off = number<R>(0);
    const auto note = [&off](const R& error2) { off = choose(error2 <= off, off, error2); };
    const R h = dt();
    const R h2 = number<R>(1 / kA) * (h * h);
    const V3<R> fall{h2 * number<R>(set_.gravity.x), h2 * number<R>(set_.gravity.y),
                     h2 * number<R>(set_.gravity.z)};
    if (t_.led) loadGround();
    for (int n = first_; n < t_.count; ++n) {
      const TreeNode& node = t_.nodes[n];
      const TreeSolid<R>& solid = t_.solids[n];
      TreeBody<R>& body = t_.bodies[n];
      const auto solidAt = [this, n](int i) { return t_.solid[i][n]; };
      const V3<R> v = gatherVectors<R>([&](int i) { return state_.velocity[solidAt(i)]; });
      const V3<R> spin = gatherVectors<R>([&](int i) { return state_.spin[solidAt(i)]; });
      const M3<R> A =
          matrixOf(gatherTurns<R>([&](int i) { return state_.orientation[solidAt(i)]; }));
      body.lessOne = A;  // for its children, until it turns
      body.inertia = turned(A, solid.inertia);
      body.momentum = (number<R>(1 / kA) * h) * (body.inertia * spin);
      body.drift = h * v + solid.gravity * fall;
      body.theta = h * spin;
      body.move = body.drift;  // of a free root
      body.gap = body.shift = zero3<R>();
      if (node.pushed) loadWrench(n, A);
      if (n == 0 && t_.freeRoot) {
        body.carried = gatherVectors<R>([&](int i) { return state_.position[solidAt(i)]; });
        continue;
      }
      const auto parentAt = [this, n, &node](int i) {
        return n > 0 ? t_.solid[i][node.parent] : *t_.ground[i];
      };
      const M3<R> P = n > 0 ? t_.bodies[node.parent].lessOne : matrixOf(gatherTurns<R>([&](int i) {
        return state_.orientationOf(parentAt(i));
      }));
      const V3<R> x = gatherVectors<R>([&](int i) { return state_.position[solidAt(i)]; });
      const V3<R> xp =
          isLed(n) ? t_.led->place
          : n > 0  ? t_.bodies[node.parent].carried
                   : gatherVectors<R>([&](int i) { return state_.positionOf(parentAt(i)); });
      body.carried = x;  // for its children, too
      body.own0 = A * solid.own;
      body.other0 = P * solid.other;
      body.gap = (xp + body.other0) - (x + body.own0);
      if (node.slides != 0) loadSlide(n, node.childIsFirst ? A : P);
      note(dot(body.gap, body.gap));
      if (n > 0) body.gap += t_.bodies[node.parent].gap;
      if (node.locked > 0) {
        const TreeAxes<R>& axes = t_.axes[n];
        TreeTurns<R>& turns = t_.turns[n];
        const M3<R>& first = node.childIsFirst ? A : P;
        const M3<R>& second = node.childIsFirst ? P : A;
        for (int k = 0; k < node.locked; ++k) {
          turns.u0[k] = first * axes.u[k];
          turns.w0[k] = second * axes.w[k];
          const R error = dot(turns.u0[k], turns.w0[k]);
          note(error * error);
        }
        // Dot products vanish for opposed axes, too.
        if (node.locked >= 2) {
          const V3<R> axis = node.locked == 2 ? cross(turns.u0[0], turns.u0[1]) : turns.u0[0];
          const R cosine = dot(axis, node.locked == 2 ? turns.w0[0] : turns.w0[2]);
          const R opposed = number<R>(1) - cosine;
          note(opposed * opposed);
          if (node.locked == 3) {
            const R turned = number<R>(1) - dot(turns.u0[1], turns.w0[0]);
            note(turned * turned);
          }
        }
      }
      if (node.muscled) t_.loads[n].muscle0 = (node.childIsFirst ? A : P) * t_.loads[n].muscle;
      if (node.loaded) loadRules(n);
      if (!kOver) recall(n, node.childIsFirst ? A : P);
    }
    if (t_.linkCount > 0) note(border_.load());
    const double open = larger(kOpen, 10 * set_.closed);
    return larger(off, startOff2_) > number<R>(open * open);
  }

  // What the joint pushed with in the step before, as torques on the solid and its parent: body.shift.
  TENON_KERNEL void recall(int n, const M3<R>& first) {
    const TreeNode& node = t_.nodes[n];
    TreeBody<R>& body = t_.bodies[n];
    const auto from = [this, n](int i) { return state_.multiplier + t_.slot[i][n]; };
    const R scale = number<R>((node.childIsFirst ? -1 : 1) / kA) * (dt() * dt());
    const auto inWorld = [&](const V3<R>& v) {
      return scale * (first * (node.straight ? v : matrixOf(t_.solids[n].frame) * v));
    };
    V3<R> force = zero3<R>();
    if (node.slides == 0)
      force = inWorld(gatherVectors<R>([&](int i) {
        return Vec3{from(i)[0], from(i)[1], from(i)[2]};
      }));
    else
      force = inWorld(recalledOfSlide(n));
    body.shift += cross(body.own0, force);
    V3<R> onParent = cross(body.other0, force);
    if (node.locked > 0 || node.rules > 0) {
      V3<R> torque;
      if (node.locked == 0) {
        torque = t_.loads[n].idle ? zero3<R>() : scale * recalledOfBall(n);
      } else if (node.locked == 1) {
        const TreeTurns<R>& turns = t_.turns[n];
        torque = (scale * gather<R>([&](int i) { return from(i)[node.moves]; })) *
                 cross(turns.w0[0], turns.u0[0]);
      } else {
        torque = inWorld(gatherVectors<R>([&](int i) {
          const V3<double> t = loadTorque(node.locked, node.axis, from(i) + node.moves);
          return Vec3{t.x, t.y, t.z};
        }));
      }
      if (hasPinRules(node) && !t_.loads[n].idle) {
        R lambda[kBallCoordinates];
        recalled(n, lambda);
        torque += (scale * lambda[0]) * t_.loads[n].axis0;
      }
      body.shift += torque;
      onParent += torque;
    }
    if (n > 0) t_.bodies[node.parent].shift += number<R>(-1) * onParent;
  }

  // --------------------------------------------------------------------------------- loads of solids

  TENON_OUT_OF_LINE void loadWrench(int n, const M3<R>& A) {
    const TreeNode& node = t_.nodes[n];
    TreeWrench<R>& wrench = t_.wrenches[n];
    wrench.steady = !any(wrench.follows > number<R>(0));
    if (wrench.steady) return;
    loaded_ = choose(wrench.follows > number<R>(0), number<R>(1), loaded_);
    wrench.ownForce0 = A * wrench.ownForce;
    wrench.ownTorque0 = A * wrench.ownTorque;
    wrench.moment0 = A * wrench.moment;
    const V3<R> x = gatherVectors<R>([&](int i) { return state_.position[t_.solid[i][n]]; });
    for (Index k = node.firstTie; k < node.firstTie + node.ties; ++k) {
      TreeTie<R>& tie = t_.ties[k];
      tie.lever0 = A * tie.point;
      tie.d0 = (x + tie.lever0) - tie.anchor0;
    }
  }

  // What a turn has done at the time at which loads are taken, less one: halfway over the step, which for Cayley's θ is
  // θ / (1 + √(1 + θ²/4)), or at its end.
  TENON_KERNEL M3<R> turnAtLoads(const V3<R>& theta, const M3<R>& lessOne) const {
    if (kOver) {
      const R one = number<R>(1);
      const R half = one / (one + squareRootOf(one + number<R>(0.25) * dot(theta, theta)));
      return turnLessOne(kOver, half * theta);
    } else {
      return lessOne;
    }
  }

  // Force and torque on a solid, how they change with its displacement and turn at the end, and the energy that its
  // springs have gained.
  struct Pushed {
    V3<R> force, torque;
    M3<R> xx, xt, tx, tt;
    R stored;
  };
  TENON_OUT_OF_LINE Pushed pushed(int n, bool slopes) {
    const TreeNode& node = t_.nodes[n];
    const TreeWrench<R>& wrench = t_.wrenches[n];
    const TreeBody<R>& body = t_.bodies[n];
    const R no = number<R>(0), one = number<R>(1), kappa = number<R>(kMean);
    const R perStep = one / dt();
    const M3<R> turn = turnAtLoads(body.theta, body.lessOne);
    const V3<R> ownForce = wrench.ownForce0 + turn * wrench.ownForce0;
    const V3<R> ownTorque = wrench.ownTorque0 + turn * wrench.ownTorque0;
    const M3<R> moment = wrench.moment0 + turn * wrench.moment0;
    // Drag: -(c + c' |v|) v and -c ω, of mean velocities.
    const V3<R> v = perStep * body.move;
    const R speed = squareRootOf(dot(v, v)), resist = wrench.linear + wrench.quadratic * speed;
    Pushed p;
    p.stored = no;
    p.force = (wrench.force + ownForce) - resist * v;
    p.torque =
        ((wrench.torque + ownTorque) +
         V3<R>{moment.r1.z - moment.r2.y, moment.r2.x - moment.r0.z, moment.r0.y - moment.r1.x}) -
        (perStep * wrench.angular) * body.theta;
    if (slopes) {
      p.xx = outer((no - perStep * wrench.quadratic / (speed + number<R>(1e-30))) * v, v);
      addToDiagonal(no - perStep * resist, p.xx);
      p.tx = p.xt = zeroMatrix<R>();
      addSkew((no - kappa) * ownForce, p.xt);
      // (δ × p) × F = (p Fᵀ - p·F) δ
      p.tt = kappa * moment;
      addToDiagonal((no - kappa) * (moment.r0.x + moment.r1.y + moment.r2.z), p.tt);
      addSkew((no - kappa) * ownTorque, p.tt);
      addToDiagonal(no - perStep * wrench.angular, p.tt);
      addSkew((number<R>(0.5) * perStep * wrench.angular) * body.theta, p.tt);
    }
    for (Index k = node.firstTie; k < node.firstTie + node.ties; ++k)
      addTie(n, t_.ties[k], slopes, p);
    return p;
  }
  TENON_KERNEL void addTie(int n, TreeTie<R>& tie, bool slopes, Pushed& p) {
    const TreeBody<R>& body = t_.bodies[n];
    const R no = number<R>(0), kappa = number<R>(kMean);
    const V3<R> turned = body.lessOne * tie.lever0, r1 = tie.lever0 + turned;
    const V3<R> s = mean(tie.lever0, r1);
    const V3<R> d1 = tie.d0 + ((body.move + turned) - (tie.anchor1 - tie.anchor0));
    const SpringPull pull =
        springPull(tie.stiffness, tie.damping, tie.rest, tie.straight, tie.d0, d1);
    const V3<R>& F = tie.pull = pull.force;
    p.force += F;
    p.torque += cross(s, F);
    // Of what is no spring of the scene nothing is counted.
    p.stored = p.stored + tie.straight * pull.stored;
    if (slopes) {
      const M3<R>& D = pull.slope;
      const M3<R> DL = timesSkew(D, r1);
      p.xx += D;
      p.xt -= DL;
      p.tx += skewTimes(s, D);
      p.tt -= skewTimes(s, DL);
      p.tt += outer(kappa * r1, F);
      addToDiagonal((no - kappa) * dot(r1, F), p.tt);
    }
  }
  // F = -k (1 - 2 L/S) d̄ - c (d̄·Δd)/(dt |d̄|²) d̄, S = 2 (mean length): loads/over_step.cpp. Where it is not straight,
  // L = 0. How it changes with d at the end, and what it stores, ½ k (L - rest)².
  struct SpringPull {
    V3<R> force;
    M3<R> slope;
    R stored;
  };
  TENON_OUT_OF_LINE SpringPull springPull(const R& stiffness, const R& damping, const R& length,
                                          const R& straight, const V3<R>& d0,
                                          const V3<R>& d1) const {
    const R no = number<R>(0), one = number<R>(1), kappa = number<R>(kMean);
    const V3<R> d = mean(d0, d1);
    const R L0 = squareRootOf(dot(d0, d0)), L1 = squareRootOf(dot(d1, d1));
    const R S = kOver ? L0 + L1 : number<R>(2) * L1, square = dot(d, d), tiny = number<R>(1e-140);
    const Mask apart = smaller(smaller(L1, S), square) > tiny;
    const R safeS = choose(apart, S, one), safeSquare = choose(apart, square, one);
    const R rest = choose(apart, length, no);
    const R factor = stiffness * (one - number<R>(2) * rest / safeS);
    const R resist = choose(apart, damping / (dt() * safeSquare), no);
    // A spring whose ends coincide has no line to act along.
    const R acts = choose(apart, one, one - straight);
    SpringPull pull;
    pull.force = (acts * (no - factor - resist * dot(d, d1 - d0))) * d;
    const R from = L0 - rest, to = L1 - rest;
    pull.stored = (number<R>(0.5) * stiffness) * (to * to - from * from);
    const R bend =
        acts * number<R>(4 * kMean) * stiffness * rest / (safeS * safeS * choose(apart, L1, one));
    pull.slope = outer((no - bend) * d, d1);
    pull.slope -= outer((acts * resist) * d, d);
    addToDiagonal(no - kappa * acts * factor, pull.slope);
    return pull;
  }
  TENON_KERNEL static R smaller(const R& a, const R& b) { return choose(a < b, a, b); }

  // --------------------------------------------------------------------------------- loads of joints

  TENON_KERNEL static bool hasPinRules(const TreeNode& node) {
    return node.rules > 0 && node.locked > 0;
  }
  // A multiplier of a rule: of its lower bound, of its upper.
  TENON_KERNEL R remembered(int n, Index rule, Index side) const {
    const TreeNode& node = t_.nodes[n];
    return gather<R>([&](int i) {
      return state_.multiplier[t_.slot[i][n] + 3 + node.locked + 2 * rule + side];
    });
  }

  // Σ λ of the rules in the step before, by coordinate.
  TENON_OUT_OF_LINE void recalled(int n, R* lambda) const {
    const TreeNode& node = t_.nodes[n];
    for (int c = 0; c < kBallCoordinates; ++c) lambda[c] = number<R>(0);
    for (Index r = 0; r < node.rules; ++r) {
      const TreeRuleShape& shape = t_.ruleShapes[node.firstRule + r];
      R& sum = lambda[node.locked > 0 ? 0 : shape.coordinate];
      sum = sum + remembered(n, r, 0);
      if (shape.kind != TreeRuleKind::Rotor) sum = sum - remembered(n, r, 1);
    }
  }

  // Of the start: coordinates, and where rules stand that are bounded.
  TENON_OUT_OF_LINE void loadRules(int n) {
    const TreeNode& node = t_.nodes[n];
    TreeLoad<R>& load = t_.loads[n];
    const R no = number<R>(0), one = number<R>(1);
    load.torque = load.late = zero3<R>();
    load.idle = false;
    if (!node.limitsOnly) loaded_ = one;
    if (node.rules == 0) return;
    load.awake = one;
    if (node.limitsOnly) {  // where none pushed, they are looked at when the step is done
      load.awake = no;
      for (Index r = 0; r < node.rules; ++r)
        load.awake = choose(remembered(n, r, 0) + remembered(n, r, 1) > no, one, load.awake);
      load.idle = !any(load.awake > no);
    }
    for (Index r = 0; r < node.rules; ++r) {
      const TreeRuleKind kind = t_.ruleShapes[node.firstRule + r].kind;
      if (!isBounded(kind)) continue;
      TreeRule<R>& rule = t_.rules[node.firstRule + r];
      const R last = remembered(n, r, 0) - remembered(n, r, 1);
      const R side = choose(last > no, one, choose(last < no, number<R>(-1), no));
      rule.push = kOver ? no : last;
      rule.changes = rule.lambda = rule.slope = no;
      // A limit that pushed is taken to push again; what it pushes with shows. What slid is taken to slide again.
      rule.stands = side;
      if (kind == TreeRuleKind::Friction) {
        const R rim = side * rule.most;
        const Mask slid = last * last >= rule.most * rule.most;
        rule.stands = choose(slid, side, no);
        rule.push = choose(slid, rim, rule.push);
      } else if (kind != TreeRuleKind::Limit) {
        rule.stands = no;
      }
    }
    if (node.locked == 0) loadFrames(n);
    if (!load.idle) wakeUp(n);
  }
  // What is needed of a joint on which something acts.
  TENON_OUT_OF_LINE void wakeUp(int n) {
    const TreeNode& node = t_.nodes[n];
    TreeLoad<R>& load = t_.loads[n];
    load.idle = false;
    if (node.bounded) {
      load.yields = inverse(full(t_.bodies[n].inertia));
      if (n > 0) load.yields += inverse(full(t_.bodies[node.parent].inertia));
    }
    if (node.locked == 0) {
      loadBall(n);
      // Lanes that go on with the matrices that are there had nothing act here.
      t_.turns[n].U = t_.turns[n].D = zeroMatrix<R>();
    } else {
      load.axis0 = cross(t_.turns[n].u0[0], t_.turns[n].u0[1]);
      load.angle0 = counted(n, pinAngle(n));
    }
    // What is prescribed and starts elsewhere is open, as a joint may be.
    for (Index r = node.firstRule; r < node.firstRule + node.rules; ++r) {
      if (t_.ruleShapes[r].kind != TreeRuleKind::Prescribe) continue;
      const R& from = node.locked > 0 ? load.angle0 : t_.balls[n].from[t_.ruleShapes[r].coordinate];
      const R off = from - t_.rules[r].target0;
      startOff2_ = larger(startOff2_, off * off);
    }
  }
  // The angle of a pin at the start.
  TENON_KERNEL R pinAngle(int n) const {
    const TreeNode& node = t_.nodes[n];
    const TreeTurns<R>& turns = t_.turns[n];
    const Q4<R> second =
        node.childIsFirst
            ? (isLed(n) ? t_.led->turn0 : turnOfParent(n))
            : gatherTurns<R>([&](int i) { return state_.orientation[t_.solid[i][n]]; });
    const V3<R> mark = matrixOf(second) * t_.loads[n].mark;
    return angleOf(dot(turns.u0[1], mark), dot(turns.u0[0], mark));
  }
  // With the turns that were counted; what is no number has not been counted yet.
  TENON_KERNEL R counted(int n, const R& angle) const {
    const R known = gather<R>([&](int i) { return state_.memory[t_.memory[i][n]]; });
    constexpr double kTurn = 6.283185307179586477, kRound = 6755399441055744.0;  // 1.5 · 2⁵²
    const R turned =
        ((number<R>(1 / kTurn) * (known - angle)) + number<R>(kRound)) - number<R>(kRound);
    return choose(known == known, angle + number<R>(kTurn) * turned, angle);
  }

  // The angle of (cosine x, sine y) in (-π, π]:  2 atan(y / (r + |x|)), from the other side if x < 0.
  TENON_KERNEL static R angleOf(const R& y, const R& x) {
    const R no = number<R>(0), r = squareRootOf(x * x + y * y);
    const R size = choose(x < no, no - x, x);
    const R half = number<R>(2) * arcTangent(y / (r + size));
    const R straight =
        choose(y < no, number<R>(-3.141592653589793116), number<R>(3.141592653589793116));
    return choose(x < no, straight - half, half);
  }
  // atan(x)/x for |x| <= 1, by halving the angle twice: atan(x) = 2 atan(x / (1 + √(1 + x²))).
  TENON_KERNEL static R arcTangentOver(const R& x) {
    const R one = number<R>(1);
    const R a = one / (one + squareRootOf(one + x * x)), y = x * a;
    const R b = one / (one + squareRootOf(one + y * y)), z = y * b;
    constexpr double kSeries[] = {1.0 / 25,  -1.0 / 23, 1.0 / 21,  -1.0 / 19, 1.0 / 17,
                                  -1.0 / 15, 1.0 / 13,  -1.0 / 11, 1.0 / 9,   -1.0 / 7,
                                  1.0 / 5,   -1.0 / 3,  1.0};
    return number<R>(4) * (a * b) * polynomial<R>(kSeries, z * z);
  }
  TENON_KERNEL static R arcTangent(const R& x) { return x * arcTangentOver(x); }

  // How far the pin has turned about its axis, this solid against the parent. Over the step the two turn by Cayley's θ
  // and θ_p, and both carry a_0 to a_1: so θ - θ_p = s ā, and of the quaternions conj(q_p) q has the vector s/2 a_0
  // and w = 1 + |θ_p|²/4 + s θ_p·ā/4. The angle is 2 atan(s / 2w), and n̄ · (θ - θ_p) is that, exactly.
  struct PinTurn {
    V3<R> end;  // the axis at the end
    V3<R> mean;
    R angle, rate;  // rate times dt
  };
  TENON_OUT_OF_LINE PinTurn pinTurn(int n) const {
    const TreeTurns<R>& turns = t_.turns[n];
    const V3<R>& theta = t_.bodies[n].theta;
    const V3<R> thetaP = n > 0 ? t_.bodies[t_.nodes[n].parent].theta : zero3<R>();
    const V3<R> between = theta - thetaP;
    const R one = number<R>(1);
    PinTurn pin;
    pin.end = cross(turns.u1[0], turns.u1[1]);
    if (kOver) {
      const V3<R> axis = number<R>(0.5) * (cross(turns.u0[0], turns.u0[1]) + pin.end);
      const R square = dot(axis, axis), s = dot(between, axis) / square;
      const R w = one + number<R>(0.25) * (dot(thetaP, thetaP) + s * dot(thetaP, axis));
      const R ratio = arcTangentOver(s / (number<R>(2) * w)) / w;
      pin.angle = s * ratio;
      pin.mean = (ratio / square) * axis;
      pin.rate = pin.angle;
    } else {
      const TurnQuaternion<R> q = turnQuaternion(kOver, theta), p = turnQuaternion(kOver, thetaP);
      const V3<R> v = p.w * q.v - q.w * p.v - cross(p.v, q.v);
      const R w = p.w * q.w + dot(p.v, q.v), along = dot(v, cross(turns.u0[0], turns.u0[1]));
      pin.angle = number<R>(2) * angleOf(along, w);
      pin.mean = pin.end;
      pin.rate = dot(between, pin.end);
    }
    return pin;
  }

  // What a rule is about: a coordinate at the start and at the end, its mean rate times dt, how it changes with turns of
  // solid 2 against solid 1 at the end.
  struct Coordinate {
    R from, to, moved;
    V3<R> end;
  };
  // λ of a rule, and -dλ/dc; both are kept. `bend` is the multiplier whose torque turns with the solids: of what holds it
  // is p, and not λ = p - u/(b w), which is large until u is 0.
  struct RulePush {
    R lambda, slope, bend;
  };
  TENON_KERNEL RulePush pushOf(int n, Index r, const Coordinate& c) {
    const TreeRuleKind kind = t_.ruleShapes[r].kind;
    TreeRule<R>& rule = t_.rules[r];
    const RulePush push =
        kind == TreeRuleKind::Soft ? soft(TreeRuleKind::Soft, rule, c) : otherPush(n, r, c);
    rule.lambda = push.lambda;
    rule.slope = push.slope;
    return push;
  }
  TENON_OUT_OF_LINE RulePush otherPush(int n, Index r, const Coordinate& c) {
    const TreeRuleKind kind = t_.ruleShapes[r].kind;
    return isBounded(kind) ? bounded(n, kind, t_.rules[r], c) : unboundedPush(kind, t_.rules[r], c);
  }
  // Of what is bounded nothing: where that holds, rows are asked.
  TENON_OUT_OF_LINE RulePush unboundedPush(TreeRuleKind kind, const TreeRule<R>& rule,
                                           const Coordinate& c) const {
    const R no = number<R>(0);
    if (isBounded(kind)) return {no, no, no};
    return kind == TreeRuleKind::Prefer ? preferred(rule, c) : soft(kind, rule, c);
  }
  TENON_KERNEL RulePush soft(TreeRuleKind kind, const TreeRule<R>& rule,
                             const Coordinate& c) const {
    const R no = number<R>(0), perStep = perStep_;
    if (kind == TreeRuleKind::Rotor) {
      const R slope = (number<R>(kA) * perStep * perStep) * rule.stiffness;
      const R lambda = slope * (h_ * rule.rate - (c.to - c.from));
      return {lambda, slope, lambda};
    }
    const R to = c.to - rule.target1;
    const R off = kOver ? number<R>(0.5) * ((c.from - rule.target0) + to) : to;
    const R rate = kOver ? perStep * ((c.to - c.from) - (rule.target1 - rule.target0))
                         : perStep * c.moved - rule.rate;
    const R lambda = no - rule.stiffness * off - rule.damping * rate;
    const R slope = number<R>(kMean) * rule.stiffness + perStep * rule.damping;
    const R least = no - rule.most;
    const R most = choose(lambda > rule.most, rule.most, choose(lambda < least, least, lambda));
    return {most, choose(lambda > rule.most, no, choose(lambda < least, no, slope)), most};
  }
  TENON_KERNEL RulePush preferred(const TreeRule<R>& rule, const Coordinate& c) const {
    const R from = kOver ? c.from : c.to - c.moved;
    const RulePush up = beyond(rule, from - rule.lower, c.to - rule.lower);
    const RulePush down = beyond(rule, rule.upper - from, rule.upper - c.to);
    const R lambda = up.lambda - down.lambda;
    return {lambda, up.slope + down.slope, lambda};
  }
  // Beyond one bound, Φ >= 0 being within: U = k/2 in², in = min(0, Φ), and its discrete derivative; damped by how `in`
  // changes.
  TENON_KERNEL RulePush beyond(const TreeRule<R>& rule, const R& from, const R& to) const {
    const R no = number<R>(0);
    const R in0 = choose(from < no, from, no), in1 = choose(to < no, to, no);
    R lambda = no - rule.stiffness * in1, slope = choose(to < no, rule.stiffness, no);
    if (kOver) {
      const R change = to - from, tiny = number<R>(1e-12);
      const R energies = (number<R>(0.5) * rule.stiffness) * (in1 * in1 - in0 * in0);
      const Mask moves = change * change > tiny * tiny;
      const R safe = choose(moves, change, number<R>(1));
      lambda = choose(moves, no - energies / safe, lambda);
      slope = choose(moves, (rule.stiffness * in1 * change - energies) / (safe * safe),
                     number<R>(0.5) * slope);
    }
    lambda = lambda - rule.damping * (perStep_ * (in1 - in0));
    slope = slope + choose(to < no, perStep_ * rule.damping, no);
    return {choose(lambda > rule.most, rule.most, choose(lambda < no, no, lambda)),
            choose(lambda > rule.most, no, choose(lambda < no, no, slope)), no};
  }

  // The law of bounds. What holds is u = 0, asked for by λ = p - u/(b w) with the total multiplier p that the last iteration
  // left: so u is off by b w δp after each iteration, and ends at 0. What comes and goes has a larger b for a while.
  // A limit is two rows of which one may hold: it stands at its lower bound (1), at its upper (-1), or clear of both.
  TENON_KERNEL RulePush bounded(int n, TreeRuleKind kind, TreeRule<R>& rule, const Coordinate& c) {
    const R no = number<R>(0), one = number<R>(1), minus = number<R>(-1);
    const R own = dot(c.end, t_.loads[n].yields * c.end);
    const R w = h2_ * choose(own > no, own, one);
    const R perW = one / w;
    R off, stands = no, fixed = no;
    Mask holds;
    if (kind == TreeRuleKind::Limit) {
      const R above = c.to - rule.lower, below = rule.upper - c.to;
      const R up = choose(rule.stands > no, rule.push, no),
              down = choose(rule.stands < no, no - rule.push, no);
      const R slack = number<R>(set_.closed) * perW, most = number<R>(__builtin_inf());
      const R low =
          standing(up - perW * above, choose(rule.stands > no, no, minus), no, most, slack, one);
      const R high =
          standing(down - perW * below, choose(rule.stands < no, no, minus), no, most, slack, one);
      stands = choose(low == no, one, choose(high == no, minus, no));
      stands = t_.loads[n].awake * stands;
      off = choose(low == no, above, no - below);
      const R stood = stands * stands;
      holds = stood > no;
      t_.loads[n].acting = larger(t_.loads[n].acting, stood);
      if (!peeking_) {
        kinked_ = choose(holds, choose(taking_, one, kinked_), kinked_);
        loaded_ = larger(loaded_, kinked_);
      }
    } else if (kind == TreeRuleKind::Friction) {
      off = kOver ? c.to - c.from : c.moved;
      const R least = no - rule.most;
      stands = standing(rule.push - perW * off, rule.stands, least, rule.most, no, one);
      stands = choose(rule.most > no, stands, one);
      holds = stands == no;
      fixed = stands * rule.most;
    } else {
      off = c.to - rule.target1;
      holds = off == off;
    }
    const Mask same = stands == rule.stands;
    if (peeking_) {
      const R far = off * off - number<R>(set_.closed * set_.closed);
      unsettled_ = choose(same, unsettled_, one);
      unsettled_ = choose(holds, choose(far <= no, unsettled_, one), unsettled_);
      if (kOver) {
        // What has come to hold has stopped what ran into it: from elsewhere, or from where it lay, not pushed yet.
        const Index r = static_cast<Index>(&rule - t_.rules);
        const V3<R>& along =
            t_.nodes[n].locked > 0 ? c.end : t_.balls[n].along[t_.ruleShapes[r].coordinate];
        const R rate = h_ * dot(along, startSpin(n));
        const Index own = r - t_.nodes[n].firstRule;
        const R pushed = remembered(n, own, 0) + remembered(n, own, 1);
        const R up = choose(pushed > no, no, rate);
        R before = choose(stands > no, larger(c.from - rule.lower, no - up),
                          larger(rule.upper - c.from, up));
        if (kind == TreeRuleKind::Friction) before = choose(rate < no, no - rate, rate);
        if (kind == TreeRuleKind::Prescribe) before = one;
        landed_ =
            choose(holds, choose(before > number<R>(10 * set_.closed), one, landed_), landed_);
      }
      const R push = choose(holds, rule.push, fixed);
      return {push, no, push};
    }
    const R changed = choose(same, no, choose(taking_, one, no));
    rule.changes = rule.changes + changed;
    toggled_ = larger(toggled_, changed);
    stuck_ = choose(rule.changes > number<R>(kMostChanges), one, stuck_);
    rule.stands = choose(taking_, stands, rule.stands);
    const R loose = choose(rule.changes > number<R>(kFirmChanges), larger(loose_, number<R>(kHold)),
                           number<R>(kHold));
    const R stiffness = perW / loose;
    return {choose(holds, rule.push - stiffness * off, fixed), choose(holds, stiffness, no),
            choose(holds, rule.push, fixed)};
  }
  // How solid 2 of a joint turns against solid 1 at the start [rad/s].
  TENON_KERNEL V3<R> startSpin(int n) const {
    const TreeNode& node = t_.nodes[n];
    const auto spinOf = [&](int i, bool own) {
      if (own) return state_.spin[t_.solid[i][n]];
      return n > 0 ? state_.spin[t_.solid[i][node.parent]] : Vec3{};
    };
    return gatherVectors<R>(
        [&](int i) { return spinOf(i, !node.childIsFirst) - spinOf(i, node.childIsFirst); });
  }
  // The multipliers of what is bounded after the solids have turned by what `eliminate` found.
  TENON_OUT_OF_LINE void improvePushes(int n, const Mask& active) {
    const TreeNode& node = t_.nodes[n];
    const V3<R> own = t_.bodies[n].shift;
    const V3<R> turn = n > 0 ? own - t_.bodies[node.parent].shift : own;
    const R sign = number<R>(node.childIsFirst ? -1 : 1);
    for (Index r = node.firstRule; r < node.firstRule + node.rules; ++r) {
      if (!isBounded(t_.ruleShapes[r].kind)) continue;
      TreeRule<R>& rule = t_.rules[r];
      const V3<R>& end =
          node.locked > 0 ? t_.loads[n].end : t_.balls[n].end[t_.ruleShapes[r].coordinate];
      const R push = rule.lambda - (sign * rule.slope) * dot(end, turn);
      rule.push = choose(active, push, rule.push);
    }
  }

  // t, and how it changes with turns at the end:  t = σ Σλ n̄ - damping, σ = 1 if this is solid 2,
  //   δλ = -k a_1·σ(δ - δ_p),   δn̄ = κ δ_p × a_1 where n̄ is ā.
  TENON_OUT_OF_LINE void turnLoad(int n, bool slopes) {
    const TreeNode& node = t_.nodes[n];
    TreeLoad<R>& load = t_.loads[n];
    load.torque = load.late = zero3<R>();
    if (slopes) load.own = load.parent = zeroMatrix<R>();
    load.acting = number<R>(node.limitsOnly ? 0 : 1);
    if (settling_) return settleLoad(n, slopes);
    if (kOver && settles_) return;
    if (node.damped || node.muscled) addDamping(n, slopes);
    if (node.rules == 0) return;
    if (node.locked == 0) return turnBall(n, slopes);
    const PinTurn pin = pinTurn(n);
    load.end = pin.end;
    const R sign = number<R>(node.childIsFirst ? -1 : 1);
    load.angle1 = load.angle0 + sign * pin.angle;
    const Coordinate c{load.angle0, load.angle1, sign * pin.rate, pin.end};
    R lambda = number<R>(0), slope = number<R>(0), bend = number<R>(0);
    for (Index r = node.firstRule; r < node.firstRule + node.rules; ++r) {
      const RulePush push = pushOf(n, r, c);
      lambda = lambda + push.lambda;
      slope = slope + push.slope;
      bend = bend + push.bend;
    }
    load.torque += (sign * h2_ * bend) * pin.mean;
    if (node.bounded) load.late += (sign * h2_ * (lambda - bend)) * pin.mean;
    if (slopes) {
      const M3<R> turns = outer((h2_ * slope) * pin.mean, pin.end);
      load.own -= turns;
      load.parent += turns;
      addSkew((number<R>(-kMean) * sign * h2_ * bend) * pin.end, load.parent);
    }
  }
  TENON_OUT_OF_LINE void addDamping(int n, bool slopes) {
    const TreeNode& node = t_.nodes[n];
    TreeLoad<R>& load = t_.loads[n];
    const V3<R>& theta = t_.bodies[n].theta;
    const V3<R> thetaP = n > 0 ? t_.bodies[node.parent].theta : zero3<R>();
    const R resist = number<R>(1 / kA) * (h_ * load.damp);
    load.torque += resist * (thetaP - theta);
    // A muscle turns with solid 1.
    const V3<R>& thetaOf1 = node.childIsFirst ? theta : thetaP;
    const M3<R> of1 = node.childIsFirst ? t_.bodies[n].lessOne
                      : n > 0           ? t_.bodies[node.parent].lessOne
                                        : zeroMatrix<R>();
    const V3<R> muscle = (number<R>(node.childIsFirst ? -1 : 1) * h2_) *
                         (load.muscle0 + turnAtLoads(thetaOf1, of1) * load.muscle0);
    load.torque += muscle;
    if (!slopes) return;
    addToDiagonal(number<R>(-1) * resist, load.own);
    addSkew((number<R>(0.5) * resist) * theta, load.own);
    addToDiagonal(resist, load.parent);
    addSkew((number<R>(-0.5) * resist) * thetaP, load.parent);
    addSkew(number<R>(-kMean) * muscle, node.childIsFirst ? load.own : load.parent);
  }

  // -------------------------------------------------------------------------------- coordinates of balls

  // The rotation vector φ of a turn of frame 2 in frame 1, and how it changes with a turn δ in axes of frame 1:
  //   δφ = G δ,   G = 1 - [φ]ₓ/2 + β [φ]ₓ²,   β = (1 - (φ/2) cot(φ/2))/φ².
  // Of q = (v, w), φ = 4 atan(|v|/(1 + w))/|v| v, and (φ/2) cot(φ/2) = ½ |φ|/|v| w.
  struct BallTurn {
    V3<R> vector;
    R beta;
  };
  TENON_OUT_OF_LINE static BallTurn ballTurn(const Q4<R>& q) {
    const R one = number<R>(1), half = number<R>(0.5);
    const V3<R> v{q.x, q.y, q.z};
    const R s = squareRootOf(dot(v, v)), over = one / (one + q.w);
    const R f = number<R>(4) * (arcTangentOver(s * over) * over);
    BallTurn turn;
    turn.vector = f * v;
    const R t = dot(turn.vector, turn.vector);
    constexpr double kBeta[] = {1.0 / 47900160, 1.0 / 1209600, 1.0 / 30240, 1.0 / 720, 1.0 / 12};
    const Mask near = t < number<R>(0.04);
    const R closed = (one - half * f * q.w) / choose(near, one, t);
    turn.beta = choose(near, polynomial<R>(kBeta, t), closed);
    return turn;
  }
  // G of a rotation vector.
  TENON_KERNEL static M3<R> vectorChanges(const V3<R>& vector, const R& beta) {
    M3<R> G = outer(beta * vector, vector);
    addToDiagonal(number<R>(1) - beta * dot(vector, vector), G);
    addSkew(number<R>(-0.5) * vector, G);
    return G;
  }
  // The angle between the first axes of both frames, a = e_0 and b; how it changes, g = a × b/sine; and how g does.
  struct BallSwing {
    R angle;
    V3<R> g;
    R cosine, sine;  // 1 in place of a sine that is none
    V3<R> b;
  };
  TENON_OUT_OF_LINE static BallSwing ballSwing(const Q4<R>& q) {
    const R no = number<R>(0), one = number<R>(1), two = number<R>(2);
    BallSwing swing;
    swing.b = {one - two * (q.y * q.y + q.z * q.z), two * (q.x * q.y + q.w * q.z),
               two * (q.x * q.z - q.w * q.y)};
    const R sine = squareRootOf(swing.b.y * swing.b.y + swing.b.z * swing.b.z);
    const Mask leans = sine > number<R>(1e-9);  // at the tip of the cone there is no direction
    swing.cosine = swing.b.x;
    swing.sine = choose(leans, sine, one);
    swing.angle = angleOf(sine, swing.cosine);
    const R scale = choose(leans, one / swing.sine, no);
    swing.g = {no, no - scale * swing.b.z, scale * swing.b.y};
    return swing;
  }
  // λ times how g changes, in axes in which a, b and g are given:  ((cos - b aᵀ) - cos g gᵀ)/sine.
  TENON_KERNEL static M3<R> swingBends(const BallSwing& swing, const V3<R>& a, const V3<R>& b,
                                       const V3<R>& g, const R& lambda) {
    const R scale = lambda / swing.sine, no = number<R>(0);
    M3<R> H = outer((no - scale * swing.cosine) * g, g);
    H -= outer(scale * b, a);
    addToDiagonal(scale * swing.cosine, H);
    return H;
  }
  // Gascuel's twist about n = a + b (joints/joint_math.h), m being the second axis of frame 2 and j that of frame 1:
  //   tan = S/K,   S = |n| v,   v = n·(j × m),   K = |n|² m·j - (n·j)(n·m);   n·m = m·a, because b ⟂ m.
  // With ∇ such that f changes by ∇f·δ:  ∇v = b × (j × m) + m × (n × j),  ∇(x·e) = x × e of an axis x of frame 2.
  struct BallTwist {
    R angle;
    V3<R> g;
  };
  TENON_OUT_OF_LINE static BallTwist ballTwist(const Q4<R>& q) {
    const R no = number<R>(0), one = number<R>(1), two = number<R>(2);
    const M3<R> C = matrixOf(q);
    const V3<R> b{C.r0.x, C.r1.x, C.r2.x}, m{C.r0.y, C.r1.y, C.r2.y};
    const R n2 = two * (one + b.x);
    const Mask leans = n2 > number<R>(1e-12);  // opposed axes have no plane between them
    const R n1 = squareRootOf(choose(leans, n2, one));
    const V3<R> n{one + b.x, b.y, b.z};
    const R v = n.x * m.z - n.z * m.x;
    const R S = n1 * v, K = n2 * m.y - b.y * m.x;
    const V3<R> jm{m.z, no, no - m.x}, nj{no - n.z, no, n.x};
    const V3<R> gn2{no, two * b.z, no - two * b.y};  // 2 b × a
    const V3<R> gv = cross(b, jm) + cross(m, nj);
    const V3<R> mj{no - m.z, no, m.x}, bj{no - b.z, no, b.x}, ma{no, m.z, no - m.y};
    const V3<R> gS = n1 * gv + (number<R>(0.5) * v / n1) * gn2;
    const V3<R> gK = ((m.y * gn2 + n2 * mj) - m.x * bj) - b.y * ma;
    const R Q = S * S + K * K;
    const Mask told = Q > number<R>(1e-24);
    const R over = choose(leans, choose(told, one / choose(told, Q, one), no), no);
    BallTwist twist;
    twist.angle = choose(leans, choose(told, angleOf(S, K), no), no);
    twist.g = (over * K) * gS - (over * S) * gK;
    return twist;
  }

  TENON_KERNEL static Q4<R> conjugateTimes(const Q4<R>& a, const Q4<R>& b) {
    const R no = number<R>(0);
    return Q4<R>{no - a.x, no - a.y, no - a.z, a.w} * b;
  }
  TENON_KERNEL static Q4<R> scaled(const R& s, const Q4<R>& q) {
    return {s * q.x, s * q.y, s * q.z, s * q.w};
  }
  TENON_KERNEL static R dot4(const Q4<R>& a, const Q4<R>& b) {
    return (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w);
  }
  // A frame of a ball after its solid has turned by θ. Its quaternion is of length √(2/twice).
  struct TurnedFrame {
    Q4<R> q;
    V3<R> v;  // of the turn's own quaternion (v, w)
    R twice;
  };
  TENON_KERNEL TurnedFrame turnedFrame(const V3<R>& theta, const Q4<R>& frame) const {
    const TurnQuaternion<R> turn = turnQuaternion(kOver, theta);
    return {Q4<R>{turn.v.x, turn.v.y, turn.v.z, turn.w} * frame, turn.v, turn.twice};
  }
  // Frame 2 in frame 1. Over a step it may go on beyond half a turn.
  TENON_KERNEL Q4<R> between(const TurnedFrame& first, const TurnedFrame& second, bool goesOn,
                             const Q4<R>& start) const {
    const Q4<R> q = conjugateTimes(first.q, second.q);
    const R no = number<R>(0);
    R size = number<R>(1);
    if (kOver) size = number<R>(0.5) * squareRootOf(first.twice * second.twice);
    const R same = kOver && goesOn ? dot4(q, start) : q.w;
    return scaled(choose(same < no, no - size, size), q);
  }
  TENON_OUT_OF_LINE Q4<R> betweenAtEnd(int n) const {
    const TreeNode& node = t_.nodes[n];
    const TreeBall<R>& ball = t_.balls[n];
    const V3<R>& theta = t_.bodies[n].theta;
    const V3<R> thetaP = n > 0 ? t_.bodies[node.parent].theta : zero3<R>();
    return between(turnedFrame(node.childIsFirst ? theta : thetaP, ball.first),
                   turnedFrame(node.childIsFirst ? thetaP : theta, ball.second), node.goesOn,
                   ball.turn);
  }

  // Frames at the start.
  TENON_OUT_OF_LINE void loadFrames(int n) {
    const TreeNode& node = t_.nodes[n];
    TreeBall<R>& ball = t_.balls[n];
    const auto own = gatherTurns<R>([&](int i) { return state_.orientation[t_.solid[i][n]]; });
    const Q4<R> parent = isLed(n) ? t_.led->turn0 : turnOfParent(n);
    ball.first = (node.childIsFirst ? own : parent) * ball.frame1;
    ball.second = (node.childIsFirst ? parent : own) * ball.frame2;
  }
  TENON_OUT_OF_LINE void loadBall(int n) {
    const TreeNode& node = t_.nodes[n];
    TreeBall<R>& ball = t_.balls[n];
    ball.A = matrixOf(ball.first);
    const Q4<R> q = conjugateTimes(ball.first, ball.second);
    const R no = number<R>(0), one = number<R>(1);
    ball.turn = scaled(choose(q.w < no, no - one, one), q);
    for (int c = 0; c < kBallCoordinates; ++c) ball.end[c] = zero3<R>();
    const BallTurn turn = ballTurn(ball.turn);
    ball.from[0] = turn.vector.x;
    ball.from[1] = turn.vector.y;
    ball.from[2] = turn.vector.z;
    ball.from[kSwing] = node.swings ? ballSwing(ball.turn).angle : no;
    ball.from[kTwist] = node.twists ? counted(n, ballTwist(ball.turn).angle) : no;
  }
  // What its rules pushed with in the step before, as a torque on solid 2.
  TENON_OUT_OF_LINE V3<R> recalledOfBall(int n) {
    const TreeNode& node = t_.nodes[n];
    const TreeBall<R>& ball = t_.balls[n];
    R lambda[kBallCoordinates];
    recalled(n, lambda);
    V3<R> along = zero3<R>();
    if (node.vector) {
      const BallTurn turn = ballTurn(ball.turn);
      along = transposeTimes(vectorChanges(turn.vector, turn.beta),
                             V3<R>{lambda[0], lambda[1], lambda[2]});
    }
    if (node.swings) along += lambda[kSwing] * ballSwing(ball.turn).g;
    if (node.twists) along += lambda[kTwist] * ballTwist(ball.turn).g;
    return ball.A * along;
  }

  // The torque of all rules on solid 2, and how it changes. At the end, with e = A_1 Gᵀ of the end in world axes,
  //   τ = e λ,     δτ = (∂(e λ) - e k eᵀ)(δ_2 - δ_1) + δ_1 × τ.
  // Over the step, τ is the discrete gradient of joints/step_rows.h. With C the turn of frame 2 in frame 1, its mean frames Ā and
  // B̄, g the gradient of a coordinate c in the middle, and Δc and ΔC the changes over the step,
  //   τ = λ (½ axial(Ā [g]ₓ C B̄ᵀ) + σ axial(Ā ΔC B̄ᵀ)),   σ = (Δc - ½ g·axial(ΔC Cᵀ))/(|ΔC|² + ε²).
  // BallMean has these in world axes. Slopes leave out what is of the order of θ², and how the gradient of a twist changes.
  TENON_OUT_OF_LINE void turnBall(int n, bool slopes) {
    const TreeNode& node = t_.nodes[n];
    TreeLoad<R>& load = t_.loads[n];
    TreeBall<R>& ball = t_.balls[n];
    const R no = number<R>(0);
    const V3<R>& theta = t_.bodies[n].theta;
    const V3<R> thetaP = n > 0 ? t_.bodies[node.parent].theta : zero3<R>();
    const V3<R>&theta1 = node.childIsFirst ? theta : thetaP,
          &theta2 = node.childIsFirst ? thetaP : theta;
    const TurnedFrame first = turnedFrame(theta1, ball.first),
                      second = turnedFrame(theta2, ball.second);
    const Q4<R> q1 = between(first, second, node.goesOn, ball.turn);
    BallGradients end;
    findCoordinates(n, q1, end);
    if (!kOver || slopes || node.bounded) {
      findGradients(node, end, matrixOf(first.q, first.twice));
      for (int c = 0; c < kBallCoordinates; ++c)
        if (isAbout(node, c)) ball.end[c] = end.g[c];
    }
    // What is pushed along the coordinates, times dt²/a.
    const V3<R> apart = theta2 - theta1;
    R lambda[kBallCoordinates] = {no, no, no, no, no},
      slope[kBallCoordinates] = {no, no, no, no, no}, bend[kBallCoordinates] = {no, no, no, no, no};
    for (Index r = node.firstRule; r < node.firstRule + node.rules; ++r) {
      const int c = t_.ruleShapes[r].coordinate;
      const RulePush push =
          pushOf(n, r, {ball.from[c], end.to[c], kOver ? no : dot(end.g[c], apart), ball.end[c]});
      lambda[c] = lambda[c] + h2_ * push.lambda;
      bend[c] = bend[c] + h2_ * push.bend;
      if (!isBounded(t_.ruleShapes[r].kind)) slope[c] = slope[c] + h2_ * push.slope;
    }
    V3<R> torque = zero3<R>(), late = zero3<R>();
    M3<R> bends = zeroMatrix<R>();
    const auto add = [&](int c, const V3<R>& along) {
      ball.along[c] = along;
      torque += bend[c] * along;
      if (node.bounded) late += (lambda[c] - bend[c]) * along;
      if (slopes) bends -= outer(slope[c] * along, ball.end[c]);
    };
    if (kOver) {
      const BallMean mean = ballMean(theta1, theta2);
      const TurnedFrame first = turnedFrame(mean.half1, ball.first),
                        second = turnedFrame(mean.half2, ball.second);
      const Q4<R> qm = between(first, second, node.goesOn, ball.turn);
      BallGradients middle;
      findTurn(node, qm, middle);
      findGradients(node, middle, matrixOf(first.q, first.twice));
      for (int c = 0; c < kBallCoordinates; ++c) {
        if (!isAbout(node, c)) continue;
        const V3<R>& g = middle.g[c];
        const R defect = (end.to[c] - ball.from[c]) - dot(mean.rolled, g);
        add(c, mean.W * g + (mean.over * defect) * mean.turned);
      }
      if (slopes) addBends(node, middle, number<R>(0.5), bend, bends);
    } else {
      for (int c = 0; c < kBallCoordinates; ++c)
        if (isAbout(node, c)) add(c, end.g[c]);
      if (slopes) addBends(node, end, number<R>(1), bend, bends);
    }
    // On solid 2 by turns of 2: bends; by turns of 1: -bends - κ [τ]ₓ.
    if (node.childIsFirst) {
      load.torque = load.torque - torque;
      if (node.bounded) load.late = load.late - late;
      if (!slopes) return;
      load.own += bends;
      addSkew(number<R>(kMean) * torque, load.own);
      load.parent -= bends;
    } else {
      load.torque += torque;
      if (node.bounded) load.late += late;
      if (!slopes) return;
      load.own += bends;
      load.parent -= bends;
      addSkew(number<R>(-kMean) * torque, load.parent);
    }
  }
  TENON_KERNEL static bool isAbout(const TreeNode& node, int c) {
    return c < kSwing ? node.vector : c == kSwing ? node.swings : node.twists;
  }
  // Coordinates of a ball, how they change with a turn of frame 2 against frame 1, in world axes, and what they were found from.
  struct BallGradients {
    R to[kBallCoordinates];
    V3<R> g[kBallCoordinates];
    BallTurn turn;
    BallSwing swing;
    BallTwist twist;
    M3<R> A;  // the frame 1 in which they were found
  };
  TENON_KERNEL static void findTurn(const TreeNode& node, const Q4<R>& q, BallGradients& at) {
    if (node.vector) at.turn = ballTurn(q);
    if (node.swings) at.swing = ballSwing(q);
    if (node.twists) at.twist = ballTwist(q);
  }
  // The same, and the coordinates.
  TENON_KERNEL void findCoordinates(int n, const Q4<R>& q, BallGradients& at) const {
    const TreeNode& node = t_.nodes[n];
    if (node.vector) {
      at.turn = ballTurn(q);
      at.to[0] = at.turn.vector.x;
      at.to[1] = at.turn.vector.y;
      at.to[2] = at.turn.vector.z;
    }
    if (node.swings) {
      at.swing = ballSwing(q);
      at.to[kSwing] = at.swing.angle;
    }
    if (node.twists) {
      at.twist = ballTwist(q);
      at.to[kTwist] = t_.loads[n].angle1 = counted(n, at.twist.angle);
    }
  }
  TENON_KERNEL static void findGradients(const TreeNode& node, BallGradients& at, const M3<R>& A) {
    at.A = A;
    if (node.vector) {
      const M3<R> G = vectorChanges(at.turn.vector, at.turn.beta);
      at.g[0] = A * G.r0;
      at.g[1] = A * G.r1;
      at.g[2] = A * G.r2;
    }
    if (node.swings) at.g[kSwing] = A * at.swing.g;
    if (node.twists) at.g[kTwist] = A * at.twist.g;
  }
  // How g λ changes with a turn, `share` of it.
  TENON_KERNEL static void addBends(const TreeNode& node, const BallGradients& at, const R& share,
                                    const R* lambda, M3<R>& bends) {
    if (node.vector) {
      const V3<R> along = at.A * V3<R>{share * lambda[0], share * lambda[1], share * lambda[2]};
      bends += vectorBends(at.A * at.turn.vector, at.turn.beta, along);
    }
    if (node.swings)
      bends += swingBends(at.swing, V3<R>{at.A.r0.x, at.A.r1.x, at.A.r2.x}, at.A * at.swing.b,
                          at.g[kSwing], share * lambda[kSwing]);
  }
  // What the discrete gradient needs of two turns. With their quaternions (θ/2, 1), of squared length 1 + t, and those of half
  // the turns, (v, 1) with 2/|·|² = g and cosine c = 1 - g |v|²:
  //   ½ axial(Ā [Y]ₓ C B̄ᵀ) = ½ ((c_1 + c_2) Y - c_1 g_2 v_2 v_2ᵀ Y - c_2 g_1 v_1 v_1ᵀ Y + g_1 g_2 m mᵀ Y),   m = v_2 × v_1,
  //   axial(Ā ΔC B̄ᵀ) = w_2 θ_2 - w_1 θ_1 + w_1 w_2 (1 + ¼ θ_1·θ_2)(θ_2 - θ_1),   w = 1/(1 + t),
  //   ½ axial(ΔC Cᵀ) = g_1 g_2 (1 + v_1·v_2)(v_2 - v_1),
  //   |ΔC|² = 8 w_1 w_2 |½ (θ_1 - θ_2) - ¼ θ_1 × θ_2|².
  struct BallMean {
    V3<R> half1, half2;  // Cayley's θ of half the turns: 2 v
    S3<R> W;
    V3<R> turned, rolled;
    R over;
  };
  TENON_KERNEL static BallMean ballMean(const V3<R>& theta1, const V3<R>& theta2) {
    const R one = number<R>(1), half = number<R>(0.5), quarter = number<R>(0.25);
    const R t1 = one + quarter * dot(theta1, theta1), t2 = one + quarter * dot(theta2, theta2);
    const R k1 = half / (one + squareRootOf(t1)), k2 = half / (one + squareRootOf(t2));
    const V3<R> v1 = k1 * theta1, v2 = k2 * theta2, m = cross(v2, v1);
    const R l1 = dot(v1, v1), l2 = dot(v2, v2);
    const R g1 = number<R>(2) / (one + l1), g2 = number<R>(2) / (one + l2);
    const R c1 = one - g1 * l1, c2 = one - g2 * l2, gg = g1 * g2;
    BallMean mean;
    mean.half1 = number<R>(2) * v1;
    mean.half2 = number<R>(2) * v2;
    const V3<R> p = (number<R>(-0.5) * (c2 * g1)) * v1, q = (number<R>(-0.5) * (c1 * g2)) * v2,
                r = (half * gg) * m;
    const R diagonal = half * (c1 + c2);
    mean.W = {diagonal + (p.x * v1.x + q.x * v2.x + r.x * m.x),
              diagonal + (p.y * v1.y + q.y * v2.y + r.y * m.y),
              diagonal + (p.z * v1.z + q.z * v2.z + r.z * m.z),
              p.x * v1.y + q.x * v2.y + r.x * m.y,
              p.x * v1.z + q.x * v2.z + r.x * m.z,
              p.y * v1.z + q.y * v2.z + r.y * m.z};
    const R w1 = one / t1, w2 = one / t2, ww = w1 * w2;
    const V3<R> apart = theta2 - theta1;
    mean.turned =
        (w2 * theta2 - w1 * theta1) + (ww * (one + quarter * dot(theta1, theta2))) * apart;
    mean.rolled = (gg * (one + dot(v1, v2))) * (v2 - v1);
    const V3<R> between = half * apart + quarter * cross(theta1, theta2);
    mean.over = one / (number<R>(8) * ww * dot(between, between) + number<R>(kStill * kStill));
    return mean;
  }
  // How Gᵀ λ changes with a turn:  -(½ [λ]ₓ + β ([φ × λ]ₓ + λ φᵀ - φ·λ)) G, in axes in which φ and λ are given.
  TENON_KERNEL static M3<R> vectorBends(const V3<R>& vector, const R& beta, const V3<R>& lambda) {
    const R no = number<R>(0);
    M3<R> M = outer((no - beta) * lambda, vector);
    addToDiagonal(beta * dot(vector, lambda), M);
    addSkew((no - beta) * cross(vector, lambda) - number<R>(0.5) * lambda, M);
    return M * vectorChanges(vector, beta);
  }

  // ------------------------------------------------------------------------------------------ bounds

  // A look at the end that was found, where lanes may be done: 0 for those in which all that is bounded stands as it
  // should. A joint that was idle, and is beyond a limit, is woken up.
  TENON_OUT_OF_LINE R lookAtBounds(const Mask& done) {
    peeking_ = true;
    unsettled_ = landed_ = number<R>(0);
    for (int n = 0; n < t_.count; ++n) {
      const TreeNode& node = t_.nodes[n];
      if (!node.bounded && !acts(n)) continue;
      TreeLoad<R>& load = t_.loads[n];
      if (!load.idle) turnLoad(n, false);
      if (!node.limitsOnly) continue;
      const R asleep = number<R>(1) - load.awake;
      if (!any(asleep > number<R>(0))) continue;
      const R beyond = choose(done, asleep * beyondLimits(n), number<R>(0));
      if (!any(beyond > number<R>(0))) continue;
      unsettled_ = larger(unsettled_, beyond);
      load.awake = larger(load.awake, beyond);
      if (load.idle) wakeUp(n);
    }
    peeking_ = false;
    looked_ = true;
    return unsettled_;
  }
  // 1 where a joint is beyond one of its limits.
  TENON_KERNEL R beyondLimits(int n) {
    const TreeNode& node = t_.nodes[n];
    const R no = number<R>(0), one = number<R>(1), slack = number<R>(set_.closed);
    R c[kBallCoordinates] = {no, no, no, no, no};
    if (node.locked == 0) {
      const Q4<R> q = betweenAtEnd(n);
      if (node.vector) {
        const V3<R> vector = ballTurn(q).vector;
        c[0] = vector.x;
        c[1] = vector.y;
        c[2] = vector.z;
      }
      if (node.swings) c[kSwing] = ballSwing(q).angle;
      if (node.twists) c[kTwist] = t_.loads[n].angle1 = counted(n, ballTwist(q).angle);
    } else {
      c[0] = counted(n, pinAngle(n)) + number<R>(node.childIsFirst ? -1 : 1) * pinTurn(n).angle;
      t_.loads[n].angle1 = c[0];
    }
    R off = no;
    for (Index r = node.firstRule; r < node.firstRule + node.rules; ++r) {
      const R& at = c[node.locked > 0 ? 0 : t_.ruleShapes[r].coordinate];
      const TreeRule<R>& rule = t_.rules[r];
      off = choose(rule.lower - at > slack, one, choose(at - rule.upper > slack, one, off));
    }
    return off;
  }

  // ------------------------------------------------------------------- poses, from the root outwards

  // What follows from the turn of a solid, its parent's being known.
  TENON_KERNEL void follow(int n) {
    const TreeNode& node = t_.nodes[n];
    TreeBody<R>& body = t_.bodies[n];
    body.lessOne = turnLessOne(kOver, body.theta);
    if (n == 0 && t_.freeRoot) return;
    if (node.slides != 0) return followSlide(n);
    const V3<R> own = body.lessOne * body.own0;
    body.own1 = body.own0 + own;
    if (n == 0) {
      body.other1 = body.other0;
      body.move = number<R>(-1) * own;
    } else {
      const TreeBody<R>& parent = t_.bodies[node.parent];
      const V3<R> other = parent.lessOne * body.other0;
      body.other1 = body.other0 + other;
      body.move = parent.move + (other - own);
    }
    if (node.locked > 0) followAxes(n);
  }
  TENON_KERNEL void followAxes(int n) {
    const TreeNode& node = t_.nodes[n];
    TreeTurns<R>& turns = t_.turns[n];
    const auto own = [&](const V3<R>& v) { return v + t_.bodies[n].lessOne * v; };
    const auto inParent = [&](const V3<R>& v) {
      return n == 0 ? v : v + t_.bodies[node.parent].lessOne * v;
    };
    for (int k = 0; k < node.locked; ++k) {
      turns.u1[k] = node.childIsFirst ? own(turns.u0[k]) : inParent(turns.u0[k]);
      turns.w1[k] = node.childIsFirst ? inParent(turns.w0[k]) : own(turns.w0[k]);
      const R error = dot(turns.u1[k], turns.w1[k]), error2 = error * error;
      worst2_ = choose(error2 <= worst2_, worst2_, error2);
    }
  }

  Mask place(TreeOutcome& outcome) {
    R most = number<R>(0);
    if (t_.led) most = placeGround();
    for (int n = first_; n < t_.count; ++n) {
      TreeBody<R>& body = t_.bodies[n];
      if (!kOver) body.theta += solved(body.inertia, body.shift);
      const R turn2 = dot(body.theta, body.theta);
      most = choose(turn2 <= most, most, turn2);
      follow(n);
    }
    if (t_.linkCount > 0) border_.follow();
    for (int i = 0; i < kWidth; ++i) outcome.tooFar[i] = lane(most, i) / mostTurn2(kOver);
    return most <= number<R>(mostTurn2(kOver));
  }

  // The turns and displacements that `eliminate` found, added where `active`. Returns the largest squared.
  TENON_OUT_OF_LINE R improve(const Mask& active) {
    R most = number<R>(0), turned2 = number<R>(0);
    worst2_ = number<R>(0);
    for (int n = first_; n < t_.count; ++n) {
      const TreeNode& node = t_.nodes[n];
      TreeBody<R>& body = t_.bodies[n];
      if (node.slides != 0) {
        most = larger(most, improveSlide(n, active));
      } else if (n == first_) {
        if (t_.freeRoot) {
          body.move = choose<R>(active, body.move + body.carried, body.move);
          most = larger(most, dot(body.carried, body.carried));
        } else {
          body.carried = cross(body.own1, body.shift);
        }
      } else {
        const TreeBody<R>& parent = t_.bodies[node.parent];
        const V3<R> c = parent.carried + cross(parent.shift, body.other1);
        body.shift = body.shift + body.V * c;
        if (turnsParent(n)) body.shift += t_.turns[n].U * parent.shift;
        body.carried = c + cross(body.own1, body.shift);
      }
      if (node.bounded && acts(n)) improvePushes(n, active);
      most = larger(most, dot(body.shift, body.shift));
      body.theta =
          choose<R>(active, body.theta + turnChange(kOver, body.theta, body.shift), body.theta);
      const R turn2 = dot(body.theta, body.theta);
      turned2 = choose(turn2 <= turned2, turned2, turn2);
      follow(n);
    }
    within_ = turned2 <= number<R>(mostTurn2(kOver));
    if (t_.linkCount > 0) border_.follow();
    return most;
  }

  // ---------------------------------------------------------------- elimination, from the leaves inwards

  template <bool Fresh>
  void eliminate() {
    TreePart<R>* top =
        t_.stack;  // one past the parts that wait: the last is the sum of the children's
    for (int n = t_.count - 1; n >= first_; --n) {
      const TreeNode& node = t_.nodes[n];
      if (node.leaf) clear<Fresh>(*top++);
      TreePart<R>& part = top[-1];
      addInertia<Fresh>(n, part);
      if (n == 0 && t_.freeRoot) {
        solveFree<Fresh>(part);
      } else if (node.slides != 0) {
        eliminateSlide<Fresh>(n, part);
      } else if (node.locked == 0) {
        eliminateBall<Fresh>(n, part);
      } else {
        eliminateLocked<Fresh>(n, part);
      }
      if (n == first_) break;
      if (node.lastChild) continue;
      --top;
      add<Fresh>(part, top[-1]);
    }
  }

  template <bool Fresh>
  TENON_KERNEL static void clear(TreePart<R>& part) {
    part.force = part.torque = part.forceShift = part.torqueShift = zero3<R>();
    if constexpr (Fresh) part.xx = part.xt = part.tx = part.tt = zeroMatrix<R>();
  }
  template <bool Fresh>
  TENON_KERNEL void addInertia(int n, TreePart<R>& part) {
    const TreeBody<R>& body = t_.bodies[n];
    const R& mass = t_.solids[n].mass;
    if (settling_) return settleInertia<Fresh>(n, part);
    part.force += mass * (body.move - body.drift);
    if constexpr (Fresh) {
      const TurnTorque<R> spun =
          turnTorque(kOver, body.inertia, body.momentum, body.theta, body.lessOne);
      part.torque += spun.torque;
      part.tt += spun.slope;
      addToDiagonal(mass, part.xx);
    } else {
      part.torque += turnMomentum(kOver, body.inertia * body.theta, body.momentum, body.lessOne) -
                     body.momentum;
    }
    if (t_.nodes[n].acted) addFromOutside<Fresh>(n, part);
  }
  template <bool Fresh>
  void addFromOutside(int n, TreePart<R>& part) {
    if (kOver && settles_) return border_.addMomentum(static_cast<Index>(n), part);
    if (t_.nodes[n].pushed) addPush<Fresh>(n, part);
    if (t_.nodes[n].linked) border_.template add<Fresh>(static_cast<Index>(n), part);
  }
  template <bool Fresh>
  void addPush(int n, TreePart<R>& part) {
    const R h2 = number<R>(-1 / kA) * (dt() * dt());
    const TreeWrench<R>& wrench = t_.wrenches[n];
    if (wrench.steady) {
      part.force += h2 * wrench.force;
      part.torque += h2 * wrench.torque;
      return;
    }
    const Pushed p = pushed(n, Fresh);
    part.force += h2 * p.force;
    part.torque += h2 * p.torque;
    if constexpr (Fresh) {
      part.xx += h2 * p.xx;
      part.xt += h2 * p.xt;
      part.tx += h2 * p.tx;
      part.tt += h2 * p.tt;
    }
  }
  template <bool Fresh>
  TENON_KERNEL static void add(const TreePart<R>& from, TreePart<R>& to) {
    if constexpr (Fresh) {
      to.xx += from.xx;
      to.xt += from.xt;
      to.tx += from.tx;
      to.tt += from.tt;
    }
    to.force += from.force;
    to.torque += from.torque;
    to.forceShift += from.forceShift;
    to.torqueShift += from.torqueShift;
  }

  // In: what the solid and its children ask for. Out: what the parent is asked for.
  template <bool Fresh>
  TENON_KERNEL void eliminateBall(int n, TreePart<R>& part) {
    TreeBody<R>& body = t_.bodies[n];
    const V3<R>& r = body.own1;
    const V3<R> s = mean(body.own0, r), f = part.force;
    if (acts(n)) return eliminateLoaded<Fresh>(n, part);
    if constexpr (Fresh) {
      body.N = timesSkew(part.xx, r) + part.xt;
      body.inverse = inverse(lever(part, r, s, f, body.N));
    }
    const V3<R> rho = (part.torque + part.torqueShift) - cross(s, f + part.forceShift);
    body.shift = number<R>(-1) * (body.inverse * rho);
    if (n == first_) return;
    part.forceShift += body.N * body.shift;
    const V3<R>& other = body.other1;
    const V3<R> lever = mean(body.other0, other);
    part.torque = cross(lever, f);
    part.torqueShift = cross(lever, part.forceShift);
    if constexpr (Fresh) {
      body.V = body.inverse * (skewTimes(s, part.xx) - part.tx);
      part.xx += body.N * body.V;
      // From how the force changes with c = δx_p + δ_p × other to how it changes with these.
      part.xt = number<R>(-1) * timesSkew(part.xx, other);
      part.tx = skewTimes(lever, part.xx);
      part.tt = skewTimes(lever, part.xt);
      leverTurns(other, f, part);
    }
  }
  // The same of a ball that is loaded: δ = (D - K_o)⁻¹ (E c + K_p δ_p - (ρ - t)), and the parent is asked for t, too. In
  // lanes where nothing acts, all that comes on top is 0.
  template <bool Fresh>
  void eliminateLoaded(int n, TreePart<R>& part) {
    TreeBody<R>& body = t_.bodies[n];
    TreeTurns<R>& turns = t_.turns[n];
    const V3<R>& r = body.own1;
    const V3<R> s = mean(body.own0, r), f = part.force;
    turnLoad(n, Fresh);
    const TreeLoad<R>& load = t_.loads[n];
    const bool bounded = t_.nodes[n].bounded;
    M3<R> D, E;
    if constexpr (Fresh) {
      body.N = timesSkew(part.xx, r) + part.xt;
      D = lever(part, r, s, f, body.N);
      E = skewTimes(s, part.xx) - part.tx;
      body.inverse = inverse(D - load.own);
      if (bounded) {
        turns.D = D;
        hold(n, body.inverse);
      }
    }
    const V3<R> rho = (part.torque + part.torqueShift) - cross(s, f + part.forceShift);
    body.shift = number<R>(-1) * (body.inverse * ((rho - load.torque) - load.late));
    if (n == first_) return;
    part.forceShift += body.N * body.shift;
    const V3<R>& other = body.other1;
    const V3<R> lever = mean(body.other0, other);
    // How t changes: of what holds nothing would be left but rounding of t = … + K_o δ + K_p δ_p. There it is taken from
    // the other side, t = ρ + D δ - E c, with U = 1 - (D - K_o)⁻¹ (D - K_o - K_p), K_o + K_p being without what holds.
    V3<R> shift;
    if (bounded)
      shift = load.acting * ((rho - load.torque) + turns.D * body.shift);
    else
      shift = load.own * body.shift;
    part.torque = cross(lever, f) + load.torque;
    part.torqueShift = cross(lever, part.forceShift) + shift;
    if constexpr (Fresh) {
      body.V = body.inverse * E;
      M3<R> tx, tt;
      if (bounded) {
        turns.U = load.acting *
                  (scaledIdentity(number<R>(1)) - body.inverse * (D - (load.own + load.parent)));
        tx = load.acting * (D * body.V - E);
        tt = D * turns.U;
      } else {
        turns.U = body.inverse * load.parent;
        tx = load.own * body.V;
        tt = load.own * turns.U + load.parent;
      }
      part.xx += body.N * body.V;
      part.xt = number<R>(-1) * timesSkew(part.xx, other) + body.N * turns.U;
      part.tx = skewTimes(lever, part.xx) + tx;
      part.tt = skewTimes(lever, part.xt) + (tt - timesSkew(tx, other));
      leverTurns(other, f, part);
    }
  }
  // What holds, of a ball: (D + k a eᵀ)⁻¹ = P - P a eᵀ P/(1/k + eᵀ P a) with P = D⁻¹, rule by rule. However large k is,
  // nothing but the direction that is held gets lost.
  TENON_OUT_OF_LINE void hold(int n, M3<R>& P) const {
    const TreeNode& node = t_.nodes[n];
    const R no = number<R>(0), one = number<R>(1), scale = settling_ ? one : h2_;
    for (Index r = node.firstRule; r < node.firstRule + node.rules; ++r) {
      const TreeRuleShape& shape = t_.ruleShapes[r];
      if (!isBounded(shape.kind)) continue;
      const V3<R>&a = t_.balls[n].along[shape.coordinate], &e = t_.balls[n].end[shape.coordinate];
      const R k = scale * t_.rules[r].slope;
      const Mask holds = k > no;
      const V3<R> g = P * a;
      const R share = choose(holds, one / (one / choose(holds, k, one) + dot(e, g)), no);
      P -= outer(share * g, transposeTimes(P, e));
    }
  }
  // The parent's lever turns with it: + δs × f with δs = κ δ × r.
  TENON_KERNEL void leverTurns(const V3<R>& r, const V3<R>& f, TreePart<R>& part) const {
    const V3<R> kr = number<R>(kMean) * r;
    part.tt += outer(kr, f);
    addToDiagonal(number<R>(-1) * dot(kr, f), part.tt);
  }

  // D: how ρ changes with a turn of the solid about the joint's point.
  TENON_KERNEL M3<R> lever(const TreePart<R>& part, const V3<R>& r, const V3<R>& s, const V3<R>& f,
                           const M3<R>& N) const {
    M3<R> D = part.tt + timesSkew(part.tx, r) - skewTimes(s, N);
    // -δs × f with δs = κ δ × r
    const V3<R> kr = number<R>(kMean) * r;
    D -= outer(kr, f);
    addToDiagonal(dot(kr, f), D);
    return D;
  }

  template <bool Fresh>
  void eliminateLocked(int n, TreePart<R>& part) {
    const TreeNode& node = t_.nodes[n];
    TreeBody<R>& body = t_.bodies[n];
    TreeTurns<R>& turns = t_.turns[n];
    const V3<R>& r = body.own1;
    const V3<R> s = mean(body.own0, r), f = part.force;
    V3<R> rho = part.torque - cross(s, f), given = zero3<R>(), late = zero3<R>();
    const bool acts = this->acts(n);
    if (acts) {
      turnLoad(n, Fresh);
      given = t_.loads[n].torque;
      late = t_.loads[n].late;
      rho = rho - given;
    }
    const V3<R> all = (rho - late) + (part.torqueShift - cross(s, part.forceShift));
    const Locked lock = locked(n, turns, rho);
    M3<R> E, parentTurns;
    if constexpr (Fresh) {
      body.N = timesSkew(part.xx, r) + part.xt;
      turns.D = lever(part, r, s, f, body.N);
      E = skewTimes(s, part.xx) - part.tx;
      // Rows along Ā:  Āᵀ (all + D' (δ_p + A y + e) - E c - K_p δ_p) = 0,  D' = D - K.
      const LockedSlopes slopes = lockedSlopes(node, turns, lock);
      turns.Dk = turns.D - slopes.own;
      parentTurns = turns.Dk - slopes.parent;
      if (acts) {
        turns.Dk -= t_.loads[n].own;
        parentTurns -= t_.loads[n].own + t_.loads[n].parent;
      }
      turns.P = node.locked == 2  // A (Āᵀ D' A)⁻¹ Āᵀ
                    ? acrossAxis(cross(lock.n[0], lock.n[1]), cross(lock.m[0], lock.m[1]), turns.Dk)
                    : across(node, turns, turns.Dk);
    }
    // τ itself is of no concern to P, but to one that was kept.
    body.shift = lock.mend - turns.P * ((all - lock.torque) + turns.Dk * lock.mend);
    if (n == first_) return;
    // τ = all + D δ - E c, δ = U δ_p + V c + shift
    const V3<R>& other = body.other1;
    const V3<R> lever = mean(body.other0, other);
    part.forceShift += body.N * body.shift;
    part.torque = (lock.torque + given) + cross(lever, f);
    part.torqueShift =
        ((all + late - lock.torque) + turns.D * body.shift) + cross(lever, part.forceShift);
    if constexpr (Fresh) {
      turns.U = scaledIdentity(number<R>(1)) - turns.P * parentTurns;
      body.V = turns.P * E;
      part.tx = turns.D * body.V - E;
      part.tt = turns.D * turns.U;
      part.xx += body.N * body.V;
      part.xt = body.N * turns.U;
      // From c = δx_p + δ_p × other to the parent's displacement.
      part.xt -= timesSkew(part.xx, other);
      part.tt -= timesSkew(part.tx, other);
      part.tx += skewTimes(lever, part.xx);
      part.tt += skewTimes(lever, part.xt);
      leverTurns(other, f, part);
    }
  }

  // τ of the rows u · w = 0 on this solid, and the turn that would make the rows right. Along n = w × u of the
  // end errors change, along n̄ of the mean τ acts.
  struct Locked {
    V3<R> torque, mend;
    R mu[kMostLocked];
    V3<R> u[kMostLocked], w[kMostLocked];  // the means
    V3<R> n[kMostLocked], m[kMostLocked];  // of the end, of the mean
  };
  TENON_KERNEL Locked locked(int at, const TreeTurns<R>& turns, const V3<R>& rho) const {
    const TreeNode& node = t_.nodes[at];
    R error[kMostLocked], y[kMostLocked];
    Locked lock;
    V3<R>*const n = lock.n, *const m = lock.m;
    lock.torque = lock.mend = zero3<R>();
    const R sign = number<R>(node.childIsFirst ? -1 : 1);
    for (int k = 0; k < node.locked; ++k) {
      lock.u[k] = mean(turns.u0[k], turns.u1[k]);
      lock.w[k] = mean(turns.w0[k], turns.w1[k]);
      n[k] = sign * cross(turns.w1[k], turns.u1[k]);
      m[k] = sign * cross(lock.w[k], lock.u[k]);
      error[k] = number<R>(-1) *
                 (settling_ ? dot(n[k], spinAgainstParent(at)) : dot(turns.u1[k], turns.w1[k]));
      lock.mu[k] = dot(m[k], rho);
    }
    if (node.locked == 0) return lock;
    gram(node.locked, n, error, y);
    gram(node.locked, m, lock.mu, lock.mu);
    for (int k = 0; k < node.locked; ++k) {
      lock.mend += y[k] * n[k];
      lock.torque += lock.mu[k] * m[k];
    }
    return lock;
  }
  // How τ changes by turns of this solid and of its parent.
  struct LockedSlopes {
    M3<R> own, parent;
  };
  TENON_KERNEL LockedSlopes lockedSlopes(const TreeNode& node, const TreeTurns<R>& turns,
                                         const Locked& lock) const {
    M3<R> first = zeroMatrix<R>(), second = zeroMatrix<R>();
    for (int k = 0; k < node.locked; ++k) {
      // δn̄ = κ ((δ_2 × w) × ū + w̄ × (δ_1 × u))
      const R push = number<R>(kMean * (node.childIsFirst ? -1 : 1)) * lock.mu[k];
      const V3<R> pu = push * turns.u1[k], pw = push * turns.w1[k];
      second += outer(pw, lock.u[k]);
      addToDiagonal(number<R>(-1) * dot(pw, lock.u[k]), second);
      first -= outer(pu, lock.w[k]);
      addToDiagonal(dot(pu, lock.w[k]), first);
    }
    return node.childIsFirst ? LockedSlopes{first, second} : LockedSlopes{second, first};
  }

  // (NᵀN) y = b for the columns n.
  TENON_KERNEL static void gram(int count, const V3<R>* n, const R* b, R* y) {
    if (count == 1) {
      y[0] = b[0] / dot(n[0], n[0]);
    } else if (count == 2) {
      const R aa = dot(n[0], n[0]), ab = dot(n[0], n[1]), bb = dot(n[1], n[1]);
      const R s = number<R>(1) / (aa * bb - ab * ab);
      const R y0 = s * (bb * b[0] - ab * b[1]), y1 = s * (aa * b[1] - ab * b[0]);
      y[0] = y0;
      y[1] = y1;
    } else {
      const M3<R> G{{dot(n[0], n[0]), dot(n[0], n[1]), dot(n[0], n[2])},
                    {dot(n[1], n[0]), dot(n[1], n[1]), dot(n[1], n[2])},
                    {dot(n[2], n[0]), dot(n[2], n[1]), dot(n[2], n[2])}};
      const V3<R> found = inverse(G) * V3<R>{b[0], b[1], b[2]};
      y[0] = found.x;
      y[1] = found.y;
      y[2] = found.z;
    }
  }

  // A (Āᵀ D A)⁻¹ Āᵀ; A spans what the rows at the end leave free, Ā what the mean ones do.
  TENON_KERNEL M3<R> across(const TreeNode& node, const TreeTurns<R>& turns, const M3<R>& D) const {
    const auto u = [this, &turns](int k) { return mean(turns.u0[k], turns.u1[k]); };
    const auto w = [this, &turns](int k) { return mean(turns.w0[k], turns.w1[k]); };
    if (node.locked == 0) return inverse(D);
    if (node.locked == 1) {
      const V3<R>&a0 = turns.u1[0], &a1 = turns.w1[0];
      const V3<R> b0 = u(0), b1 = w(0);
      const V3<R> Da0 = D * a0, Da1 = D * a1;
      const R d00 = dot(b0, Da0), d01 = dot(b0, Da1), d10 = dot(b1, Da0), d11 = dot(b1, Da1);
      const R q = number<R>(1) / (d00 * d11 - d01 * d10);
      const V3<R> y0 = (q * d11) * b0 - (q * d01) * b1;
      const V3<R> y1 = (q * d00) * b1 - (q * d10) * b0;
      return outer(a0, y0) + outer(a1, y1);
    }
    if (node.locked == 2) {
      const V3<R> a = cross(cross(turns.w1[0], turns.u1[0]), cross(turns.w1[1], turns.u1[1]));
      const V3<R> b = cross(cross(w(0), u(0)), cross(w(1), u(1)));
      return acrossAxis(a, b, D);
    }
    return zeroMatrix<R>();
  }
  TENON_KERNEL static M3<R> acrossAxis(const V3<R>& a, const V3<R>& b, const M3<R>& D) {
    return outer((number<R>(1) / dot(b, D * a)) * a, b);
  }

  // Six equations of a root that nothing holds: V = xx⁻¹, N = xt, inverse = (tt - tx xx⁻¹ xt)⁻¹; and tx xx⁻¹ stays
  // in the part, which iterations with the same matrices leave alone.
  template <bool Fresh>
  TENON_KERNEL void solveFree(const TreePart<R>& part) {
    TreeBody<R>& body = t_.bodies[0];
    TreePart<R>& kept = *t_.stack;
    if constexpr (Fresh) {
      body.V = inverse(part.xx);
      body.N = part.xt;
      kept.tx = part.tx * body.V;
      body.inverse = inverse(part.tt - kept.tx * part.xt);
    }
    const V3<R> f = part.force + part.forceShift, t = part.torque + part.torqueShift;
    body.shift = body.inverse * (kept.tx * f - t);
    body.carried = body.V * (number<R>(-1) * (f + body.N * body.shift));
  }

  // ----------------------------------------------------------------------------------- end of a step

  // Forces within a figure do not move its centre: what rounding and the tolerance made of that is taken out.
  void keepCentre() {
    V3<R> moment = zero3<R>();
    R mass = number<R>(0);
    for (int n = 0; n < t_.count; ++n) {
      moment += t_.solids[n].mass * (t_.bodies[n].move - t_.bodies[n].drift);
      mass = mass + t_.solids[n].mass;
    }
    const V3<R> back = (number<R>(-1) / mass) * moment;
    for (int n = 0; n < t_.count; ++n) t_.bodies[n].move += back;
  }

  // Whether something acts on a joint, in any lane; whether it turns its solids against each other.
  TENON_KERNEL bool acts(int n) const { return t_.nodes[n].loaded && !t_.loads[n].idle; }
  TENON_KERNEL bool turnsParent(int n) const { return t_.nodes[n].locked > 0 || acts(n); }

  TENON_OUT_OF_LINE void finish(unsigned lanes, double* work) {
    if (t_.freeRoot && !t_.anyPushed && !t_.anyAnchored) keepCentre();
    if (t_.linkCount > 0) border_.remember(lanes, work);
    // Forces and torques of the joints at the end: body.carried and body.shift. A parent's begin with those of
    // the first child that comes, its last one.
    for (int n = t_.count - 1; n >= first_; --n) {
      const TreeNode& node = t_.nodes[n];
      TreeBody<R>& body = t_.bodies[n];
      if (node.leaf) body.carried = body.shift = zero3<R>();
      body.carried += t_.solids[n].mass * (body.move - body.drift);
      V3<R> outside = zero3<R>();
      if (node.acted) outside = finishFromOutside(n, lanes, work);
      if (node.locked == 0) {
        if (acts(n) && !looked_) turnLoad(n, false);
        body.shift = acts(n) ? t_.loads[n].torque : zero3<R>();  // all that it turns its solid with
      } else {
        const V3<R> T =
            (turnMomentum(kOver, body.inertia * body.theta, body.momentum, body.lessOne) -
             body.momentum) -
            outside;
        body.shift = (body.shift + T) - cross(mean(body.own0, body.own1), body.carried);
      }
      if (n == first_) break;
      TreeBody<R>& parent = t_.bodies[node.parent];
      if (node.lastChild) parent.carried = parent.shift = zero3<R>();
      parent.carried += body.carried;
      if (t_.anyLocked) {
        parent.shift += cross(mean(body.other0, body.other1), body.carried);
        if (turnsParent(n)) parent.shift += body.shift;
      }
    }
    const R rate = number<R>(kA) / dt(), scale = number<R>(kA) / (dt() * dt());
    if (t_.led) finishGround(lanes, work);
    for (int n = first_; n < t_.count; ++n) {
      const TreeNode& node = t_.nodes[n];
      TreeBody<R>& body = t_.bodies[n];
      V3<R> v = rate * body.move, spin = rate * body.theta;
      if (kOver) {
        v = v - gatherVectors<R>([&](int i) { return state_.velocity[t_.solid[i][n]]; });
        spin = spin - gatherVectors<R>([&](int i) { return state_.spin[t_.solid[i][n]]; });
      }
      spin = spin + body.lessOne * spin;
      const Q4<R> end =
          turned(kOver, body.theta,
                 gatherTurns<R>([&](int i) { return state_.orientation[t_.solid[i][n]]; }));
      for (int i = 0; i < kWidth; ++i) {
        if ((lanes >> i & 1u) == 0) continue;
        const Index s = t_.solid[i][n];
        state_.position[s] = state_.position[s] + (lane(body.move, i) + lane(body.gap, i));
        state_.orientation[s] = lane(end, i);
        state_.velocity[s] = lane(v, i);
        state_.spin[s] = lane(spin, i);
      }
      if (n == 0 && t_.freeRoot) continue;
      const R signedScale = number<R>(node.childIsFirst ? -1 : 1) * scale;
      if (acts(n)) finishLoad(n, lanes, work);
      if (node.counts)
        for (int i = 0; i < kWidth; ++i)
          if ((lanes >> i & 1u) != 0) state_.memory[t_.memory[i][n]] = lane(t_.loads[n].angle1, i);
      Q4<R> q = end;
      if (!node.childIsFirst) q = isLed(n) ? t_.led->turn1 : turnOfParent(n);
      const M3<R> F = matrixOf(node.straight ? q : q * t_.solids[n].frame);
      const V3<R> force = transposeTimes(F, signedScale * body.carried);
      V3<R> torque = zero3<R>();
      if (node.locked == 1) {
        const TreeTurns<R>& turns = t_.turns[n];
        const V3<R> m = cross(mean(turns.w0[0], turns.w1[0]), mean(turns.u0[0], turns.u1[0]));
        torque.x = signedScale * (dot(m, body.shift) / dot(m, m));
      } else if (node.locked > 1) {
        torque = transposeTimes(F, signedScale * body.shift);
      }
      for (int i = 0; i < kWidth; ++i)
        if ((lanes >> i & 1u) != 0) remember(node, lane(force, i), lane(torque, i), t_.slot[i][n]);
      if (node.slides != 0)
        rememberSlide(n, lanes, forceOfSlide(n, signedScale * body.carried), torque);
      if (node.pulls != 0) finishPulls(n, lanes, work);
    }
    if (kOver)
      if (t_.led) settle(lanes, work);
  }

  V3<R> finishFromOutside(int n, unsigned lanes, double* work) {
    V3<R> torque = zero3<R>();
    if (t_.nodes[n].pushed) torque = finishPush(n, lanes, work);
    if (t_.nodes[n].linked) torque += border_.finish(static_cast<Index>(n));
    return torque;
  }
  // Takes what acts on a solid out of what its joint carries, and adds up its work. Returns the torque.
  V3<R> finishPush(int n, unsigned lanes, double* work) {
    TreeBody<R>& body = t_.bodies[n];
    const TreeWrench<R>& wrench = t_.wrenches[n];
    Pushed p;
    if (wrench.steady) {
      p.force = wrench.force;
      p.torque = wrench.torque;
      p.stored = number<R>(0);
    } else {
      p = pushed(n, false);
    }
    const R h2 = number<R>(1 / kA) * (dt() * dt());
    body.carried = body.carried - h2 * p.force;
    const R done = (dot(p.force, body.move) + dot(p.torque, body.theta)) + p.stored;
    for (int i = 0; i < kWidth; ++i)
      if ((lanes >> i & 1u) != 0) work[i] += lane(done, i);
    return h2 * p.torque;
  }

  // Takes what acts on a joint out of what it turns its solid with, and adds up its work. λ of the rules is remembered as
  // rows have it: by side, pushing.
  void finishLoad(int n, unsigned lanes, double* work) {
    const TreeNode& node = t_.nodes[n];
    TreeBody<R>& body = t_.bodies[n];
    if (node.locked > 0 && !looked_) turnLoad(n, false);
    const TreeLoad<R>& load = t_.loads[n];
    body.shift = body.shift - load.torque;
    const V3<R> between = n > 0 ? body.theta - t_.bodies[node.parent].theta : body.theta;
    R done = (number<R>(kA) / (dt() * dt())) * dot(load.torque, between);
    const R no = number<R>(0);
    for (Index r = 0; r < node.rules; ++r) {
      const TreeRuleKind kind = t_.ruleShapes[node.firstRule + r].kind;
      const R& lambda = t_.rules[node.firstRule + r].lambda;
      R up = lambda, down = no;
      if (kind == TreeRuleKind::Prefer || kind == TreeRuleKind::Limit) {
        down = choose(lambda < no, no - lambda, no);
        up = choose(lambda < no, no, lambda);
      } else if (kind == TreeRuleKind::Rotor) {  // its work is its own energy
        done = done - (number<R>(node.childIsFirst ? -1 : 1) * lambda) * pinTurn(n).rate;
      }
      for (int i = 0; i < kWidth; ++i) {
        if ((lanes >> i & 1u) == 0) continue;
        double* to = state_.multiplier + t_.slot[i][n] + 3 + node.locked + 2 * r;
        to[0] = lane(up, i);
        to[1] = lane(down, i);
      }
    }
    for (int i = 0; i < kWidth; ++i)
      if ((lanes >> i & 1u) != 0) work[i] += lane(done, i);
  }

  // ------------------------------------------------------------------------------ velocities at the end

  // v_1 = 2 Δx/dt - v_0 keeps whatever joints and bounds do not allow, and it comes back in every second step: so where a
  // bound was reached, or a coordinate is prescribed, velocities become the nearest that are allowed,
  //   ½ Σ m |v' - v|² + ½ Σ (ω' - ω)·I (ω' - ω)  least,
  // with v' following from ω' along the joints, and what holds at rest or as prescribed (methods/energy.cpp). The system is
  // that of a step in which nothing pushes; it is solved again, because what holds does so by λ = p - u/(b w). Each time leaves b of
  // what p was off by. Rounding leaves 1e-16/b of the first change, and only what is left of it tells p: 1e-16/b² of p is
  // lost. With b = 2e-6 that is 1e-5, and twice is enough. With 1e-8 it was all of p, and a third time was missing.
  TENON_OUT_OF_LINE void settleHeld(unsigned lanes, double* work) {
    settling_ = true;
    for (int n = 0; n < t_.count; ++n) {
      const TreeNode& node = t_.nodes[n];
      TreeBody<R>& body = t_.bodies[n];
      const auto solidAt = [this, n](int i) { return t_.solid[i][n]; };
      const M3<R> A =
          matrixOf(gatherTurns<R>([&](int i) { return state_.orientation[solidAt(i)]; }));
      body.inertia = turned(A, t_.solids[n].inertia);
      body.momentum = gatherVectors<R>([&](int i) { return state_.spin[solidAt(i)]; });
      body.drift = gatherVectors<R>([&](int i) { return state_.velocity[solidAt(i)]; });
      body.theta = body.momentum;
      body.own0 = body.own1;
      body.other0 = body.other1;
      if (n > 0) {
        const TreeBody<R>& parent = t_.bodies[node.parent];
        body.move = (parent.move + cross(parent.theta, body.other1)) + cross(body.own1, body.theta);
      } else {
        body.move = t_.freeRoot ? body.drift : cross(body.own1, body.theta);
      }
      for (int k = 0; k < node.locked; ++k) {
        t_.turns[n].u0[k] = t_.turns[n].u1[k];
        t_.turns[n].w0[k] = t_.turns[n].w1[k];
      }
      for (Index r = node.firstRule; r < node.firstRule + node.rules; ++r)
        t_.rules[r].push = number<R>(0);
    }
    Mask moving = all();
    R first2 = number<R>(0), last2 = number<R>(0);
    for (int k = 0; k < kMostSettling && any(moving); ++k) {
      if (k == 0)
        eliminate<true>();
      else
        eliminate<false>();
      const R change2 = settleMove(moving);
      if (k == 0) first2 = last2 = change2;
      // What is left is as much less again: c²/c_last.
      for (int i = 0; i < kWidth && k > 0; ++i)
        if (lane(change2, i) * lane(change2, i) <= kSettled2 * (lane(last2, i) * lane(first2, i)))
          setOff(moving, i);
      last2 = change2;
    }
    R gained = number<R>(0);
    for (int n = 0; n < t_.count; ++n) {
      const TreeBody<R>& body = t_.bodies[n];
      gained =
          gained + t_.solids[n].mass * (dot(body.move, body.move) - dot(body.drift, body.drift));
      gained = gained + (dot(body.theta, body.inertia * body.theta) -
                         dot(body.momentum, body.inertia * body.momentum));
      for (int i = 0; i < kWidth; ++i) {
        if ((lanes >> i & 1u) == 0) continue;
        state_.velocity[t_.solid[i][n]] = lane(body.move, i);
        state_.spin[t_.solid[i][n]] = lane(body.theta, i);
      }
    }
    for (int i = 0; i < kWidth; ++i)
      if ((lanes >> i & 1u) != 0) work[i] += 0.5 * lane(gained, i);
    settling_ = false;
  }
  template <bool Fresh>
  TENON_OUT_OF_LINE void settleInertia(int n, TreePart<R>& part) {
    const TreeBody<R>& body = t_.bodies[n];
    const R& mass = t_.solids[n].mass;
    part.forceShift += mass * (body.move - body.drift);
    part.torqueShift += body.inertia * (body.theta - body.momentum);
    if constexpr (Fresh) {
      addToDiagonal(mass, part.xx);
      part.tt += full(body.inertia);
    }
  }
  TENON_KERNEL V3<R> spinAgainstParent(int n) const {
    const V3<R>& own = t_.bodies[n].theta;
    return n > 0 ? own - t_.bodies[t_.nodes[n].parent].theta : own;
  }
  TENON_OUT_OF_LINE void settleLoad(int n, bool slopes) {
    const TreeNode& node = t_.nodes[n];
    TreeLoad<R>& load = t_.loads[n];
    const R no = number<R>(0), one = number<R>(1);
    const R sign = number<R>(node.childIsFirst ? -1 : 1);
    for (Index r = node.firstRule; r < node.firstRule + node.rules; ++r) {
      const TreeRuleShape& shape = t_.ruleShapes[r];
      if (!isBounded(shape.kind)) continue;
      TreeRule<R>& rule = t_.rules[r];
      const V3<R>& e = node.locked > 0 ? load.end : t_.balls[n].end[shape.coordinate];
      const R own = dot(e, load.yields * e);
      R off = sign * dot(e, spinAgainstParent(n));
      if (shape.kind == TreeRuleKind::Prescribe) off = off - rule.rate;
      // A limit holds where it stands at a bound, the others where they do not.
      const R stood = rule.stands * rule.stands;
      const R holds = shape.kind == TreeRuleKind::Limit ? stood : one - stood;
      load.acting = larger(load.acting, holds);
      rule.slope = holds / (number<R>(kHoldSettling) * choose(own > no, own, one));
      rule.lambda = rule.push - rule.slope * off;
      load.late += (sign * rule.lambda) * e;
      if (node.locked == 0) t_.balls[n].along[shape.coordinate] = e;
      if (!slopes || node.locked == 0) continue;
      const M3<R> turns = outer(rule.slope * e, e);
      load.own -= turns;
      load.parent += turns;
    }
  }
  // Where `moving`. Returns the largest change, squared.
  TENON_OUT_OF_LINE R settleMove(const Mask& moving) {
    R most = number<R>(0);
    for (int n = 0; n < t_.count; ++n) {
      const TreeNode& node = t_.nodes[n];
      TreeBody<R>& body = t_.bodies[n];
      if (n > 0) {
        const TreeBody<R>& parent = t_.bodies[node.parent];
        const V3<R> c = parent.carried + cross(parent.shift, body.other1);
        body.shift = body.shift + body.V * c;
        if (turnsParent(n)) body.shift += t_.turns[n].U * parent.shift;
        body.carried = c + cross(body.own1, body.shift);
      } else if (!t_.freeRoot) {
        body.carried = cross(body.own1, body.shift);
      }
      if (node.bounded && acts(n)) improvePushes(n, moving);
      most = larger(most, dot(body.shift, body.shift));
      body.theta = choose<R>(moving, body.theta + body.shift, body.theta);
      body.move = choose<R>(moving, body.move + body.carried, body.move);
    }
    return most;
  }
  static Mask all() {
    if constexpr (kWidth == 1)
      return true;
    else
      return ~Mask{};
  }

  TENON_KERNEL void remember(const TreeNode& node, const Vec3& force, const Vec3& torque,
                             Index slot) {
    double* to = state_.multiplier + slot;
    if (node.slides != 0) return;  // rememberSlide
    storeForce({force.x, force.y, force.z}, to);
    storeTorque(node.locked, node.axis, {torque.x, torque.y, torque.z}, to + 3);
  }

  // Of the solid that the joint leads to, which is a node or a ground that stands.
  TENON_KERNEL Q4<R> turnOfParent(int n) const {
    return gatherTurns<R>([&](int i) {
      return state_.orientationOf(n > 0 ? t_.solid[i][t_.nodes[n].parent] : *t_.ground[i]);
    });
  }

  // tree_led.h: a ground that follows a path.
  TENON_KERNEL bool isLed(int n) const { return n == 1 && first_ == 1; }
  void loadGround();
  R placeGround();
  void finishGround(unsigned lanes, double* work);
  void settle(unsigned lanes, double* work);
  M3<R> freeTurns(int n, const M3<R>& D);

  // tree_slides.h: joints that slide.
  void loadSlide(int n, const M3<R>& first);
  void followSlide(int n);
  R improveSlide(int n, const Mask& active);
  template <bool Fresh>
  void eliminateSlide(int n, TreePart<R>& part);
  struct Pulls {
    R lambda[3], slope[3];  // along the axes of frame 1
  };
  Pulls pullsOf(int n) const;
  R slidOf(int n, int axis) const;
  V3<R> recalledOfSlide(int n) const;
  void finishPulls(int n, unsigned lanes, double* work);
  void rememberSlide(int n, unsigned lanes, const V3<R>& force, const V3<R>& torque);
  V3<R> forceOfSlide(int n, const V3<R>& force) const;
  static M3<R> along(std::uint8_t slides, const V3<R>* a, const V3<R>* b, const M3<R>& X);
  void meanAcross(const TreeSlide<R>& slide, V3<R>* b) const;

  TreeFigures<R> t_;
  KernelSettings set_;
  StatePointers state_;
  int first_;  // node of the first solid
  TreeBorder<TreeKernel> border_{*this};
  Mask within_{};
  Mask taking_{};               // lanes that take part in an iteration
  R worst2_ = number<R>(0);     // of the errors of locked turns
  R loaded_ = number<R>(0);     // 1: something acts on a joint
  R startOff2_ = number<R>(0);  // by which what is prescribed is off at the start, squared
  R h_, h2_, perStep_;          // dt, dt²/a, 1/dt
  // Of what is bounded: 1 where a limit holds or held, where something came to hold or ceased to in this iteration, where it
  // did so too often; b of what did.
  R kinked_ = number<R>(0), toggled_ = number<R>(0), stuck_ = number<R>(0);
  R loose_ = number<R>(kLooseness);
  // Of the last look: 1 where something does not stand as it should, and where velocities are to be settled.
  R unsettled_ = number<R>(0), landed_ = number<R>(0);
  bool peeking_ = false, looked_ = false, settling_ = false;
  bool settles_ = false;  // nothing moves, and the turns that are looked for are velocities
};

}  // namespace
}  // namespace tenon::packed

#include "packed/tree_led.h"
#include "packed/tree_slides.h"
