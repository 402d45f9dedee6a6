// What is done to a scene beyond its text: solids made one, points held and pulled, ranges changed, forces. And the
// mechanism that comes of it: the scene's own one, amended (session/amend.h).
#pragma once

#include <tenon/compile.h>
#include <tenon/dynamics.h>
#include <tenon/posing.h>

#include <optional>
#include <string>
#include <vector>

#include "session/scene_events.h"

namespace tenon {

struct HeldPin {
  std::string solid;
  std::optional<Vec3> point;  // [m] solid's frame; none: the whole solid
  Pose target;                // of the point, or of the solid's frame
  std::string name = {};      // of the text; empty: it is not in the text
  std::vector<Interval> active = {};
  friend bool operator==(const HeldPin&, const HeldPin&) = default;
};
// A hand that has hold of a point.                                                         [Faure1998 §4.1]
struct HeldGrab {
  int id = 0;
  std::string solid;
  Vec3 point;   // [m] solid's frame
  Vec3 target;  // [m]
  std::optional<Quat> orientation;
  bool dynamic = false;  // pulls by physics; else by posing
};
struct HeldLimit {
  std::string joint, coordinate;
  double lower = -kInfinity, upper = kInfinity;
};
struct HeldForce {
  int id = 0;
  std::string solid;
  Vec3 point;  // [m] solid's frame
  Vec3 force;  // [N] world
};
struct Held {
  std::vector<std::string> frozen, merged;  // joints
  std::vector<HeldPin> pins;
  std::vector<HeldGrab> grabs;
  std::vector<HeldLimit> limits;
  std::vector<HeldForce> forces;
};

// The mechanism as it is held, and where the scene's solids are in it.
struct HeldMechanism {
  Mechanism mechanism;
  struct Member {
    Index solid = kWorld;  // of `mechanism`; kWorld: stands still
    Pose offset;  // of the scene's solid (its frame) in the frame of that one; kWorld: in the world
    bool joined = false;  // it is one with others, or with the world
  };
  std::vector<Member> members;  // by solid of the scene
  std::vector<Index> joints;    // by joint of the scene: of `mechanism`; kWorld: it is gone
  struct Hand {
    int id = 0;
    Index solid = 0;  // of `mechanism`: what stands for the hand
    Index joint = 0;  // by which it pulls
  };
  std::vector<Hand> hands;
  bool asWritten = false;  // nothing is held: it is the scene's own mechanism
  SceneEvents events;      // of the scene, which is to outlive it
};

// X_WS of a solid, or of all, of the scene at a state of the scene's own mechanism.
[[nodiscard]] inline Pose frameOf(const Mechanism& mechanism, const State& state, Index solid) {
  return frameOf(mechanism, state, SolidId{solid});
}
[[nodiscard]] std::vector<Pose> framesOf(const Mechanism& mechanism, const State& state);

// `frames` are those of the scene's solids now: joints that are frozen stay as they are.
// `turns`: of this mechanism, from time to time; may be null.
struct KnownTurns;
[[nodiscard]] Result<HeldMechanism> hold(const Scene& scene, const Mechanism& own, const Held& held,
                                         const std::vector<Pose>& frames,
                                         KnownTurns* turns = nullptr);

// By solid of the scene: whether it is a point mass that is frozen, and to nothing but others that move.
[[nodiscard]] std::vector<bool> frozenPoints(const Mechanism& own, const Held& held);

// A state of the scene's own mechanism from one of the held one, and back. `like` is where turns counted and
// multipliers come from.
[[nodiscard]] State release(const Mechanism& own, const HeldMechanism& held, const State& state,
                            const State& like);
[[nodiscard]] State take(const Mechanism& own, const HeldMechanism& held, const State& state);

}  // namespace tenon
