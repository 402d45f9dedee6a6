// Tenon's equations of motion beside MuJoCo's, at random states: the mass matrix (mj_fullM), the bias forces (qfrc_bias) and
// inverse dynamics (mj_inverse), speed by speed.
//
//     compare_dynamics [SCENE…]      S1-20 S2-20 S5-1 unless said: trees, in MuJoCo's coordinates as in Tenon's
//
// MuJoCo takes random coordinates and speeds; Tenon takes the poses and velocities of the bodies that come of them. So an
// angle, an axis or an order that meant something else would show. Exit code 1: some number differs by more than 1e-9 of the
// largest of its kind.
#include <tenon/tenon.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "math/random.h"
#include "mujoco_model.h"
#include "scene_text.h"

namespace {

constexpr int kStates = 20;
constexpr double kAllowed = 1e-9;

struct Difference {
  double apart = 0, largest = 0;
  void see(double ours, double theirs) {
    // Not std::max: what is not a number has to show.
    if (!(std::abs(ours - theirs) <= apart)) apart = std::abs(ours - theirs);
    largest = std::max(largest, std::abs(theirs));
  }
  [[nodiscard]] double relative() const { return apart / largest; }
  [[nodiscard]] bool good() const { return largest > 0 && relative() <= kAllowed; }
};

bool compare(const std::string& name) {
  const peers::Scene scene = peers::sceneNamed(name);
  const auto parsed = tenon::parseScene(peers::textOf(scene), name);
  if (scene.boxes.empty() || !parsed.ok()) {
    std::fprintf(stderr, "no scene %s\n", name.c_str());
    return false;
  }
  const auto mechanism = tenon::compile(*parsed);
  mjModel* model = peers::mujocoModel(scene, {});
  if (!mechanism.ok() || !model) return false;
  mjData* data = mj_makeData(model);
  const tenon::Mechanism& m = *mechanism;
  const tenon::Control control = tenon::initialControl(m);
  const auto n = static_cast<std::size_t>(model->nv);

  tenon::Random random(1);
  Difference mass, bias, inverse;
  for (int k = 0; k < kStates; ++k) {
    for (int j = 0; j < model->njnt; ++j) {
      mjtNum* q = data->qpos + model->jnt_qposadr[j];
      if (model->jnt_type[j] == mjJNT_HINGE) {
        *q = random.uniform(-1, 1);
        continue;
      }
      if (model->jnt_type[j] == mjJNT_FREE) {
        for (int i = 0; i < 3; ++i) *q++ = random.uniform(-1, 1);
      }
      const tenon::Quat turn = random.rotation();
      q[0] = turn.w, q[1] = turn.x, q[2] = turn.y, q[3] = turn.z;
    }
    std::vector<double> change(n);
    for (std::size_t i = 0; i < n; ++i) {
      data->qvel[i] = random.uniform(-2, 2);
      change[i] = random.uniform(-5, 5);
    }
    mj_forward(model, data);

    tenon::State state = tenon::initialState(m);
    std::vector<int> body;
    for (std::size_t s = 0; s < scene.boxes.size(); ++s) {
      const int b = mj_name2id(model, mjOBJ_BODY, ("b" + std::to_string(s)).c_str());
      body.push_back(b);
      const mjtNum *p = data->xipos + 3 * b, *q = data->xquat + 4 * b;
      mjtNum v[6];
      mj_objectVelocity(model, data, mjOBJ_BODY, b, v, 0);
      state.position[s] = {p[0], p[1], p[2]};
      state.orientation[s] = {q[1], q[2], q[3], q[0]};
      state.spin[s] = {v[0], v[1], v[2]};
      state.velocity[s] = {v[3], v[4], v[5]};
    }
    const auto dynamics = tenon::Dynamics::at(m, control, state);
    if (!dynamics.ok()) {
      std::fprintf(stderr, "%s\n", tenon::describe(dynamics.problems().front()).c_str());
      return false;
    }
    // Where MuJoCo has each of the tree's speeds: a body's come one after the other, as a joint's do here.
    std::vector<std::size_t> place;
    std::vector<int> used(scene.boxes.size(), 0);
    for (const tenon::TreeSpeed& speed : dynamics->speeds()) {
      const std::size_t s = tenon::index(speed.solid);
      place.push_back(static_cast<std::size_t>(model->body_dofadr[body[s]] + used[s]++));
    }
    if (place.size() != n) {
      std::fprintf(stderr, "%s: %zu speeds here, %zu there\n", name.c_str(), place.size(), n);
      return false;
    }
    std::vector<double> ours(n), full(n * n);
    for (std::size_t i = 0; i < n; ++i) ours[i] = change[place[i]];
    mj_fullM(model, full.data(), data->qM);
    const std::vector<double> h = dynamics->biasForces(tenon::BiasParts::SpeedsAndLoads);
    for (std::size_t i = 0; i < n; ++i) {
      bias.see(h[i], data->qfrc_bias[place[i]]);
      for (std::size_t j = 0; j < n; ++j)
        mass.see(dynamics->massMatrix()(i, j), full[place[i] * n + place[j]]);
    }
    std::copy(change.begin(), change.end(), data->qacc);
    mj_inverse(model, data);
    const std::vector<double> forces = dynamics->inverseDynamics(ours);
    for (std::size_t i = 0; i < n; ++i) inverse.see(forces[i], data->qfrc_inverse[place[i]]);
  }
  std::printf("%-8s %4zu speeds  mass %.1e of %.3g  bias %.1e of %.3g  inverse %.1e of %.3g\n",
              name.c_str(), n, mass.relative(), mass.largest, bias.relative(), bias.largest,
              inverse.relative(), inverse.largest);
  mj_deleteData(data);
  mj_deleteModel(model);
  return mass.good() && bias.good() && inverse.good();
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> names(argv + 1, argv + argc);
  if (names.empty()) names = {"S1-20", "S2-20", "S5-1"};
  std::printf(
      "differences to MuJoCo at %d random states, relative to the largest number of the kind; %.0e "
      "is allowed\n",
      kStates, kAllowed);
  bool good = true;
  for (const std::string& name : names) good = compare(name) && good;
  return good ? 0 : 1;
}
