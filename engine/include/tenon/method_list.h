// The methods of motion. This list is the only place that names them all. A method is a file of engine/methods and a
// line here. The enumeration (tenon/step.h), the names (model/names.h), the declarations (methods/verbs.h), the table of
// `step` (methods/step.cpp) and what the page says of a method are made from the list, and the order is that of the list.
//
//   X(value of Method, name, function, flags of methods/method_flags.h, what it is and its paper,
//     what it does, for who has to choose one)
#pragma once

// clang-format off
#define TENON_METHODS(X)                                                                                              \
  X(Energy, "energy", stepByEnergy, kByIslands | kOverStep | kTakesCompliance | kTakesLoad,                           \
    "energy-momentum midpoint, exact joints, halved steps [SimoWong1991]",                                            \
    "Keeps energy and momenta. Joints are exact. Takes large steps.")                                                 \
  X(Interactive, "interactive", stepInteractively, kByIslands | kTakesCompliance | kTakesLoad,                        \
    "forces at the end of the step: robust, warm, damps",                                                             \
    "Never gains energy. Joints are exact. Takes the largest steps.")                                                 \
  X(Displacement, "displacement", stepByDisplacement, kTakesCompliance | kTakesLoad | kTakesSolver,                   \
    "Störmer, linearized displacement constraints [Faure1998 §4.2]",                                                  \
    "Moves freely, then corrects displacements. More iterations are slower and more accurate.")                       \
  X(Shake, "shake", stepByShake, kTakesSolver,                                                                        \
    "the same with the Jacobian of the step's start: symplectic",                                                     \
    "Symplectic: energy stays within a band. Takes medium steps.")                                                    \
  X(Relaxation, "relaxation", stepByRelaxation, kTakesSolver,                                                         \
    "free motion, weighted pairwise corrections [Gascuel1994 §2.2]",                                                  \
    "Corrects one joint after the other. It is simple, and converges slowly.")                                        \
  X(Baumgarte, "baumgarte", stepByBaumgarte,                                                                          \
    kTakesLoad | kTakesOpenJoints | kTakesSolver | kTakesFeedback | kTakesIntegrator,                                 \
    "explicit, with feedback of the errors [Jeon §3.1]",                                                              \
    "Explicit. Feeds errors back (α, β), so that they fade. Needs small steps.")                                      \
  X(Implicit, "implicit", stepByImplicit, kTakesLoad | kTakesOpenJoints | kTakesSolver,                               \
    "first-order implicit enforcement [Jeon §3.2, eq. 28]",                                                           \
    "Linearizes joints at the end of the step. Takes any step; errors grow with the step.")                           \
  X(Poststabilized, "poststabilized", stepByPoststabilization, kTakesLoad | kTakesSolver,                             \
    "Runge-Kutta, then position and velocity projection [Faure1998 §2]",                                              \
    "Steps by Runge-Kutta, then corrects positions and velocities. Needs small steps.")                               \
  X(Recursive, "recursive", stepByRecursion, kTakesIntegrator,                                                        \
    "articulated bodies in joint coordinates [ForseyWilhelms1988 §3]",                                                \
    "Articulated bodies in joint coordinates, fourth order. Needs small steps.")
// clang-format on
