#include "solve/row_system.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "math/rotation.h"
#include "model/names.h"

namespace tenon {

namespace {

double dotOf(const RowSystem::Six& a, const RowSystem::Six& b) {
  double sum = 0;
  for (std::size_t i = 0; i < 6; ++i) sum += a[i] * b[i];
  return sum;
}

double dotOf(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// a += factor b
void addTo(std::vector<double>& a, double factor, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += factor * b[i];
}

}  // namespace

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

// M + K is to stay positive: with the solids' coordinates scaled by their (least) masses, every row of
// K whose off-diagonal exceeds its diagonal by more than 0.9 gets the rest on top: Gershgorin's discs
// then lie right of -0.9, and the mass adds 1.
void RowSystem::addStiffness(std::span<const StiffnessBlock> stiffness, double stiffest) {
  if (stiffness.empty()) return;
  const auto scale = [this](Index node, std::size_t i) {
    const MechanismSolid& solid = mechanism_->solids[solids_[node]];
    if (i < 3) return std::sqrt(solid.inverseMass);
    double sum = 0;  // |I⁻¹|² >= 1/(least inertia)²
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) sum += solid.inverseInertia(r, c) * solid.inverseInertia(r, c);
    return std::sqrt(std::sqrt(sum));
  };
  scales_.resize(6 * solids_.size());
  excess_.assign(6 * solids_.size(), 0);
  for (Index n = 0; n < solids_.size(); ++n)
    for (std::size_t i = 0; i < 6; ++i) scales_[6 * n + i] = scale(n, i);
  for (const StiffnessBlock& given : stiffness) {
    const Index a = nodeOf_[given.solid1], b = nodeOf_[given.solid2];
    if (a == kWorld || b == kWorld) continue;
    // Near half a turn the curvature of an angle has no bound, and would nail the solids where they are.
    double largest = 0;
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 6; ++j)
        largest =
            std::max(largest, std::abs(given.K[i][j] * scales_[6 * a + i] * scales_[6 * b + j]));
    StiffnessBlock k = given;
    if (!(largest <= stiffest))
      for (auto& row : k.K)
        for (double& v : row) v = std::isfinite(v) ? v * (stiffest / largest) : 0;
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 6; ++j) {
        const double v = k.K[i][j] * scales_[6 * a + i] * scales_[6 * b + j];
        if (a == b) {
          excess_[6 * a + i] += i == j ? -v : std::abs(v);
        } else {
          excess_[6 * a + i] += std::abs(v);
          excess_[6 * b + j] += std::abs(v);
        }
      }
    addBlock(k);
  }
  for (Index n = 0; n < solids_.size(); ++n) {
    const std::uint32_t size = mechanism_->solids[solids_[n]].pointMass ? 3 : 6;
    for (std::uint32_t i = 0; i < size; ++i) {
      const double shift = excess_[6 * n + i] - 0.9;
      if (shift > 0 && scales_[6 * n + i] > 0)
        ldl_.block(n, n)(i, i) += shift / (scales_[6 * n + i] * scales_[6 * n + i]);
    }
  }
}

void RowSystem::addBlock(const StiffnessBlock& k) {
  const BlockLdl::Block block = ldl_.block(nodeOf_[k.solid1], nodeOf_[k.solid2]);
  const std::uint32_t rows = mechanism_->solids[k.solid1].pointMass ? 3 : 6;
  const std::uint32_t columns = mechanism_->solids[k.solid2].pointMass ? 3 : 6;
  for (std::uint32_t i = 0; i < rows; ++i)
    for (std::uint32_t j = 0; j < columns; ++j) block(i, j) += k.K[i][j];
}

void RowSystem::addExactStiffness(std::span<const StiffnessBlock> stiffness) {
  for (const StiffnessBlock& k : stiffness)
    if (nodeOf_[k.solid1] != kWorld && nodeOf_[k.solid2] != kWorld) addBlock(k);
}

LinearReport RowSystem::solve(std::span<const StiffnessBlock> stiffness,
                              std::span<const double> compliance, std::span<const double> b,
                              const LinearBudget& budget, std::vector<double>& lambda,
                              std::vector<Six>& displacement) {
  if (budget.guessed && budget.solver != LinearSolver::Direct) {
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
  if (budget.solver == LinearSolver::Direct) {
    report = direct(stiffness, budget, compliance, b, lambda);
  } else {
    report = iterate(compliance, b, budget, lambda);
    if (!guess_.empty()) addTo(lambda, 1, guess_);
    spread(lambda);
  }
  for (std::size_t n = 0; n < solids_.size(); ++n) displacement[solids_[n]] = motion_[n];
  return report;
}

double RowSystem::pivotPart(std::size_t row) const {
  if (!rows_[row].used || !(mobility_[row] > 0)) return 0;
  const Index g = groupOf_[row];
  return -ldl_.pivot(static_cast<Index>(solids_.size()) + g,
                     static_cast<std::uint32_t>(row - groupFirst_[g])) /
         mobility_[row];
}

LinearReport RowSystem::direct(std::span<const StiffnessBlock> stiffness,
                               const LinearBudget& budget, std::span<const double> compliance,
                               std::span<const double> b, std::vector<double>& lambda) {
  LinearReport report;
  const auto bodies = static_cast<Index>(solids_.size());
  ldl_.clear();
  for (Index n = 0; n < bodies; ++n) {
    const std::uint32_t size = mechanism_->solids[solids_[n]].pointMass ? 3 : 6;
    const BlockLdl::Block block = ldl_.block(n, n);
    for (std::uint32_t i = 0; i < size; ++i)
      for (std::uint32_t j = 0; j < size; ++j) block(i, j) = mass_[n][6 * i + j];
  }
  if (budget.exact)
    addExactStiffness(stiffness);
  else
    addStiffness(stiffness, budget.stiffest);
  x_.assign(ldl_.size(), 0);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const Index g = groupOf_[r];
    const auto k = static_cast<std::uint32_t>(r - groupFirst_[g]);
    const BlockLdl::Block diagonal = ldl_.block(bodies + g, bodies + g);
    if (!rows_[r].used) {
      diagonal(k, k) = -1;
      continue;
    }
    diagonal(k, k) = -compliance[r];
    x_[ldl_.offset(bodies + g) + k] = -b[r];
    for (Index v = rows_[r].first; v < rows_[r].first + rows_[r].count; ++v) {
      const View& view = views_[v];
      const std::uint32_t size = mechanism_->solids[solids_[view.node]].pointMass ? 3 : 6;
      const BlockLdl::Block block = ldl_.block(bodies + g, view.node);
      for (std::uint32_t i = 0; i < size; ++i) block(k, i) -= view.J[i];
    }
  }
  if (budget.clock != nullptr) budget.clock->lap(Stage::Matrix);
  report.finite = budget.exact ? ldl_.factor(1e-14, false) : ldl_.factor();
  report.convex = ldl_.hasInertia();
  if (budget.clock != nullptr) budget.clock->lap(Stage::Factor);
  report.perturbed = ldl_.perturbed();
  if (!report.finite) return report;
  ldl_.solve(x_.data());
  for (Index n = 0; n < bodies; ++n) {
    const std::uint32_t size = mechanism_->solids[solids_[n]].pointMass ? 3 : 6;
    motion_[n] = {};
    for (std::uint32_t i = 0; i < size; ++i) motion_[n][i] = x_[ldl_.offset(n) + i];
  }
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const Index g = groupOf_[r];
    lambda[r] = rows_[r].used ? x_[ldl_.offset(bodies + g) + r - groupFirst_[g]] : 0;
  }
  for (const double x : x_) report.finite = report.finite && std::isfinite(x);
  return report;
}

// ------------------------------------------------------------------------------ iterative solvers

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

// The diagonal blocks of J M⁻¹ Jᵀ + C, one for each joint, factorised: L diag(d) Lᵀ.
void RowSystem::prepareBlocks(std::span<const double> compliance) {
  blockAt_.clear();
  blocks_.clear();
  for (std::size_t g = 0; g + 1 < groupFirst_.size(); ++g) {
    const Index first = groupFirst_[g], n = groupFirst_[g + 1] - first;
    blockAt_.push_back(blocks_.size());
    blocks_.resize(blocks_.size() + static_cast<std::size_t>(n) * n, 0);
    double* A = &blocks_[blockAt_.back()];
    for (Index i = 0; i < n; ++i) {
      const RowView& a = rows_[first + i];
      for (Index j = 0; j <= i; ++j) {
        const RowView& c = rows_[first + j];
        double sum = i == j ? (a.used ? compliance[first + i] : 1) : 0;
        if (a.used && c.used)
          for (Index v = a.first; v < a.first + a.count; ++v)
            for (Index w = c.first; w < c.first + c.count; ++w)
              if (views_[v].node == views_[w].node) sum += dotOf(views_[v].J, views_[w].MJ);
        A[i * n + j] = sum;
      }
    }
    for (Index j = 0; j < n; ++j) {
      const double before = A[j * n + j];
      for (Index k = 0; k < j; ++k) A[j * n + j] -= A[j * n + k] * A[j * n + k] * A[k * n + k];
      if (!(A[j * n + j] > 1e-12 * before)) A[j * n + j] = before > 0 ? before : 1;
      for (Index i = j + 1; i < n; ++i) {
        for (Index k = 0; k < j; ++k) A[i * n + j] -= A[i * n + k] * A[j * n + k] * A[k * n + k];
        A[i * n + j] /= A[j * n + j];
      }
    }
  }
}

void RowSystem::applyBlocks(const std::vector<double>& r, std::vector<double>& z) const {
  z = r;
  for (std::size_t g = 0; g + 1 < groupFirst_.size(); ++g) {
    const Index first = groupFirst_[g], n = groupFirst_[g + 1] - first;
    const double* A = &blocks_[blockAt_[g]];
    double* x = &z[first];
    for (Index i = 0; i < n; ++i)
      for (Index k = 0; k < i; ++k) x[i] -= A[i * n + k] * x[k];
    for (Index i = 0; i < n; ++i) x[i] /= A[i * n + i];
    for (Index i = n; i-- > 0;)
      for (Index k = i + 1; k < n; ++k) x[i] -= A[k * n + i] * x[k];
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

LinearReport RowSystem::iterate(std::span<const double> compliance, std::span<const double> b,
                                const LinearBudget& budget, std::vector<double>& lambda) {
  LinearReport report;
  const std::size_t n = rows_.size();
  for (std::vector<double>& v : work_) v.assign(n, 0);
  std::vector<double>&r = work_[0], &z = work_[1], &p = work_[2], &q = work_[3], &s = work_[4],
  &t = work_[5], &u = work_[6];
  for (std::size_t i = 0; i < n; ++i) r[i] = rows_[i].used ? b[i] : 0;
  const int most = budget.iterations > 0 ? budget.iterations : static_cast<int>(n);
  const double goal = budget.tolerance * sizeOf(budget.norm, r);
  if (!guess_.empty()) {  // solve for the rest: A (λ - guess) = b - A guess
    product(compliance, guess_, q);
    addTo(r, -1, q);
    std::fill(q.begin(), q.end(), 0.0);
  }
  const auto done = [&] {
    const double size = sizeOf(budget.norm, r);
    if (!std::isfinite(size)) report.finite = false;
    return !(size > goal) || !report.finite;
  };
  if (done()) return report;

  if (budget.solver == LinearSolver::Minres) {
    minres(compliance, most, goal, budget.norm, lambda, report);
    return report;
  }
  const bool blocks = budget.solver == LinearSolver::BlockCg;
  const bool twofold = budget.solver == LinearSolver::Bicg;
  if (blocks) prepareBlocks(compliance);
  // Biconjugate gradients keep a second sequence (s, t) for the transposed matrix; ours is symmetric,
  // so that it repeats the first, as it did for Faure.
  if (twofold) s = r;
  double rho = 0;
  for (int k = 0; k < most; ++k) {
    if (blocks)
      applyBlocks(r, z);
    else
      z = r;
    const double next = twofold ? dotOf(s, r) : dotOf(r, z);
    if (!(std::abs(next) > 0)) break;
    const double beta = k == 0 ? 0 : next / rho;
    rho = next;
    for (std::size_t i = 0; i < n; ++i) p[i] = z[i] + beta * p[i];
    product(compliance, p, q);
    double curvature = 0;
    if (twofold) {
      for (std::size_t i = 0; i < n; ++i) t[i] = s[i] + beta * t[i];
      curvature = dotOf(t, q);
    } else {
      curvature = dotOf(p, q);
    }
    if (!(std::abs(curvature) > 0)) break;
    const double alpha = rho / curvature;
    addTo(lambda, alpha, p);
    addTo(r, -alpha, q);
    if (twofold) {
      product(compliance, t, u);
      addTo(s, -alpha, u);
    }
    ++report.iterations;
    if (done()) break;
  }
  for (const double x : lambda) report.finite = report.finite && std::isfinite(x);
  return report;
}

// Minimal residuals by Lanczos' three-term recurrence and Givens rotations. [Paige & Saunders 1975]
void RowSystem::minres(std::span<const double> compliance, int most, double goal, Norm norm,
                       std::vector<double>& lambda, LinearReport& report) {
  std::vector<double>&r = work_[0], &v = work_[1], &q = work_[2], &last = work_[3], &d1 = work_[4],
  &d2 = work_[5], &w = work_[6];
  const std::size_t n = r.size();
  double beta = std::sqrt(dotOf(r, r));
  if (!(beta > 0)) return;
  for (std::size_t i = 0; i < n; ++i) v[i] = r[i] / beta;
  double eta = beta, gamma = 1, gamma1 = 1, sigma = 0, sigma1 = 0;
  double step = 0;  // β of the step before
  for (int k = 0; k < most; ++k) {
    product(compliance, v, q);
    const double alpha = dotOf(v, q);
    for (std::size_t i = 0; i < n; ++i) q[i] -= alpha * v[i] + step * last[i];
    const double next = std::sqrt(dotOf(q, q));
    // The new column of the tridiagonal matrix, turned by the two rotations before it and its own.
    const double delta = gamma * alpha - gamma1 * sigma * step;
    const double rho2 = sigma * alpha + gamma1 * gamma * step;
    const double rho3 = sigma1 * step;
    const double rho1 = std::sqrt(delta * delta + next * next);
    if (!(rho1 > 0)) break;
    gamma1 = gamma;
    gamma = delta / rho1;
    sigma1 = sigma;
    sigma = next / rho1;
    for (std::size_t i = 0; i < n; ++i) {
      const double direction = (v[i] - rho3 * d2[i] - rho2 * d1[i]) / rho1;
      d2[i] = d1[i];
      d1[i] = direction;
      lambda[i] += gamma * eta * direction;
    }
    eta = -sigma * eta;
    ++report.iterations;
    product(compliance, lambda, w);
    for (std::size_t i = 0; i < n; ++i) w[i] = r[i] - w[i];
    const double size = sizeOf(norm, w);
    report.finite = report.finite && std::isfinite(size);
    if (!(size > goal) || !report.finite || !(next > 0)) break;
    for (std::size_t i = 0; i < n; ++i) {
      last[i] = v[i];
      v[i] = q[i] / next;
    }
    step = next;
  }
}

// -------------------------------------------------------------------------------------- by name

std::string_view nameOf(LinearSolver solver) { return nameAmong(kSolverNames, solver); }
std::string_view nameOf(Norm norm) { return nameAmong(kNormNames, norm); }
bool fromName(std::string_view name, LinearSolver& solver) {
  return valueAmong(kSolverNames, name, solver);
}
bool fromName(std::string_view name, Norm& norm) { return valueAmong(kNormNames, name, norm); }

}  // namespace tenon
