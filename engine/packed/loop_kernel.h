// A step of a figure with loops, solved for its end by Newton's method: the equations of methods/end_solve.h
// for joints that hold points together and lock turns.
//
// Unknown are turns and displacements of the solids and the multipliers ν of the nodes,
//   g_x = m (Δx - drift) - Σ σ f = 0,     g_t = T - Σ σ (s × f + τ) = 0,     e = 0,
// σ being +1 for solid2 and -1 for solid1 of a joint, s the lever at the end, or the mean of those of start and
// end. A solid alone is B δ = …, B = ∂T/∂δ + Σ σ κ ((r·f) 1 - r fᵀ) - …: the forces turn with the levers, and
// only with those of the solid itself. So the solids are eliminated first, 3×3 by 3×3, and what is left is
//   A δν = -e + J (g_x/m, B⁻¹ g_t),       A = Σ over solids of J (1/m, B⁻¹) Pᵀ,
// factorised as L U in an order that was found once. All of it is Newton's method.
//
// Where a point slides, s_k along axes a_k of frame 1, they belong to the lever of solid 1, and a node of its own says that
// nothing pushes there: with mean axes ā and i, j, k in turn
//   b_k · f = 0,  b_k = ā_i × ā_j,     δ: b_k · δf + g_k · δ_1,  g_k = κ (a_i × (ā_j × f) + a_j × (f × ā_i)),
// so that f lies along the axes that are locked. δs_k moves the point by -a_k, and adds -κ a_k × f to the torque on solid 1.
//
// A torque τ that a joint locks turns with follows both of its solids. It is differentiated as if each solid saw
// only its own turn: of a hinge and a weld what that leaves out lies along the joint's own rows, so that the
// next δν takes it up; of a cardan joint it only slows the iteration.
//
// This file is compiled once for every kind of machine. Everything in it is local to its file.
#pragma once

#include "packed/loop_blocks.h"
#include "packed/multipliers.h"
#include "packed/turn.h"

namespace tenon::packed {
namespace {

template <bool Over>
class LoopKernel : SolvedWhen<Over> {
 public:
  LoopKernel(const LoopFigure& figure, const KernelSettings& settings, const StatePointers& state,
             bool over = Over)
      : SolvedWhen<Over>(over), f_(figure), set_(settings), state_(state), dt_(settings.dt[0]) {}

  LoopOutcome run() {
    LoopOutcome outcome;
    load();
    outcome.open = !(worst2_ <= kOpen * kOpen);
    if (outcome.open) return outcome;
    const bool within = follow();
    outcome.tooFar = turned2_ / mostTurn2(kOver);
    if (!within) return outcome;
    // Newton's method; where factors are dear, with the same ones while that is good enough.
    bool fresh = true;
    double last = 1;  // change of the iteration before
    for (int k = 0; k < set_.most; ++k) {
      ++outcome.iterations;
      solids(fresh, k == 0);
      if (fresh) factor(f_);
      solve(f_);
      const double change = squareRootOf(improve());
      if (!(change <= kMostChange) || !follow()) return outcome;
      // With the same factors, or where the matrix leaves something out, what is left shrinks as it just did.
      // Newton's method squares it: C δ², and C shows in the last two.
      const double ratio = change / last;
      const double left = fresh && (f_.exact || k == 0)
                              ? larger(k > 0 ? ratio / last : 1.0, 1.0) * change * change
                              : 2 * ratio * change;
      if ((k > 0 || left <= kSure * set_.tolerance) && left <= set_.tolerance &&
          worst2_ <= set_.closed * set_.closed) {
        outcome.done = true;
        finish();
        return outcome;
      }
      fresh = !f_.heavy || (!fresh && !(ratio <= kSlow));
      last = change;
    }
    return outcome;
  }

 private:
  using SolvedWhen<Over>::kOver, SolvedWhen<Over>::kA, SolvedWhen<Over>::kMean;
  static constexpr double kMostChange = 1;  // [rad], [m] of an iteration
  static constexpr double kSlow = 0.1;      // with the same factors
  static constexpr double kSure = 1e-2;     // where there is but one change to judge by
  static constexpr double kOpen = 1e-3;     // [m], [rad]
  // Rows that repeat each other ask for different things while joints are off, by the square of the
  // errors: with as much compliance, in mobilities, no multipliers fight over it. It is on what is added to
  // multipliers, so that joints are exact at the end; at first on all of them, so that none pile up from
  // step to step.
  static constexpr double kLeastGive = 1e-8, kMostGive = 1e-2;

  TENON_KERNEL Vector mean(const Vector& a, const Vector& b) const {
    if (kOver)
      return 0.5 * (a + b);
    else
      return b;
  }
  TENON_KERNEL void note(double error2) {
    if (!(error2 <= worst2_)) worst2_ = error2;
  }

  // ------------------------------------------------------------------------------- start of a step

  void load() {
    worst2_ = 0;
    const double h = dt_;
    const Vector fall = (h * h / kA) * vectorOf(set_.gravity);
    for (Index s = 0; s < f_.solidCount; ++s) {
      const LoopSolid& solid = f_.solids[s];
      LoopBody& body = f_.bodies[s];
      const Matrix A = packed::matrixOf(turnOf(state_.orientation[solid.solid]));
      const Vector spin = vectorOf(state_.spin[solid.solid]);
      body.inertia = turned(A, solid.inertia);
      body.momentum = (h / kA) * (body.inertia * spin);
      body.drift = h * vectorOf(state_.velocity[solid.solid]) + solid.gravity * fall;
      body.theta = h * spin;
      body.move = body.drift;
      for (Index e = solid.firstEnd; e < f_.solids[s + 1].firstEnd; ++e) {
        const LoopEnd& end = f_.ends[e];
        for (int k = 0; k < vectorsOf(f_.nodes[end.node]); ++k)
          f_.grips[e].start[k] = A * end.axis[k];
      }
    }
    for (Index n = 0; n < f_.nodeCount; ++n) loadNode(f_.nodes[n], f_.rows[n]);
    if (!kOver) lookAhead();
  }

  void loadNode(const LoopNode& node, LoopRows& rows) {
    if (node.end1 == kNoEnd || node.end2 == kNoEnd) {
      const Index ground = node.end1 == kNoEnd ? node.solid1 : node.solid2;
      const Matrix A = packed::matrixOf(turnOf(state_.orientationOf(ground)));
      for (int k = 0; k < vectorsOf(node); ++k) rows.ground[k] = A * node.onGround[k];
    }
    rows.nu = zero3<double>();
    if (node.point != kNoEnd) return;  // its point sees to it
    const Vector* a = node.end1 == kNoEnd ? rows.ground : f_.grips[node.end1].start;
    const Vector* b = node.end2 == kNoEnd ? rows.ground : f_.grips[node.end2].start;
    if (node.locked == 0) {
      rows.gap = (vectorOf(state_.positionOf(node.solid2)) + b[0]) -
                 (vectorOf(state_.positionOf(node.solid1)) + a[0]);
      if (node.slide != kNoEnd) loadSlide(node, rows);
      note(dot(rows.gap, rows.gap));
    } else {
      for (int k = 0; k < node.locked; ++k) {
        const double error = dot(a[k], b[k]);
        note(error * error);
      }
      // Dot products vanish for opposed axes, too.
      if (node.locked >= 2) {
        const Vector axis = node.locked == 2 ? cross(a[0], a[1]) : a[0];
        note(1 - dot(axis, node.locked == 2 ? b[0] : b[2]));
        if (node.locked == 3) note(1 - dot(a[1], b[0]));
      }
    }
    if (!kOver) {
      if (node.slot != kWorld) recall(node, a, b, rows);
    }
  }

  // Axes of frame 1 of a point that slides.
  TENON_KERNEL const Vector* slideAxes(const LoopNode& point, bool atEnd) const {
    const LoopNode& slide = f_.nodes[point.slide];
    if (slide.end1 == kNoEnd) return f_.rows[point.slide].ground;
    return atEnd ? f_.grips[slide.end1].end : f_.grips[slide.end1].start;
  }
  TENON_KERNEL static Vector alongFree(const LoopNode& slide, const Vector* axes, const Vector& s) {
    const double by[3] = {s.x, s.y, s.z};
    Vector sum = zero3<double>();
    for (int k = 0; k < 3; ++k)
      if ((slide.free >> k & 1u) != 0) sum += by[k] * axes[k];
    return sum;
  }
  TENON_KERNEL static Vector inFree(const LoopNode& slide, const Vector* axes, const Vector& v) {
    double s[3] = {};
    for (int k = 0; k < 3; ++k)
      if ((slide.free >> k & 1u) != 0) s[k] = dot(axes[k], v);
    return {s[0], s[1], s[2]};
  }

  // What it has slid by belongs to the lever of solid 1, and it goes on as fast as it is.
  void loadSlide(const LoopNode& node, LoopRows& rows) {
    const LoopNode& slide = f_.nodes[node.slide];
    const Vector* axes = slideAxes(node, false);
    const Vector slid = alongFree(slide, axes, inFree(slide, axes, rows.gap));
    rows.gap = rows.gap - slid;
    if (node.end1 != kNoEnd) f_.grips[node.end1].start[0] += slid;
    const auto velocityAt = [&](Index end, Index solid) {
      return end == kNoEnd ? zero3<double>()
                           : vectorOf(state_.velocity[solid]) +
                                 cross(vectorOf(state_.spin[solid]), f_.grips[end].start[0]);
    };
    f_.rows[node.slide].nu =
        inFree(slide, axes,
               dt_ * (velocityAt(node.end2, node.solid2) - velocityAt(node.end1, node.solid1)));
  }

  TENON_KERNEL bool isFree(const LoopNode& point, int axis) const {
    return point.slide != kNoEnd && (f_.nodes[point.slide].free >> axis & 1u) != 0;
  }

  // The multipliers of the step before.
  TENON_KERNEL void recall(const LoopNode& node, const Vector* a, const Vector* b, LoopRows& rows) {
    const Matrix F = packed::matrixOf(turnOf(state_.orientationOf(node.solid1)) * node.frame);
    const double* from = state_.multiplier + node.slot;
    const double scale = dt_ * dt_ / kA;
    if (node.locked == 0) {
      double force[3] = {};
      for (int k = 0, held = 0; k < 3; ++k)
        if (!isFree(node, k)) force[k] = from[held++];
      rows.nu = scale * (F * Vector{force[0], force[1], force[2]});
      return;
    }
    if (node.locked == 1) {
      rows.nu = {scale * from[0], 0, 0};
      return;
    }
    const Vector torque = scale * (F * loadTorque(node.locked, node.axis, from));
    Vector n[3] = {zero3<double>(), zero3<double>(), zero3<double>()};
    double filled[3] = {1, 1, 1};
    for (int k = 0; k < node.locked; ++k) {
      n[k] = cross(b[k], a[k]);
      filled[k] = 0;
    }
    const Matrix gram{{dot(n[0], n[0]) + filled[0], dot(n[0], n[1]), dot(n[0], n[2])},
                      {dot(n[1], n[0]), dot(n[1], n[1]) + filled[1], dot(n[1], n[2])},
                      {dot(n[2], n[0]), dot(n[2], n[1]), dot(n[2], n[2]) + filled[2]}};
    rows.nu = inverse(gram) * Vector{dot(n[0], torque), dot(n[1], torque), dot(n[2], torque)};
  }

  // Where these would take the solids.
  void lookAhead() {
    for (Index s = 0; s < f_.solidCount; ++s) {
      const LoopSolid& solid = f_.solids[s];
      LoopBody& body = f_.bodies[s];
      Vector force = zero3<double>(), torque = zero3<double>();
      for (Index e = solid.firstEnd; e < f_.solids[s + 1].firstEnd; ++e) {
        const LoopEnd& end = f_.ends[e];
        const LoopNode& node = f_.nodes[end.node];
        const LoopRows& rows = f_.rows[end.node];
        if (node.locked == 0) {
          const Vector f = end.sign * rows.nu;
          force += f;
          torque += cross(f_.grips[e].start[0], f);
        } else if (node.point == kNoEnd) {
          const Vector* a = node.end1 == kNoEnd ? rows.ground : f_.grips[node.end1].start;
          const Vector* b = node.end2 == kNoEnd ? rows.ground : f_.grips[node.end2].start;
          const double nu[3] = {rows.nu.x, rows.nu.y, rows.nu.z};
          for (int k = 0; k < node.locked; ++k) torque += (end.sign * nu[k]) * cross(b[k], a[k]);
        }
      }
      body.move += solid.inverseMass * force;
      body.theta += inverse(full(body.inertia)) * torque;
    }
  }

  // -------------------------------------------------------------------------- poses, and what they do to rows

  // False if a solid turns too far.
  bool follow() {
    double most = 0;
    for (Index s = 0; s < f_.solidCount; ++s) {
      const LoopSolid& solid = f_.solids[s];
      LoopBody& body = f_.bodies[s];
      const double turn2 = dot(body.theta, body.theta);
      if (!(turn2 <= most)) most = turn2;
      body.lessOne = turnLessOne(kOver, body.theta);
      for (Index e = solid.firstEnd; e < f_.solids[s + 1].firstEnd; ++e) {
        LoopGrip& grip = f_.grips[e];
        for (int k = 0; k < vectorsOf(f_.nodes[f_.ends[e].node]); ++k)
          grip.end[k] = grip.start[k] + body.lessOne * grip.start[k];
      }
    }
    worst2_ = 0;
    for (Index n = 0; n < f_.nodeCount; ++n) {
      if (f_.nodes[n].locked == 0)
        followPoint(f_.nodes[n], f_.rows[n]);
      else if (f_.nodes[n].point != kNoEnd)
        followSlide(f_.nodes[n], f_.rows[n]);
      else
        followTurns(f_.nodes[n], f_.rows[n]);
    }
    turned2_ = most;
    return most <= mostTurn2(kOver);
  }
  TENON_KERNEL void followPoint(const LoopNode& node, LoopRows& rows) {
    rows.error = rows.gap;
    if (node.slide != kNoEnd) {
      const Vector slid =
          alongFree(f_.nodes[node.slide], slideAxes(node, true), f_.rows[node.slide].nu);
      if (node.end1 != kNoEnd)
        f_.grips[node.end1].end[0] += slid;
      else
        rows.error = rows.error - slid;
    }
    if (node.end2 != kNoEnd) rows.error += moved(node.end2);
    if (node.end1 != kNoEnd) rows.error = rows.error - moved(node.end1);
    note(dot(rows.error, rows.error));
  }
  TENON_KERNEL Vector moved(Index end) const {
    const LoopGrip& grip = f_.grips[end];
    return f_.bodies[f_.ends[end].body].move + (grip.end[0] - grip.start[0]);
  }
  void followSlide(const LoopNode& node, LoopRows& rows) {
    const LoopNode& point = f_.nodes[node.point];
    const Vector *a0 = slideAxes(point, false), *a1 = slideAxes(point, true);
    const Vector& f = f_.rows[node.point].nu;
    rows.torque = zero3<double>();
    rows.carried = zeroMatrix<double>();
    double error[3] = {};
    for (int k = 0; k < 3; ++k) {
      rows.n[k] = rows.push[k] = zero3<double>();
      if ((node.free >> k & 1u) == 0) continue;
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      const Vector ai = mean(a0[i], a1[i]), aj = mean(a0[j], a1[j]);
      error[k] = dot(cross(ai, aj), f);
      rows.push[k] = kMean * cross(a1[k], f);
      rows.n[k] = -kMean * (cross(a1[i], cross(aj, f)) + cross(a1[j], cross(f, ai)));
    }
    rows.error = {error[0], error[1], error[2]};
  }
  void followTurns(const LoopNode& node, LoopRows& rows) {
    const bool g1 = node.end1 == kNoEnd, g2 = node.end2 == kNoEnd;
    const Vector *u0 = g1 ? rows.ground : f_.grips[node.end1].start,
                 *u1 = g1 ? rows.ground : f_.grips[node.end1].end,
                 *w0 = g2 ? rows.ground : f_.grips[node.end2].start,
                 *w1 = g2 ? rows.ground : f_.grips[node.end2].end;
    double error[3] = {};
    const double nu[3] = {rows.nu.x, rows.nu.y, rows.nu.z};
    rows.torque = zero3<double>();
    rows.carried = zeroMatrix<double>();
    for (int k = 0; k < 3; ++k) {
      if (k >= node.locked) {
        rows.n[k] = rows.push[k] = zero3<double>();
        continue;
      }
      const Vector u = mean(u0[k], u1[k]), w = mean(w0[k], w1[k]);
      rows.n[k] = cross(w1[k], u1[k]);
      rows.push[k] = cross(w, u);
      error[k] = dot(u1[k], w1[k]);
      note(error[k] * error[k]);
      rows.torque += nu[k] * rows.push[k];
      // κ ((δ × w_1) × ū + w̄ × (δ × u_1))
      const double push = kMean * nu[k];
      const Vector pw = push * w1[k], pu = push * u1[k];
      rows.carried += outer(pw, u) - outer(pu, w);
      addToDiagonal(dot(pu, w) - dot(pw, u), rows.carried);
    }
    rows.error = {error[0], error[1], error[2]};
  }

  // ---------------------------------------------------------------------------------- Newton's step

  // Eliminates the solids: the right-hand side and, if it is to be made anew, A.
  void solids(bool fresh, bool first) {
    const double wanted = worst2_;
    const double give = wanted > kMostGive ? kMostGive : wanted < kLeastGive ? kLeastGive : wanted;
    const Block zero{{spread(0), spread(0), spread(0)}};
    for (Index b = 0; fresh && b < f_.blockCount; ++b) f_.blocks[b] = zero;
    for (Index n = 0; n < f_.nodeCount; ++n) f_.right[f_.columnOf[n]] = -1.0 * f_.rows[n].error;
    for (Index s = 0; s < f_.solidCount; ++s) {
      if (fresh)
        solid<true>(f_.solids[s], f_.solids[s + 1], f_.bodies[s]);
      else
        solid<false>(f_.solids[s], f_.solids[s + 1], f_.bodies[s]);
    }
    for (Index n = 0; n < f_.nodeCount; ++n) {
      const Index column = f_.columnOf[n];
      const LoopNode& node = f_.nodes[n];
      LoopRows& rows = f_.rows[n];
      if (fresh && node.point != kNoEnd) {
        addSlide(node, rows, f_.blocks[f_.columns[column].diagonal]);
      } else if (fresh) {
        Block& D = f_.blocks[f_.columns[column].diagonal];
        const int used = node.locked == 0 ? 3 : node.locked;
        rows.give = give / 3 * (D.r[0][0] + D.r[1][1] + D.r[2][2]);
        for (int i = 0; i < 3; ++i) D.r[i][i] += i < used ? rows.give : 1;
      }
      if (first) f_.right[column] += (-rows.give) * rows.nu;
    }
  }

  // Between its own rows and the point's.
  void addSlide(const LoopNode& node, LoopRows& rows, Block& own) {
    const LoopNode& point = f_.nodes[node.point];
    const Vector *a0 = slideAxes(point, false), *a1 = slideAxes(point, true);
    Matrix columns = zeroMatrix<double>();
    rows.give = 0;
    for (int k = 0; k < 3; ++k) {
      if ((node.free >> k & 1u) == 0) {
        own.r[k][k] += 1;
        continue;
      }
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      f_.blocks[node.below].r[k] += rowOf(cross(mean(a0[i], a1[i]), mean(a0[j], a1[j])));
      const Vector unit{k == 0 ? -1.0 : 0.0, k == 1 ? -1.0 : 0.0, k == 2 ? -1.0 : 0.0};
      columns += outer(a1[k], unit);
    }
    add(blockOf(columns), f_.blocks[node.above]);
  }

  template <bool Fresh>
  void solid(const LoopSolid& solid, const LoopSolid& next, LoopBody& body) {
    const TurnTorque<double> spun =
        turnTorque(kOver, body.inertia, body.momentum, body.theta, body.lessOne);
    Vector force = solid.mass * (body.move - body.drift), torque = spun.torque;
    Matrix B = spun.slope;
    const Index first = solid.firstEnd, count = next.firstEnd - first;
    Block change[kMostEnds], push[kMostEnds];
    double along[kMostEnds];  // of a push, by a displacement of the centre
    for (Index j = 0; j < count; ++j) {
      const LoopEnd& end = f_.ends[first + j];
      const LoopGrip& grip = f_.grips[first + j];
      const LoopRows& rows = f_.rows[end.node];
      const double sign = end.sign;
      if (f_.nodes[end.node].locked == 0) {
        const Vector &r = grip.end[0], s = mean(grip.start[0], r), f = sign * rows.nu;
        force = force - f;
        torque = torque - cross(s, f);
        if constexpr (Fresh) {
          const Vector kr = kMean * r;
          B -= outer(kr, f);
          addToDiagonal(dot(kr, f), B);
          change[j] = skewBlock(-sign, r);
          push[j] = skewBlock(sign, s);
          along[j] = sign;
        }
      } else {
        torque = torque - sign * rows.torque;
        if constexpr (Fresh) {
          B -= sign * rows.carried;
          const Vector *n = rows.n, *m = rows.push;
          change[j] = {{rowOf(sign * n[0]), rowOf(sign * n[1]), rowOf(sign * n[2])}};
          push[j] = {{Lanes{sign * m[0].x, sign * m[1].x, sign * m[2].x, 0},
                      Lanes{sign * m[0].y, sign * m[1].y, sign * m[2].y, 0},
                      Lanes{sign * m[0].z, sign * m[1].z, sign * m[2].z, 0}}};
          along[j] = 0;
        }
      }
    }
    if constexpr (Fresh) body.inverse = blockOf(inverse(B));
    body.shift = solid.inverseMass * force;
    body.rotation = body.inverse * torque;
    for (Index j = 0; j < count; ++j) {
      const LoopEnd& end = f_.ends[first + j];
      Vector& right = f_.right[f_.columnOf[end.node]];
      if (f_.nodes[end.node].locked == 0) {
        right += end.sign * (body.shift + cross(body.rotation, f_.grips[first + j].end[0]));
      } else {
        const Vector* n = f_.rows[end.node].n;
        right += end.sign * Vector{dot(n[0], body.rotation), dot(n[1], body.rotation),
                                   dot(n[2], body.rotation)};
      }
    }
    if constexpr (!Fresh) return;
    addPairs(f_, solid, body.inverse, count, change, push, along);
  }

  // Adds what was found. Returns the largest turn or displacement, squared.
  double improve() {
    double most = 0;
    for (Index n = 0; n < f_.nodeCount; ++n) f_.rows[n].nu += f_.right[f_.columnOf[n]];
    for (Index s = 0; s < f_.solidCount; ++s) {
      const LoopSolid& solid = f_.solids[s];
      LoopBody& body = f_.bodies[s];
      Vector force = zero3<double>(), torque = zero3<double>();
      for (Index e = solid.firstEnd; e < f_.solids[s + 1].firstEnd; ++e) {
        const LoopEnd& end = f_.ends[e];
        const Vector nu = end.sign * f_.right[f_.columnOf[end.node]];
        if (f_.nodes[end.node].locked == 0) {
          force += nu;
          torque += cross(mean(f_.grips[e].start[0], f_.grips[e].end[0]), nu);
        } else {
          const Vector* m = f_.rows[end.node].push;
          torque += nu.x * m[0] + nu.y * m[1] + nu.z * m[2];
        }
      }
      const Vector shift = solid.inverseMass * force - body.shift;
      const Vector rotation = body.inverse * torque - body.rotation;
      const double both = larger(dot(shift, shift), dot(rotation, rotation));
      if (!(both <= most)) most = both;
      body.move += shift;
      body.theta += turnChange(kOver, body.theta, rotation);
    }
    return most;
  }

  // ----------------------------------------------------------------------------------- end of a step

  void finish() {
    const double rate = kA / dt_, scale = kA / (dt_ * dt_);
    for (Index s = 0; s < f_.solidCount; ++s) {
      const Index at = f_.solids[s].solid;
      const LoopBody& body = f_.bodies[s];
      Vector v = rate * body.move, spin = rate * body.theta;
      if (kOver) {
        v = v - vectorOf(state_.velocity[at]);
        spin = spin - vectorOf(state_.spin[at]);
      }
      state_.position[at] = state_.position[at] + vectorOf(body.move);
      const Q4<double> q = turned(kOver, body.theta, turnOf(state_.orientation[at]));
      state_.orientation[at] = {q.x, q.y, q.z, q.w};
      state_.velocity[at] = vectorOf(v);
      state_.spin[at] = vectorOf(spin + body.lessOne * spin);
    }
    for (Index n = 0; n < f_.nodeCount; ++n) {
      const LoopNode& node = f_.nodes[n];
      if (node.slot == kWorld) continue;
      const Matrix F = packed::matrixOf(turnOf(state_.orientationOf(node.solid1)) * node.frame);
      const LoopRows& rows = f_.rows[n];
      double* to = state_.multiplier + node.slot;
      if (node.slide != kNoEnd)
        storeAlongMean(node, scale * rows.nu, to);
      else if (node.locked == 0)
        storeForce(transposeTimes(F, scale * rows.nu), to);
      else if (node.locked == 1)
        storeTorque(1, node.axis, scale * rows.nu, to);
      else
        storeTorque(node.locked, node.axis, transposeTimes(F, scale * torqueOf(rows)), to);
    }
  }
  // Of a point that slides, as rows have them: f = Σ λ_k ā_k along the axes that are locked.
  void storeAlongMean(const LoopNode& point, const Vector& force, double* to) const {
    const Vector *a0 = slideAxes(point, false), *a1 = slideAxes(point, true);
    const Vector a[3] = {mean(a0[0], a1[0]), mean(a0[1], a1[1]), mean(a0[2], a1[2])};
    const double per = 1 / dot(a[0], cross(a[1], a[2]));
    for (int k = 0; k < 3; ++k)
      if (!isFree(point, k)) *to++ = per * dot(force, cross(a[(k + 1) % 3], a[(k + 2) % 3]));
  }
  TENON_KERNEL static Vector torqueOf(const LoopRows& rows) {
    return rows.nu.x * rows.push[0] + rows.nu.y * rows.push[1] + rows.nu.z * rows.push[2];
  }

  LoopFigure f_;
  KernelSettings set_;
  StatePointers state_;
  double dt_;
  double turned2_ = 0;  // the largest turn
  double worst2_ = 0;   // of the rows' errors
};

}  // namespace
}  // namespace tenon::packed
