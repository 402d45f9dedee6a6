// The methods of motion. This list is the only place that names them all. A method is a file of engine/methods and a
// line here. The enumeration (tenon/step.h), the names (model/names.h), the declarations (methods/verbs.h) and the table
// of `step` (methods/step.cpp) are made from the list, and the order is that of the list.
//
//   X(value of Method, name, function, flags of methods/method_flags.h, what it is and its paper)
#pragma once

// clang-format off
#define TENON_METHODS(X)                                                                                              \
  X(Energy, "energy", stepByEnergy, kByIslands | kOverStep | kTakesCompliance | kTakesLoad,                           \
    "energy-momentum midpoint, exact joints, halved steps [SimoWong1991]")                                            \
  X(Interactive, "interactive", stepInteractively, kByIslands | kTakesCompliance | kTakesLoad,                        \
    "forces at the end of the step: robust, warm, damps")                                                             \
  X(Displacement, "displacement", stepByDisplacement, kTakesCompliance | kTakesLoad,                                  \
    "Störmer, linearized displacement constraints [Faure1998 §4.2]")                                                  \
  X(Shake, "shake", stepByShake, kPlain,                                                                              \
    "the same with the Jacobian of the step's start: symplectic")                                                     \
  X(Relaxation, "relaxation", stepByRelaxation, kPlain,                                                               \
    "free motion, weighted pairwise corrections [Gascuel1994 §2.2]")                                                  \
  X(Baumgarte, "baumgarte", stepByBaumgarte, kTakesLoad | kTakesOpenJoints,                                           \
    "explicit, with feedback of the errors [Jeon §3.1]")                                                              \
  X(Implicit, "implicit", stepByImplicit, kTakesLoad | kTakesOpenJoints,                                              \
    "first-order implicit enforcement [Jeon §3.2, eq. 28]")                                                           \
  X(Poststabilized, "poststabilized", stepByPoststabilization, kTakesLoad,                                            \
    "Runge-Kutta, then position and velocity projection [Faure1998 §2]")                                              \
  X(Recursive, "recursive", stepByRecursion, kPlain,                                                                  \
    "articulated bodies in joint coordinates [ForseyWilhelms1988 §3]")
// clang-format on
