// Simbody in the comparison: `rk3` and `rkm` (Runge-Kutta 3 and Runge-Kutta-Merson with error control,
// at Simbody's own accuracy of 1e-3), `rkm-fine` (1e-9: a reference), `euler` (semi-explicit, one step in a
// frame). Trees are in joint coordinates; loops are closed by constraints. Limits are its stops, which are soft: as stiff as
// twenty drives.
#include <Simbody.h>

#include "harness.h"

namespace {

using SimTK::Vec3;

Vec3 simtk(const peers::Vec& v) { return {v.x, v.y, v.z}; }
peers::Vec from(const Vec3& v) { return {v[0], v[1], v[2]}; }

// All drives and dampers of a scene.
class Drives final : public SimTK::Force::Custom::Implementation {
 public:
  Drives(const peers::Scene& scene, const std::vector<SimTK::MobilizedBody>& bodies)
      : scene_(scene), bodies_(bodies) {}
  void calcForce(const SimTK::State& state, SimTK::Vector_<SimTK::SpatialVec>&,
                 SimTK::Vector_<Vec3>&, SimTK::Vector& forces) const override {
    for (const peers::Joint& joint : scene_.joints) {
      if (!(joint.stiffness > 0 || joint.damping > 0)) continue;
      const SimTK::MobilizedBody& body = bodies_[static_cast<std::size_t>(joint.child)];
      body.applyOneMobilityForce(
          state, 0,
          joint.stiffness * (targetOf(joint, state.getTime()) - body.getOneQ(state, 0)) -
              joint.damping * body.getOneU(state, 0),
          forces);
    }
  }
  SimTK::Real calcPotentialEnergy(const SimTK::State&) const override { return 0; }
  bool dependsOnlyOnPositions() const override { return false; }

 private:
  const peers::Scene& scene_;
  const std::vector<SimTK::MobilizedBody>& bodies_;
};

class SimbodyWorld final : public peers::World {
 public:
  SimbodyWorld(const peers::Scene& scene, const std::string& variant) {
    if (length(scene.gravity) > 0)
      SimTK::Force::UniformGravity(forces_, matter_, simtk(scene.gravity));
    bodies_.resize(scene.boxes.size());
    for (const peers::Joint& joint : scene.joints) {
      const peers::Box& box = scene.boxes[static_cast<std::size_t>(joint.child)];
      SimTK::MobilizedBody* parent = &matter_.updGround();
      Vec3 there = simtk(joint.point);
      if (joint.parent != peers::kWorld) {
        parent = &bodies_[static_cast<std::size_t>(joint.parent)];
        there = simtk(joint.point - scene.boxes[static_cast<std::size_t>(joint.parent)].centre);
      }
      const Vec3 here = simtk(joint.point - box.centre);
      SimTK::MobilizedBody& child = bodies_[static_cast<std::size_t>(joint.child)];
      if (joint.loop) {
        SimTK::Constraint::Ball(*parent, there, child, here);
        continue;
      }
      const peers::Vec inertia = inertiaOf(box);
      const SimTK::Body::Rigid body(SimTK::MassProperties(
          massOf(box), Vec3(0), SimTK::Inertia(inertia.x, inertia.y, inertia.z)));
      if (joint.hinge) {
        // A pin turns about z of its frames.
        const SimTK::Rotation turned(SimTK::UnitVec3(simtk(joint.axis)), SimTK::ZAxis);
        child = SimTK::MobilizedBody::Pin(*parent, {turned, there}, body, {turned, here});
      } else {
        child = SimTK::MobilizedBody::Ball(*parent, there, body, here);
      }
    }
    if (scene.driven) SimTK::Force::Custom(forces_, new Drives(scene, bodies_));
    for (const peers::Joint& joint : scene.joints)
      if (joint.limit > 0)
        SimTK::Force::MobilityLinearStop(forces_, bodies_[static_cast<std::size_t>(joint.child)],
                                         SimTK::MobilizerQIndex(0), 20 * joint.stiffness, 0.1,
                                         -joint.limit, joint.limit);
    SimTK::State state = system_.realizeTopology();
    system_.realizeModel(state);
    if (variant == "euler")
      integrator_ = std::make_unique<SimTK::SemiExplicitEulerIntegrator>(system_, peers::kFrame);
    else if (variant == "rk3")
      integrator_ = std::make_unique<SimTK::RungeKutta3Integrator>(system_);
    else
      integrator_ = std::make_unique<SimTK::RungeKuttaMersonIntegrator>(system_);
    if (variant == "rkm-fine") integrator_->setAccuracy(1e-9);
    stepper_ = std::make_unique<SimTK::TimeStepper>(system_, *integrator_);
    stepper_->initialize(state);
  }

  void frame() override {
    if (failed_) return;
    try {
      stepper_->stepTo(++frames_ * peers::kFrame);
    } catch (const std::exception& problem) {
      std::fprintf(stderr, "Simbody: %.200s\n", problem.what());
      failed_ = true;
    }
  }

  std::string note() const override {
    return ", \"steps\": " + std::to_string(integrator_->getNumStepsTaken()) +
           ", \"attempts\": " + std::to_string(integrator_->getNumStepsAttempted()) +
           ", \"projections\": " + std::to_string(integrator_->getNumProjections());
  }

  void read(std::vector<peers::Motion>& out) override {
    const SimTK::State& state = stepper_->getState();
    system_.realize(state, SimTK::Stage::Velocity);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const SimTK::Quaternion q = bodies_[i].getBodyRotation(state).convertRotationToQuaternion();
      out[i].position = from(bodies_[i].getBodyOriginLocation(state));
      for (int k = 0; k < 4; ++k) out[i].q[k] = failed_ ? SimTK::NaN : q[k];
      out[i].velocity = from(bodies_[i].getBodyOriginVelocity(state));
      out[i].spin = from(bodies_[i].getBodyAngularVelocity(state));
    }
  }

 private:
  SimTK::MultibodySystem system_;
  SimTK::SimbodyMatterSubsystem matter_{system_};
  SimTK::GeneralForceSubsystem forces_{system_};
  std::vector<SimTK::MobilizedBody> bodies_;
  std::unique_ptr<SimTK::Integrator> integrator_;
  std::unique_ptr<SimTK::TimeStepper> stepper_;
  int frames_ = 0;
  bool failed_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  return peers::run(
      "simbody", argc, argv,
      [](const peers::Scene& scene, const std::string& variant) -> peers::Make {
        if (scene.pulled >= 0 ||
            (variant != "rk3" && variant != "rkm" && variant != "rkm-fine" && variant != "euler"))
          return nullptr;
        return [&scene, variant] { return std::make_unique<SimbodyWorld>(scene, variant); };
      });
}
