// A figure with loops in posing: how far it is from closed, and the least displacement that closes it to first
// order, in the metric of the masses,  (M + K) δ = Jᵀ ν,  J δ + C ν = -e.
//
// K is how forces as they were in the solve before would turn with the solids' levers, made positive: with it
// large displacements are found in far fewer iterations. What is wanted and out of reach is pulled at with forces that
// do not vanish: with these in K the pulls are steps of Newton's method to where the wants are least.
//
// This file is compiled once for every kind of machine. Everything in it is local to its file.
#pragma once

#include "packed/loop_blocks.h"

namespace tenon::packed {
namespace {

class PoseKernel {
 public:
  explicit PoseKernel(const LoopFigure& figure) : f_(figure) {}

  PoseErrors gather(const StatePointers& state) {
    for (Index s = 0; s < f_.solidCount; ++s) {
      const LoopSolid& solid = f_.solids[s];
      const Matrix A = packed::matrixOf(turnOf(state.orientation[solid.solid]));
      f_.bodies[s].inertia = turned(A, solid.inertia);
      f_.bodies[s].inverse = blockOf(full(turned(A, solid.inverseInertia)));
      f_.bodies[s].move = vectorOf(state.position[solid.solid]);
      for (Index e = solid.firstEnd; e < f_.solids[s + 1].firstEnd; ++e) {
        const LoopEnd& end = f_.ends[e];
        const LoopNode& node = f_.nodes[end.node];
        for (int k = 0; k < loaded(node); ++k) f_.grips[e].end[k] = A * end.axis[k];
        for (int k = 0; k < 3 && node.given; ++k)  // until rows are given
          f_.grips[e].start[k] = f_.grips[e].end[k] = zero3<double>();
      }
    }
    PoseErrors errors;
    for (Index n = 0; n < f_.nodeCount; ++n) {
      const LoopNode& node = f_.nodes[n];
      LoopRows& rows = f_.rows[n];
      if (node.given) {
        rows.used = 0;
        rows.error = zero3<double>();
        continue;
      }
      if (node.end1 == kNoEnd || node.end2 == kNoEnd) {
        const Index ground = node.end1 == kNoEnd ? node.solid1 : node.solid2;
        const Matrix A = packed::matrixOf(turnOf(state.orientationOf(ground)));
        for (int k = 0; k < loaded(node); ++k) rows.ground[k] = A * node.onGround[k];
      }
      if (node.slides > 0)
        judgeSlide(node, state, rows, errors);
      else if (node.locked == 0)
        judgePoint(node, state, rows, errors);
      else
        judgeTurns(node, rows, errors);
    }
    return errors;
  }

  void solve(const PoseSolve& how) {
    if (!how.again) {
      assemble(how);
      factor(f_);
    }
    const double part = partOfWants(how);
    for (Index n = 0; n < f_.nodeCount; ++n) {
      const LoopNode& node = f_.nodes[n];
      const Vector right = (node.give > 0 ? -part : -1.0) * f_.rows[n].error;
      f_.right[f_.columnOf[n]] = usedOf(n, how) == 0 ? zero3<double>() : right;
    }
    packed::solve(f_);
    for (Index n = 0; n < f_.nodeCount; ++n) f_.rows[n].nu = f_.right[f_.columnOf[n]];
    if (how.wants == PoseSolve::Wants::Pulling)
      for (Index n = 0; n < f_.nodeCount; ++n)
        f_.rows[n].pull = (how.softness / part) * f_.rows[n].nu;
    for (Index s = 0; s < f_.solidCount; ++s) {
      const LoopSolid& solid = f_.solids[s];
      Vector force = zero3<double>(), torque = zero3<double>();
      for (Index e = solid.firstEnd; e < f_.solids[s + 1].firstEnd; ++e) {
        const LoopEnd& end = f_.ends[e];
        const Vector nu = end.sign * f_.right[f_.columnOf[end.node]];
        if (hasRows(f_.nodes[end.node])) {
          const LoopGrip& grip = f_.grips[e];
          const Vector& push = f_.right[f_.columnOf[end.node]];
          force += push.x * grip.start[0] + push.y * grip.start[1] + push.z * grip.start[2];
          torque += push.x * grip.end[0] + push.y * grip.end[1] + push.z * grip.end[2];
        } else if (f_.nodes[end.node].locked == 0) {
          force += nu;
          torque += cross(f_.grips[e].end[0], nu);
        } else {
          const Vector* n = f_.rows[end.node].n;
          torque += nu.x * n[0] + nu.y * n[1] + nu.z * n[2];
        }
      }
      const Vector shift = solid.inverseMass * force, turn = f_.bodies[s].inverse * torque;
      double* to = how.displacement[solid.solid];
      to[0] = shift.x;
      to[1] = shift.y;
      to[2] = shift.z;
      to[3] = turn.x;
      to[4] = turn.y;
      to[5] = turn.z;
    }
  }

 private:
  // How many rows of a node take part.
  TENON_KERNEL int usedOf(Index n, const PoseSolve& how) const {
    const LoopNode& node = f_.nodes[n];
    if (node.give > 0 && how.wants == PoseSolve::Wants::Left) return 0;
    if (node.given) return f_.rows[n].used;
    return node.slides > 0 ? node.slides : node.locked > 0 ? node.locked : 3;
  }

  // A = J (M + K)⁻¹ Jᵀ + C
  void assemble(const PoseSolve& how) {
    const Block zero{{spread(0), spread(0), spread(0)}};
    for (Index b = 0; b < f_.blockCount; ++b) f_.blocks[b] = zero;
    for (Index s = 0; s < f_.solidCount; ++s) {
      if (how.curvature > 0 || how.pulled > 0)
        stiffen(f_.solids[s], f_.solids[s + 1], how, f_.bodies[s]);
      pair(f_.solids[s], f_.solids[s + 1], f_.bodies[s], how);
    }
    for (Index n = 0; n < f_.nodeCount; ++n) {
      const LoopNode& node = f_.nodes[n];
      Block& D = f_.blocks[f_.columns[f_.columnOf[n]].diagonal];
      const int used = usedOf(n, how);
      const bool pulling = node.give > 0 && how.wants == PoseSolve::Wants::Pulling;
      const double give =
          (pulling ? how.softness * node.give : how.give) / 3 * (D.r[0][0] + D.r[1][1] + D.r[2][2]);
      for (int i = 0; i < 3; ++i) D.r[i][i] += i < used ? give : 1;
    }
  }

  TENON_KERNEL static void most(double error, double& largest) {
    if (!(error <= largest)) largest = error;
  }
  // All wants are shortened alike: so a pull, however short, leads to where the sum of their squares falls.
  double partOfWants(const PoseSolve& how) const {
    double largest = 0;
    for (Index n = 0; n < f_.nodeCount; ++n) {
      if (!(f_.nodes[n].give > 0)) continue;
      const Vector& e = f_.rows[n].error;
      const double size[3] = {e.x, e.y, e.z};
      for (const double x : size) most(x < 0 ? -x : x, largest);
    }
    return largest > how.longest ? how.longest / largest : 1;
  }

  // Whether its grips hold rows, by shifts and turns of their solids.
  TENON_KERNEL static bool hasRows(const LoopNode& node) { return node.given || node.slides > 0; }
  // Vectors of an end that turn with its solid.
  TENON_KERNEL static int loaded(const LoopNode& node) {
    return node.given ? 0 : node.slides > 0 ? 3 : vectorsOf(node);
  }

  // A point that slides: rows a · (x_2 + r_2 - x_1 - r_1), a turning with solid1.
  void judgeSlide(const LoopNode& node, const StatePointers& state, LoopRows& rows,
                  PoseErrors& errors) const {
    const auto centre = [&](Index end, Index solid) {
      return end == kNoEnd ? vectorOf(state.positionOf(solid)) : f_.bodies[f_.ends[end].body].move;
    };
    const Vector* first = node.end1 == kNoEnd ? rows.ground : f_.grips[node.end1].end;
    const Vector* second = node.end2 == kNoEnd ? rows.ground : f_.grips[node.end2].end;
    const Vector axes[3] = {first[1], node.slides > 1 ? first[2] : zero3<double>(),
                            zero3<double>()};
    const Vector lever2 = second[0];
    const Vector lever1 = centre(node.end2, node.solid2) + lever2 - centre(node.end1, node.solid1);
    const Vector off = lever1 - first[0];
    // With the axes: what is off along them turns with them, but a turn does not make it less. So the lever is
    // that of where it ought to be.
    Vector lever = lever1;
    for (int k = 0; k < node.slides; ++k) lever = lever - dot(axes[k], off) * axes[k];
    double error[3] = {};
    for (int k = 0; k < 3; ++k) {
      const Vector turn1 = cross(axes[k], lever), turn2 = cross(lever2, axes[k]);
      double mobility = 0;
      const auto hold = [&](Index end, double sign, const Vector& turn) {
        if (end == kNoEnd) return;
        f_.grips[end].start[k] = sign * axes[k];
        f_.grips[end].end[k] = turn;
        const LoopSolid& solid = f_.solids[f_.ends[end].body];
        mobility += solid.inverseMass + solid.inverseInertia.xx * dot(turn, turn);
      };
      hold(node.end1, -1, turn1);
      hold(node.end2, 1, turn2);
      if (k >= node.slides) continue;
      error[k] = dot(axes[k], off);
      most(error[k] < 0 ? -error[k] : error[k], errors.metres);
      errors.squares += error[k] * error[k];
      errors.energy += 0.5 * error[k] * error[k] / mobility;
      ++errors.rows;
    }
    rows.error = {error[0], error[1], error[2]};
  }

  void judgePoint(const LoopNode& node, const StatePointers& state, LoopRows& rows,
                  PoseErrors& errors) const {
    const auto at = [&](Index end, Index solid) {
      return end == kNoEnd ? vectorOf(state.positionOf(solid)) + rows.ground[0]
                           : f_.bodies[f_.ends[end].body].move + f_.grips[end].end[0];
    };
    rows.error = at(node.end2, node.solid2) - at(node.end1, node.solid1);
    const double square = dot(rows.error, rows.error);
    if (node.slot == kWorld) most(squareRootOf(square), errors.want);
    if (node.give > 0) {
      errors.wanted += square / node.give;
      return;
    }
    // J M⁻¹ Jᵀ with scalar inertias: enough for a norm.
    const double error[3] = {rows.error.x, rows.error.y, rows.error.z};
    double mobility[3] = {};
    const Index both[2] = {node.end1, node.end2};
    for (const Index end : both) {
      if (end == kNoEnd) continue;
      const LoopSolid& solid = f_.solids[f_.ends[end].body];
      const Vector& r = f_.grips[end].end[0];
      const double r2 = dot(r, r), turns = solid.inverseInertia.xx;
      mobility[0] += solid.inverseMass + turns * (r2 - r.x * r.x);
      mobility[1] += solid.inverseMass + turns * (r2 - r.y * r.y);
      mobility[2] += solid.inverseMass + turns * (r2 - r.z * r.z);
    }
    for (int i = 0; i < 3; ++i) {
      most(error[i] < 0 ? -error[i] : error[i], errors.metres);
      errors.energy += 0.5 * error[i] * error[i] / mobility[i];
    }
    errors.squares += square;
    errors.rows += 3;
  }

  void judgeTurns(const LoopNode& node, LoopRows& rows, PoseErrors& errors) const {
    const Vector* u = node.end1 == kNoEnd ? rows.ground : f_.grips[node.end1].end;
    const Vector* w = node.end2 == kNoEnd ? rows.ground : f_.grips[node.end2].end;
    double error[3] = {};
    const Vector free = node.locked == 2 ? cross(u[0], u[1]) : zero3<double>();
    for (int k = 0; k < 3; ++k) {
      rows.n[k] = k < node.locked ? cross(w[k], u[k]) : zero3<double>();
      if (k >= node.locked) continue;
      // A turn about the axis that is free does not bring the axes nearer to each other.
      rows.n[k] = rows.n[k] - dot(rows.n[k], free) * free;
      error[k] = dot(u[k], w[k]);
      most(error[k] < 0 ? -error[k] : error[k], errors.radians);
      errors.squares += error[k] * error[k];
      double mobility = 0;
      const Index both[2] = {node.end1, node.end2};
      for (const Index end : both)
        if (end != kNoEnd)
          mobility += f_.solids[f_.ends[end].body].inverseInertia.xx * dot(rows.n[k], rows.n[k]);
      if (mobility > 0) errors.energy += 0.5 * error[k] * error[k] / mobility;
      ++errors.rows;
    }
    rows.error = {error[0], error[1], error[2]};
    if (node.locked >= 2) {
      const Vector axis = node.locked == 2 ? cross(u[0], u[1]) : u[0];
      if (!(dot(axis, node.locked == 2 ? w[0] : w[2]) > 0.9)) errors.near = false;
      if (node.locked == 3 && !(dot(u[1], w[0]) > 0.9)) errors.near = false;
    }
  }

  // K = Σ σ ((r·f) 1 - r fᵀ), its symmetric part, shifted so that no eigenvalue is below 0, and no more than so
  // many times the inertia.
  void stiffen(const LoopSolid& solid, const LoopSolid& next, const PoseSolve& how,
               LoopBody& body) const {
    constexpr double kStiffest = 30, kStiffestPulled = 1e8;
    const double most = how.pulled > 0 ? kStiffestPulled : kStiffest;
    Matrix K = zeroMatrix<double>();
    for (Index e = solid.firstEnd; e < next.firstEnd; ++e) {
      const LoopEnd& end = f_.ends[e];
      if (f_.nodes[end.node].locked > 0 || hasRows(f_.nodes[end.node])) continue;
      const Vector& r = f_.grips[e].end[0];
      const LoopRows& rows = f_.rows[end.node];
      const Vector f = how.pulled > 0 ? (end.sign * how.pulled) * rows.pull
                                      : (end.sign * how.curvature) * rows.nu;
      K -= 0.5 * (outer(r, f) + outer(f, r));
      addToDiagonal(dot(r, f), K);
    }
    // Of a symmetric 3 × 3 matrix no eigenvalue is below mean - 2 p.
    const double mean = (K.r0.x + K.r1.y + K.r2.z) / 3;
    Matrix off = K;
    addToDiagonal(-mean, off);
    const double p =
        squareRootOf((dot(off.r0, off.r0) + dot(off.r1, off.r1) + dot(off.r2, off.r2)) / 6);
    const double lowest = mean - 2 * p, highest = larger(mean, 0) + 4 * p;
    if (!(highest > 0)) return;
    if (lowest < 0) addToDiagonal(-lowest, K);
    const double inertia = (body.inertia.xx + body.inertia.yy + body.inertia.zz) / 3;
    const double scale = highest > most * inertia ? most * inertia / highest : 1;
    body.inverse = blockOf(inverse(full(body.inertia) + scale * K));
  }

  // A += J M⁻¹ Jᵀ of one solid.
  void pair(const LoopSolid& solid, const LoopSolid& next, const LoopBody& body,
            const PoseSolve& how) const {
    const Index first = solid.firstEnd, count = next.firstEnd - first;
    Block change[kMostEnds], push[kMostEnds];
    double along[kMostEnds];
    bool shifts = false;
    for (Index j = 0; j < count; ++j) {
      const LoopEnd& end = f_.ends[first + j];
      const LoopNode& node = f_.nodes[end.node];
      double sign = end.sign;
      if (node.give > 0 && how.wants == PoseSolve::Wants::Left) sign = 0;
      if (node.locked == 0 && !hasRows(node)) {
        const Vector& r = f_.grips[first + j].end[0];
        change[j] = skewBlock(-sign, r);
        push[j] = skewBlock(sign, r);
        along[j] = sign;
        continue;
      }
      const Vector* n = hasRows(node) ? f_.grips[first + j].end : f_.rows[end.node].n;
      if (hasRows(node)) {
        sign = sign == 0 ? 0 : 1;
        shifts = true;
      }
      change[j] = {{rowOf(sign * n[0]), rowOf(sign * n[1]), rowOf(sign * n[2])}};
      push[j] = transposed(change[j]);
      along[j] = 0;
    }
    addPairs(f_, solid, body.inverse, count, change, push, along);
    if (shifts) addShifts(solid, count, along, how);
  }
  TENON_KERNEL static Block transposed(const Block& a) {
    return {{Lanes{a.r[0][0], a.r[1][0], a.r[2][0], 0}, Lanes{a.r[0][1], a.r[1][1], a.r[2][1], 0},
             Lanes{a.r[0][2], a.r[1][2], a.r[2][2], 0}}};
  }

  // What rows by shifts add to that: J 1/m Jᵀ, between two of them, or one and a point.
  void addShifts(const LoopSolid& solid, Index count, const double* along,
                 const PoseSolve& how) const {
    const auto rowsOf = [&](Index j) -> const Vector* {
      const LoopNode& node = f_.nodes[f_.ends[solid.firstEnd + j].node];
      const bool left = node.give > 0 && how.wants == PoseSolve::Wants::Left;
      return hasRows(node) && !left ? f_.grips[solid.firstEnd + j].start : nullptr;
    };
    const Index* at = f_.pairs + solid.firstPair;
    for (Index j = 0; j < count; ++j) {
      const Vector* a = rowsOf(j);
      for (Index k = 0; k < count; ++k, ++at) {
        const Vector* b = rowsOf(k);
        if ((a == nullptr && along[j] == 0) || (b == nullptr && along[k] == 0) ||
            (a == nullptr && b == nullptr))
          continue;
        const double s = solid.inverseMass;
        Block both;
        if (a != nullptr && b != nullptr) {
          const auto row = [&](const Vector& r) {
            return Lanes{s * dot(r, b[0]), s * dot(r, b[1]), s * dot(r, b[2]), 0};
          };
          both = {{row(a[0]), row(a[1]), row(a[2])}};
        } else if (a != nullptr) {
          const double t = s * along[k];
          both = {{rowOf(t * a[0]), rowOf(t * a[1]), rowOf(t * a[2])}};
        } else {
          const double t = s * along[j];
          both = transposed({{rowOf(t * b[0]), rowOf(t * b[1]), rowOf(t * b[2])}});
        }
        add(both, f_.blocks[*at]);
      }
    }
  }

  LoopFigure f_;
};

}  // namespace
}  // namespace tenon::packed
