// Screw: turning about an axis moves along it, `pitch` a turn; right-handed if positive.
//   g = (p_i - pitch θ/2π, p_j, p_k, swing of i),   c = θ, counted over many turns
// Where the turns are not known yet, they are what the place along the axis says.
#include "joints/joint_math.h"

namespace tenon::joints {

namespace {

template <class T>
void evaluate(const JointKind&, const JointInput<T>& in, JointOutput<T>& out) {
  const double pitch = in.options[0], known = in.memory[0];
  const T turn =
      unwrap(turnAbout(in, 0), std::isnan(known) ? 2 * kPi * valueOf(in.p[0]) / pitch : known);
  out.residual[0] = in.p[0] - T(pitch / (2 * kPi)) * turn;
  out.residual[1] = in.p[1];
  out.residual[2] = in.p[2];
  const std::array<T, 2> lean = swing(in, 0);
  out.residual[3] = lean[0];
  out.residual[4] = lean[1];
  out.coordinate[0] = turn;
  out.coordinate[1] = in.p[0];
}

OptionFault prepare(std::span<const std::vector<double>> given, std::vector<double>& data) {
  data.push_back(given[0].at(0));
  if (data.back() != 0) return {};
  return {"a screw needs a pitch; if it turns on the spot, use a pin", 0};
}

}  // namespace

JointKind screw() {
  JointKind kind;
  kind.name = "screw";
  kind.papers = "Faure: dependent constraint directions";
  kind.elsewhere = "helical helix lead-screw nut";
  kind.summary = "a nut on a bolt: it moves along the axis as it turns";
  kind.residualCount = 5;
  kind.residualAngular[3] = kind.residualAngular[4] = true;
  kind.coordinateCount = 2;
  kind.freeCount = 1;
  kind.coordinates[0] = {"angle", true, true};
  kind.coordinates[1] = {"slide", false, false};
  kind.optionCount = 1;
  kind.options[0] = {"pitch", 1, OptionUnit::Length, 0, true};
  kind.values = &evaluate<double>;
  kind.jets = &evaluate<Jet>;
  kind.prepare = &prepare;
  kind.readsTurns = true;
  return kind;
}

}  // namespace tenon::joints
