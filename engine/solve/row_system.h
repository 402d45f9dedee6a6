// The linear system behind every solve on rows, and its solvers.
//
//   ( M + K   -Jᵀ ) ( δ )   ( f )
//   (  -J     -C  ) ( λ ) = ( -b )        M δ + K δ = Jᵀ λ + f,   J δ + C λ = b
//
// M: masses of the dynamic solids; K: geometric stiffness; J: rows; C: compliance on each multiplier,
// which keeps redundant rows solvable. Unknowns: a displacement (or velocity) of six numbers per solid,
// linear then angular, and one multiplier per row.
#pragma once

#include <tenon/mechanism.h>
#include <tenon/rows.h>
#include <tenon/solver.h>

#include <array>
#include <span>
#include <vector>

#include "math/block_ldl.h"
#include "model/stage_clock.h"

namespace tenon {

struct LinearReport {
  int iterations = 0;  // of an iterative solver
  bool finite = true;
  std::uint32_t perturbed = 0;  // pivots that were put right
  bool convex = true;           // see LinearBudget::exact
};

struct LinearBudget {
  LinearSolver solver = LinearSolver::Direct;
  int iterations = 0;        // 0: as many as there are rows
  double tolerance = 1e-12;  // of the residual, relative to that of λ = 0
  Norm norm = Norm::Rms;
  // Of the direct solver: stiffness beyond so many times the mass is cut to it.
  double stiffest = 30;
  // Of the direct solver: stiffness is taken as it is. `convex` of the report then says whether M + K is positive where the
  // rows leave freedom: the solution is a least one.
  bool exact = false;
  bool guessed = false;         // `lambda` comes with a guess, which iterative solvers start from
  StageClock* clock = nullptr;  // of the step that is timed
};

class RowSystem {
 public:
  using Six = std::array<double, 6>;

  // Takes the rows to be solved: `used[r]` says which take part now; the others keep their place in the
  // pattern, with λ = 0. Masses are taken at the state's orientations. The symbolic part is kept while
  // solids and rows of joints stay what they are.
  void load(const Mechanism& mechanism, const State& state, const Rows& rows,
            const std::vector<bool>& used);

  // Other rows that take part, of the same rows.
  void use(const std::vector<bool>& used);

  // (J M⁻¹ Jᵀ)_rr: what a unit multiplier moves its own row by.
  [[nodiscard]] double mobility(std::size_t row) const { return mobility_[row]; }

  // After a direct solve: what part of that is left once the rows before it are met, in the order of elimination. 0: the row
  // took no part.
  [[nodiscard]] double pivotPart(std::size_t row) const;

  // The solve. `stiffness` may be empty; it is shifted where M + K would not be positive. Results:
  // multipliers by row, displacements by solid (zero for solids that do not move).
  LinearReport solve(std::span<const StiffnessBlock> stiffness, std::span<const double> compliance,
                     std::span<const double> b, const LinearBudget& budget,
                     std::vector<double>& lambda, std::vector<Six>& displacement);

 private:
  struct RowView {
    Index first = 0;  // of blocks_
    std::uint8_t count = 0;
    bool used = false;
  };
  struct View {
    Index node = 0;  // of the solid
    Six J{};
    Six MJ{};  // M⁻¹ Jᵀ
  };

  void analyse(const Rows& rows);
  void addStiffness(std::span<const StiffnessBlock> stiffness, double stiffest);
  void addExactStiffness(std::span<const StiffnessBlock> stiffness);
  void addBlock(const StiffnessBlock& stiffness);

  // One solve, as its solver is given it.
  struct Call {
    std::span<const StiffnessBlock> stiffness;
    std::span<const double> compliance, b;
    const LinearBudget& budget;
    std::vector<double>& lambda;  // 0
    LinearReport& report;
    // For those that iterate: at most so many iterations, until the residual is no larger than this.
    int most = 0;
    double goal = 0;
  };
  // The solvers: one signature, a file each. Those that factor leave λ and motion_. Those that iterate begin with the
  // residual in work_[0] and zeros in the other work_, and leave λ.
#define TENON_DECLARE(value, name, function, kind, words) void function(Call& call);
  TENON_LINEAR_SOLVERS(TENON_DECLARE)
#undef TENON_DECLARE
  void run(Call& call);                               // the solver of the budget
  void iterate(Call& call);                           // what is around a solver that iterates
  [[nodiscard]] bool isDone(const Call& call) const;  // by the residual in work_[0]
  void byGradients(Call& call, bool blocks);          // conjugate ones, preconditioned or not
  void prepareBlocks(std::span<const double> compliance);
  void applyBlocks(const std::vector<double>& r, std::vector<double>& z) const;
  [[nodiscard]] double sizeOf(Norm norm, const std::vector<double>& r) const;
  void product(std::span<const double> compliance, const std::vector<double>& x,
               std::vector<double>& y);            // y = (J M⁻¹ Jᵀ + C) x
  void spread(const std::vector<double>& lambda);  // motion_ = M⁻¹ Jᵀ λ

  const Mechanism* mechanism_ = nullptr;
  std::vector<Index> solids_;  // free solids that rows touch, by node
  std::vector<Index> nodeOf_;  // by solid; kWorld: not in the system
  std::vector<RowView> rows_;
  std::vector<View> views_;
  std::vector<double> mobility_;
  std::vector<std::array<double, 36>> mass_;  // by node: 6 × 6
  std::vector<Mat3> inverseInertia_;          // by node, world axes
  std::vector<double> scales_, excess_;       // by coordinate, for the shift of K
  std::vector<double> blocks_;                // of the preconditioner, by group
  std::vector<std::size_t> blockAt_;
  std::vector<Six> motion_;  // by node
  // Rows in groups of one joint each: a node of the factorisation.
  std::vector<Index> groupOf_;  // by row
  std::vector<Index> groupFirst_;
  BlockLdl ldl_;
  std::vector<Index> pattern_, lastPattern_;
  std::vector<double> x_, guess_, work_[7];
};

}  // namespace tenon
