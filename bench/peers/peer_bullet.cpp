// Bullet in the comparison: `default` (rigid bodies, sequential impulses, 10 iterations), `iterations50`,
// `erp0.8` (four fifths of an error corrected in a step instead of one), `multibody` (joint coordinates;
// loops by point constraints). Hinges with limits, drives and dampers are btGeneric6DofSpring2Constraint, which has them all:
// limits are rows that correct a part of an error in a step. Bullet makes its springs as weak as the step and the solids at
// the joint allow, or they would blow up: these give way. In `multibody` drives and dampers are torques, found at the
// start of a step.
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyJointLimitConstraint.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <BulletDynamics/Featherstone/btMultiBodyPoint2Point.h>
#include <btBulletDynamicsCommon.h>

#include "harness.h"

namespace {

using peers::Motion;
using peers::Vec;

btVector3 bt(const Vec& v) { return {btScalar(v.x), btScalar(v.y), btScalar(v.z)}; }
Vec from(const btVector3& v) { return {double(v.x()), double(v.y()), double(v.z())}; }
void put(const btQuaternion& q, double out[4]) {
  out[0] = q.w(), out[1] = q.x(), out[2] = q.y(), out[3] = q.z();
}

// What a world of Bullet consists of. Nothing collides: the pairs are refused before they are made.
struct Parts {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
};

class RigidWorld final : public peers::World {
 public:
  RigidWorld(const peers::Scene& scene, int iterations, double erp) {
    world_.setGravity(bt(scene.gravity));
    world_.getSolverInfo().m_numIterations = iterations;
    world_.getSolverInfo().m_erp = btScalar(erp);
    for (const peers::Box& box : scene.boxes) {
      shapes_.push_back(std::make_unique<btBoxShape>(bt(box.half)));
      btRigidBody::btRigidBodyConstructionInfo info(btScalar(massOf(box)), nullptr,
                                                    shapes_.back().get(), bt(inertiaOf(box)));
      info.m_startWorldTransform = btTransform(btQuaternion::getIdentity(), bt(box.centre));
      info.m_linearDamping = info.m_angularDamping = 0;
      bodies_.push_back(std::make_unique<btRigidBody>(info));
      bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
      world_.addRigidBody(bodies_.back().get(), 0, 0);
    }
    for (const peers::Joint& joint : scene.joints) {
      const auto within = [&](int body) {
        return bt(joint.point - scene.boxes[static_cast<std::size_t>(body)].centre);
      };
      btRigidBody& child = *bodies_[static_cast<std::size_t>(joint.child)];
      const btVector3 axis = bt(joint.axis);
      if (joint.parent == peers::kWorld) {
        if (joint.stiffness > 0)
          drive(joint, nullptr, child, bt({}), within(joint.child));
        else if (joint.hinge)
          add(new btHingeConstraint(child, within(joint.child), axis));
        else
          add(new btPoint2PointConstraint(child, within(joint.child)));
      } else {
        btRigidBody& parent = *bodies_[static_cast<std::size_t>(joint.parent)];
        if (joint.stiffness > 0)
          drive(joint, &parent, child, within(joint.parent), within(joint.child));
        else if (joint.hinge)
          add(new btHingeConstraint(parent, child, within(joint.parent), within(joint.child), axis,
                                    axis));
        else
          add(new btPoint2PointConstraint(parent, child, within(joint.parent),
                                          within(joint.child)));
      }
    }
    if (scene.pulled >= 0) {
      auto* pull = new btPoint2PointConstraint(*bodies_[static_cast<std::size_t>(scene.pulled)],
                                               btVector3(0, 0, 0));
      pull->setPivotB(bt(scene.target));
      add(pull);
    }
  }
  ~RigidWorld() override {
    for (auto& constraint : constraints_) world_.removeConstraint(constraint.get());
    for (auto& body : bodies_) world_.removeRigidBody(body.get());
  }

  void frame() override {
    ++frames_;
    for (const Driven& driven : driven_)  // its angle has the other sign
      driven.spring->setEquilibriumPoint(
          kAngle, btScalar(-targetOf(*driven.joint, frames_ * peers::kFrame)));
    world_.stepSimulation(btScalar(peers::kFrame), 0);
  }

  void stop() override {
    for (auto& body : bodies_) {
      body->setLinearVelocity({0, 0, 0});
      body->setAngularVelocity({0, 0, 0});
    }
  }

  void read(std::vector<Motion>& out) override {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const btTransform& pose = bodies_[i]->getWorldTransform();
      out[i].position = from(pose.getOrigin());
      put(pose.getRotation(), out[i].q);
      out[i].velocity = from(bodies_[i]->getLinearVelocity());
      out[i].spin = from(bodies_[i]->getAngularVelocity());
    }
  }

 private:
  static constexpr int kAngle = 3;  // of the six: about x of the frames
  struct Driven {
    const peers::Joint* joint;
    btGeneric6DofSpring2Constraint* spring;
  };
  void drive(const peers::Joint& joint, btRigidBody* parent, btRigidBody& child,
             const btVector3& there, const btVector3& here) {
    const btQuaternion turn = shortestArcQuat(btVector3(1, 0, 0), bt(joint.axis));
    auto* spring = parent ? new btGeneric6DofSpring2Constraint(
                                *parent, child, btTransform(turn, there), btTransform(turn, here))
                          : new btGeneric6DofSpring2Constraint(child, btTransform(turn, here));
    spring->setLinearLowerLimit({0, 0, 0});
    spring->setLinearUpperLimit({0, 0, 0});
    spring->setAngularLowerLimit({btScalar(-joint.limit), 0, 0});
    spring->setAngularUpperLimit({btScalar(joint.limit), 0, 0});
    spring->enableSpring(kAngle, true);
    spring->setStiffness(kAngle, btScalar(joint.stiffness));
    spring->setDamping(kAngle, btScalar(joint.damping));
    driven_.push_back({&joint, spring});
    add(spring);
  }
  void add(btTypedConstraint* constraint) {
    constraints_.emplace_back(constraint);
    world_.addConstraint(constraint, true);
  }

  Parts parts_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_{&parts_.dispatcher, &parts_.broadphase, &solver_,
                                 &parts_.configuration};
  std::vector<std::unique_ptr<btBoxShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::vector<std::unique_ptr<btTypedConstraint>> constraints_;
  std::vector<Driven> driven_;
  int frames_ = 0;
};

// Each tree that is joined to the world becomes a multibody with a fixed base.
class MultibodyWorld final : public peers::World {
 public:
  explicit MultibodyWorld(const peers::Scene& scene) : link_(scene.boxes.size()) {
    world_.setGravity(bt(scene.gravity));
    // Which tree a box belongs to, and the joint that carries it.
    std::vector<const peers::Joint*> carrier(scene.boxes.size(), nullptr);
    for (const peers::Joint& joint : scene.joints)
      if (!joint.loop) carrier[static_cast<std::size_t>(joint.child)] = &joint;
    const bool together = std::any_of(scene.joints.begin(), scene.joints.end(),
                                      [](const peers::Joint& joint) { return joint.loop; });
    std::vector<int> sizes;
    for (const peers::Joint& joint : scene.joints) {
      if (joint.loop) continue;
      Link& link = link_[static_cast<std::size_t>(joint.child)];
      if (joint.parent == peers::kWorld) {
        if (sizes.empty() || !together) sizes.push_back(0);
        link.tree = static_cast<int>(sizes.size()) - 1;
      } else {
        link.tree = link_[static_cast<std::size_t>(joint.parent)].tree;
      }
      link.index = sizes[static_cast<std::size_t>(link.tree)]++;
    }
    for (const int size : sizes) {
      auto tree = std::make_unique<btMultiBody>(size, btScalar(0), btVector3(0, 0, 0), true, false);
      tree->setBaseWorldTransform(btTransform::getIdentity());
      trees_.push_back(std::move(tree));
    }
    for (const peers::Joint& joint : scene.joints) {
      if (joint.loop) continue;
      const Link& link = link_[static_cast<std::size_t>(joint.child)];
      const peers::Box& box = scene.boxes[static_cast<std::size_t>(joint.child)];
      const bool rooted = joint.parent == peers::kWorld;
      const int parent = rooted ? -1 : link_[static_cast<std::size_t>(joint.parent)].index;
      const Vec from = rooted ? Vec{} : scene.boxes[static_cast<std::size_t>(joint.parent)].centre;
      btMultiBody& tree = *trees_[static_cast<std::size_t>(link.tree)];
      const btQuaternion straight = btQuaternion::getIdentity();
      if (joint.hinge)
        tree.setupRevolute(link.index, btScalar(massOf(box)), bt(inertiaOf(box)), parent, straight,
                           bt(joint.axis), bt(joint.point - from), bt(box.centre - joint.point),
                           true);
      else
        tree.setupSpherical(link.index, btScalar(massOf(box)), bt(inertiaOf(box)), parent, straight,
                            bt(joint.point - from), bt(box.centre - joint.point), true);
    }
    for (auto& tree : trees_) {
      tree->finalizeMultiDof();
      tree->setLinearDamping(0);
      tree->setAngularDamping(0);
      tree->setUseGyroTerm(true);
      tree->setHasSelfCollision(false);
      tree->setCanSleep(false);
      tree->setMaxCoordinateVelocity(btScalar(1e12));
      tree->setMaxAppliedImpulse(btScalar(1e12));
      world_.addMultiBody(tree.get());
    }
    // Constraints are found through colliders, which trees without any do not need.
    const bool collides = together || scene.driven;
    for (std::size_t i = 0; collides && i < scene.boxes.size(); ++i) {
      btMultiBody& tree = *trees_[static_cast<std::size_t>(link_[i].tree)];
      auto collider = std::make_unique<btMultiBodyLinkCollider>(&tree, link_[i].index);
      shapes_.push_back(std::make_unique<btBoxShape>(bt(scene.boxes[i].half)));
      collider->setCollisionShape(shapes_.back().get());
      collider->setWorldTransform(
          btTransform(btQuaternion::getIdentity(), bt(scene.boxes[i].centre)));
      tree.getLink(link_[i].index).m_collider = collider.get();
      world_.addCollisionObject(collider.get(), 0, 0);
      colliders_.push_back(std::move(collider));
    }
    for (const peers::Joint& joint : scene.joints) {
      const Link& link = link_[static_cast<std::size_t>(joint.child)];
      btMultiBody* tree = trees_[static_cast<std::size_t>(link.tree)].get();
      if (joint.stiffness > 0 || joint.damping > 0) driven_.push_back({&joint, tree, link.index});
      if (!(joint.limit > 0)) continue;
      auto limit = std::make_unique<btMultiBodyJointLimitConstraint>(
          tree, link.index, btScalar(-joint.limit), btScalar(joint.limit));
      limit->finalizeMultiDof();
      limit->setMaxAppliedImpulse(btScalar(1e12));
      world_.addMultiBodyConstraint(limit.get());
      closings_.push_back(std::move(limit));
    }
    for (const peers::Joint& joint : scene.joints) {
      if (!joint.loop) continue;
      const auto within = [&](int body) {
        return bt(joint.point - scene.boxes[static_cast<std::size_t>(body)].centre);
      };
      const Link& a = link_[static_cast<std::size_t>(joint.parent)];
      const Link& b = link_[static_cast<std::size_t>(joint.child)];
      auto closing = std::make_unique<btMultiBodyPoint2Point>(
          trees_[static_cast<std::size_t>(a.tree)].get(), a.index,
          trees_[static_cast<std::size_t>(b.tree)].get(), b.index, within(joint.parent),
          within(joint.child));
      closing->setMaxAppliedImpulse(btScalar(1e12));
      world_.addMultiBodyConstraint(closing.get());
      closings_.push_back(std::move(closing));
    }
  }
  ~MultibodyWorld() override {
    for (auto& closing : closings_) world_.removeMultiBodyConstraint(closing.get());
    for (auto& collider : colliders_) world_.removeCollisionObject(collider.get());
    for (auto& tree : trees_) world_.removeMultiBody(tree.get());
  }

  void frame() override {
    for (const Driven& driven : driven_) {
      const peers::Joint& joint = *driven.joint;
      const double angle = double(driven.tree->getJointPos(driven.link));
      const double rate = double(driven.tree->getJointVel(driven.link));
      driven.tree->addJointTorque(
          driven.link,
          btScalar(joint.stiffness * (targetOf(joint, frames_ * peers::kFrame) - angle) -
                   joint.damping * rate));
    }
    ++frames_;
    world_.stepSimulation(btScalar(peers::kFrame), 0);
  }

  void read(std::vector<Motion>& out) override {
    for (std::size_t t = 0; t < trees_.size(); ++t) {
      btMultiBody& tree = *trees_[t];
      const int links = tree.getNumLinks();
      btAlignedObjectArray<btQuaternion> turns;
      btAlignedObjectArray<btVector3> places;
      tree.forwardKinematics(turns, places);
      std::vector<btVector3> spin(static_cast<std::size_t>(links) + 1), velocity(spin.size());
      tree.compTreeLinkVelocities(spin.data(), velocity.data());
      for (std::size_t i = 0; i < out.size(); ++i) {
        if (link_[i].tree != static_cast<int>(t)) continue;
        const int k = link_[i].index;
        const btTransform& pose = tree.getLink(k).m_cachedWorldTransform;
        out[i].position = from(pose.getOrigin());
        put(pose.getRotation(), out[i].q);
        out[i].velocity = from(pose.getBasis() * velocity[static_cast<std::size_t>(k) + 1]);
        out[i].spin = from(pose.getBasis() * spin[static_cast<std::size_t>(k) + 1]);
      }
    }
  }

 private:
  struct Link {
    int tree = 0, index = 0;
  };
  struct Driven {
    const peers::Joint* joint;
    btMultiBody* tree;
    int link;
  };
  std::vector<Driven> driven_;
  int frames_ = 0;
  std::vector<Link> link_;
  Parts parts_;
  btMultiBodyConstraintSolver solver_;
  btMultiBodyDynamicsWorld world_{&parts_.dispatcher, &parts_.broadphase, &solver_,
                                  &parts_.configuration};
  std::vector<std::unique_ptr<btBoxShape>> shapes_;
  std::vector<std::unique_ptr<btMultiBodyLinkCollider>> colliders_;
  std::vector<std::unique_ptr<btMultiBody>> trees_;
  std::vector<std::unique_ptr<btMultiBodyConstraint>> closings_;
};

}  // namespace

int main(int argc, char** argv) {
  return peers::run("bullet", argc, argv,
                    [](const peers::Scene& scene, const std::string& variant) -> peers::Make {
                      const auto rigid = [&scene](int iterations, double erp) -> peers::Make {
                        return [&scene, iterations, erp] {
                          return std::make_unique<RigidWorld>(scene, iterations, erp);
                        };
                      };
                      if (variant == "default") return rigid(10, 0.2);
                      if (variant == "iterations50") return rigid(50, 0.2);
                      if (variant == "erp0.8") return rigid(10, 0.8);
                      if (variant == "multibody" && scene.pulled < 0)
                        return [&scene] { return std::make_unique<MultibodyWorld>(scene); };
                      return nullptr;
                    });
}
