// What the method `recursive` is made of: a forest of joints over the solids, articulated inertias on it, and
// the small system of the rows that the forest leaves over.
//
// The state stays one of solids. A step reads the joints' coordinates off it (TreeChart in tenon/joint.h),
// integrates in them, and puts the solids back: the joints of the forest hold to rounding.
#pragma once

#include <tenon/joint.h>
#include <tenon/mechanism.h>
#include <tenon/step.h>

#include <array>
#include <cstdint>
#include <vector>

#include "methods/rank_watch.h"

namespace tenon {

// Featherstone's articulated bodies, in world axes about the centres of mass.  [Featherstone1983]
//   twist = X twist_parent + S ẏ + bias,      Sᵀ (net force) = 0 at each joint
// eliminated from the leaves to the roots:  D = Sᵀ I S,  I_parent += Xᵀ (I - I S D⁻¹ Sᵀ I) X.
class JointTree {
 public:
  using Six = std::array<double, 6>;

  // The spanning forest of the joints that hold at the state: merged ones first, then those with the most
  // residuals, so that few rows are left over; among equals those written first. Immobile and animated solids
  // and the world are one root; islands apart from it get a free solid as theirs. `first`: a joint that has
  // to be part of it; kWorld: none.
  void grow(const Mechanism& mechanism, const Control& control, const State& state, Index first);

  [[nodiscard]] std::size_t freedom() const { return freedom_; }  // how many y
  // Joints whose rows say more than the forest holds by itself.
  [[nodiscard]] const std::vector<Index>& emitting() const { return emitting_; }
  [[nodiscard]] bool takes(const Mechanism& mechanism, const Row& row) const;
  // A joint of the forest: its coordinates in y, and how they move the solid on its far side.
  struct Seat {
    std::size_t first = 0;
    int count = 0;
    Index child = kWorld;
    const double (*S)[6] = nullptr;
    const double *rateBias = nullptr, *accelerationBias = nullptr;
  };
  [[nodiscard]] Seat seatOf(Index joint) const;  // child = kWorld: it is none of the forest

  // Puts all solids where y says; given rates, gives them their velocities too. False if a joint has no such
  // place, or turns so far that the chart ends.
  bool place(const Mechanism& mechanism, const double* y, const double* rate, State& state);

  // Masses at the state, perhaps more, then the elimination.
  void loadMasses(const Mechanism& mechanism, const State& state);
  void addMass(const RowBlock& along, double mass);  // mass Jᵀ J
  // A rotor on a coordinate of a joint of the forest, ċ = g·ẏ + …: D += inertia g gᵀ; and with every bias but None,
  // force g along y.
  void addRotor(Index joint, const double* g, double inertia, double force);
  bool factor();  // false if a pivot is not positive
  enum class Bias : std::uint8_t { None, Rate, Acceleration };
  // ẏ (or ÿ) and twists of the solids (or their derivatives) under forces: I twist = force.
  void sweep(Bias bias, const std::vector<Six>& force, double* rate, std::vector<Six>& motion);

  // What a unit multiplier of a row does: u = Sᵀ (force that gets there) at each link on the way to the
  // root, and D⁻¹ u. So J H⁻¹ J'ᵀ = Σ u·D⁻¹ u' over the links that two rows have in common.
  struct Stop {
    Index link = 0;
    std::uint8_t count = 0;
    double u[6] = {}, w[6] = {};
  };
  void trace(const Rows& rows, const Row& row, std::vector<Stop>& stops) const;
  [[nodiscard]] bool moves(const Rows& rows, const Row& row) const;  // a solid of the forest
  // Whether motion in a joint of the forest moves some of what the row is about, and not all of it.
  [[nodiscard]] bool isMovedBy(const Mechanism& mechanism, const Rows& rows, const Row& row,
                               Index joint) const;
  // A solid as a link of the forest; parents come first.
  struct Link {
    TreeChart chart;
    TreeMotion motion;
    Index parent = kWorld, root = 0;  // links
    std::size_t first = 0;            // of y
    double I[6][6] = {};              // articulated
    double U[6][6] = {};              // I S, by column
    double L[6][6] = {};              // D = L diag Lᵀ, below; 1/diag on the diagonal
    bool rotors = false;
    double rotor[6][6] = {}, drive[6] = {};  // what they add to D, and their forces
  };
  [[nodiscard]] std::size_t links() const { return links_.size(); }
  [[nodiscard]] const Link& link(std::size_t number) const { return links_[number]; }
  // kWorld: the solid is none of the forest.
  [[nodiscard]] Index linkOf(Index solid) const { return linkOf_[solid]; }
  [[nodiscard]] Index rootOf(Index link) const { return links_[link].root; }

 private:
  void solve(const Link& link, const double* u, double* w) const;  // w = D⁻¹ u
  [[nodiscard]] Index nodeOf(const Mechanism& mechanism, Index solid) const;

  std::size_t freedom_ = 0;
  std::vector<Link> links_;           // parents first
  std::vector<Index> linkOf_;         // by solid
  std::vector<Index> linkOfJoint_;    // by joint
  std::vector<std::uint8_t> heldBy_;  // by joint: its residuals that the forest holds, as bits
  std::vector<Index> emitting_;
  std::vector<Index> set_, firstEdge_, edges_, order_;  // of growing
  std::vector<std::uint8_t> chosen_, seen_;
  std::vector<Six> pull_;  // of a sweep, by link
  std::vector<double> u_;
};

// (A + C) λ = b,  A = J H⁻¹ Jᵀ over the rows that the forest leaves over. C is a ten-thousandth of a millionth
// of what the free solids would yield: redundant rows share; it is taken out again by refinement. Stored
// and factored within its envelope: rows of different trees do not meet.
class LoopSystem {
 public:
  bool load(const JointTree& tree, const Rows& rows, const std::vector<Index>& which,
            const std::vector<double>& mobility);
  void solve(const std::vector<double>& b, std::vector<double>& lambda);
  [[nodiscard]] double pivot(std::size_t row) const { return L_[at_[row + 1] - 1]; }

 private:
  std::vector<JointTree::Stop> stops_;
  std::vector<std::size_t> firstStop_;
  std::vector<std::size_t> firstColumn_, at_;
  std::vector<std::size_t> firstRowOfRoot_;
  std::vector<double> A_, L_;
  std::vector<double> rest_;
};

struct RecursiveBuffers {
  JointTree tree;
  LoopSystem loops;
  RankWatch ranks;  // of the accelerations
  Rows rows, rotor;
  std::vector<Index> held;  // rows held by multipliers, and rotors that are none of the forest
  std::vector<double> b, lambda, mobility;
  std::vector<Wrench> wrenches;
  std::vector<JointTree::Six> force, motion;
  std::vector<JointTree::Stop> stops;
  std::vector<double> y, rate, change;
  std::vector<double> stageRate[7], stageAcceleration[7], stageY, stageV;
  std::vector<double> pastRate[4], pastAcceleration[4], anchorY, anchorV, begunRate;
  std::vector<double> heavyMass,
      pull;  // by slot: of pseudo-segments, and the force that corrects them
  State stage, start, begun, whole;
};

// The velocities of the state made to fit its joints, and accelerations there; false if there are none.
bool treeAcceleration(const Mechanism& mechanism, const Control& control,
                      const StepSettings& settings, double dt, State& state,
                      RecursiveBuffers& buffers, std::vector<JointTree::Six>& acceleration);

}  // namespace tenon
