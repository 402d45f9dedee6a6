// DART in the comparison: `default`, semi-implicit Euler in joint coordinates, loops by its constraints. Drives are its joint
// springs with a rest position that moves, dampers its own; both are implicit. Limits are rows of its solver.
#include <dart/constraint/BallJointConstraint.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/simulation/World.hpp>

#include "harness.h"

namespace {

Eigen::Vector3d eigen(const peers::Vec& v) { return {v.x, v.y, v.z}; }
peers::Vec from(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }
Eigen::Isometry3d moved(const peers::Vec& v) {
  Eigen::Isometry3d t = Eigen::Isometry3d::Identity();
  t.translation() = eigen(v);
  return t;
}

class DartWorld final : public peers::World {
 public:
  explicit DartWorld(const peers::Scene& scene) : bodies_(scene.boxes.size(), nullptr) {
    world_->setGravity(eigen(scene.gravity));
    world_->setTimeStep(peers::kFrame);
    for (const peers::Joint& joint : scene.joints) {
      if (joint.loop) continue;
      const peers::Box& box = scene.boxes[static_cast<std::size_t>(joint.child)];
      dart::dynamics::BodyNode* parent = nullptr;
      dart::dynamics::SkeletonPtr skeleton;
      peers::Vec there = joint.point;
      if (joint.parent == peers::kWorld) {
        skeleton = dart::dynamics::Skeleton::create("tree" + std::to_string(joint.child));
        skeletons_.push_back(skeleton);
      } else {
        parent = bodies_[static_cast<std::size_t>(joint.parent)];
        skeleton = parent->getSkeleton();
        there = joint.point - scene.boxes[static_cast<std::size_t>(joint.parent)].centre;
      }
      dart::dynamics::BodyNode::Properties body;
      body.mName = "b" + std::to_string(joint.child);
      body.mInertia.setMass(massOf(box));
      const peers::Vec inertia = inertiaOf(box);
      body.mInertia.setMoment(inertia.x, inertia.y, inertia.z, 0, 0, 0);
      if (joint.hinge) {
        dart::dynamics::RevoluteJoint::Properties hinge;
        hinge.mName = "j" + std::to_string(joint.child);
        hinge.mAxis = eigen(joint.axis);
        hinge.mT_ParentBodyToJoint = moved(there);
        hinge.mT_ChildBodyToJoint = moved(joint.point - box.centre);
        const auto made = skeleton->createJointAndBodyNodePair<dart::dynamics::RevoluteJoint>(
            parent, hinge, body);
        bodies_[static_cast<std::size_t>(joint.child)] = made.second;
        if (joint.limit > 0) {
          made.first->setPositionLowerLimit(0, -joint.limit);
          made.first->setPositionUpperLimit(0, joint.limit);
          made.first->setPositionLimitEnforced(true);
        }
        if (joint.stiffness > 0 || joint.damping > 0) {
          made.first->setSpringStiffness(0, joint.stiffness);
          made.first->setDampingCoefficient(0, joint.damping);
          driven_.emplace_back(&joint, made.first);
        }
      } else {
        dart::dynamics::BallJoint::Properties ball;
        ball.mName = "j" + std::to_string(joint.child);
        ball.mT_ParentBodyToJoint = moved(there);
        ball.mT_ChildBodyToJoint = moved(joint.point - box.centre);
        bodies_[static_cast<std::size_t>(joint.child)] =
            skeleton->createJointAndBodyNodePair<dart::dynamics::BallJoint>(parent, ball, body)
                .second;
      }
    }
    for (const auto& skeleton : skeletons_) {
      skeleton->disableSelfCollisionCheck();
      world_->addSkeleton(skeleton);
    }
    for (const peers::Joint& joint : scene.joints)
      if (joint.loop)
        world_->getConstraintSolver()->addConstraint(
            std::make_shared<dart::constraint::BallJointConstraint>(
                bodies_[static_cast<std::size_t>(joint.parent)],
                bodies_[static_cast<std::size_t>(joint.child)], eigen(joint.point)));
  }

  void frame() override {
    // The spring acts at the end of the step.
    ++frames_;
    for (const auto& [joint, driven] : driven_)
      driven->setRestPosition(0, targetOf(*joint, frames_ * peers::kFrame));
    world_->step();
  }

  void read(std::vector<peers::Motion>& out) override {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const Eigen::Isometry3d& pose = bodies_[i]->getWorldTransform();
      const Eigen::Quaterniond q(pose.linear());
      out[i].position = from(pose.translation());
      out[i].q[0] = q.w(), out[i].q[1] = q.x(), out[i].q[2] = q.y(), out[i].q[3] = q.z();
      out[i].velocity = from(bodies_[i]->getCOMLinearVelocity());
      out[i].spin = from(bodies_[i]->getAngularVelocity());
    }
  }

 private:
  dart::simulation::WorldPtr world_ = dart::simulation::World::create();
  std::vector<dart::dynamics::SkeletonPtr> skeletons_;
  std::vector<dart::dynamics::BodyNode*> bodies_;
  std::vector<std::pair<const peers::Joint*, dart::dynamics::RevoluteJoint*>> driven_;
  int frames_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  return peers::run("dart", argc, argv,
                    [](const peers::Scene& scene, const std::string& variant) -> peers::Make {
                      if (variant != "default" || scene.pulled >= 0) return nullptr;
                      return [&scene] { return std::make_unique<DartWorld>(scene); };
                    });
}
