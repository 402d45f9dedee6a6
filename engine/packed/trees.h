// Figures that are trees, by the packed kernel: several of one shape at a time.
#pragma once

#include <tenon/mechanism.h>

#include <algorithm>
#include <map>
#include <span>
#include <type_traits>
#include <vector>

#include "model/islands.h"
#include "packed/kept.h"
#include "packed/tree.h"

namespace tenon::packed {

struct FastSettings {
  bool over = true;          // forces over the step; else at its end
  double tolerance = 1e-10;  // [rad], [m] of what is left to move
  double closed = 1e-10;     // [m], [rad] of the joints
  int most = 16;             // iterations before a step is split
  bool patient = true;       // … and as many again where a row comes to hold or ceases to
  bool lanes = true;
  int threads = 1;          // 0: as many as there are
  double sleepBelow = 0;    // [m/s], [rad/s]; 0: no figure sleeps
  double sleepAfter = 0.5;  // [s]
};
struct FastReport {
  int iterations = 0, halvings = 0;  // of the figure with most; pieces beyond one, of all
  Index sleeping = 0;                // figures
};

class Trees {
 public:
  void clear();
  // A figure of joints that hold points; false if it is no tree. `damp`: Control::damp.
  bool add(const Mechanism& mechanism, const Islands& islands, Index island, double damp);
  // Puts those of one shape next to each other; to be called when all are there.
  void sort();
  // Makes chunks of them, if that has not been done: which go together, and what is constant of them.
  void group(const Mechanism& mechanism, bool lanes);

  // Whether a ground of them follows a path.
  [[nodiscard]] bool anyLed() const {
    return std::any_of(shapes_.begin(), shapes_.end(), [](const TreeShape& s) { return s.led; });
  }
  [[nodiscard]] std::size_t chunks() const { return chunks_.size(); }
  // A step of one chunk, but for figures to be passed over, by island. Where one could not be stepped to the end,
  // `failed` of its island becomes 1.
  // What acts on joints does so much `work`, by island.
  struct Acting {
    const Mechanism* mechanism;
    const Control* control;
    State* state;
    double time;            // [s] of the start
    double when;            // of a step: when it is asked what acts
    double dt;              // [s] of the step
    const PathValue* ends;  // by path: where it is at the end of the step
    const Kept* kept;
  };
  void step(std::size_t chunk, bool over, const KernelSettings& settings, const Acting& acting,
            const StatePointers& state, const std::vector<std::uint8_t>& passed,
            std::vector<std::uint8_t>& failed, std::vector<double>& work);
  // f(island) of each of its figures.
  template <class F>
  void forIslands(std::size_t chunk, const F& f) const {
    for (Index i = chunks_[chunk].figures.first;
         i < chunks_[chunk].figures.first + chunks_[chunk].figures.count; ++i)
      f(figures_[i].island);
  }
  // Of all chunks.
  void report(FastReport& report) const;

 private:
  struct Tied {
    Index node = 0;
    bool gives = false;  // a joint that gives; else a spring
    Index what = 0;      // of the mechanism
  };
  // A point of a solid, and one of the ground.
  struct Tie {
    Vec3 own, other;
    Index ground = kWorld;
    double stiffness = 0, damping = 0, rest = 0, straight = 0;
  };
  // A rod, a rope, or a spring between two solids.
  struct Linked {
    TreeLinkShape shape;
    bool isJoint = false;  // else a spring
    Index what = 0;        // of the mechanism
  };
  static Tie tieOf(const Mechanism& mechanism, const Tied& tied);

  struct Figure {
    std::vector<Index> solid, slot, joint;  // by node; joint: towards the root, or kWorld
    std::vector<Index> memory;              // by node
    std::vector<Index> rule;                // by rule of the shape: of the mechanism
    std::vector<Tied> ties;                 // by tie of the shape
    std::vector<Linked> links;              // by link of the shape, and
    std::vector<Index> anchor, linkSlot;    // … the solid of the ground, and its multiplier
    // Of the mechanism, with the nodes that they act on.
    struct At {
      Index node, what;
    };
    std::vector<At> forces, drags, muscles;
    bool pushesSwitch = false;  // forces or drags act at times only
    Index ground = kWorld;
    Index shape = 0, island = 0;
  };
  enum class Aim : std::uint8_t { Moves, Stands, Nowhere };  // of a rule's target
  template <class R>
  struct Group {  // figures side by side
    Index shape = 0, firstFigure = 0;
    Index count =
        NumberOf<R>::lanes;  // of figures; lanes beyond have the last one, and are not stepped
    std::vector<TreeSolid<R>> solids;
    std::vector<TreeAxes<R>> axes;
    std::vector<TreeBody<R>> bodies;
    std::vector<TreeTurns<R>> turns;
    std::vector<TreeRule<R>> rules;
    std::vector<Aim> aims;  // by rule
    std::vector<TreeBall<R>> balls;
    std::vector<TreeLoad<R>> loads;
    std::vector<TreeWrench<R>> wrenches;
    bool pushesAreOld = true;  // what acts on solids is not in them yet
    std::vector<TreeTie<R>> ties;
    std::vector<TreeSlide<R>> slides;
    TreeLed<R> led;
    std::vector<TreeLink<R>> links;
    std::vector<TreeColumn<R>> columns;
    std::vector<TreeBranchMotion<R>> motions;
    std::vector<TreeBlock<R>> responses, system;
  };
  using Alone = std::conditional_t<kAloneAbreast, Abreast, double>;
  template <class R>
  [[nodiscard]] const Figure& figureOf(const Group<R>& group, int lane) const {
    const auto i = static_cast<Index>(lane);
    return figures_[group.firstFigure + (i < group.count ? i : group.count - 1)];
  }
  // Groups that are stepped one after the other, and what they share.
  struct Chunk {
    Range figures;
    std::vector<Group<Abreast>> several;
    std::vector<Group<Alone>> one;
    std::vector<TreePart<Abreast>> stackOfSeveral;
    std::vector<TreePart<Alone>> stackOfOne;
    FastReport report;
  };

  template <class R>
  void fill(const Mechanism& mechanism, Group<R>& group) const;
  template <class R>
  TreeFigures<R> view(Group<R>& group, std::vector<TreePart<R>>& stack) const;
  // What acts on a group in a piece of a step that begins at `from` [s]: what its rules aim at, how its joints are damped,
  // forces, and where its ties lead.
  template <class R>
  void aimPushes(const Acting& acting, const double* from, const double* dt, Group<R>& group) const;
  template <class R>
  void aimTies(const Acting& acting, const double* from, const double* dt, Group<R>& group) const;
  template <class R>
  void aimGround(const Acting& acting, const double* from, const double* dt, Group<R>& group) const;
  // Turns are counted after each piece: more than half a turn would look like less.
  template <class R>
  void rememberRotors(const Acting& acting, const Group<R>& group, int i, double dt,
                      const StatePointers& state) const;
  template <class R>
  void rememberTies(const Acting& acting, const Group<R>& group, int lane,
                    const StatePointers& state) const;
  static void addPulls(const Mechanism& mechanism, const MechanismJoint& joint, TreeNode& node,
                       TreeShape& shape, Figure& figure);
  static void addLinks(const Mechanism& mechanism, const Islands& islands, Index island,
                       const std::map<Index, Index>& nodeOf, TreeShape& shape, Figure& figure);
  static void findSettling(TreeShape& shape);
  template <class R>
  void fillLinks(const Mechanism& mechanism, Group<R>& group) const;
  static void addLoads(const Mechanism& mechanism, const Islands& islands, Index island,
                       std::span<const Index> ties, const std::map<Index, Index>& nodeOf,
                       TreeShape& shape, Figure& figure);
  template <class R>
  void aim(const Acting& acting, const double* from, const double* dt, Group<R>& group) const;
  template <class R, class Kernel>
  void stepGroup(Chunk& chunk, Group<R>& group, std::vector<TreePart<R>>& stack, Kernel kernel,
                 const KernelSettings& settings, const Acting& acting, const StatePointers& state,
                 const std::vector<std::uint8_t>& passed, std::vector<std::uint8_t>& failed,
                 std::vector<double>& work) const;

  std::vector<TreeShape> shapes_;
  std::vector<Figure> figures_;
  std::vector<Chunk> chunks_;
  bool lanes_ = false, grouped_ = false;
};

}  // namespace tenon::packed
