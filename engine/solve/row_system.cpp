#include "solve/row_system.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "math/rotation.h"
#include "model/names.h"
#include "solve/vectors.h"

namespace tenon {

void RowSystem::load(const Mechanism& mechanism, const State& state, const Rows& rows,
                     const std::vector<bool>& used) {
  mechanism_ = &mechanism;
  nodeOf_.assign(mechanism.solids.size(), kWorld);
  solids_.clear();
  for (const Row& row : rows.rows)
    for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b) {
      const Index solid = rows.blocks[b].solid;
      if (mechanism.solids[solid].kind != SolidKind::Dynamic || nodeOf_[solid] != kWorld) continue;
      nodeOf_[solid] = static_cast<Index>(solids_.size());
      solids_.push_back(solid);
    }
  // Masses in world axes.
  mass_.resize(solids_.size());
  motion_.assign(solids_.size(), Six{});
  inverseInertia_.resize(solids_.size());
  for (std::size_t n = 0; n < solids_.size(); ++n) {
    const MechanismSolid& solid = mechanism.solids[solids_[n]];
    const Mat3 R = rotationMatrix(state.orientation[solids_[n]]);
    const Mat3 I = R * solid.inertia * transpose(R);
    inverseInertia_[n] = R * solid.inverseInertia * transpose(R);
    auto& M = mass_[n];
    M.fill(0);
    for (std::size_t i = 0; i < 3; ++i) {
      M[7 * i] = solid.mass;
      for (std::size_t j = 0; j < 3; ++j)
        M[6 * (3 + i) + 3 + j] = I(static_cast<int>(i), static_cast<int>(j));
    }
  }
  rows_.clear();
  views_.clear();
  mobility_.assign(rows.rows.size(), 0);
  for (std::size_t r = 0; r < rows.rows.size(); ++r) {
    const Row& row = rows.rows[r];
    RowView view;
    view.first = static_cast<Index>(views_.size());
    view.used = used[r];
    for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b) {
      const RowBlock& block = rows.blocks[b];
      const Index node = nodeOf_[block.solid];
      if (node == kWorld) continue;
      View& v = views_.emplace_back();
      v.node = node;
      const double inverseMass = mechanism.solids[block.solid].inverseMass;
      const Vec3 turn = inverseInertia_[node] * Vec3{block.J[3], block.J[4], block.J[5]};
      for (std::size_t i = 0; i < 6; ++i) {
        v.J[i] = block.J[i];
        v.MJ[i] = i < 3 ? inverseMass * block.J[i] : turn[static_cast<int>(i) - 3];
      }
      mobility_[r] += dotOf(v.J, v.MJ);
      ++view.count;
    }
    rows_.push_back(view);
  }
  analyse(rows);
}

void RowSystem::use(const std::vector<bool>& used) {
  for (std::size_t r = 0; r < rows_.size(); ++r) rows_[r].used = used[r];
}

void RowSystem::analyse(const Rows& rows) {
  pattern_.clear();
  for (const Index solid : solids_) pattern_.push_back(mechanism_->solids[solid].pointMass ? 3 : 6);
  groupOf_.resize(rows_.size());
  groupFirst_.clear();
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    if (r == 0 || !(rows.rows[r].asker == rows.rows[r - 1].asker)) {
      groupFirst_.push_back(static_cast<Index>(r));
      pattern_.push_back(kWorld);
    }
    groupOf_[r] = static_cast<Index>(groupFirst_.size() - 1);
    for (Index v = rows_[r].first; v < rows_[r].first + rows_[r].count; ++v)
      pattern_.push_back(views_[v].node);
    pattern_.push_back(kWorld - 1);
  }
  groupFirst_.push_back(static_cast<Index>(rows_.size()));
  if (pattern_ == lastPattern_ && ldl_.size() > 0) return;
  lastPattern_ = pattern_;

  const auto bodies = static_cast<Index>(solids_.size());
  const auto groups = static_cast<Index>(groupFirst_.size() - 1);
  std::vector<BlockLdl::NodeSpec> nodes;
  for (const Index solid : solids_)
    nodes.push_back({mechanism_->solids[solid].pointMass ? 3u : 6u, true});
  std::vector<std::pair<Index, Index>> edges;
  for (Index g = 0; g < groups; ++g) {
    nodes.push_back({groupFirst_[g + 1] - groupFirst_[g], false});
    std::vector<Index> touched;
    for (Index r = groupFirst_[g]; r < groupFirst_[g + 1]; ++r)
      for (Index v = rows_[r].first; v < rows_[r].first + rows_[r].count; ++v)
        touched.push_back(views_[v].node);
    addJointEdges(bodies + g, touched, edges);
  }
  ldl_.analyse(nodes, edges);
}

LinearReport RowSystem::solve(std::span<const StiffnessBlock> stiffness,
                              std::span<const double> compliance, std::span<const double> b,
                              const LinearBudget& budget, std::vector<double>& lambda,
                              std::vector<Six>& displacement) {
  const bool direct = isDirect(budget.solver);
  if (budget.guessed && !direct) {
    assert(lambda.size() == rows_.size());
    guess_ = lambda;
    for (std::size_t r = 0; r < rows_.size(); ++r)
      if (!rows_[r].used) guess_[r] = 0;
  } else {
    guess_.clear();
  }
  lambda.assign(rows_.size(), 0);
  displacement.assign(mechanism_->solids.size(), Six{});
  LinearReport report;
  if (rows_.empty()) return report;
  Call call{stiffness, compliance, b, budget, lambda, report};
  if (direct)
    run(call);
  else
    iterate(call);
  for (std::size_t n = 0; n < solids_.size(); ++n) displacement[solids_[n]] = motion_[n];
  return report;
}

void RowSystem::run(Call& call) {
#define TENON_FUNCTION(value, name, function, kind, words) &RowSystem::function,
  static constexpr void (RowSystem::*kSolvers[])(Call&) = {TENON_LINEAR_SOLVERS(TENON_FUNCTION)};
#undef TENON_FUNCTION
  (this->*kSolvers[static_cast<std::size_t>(call.budget.solver)])(call);
}

// ------------------------------------------------------------------ for the solvers that iterate

void RowSystem::spread(const std::vector<double>& lambda) {
  for (Six& m : motion_) m = {};
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    if (!rows_[r].used) continue;
    for (Index v = rows_[r].first; v < rows_[r].first + rows_[r].count; ++v)
      for (std::size_t i = 0; i < 6; ++i) motion_[views_[v].node][i] += views_[v].MJ[i] * lambda[r];
  }
}

void RowSystem::product(std::span<const double> compliance, const std::vector<double>& x,
                        std::vector<double>& y) {
  spread(x);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    y[r] = 0;
    if (!rows_[r].used) continue;
    y[r] = compliance[r] * x[r];
    for (Index v = rows_[r].first; v < rows_[r].first + rows_[r].count; ++v)
      y[r] += dotOf(views_[v].J, motion_[views_[v].node]);
  }
}

double RowSystem::sizeOf(Norm norm, const std::vector<double>& r) const {
  double sum = 0;
  for (std::size_t i = 0; i < r.size(); ++i) {
    if (norm == Norm::Max)
      sum = std::max(sum, std::abs(r[i]));
    else
      sum += r[i] * r[i] / (norm == Norm::Energy && mobility_[i] > 0 ? mobility_[i] : 1);
  }
  return norm == Norm::Max ? sum : std::sqrt(sum);
}

void RowSystem::iterate(Call& call) {
  const LinearBudget& budget = call.budget;
  const std::size_t n = rows_.size();
  for (std::vector<double>& v : work_) v.assign(n, 0);
  std::vector<double>&r = work_[0], &q = work_[1];
  for (std::size_t i = 0; i < n; ++i) r[i] = rows_[i].used ? call.b[i] : 0;
  call.most = budget.iterations > 0 ? budget.iterations : static_cast<int>(n);
  call.goal = budget.tolerance * sizeOf(budget.norm, r);
  if (!guess_.empty()) {  // solve for the rest: A (λ - guess) = b - A guess
    product(call.compliance, guess_, q);
    addTo(r, -1, q);
    std::fill(q.begin(), q.end(), 0.0);
  }
  if (!isDone(call)) run(call);
  if (!guess_.empty()) addTo(call.lambda, 1, guess_);
  spread(call.lambda);
}

bool RowSystem::isDone(const Call& call) const {
  const double size = sizeOf(call.budget.norm, work_[0]);
  if (!std::isfinite(size)) call.report.finite = false;
  return !(size > call.goal) || !call.report.finite;
}

// -------------------------------------------------------------------------------------- by name

std::string_view nameOf(LinearSolver solver) { return nameAmong(kSolverNames, solver); }
std::string_view nameOf(Norm norm) { return nameAmong(kNormNames, norm); }
bool fromName(std::string_view name, LinearSolver& solver) {
  return valueAmong(kSolverNames, name, solver);
}
bool fromName(std::string_view name, Norm& norm) { return valueAmong(kNormNames, name, norm); }

}  // namespace tenon
