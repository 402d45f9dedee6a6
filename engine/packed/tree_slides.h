// Joints of trees that slide: lower pairs that leave displacements along axes of frame 1 free.
//
// The force of such a joint acts at the origin of frame 2. So the lever of solid 1 is that of its own point and what the joint
// has slid by, Σ a_k s_k; it is `other` if the parent is solid 1, and else `own`. The unknown s_k have the equations
//   b_k · f = 0,     b_k = ā_i × ā_j,     ā: mean axes of frame 1, so that f lies along those that are locked.
// With w = ± Σ a_k δs_k the joint's point moves by c + w in place of c, so that
//   b_k · (f + xx (c + w) + N δ) + g_k · δ_1 = 0,     g_k · δ_1 = δb_k · f,
//   w = -S (f + xx c + N δ) - H δ_1,     S = A (Bᵀ xx A)⁻¹ Bᵀ,     H = A (Bᵀ xx A)⁻¹ Gᵀ.
// Rules on s_k pull with λ_k along ā_k: f has these parts there, and f in the equations is what is left of it. Then S has xx +
// Σ k_k ā_k a_kᵀ in place of xx, where k_k is how λ_k falls with s_k.
// The balance of torques has -E (c + w), and where the own lever slides κ w × f: all that w adds to it is -E_w w. Put into the
// equations of a joint that holds a point, this changes D and E, and what the parent's turn does:
//   D + E_w J,   E - E_w S xx,   E_w H_p,     J = S N (+ H if δ_1 = δ),   H_p = H if δ_1 = δ_p.
//
// A part of tree_kernel.h.
#pragma once

#include "packed/tree_kernel.h"

namespace tenon::packed {
namespace {

// A (Bᵀ X A)⁻¹ Bᵀ of the columns a and b along which a joint slides.
template <class R, bool Over>
TENON_OUT_OF_LINE M3<R> TreeKernel<R, Over>::along(std::uint8_t slides, const V3<R>* a,
                                                   const V3<R>* b, const M3<R>& X) {
  V3<R> A[3], B[3];
  int count = 0;
  for (int k = 0; k < 3; ++k)
    if ((slides >> k & 1u) != 0) {
      A[count] = a[k];
      B[count++] = b[k];
    }
  if (count == 1) return outer((number<R>(1) / dot(B[0], X * A[0])) * A[0], B[0]);
  const V3<R> X0 = X * A[0], X1 = X * A[1];
  if (count == 2) {
    const R d00 = dot(B[0], X0), d01 = dot(B[0], X1), d10 = dot(B[1], X0), d11 = dot(B[1], X1);
    const R q = number<R>(1) / (d00 * d11 - d01 * d10);
    return outer(A[0], (q * d11) * B[0] - (q * d01) * B[1]) +
           outer(A[1], (q * d00) * B[1] - (q * d10) * B[0]);
  }
  return inverse(X);
}

// b_k = ā_i × ā_j.
template <class R, bool Over>
TENON_OUT_OF_LINE void TreeKernel<R, Over>::meanAcross(const TreeSlide<R>& slide, V3<R>* b) const {
  V3<R> a[3];
  for (int k = 0; k < 3; ++k) a[k] = mean(slide.axis0[k], slide.axis1[k]);
  for (int k = 0; k < 3; ++k) b[k] = cross(a[(k + 1) % 3], a[(k + 2) % 3]);
}

// Of the start: what it has slid by belongs to the lever of solid 1, whose axes are `first`, and it goes on as fast as it is.
template <class R, bool Over>
TENON_OUT_OF_LINE void TreeKernel<R, Over>::loadSlide(int n, const M3<R>& first) {
  const TreeNode& node = t_.nodes[n];
  TreeBody<R>& body = t_.bodies[n];
  TreeSlide<R>& slide = t_.slides[n];
  const M3<R> F = first * matrixOf(t_.solids[n].frame);
  slide.axis0[0] = {F.r0.x, F.r1.x, F.r2.x};
  slide.axis0[1] = {F.r0.y, F.r1.y, F.r2.y};
  slide.axis0[2] = {F.r0.z, F.r1.z, F.r2.z};
  const R sign = number<R>(node.childIsFirst ? 1 : -1);  // from frame 1 to frame 2
  const auto startOf = [&](int k) {
    return (node.slides >> k & 1u) != 0 ? sign * dot(slide.axis0[k], body.gap) : number<R>(0);
  };
  slide.start = {startOf(0), startOf(1), startOf(2)};
  const V3<R> slid = slide.start.x * slide.axis0[0] + slide.start.y * slide.axis0[1] +
                     slide.start.z * slide.axis0[2];
  if (node.pulls > 0) loaded_ = number<R>(1);
  (node.childIsFirst ? body.own0 : body.other0) += slid;
  body.gap = body.gap - sign * slid;
  const auto velocityAt = [&](const auto& linear, const auto& angular, const V3<R>& lever) {
    return gatherVectors<R>(linear) + cross(gatherVectors<R>(angular), lever);
  };
  V3<R> apart = velocityAt([&](int i) { return state_.velocity[t_.solid[i][n]]; },
                           [&](int i) { return state_.spin[t_.solid[i][n]]; }, body.own0);
  if (n > 0)
    apart = apart - velocityAt([&](int i) { return state_.velocity[t_.solid[i][node.parent]]; },
                               [&](int i) { return state_.spin[t_.solid[i][node.parent]]; },
                               body.other0);
  apart = (number<R>(0) - sign) * apart;
  const auto component = [&](int k) {
    return (node.slides >> k & 1u) != 0 ? dt() * dot(slide.axis0[k], apart) : number<R>(0);
  };
  slide.moved = {component(0), component(1), component(2)};
}

template <class R, bool Over>
TENON_OUT_OF_LINE void TreeKernel<R, Over>::followSlide(int n) {
  const TreeNode& node = t_.nodes[n];
  TreeBody<R>& body = t_.bodies[n];
  TreeSlide<R>& slide = t_.slides[n];
  const M3<R> inParent = n > 0 ? t_.bodies[node.parent].lessOne : zeroMatrix<R>();
  const M3<R>& first = node.childIsFirst ? body.lessOne : inParent;
  V3<R> own = zero3<R>(), other = zero3<R>();
  (node.childIsFirst ? own : other) = slide.moved.x * slide.axis0[0] +
                                      slide.moved.y * slide.axis0[1] +
                                      slide.moved.z * slide.axis0[2];
  own += body.lessOne * (body.own0 + own);
  other += inParent * (body.other0 + other);
  body.own1 = body.own0 + own;
  body.other1 = body.other0 + other;
  body.move = other - own;
  if (n > 0) body.move += t_.bodies[node.parent].move;
  for (int k = 0; k < 3; ++k) slide.axis1[k] = slide.axis0[k] + first * slide.axis0[k];
  if (node.locked > 0) followAxes(n);
}

// Returns how far it slides, squared.
template <class R, bool Over>
TENON_OUT_OF_LINE R TreeKernel<R, Over>::improveSlide(int n, const Mask& active) {
  const TreeNode& node = t_.nodes[n];
  TreeBody<R>& body = t_.bodies[n];
  TreeSlide<R>& slide = t_.slides[n];
  V3<R> c = zero3<R>();
  if (n > first_) {
    const TreeBody<R>& parent = t_.bodies[node.parent];
    c = parent.carried + cross(parent.shift, body.other1);
    body.shift += body.V * c + t_.turns[n].U * parent.shift;
    slide.shift += slide.Wc * c + slide.Wp * parent.shift;
  }
  body.carried = (c + slide.shift) + cross(body.own1, body.shift);
  const R sign = number<R>(node.childIsFirst ? -1 : 1);
  const auto component = [&](int k, const R& moved) {
    if ((node.slides >> k & 1u) == 0) return moved;
    return choose(active, moved + sign * dot(slide.axis1[k], slide.shift), moved);
  };
  slide.moved = {component(0, slide.moved.x), component(1, slide.moved.y),
                 component(2, slide.moved.z)};
  return dot(slide.shift, slide.shift);
}

// How far it has slid along an axis, for what resists it: over the step by how much it did, at the end by velocities there.
template <class R, bool Over>
TENON_OUT_OF_LINE R TreeKernel<R, Over>::slidOf(int n, int axis) const {
  const TreeNode& node = t_.nodes[n];
  const TreeBody<R>& body = t_.bodies[n];
  const TreeSlide<R>& slide = t_.slides[n];
  if (kOver) {
    return axis == 0 ? slide.moved.x : axis == 1 ? slide.moved.y : slide.moved.z;
  } else {
    V3<R> apart = body.move + cross(body.theta, body.own1);
    if (n > 0) {
      const TreeBody<R>& parent = t_.bodies[node.parent];
      apart = apart - (parent.move + cross(parent.theta, body.other1));
    }
    return number<R>(node.childIsFirst ? -1 : 1) * dot(slide.axis1[axis], apart);
  }
}

template <class R, bool Over>
TENON_OUT_OF_LINE auto TreeKernel<R, Over>::pullsOf(int n) const -> Pulls {
  const TreeNode& node = t_.nodes[n];
  const TreeSlide<R>& slide = t_.slides[n];
  const R no = number<R>(0);
  const R from[3] = {slide.start.x, slide.start.y, slide.start.z};
  const R moved[3] = {slide.moved.x, slide.moved.y, slide.moved.z};
  Pulls pulls{{no, no, no}, {no, no, no}};
  for (Index r = node.firstPull; r < node.firstPull + node.pulls; ++r) {
    const int k = t_.ruleShapes[r].coordinate;
    const RulePush push = unboundedPush(t_.ruleShapes[r].kind, t_.rules[r],
                                        {from[k], from[k] + moved[k], slidOf(n, k), zero3<R>()});
    pulls.lambda[k] = pulls.lambda[k] + push.lambda;
    pulls.slope[k] = pulls.slope[k] + push.slope;
  }
  return pulls;
}

// As eliminateLocked, of any number of locked turns.
template <class R, bool Over>
template <bool Fresh>
TENON_OUT_OF_LINE void TreeKernel<R, Over>::eliminateSlide(int n, TreePart<R>& part) {
  const TreeNode& node = t_.nodes[n];
  TreeBody<R>& body = t_.bodies[n];
  TreeTurns<R>& turns = t_.turns[n];
  TreeSlide<R>& slide = t_.slides[n];
  const bool acts = this->acts(n);
  const R no = number<R>(0), kappa = number<R>(kMean);
  const V3<R>& r = body.own1;
  const V3<R> s = mean(body.own0, r), f = part.force;
  V3<R> rho = part.torque - cross(s, f), given = zero3<R>();
  if (acts) {
    turnLoad(n, Fresh);
    given = t_.loads[n].torque;
    rho = rho - given;
  }
  const Locked lock = locked(n, turns, rho);
  // What rules pull with, as part of f, and what is left of f.
  const R h2 = number<R>(1 / kA) * (dt() * dt());
  const R sign = number<R>(node.childIsFirst ? -1 : 1);
  Pulls pulls{};
  V3<R> rest = f;
  if (node.pulls > 0) {
    pulls = pullsOf(n);
    for (int k = 0; k < 3; ++k)
      rest = rest - (sign * h2 * pulls.lambda[k]) * mean(slide.axis0[k], slide.axis1[k]);
  }
  M3<R> E, parentTurns, Hp, Q;
  if constexpr (Fresh) {
    V3<R> b[3], g[3];
    meanAcross(slide, b);
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      const V3<R> ai = mean(slide.axis0[i], slide.axis1[i]),
                  aj = mean(slide.axis0[j], slide.axis1[j]);
      g[k] =
          kappa * (cross(slide.axis1[i], cross(aj, rest)) + cross(slide.axis1[j], cross(rest, ai)));
    }
    body.N = timesSkew(part.xx, r) + part.xt;
    slide.xx = part.xx;
    M3<R> X = part.xx;
    if (node.pulls > 0)
      for (int k = 0; k < 3; ++k) {
        const V3<R> a = mean(slide.axis0[k], slide.axis1[k]);
        X += outer((h2 * pulls.slope[k]) * a, slide.axis1[k]);
        for (int i = 0; i < 3; ++i)
          g[i] = g[i] - (kappa * sign * h2 * pulls.lambda[k]) * cross(slide.axis1[k], b[i]);
      }
    slide.S = along(node.slides, slide.axis1, b, X);
    slide.J = slide.S * body.N;
    // H = S B' Gᵀ with any B' for which Bᵀ B' = 1: b_k · a_k/(a_k · b_k), b being dual to the axes.
    M3<R> G = zeroMatrix<R>();
    const R volume = number<R>(1) / dot(mean(slide.axis0[0], slide.axis1[0]), b[0]);
    for (int k = 0; k < 3; ++k)
      if ((node.slides >> k & 1u) != 0)
        G += outer(volume * mean(slide.axis0[k], slide.axis1[k]), g[k]);
    const M3<R> H = slide.S * G;
    E = skewTimes(s, part.xx) - part.tx;
    slide.E = E;
    if (node.childIsFirst) {
      addSkew(kappa * f, slide.E);
      slide.J += H;
      Hp = Q = zeroMatrix<R>();
    } else {
      Hp = H;
      Q = slide.E * H;
    }
    turns.D = lever(part, r, s, f, body.N) + slide.E * slide.J;
    E -= slide.E * (slide.S * part.xx);
    const LockedSlopes slopes = lockedSlopes(node, turns, lock);
    turns.Dk = turns.D - slopes.own;
    parentTurns = (turns.Dk + Q) - slopes.parent;
    if (acts) {
      turns.Dk -= t_.loads[n].own;
      parentTurns -= t_.loads[n].own + t_.loads[n].parent;
    }
    turns.P = across(node, turns, turns.Dk);
  }
  // What f has along axes that are locked is of no concern to S, but to one that was kept.
  const V3<R> parts = forceOfSlide(n, rest);
  V3<R> off = zero3<R>();
  const auto pick = [&](int k, const R& along) {
    if ((node.slides >> k & 1u) != 0) off += along * mean(slide.axis0[k], slide.axis1[k]);
  };
  pick(0, parts.x);
  pick(1, parts.y);
  pick(2, parts.z);
  const V3<R> slid = slide.S * (off + part.forceShift);
  const V3<R> all = (rho + (part.torqueShift - cross(s, part.forceShift))) + slide.E * slid;
  body.shift = lock.mend - turns.P * ((all - lock.torque) + turns.Dk * lock.mend);
  slide.shift = (no - number<R>(1)) * (slid + slide.J * body.shift);
  if (n == first_) return;
  const V3<R>& other = body.other1;
  const V3<R> lever = mean(body.other0, other);
  part.forceShift += slide.xx * slide.shift + body.N * body.shift;
  part.torque = (lock.torque + given) + cross(lever, f);
  part.torqueShift = ((all - lock.torque) + turns.D * body.shift) + cross(lever, part.forceShift);
  if (!node.childIsFirst) part.torqueShift += kappa * cross(slide.shift, f);
  if constexpr (Fresh) {
    turns.U = scaledIdentity(number<R>(1)) - turns.P * parentTurns;
    body.V = turns.P * E;
    slide.Wc = (no - number<R>(1)) * (slide.S * slide.xx + slide.J * body.V);
    slide.Wp = (no - number<R>(1)) * (slide.J * turns.U + Hp);
    part.tx = turns.D * body.V - E;
    part.tt = turns.D * turns.U + Q;
    part.xx = slide.xx + slide.xx * slide.Wc + body.N * body.V;
    part.xt = slide.xx * slide.Wp + body.N * turns.U;
    if (!node.childIsFirst) {  // the parent's lever slides
      const V3<R> back = (no - kappa) * f;
      part.tx += skewTimes(back, slide.Wc);
      part.tt += skewTimes(back, slide.Wp);
    }
    // From c = δx_p + δ_p × other to the parent's displacement.
    part.xt -= timesSkew(part.xx, other);
    part.tt -= timesSkew(part.tx, other);
    part.tx += skewTimes(lever, part.xx);
    part.tt += skewTimes(lever, part.xt);
    leverTurns(other, f, part);
  }
}

// Multipliers, as rows have them, along axes that are locked: of the step before, and of this one.
template <class R, bool Over>
TENON_OUT_OF_LINE V3<R> TreeKernel<R, Over>::recalledOfSlide(int n) const {
  V3<R> force = zero3<R>();
  R* const to[3] = {&force.x, &force.y, &force.z};
  Index at = 0;
  for (int k = 0; k < 3; ++k)
    if ((t_.nodes[n].slides >> k & 1u) == 0) {
      *to[k] = gather<R>([&](int i) { return state_.multiplier[t_.slot[i][n] + at]; });
      ++at;
    }
  const TreeNode& node = t_.nodes[n];
  for (Index r = 0; r < node.pulls; ++r) {
    R& along = *to[t_.ruleShapes[node.firstPull + r].coordinate];
    along = along + gather<R>([&](int i) {
              const double* push =
                  state_.multiplier + t_.slot[i][n] + node.moves + node.locked + 2 * r;
              return push[0] - push[1];
            });
  }
  return force;
}
// λ of the rules, as rows have it, and their work.
template <class R, bool Over>
TENON_OUT_OF_LINE void TreeKernel<R, Over>::finishPulls(int n, unsigned lanes, double* work) {
  const TreeNode& node = t_.nodes[n];
  const TreeSlide<R>& slide = t_.slides[n];
  const R no = number<R>(0);
  const R from[3] = {slide.start.x, slide.start.y, slide.start.z};
  const R moved[3] = {slide.moved.x, slide.moved.y, slide.moved.z};
  for (Index r = 0; r < node.pulls; ++r) {
    const TreeRuleShape& shape = t_.ruleShapes[node.firstPull + r];
    const int k = shape.coordinate;
    const R slid = slidOf(n, k);
    R up = unboundedPush(shape.kind, t_.rules[node.firstPull + r],
                         {from[k], from[k] + moved[k], slid, zero3<R>()})
               .lambda;
    const R done = up * slid;
    R down = no;
    if (shape.kind == TreeRuleKind::Prefer) {
      down = choose(up < no, no - up, no);
      up = choose(up < no, no, up);
    }
    for (int i = 0; i < kWidth; ++i) {
      if ((lanes >> i & 1u) == 0) continue;
      double* to = state_.multiplier + t_.slot[i][n] + node.moves + node.locked + 2 * r;
      to[0] = lane(up, i);
      to[1] = lane(down, i);
      work[i] += lane(done, i);
    }
  }
}
template <class R, bool Over>
TENON_OUT_OF_LINE void TreeKernel<R, Over>::rememberSlide(int n, unsigned lanes, const V3<R>& force,
                                                          const V3<R>& torque) {
  const TreeNode& node = t_.nodes[n];
  const R* const from[3] = {&force.x, &force.y, &force.z};
  for (int i = 0; i < kWidth; ++i) {
    if ((lanes >> i & 1u) == 0) continue;
    double* to = state_.multiplier + t_.slot[i][n];
    for (int k = 0; k < 3; ++k)
      if ((node.slides >> k & 1u) == 0) *to++ = lane(*from[k], i);
    const Vec3 turns = lane(torque, i);
    storeTorque(node.locked, node.axis, {turns.x, turns.y, turns.z}, to);
  }
}

// What it pushes with along the mean axes of frame 1, as rows have it.
template <class R, bool Over>
TENON_OUT_OF_LINE V3<R> TreeKernel<R, Over>::forceOfSlide(int n, const V3<R>& force) const {
  const TreeSlide<R>& slide = t_.slides[n];
  V3<R> b[3];
  meanAcross(slide, b);
  const R volume = number<R>(1) / dot(mean(slide.axis0[0], slide.axis1[0]), b[0]);
  return {volume * dot(b[0], force), volume * dot(b[1], force), volume * dot(b[2], force)};
}

}  // namespace
}  // namespace tenon::packed
