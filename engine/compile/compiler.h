// What the steps of `compile` share: the scene, the mechanism being made, and the list of problems.
#pragma once

#include <tenon/compile.h>
#include <tenon/joint.h>

#include <string>
#include <unordered_map>
#include <vector>

namespace tenon {

class Compiler {
 public:
  explicit Compiler(const Scene& source) : scene(source) {}

  const Scene& scene;
  Mechanism mechanism;
  std::vector<Problem> problems;
  std::vector<Pose> authored;  // X_WS by solid: the frames that the scene speaks of

  void error(const Place& place, std::string what, std::string remedy = {});
  void warning(const Place& place, std::string what, std::string remedy = {});

  // Index of a solid; the empty name is the world. Unknown names are reported, once per mention.
  [[nodiscard]] bool findSolid(const std::string& name, const Place& place, Index& index);
  [[nodiscard]] bool findJoint(const std::string& name, const Place& place, Index& index);
  [[nodiscard]] const Material* findMaterial(const std::string& name, const Place& place);
  // X_WC⁻¹ X_WS · X: from the solid's frame, as authored, to the centre-of-mass frame.
  [[nodiscard]] Pose toCentre(Index solid, const Pose& X) const;
  [[nodiscard]] Vec3 toCentre(Index solid, const Vec3& point) const;

  [[nodiscard]] Range addIntervals(const std::vector<Interval>& intervals, const Place& place);
  [[nodiscard]] CompiledSignal addSignal(const Signal& signal, const Place& place);

  // The steps, in order.
  void checkNumbers();
  void addSolids();
  void addJoints();       // and pins
  void addCouplings();    // of addJoints: terms of relations of coordinates
  void closeCouplings();  // of addJoints, when turns are counted
  void checkCrowds();
  void addLoads();
  void beginAtStart();  // the pose of the start: it sets the state, and nothing else
  void checkPosing();
  void warnOfUnused();
  void countUnlisted();

 private:
  [[nodiscard]] const KeyPose* startPose() const;
  [[nodiscard]] Pose startFrame(Index solid) const;
  void findFrozen();
  [[nodiscard]] bool frozen(const Joint& source, Joint& weld);
  [[nodiscard]] bool jointOfPin(const Pin& pin, Joint& joint);
  void list(Severity severity, const Place& place, std::string what, std::string remedy);

  std::size_t errors_ = 0, warnings_ = 0;  // found, listed or not
  std::unordered_map<std::string, Index> solidIndex_, jointIndex_,
      materialIndex_;                                                   // looked up, never walked
  std::unordered_map<std::string, const KeyPose::SolidPose*> started_;  // by solid: its start
  std::unordered_map<std::string, const Joint*> couplers_;              // by joint: who couples it
  // By solid, the last being the world: the solid that carries it as frozen joints have it, which does not move or can
  // turn; and how many joints lie between.
  std::vector<Index> carrier_;
  std::vector<std::size_t> steps_;
};

}  // namespace tenon
