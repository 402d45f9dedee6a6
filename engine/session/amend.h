// From what is held to the mechanism that comes of it, in two ways that give the same, to the bit.
//
// `amended` takes the compiled mechanism and changes what is held: the rest is copied as it is, array by array. It does not
// know everything. `compiledAnew` writes what is held into a copy of the scene and compiles that: it takes thirty times as
// long, knows everything, and says what is wrong.
#pragma once

#include <tenon/compile.h>

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "session/held.h"

namespace tenon {

// Names looked up: the first few one by one, those that follow in a table.
class Finder {
 public:
  explicit Finder(const std::vector<std::string>& names) : names_(names) {}
  [[nodiscard]] Index operator()(const std::string& name);  // kWorld: there is none

 private:
  const std::vector<std::string>& names_;
  std::size_t searched_ = 0;
  std::unordered_map<std::string, Index> numbers_;  // looked up, never walked
};

// Solids that frozen joints make one.
struct Groups {
  std::vector<Index> leader;  // by solid: whose frame its group keeps; kWorld: it stands still
  std::vector<std::uint8_t> joined;  // by solid: it is not alone
};

// Turns of joints as they stand, by joint of the scene's own mechanism: they are the same as long as nothing moves, whatever
// is held elsewhere, and dear.
struct KnownTurns {
  std::vector<Pose> frames;  // of the solids
  std::vector<std::uint8_t> known;
  std::vector<double> memory;
};

// All that is held, with what is looked up once.
struct Holding {
  const Scene& scene;
  const Mechanism& own;  // of the scene
  const Held& held;
  const std::vector<Pose>& frames;  // of its solids now
  KnownTurns* turns = nullptr;      // of this mechanism; none: they are found anew
  Groups groups = {};
  std::vector<const HeldGrab*> hands = {};  // those that pull by physics
  std::vector<double> compliance = {};      // by hand

  // Of a solid in the frame of its leader; of one that stands still, in the world.
  [[nodiscard]] Pose offset(Index solid) const {
    const Index leader = groups.leader[solid];
    return leader == kWorld ? frames[solid] : inverse(frames[leader]) * frames[solid];
  }
};

struct Amended {
  Mechanism mechanism;
  // By solid and joint of the scene's own mechanism: its number in this one. kWorld: it is gone.
  std::vector<Index> solidOf, jointOf;
};

// None: it does not know how.
[[nodiscard]] std::optional<Amended> amended(const Holding& holding);
[[nodiscard]] Result<Amended> compiledAnew(const Holding& holding);

[[nodiscard]] Holding holdingOf(const Scene& scene, const Mechanism& own, const Held& held,
                                const std::vector<Pose>& frames);
[[nodiscard]] std::string nameOfHand(int id);
[[nodiscard]] std::string nameOfPin(const Held& held, std::size_t number);

// Mass, centre and inertia of solids that are one, in the frame of the leader.
struct MassSum {
  double mass = 0;
  Vec3 com;
  Mat3 inertia;
  double gravity = 1;  // of all: the same weight, at the same place
  Vec3 gravityMoment;
};
[[nodiscard]] MassSum massOfGroup(const Holding& holding, const std::vector<Index>& members);

}  // namespace tenon
