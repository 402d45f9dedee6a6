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
      const bool fresh = isFresh(k);
      if (fresh)
        eliminate<true>();
      else
        eliminate<false>();
      const R change2 = improve(active);
      // Newton's method squares what is left: it becomes C δ², and C shows in the last two. With the matrices
      // of the iteration before it shrinks as it just did.
      const R ratio2 = change2 / last2;
      R left2;
      if (fresh)
        left2 = larger(k > 0 ? ratio2 / last2 : one, one) * (change2 * change2);
      else
        left2 = number<R>(4) * ratio2 * change2;
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
    if (outcome.done != 0) finish(outcome.done);
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
      body.drift = h * v + fall;
      body.theta = h * spin;
      body.move = body.drift;  // of a free root
      body.gap = body.shift = zero3<R>();
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
    if (node.locked > 0) {
      V3<R> torque;
      if (node.locked == 1) {
        const TreeTurns<R>& turns = t_.turns[n];
        torque = (scale * gather<R>([&](int i) { return from(i)[3]; })) *
                 cross(turns.w0[0], turns.u0[0]);
      } else {
        torque = inWorld(gatherVectors<R>([&](int i) {
          const V3<double> t = loadTorque(node.locked, node.axis, from(i) + 3);
          return Vec3{t.x, t.y, t.z};
        }));
      }
      body.shift += torque;
      onParent += torque;
    }
    if (n > 0) t_.bodies[node.parent].shift += number<R>(-1) * onParent;
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
        if (node.locked > 0) body.shift += t_.turns[n].U * parent.shift;
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
    const V3<R> rho = part.torque - cross(s, f);
    const V3<R> all = rho + (part.torqueShift - cross(s, part.forceShift));
    const Locked lock = locked(node, turns, rho);
    M3<R> E, parentTurns;
    if constexpr (Fresh) {
      body.N = timesSkew(part.xx, r) + part.xt;
      turns.D = lever(part, r, s, f, body.N);
      E = skewTimes(s, part.xx) - part.tx;
      // Rows along Ā:  Āᵀ (all + D' (δ_p + A y + e) - E c - K_p δ_p) = 0,  D' = D - K.
      const LockedSlopes slopes = lockedSlopes(node, turns, lock);
      turns.Dk = turns.D - slopes.own;
      parentTurns = turns.Dk - slopes.parent;
      turns.P = across(node, turns, turns.Dk);  // A (Āᵀ D' A)⁻¹ Āᵀ
    }
    // τ itself is of no concern to P, but to one that was kept.
    body.shift = lock.mend - turns.P * ((all - lock.torque) + turns.Dk * lock.mend);
    if (n == 0) return;
    // τ = all + D δ - E c, δ = U δ_p + V c + shift
    const V3<R>& other = body.other1;
    const V3<R> lever = mean(body.other0, other);
    part.forceShift += body.N * body.shift;
    part.torque = lock.torque + cross(lever, f);
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

  void finish(unsigned lanes) {
    if (t_.freeRoot) keepCentre();
    // Forces and torques of the joints at the end: body.carried and body.shift. A parent's begin with those of
    // the first child that comes, its last one.
    for (int n = t_.count - 1; n >= 0; --n) {
      const TreeNode& node = t_.nodes[n];
      TreeBody<R>& body = t_.bodies[n];
      if (node.leaf) body.carried = body.shift = zero3<R>();
      body.carried += t_.solids[n].mass * (body.move - body.drift);
      if (node.locked > 0) {
        const V3<R> T = turnMomentum<Over>(body.inertia * body.theta, body.momentum, body.lessOne) -
                        body.momentum;
        body.shift = (body.shift + T) - cross(mean(body.own0, body.own1), body.carried);
      }
      if (n == 0) break;
      TreeBody<R>& parent = t_.bodies[node.parent];
      if (node.lastChild) parent.carried = parent.shift = zero3<R>();
      parent.carried += body.carried;
      if (t_.anyLocked) {
        parent.shift += cross(mean(body.other0, body.other1), body.carried);
        if (node.locked > 0) parent.shift += body.shift;
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
};

}  // namespace
}  // namespace tenon::packed
