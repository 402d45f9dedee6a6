// From drafts to the things of a scene. Private to finish*.cpp.
#pragma once

#include "files/stage.h"

#include <array>
#include <string>
#include <vector>

namespace tenon::files {

// How a joint kind looks in a mirror: a reflection H of its frames' axes (0: i, 1: j, 2: k) under
// which the kind is itself again, and the signs that its coordinates and options take.
struct MirrorRule {
  int axis = -1;  // -1: the kind has no mirror image
  std::array<double, kMaxCoordinates> coordinates{};
  std::array<double, kMaxOptions> options{};
};
[[nodiscard]] MirrorRule mirrorRuleOf(const JointKind& kind);

class Finisher {
 public:
  explicit Finisher(Stage& stage) : stage_(stage), report_(stage.report), scene_(stage.scene) {}
  Scene run();

 private:
  // What a reference means. `solid`: index of the solid in the scene, or kNone for the world.
  struct Body {
    bool good = false;
    std::string name;  // empty: the world
    std::uint32_t solid = kNone;
    std::uint32_t scope = 0;  // in whose coordinates the text speaks of it
  };

  [[nodiscard]] const Placement& placement(std::uint32_t scope) const {
    return stage_.scopes[scope].placement;
  }
  [[nodiscard]] const Entry& entryOf(const Draft& d) const { return stage_.entries[d.entry]; }
  [[nodiscard]] bool isRemoved(const Draft& d) const { return stage_.isRemoved(entryOf(d)); }
  [[nodiscard]] const MirrorRule& ruleOf(const JointKind& kind);

  // The entry of a reference written in a thing of `scope`; kNone, and said so, if there is none.
  [[nodiscard]] std::uint32_t find(const Reference& r, std::uint32_t scope, BlockKind kind);
  [[nodiscard]] Body body(const Reference& r, std::uint32_t scope);
  [[nodiscard]] Vec3 pointOn(const Body& b, const Vec3& p) const;  // in the body's frame
  [[nodiscard]] Pose poseOf(const Body& b) const;                  // in the world
  bool finite(bool good, const Draft& d);

  void materials();
  void solids();
  void joints();  // finish_joints.cpp
  void joint(JointDraft& d, std::string name);
  void couples(const JointDraft& d, Joint& joint);
  bool frames(JointDraft& d, const std::array<Body, 2>& bodies);
  void scaleJoint(JointDraft& d);
  [[nodiscard]] std::vector<JointDraft> lower(ConstraintDraft& d);  // constraints.cpp
  void loads();
  void poses();
  void events();
  // Checks that the joint has the coordinate, and brings the value from the coordinates of `scope`.
  bool coordinateValue(std::uint32_t joint, std::uint32_t scope, const std::string& coordinate,
                       const Place& place, Dimension dimension, double& value);

  Stage& stage_;
  Report& report_;
  Scene& scene_;
  std::vector<std::uint32_t> solidIndex_;  // drafts -> scene
  std::vector<const JointKind*> kinds_;    // of the scene's joints
  std::vector<std::pair<std::size_t, JointDraft*>>
      coupled_;  // joints that couple others, to finish
  std::unordered_map<const JointKind*, MirrorRule> rules_;
};

}  // namespace tenon::files
