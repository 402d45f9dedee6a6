// Trees on a ground that follows a path: node 0 is the ground, whose displacement and turn in the step are known.
//
// Over a step v_1 = 2 Δx/dt - v_0 keeps whatever the joints do not allow, and it comes back every second step. What follows a
// path brings some of it in at every step, so that it is taken out at the end of each: velocities become the nearest, by the
// masses, that the joints at the end allow, as methods/energy.cpp does by rows. It is a linear problem of the same tree,
//   f = m (v - v*) + Σ f_c,     I (ω - ω*) + Σ (r_c × f_c + τ_c) - r × f = τ,     v = c + r × ω,
// and eliminated as Newton's are. Here all is symmetric: with f = xx c + N ω + f_0 the balance is Nᵀ c + D ω + ρ_0 = τ.
//
// A part of tree_kernel.h.
#pragma once

#include "packed/tree_kernel.h"

namespace tenon::packed {
namespace {

template <class R, bool Over>
TENON_OUT_OF_LINE void TreeKernel<R, Over>::loadGround() {
  TreeBody<R>& ground = t_.bodies[0];
  const R no = number<R>(0), one = number<R>(1);
  // The turn from start to end, by less than half a turn.
  const Q4<R>&from = t_.led->turn0, &to = t_.led->turn1;
  const Q4<R> q = to * Q4<R>{no - from.x, no - from.y, no - from.z, from.w};
  const Q4<R> turn = scaled(choose(q.w < no, no - one, one), q);
  if (kOver)
    ground.theta = (number<R>(2) / turn.w) * V3<R>{turn.x, turn.y, turn.z};
  else
    ground.theta = ballTurn(turn).vector;
  ground.move = t_.led->move;
  ground.lessOne = matrixOf(from);  // for its child, until it turns
  ground.gap = ground.shift = ground.carried = zero3<R>();
}

// Returns how far it turns, squared.
template <class R, bool Over>
TENON_OUT_OF_LINE R TreeKernel<R, Over>::placeGround() {
  TreeBody<R>& ground = t_.bodies[0];
  ground.lessOne = turnLessOne(kOver, ground.theta);
  return dot(ground.theta, ground.theta);
}

// What the ground does to the tree, f · (how its point moves) + τ · θ. What its joint pulls with is counted apart.
template <class R, bool Over>
TENON_OUT_OF_LINE void TreeKernel<R, Over>::finishGround(unsigned lanes, double* work) {
  const TreeBody<R>&ground = t_.bodies[0], &body = t_.bodies[1];
  const R done =
      (number<R>(kA) / (dt() * dt())) *
      (dot(body.carried, ground.move + cross(ground.theta, mean(body.other0, body.other1))) +
       dot(body.shift, ground.theta));
  for (int i = 0; i < kWidth; ++i)
    if ((lanes >> i & 1u) != 0) work[i] += lane(done, i);
}

template <class R, bool Over>
TENON_OUT_OF_LINE void TreeKernel<R, Over>::settle(unsigned lanes, double* work) {
  const auto velocityOf = [&](int n) {
    return gatherVectors<R>([&](int i) { return state_.velocity[t_.solid[i][n]]; });
  };
  const auto spinOf = [&](int n) {
    return gatherVectors<R>([&](int i) { return state_.spin[t_.solid[i][n]]; });
  };
  const R one = number<R>(1);
  // From the leaves inwards. Parts have xx, xt and tt; force and torque are f_0 and t_0.
  TreePart<R>* top = t_.stack;
  for (int n = t_.count - 1; n >= first_; --n) {
    const TreeNode& node = t_.nodes[n];
    TreeBody<R>& body = t_.bodies[n];
    if (node.leaf) clear<true>(*top++);
    TreePart<R>& part = top[-1];
    M3<R> turn = body.lessOne;
    addToDiagonal(one, turn);
    body.inertia = turned(turn, body.inertia);  // from here on that of the end
    addToDiagonal(t_.solids[n].mass, part.xx);
    part.tt += full(body.inertia);
    part.force = part.force - t_.solids[n].mass * velocityOf(n);
    part.torque = part.torque - body.inertia * spinOf(n);
    const V3<R>&r = body.own1, &other = body.other1;
    M3<R> X = part.xx, N = timesSkew(X, r) + part.xt;
    M3<R> D = part.tt + timesSkew(transposed(part.xt), r) - skewTimes(r, N);
    V3<R> f = part.force, rho = part.torque - cross(r, f);
    if (node.slides != 0) {  // w = -S (f_0 + xx c + N ω)
      TreeSlide<R>& slide = t_.slides[n];
      slide.S = along(node.slides, slide.axis1, slide.axis1, X);
      slide.xx = X;
      slide.J = slide.S * N;
      slide.shift = slide.S * f;
      rho = rho - transposeTimes(N, slide.shift);
      D -= transposed(N) * slide.J;
      f = f - X * slide.shift;
      N -= X * slide.J;
      X -= X * (slide.S * X);
    }
    M3<R> P = node.locked > 0 ? freeTurns(n, D) : inverse(D);
    body.V = number<R>(-1) * (P * transposed(N));
    body.shift = number<R>(-1) * (P * rho);
    if (node.locked > 0) t_.turns[n].U = scaledIdentity(one) - P * D;
    if (n == first_) break;
    part.force = f + N * body.shift;
    part.torque = cross(other, part.force);
    part.xx = X + N * body.V;
    part.xt = number<R>(-1) * timesSkew(part.xx, other);
    if (node.locked > 0) {
      const M3<R>& U = t_.turns[n].U;
      const M3<R> NU = N * U;
      part.torque += transposeTimes(U, rho);
      part.xt += NU;
      part.tt =
          (transposed(U) * (D * U) - timesSkew(transposed(NU), other)) + skewTimes(other, part.xt);
    } else {
      part.tt = skewTimes(other, part.xt);
    }
    if (node.lastChild) continue;
    --top;
    add<true>(part, top[-1]);
  }
  // From the root outwards: the velocity of a solid in `carried`, its spin in `shift`.
  TreeBody<R>& ground = t_.bodies[0];
  ground.carried = t_.led->velocity;
  ground.shift = t_.led->spin;
  for (int n = first_; n < t_.count; ++n) {
    const TreeNode& node = t_.nodes[n];
    TreeBody<R>& body = t_.bodies[n];
    const TreeBody<R>& parent = t_.bodies[node.parent];
    V3<R> c = parent.carried + cross(parent.shift, body.other1);
    body.shift += body.V * c;
    if (node.locked > 0) body.shift += t_.turns[n].U * parent.shift;
    if (node.slides != 0) {
      const TreeSlide<R>& slide = t_.slides[n];
      c = c - (slide.shift + slide.S * (slide.xx * c) + slide.J * body.shift);
    }
    body.carried = c + cross(body.own1, body.shift);
    const V3<R> v = velocityOf(n), spin = spinOf(n);
    const V3<R> dv = body.carried - v, dw = body.shift - spin;
    const R done = number<R>(0.5) * (t_.solids[n].mass * dot(dv, body.carried + v) +
                                     dot(dw, body.inertia * (body.shift + spin)));
    for (int i = 0; i < kWidth; ++i) {
      if ((lanes >> i & 1u) == 0) continue;
      state_.velocity[t_.solid[i][n]] = lane(body.carried, i);
      state_.spin[t_.solid[i][n]] = lane(body.shift, i);
      work[i] += lane(done, i);
    }
  }
}

// A (Aᵀ D A)⁻¹ Aᵀ of the turns that a joint leaves free at the end.
template <class R, bool Over>
TENON_OUT_OF_LINE M3<R> TreeKernel<R, Over>::freeTurns(int n, const M3<R>& D) {
  const TreeNode& node = t_.nodes[n];
  TreeTurns<R> end;
  for (int k = 0; k < node.locked; ++k) {
    end.u0[k] = end.u1[k] = t_.turns[n].u1[k];
    end.w0[k] = end.w1[k] = t_.turns[n].w1[k];
  }
  return across(node, end, D);
}

}  // namespace
}  // namespace tenon::packed
