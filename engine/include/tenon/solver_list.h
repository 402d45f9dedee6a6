// The linear solvers. This list is the only place that names them all. A solver is a file of engine/solve and a line here.
// The enumeration (tenon/solver.h), the names (model/names.h), the declarations (solve/row_system.h) and the table of
// RowSystem::solve (solve/row_system.cpp) are made from the list, and the order is that of the list.
//
//   X(value of LinearSolver, name, function of RowSystem, factors or iterates, what it is and its paper)
//
// A solver that iterates is given a residual to begin with, and may start from a guess. One that factors is not, but
// takes stiffness.
#pragma once

// clang-format off
#define TENON_LINEAR_SOLVERS(X)                                                                                       \
  X(Direct, "direct", solveDirectly, kFactors, "block-sparse factorisation of solids and joints")                     \
  X(Cg, "cg", solveByCg, kIterates, "conjugate gradients")                                                            \
  X(Bicg, "bicg", solveByBicg, kIterates, "biconjugate gradients, as in [Faure1998 §3.4]")                            \
  X(Minres, "minres", solveByMinres, kIterates, "minimal residuals [Paige & Saunders 1975]")                          \
  X(BlockCg, "block-cg", solveByBlockCg, kIterates, "conjugate gradients, preconditioned by the blocks of the joints")
// clang-format on
