// The forest of joints, articulated bodies on it, and the rows that it leaves over.
#include <algorithm>
#include <cassert>
#include <cmath>

#include "methods/recursive.h"

namespace tenon {

// ---------------------------------------------------------------------------------------- growing

Index JointTree::nodeOf(const Mechanism& m, Index solid) const {
  return solid == kWorld || m.solids[solid].kind != SolidKind::Dynamic
             ? static_cast<Index>(m.solids.size())
             : solid;
}

void JointTree::grow(const Mechanism& m, const Control& control, const State& state, Index first) {
  const auto solids = static_cast<Index>(m.solids.size());
  const auto joints = static_cast<Index>(m.joints.size());
  const Index ground = solids;
  const auto ofFrames = [&](Index j) { return m.joints[j].kind->relates == Relates::Frames; };
  const auto merged = [&](Index j) {
    return j < control.merged.size() && control.merged[j] != 0 && ofFrames(j);
  };
  const auto holding = [&](Index j) {
    return control.jointOn[j] != 0 && isActive(m, m.joints[j].active, state.time);
  };
  // Kruskal's forest.
  set_.resize(solids + 1);
  for (Index s = 0; s <= solids; ++s) set_[s] = s;
  const auto find = [this](Index node) {
    while (set_[node] != node) node = set_[node] = set_[set_[node]];
    return node;
  };
  chosen_.assign(joints, 0);
  const auto choose = [&](Index j) {
    const MechanismJoint& joint = m.joints[j];
    if (chosen_[j] || !ofFrames(j) || !holding(j)) return;
    const Index a = find(nodeOf(m, joint.solid1)), b = find(nodeOf(m, joint.solid2));
    if (a == b) return;
    set_[std::max(a, b)] = std::min(a, b);
    chosen_[j] = 1;
  };
  for (Index j = 0; j < joints; ++j)
    if (merged(j)) choose(j);
  if (first != kWorld) choose(first);
  for (int residuals = kMaxResiduals; residuals > 0; --residuals)
    for (Index j = 0; j < joints; ++j)
      if (m.joints[j].kind->residualCount == residuals) choose(j);

  // From the ground outwards, then from the first solid of each island that is left.
  firstEdge_.assign(solids + 2, 0);
  for (Index j = 0; j < joints; ++j)
    if (chosen_[j]) {
      ++firstEdge_[nodeOf(m, m.joints[j].solid1) + 1];
      ++firstEdge_[nodeOf(m, m.joints[j].solid2) + 1];
    }
  for (Index s = 0; s <= solids; ++s) firstEdge_[s + 1] += firstEdge_[s];
  edges_.reserve(2 * std::size_t{joints});
  edges_.resize(firstEdge_[solids + 1]);
  order_.assign(firstEdge_.begin(), firstEdge_.end());  // where the next edge of a node goes
  for (Index j = 0; j < joints; ++j)
    if (chosen_[j]) {
      edges_[order_[nodeOf(m, m.joints[j].solid1)]++] = j;
      edges_[order_[nodeOf(m, m.joints[j].solid2)]++] = j;
    }
  std::size_t dynamic = 0;
  for (const MechanismSolid& solid : m.solids) dynamic += solid.kind == SolidKind::Dynamic ? 1 : 0;
  links_.resize(dynamic);
  linkOf_.assign(solids + 1, kWorld);
  linkOfJoint_.assign(joints, kWorld);
  heldBy_.assign(joints, 0);
  seen_.assign(solids + 1, 0);
  freedom_ = 0;
  order_.clear();
  Index count = 0;
  const auto add = [&](Index solid, Index joint, Index parentNode) {
    Link& link = links_[count];
    link.chart = treeChart(m, state, joint, solid, joint != kWorld && merged(joint));
    link.motion = {};
    link.parent = parentNode == ground ? kWorld : linkOf_[parentNode];
    link.root = link.parent == kWorld ? count : links_[link.parent].root;
    link.first = freedom_;
    freedom_ += static_cast<std::size_t>(link.chart.freedom);
    linkOf_[solid] = count;
    if (joint != kWorld) {
      linkOfJoint_[joint] = count;
      for (int r = 0; r < link.chart.held; ++r)
        heldBy_[joint] = static_cast<std::uint8_t>(heldBy_[joint] | 1u << link.chart.residual[r]);
    }
    seen_[solid] = 1;
    order_.push_back(solid);
    ++count;
  };
  const auto growFrom = [&](std::size_t next) {
    for (; next < order_.size(); ++next) {
      const Index node = order_[next];
      for (Index e = firstEdge_[node]; e < firstEdge_[node + 1]; ++e) {
        const MechanismJoint& joint = m.joints[edges_[e]];
        const Index a = nodeOf(m, joint.solid1), b = nodeOf(m, joint.solid2);
        const Index other = a == node ? b : a;
        if (!seen_[other]) add(other, edges_[e], node);
      }
    }
  };
  seen_[ground] = 1;
  order_.push_back(ground);
  growFrom(0);
  for (Index s = 0; s < solids; ++s)
    if (m.solids[s].kind == SolidKind::Dynamic && !seen_[s]) {
      add(s, kWorld, ground);
      growFrom(order_.size() - 1);
    }
  assert(count == dynamic);

  emitting_.clear();
  emitting_.reserve(joints);
  for (Index j = 0; j < joints; ++j) {
    const MechanismJoint& joint = m.joints[j];
    // Solids that are one ask nothing of each other; a joint that begins to hold does so in the next step.
    if (merged(j) || !holding(j)) continue;
    const bool whole = linkOfJoint_[j] != kWorld && joint.rules.count == 0 &&
                       joint.kind->velocityCount == 0 &&
                       links_[linkOfJoint_[j]].chart.held == joint.kind->residualCount;
    if (!whole) emitting_.push_back(j);
  }
}

bool JointTree::takes(const Mechanism& m, const Row& row) const {
  const Index joint = row.asker.number, number = row.key - m.joints[joint].firstSlot;
  return number < static_cast<Index>(kMaxResiduals) && (heldBy_[joint] >> number & 1u) != 0;
}

JointTree::Seat JointTree::seatOf(Index joint) const {
  if (linkOfJoint_[joint] == kWorld) return {};
  const Link& link = links_[linkOfJoint_[joint]];
  return {link.first,    link.chart.freedom,   link.chart.child,
          link.motion.S, link.motion.rateBias, link.motion.accelerationBias};
}

bool JointTree::place(const Mechanism& m, const double* y, const double* rate, State& state) {
  constexpr double kFarthest = 2.5;  // [rad] within a step
  for (Link& link : links_) {
    double turn = 0;
    for (int i = 3; i < 6; ++i) {
      double xi = link.chart.across[i];
      for (int k = 0; k < link.chart.freedom; ++k)
        xi += link.chart.N[k][i] * y[link.first + static_cast<std::size_t>(k)];
      turn += xi * xi;
    }
    if (!(turn < kFarthest * kFarthest)) return false;
    if (!placeChild(m, link.chart, y + link.first, rate ? rate + link.first : nullptr, state,
                    link.motion))
      return false;
  }
  return true;
}

// ------------------------------------------------------------------------------ articulated bodies

void JointTree::loadMasses(const Mechanism& m, const State& state) {
  for (Link& link : links_) {
    const MechanismSolid& solid = m.solids[link.chart.child];
    const Mat3 R = rotationMatrix(state.orientation[link.chart.child]);
    const Mat3 I = R * solid.inertia * transpose(R);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) link.I[i][j] = i >= 3 && j >= 3 ? I(i - 3, j - 3) : 0;
    for (int i = 0; i < 3; ++i) link.I[i][i] = solid.mass;
    link.rotors = false;
  }
}

void JointTree::addRotor(Index joint, const double* g, double inertia, double force) {
  Link& link = links_[linkOfJoint_[joint]];
  for (int r = 0; r < link.chart.freedom; ++r) {
    for (int c = 0; c < link.chart.freedom; ++c)
      link.rotor[r][c] = (link.rotors ? link.rotor[r][c] : 0) + inertia * g[r] * g[c];
    link.drive[r] = (link.rotors ? link.drive[r] : 0) + force * g[r];
  }
  link.rotors = true;
}

void JointTree::addMass(const RowBlock& along, double mass) {
  Link& link = links_[linkOf_[along.solid]];
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) link.I[i][j] += mass * along.J[i] * along.J[j];
}

bool JointTree::factor() {
  for (std::size_t l = links_.size(); l-- > 0;) {
    Link& link = links_[l];
    const int n = link.chart.freedom;
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < 6; ++i) {
        link.U[k][i] = 0;
        for (int j = 0; j < 6; ++j) link.U[k][i] += link.I[i][j] * link.motion.S[k][j];
      }
    for (int r = 0; r < n; ++r)
      for (int c = 0; c <= r; ++c) {
        double sum = link.rotors ? link.rotor[r][c] : 0;
        for (int i = 0; i < 6; ++i) sum += link.motion.S[r][i] * link.U[c][i];
        for (int k = 0; k < c; ++k) sum -= link.L[r][k] * link.L[c][k] / link.L[k][k];
        if (c < r) {
          link.L[r][c] = sum * link.L[c][c];
        } else {
          if (!(sum > 0) || !std::isfinite(sum)) return false;
          link.L[r][r] = 1 / sum;
        }
      }
    if (link.parent == kWorld) continue;
    // I - U D⁻¹ Uᵀ, carried over.
    double rest[6][6];
    for (int j = 0; j < 6; ++j) {
      double u[6], w[6];
      for (int k = 0; k < n; ++k) u[k] = link.U[k][j];
      solve(link, u, w);
      for (int i = 0; i < 6; ++i) {
        rest[i][j] = link.I[i][j];
        for (int k = 0; k < n; ++k) rest[i][j] -= link.U[k][i] * w[k];
      }
    }
    double right[6][6];
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) {
        right[i][j] = 0;
        for (int k = 0; k < 6; ++k) right[i][j] += rest[i][k] * link.motion.X[k][j];
      }
    Link& parent = links_[link.parent];
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j <= i; ++j) {
        double sum = 0;
        for (int k = 0; k < 6; ++k) sum += link.motion.X[k][i] * right[k][j];
        parent.I[i][j] += sum;
        if (j < i) parent.I[j][i] += sum;
      }
  }
  return true;
}

void JointTree::solve(const Link& link, const double* u, double* w) const {
  const int n = link.chart.freedom;
  for (int r = 0; r < n; ++r) {
    w[r] = u[r];
    for (int c = 0; c < r; ++c) w[r] -= link.L[r][c] * w[c];
  }
  for (int r = n; r-- > 0;) {
    w[r] *= link.L[r][r];
    for (int c = r + 1; c < n; ++c) w[r] -= link.L[c][r] * w[c];
  }
}

void JointTree::sweep(Bias bias, const std::vector<Six>& force, double* rate,
                      std::vector<Six>& motion) {
  static constexpr double kNone[6] = {};
  const auto biasOf = [bias](const Link& link) {
    return bias == Bias::None   ? kNone
           : bias == Bias::Rate ? link.motion.rateBias
                                : link.motion.accelerationBias;
  };
  pull_.assign(links_.size(), Six{});
  u_.resize(freedom_);
  // Inwards: force on the articulated body, less what its bias takes and its joint lets go.
  for (std::size_t l = links_.size(); l-- > 0;) {
    const Link& link = links_[l];
    const int n = link.chart.freedom;
    Six f = force[link.chart.child];
    for (std::size_t i = 0; i < 6; ++i) f[i] += pull_[l][i];
    const double* c = biasOf(link);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) f[static_cast<std::size_t>(i)] -= link.I[i][j] * c[j];
    double* u = u_.data() + link.first;
    double w[6];
    for (int k = 0; k < n; ++k) {
      u[k] = link.rotors && bias != Bias::None ? link.drive[k] : 0;
      for (int i = 0; i < 6; ++i) u[k] += link.motion.S[k][i] * f[static_cast<std::size_t>(i)];
    }
    if (link.parent == kWorld) continue;
    solve(link, u, w);
    for (int i = 0; i < 6; ++i)
      for (int k = 0; k < n; ++k) f[static_cast<std::size_t>(i)] -= link.U[k][i] * w[k];
    for (int j = 0; j < 6; ++j)
      for (int i = 0; i < 6; ++i)
        pull_[link.parent][static_cast<std::size_t>(j)] +=
            link.motion.X[i][j] * f[static_cast<std::size_t>(i)];
  }
  // Outwards.
  motion.assign(linkOf_.size() - 1, Six{});
  for (const Link& link : links_) {
    const int n = link.chart.freedom;
    Six carried{};
    if (link.parent != kWorld) {
      const Six& parent = motion[links_[link.parent].chart.child];
      for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j)
          carried[static_cast<std::size_t>(i)] +=
              link.motion.X[i][j] * parent[static_cast<std::size_t>(j)];
    }
    double u[6], *w = rate + link.first;
    for (int k = 0; k < n; ++k) {
      u[k] = u_[link.first + static_cast<std::size_t>(k)];
      for (int i = 0; i < 6; ++i) u[k] -= link.U[k][i] * carried[static_cast<std::size_t>(i)];
    }
    solve(link, u, w);
    const double* c = biasOf(link);
    Six& out = motion[link.chart.child];
    for (int i = 0; i < 6; ++i) {
      double sum = carried[static_cast<std::size_t>(i)] + c[i];
      for (int k = 0; k < n; ++k) sum += link.motion.S[k][i] * w[k];
      out[static_cast<std::size_t>(i)] = sum;
    }
  }
}

bool JointTree::moves(const Rows& rows, const Row& row) const {
  for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b)
    if (linkOf_[rows.blocks[b].solid] != kWorld) return true;
  return false;
}

bool JointTree::isMovedBy(const Mechanism& m, const Rows& rows, const Row& row, Index joint) const {
  const Index moved = linkOfJoint_[joint];
  // Of a row between two frames both have to be on the far side; of others nobody knows what else they read.
  const MechanismJoint& of = m.joints[row.asker.number];
  bool all = of.kind->relates == Relates::Frames && of.solid1 != kWorld && of.solid2 != kWorld,
       any = false;
  for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b) {
    Index link = linkOf_[rows.blocks[b].solid];
    while (link != kWorld && link != moved) link = links_[link].parent;
    if (link == moved)
      any = true;
    else
      all = false;
  }
  return moved != kWorld && any && !all;
}

void JointTree::trace(const Rows& rows, const Row& row, std::vector<Stop>& stops) const {
  // Where the force has got to; children have higher numbers than their parents.
  constexpr int kMost = 5 * kPoints;
  struct Front {
    Index link;
    double f[6];
  } fronts[kMost];
  int count = 0;
  const auto reach = [&](Index link) -> double* {
    for (int i = 0; i < count; ++i)
      if (fronts[i].link == link) return fronts[i].f;
    assert(count < kMost);
    fronts[count] = {link, {}};
    return fronts[count++].f;
  };
  for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b) {
    const RowBlock& block = rows.blocks[b];
    if (linkOf_[block.solid] == kWorld) continue;
    double* f = reach(linkOf_[block.solid]);
    for (int i = 0; i < 6; ++i) f[i] += block.J[i];
  }
  while (count > 0) {
    int last = 0;
    for (int i = 1; i < count; ++i)
      if (fronts[i].link > fronts[last].link) last = i;
    Front front = fronts[last];
    fronts[last] = fronts[--count];
    const Link& link = links_[front.link];
    Stop stop;
    stop.link = front.link;
    stop.count = static_cast<std::uint8_t>(link.chart.freedom);
    for (int k = 0; k < link.chart.freedom; ++k)
      for (int i = 0; i < 6; ++i) stop.u[k] += link.motion.S[k][i] * front.f[i];
    solve(link, stop.u, stop.w);
    stops.push_back(stop);
    if (link.parent == kWorld) continue;
    for (int i = 0; i < 6; ++i)
      for (int k = 0; k < link.chart.freedom; ++k) front.f[i] -= link.U[k][i] * stop.w[k];
    double* f = reach(link.parent);
    for (int j = 0; j < 6; ++j)
      for (int i = 0; i < 6; ++i) f[j] += link.motion.X[i][j] * front.f[i];
  }
}

// ------------------------------------------------------------------------------------------ loops

bool LoopSystem::load(const JointTree& tree, const Rows& rows, const std::vector<Index>& which,
                      const std::vector<double>& mobility) {
  const std::size_t n = which.size();
  stops_.clear();
  firstStop_.assign(n + 1, 0);
  firstColumn_.resize(n);
  at_.resize(n + 1);
  firstRowOfRoot_.assign(tree.links(), n);
  std::size_t size = 0;
  for (std::size_t r = 0; r < n; ++r) {
    tree.trace(rows, rows.rows[which[r]], stops_);
    firstStop_[r + 1] = stops_.size();
    firstColumn_[r] = r;
    for (std::size_t s = firstStop_[r]; s < stops_.size(); ++s) {
      std::size_t& firstRow = firstRowOfRoot_[tree.rootOf(stops_[s].link)];
      firstRow = std::min(firstRow, r);
      firstColumn_[r] = std::min(firstColumn_[r], firstRow);
    }
    at_[r] = size;
    size += r + 1 - firstColumn_[r];
  }
  at_[n] = size;
  A_.assign(size, 0);
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = firstColumn_[r]; c <= r; ++c) {
      double sum = 0;  // links in falling order on both
      std::size_t a = firstStop_[r], b = firstStop_[c];
      while (a < firstStop_[r + 1] && b < firstStop_[c + 1]) {
        const JointTree::Stop &x = stops_[a], &y = stops_[b];
        if (x.link == y.link) {
          for (int k = 0; k < x.count; ++k) sum += x.u[k] * y.w[k];
          ++a;
          ++b;
        } else if (x.link > y.link) {
          ++a;
        } else {
          ++b;
        }
      }
      A_[at_[r] + c - firstColumn_[r]] = sum;
    }
  for (std::size_t r = 0; r < n; ++r)
    if (const double inertia = rows.rows[which[r]].inertia; inertia > 0)
      A_[at_[r + 1] - 1] += 1 / inertia;
  // L D Lᵀ; the diagonal holds D.
  L_ = A_;
  for (std::size_t r = 0; r < n; ++r) {
    double* row = L_.data() + at_[r] - firstColumn_[r];
    row[r] += 1e-10 * mobility[r];
    for (std::size_t c = firstColumn_[r]; c < r; ++c) {
      const double* other = L_.data() + at_[c] - firstColumn_[c];
      for (std::size_t k = std::max(firstColumn_[r], firstColumn_[c]); k < c; ++k)
        row[c] -= row[k] * other[k];
    }
    for (std::size_t c = firstColumn_[r]; c < r; ++c) {
      const double l = row[c] / L_[at_[c + 1] - 1];
      row[r] -= l * row[c];
      row[c] = l;
    }
    // What rounding makes of a redundant row.
    row[r] = std::max(row[r], 1e-12 * mobility[r]);
    if (!std::isfinite(row[r]) || !(row[r] > 0)) return false;
  }
  return true;
}

void LoopSystem::solve(const std::vector<double>& b, std::vector<double>& lambda) {
  const std::size_t n = firstColumn_.size();
  lambda.assign(n, 0);
  for (int pass = 0; pass < 4; ++pass) {
    rest_ = b;
    for (std::size_t r = 0; r < n && pass > 0; ++r) {
      const double* row = A_.data() + at_[r] - firstColumn_[r];
      for (std::size_t c = firstColumn_[r]; c < r; ++c) {
        rest_[r] -= row[c] * lambda[c];
        rest_[c] -= row[c] * lambda[r];
      }
      rest_[r] -= row[r] * lambda[r];
    }
    for (std::size_t r = 0; r < n; ++r) {
      const double* row = L_.data() + at_[r] - firstColumn_[r];
      for (std::size_t c = firstColumn_[r]; c < r; ++c) rest_[r] -= row[c] * rest_[c];
    }
    for (std::size_t r = 0; r < n; ++r) rest_[r] /= L_[at_[r + 1] - 1];
    for (std::size_t r = n; r-- > 0;) {
      const double* row = L_.data() + at_[r] - firstColumn_[r];
      for (std::size_t c = firstColumn_[r]; c < r; ++c) rest_[c] -= row[c] * rest_[r];
      lambda[r] += rest_[r];
    }
  }
}

}  // namespace tenon
