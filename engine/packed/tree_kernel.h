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
// that is loaded is one that locks no turn. A pin that lies at a bound is a weld with the angle of the bound.
//
// Loads stand out of line: most figures have few, and the code that a browser loads is shorter.
//
// This file is compiled once for every kind of machine. Everything in it is local to its file.
#pragma once

#include "packed/multipliers.h"
#include "packed/tree.h"
#include "packed/turn.h"

namespace tenon::packed {
namespace {

template <class R, bool Over>
class TreeKernel {
 public:
  TreeKernel(const TreeFigures<R>& figures, const KernelSettings& settings,
             const StatePointers& state)
      : t_(figures), set_(settings), state_(state) {}

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
    for (int k = 0; k < set_.most && any(active); ++k) {
      const bool fresh = t_.anyKinked || isFresh(k);
      if (fresh)
        eliminate<true>();
      else
        eliminate<false>();
      const R change2 = improve(active);
      // Newton's method squares what is left: it becomes C δ², and C shows in the last two. With the matrices
      // of the iteration before it shrinks as it just did.
      const R ratio2 = change2 / larger(last2, number<R>(1e-300));  // what rests stays
      R left2;
      if (fresh)
        left2 = larger(k > 0 ? ratio2 / last2 : one, one) * (change2 * change2);
      else
        left2 = number<R>(4) * ratio2 * change2;
      // The slopes of loads leave out what is of the order of θ²: they converge as matrices that are kept.
      if (t_.anyLoaded || t_.anyPushed) {
        const R more = k > 0 ? larger(left2, number<R>(4) * ratio2 * change2) : one;
        left2 = choose(loaded_ > number<R>(0), more, left2);
      }
      const Mask good = left2 <= (k > 0 ? tolerance2 : number<R>(kSure2) * tolerance2);
      const Mask small = change2 <= number<R>(kMostChange2);
      const Mask closed = worst2_ <= number<R>(set_.closed * set_.closed);
      for (int i = 0; i < kWidth; ++i) {
        if (!laneOf(active, i)) continue;
        ++outcome.iterations[i];
        if (!laneOf(within_, i) || !laneOf(small, i)) {
          setOff(active, i);
        } else if (laneOf(good, i) && laneOf(closed, i)) {
          setOff(active, i);
          setOn(converged, i);
        }
      }
      last2 = change2;
    }
    for (int i = 0; i < kWidth; ++i)
      if (laneOf(converged, i)) outcome.done |= 1u << i;
    if (outcome.done != 0) finish(outcome.done, outcome.work);
    return outcome;
  }

 private:
  using Mask = MaskOf<R>;
  static constexpr int kWidth = NumberOf<R>::lanes;
  static constexpr double kA = Over ? 2 : 1;
  static constexpr double kMean = Over ? 0.5 : 1;  // how levers follow a turn at the end
  static constexpr double kMostChange2 = 1;        // [rad²] of an iteration
  static constexpr double kSure2 = 1e-4;           // where there is but one change to judge by
  static constexpr double kOpen = 1e-8;            // [m], [rad]
  static constexpr double kStill = 1e-6;  // [rad] below it, the direction of a change tells nothing

  // Whether an iteration makes its matrices anew. By number, so that a lane does what it would do alone.
  static constexpr bool isFresh(int k) { return Over ? k < 2 || k % 3 == 2 : k == 0 || k % 3 == 2; }

  TENON_KERNEL R dt() const {
    return gather<R>([this](int i) { return set_.dt[i]; });
  }
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
  TENON_KERNEL static V3<R> mean(const V3<R>& a, const V3<R>& b) {
    if constexpr (Over)
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
    for (int n = 0; n < t_.count; ++n) {
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
      if (n == 0 && t_.freeRoot) continue;
      const auto parentAt = [this, n, &node](int i) {
        return n > 0 ? t_.solid[i][node.parent] : *t_.ground[i];
      };
      const M3<R> P = n > 0 ? t_.bodies[node.parent].lessOne : matrixOf(gatherTurns<R>([&](int i) {
        return state_.orientationOf(parentAt(i));
      }));
      const V3<R> x = gatherVectors<R>([&](int i) { return state_.position[solidAt(i)]; });
      const V3<R> xp = gatherVectors<R>([&](int i) { return state_.positionOf(parentAt(i)); });
      body.own0 = A * solid.own;
      body.other0 = P * solid.other;
      body.gap = (xp + body.other0) - (x + body.own0);
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
      if (node.loaded) {
        t_.loads[n].muscle0 = (node.childIsFirst ? A : P) * t_.loads[n].muscle;
        loadRules(n, node.childIsFirst ? P : A);
      }
      if constexpr (!Over) recall(n, node.childIsFirst ? A : P);
    }
    const double open = larger(kOpen, 10 * set_.closed);
    return off > number<R>(open * open);
  }

  // What the joint pushed with in the step before, as torques on the solid and its parent: body.shift.
  TENON_KERNEL void recall(int n, const M3<R>& first) {
    const TreeNode& node = t_.nodes[n];
    TreeBody<R>& body = t_.bodies[n];
    const auto from = [this, n](int i) { return state_.multiplier + t_.slot[i][n]; };
    const R scale = number<R>((node.childIsFirst ? -1 : 1) / kA) * (dt() * dt());
    const auto inWorld = [&](const V3<R>& v) {
      return scale * (first * (matrixOf(t_.solids[n].frame) * v));
    };
    const V3<R> force = inWorld(gatherVectors<R>([&](int i) {
      return Vec3{from(i)[0], from(i)[1], from(i)[2]};
    }));
    body.shift += cross(body.own0, force);
    V3<R> onParent = cross(body.other0, force);
    if (node.locked > 0 || node.rules > 0) {
      V3<R> torque;
      if (node.locked == 0) {
        torque = t_.loads[n].idle ? zero3<R>() : scale * recalledOfBall(n);
      } else if (node.locked == 1) {
        const TreeTurns<R>& turns = t_.turns[n];
        torque = (scale * gather<R>([&](int i) { return from(i)[3]; })) *
                 cross(turns.w0[0], turns.u0[0]);
      } else {
        torque = inWorld(gatherVectors<R>([&](int i) {
          const V3<double> t = loadTorque(node.locked, node.axis, from(i) + 3);
          return Vec3{t.x, t.y, t.z};
        }));
      }
      if (hasPinRules(node) && !t_.loads[n].idle)
        torque += (scale * recalled(n)) * t_.loads[n].axis0;
      body.shift += torque;
      onParent += torque;
    }
    if (n > 0) t_.bodies[node.parent].shift += number<R>(-1) * onParent;
  }

  // --------------------------------------------------------------------------------- loads of solids

  TENON_OUT_OF_LINE void loadWrench(int n, const M3<R>& A) {
    const TreeNode& node = t_.nodes[n];
    TreeWrench<R>& wrench = t_.wrenches[n];
    loaded_ = number<R>(1);
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
  TENON_KERNEL static M3<R> turnAtLoads(const V3<R>& theta, const M3<R>& lessOne) {
    if constexpr (Over) {
      const R one = number<R>(1);
      const R half = one / (one + squareRootOf(one + number<R>(0.25) * dot(theta, theta)));
      return turnLessOne<Over>(half * theta);
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
  // F = -k (1 - 2 L/S) d̄ - c (d̄·Δd)/(dt |d̄|²) d̄, S = 2 (mean length): loads/over_step.cpp. Where it is not straight,
  // L = 0.
  TENON_KERNEL void addTie(int n, TreeTie<R>& tie, bool slopes, Pushed& p) {
    const TreeBody<R>& body = t_.bodies[n];
    const R no = number<R>(0), one = number<R>(1), kappa = number<R>(kMean);
    const V3<R> turned = body.lessOne * tie.lever0, r1 = tie.lever0 + turned;
    const V3<R> s = mean(tie.lever0, r1);
    const V3<R> d1 = tie.d0 + ((body.move + turned) - (tie.anchor1 - tie.anchor0));
    const V3<R> d = mean(tie.d0, d1);
    const R L0 = squareRootOf(dot(tie.d0, tie.d0)), L1 = squareRootOf(dot(d1, d1));
    const R S = Over ? L0 + L1 : number<R>(2) * L1, square = dot(d, d), tiny = number<R>(1e-140);
    const Mask apart = smaller(smaller(L1, S), square) > tiny;
    const R safeS = choose(apart, S, one), safeSquare = choose(apart, square, one);
    const R rest = choose(apart, tie.rest, no);
    const R factor = tie.stiffness * (one - number<R>(2) * rest / safeS);
    const R resist = choose(apart, tie.damping / (dt() * safeSquare), no);
    // A spring whose ends coincide has no line to act along.
    const R acts = choose(apart, one, one - tie.straight);
    const V3<R> F = (acts * (no - factor - resist * dot(d, d1 - tie.d0))) * d;
    tie.pull = F;
    p.force += F;
    p.torque += cross(s, F);
    // What it stores is ½ k (L - rest)²; of what is no spring of the scene nothing is counted.
    const R from = L0 - rest, to = L1 - rest;
    p.stored = p.stored + (tie.straight * number<R>(0.5) * tie.stiffness) * (to * to - from * from);
    if (slopes) {
      const R bend = acts * number<R>(4 * kMean) * tie.stiffness * rest /
                     (safeS * safeS * choose(apart, L1, one));
      M3<R> D = outer((no - bend) * d, d1);
      D -= outer((acts * resist) * d, d);
      addToDiagonal(no - kappa * acts * factor, D);
      const M3<R> DL = timesSkew(D, r1);
      p.xx += D;
      p.xt -= DL;
      p.tx += skewTimes(s, D);
      p.tt -= skewTimes(s, DL);
      p.tt += outer(kappa * r1, F);
      addToDiagonal((no - kappa) * dot(r1, F), p.tt);
    }
  }
  TENON_KERNEL static R smaller(const R& a, const R& b) { return choose(a < b, a, b); }

  // --------------------------------------------------------------------------------- loads of joints

  TENON_KERNEL static bool hasPinRules(const TreeNode& node) {
    return node.rules > 0 && node.locked > 0;
  }

  // Σ λ of the rules in the step before.
  TENON_KERNEL R recalled(int n) const {
    const TreeNode& node = t_.nodes[n];
    return gather<R>([&](int i) {
      const double* from = state_.multiplier + t_.slot[i][n] + 3 + node.locked;
      double sum = 0;
      for (Index r = 0; r < node.rules; ++r) {
        const bool isRotor = t_.ruleShapes[node.firstRule + r].kind == TreeRuleKind::Rotor;
        sum += isRotor ? from[2 * r] : from[2 * r] - from[2 * r + 1];
      }
      return sum;
    });
  }

  // Of the start: the angle, and whether it lies at a bound. `second`: the axes of solid 2.
  TENON_OUT_OF_LINE void loadRules(int n, const M3<R>& second) {
    const TreeNode& node = t_.nodes[n];
    TreeLoad<R>& load = t_.loads[n];
    const R no = number<R>(0), one = number<R>(1);
    load.held = load.bound = load.pushes = load.off = load.angle0 = no;
    load.axis0 = load.mean = load.torque = zero3<R>();
    load.idle = false;
    if (!node.limitsOnly) loaded_ = one;
    if (node.rules == 0) return;
    const auto pushed = [&](Index rule, Index side) {
      return gather<R>([&](int i) {
        return state_.multiplier[t_.slot[i][n] + 3 + node.locked + 2 * rule + side];
      });
    };
    if (node.limitsOnly) {
      load.idle = true;
      for (Index r = 0; r < node.rules; ++r)
        if (any(pushed(r, 0) > no) || any(pushed(r, 1) > no)) load.idle = false;
      if (load.idle) return;
    }
    if (node.locked == 0) return loadBall(n);
    const TreeTurns<R>& turns = t_.turns[n];
    load.axis0 = cross(turns.u0[0], turns.u0[1]);
    const V3<R> mark = second * load.mark;
    const R angle = angleOf(dot(turns.u0[1], mark), dot(turns.u0[0], mark));
    // The turns that were counted; what is no number has not been counted yet.
    const R known = gather<R>([&](int i) { return state_.memory[t_.memory[i][n]]; });
    constexpr double kTurn = 6.283185307179586477, kRound = 6755399441055744.0;  // 1.5 · 2⁵²
    const R turned =
        ((number<R>(1 / kTurn) * (known - angle)) + number<R>(kRound)) - number<R>(kRound);
    load.angle0 = choose(known == known, angle + number<R>(kTurn) * turned, angle);
    for (Index r = 0; r < node.rules; ++r) {
      if (t_.ruleShapes[node.firstRule + r].kind != TreeRuleKind::Limit) continue;
      const TreeRule<R>& rule = t_.rules[node.firstRule + r];
      const R up = pushed(r, 0), down = pushed(r, 1);
      load.bound = choose(up > no, rule.lower, choose(down > no, rule.upper, load.bound));
      load.pushes = choose(up > no, one, choose(down > no, number<R>(-1), load.pushes));
      load.held = choose(up > no, one, choose(down > no, one, load.held));
      loaded_ = larger(loaded_, load.held);
    }
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
    if constexpr (Over) {
      const V3<R> axis = number<R>(0.5) * (t_.loads[n].axis0 + pin.end);
      const R square = dot(axis, axis), s = dot(between, axis) / square;
      const R w = one + number<R>(0.25) * (dot(thetaP, thetaP) + s * dot(thetaP, axis));
      const R ratio = arcTangentOver(s / (number<R>(2) * w)) / w;
      pin.angle = s * ratio;
      pin.mean = (ratio / square) * axis;
      pin.rate = pin.angle;
    } else {
      const TurnQuaternion<R> q = turnQuaternion<Over>(theta), p = turnQuaternion<Over>(thetaP);
      const V3<R> v = p.w * q.v - q.w * p.v - cross(p.v, q.v);
      const R w = p.w * q.w + dot(p.v, q.v), along = dot(v, t_.loads[n].axis0);
      pin.angle = number<R>(2) * angleOf(along, w);
      pin.mean = pin.end;
      pin.rate = dot(between, pin.end);
    }
    return pin;
  }

  // λ of a rule, and -dλ/dc, for an angle c that was c0, and its mean rate times dt.
  struct RulePush {
    R lambda, slope;
  };
  TENON_OUT_OF_LINE RulePush pushOf(TreeRuleKind kind, const TreeRule<R>& rule, const R& c0,
                                    const R& c1, const R& moved) const {
    const R no = number<R>(0), perStep = number<R>(1) / dt();
    if (kind == TreeRuleKind::Limit) return {no, no};
    if (kind == TreeRuleKind::Rotor) {
      const R slope = (number<R>(kA) * perStep * perStep) * rule.stiffness;
      return {slope * (dt() * rule.rate - (c1 - c0)), slope};
    }
    if (kind == TreeRuleKind::Soft) {
      const R to = c1 - rule.target1;
      const R off = Over ? number<R>(0.5) * ((c0 - rule.target0) + to) : to;
      const R rate = Over ? perStep * ((c1 - c0) - (rule.target1 - rule.target0))
                          : perStep * moved - rule.rate;
      const R lambda = no - rule.stiffness * off - rule.damping * rate;
      const R slope = number<R>(kMean) * rule.stiffness + perStep * rule.damping;
      const R least = no - rule.most;
      return {choose(lambda > rule.most, rule.most, choose(lambda < least, least, lambda)),
              choose(lambda > rule.most, no, choose(lambda < least, no, slope))};
    }
    const R from = Over ? c0 : c1 - moved;
    const RulePush up = preferred(rule, from - rule.lower, c1 - rule.lower, perStep);
    const RulePush down = preferred(rule, rule.upper - from, rule.upper - c1, perStep);
    return {up.lambda - down.lambda, up.slope + down.slope};
  }
  // Beyond one bound, Φ >= 0 being within: U = k/2 in², in = min(0, Φ), and its discrete derivative; damped by how `in`
  // changes.
  TENON_KERNEL static RulePush preferred(const TreeRule<R>& rule, const R& from, const R& to,
                                         const R& perStep) {
    const R no = number<R>(0);
    const R in0 = choose(from < no, from, no), in1 = choose(to < no, to, no);
    R lambda = no - rule.stiffness * in1, slope = choose(to < no, rule.stiffness, no);
    if constexpr (Over) {
      const R change = to - from, tiny = number<R>(1e-12);
      const R energies = (number<R>(0.5) * rule.stiffness) * (in1 * in1 - in0 * in0);
      const Mask moves = change * change > tiny * tiny;
      const R safe = choose(moves, change, number<R>(1));
      lambda = choose(moves, no - energies / safe, lambda);
      slope = choose(moves, (rule.stiffness * in1 * change - energies) / (safe * safe),
                     number<R>(0.5) * slope);
    }
    lambda = lambda - rule.damping * (perStep * (in1 - in0));
    slope = slope + choose(to < no, perStep * rule.damping, no);
    return {choose(lambda > rule.most, rule.most, choose(lambda < no, no, lambda)),
            choose(lambda > rule.most, no, choose(lambda < no, no, slope))};
  }

  // t, and how it changes with turns at the end:  t = σ Σλ n̄ - damping, σ = 1 if this is solid 2,
  //   δλ = -k a_1·σ(δ - δ_p),   δn̄ = κ δ_p × a_1 where n̄ is ā.
  TENON_OUT_OF_LINE void turnLoad(int n, bool slopes) {
    const TreeNode& node = t_.nodes[n];
    TreeLoad<R>& load = t_.loads[n];
    const R h = dt(), h2 = number<R>(1 / kA) * (h * h);
    const V3<R>& theta = t_.bodies[n].theta;
    const V3<R> thetaP = n > 0 ? t_.bodies[node.parent].theta : zero3<R>();
    const R resist = number<R>(1 / kA) * (h * load.damp);
    load.torque = resist * (thetaP - theta);
    // A muscle turns with solid 1.
    const V3<R>& thetaOf1 = node.childIsFirst ? theta : thetaP;
    const M3<R> of1 = node.childIsFirst ? t_.bodies[n].lessOne
                      : n > 0           ? t_.bodies[node.parent].lessOne
                                        : zeroMatrix<R>();
    const V3<R> muscle = (number<R>(node.childIsFirst ? -1 : 1) * h2) *
                         (load.muscle0 + turnAtLoads(thetaOf1, of1) * load.muscle0);
    load.torque += muscle;
    if (slopes) {
      load.own = (number<R>(-1) * resist) * (scaledIdentity(number<R>(1)));
      addSkew((number<R>(0.5) * resist) * theta, load.own);
      load.parent = scaledIdentity(resist);
      addSkew((number<R>(-0.5) * resist) * thetaP, load.parent);
      addSkew(number<R>(-kMean) * muscle, node.childIsFirst ? load.own : load.parent);
    }
    if (node.rules == 0) return;
    if (node.locked == 0) return turnBall(n, slopes);
    const PinTurn pin = pinTurn(n);
    load.mean = pin.mean;
    const R sign = number<R>(node.childIsFirst ? -1 : 1);
    const R c1 = load.angle0 + sign * pin.angle;
    load.off = load.held * (load.bound - c1);
    R lambda = number<R>(0), slope = number<R>(0);
    for (Index r = 0; r < node.rules; ++r) {
      const RulePush push = pushOf(t_.ruleShapes[node.firstRule + r].kind,
                                   t_.rules[node.firstRule + r], load.angle0, c1, sign * pin.rate);
      lambda = lambda + push.lambda;
      slope = slope + push.slope;
    }
    const V3<R> along = (sign * h2 * lambda) * pin.mean;
    load.torque += along;
    if (slopes) {
      const M3<R> turns = outer((h2 * slope) * pin.mean, pin.end);
      load.own -= turns;
      load.parent += turns;
      addSkew((number<R>(-kMean) * sign * h2 * lambda) * pin.end, load.parent);
    }
  }

  // -------------------------------------------------------------------------------- coordinates of balls

  // The rotation vector φ of a turn of frame 2 in frame 1, and how it changes with a turn δ in axes of frame 1:
  //   δφ = G δ,   G = 1 - [φ]ₓ/2 + β [φ]ₓ²,   β = (1 - (φ/2) cot(φ/2))/φ².
  // Of q = (v, w), φ = 4 atan(|v|/(1 + w))/|v| v, and (φ/2) cot(φ/2) = ½ |φ|/|v| w.
  struct BallTurn {
    V3<R> vector;
    M3<R> G;
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
    turn.G = outer(turn.beta * turn.vector, turn.vector);
    addToDiagonal(one - turn.beta * t, turn.G);
    addSkew(number<R>(-0.5) * turn.vector, turn.G);
    return turn;
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
  // λ times how g changes:  ((cos - b aᵀ) - cos g gᵀ)/sine.
  TENON_KERNEL static M3<R> swingBends(const BallSwing& swing, const R& lambda) {
    const R scale = lambda / swing.sine, no = number<R>(0);
    M3<R> H = outer((no - scale * swing.cosine) * swing.g, swing.g);
    addToDiagonal(scale * swing.cosine, H);
    H.r0.x = H.r0.x - scale * swing.b.x;
    H.r1.x = H.r1.x - scale * swing.b.y;
    H.r2.x = H.r2.x - scale * swing.b.z;
    return H;
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
  // Frame 2 in frame 1 after the two have turned. Over a step it may go on beyond half a turn.
  TENON_OUT_OF_LINE static Q4<R> between(const TreeBall<R>& ball, bool goesOn, const V3<R>& theta1,
                                         const V3<R>& theta2) {
    const TurnQuaternion<R> one = turnQuaternion<Over>(theta1), two = turnQuaternion<Over>(theta2);
    const Q4<R> q = conjugateTimes(Q4<R>{one.v.x, one.v.y, one.v.z, one.w} * ball.first,
                                   Q4<R>{two.v.x, two.v.y, two.v.z, two.w} * ball.second);
    const R size = number<R>(1) / squareRootOf(dot4(q, q)), no = number<R>(0);
    const R same = Over && goesOn ? dot4(q, ball.turn) : q.w;
    return scaled(choose(same < no, no - size, size), q);
  }

  TENON_OUT_OF_LINE void loadBall(int n) {
    const TreeNode& node = t_.nodes[n];
    TreeBall<R>& ball = t_.balls[n];
    const auto own = gatherTurns<R>([&](int i) { return state_.orientation[t_.solid[i][n]]; });
    const auto parent = gatherTurns<R>([&](int i) {
      return state_.orientationOf(n > 0 ? t_.solid[i][node.parent] : *t_.ground[i]);
    });
    ball.first = (node.childIsFirst ? own : parent) * ball.frame1;
    ball.second = (node.childIsFirst ? parent : own) * ball.frame2;
    ball.A = matrixOf(ball.first);
    ball.B = matrixOf(ball.second);
    const Q4<R> q = conjugateTimes(ball.first, ball.second);
    const R no = number<R>(0), one = number<R>(1);
    ball.turn = scaled(choose(q.w < no, no - one, one), q);
    const BallTurn turn = ballTurn(ball.turn);
    ball.vector = turn.vector;
    if (node.swings) ball.swing = ballSwing(ball.turn).angle;
    for (V3<R>& end : ball.end) end = zero3<R>();
  }
  // What its rules pushed with in the step before, as a torque on solid 2.
  TENON_OUT_OF_LINE V3<R> recalledOfBall(int n) {
    const TreeNode& node = t_.nodes[n];
    const TreeBall<R>& ball = t_.balls[n];
    R lambda[4] = {number<R>(0), number<R>(0), number<R>(0), number<R>(0)};
    for (Index r = 0; r < node.rules; ++r) {
      R& at = lambda[t_.ruleShapes[node.firstRule + r].coordinate];
      at = at + gather<R>([&](int i) {
             const double* from = state_.multiplier + t_.slot[i][n] + 3 + 2 * r;
             return from[0] - from[1];
           });
    }
    V3<R> along = transposeTimes(ballTurn(ball.turn).G, V3<R>{lambda[0], lambda[1], lambda[2]});
    if (node.swings) along += lambda[kSwing] * ballSwing(ball.turn).g;
    return ball.A * along;
  }

  // The torque of all rules on solid 2, and how it changes: at the end, with E = G A_1ᵀ of the end,
  //   τ = Eᵀ λ,     δτ = (A_1 (∂Gᵀλ) G A_1ᵀ - Eᵀ k E)(δ_2 - δ_1) + δ_1 × τ;
  // over the step with G of the middle, y = Gᵀ λ and Δc the changes of the coordinates,
  //   τ = ½ W y + σ axial(Ā ΔC B̄ᵀ),   W y = axial(Ā [y]ₓ C B̄ᵀ),   σ = (λ·Δc - ½ y·axial(ΔC Cᵀ))/(|ΔC|² + ε²),
  // which is the discrete gradient of joints/step_rows.h. Its slopes leave out what is of the order of θ².
  TENON_OUT_OF_LINE void turnBall(int n, bool slopes) {
    const TreeNode& node = t_.nodes[n];
    TreeLoad<R>& load = t_.loads[n];
    TreeBall<R>& ball = t_.balls[n];
    const R h = dt(), h2 = number<R>(1 / kA) * (h * h), no = number<R>(0), half = number<R>(0.5);
    const V3<R>& theta = t_.bodies[n].theta;
    const V3<R> thetaP = n > 0 ? t_.bodies[node.parent].theta : zero3<R>();
    const M3<R>& less = t_.bodies[n].lessOne;
    const M3<R> lessP = n > 0 ? t_.bodies[node.parent].lessOne : zeroMatrix<R>();
    const V3<R>&theta1 = node.childIsFirst ? theta : thetaP,
          &theta2 = node.childIsFirst ? thetaP : theta;
    const M3<R> A1 = ball.A + (node.childIsFirst ? less : lessP) * ball.A;
    const Q4<R> q1 = between(ball, node.goesOn, theta1, theta2);
    const BallTurn end = ballTurn(q1);
    ball.end[0] = A1 * end.G.r0;
    ball.end[1] = A1 * end.G.r1;
    ball.end[2] = A1 * end.G.r2;
    BallSwing swung;
    if (node.swings) {
      swung = ballSwing(q1);
      ball.end[kSwing] = A1 * swung.g;
    }
    // Coordinates, and what is pushed along them.
    const V3<R> apart = theta2 - theta1;
    const R from[4] = {ball.vector.x, ball.vector.y, ball.vector.z, ball.swing};
    const R to[4] = {end.vector.x, end.vector.y, end.vector.z, node.swings ? swung.angle : no};
    R lambda[4] = {no, no, no, no}, slope[4] = {no, no, no, no};
    for (Index r = node.firstRule; r < node.firstRule + node.rules; ++r) {
      const int c = t_.ruleShapes[r].coordinate;
      const RulePush push = pushOf(t_.ruleShapes[r].kind, t_.rules[r], from[c], to[c],
                                   Over ? no : dot(ball.end[c], apart));
      lambda[c] = lambda[c] + push.lambda;
      slope[c] = slope[c] + push.slope;
    }
    const V3<R> vector{lambda[0], lambda[1], lambda[2]};
    const int count = node.swings ? 4 : 3;
    V3<R> torque, along[4];
    M3<R> bends;  // how Gᵀ λ changes, in axes of frame 1; then of what turns the torque
    if constexpr (Over) {
      const auto halfOf = [](const V3<R>& turn) {
        const R one = number<R>(1);
        return (one / (one + squareRootOf(one + number<R>(0.25) * dot(turn, turn)))) * turn;
      };
      const M3<R> B1 = ball.B + (node.childIsFirst ? lessP : less) * ball.B;
      const Q4<R> qm = between(ball, node.goesOn, halfOf(theta1), halfOf(theta2));
      const BallTurn middle = ballTurn(qm);
      const M3<R> A = half * (ball.A + A1), B = half * (ball.B + B1);
      const M3<R> C = matrixOf(qm), dC = matrixOf(q1) - matrixOf(ball.turn);
      const M3<R> N = timesTransposed(C, B);
      const V3<R> turned = axialOf(A * timesTransposed(dC, B)),
                  rolled = axialOf(timesTransposed(dC, C));
      const R square = dot(dC.r0, dC.r0) + dot(dC.r1, dC.r1) + dot(dC.r2, dC.r2);
      const R over = number<R>(1) / (square + number<R>(kStill * kStill));
      BallSwing leaning;
      if (node.swings) leaning = ballSwing(qm);
      const V3<R> g[4] = {middle.G.r0, middle.G.r1, middle.G.r2,
                          node.swings ? leaning.g : zero3<R>()};
      torque = zero3<R>();
      for (int c = 0; c < count; ++c) {
        const R defect = (to[c] - from[c]) - half * dot(g[c], rolled);
        along[c] = half * axialOf(A * skewTimes(g[c], N)) + (over * defect) * turned;
        torque += lambda[c] * along[c];
      }
      if (slopes) {
        bends = half * vectorBends(middle, vector);
        if (node.swings) bends += half * swingBends(leaning, lambda[kSwing]);
        bends = A * timesTransposed(bends, A);
      }
    } else {
      torque = zero3<R>();
      for (int c = 0; c < count; ++c) {
        along[c] = ball.end[c];
        torque += lambda[c] * along[c];
      }
      if (slopes) {
        bends = vectorBends(end, vector);
        if (node.swings) bends += swingBends(swung, lambda[kSwing]);
        bends = A1 * timesTransposed(bends, A1);
      }
    }
    const R sign = number<R>(node.childIsFirst ? -1 : 1);
    load.torque += (sign * h2) * torque;
    if (!slopes) return;
    for (int c = 0; c < count; ++c) bends -= outer(slope[c] * along[c], ball.end[c]);
    // On solid 2 by turns of 2: bends; by turns of 1: -bends - κ [τ]ₓ.
    M3<R> second = h2 * bends, first = (no - h2) * bends;
    addSkew((number<R>(-kMean) * h2) * torque, first);
    if (node.childIsFirst) {
      load.own -= first;
      load.parent -= second;
    } else {
      load.own += second;
      load.parent += first;
    }
  }
  // How Gᵀ λ changes with a turn:  -(½ [λ]ₓ + β ([φ × λ]ₓ + λ φᵀ - φ·λ)) G.
  TENON_KERNEL static M3<R> vectorBends(const BallTurn& turn, const V3<R>& lambda) {
    const R no = number<R>(0);
    M3<R> M = outer((no - turn.beta) * lambda, turn.vector);
    addToDiagonal(turn.beta * dot(turn.vector, lambda), M);
    addSkew((no - turn.beta) * cross(turn.vector, lambda), M);
    addSkew(number<R>(-0.5) * lambda, M);
    return M * turn.G;
  }
  TENON_KERNEL static M3<R> timesTransposed(const M3<R>& a, const M3<R>& b) {
    return {b * a.r0, b * a.r1, b * a.r2};
  }
  // v with <S, [w]ₓ> = v · w.
  TENON_KERNEL static V3<R> axialOf(const M3<R>& S) {
    return {S.r2.y - S.r1.z, S.r0.z - S.r2.x, S.r1.x - S.r0.y};
  }

  TENON_OUT_OF_LINE void rememberBall(int n, unsigned lanes) {
    const TreeNode& node = t_.nodes[n];
    const TreeBall<R>& ball = t_.balls[n];
    const V3<R>& theta = t_.bodies[n].theta;
    const V3<R> thetaP = n > 0 ? t_.bodies[node.parent].theta : zero3<R>();
    const V3<R>&theta1 = node.childIsFirst ? theta : thetaP,
          &theta2 = node.childIsFirst ? thetaP : theta;
    const Q4<R> q1 = between(ball, node.goesOn, theta1, theta2);
    const V3<R> end = ballTurn(q1).vector;
    const R no = number<R>(0);
    const R from[4] = {ball.vector.x, ball.vector.y, ball.vector.z, ball.swing};
    const R to[4] = {end.x, end.y, end.z, node.swings ? ballSwing(q1).angle : no};
    for (Index r = 0; r < node.rules; ++r) {
      const TreeRuleShape& shape = t_.ruleShapes[node.firstRule + r];
      const TreeRule<R>& rule = t_.rules[node.firstRule + r];
      const R moved = dot(ball.end[shape.coordinate], theta2 - theta1);
      R up = pushOf(shape.kind, rule, from[shape.coordinate], to[shape.coordinate], moved).lambda;
      R down = no;
      if (shape.kind == TreeRuleKind::Prefer) {
        down = choose(up < no, no - up, no);
        up = choose(up < no, no, up);
      }
      for (int i = 0; i < kWidth; ++i) {
        if ((lanes >> i & 1u) == 0) continue;
        double* to = state_.multiplier + t_.slot[i][n] + 3 + 2 * r;
        to[0] = lane(up, i);
        to[1] = lane(down, i);
      }
    }
  }

  // What the joint that lies at a bound is turned with along its axis: what is left of ρ, in λ.
  TENON_KERNEL R heldPush(int n, const V3<R>& rho) const {
    const TreeLoad<R>& load = t_.loads[n];
    const R square = dot(load.mean, load.mean);
    return load.held * (dot(load.mean, rho) / square);
  }

  // ------------------------------------------------------------------- poses, from the root outwards

  // What follows from the turn of a solid, its parent's being known.
  TENON_KERNEL void follow(int n) {
    const TreeNode& node = t_.nodes[n];
    TreeBody<R>& body = t_.bodies[n];
    body.lessOne = turnLessOne<Over>(body.theta);
    if (n == 0 && t_.freeRoot) return;
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
    for (int n = 0; n < t_.count; ++n) {
      TreeBody<R>& body = t_.bodies[n];
      if constexpr (!Over) body.theta += inverse(full(body.inertia)) * body.shift;
      const R turn2 = dot(body.theta, body.theta);
      most = choose(turn2 <= most, most, turn2);  // what is no number stays
      follow(n);
    }
    for (int i = 0; i < kWidth; ++i) outcome.tooFar[i] = lane(most, i) / kMostTurn2<Over>;
    return most <= number<R>(kMostTurn2<Over>);
  }

  // The turns and displacements that `eliminate` found, added where `active`. Returns the largest squared.
  R improve(const Mask& active) {
    R most = number<R>(0), turned2 = number<R>(0);
    worst2_ = number<R>(0);
    for (int n = 0; n < t_.count; ++n) {
      const TreeNode& node = t_.nodes[n];
      TreeBody<R>& body = t_.bodies[n];
      if (n == 0) {
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
      most = larger(most, dot(body.shift, body.shift));
      body.theta =
          choose<R>(active, body.theta + turnChange<Over>(body.theta, body.shift), body.theta);
      const R turn2 = dot(body.theta, body.theta);
      turned2 = choose(turn2 <= turned2, turned2, turn2);
      follow(n);
    }
    within_ = turned2 <= number<R>(kMostTurn2<Over>);
    return most;
  }

  // ---------------------------------------------------------------- elimination, from the leaves inwards

  template <bool Fresh>
  void eliminate() {
    TreePart<R>* top =
        t_.stack;  // one past the parts that wait: the last is the sum of the children's
    for (int n = t_.count - 1; n >= 0; --n) {
      const TreeNode& node = t_.nodes[n];
      if (node.leaf) clear<Fresh>(*top++);
      TreePart<R>& part = top[-1];
      addInertia<Fresh>(n, part);
      if (n == 0 && t_.freeRoot) {
        solveFree<Fresh>(part);
      } else if (node.locked == 0) {
        eliminateBall<Fresh>(n, part);
      } else {
        eliminateLocked<Fresh>(n, part);
      }
      if (n == 0) break;
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
    part.force += mass * (body.move - body.drift);
    if constexpr (Fresh) {
      const TurnTorque<R> spun =
          turnTorque<Over>(body.inertia, body.momentum, body.theta, body.lessOne);
      part.torque += spun.torque;
      part.tt += spun.slope;
      addToDiagonal(mass, part.xx);
    } else {
      part.torque += turnMomentum<Over>(body.inertia * body.theta, body.momentum, body.lessOne) -
                     body.momentum;
    }
    if (t_.nodes[n].pushed) addPush<Fresh>(n, part);
  }
  template <bool Fresh>
  void addPush(int n, TreePart<R>& part) {
    const R h2 = number<R>(-1 / kA) * (dt() * dt());
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
    if (n == 0) return;
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
    if constexpr (Fresh) {
      body.N = timesSkew(part.xx, r) + part.xt;
      body.inverse = inverse(lever(part, r, s, f, body.N) - load.own);
    }
    const V3<R> rho = (part.torque + part.torqueShift) - cross(s, f + part.forceShift);
    body.shift = number<R>(-1) * (body.inverse * (rho - load.torque));
    if (n == 0) return;
    part.forceShift += body.N * body.shift;
    const V3<R>& other = body.other1;
    const V3<R> lever = mean(body.other0, other);
    part.torque = cross(lever, f) + load.torque;
    part.torqueShift = cross(lever, part.forceShift) + load.own * body.shift;
    if constexpr (Fresh) {
      body.V = body.inverse * (skewTimes(s, part.xx) - part.tx);
      turns.U = body.inverse * load.parent;
      part.xx += body.N * body.V;
      const M3<R> tx = load.own * body.V;
      part.xt = number<R>(-1) * timesSkew(part.xx, other) + body.N * turns.U;
      part.tx = skewTimes(lever, part.xx) + tx;
      part.tt =
          skewTimes(lever, part.xt) + ((load.own * turns.U + load.parent) - timesSkew(tx, other));
      leverTurns(other, f, part);
    }
  }
  // The parent's lever turns with it: + δs × f with δs = κ δ × r.
  TENON_KERNEL static void leverTurns(const V3<R>& r, const V3<R>& f, TreePart<R>& part) {
    const V3<R> kr = number<R>(kMean) * r;
    part.tt += outer(kr, f);
    addToDiagonal(number<R>(-1) * dot(kr, f), part.tt);
  }

  // D: how ρ changes with a turn of the solid about the joint's point.
  TENON_KERNEL static M3<R> lever(const TreePart<R>& part, const V3<R>& r, const V3<R>& s,
                                  const V3<R>& f, const M3<R>& N) {
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
    V3<R> rho = part.torque - cross(s, f), given = zero3<R>();
    const bool acts = this->acts(n);
    if (acts) {
      turnLoad(n, Fresh);
      given = t_.loads[n].torque;
      rho = rho - given;
    }
    const V3<R> all = rho + (part.torqueShift - cross(s, part.forceShift));
    Locked lock = locked(node, turns, rho);
    if (acts && hasPinRules(node)) {
      // At a bound the axis is locked, too: what is off is turned back.
      const TreeLoad<R>& load = t_.loads[n];
      lock.torque += heldPush(n, rho) * load.mean;
      lock.mend +=
          (number<R>(node.childIsFirst ? -1 : 1) * load.off) * cross(turns.u1[0], turns.u1[1]);
    }
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
      turns.P = across(node, turns, turns.Dk);  // A (Āᵀ D' A)⁻¹ Āᵀ
      if (acts && hasPinRules(node)) turns.P = (number<R>(1) - t_.loads[n].held) * turns.P;
    }
    // τ itself is of no concern to P, but to one that was kept.
    body.shift = lock.mend - turns.P * ((all - lock.torque) + turns.Dk * lock.mend);
    if (n == 0) return;
    // τ = all + D δ - E c, δ = U δ_p + V c + shift
    const V3<R>& other = body.other1;
    const V3<R> lever = mean(body.other0, other);
    part.forceShift += body.N * body.shift;
    part.torque = (lock.torque + given) + cross(lever, f);
    part.torqueShift = ((all - lock.torque) + turns.D * body.shift) + cross(lever, part.forceShift);
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
  };
  TENON_KERNEL Locked locked(const TreeNode& node, const TreeTurns<R>& turns,
                             const V3<R>& rho) const {
    V3<R> n[kMostLocked], m[kMostLocked];
    R error[kMostLocked], y[kMostLocked];
    Locked lock{zero3<R>(), zero3<R>(), {}};
    const R sign = number<R>(node.childIsFirst ? -1 : 1);
    for (int k = 0; k < node.locked; ++k) {
      const V3<R> u = mean(turns.u0[k], turns.u1[k]), w = mean(turns.w0[k], turns.w1[k]);
      n[k] = sign * cross(turns.w1[k], turns.u1[k]);
      m[k] = sign * cross(w, u);
      error[k] = number<R>(-1) * dot(turns.u1[k], turns.w1[k]);
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
  TENON_KERNEL static LockedSlopes lockedSlopes(const TreeNode& node, const TreeTurns<R>& turns,
                                                const Locked& lock) {
    M3<R> first = zeroMatrix<R>(), second = zeroMatrix<R>();
    for (int k = 0; k < node.locked; ++k) {
      // δn̄ = κ ((δ_2 × w) × ū + w̄ × (δ_1 × u))
      const R push = number<R>(kMean * (node.childIsFirst ? -1 : 1)) * lock.mu[k];
      const V3<R> u = mean(turns.u0[k], turns.u1[k]), w = mean(turns.w0[k], turns.w1[k]);
      const V3<R> pu = push * turns.u1[k], pw = push * turns.w1[k];
      second += outer(pw, u);
      addToDiagonal(number<R>(-1) * dot(pw, u), second);
      first -= outer(pu, w);
      addToDiagonal(dot(pu, w), first);
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
  TENON_KERNEL static M3<R> across(const TreeNode& node, const TreeTurns<R>& turns,
                                   const M3<R>& D) {
    const auto u = [&turns](int k) { return mean(turns.u0[k], turns.u1[k]); };
    const auto w = [&turns](int k) { return mean(turns.w0[k], turns.w1[k]); };
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
      return outer((number<R>(1) / dot(b, D * a)) * a, b);
    }
    return zeroMatrix<R>();
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

  void finish(unsigned lanes, double* work) {
    if (t_.freeRoot && !t_.anyPushed) keepCentre();
    // Forces and torques of the joints at the end: body.carried and body.shift. A parent's begin with those of
    // the first child that comes, its last one.
    for (int n = t_.count - 1; n >= 0; --n) {
      const TreeNode& node = t_.nodes[n];
      TreeBody<R>& body = t_.bodies[n];
      if (node.leaf) body.carried = body.shift = zero3<R>();
      body.carried += t_.solids[n].mass * (body.move - body.drift);
      V3<R> outside = zero3<R>();
      if (node.pushed) outside = finishPush(n, lanes, work);
      if (node.locked == 0) {
        if (acts(n)) turnLoad(n, false);
        body.shift = acts(n) ? t_.loads[n].torque : zero3<R>();  // all that it turns its solid with
      } else {
        const V3<R> T =
            (turnMomentum<Over>(body.inertia * body.theta, body.momentum, body.lessOne) -
             body.momentum) -
            outside;
        body.shift = (body.shift + T) - cross(mean(body.own0, body.own1), body.carried);
      }
      if (n == 0) break;
      TreeBody<R>& parent = t_.bodies[node.parent];
      if (node.lastChild) parent.carried = parent.shift = zero3<R>();
      parent.carried += body.carried;
      if (t_.anyLocked) {
        parent.shift += cross(mean(body.other0, body.other1), body.carried);
        if (turnsParent(n)) parent.shift += body.shift;
      }
    }
    const R rate = number<R>(kA) / dt(), scale = number<R>(kA) / (dt() * dt());
    for (int n = 0; n < t_.count; ++n) {
      const TreeNode& node = t_.nodes[n];
      TreeBody<R>& body = t_.bodies[n];
      V3<R> v = rate * body.move, spin = rate * body.theta;
      if constexpr (Over) {
        v = v - gatherVectors<R>([&](int i) { return state_.velocity[t_.solid[i][n]]; });
        spin = spin - gatherVectors<R>([&](int i) { return state_.spin[t_.solid[i][n]]; });
      }
      spin = spin + body.lessOne * spin;
      const Q4<R> end = turned<Over>(
          body.theta, gatherTurns<R>([&](int i) { return state_.orientation[t_.solid[i][n]]; }));
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
      Q4<R> q = end;
      if (!node.childIsFirst)
        q = gatherTurns<R>([&](int i) {
          return state_.orientationOf(n > 0 ? t_.solid[i][node.parent] : *t_.ground[i]);
        });
      const M3<R> F = matrixOf(q * t_.solids[n].frame);
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
    }
  }

  // Takes what acts on a solid out of what its joint carries, and adds up its work. Returns the torque.
  V3<R> finishPush(int n, unsigned lanes, double* work) {
    TreeBody<R>& body = t_.bodies[n];
    const Pushed p = pushed(n, false);
    const R h2 = number<R>(1 / kA) * (dt() * dt());
    body.carried = body.carried - h2 * p.force;
    const R done = (dot(p.force, body.move) + dot(p.torque, body.theta)) + p.stored;
    for (int i = 0; i < kWidth; ++i)
      if ((lanes >> i & 1u) != 0) work[i] += lane(done, i);
    return h2 * p.torque;
  }

  // Takes what acts on a joint out of what it turns its solid with, and adds up its work. λ of the rules is remembered as
  // rows have it: by side, pushing. Where a bound pulls, that is less than 0.
  void finishLoad(int n, unsigned lanes, double* work) {
    const TreeNode& node = t_.nodes[n];
    TreeBody<R>& body = t_.bodies[n];
    if (node.locked > 0) turnLoad(n, false);
    const TreeLoad<R>& load = t_.loads[n];
    body.shift = body.shift - load.torque;
    const V3<R> between = n > 0 ? body.theta - t_.bodies[node.parent].theta : body.theta;
    V3<R> torque = load.torque;
    if (hasPinRules(node)) torque += heldPush(n, body.shift) * load.mean;
    const R done = (number<R>(kA) / (dt() * dt())) * dot(torque, between);
    for (int i = 0; i < kWidth; ++i)
      if ((lanes >> i & 1u) != 0) work[i] += lane(done, i);
    if (node.rules == 0) return;
    if (node.locked == 0) return rememberBall(n, lanes);
    const R sign = number<R>(node.childIsFirst ? -1 : 1);
    const PinTurn pin = pinTurn(n);
    const R c1 = load.angle0 + sign * pin.angle, no = number<R>(0);
    const R scale = number<R>(kA) / (dt() * dt());
    const R held = (sign * scale) * heldPush(n, t_.bodies[n].shift) * load.pushes;
    for (Index r = 0; r < node.rules; ++r) {
      const TreeRuleKind kind = t_.ruleShapes[node.firstRule + r].kind;
      const TreeRule<R>& rule = t_.rules[node.firstRule + r];
      R up = pushOf(kind, rule, load.angle0, c1, sign * pin.rate).lambda, down = no;
      if (kind == TreeRuleKind::Prefer) {
        down = choose(up < no, no - up, no);
        up = choose(up < no, no, up);
      } else if (kind == TreeRuleKind::Rotor) {  // its work is its own energy
        const R own = up * sign * pin.rate;
        for (int i = 0; i < kWidth; ++i)
          if ((lanes >> i & 1u) != 0) work[i] -= lane(own, i);
      } else if (kind == TreeRuleKind::Limit) {
        const Mask isHere = load.bound == rule.lower;
        const Mask isThere = load.bound == rule.upper;
        up = choose(load.pushes > no, choose(isHere, held, no), no);
        down = choose(load.pushes < no, choose(isThere, held, no), no);
      }
      for (int i = 0; i < kWidth; ++i) {
        if ((lanes >> i & 1u) == 0) continue;
        double* to = state_.multiplier + t_.slot[i][n] + 3 + node.locked + 2 * r;
        to[0] = lane(up, i);
        to[1] = lane(down, i);
      }
    }
  }

  TENON_KERNEL void remember(const TreeNode& node, const Vec3& force, const Vec3& torque,
                             Index slot) {
    double* to = state_.multiplier + slot;
    storeForce({force.x, force.y, force.z}, to);
    storeTorque(node.locked, node.axis, {torque.x, torque.y, torque.z}, to + 3);
  }

  TreeFigures<R> t_;
  KernelSettings set_;
  StatePointers state_;
  Mask within_{};
  R worst2_ = number<R>(0);  // of the errors of locked turns
  R loaded_ = number<R>(0);  // 1: something acts on a joint
};

}  // namespace
}  // namespace tenon::packed
