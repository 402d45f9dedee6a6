// Links of a tree: rods, ropes and springs between two of its points, or a point of it and one of the ground. They are a
// border of the tree's matrix.
//
// A link pushes its ends apart with f = ν G, G being a discrete gradient of its length over the step, or the gradient at its end.
// To the tree this is a load on the solids of its ends, and all that Newton's method needs beside is how d, which leads from
// one end to the other, moves in an iteration:
//   e_r = e0_r + Σ_s W_rs δf_s,
// where e0 is what the tree does by itself. A unit of f_s goes from the ends of s to the root and back through the matrices that
// `eliminate` left, three columns at a time and along the branches of links only, which gives W_rs. Each link has three equations,
//   P δf + Q e = b:     a rod         off + n·e + C (ν + δν) = 0 along G,     δf = K e across it
//                       a spring      δf = K e
//                       a slack rope  f + δf = 0,
// K = ∂f/∂d. So what turns with the link is Newton's, too. What is left is dense, and as large as there are links.
//
// Over a step G = 2 d̄/(|d_0| + |d_1|), as joints/lift_discrete.cpp has it.
//
// A rope that becomes taut within a step is an impact: velocities become the nearest that joints, links and limits allow, as
// methods/energy.cpp has it. They are what a figure turns and moves by that is where the step ends and has nothing but momenta
// to follow: one elimination with no forces, and so no slopes of these.
#pragma once

#include "packed/tree.h"
#include "packed/turn.h"
#include "solve/bounds.h"

namespace tenon::packed {
namespace {

template <class Kernel>
class TreeBorder {
  using R = typename Kernel::Number;
  using Mask = MaskOf<R>;
  static constexpr int kWidth = NumberOf<R>::lanes;
  // As EndSolve has them: what rows that repeat each other yield by, in mobilities.
  static constexpr double kLeastGive = 1e-12, kMostGive = 1e-2;
  static constexpr double kNever = 1e300;
  static constexpr double kNoLength =
      1e-100;  // [m] a rope whose ends coincide is slack, and has no direction

 public:
  explicit TreeBorder(Kernel& kernel) : k_(kernel), t_(kernel.t_) {}

  // Of the start. Returns by how much links are open at most, squared.
  TENON_OUT_OF_LINE R load() {
    const R no = number<R>(0), one = number<R>(1);
    const R h = k_.dt(), h2 = number<R>(1 / k_.kA) * (h * h);
    R open = no;
    give_ = one;
    calm_ = no;
    for (std::size_t l = 0; l < t_.linkCount; ++l) {
      const TreeLinkShape& shape = t_.linkShapes[l];
      TreeLink<R>& link = t_.links[l];
      V3<R> place[2];
      for (int e = 0; e < 2; ++e) {
        const Index n = shape.node[e];
        const auto solidAt = [&](int i) { return n == kWorld ? t_.anchor[i][l] : t_.solid[i][n]; };
        const M3<R> A = n != kWorld ? t_.bodies[n].lessOne : matrixOf(gatherTurns<R>([&](int i) {
          return k_.state_.orientationOf(solidAt(i));
        }));
        link.lever0[e] = A * link.point[e];
        place[e] = gatherVectors<R>([&](int i) { return k_.state_.positionOf(solidAt(i)); }) +
                   link.lever0[e];
      }
      link.d0 = place[1] - place[0];
      link.length0 = squareRootOf(dot(link.d0, link.d0));
      link.nu = link.changes = link.stored = no;
      link.holds = one;
      link.mobility = one;
      if (shape.kind == TreeLinkKind::Spring) {  // its slope leaves something out
        k_.loaded_ = one;
        continue;
      }
      const R sign = signOf(shape);
      const V3<R> n = (sign / larger(link.length0, number<R>(kNoLength))) * link.d0;
      link.off0 = sign * (link.length0 - link.length);
      const R gap =
          choose(link.off0 < no, no - link.off0, shape.kind == TreeLinkKind::Rope ? no : link.off0);
      open = choose(gap * gap <= open, open, gap * gap);
      link.mobility = no;
      for (int e = 0; e < 2; ++e) {
        if (shape.node[e] == kWorld) continue;
        const V3<R> c = cross(link.lever0[e], n);
        link.mobility = link.mobility + one / t_.solids[shape.node[e]].mass +
                        dot(c, inverse(full(t_.bodies[shape.node[e]].inertia)) * c);
      }
      const R lambda = gather<R>([&](int i) { return k_.state_.multiplier[t_.linkSlot[i][l]]; });
      if (shape.kind == TreeLinkKind::Rope) link.holds = choose(lambda > no, one, no);
      if (!k_.kOver) {
        link.nu = h2 * lambda;
        for (int e = 0; e < 2; ++e)
          if (shape.node[e] != kWorld)
            t_.bodies[shape.node[e]].shift += cross(link.lever0[e], (endSign(e) * link.nu) * n);
      }
    }
    return open;
  }

  // What follows from the poses of the solids. Where a rope came to hold or ceased to, or links still yield, nothing is closed.
  TENON_OUT_OF_LINE void follow() {
    const R no = number<R>(0), one = number<R>(1);
    R error = no;
    Mask calm = no == no;
    for (std::size_t l = 0; l < t_.linkCount; ++l) {
      const TreeLinkShape& shape = t_.linkShapes[l];
      TreeLink<R>& link = t_.links[l];
      V3<R> end[2];  // how the ends move
      for (int e = 0; e < 2; ++e) {
        link.lever1[e] = link.lever0[e];
        end[e] = zero3<R>();
        if (shape.node[e] == kWorld) continue;
        const TreeBody<R>& body = t_.bodies[shape.node[e]];
        const V3<R> turned = body.lessOne * link.lever0[e];
        link.lever1[e] += turned;
        end[e] = (body.move + body.gap) + turned;
      }
      link.d1 = link.d0 + (end[1] - end[0]);
      if (shape.kind == TreeLinkKind::Spring) {
        stretch(link);
        continue;
      }
      const R sign = signOf(shape);
      const R length1 = larger(squareRootOf(dot(link.d1, link.d1)), number<R>(kNoLength));
      link.off = sign * (length1 - link.length);
      link.normal = (sign / length1) * link.d1;
      if (k_.kOver)
        bendOver(length1, link);
      else
        bendAtEnd(length1, link);
      link.along = sign * link.along;
      if (shape.kind == TreeLinkKind::Rope) {
        const R held = holds(link);
        const Mask same = held == link.holds;
        link.changes = link.changes + choose(same, no, one);
        link.holds = held;
        calm = calm & same;
      }
      const R off2 = link.off * link.off, held2 = choose(link.holds > no, off2, no);
      k_.worst2_ = choose(held2 <= k_.worst2_, k_.worst2_, held2);
      if (shape.kind == TreeLinkKind::Rod) error = choose(off2 <= error, error, off2);
      link.bends = (sign * link.nu) * link.bends;
      link.force = link.nu * link.along;
    }
    calm_ = choose(calm, calm_ + one, no);
    const R next = number<R>(0.01) * give_, wanted = number<R>(10) * error;
    const R least = number<R>(kLeastGive), most = number<R>(kMostGive);
    give_ = choose(next < wanted, next, wanted);
    give_ = choose(give_ < least, least, choose(give_ > most, most, give_));
    const R never = number<R>(kNever);
    k_.worst2_ = choose(calm & (give_ == least), k_.worst2_, never);
  }

  // What the links of a solid do to it.
  template <bool Fresh>
  void add(Index n, TreePart<R>& part) {
    forEnds(n, [&](TreeLink<R>& link, int e) {
      const V3<R> f = endSign(e) * link.force;
      part.force = part.force - f;
      part.torque = part.torque - torqueOn(link, e);
      if constexpr (Fresh) {
        // (δ × r) × f = (r fᵀ - r·f) δ
        const V3<R> r = number<R>(k_.kMean) * link.lever1[e];
        part.tt -= outer(r, f);
        addToDiagonal(dot(r, f), part.tt);
      }
    });
  }

  // After `eliminate`: the changes of all f, and what they add to the turns that it found.
  TENON_OUT_OF_LINE void solve(bool fresh, const Mask& active) {
    const std::size_t count = t_.linkCount;
    // Where all ropes are slack there is nothing to do. So that a lane does what it would do alone, what is slack adds nothing.
    // Ropes come and go by lane, and in any iteration: there responses are never those of an earlier one.
    bool pulls = false, ropes = false;
    for (std::size_t l = 0; l < count; ++l) {
      pulls = pulls || Kernel::any(isPulling(l));
      ropes = ropes || t_.linkShapes[l].kind == TreeLinkKind::Rope;
    }
    if (!pulls) return;
    if (fresh || ropes) respond();
    moveBranches();
    V3<R> df[kMostLinks];
    for (std::size_t r = 0; r < count; ++r) {
      TreeLink<R>& link = t_.links[r];
      const Equation q = equation(t_.linkShapes[r], link);
      df[r] = q.b - q.Q * link.moved;
      for (std::size_t s = 0; s < count; ++s) {
        M3<R>& block = t_.system[r * count + s].m;
        block = product(q.Q, t_.responses[r * count + s].m);
        if (r == s) block += q.P;
      }
    }
    // Gauss, block by block.
    for (std::size_t p = 0; p < count; ++p) {
      const M3<R> pivot = inverse(t_.system[p * count + p].m);
      df[p] = pivot * df[p];
      for (std::size_t s = p + 1; s < count; ++s)
        t_.system[p * count + s].m = product(pivot, t_.system[p * count + s].m);
      for (std::size_t r = p + 1; r < count; ++r) {
        const M3<R> factor = t_.system[r * count + p].m;
        df[r] = df[r] - factor * df[p];
        for (std::size_t s = p + 1; s < count; ++s)
          t_.system[r * count + s].m -= product(factor, t_.system[p * count + s].m);
      }
    }
    for (std::size_t p = count; p-- > 0;)
      for (std::size_t s = p + 1; s < count; ++s)
        df[p] = df[p] - t_.system[p * count + s].m * df[s];
    for (std::size_t r = 0; r < count; ++r) {
      TreeLink<R>& link = t_.links[r];
      const Mask pulling = isPulling(r);
      for (std::size_t s = 0; s < count; ++s) link.moved += t_.responses[r * count + s].m * df[s];
      for (std::size_t b = 0; b < t_.branchCount; ++b) {
        const TreeBranch& branch = t_.branches[b];
        if ((branch.links >> r & 1u) == 0) continue;
        TreeBody<R>& body = t_.bodies[branch.node];
        const TreeColumn<R>& column = t_.columns[r * t_.branchCount + b];
        body.shift = choose<R>(pulling, body.shift + column.shift * df[r], body.shift);
        if (branch.node == 0 && t_.freeRoot)
          body.carried = choose<R>(pulling, body.carried + column.move * df[r], body.carried);
      }
      if (t_.linkShapes[r].kind == TreeLinkKind::Spring) continue;
      const R along2 = dot(link.along, link.along);
      const R more = dot(link.along, df[r] - link.bends * link.moved) / along2;
      const R nu = choose(link.holds > number<R>(0), link.nu + more, number<R>(0));
      link.nu = choose(active, nu, link.nu);
    }
  }

  // Takes what the links do out of what the joint of a solid carries. Returns the torque.
  V3<R> finish(Index n) {
    V3<R> torque = zero3<R>();
    forEnds(n, [&](TreeLink<R>& link, int e) {
      t_.bodies[n].carried = t_.bodies[n].carried - endSign(e) * link.force;
      torque += torqueOn(link, e);
    });
    return torque;
  }

  // Multipliers, and the work of what is no rod.
  TENON_OUT_OF_LINE void remember(unsigned lanes, double* work) {
    const R scale = number<R>(k_.kA) / (k_.dt() * k_.dt());
    for (std::size_t l = 0; l < t_.linkCount; ++l) {
      const TreeLink<R>& link = t_.links[l];
      const TreeLinkKind kind = t_.linkShapes[l].kind;
      const R lambda = scale * link.nu;
      R done = number<R>(0);
      if (kind == TreeLinkKind::Rope) done = lambda * (link.off - link.off0);
      if (kind == TreeLinkKind::Spring)
        done = scale * dot(link.force, link.d1 - link.d0) + link.stored;
      for (int i = 0; i < kWidth; ++i) {
        if ((lanes >> i & 1u) == 0) continue;
        if (kind != TreeLinkKind::Spring) k_.state_.multiplier[t_.linkSlot[i][l]] = lane(lambda, i);
        work[i] += lane(done, i);
      }
    }
  }

  // After `finish`: the velocities of some lanes, and the work that this takes.
  TENON_OUT_OF_LINE void settle(unsigned lanes, double* work) {
    const R no = number<R>(0);
    TreeFigures<R>& t = k_.t_;
    k_.settles_ = true;
    t.nodes = t.settling;
    R energy = no;
    for (int n = 0; n < t.count; ++n) {
      TreeBody<R>& body = t.bodies[n];
      const auto solidAt = [&](int i) { return t.solid[i][n]; };
      const V3<R> v = gatherVectors<R>([&](int i) { return k_.state_.velocity[solidAt(i)]; });
      const V3<R> spin = gatherVectors<R>([&](int i) { return k_.state_.spin[solidAt(i)]; });
      const M3<R> A =
          matrixOf(gatherTurns<R>([&](int i) { return k_.state_.orientation[solidAt(i)]; }));
      body.inertia = turned(A, t.solids[n].inertia);
      body.own0 = body.own1;
      body.other0 = body.other1;
      if (t.nodes[n].locked > 0)
        for (int k = 0; k < t.nodes[n].locked; ++k) {
          t.turns[n].u0[k] = t.turns[n].u1[k];
          t.turns[n].w0[k] = t.turns[n].w1[k];
        }
      body.theta = body.momentum = body.move = body.drift = zero3<R>();
      body.lessOne = zeroMatrix<R>();
      body.gap = v;  // what the momenta are of
      body.shift = spin;
      energy = energy - kineticEnergy(n, v, spin);
    }
    for (std::size_t l = 0; l < t.linkCount; ++l) {
      TreeLink<R>& link = t.links[l];
      for (int e = 0; e < 2; ++e) link.lever0[e] = link.lever1[e];
      if (t.linkShapes[l].kind == TreeLinkKind::Spring) link.normal = link.d1;
      link.along = link.normal;
      link.bends = zeroMatrix<R>();
      link.force = zero3<R>();
      link.nu = link.off = link.changes = no;
    }
    k_.template eliminate<true>();
    solve(true, no == no);
    for (int n = 0; n < t.count; ++n) {
      TreeBody<R>& body = t.bodies[n];
      const TreeBody<R>& parent = t.bodies[t.nodes[n].parent];
      V3<R> move = body.carried;
      if (n > 0)
        descend(static_cast<Index>(n), parent.carried, parent.shift, move, body.shift);
      else if (!t.freeRoot)
        move = cross(body.own1, body.shift);
      body.carried = move;
      energy = energy + kineticEnergy(n, body.carried, body.shift);
      for (int i = 0; i < kWidth; ++i) {
        if ((lanes >> i & 1u) == 0) continue;
        k_.state_.velocity[t.solid[i][n]] = lane(body.carried, i);
        k_.state_.spin[t.solid[i][n]] = lane(body.shift, i);
      }
    }
    for (int i = 0; i < kWidth; ++i)
      if ((lanes >> i & 1u) != 0) work[i] += lane(energy, i);
  }
  void addMomentum(Index n, TreePart<R>& part) const {
    const TreeBody<R>& body = t_.bodies[n];
    part.forceShift = part.forceShift - t_.solids[n].mass * body.gap;
    part.torqueShift = part.torqueShift - body.inertia * body.shift;
  }

  // Lanes in which a rope holds that was slack when the step began, or that had not pulled yet and was being stretched.
  [[nodiscard]] unsigned landed() const {
    unsigned lanes = 0;
    for (std::size_t l = 0; l < t_.linkCount && k_.kOver; ++l) {
      if (t_.linkShapes[l].kind != TreeLinkKind::Rope) continue;
      const TreeLink<R>& link = t_.links[l];
      const R pulled = gather<R>([&](int i) { return k_.state_.multiplier[t_.linkSlot[i][l]]; });
      const R nearing = number<R>(-1) * (k_.dt() * dot(link.along, startSpeed(l)));
      const R no = number<R>(0), off = larger(link.off0, choose(pulled > no, no, nearing));
      for (int i = 0; i < kWidth; ++i)
        if (lane(link.holds, i) > 0 && lane(off, i) > 10 * k_.set_.closed) lanes |= 1u << i;
    }
    return lanes;
  }

 private:
  // How fast end 1 moves away from end 0 at the start, at the mean levers.
  [[nodiscard]] TENON_OUT_OF_LINE V3<R> startSpeed(std::size_t l) const {
    const TreeLink<R>& link = t_.links[l];
    V3<R> apart = zero3<R>();
    for (int e = 0; e < 2; ++e) {
      const Index n = t_.linkShapes[l].node[e];
      if (n == kWorld) continue;
      const V3<R> v = gatherVectors<R>([&](int i) { return k_.state_.velocity[t_.solid[i][n]]; });
      const V3<R> spin = gatherVectors<R>([&](int i) { return k_.state_.spin[t_.solid[i][n]]; });
      apart += endSign(e) * (v + cross(spin, k_.mean(link.lever0[e], link.lever1[e])));
    }
    return apart;
  }
  [[nodiscard]] R kineticEnergy(int n, const V3<R>& v, const V3<R>& spin) const {
    return number<R>(0.5) *
           (t_.solids[n].mass * dot(v, v) + dot(spin, t_.bodies[n].inertia * spin));
  }
  static R signOf(const TreeLinkShape& shape) {
    return number<R>(shape.kind == TreeLinkKind::Rope ? -1 : 1);
  }
  static R endSign(int e) { return number<R>(e == 0 ? -1 : 1); }
  TENON_OUT_OF_LINE static M3<R> product(const M3<R>& a, const M3<R>& b) { return a * b; }

  // Or has pulled, and is to cease.
  Mask isPulling(std::size_t l) const {
    const R no = number<R>(0);
    if (t_.linkShapes[l].kind != TreeLinkKind::Rope) return no == no;
    const TreeLink<R>& link = t_.links[l];
    const R pulls = choose(link.holds > no, number<R>(1), link.nu);
    return pulls != no;
  }
  template <class F>
  void forEnds(Index n, const F& f) {
    for (std::size_t l = 0; l < t_.linkCount; ++l)
      for (int e = 0; e < 2; ++e)
        if (t_.linkShapes[l].node[e] == n) f(t_.links[l], e);
  }
  V3<R> torqueOn(const TreeLink<R>& link, int e) const {
    return cross(k_.mean(link.lever0[e], link.lever1[e]), endSign(e) * link.force);
  }
  // G = n = d/|d|, and ∂G/∂d = (1 - n nᵀ)/|d|.
  static void bendAtEnd(const R& length1, TreeLink<R>& link) {
    const R over = number<R>(1) / length1;
    link.along = over * link.d1;
    link.bends = outer((number<R>(0) - over) * link.along, link.along);
    addToDiagonal(over, link.bends);
  }
  // G = 2 d̄/(|d_0| + |d_1|), and ∂G/∂d_1 = (1 - G nᵀ)/(|d_0| + |d_1|), n = d_1/|d_1|.
  static void bendOver(const R& length1, TreeLink<R>& link) {
    const R over = number<R>(1) / (link.length0 + length1);
    link.along = over * (link.d0 + link.d1);
    link.bends = outer((number<R>(0) - over / length1) * link.along, link.d1);
    addToDiagonal(over, link.bends);
  }
  void stretch(TreeLink<R>& link) {
    const R h2 = number<R>(1 / k_.kA) * (k_.dt() * k_.dt());
    const auto pull =
        k_.springPull(link.stiffness, link.damping, link.length, number<R>(1), link.d0, link.d1);
    link.force = h2 * pull.force;
    link.bends = h2 * pull.slope;
    link.stored = pull.stored;
  }

  // By the law of bounds, lane by lane.
  R holds(const TreeLink<R>& link) const {
    return gather<R>([&](int i) {
      const Bounded was = lane(link.holds, i) > 0 ? Bounded::Inside : Bounded::AtLower;
      const BoundedRow row{lane(link.nu, i), lane(link.off, i), lane(link.mobility, i), 0, kNever};
      return boundedBy(row, was, k_.set_.closed) == Bounded::Inside ? 1.0 : 0.0;
    });
  }
  R loosenessOf(const TreeLink<R>& link) const {
    return gather<R>([&](int i) {
      return looseness(static_cast<int>(lane(link.changes, i)), static_cast<int>(lane(calm_, i)));
    });
  }

  struct Equation {
    M3<R> P, Q;
    V3<R> b;
  };
  Equation equation(const TreeLinkShape& shape, const TreeLink<R>& link) const {
    const R no = number<R>(0), one = number<R>(1);
    if (shape.kind == TreeLinkKind::Spring)
      return {scaledIdentity(one), number<R>(-1) * link.bends, zero3<R>()};
    const R size = squareRootOf(dot(link.along, link.along)), over = one / link.mobility;
    const V3<R> g = (one / size) * link.along;
    R give = give_;
    if (shape.kind == TreeLinkKind::Rope) give = give + loosenessOf(link);
    Equation q;
    q.P = outer((give / size - one) * g, g);
    addToDiagonal(one, q.P);
    q.Q = outer(g, transposeTimes(link.bends, g) + over * link.normal) - link.bends;
    q.b = (no - (over * link.off + give_ * link.nu)) * g;
    if (shape.kind == TreeLinkKind::Rope) {
      const Mask held = link.holds > no;
      const M3<R> unit = scaledIdentity(one), none = zeroMatrix<R>();
      q.P = chosen(held, q.P, unit);
      q.Q = chosen(held, q.Q, none);
      q.b = choose<R>(held, q.b, number<R>(-1) * link.force);
    }
    return q;
  }
  static M3<R> chosen(const Mask& which, const M3<R>& a, const M3<R>& b) {
    return {choose<R>(which, a.r0, b.r0), choose<R>(which, a.r1, b.r1),
            choose<R>(which, a.r2, b.r2)};
  }

  // ------------------------------------------------------------------------------ along the branches

  static V3<R> across(const V3<R>& a, const V3<R>& b) { return cross(a, b); }
  static M3<R> across(const V3<R>& a, const M3<R>& b) { return skewTimes(a, b); }
  static V3<R> times(const M3<R>& a, const V3<R>& b) { return a * b; }
  static M3<R> times(const M3<R>& a, const M3<R>& b) { return product(a, b); }

  // What a force and torque that a node and those beyond it are asked for turn it by; then what its parent is asked for. Of a
  // free root the force becomes how it moves.
  TENON_OUT_OF_LINE M3<R> ascend(Index n, M3<R>& force, M3<R>& torque) const {
    const TreeNode& node = t_.nodes[n];
    const TreeBody<R>& body = t_.bodies[n];
    const R minus = number<R>(-1);
    if (n == 0 && t_.freeRoot) {
      const M3<R> shift = product(body.inverse, product(t_.stack->tx, force) - torque);
      force = minus * product(body.V, force + product(body.N, shift));
      return shift;
    }
    const M3<R> all = torque - skewTimes(k_.mean(body.own0, body.own1), force);
    const M3<R> shift = minus * product(node.locked > 0 ? t_.turns[n].P : body.inverse, all);
    force += product(body.N, shift);
    torque = skewTimes(k_.mean(body.other0, body.other1), force);
    if (node.locked > 0)
      torque += all + product(t_.turns[n].D, shift);
    else if (k_.acts(static_cast<int>(n)))
      torque += product(t_.loads[n].own, shift);
    return shift;
  }
  // How a node moves and turns, where its parent does so, as `improve` has it.
  template <class X>
  void descend(Index n, const X& parentMove, const X& parentTurn, X& move, X& turn) const {
    const TreeBody<R>& body = t_.bodies[n];
    const X c = parentMove - across(body.other1, parentTurn);
    turn += times(body.V, c);
    if (k_.turnsParent(static_cast<int>(n))) turn += times(t_.turns[n].U, parentTurn);
    move = c + across(body.own1, turn);
  }

  // W.
  TENON_OUT_OF_LINE void respond() {
    const std::size_t count = t_.linkCount, branches = t_.branchCount;
    for (std::size_t s = 0; s < count; ++s) {
      const TreeLink<R>& link = t_.links[s];
      TreeColumn<R>* column = t_.columns + s * branches;
      for (std::size_t b = 0; b < branches; ++b) {
        column[b].move = column[b].turn = column[b].shift = zeroMatrix<R>();
        for (int e = 0; e < 2; ++e) {
          if (t_.linkShapes[s].node[e] != t_.branches[b].node) continue;
          const R sign = number<R>(-1) * endSign(e);
          addToDiagonal(sign, column[b].move);
          addSkew(sign * k_.mean(link.lever0[e], link.lever1[e]), column[b].turn);
        }
      }
      for (std::size_t b = branches; b-- > 0;) {
        if ((t_.branches[b].links >> s & 1u) == 0) continue;
        column[b].shift = ascend(t_.branches[b].node, column[b].move, column[b].turn);
        if (b == 0) break;
        column[t_.branches[b].parent].move += column[b].move;
        column[t_.branches[b].parent].turn += column[b].turn;
      }
      for (std::size_t b = 0; b < branches; ++b) {
        const TreeColumn<R>& parent = column[t_.branches[b].parent];
        column[b].turn = column[b].shift;
        if (b > 0)
          descend(t_.branches[b].node, parent.move, parent.turn, column[b].move, column[b].turn);
        else if (!t_.freeRoot)
          column[b].move = skewTimes(t_.bodies[0].own1, column[b].turn);
      }
      for (std::size_t r = 0; r < count; ++r) {
        M3<R>& W = t_.responses[r * count + s].m;
        W = zeroMatrix<R>();
        for (std::size_t b = 0; b < branches; ++b)
          for (int e = 0; e < 2; ++e)
            if (t_.linkShapes[r].node[e] == t_.branches[b].node)
              W += endSign(e) * (column[b].move - skewTimes(t_.links[r].lever1[e], column[b].turn));
      }
    }
  }
  // e0.
  void moveBranches() {
    for (std::size_t l = 0; l < t_.linkCount; ++l) t_.links[l].moved = zero3<R>();
    for (std::size_t b = 0; b < t_.branchCount; ++b) {
      const TreeBranch& branch = t_.branches[b];
      const TreeBody<R>& body = t_.bodies[branch.node];
      TreeBranchMotion<R>& motion = t_.motions[b];
      const TreeBranchMotion<R>& parent = t_.motions[branch.parent];
      motion.turn = body.shift;
      if (b > 0)
        descend(branch.node, parent.move, parent.turn, motion.move, motion.turn);
      else
        motion.move = t_.freeRoot ? body.carried : cross(body.own1, body.shift);
      forEnds(branch.node, [&](TreeLink<R>& link, int e) {
        link.moved += endSign(e) * (motion.move + cross(motion.turn, link.lever1[e]));
      });
    }
  }

  Kernel& k_;
  const TreeFigures<R>& t_;
  R give_{}, calm_{};
};

}  // namespace
}  // namespace tenon::packed
