// ODE in the comparison: `quick` (iterative, its default of 20 iterations) and `step` (direct). Limits are its stops, rows
// of the solver that correct a fifth of an error in a step. A drive and its damper are an angular motor whose two stops
// are one, as soft as a spring with a damper is (its manual's way).
#include <ode/ode.h>

#include "harness.h"

namespace {

class OdeWorld final : public peers::World {
 public:
  OdeWorld(const peers::Scene& scene, bool quick) : quick_(quick), world_(dWorldCreate()) {
    dRandSetSeed(0);  // of the order of rows: each pass is the same
    dWorldSetGravity(world_, scene.gravity.x, scene.gravity.y, scene.gravity.z);
    dWorldSetAutoDisableFlag(world_, 0);
    dWorldSetDamping(world_, 0, 0);
    for (const peers::Box& box : scene.boxes) {
      const dBodyID body = dBodyCreate(world_);
      dMass mass;
      dMassSetBox(&mass, box.density, 2 * box.half.x, 2 * box.half.y, 2 * box.half.z);
      dBodySetMass(body, &mass);
      dBodySetPosition(body, box.centre.x, box.centre.y, box.centre.z);
      bodies_.push_back(body);
    }
    const auto bodyOf = [&](int i) {
      return i == peers::kWorld ? nullptr : bodies_[static_cast<std::size_t>(i)];
    };
    for (const peers::Joint& joint : scene.joints) {
      const dJointID made =
          joint.hinge ? dJointCreateHinge(world_, nullptr) : dJointCreateBall(world_, nullptr);
      dJointAttach(made, bodyOf(joint.child), bodyOf(joint.parent));
      if (joint.hinge) {
        dJointSetHingeAnchor(made, joint.point.x, joint.point.y, joint.point.z);
        dJointSetHingeAxis(made, joint.axis.x, joint.axis.y, joint.axis.z);
        if (joint.limit > 0) {
          dJointSetHingeParam(made, dParamLoStop, -joint.limit);
          dJointSetHingeParam(made, dParamHiStop, joint.limit);
        }
        if (joint.stiffness > 0 || joint.damping > 0)
          drive(joint, made, bodyOf(joint.child), bodyOf(joint.parent));
      } else {
        dJointSetBallAnchor(made, joint.point.x, joint.point.y, joint.point.z);
      }
    }
    if (scene.pulled >= 0) {
      const peers::Vec& at = scene.boxes[static_cast<std::size_t>(scene.pulled)].centre;
      const dJointID pull = dJointCreateBall(world_, nullptr);
      dJointAttach(pull, bodyOf(scene.pulled), nullptr);
      dJointSetBallAnchor(pull, at.x, at.y, at.z);
      dJointSetBallAnchor2(pull, scene.target.x, scene.target.y, scene.target.z);
    }
  }
  ~OdeWorld() override { dWorldDestroy(world_); }

  void frame() override {
    // A stop that is soft and always reached is a spring with a damper, at the end of the step.
    ++frames_;
    for (const Driven& driven : driven_) {
      const double target = targetOf(*driven.joint, frames_ * peers::kFrame);
      dJointSetAMotorAngle(driven.motor, 0, dJointGetHingeAngle(driven.hinge));
      dJointSetAMotorParam(driven.motor, dParamLoStop, target);
      dJointSetAMotorParam(driven.motor, dParamHiStop, target);
    }
    if (quick_)
      dWorldQuickStep(world_, peers::kFrame);
    else
      dWorldStep(world_, peers::kFrame);
  }

  void stop() override {
    for (const dBodyID body : bodies_) {
      dBodySetLinearVel(body, 0, 0, 0);
      dBodySetAngularVel(body, 0, 0, 0);
    }
  }

  void read(std::vector<peers::Motion>& out) override {
    const auto copy = [](const dReal* v) { return peers::Vec{v[0], v[1], v[2]}; };
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i].position = copy(dBodyGetPosition(bodies_[i]));
      const dReal* q = dBodyGetQuaternion(bodies_[i]);
      std::copy(q, q + 4, out[i].q);
      out[i].velocity = copy(dBodyGetLinearVel(bodies_[i]));
      out[i].spin = copy(dBodyGetAngularVel(bodies_[i]));
    }
  }

 private:
  struct Driven {
    const peers::Joint* joint;
    dJointID hinge, motor;
  };
  // A row with error reduction h k / (h k + d) and softness 1 / (h k + d) is a spring k with a damper d.
  void drive(const peers::Joint& joint, dJointID hinge, dBodyID child, dBodyID parent) {
    const dJointID motor = dJointCreateAMotor(world_, nullptr);
    dJointAttach(motor, child, parent);
    dJointSetAMotorMode(motor, dAMotorUser);
    dJointSetAMotorNumAxes(motor, 1);
    dJointSetAMotorAxis(motor, 0, 1, joint.axis.x, joint.axis.y, joint.axis.z);
    const double stiff = peers::kFrame * joint.stiffness + joint.damping;
    dJointSetAMotorParam(motor, dParamStopERP, peers::kFrame * joint.stiffness / stiff);
    dJointSetAMotorParam(motor, dParamStopCFM, 1 / stiff);
    driven_.push_back({&joint, hinge, motor});
  }

  bool quick_;
  dWorldID world_;
  std::vector<dBodyID> bodies_;
  std::vector<Driven> driven_;
  int frames_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  dInitODE2(0);
  return peers::run(
      "ode", argc, argv, [](const peers::Scene& scene, const std::string& variant) -> peers::Make {
        if (variant != "quick" && variant != "step") return nullptr;
        return [&scene, variant] { return std::make_unique<OdeWorld>(scene, variant == "quick"); };
      });
}
