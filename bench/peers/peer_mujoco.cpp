// MuJoCo in the comparison: `euler`, `rk4`, `rk4x4` (four steps in a frame); of scenes with loops also
// `stiff` (Newton's solver, constraints as stiff as the step allows, Euler), and for posing `pgs`,
// `newton`, `cg`: the solvers, all with stiff constraints. Its limits are soft; drives are position actuators, whose targets
// a callback gives whenever forces are evaluated.
//
// `peer_mujoco --mjcf SCENE VARIANT` prints the model, for the WebAssembly build.
#include <mujoco/mujoco.h>

#include "harness.h"
#include "mujoco_model.h"

namespace {

const peers::Scene* driven = nullptr;  // the scene whose drives the callback gives their targets
void giveTargets(const mjModel*, mjData* data) {
  int actuator = 0;
  for (const peers::Joint& joint : driven->joints)
    if (joint.stiffness > 0) data->ctrl[actuator++] = targetOf(joint, data->time);
}

class MujocoWorld final : public peers::World {
 public:
  MujocoWorld(const peers::Scene& scene, const mjModel* model, int substeps)
      : model_(model), data_(mj_makeData(model)), substeps_(substeps) {
    for (std::size_t i = 0; i < scene.boxes.size(); ++i)
      body_.push_back(mj_name2id(model, mjOBJ_BODY, ("b" + std::to_string(i)).c_str()));
    if (scene.pulled >= 0) {
      data_->mocap_pos[0] = scene.target.x;
      data_->mocap_pos[1] = scene.target.y;
      data_->mocap_pos[2] = scene.target.z;
    }
  }
  ~MujocoWorld() override { mj_deleteData(data_); }

  void frame() override {
    for (int i = 0; i < substeps_; ++i) mj_step(model_, data_);
  }

  void stop() override { mju_zero(data_->qvel, model_->nv); }

  void read(std::vector<peers::Motion>& out) override {
    mj_kinematics(model_, data_);  // a step leaves poses and velocities of its start
    mj_comPos(model_, data_);
    mj_comVel(model_, data_);
    // Where it blows up, it warns and starts again from the first pose: we would not see it. Nor would we see limits that it
    // leaves out for want of room.
    bool blown = false;
    for (const int kind : {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC, mjWARN_CNSTRFULL})
      blown = blown || data_->warning[kind].number > 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const mjtNum* p = data_->xipos + 3 * body_[i];
      const mjtNum* q = data_->xquat + 4 * body_[i];
      mjtNum velocity[6];
      mj_objectVelocity(model_, data_, mjOBJ_BODY, body_[i], velocity, 0);
      out[i].position = {blown ? std::nan("") : p[0], p[1], p[2]};
      std::copy(q, q + 4, out[i].q);
      out[i].spin = {velocity[0], velocity[1], velocity[2]};
      out[i].velocity = {velocity[3], velocity[4], velocity[5]};
    }
  }

 private:
  const mjModel* model_;
  mjData* data_;
  int substeps_;
  std::vector<int> body_;
};

peers::Make prepare(const peers::Scene& scene, const std::string& variant) {
  peers::MjcfOptions options;
  int substeps = 1;
  if (!readVariant(variant, options, substeps)) return nullptr;
  if (scene.driven) {
    driven = &scene;
    mjcb_control = giveTargets;
  }
  mjModel* model = peers::mujocoModel(scene, options);
  if (!model) return nullptr;
  return
      [&scene, model, substeps] { return std::make_unique<MujocoWorld>(scene, model, substeps); };
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == "--mjcf") {
    peers::MjcfOptions options;
    int substeps = 1;
    if (!readVariant(argv[3], options, substeps)) return 2;
    options.nesting = 1000000;
    options.more.clear();
    std::printf("%s", mjcfOf(peers::sceneNamed(argv[2]), options)[0].c_str());
    return 0;
  }
  mju_user_warning = [](const char*) {};  // else it writes a file
  return peers::run("mujoco", argc, argv, prepare);
}
