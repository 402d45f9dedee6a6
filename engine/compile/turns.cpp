#include "compile/turns.h"

#include <tenon/joint.h>

#include <cmath>
#include <vector>

namespace tenon {

namespace {

int rankOf(CoordinateRule::Kind kind) {
  switch (kind) {
    case CoordinateRule::Kind::Limit:
      return 5;
    case CoordinateRule::Kind::Prefer:
      return 4;
    case CoordinateRule::Kind::Prescribe:
      return 3;
    case CoordinateRule::Kind::Drive:
      return 2;
    case CoordinateRule::Kind::Spring:
      return 1;
    default:
      return 0;
  }
}

}  // namespace

void expectTurns(const Mechanism& m, Index number, State& state) {
  const MechanismJoint& joint = m.joints[number];
  if (joint.kind->readsTurns) return;
  int chosen[kMaxCoordinates] = {};  // rank, by coordinate
  for (Index r = joint.rules.first; r < joint.rules.first + joint.rules.count; ++r) {
    const MechanismRule& rule = m.rules[r];
    if (!joint.kind->coordinates[rule.coordinate].periodic) continue;
    if (rankOf(rule.kind) <= chosen[rule.coordinate]) continue;
    const bool below = std::isfinite(rule.lower), above = std::isfinite(rule.upper);
    const bool range =
        rule.kind == CoordinateRule::Kind::Limit || rule.kind == CoordinateRule::Kind::Prefer;
    if (range && !below && !above) continue;
    chosen[rule.coordinate] = rankOf(rule.kind);
    Index memory = joint.firstMemory;
    for (Index c = 0; c < rule.coordinate; ++c) memory += joint.kind->coordinates[c].periodic;
    state.memory[memory] = !range           ? evaluate(m, rule.target, state.time).value
                           : below && above ? 0.5 * (rule.lower + rule.upper)
                           : below          ? rule.lower + kPi
                                            : rule.upper - kPi;
  }
}

}  // namespace tenon
