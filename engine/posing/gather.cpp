// Needs and wants as rows, their errors, and the steps that the methods share.
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "joints/lift.h"
#include "math/rotation.h"
#include "packed/plain.h"
#include "posing/buffers.h"

namespace tenon {

namespace {

Vec3 unitVector(int i) {
  Vec3 e;
  e[i] = 1;
  return e;
}

// J M⁻¹ Jᵀ of a row with scalar inertias: enough for a norm.
double roughMobility(const Mechanism& mechanism, std::span<const RowBlock> blocks) {
  double mobility = 0;
  for (const RowBlock& block : blocks) {
    const MechanismSolid& solid = mechanism.solids[block.solid];
    const double* J = block.J;
    mobility += solid.inverseMass * (J[0] * J[0] + J[1] * J[1] + J[2] * J[2]) +
                solid.inverseInertia(0, 0) * (J[3] * J[3] + J[4] * J[4] + J[5] * J[5]);
  }
  return mobility;
}

// What a row that yields has stored: the integral of its force, which grows with w Φ up to a bound. Beyond that the row gets
// the weight with which it pulls as strongly here: the quadratic that touches its energy from above.
double soften(Row& row) {
  const double far = std::abs(row.error);
  if (boundedBy({row.stiffness * far, 0, 1, 0, row.upper}) == Bounded::Inside)
    return 0.5 * row.stiffness * far * far;
  const double stored = row.upper * (far - 0.5 * row.upper / row.stiffness);
  row.stiffness = row.upper / far;
  return stored;
}

// The rows of the want of this number. Returns how far a point is from its target [m].
double emitWant(const Mechanism& mechanism, const State& state, const Want& want, Index number,
                Rows& rows) {
  const Quat& q = state.orientation[want.solid];
  const Vec3 lever = rotate(q, want.point);
  const Vec3 at = state.position[want.solid] + lever;
  // A row on its solid: error, and its derivative by the motion of the solid.
  const auto push = [&](Index i, double error, const Vec3& linear, const Vec3& angular) {
    Row row;
    row.error = error;
    row.asker = {Asker::Kind::Want, number};
    row.key = mechanism.slots + kWantRows * number + i;
    row.weight = want.weight;
    row.angular = want.kind != Want::Kind::Point;
    row.equality = want.need;
    row.firstBlock = static_cast<Index>(rows.blocks.size());
    row.blockCount = 1;
    const Vec3 turn = mechanism.solids[want.solid].pointMass ? Vec3{} : angular;
    rows.blocks.push_back({want.solid, {linear.x, linear.y, linear.z, turn.x, turn.y, turn.z}});
    rows.rows.push_back(row);
  };
  switch (want.kind) {
    case Want::Kind::Point: {
      const Vec3 off = at - want.target;
      for (int i = 0; i < 3; ++i)
        push(static_cast<Index>(i), off[i], unitVector(i), cross(lever, unitVector(i)));
      return norm(off);
    }
    case Want::Kind::Orientation: {
      const Vec3 turn = logarithm(q * conjugate(want.orientation));
      for (int i = 0; i < 3; ++i) push(static_cast<Index>(i), turn[i], {}, unitVector(i));
      return 0;
    }
    case Want::Kind::LookAt: {
      const Vec3 axis = rotate(q, want.axis), way = want.target - at;
      if (!(norm(way) > 1e-12)) return 0;
      const Vec3 swing = logarithm(rotationBetween(axis, normalized(way)));
      const Vec3 across = anyPerpendicular(axis), other = cross(axis, across);
      push(0, -dot(swing, across), {}, across);
      push(1, -dot(swing, other), {}, other);
      return 0;
    }
  }
  return 0;
}

}  // namespace

void setYielding(const Mechanism& mechanism, const PoseSettings& settings,
                 PoseScratch::Buffers& buffers) {
  // The papers of the other methods know needs only.
  const bool minds = settings.method == AssemblyMethod::Newton;
  buffers.yielding = minds ? Yielding::Left : Yielding::Exact;
  buffers.yields.clear();
  if (!minds || settings.yield.empty()) return;
  buffers.yields.assign(mechanism.joints.size(), 0);
  for (const Yield& yield : settings.yield) buffers.yields[yield.joint] = yield.weight;
}

NeedErrors gatherNeeds(const Mechanism& mechanism, const Control& control,
                       const std::vector<Want>& wants, const State& state,
                       PoseScratch::Buffers& buffers) {
  Rows &emitted = buffers.emitted, &rows = buffers.rows;
  emitted.clear();
  rows.clear();
  emitRows(mechanism, control, state, emitted);
  rows.blocks.swap(emitted.blocks);  // emitted anew each time
  buffers.used.clear();
  buffers.bounds.expect(mechanism.slots);
  NeedErrors errors;
  double sum = 0, energy = 0;
  std::size_t count = 0;
  const auto judge = [&](const Row& row) {
    const double size = std::abs(row.error);
    if (!std::isfinite(size)) errors.finite = false;  // asked for by name: max() would hide it
    (row.angular ? errors.radians : errors.metres) =
        std::max(row.angular ? errors.radians : errors.metres, size);
    errors.max = std::max(errors.max, size);
    sum += size * size;
    const double mobility =
        roughMobility(mechanism, std::span(rows.blocks).subspan(row.firstBlock, row.blockCount));
    if (mobility > 0) energy += 0.5 * size * size / mobility;
    ++count;
  };
  for (Row& row : emitted.rows) {
    if (row.velocity || !(row.equality || isOneSided(row))) continue;
    const bool minds = buffers.yielding != Yielding::Exact;
    if (minds && !buffers.yields.empty() && buffers.yields[row.asker.number] > 0 &&
        std::isinf(row.stiffness))
      row.stiffness = buffers.yields[row.asker.number];
    bool yields = !std::isinf(row.stiffness);
    if (yields && !row.equality && !(minds && row.upper > 0)) continue;
    yields = yields && minds;
    errors.yields = errors.yields || yields;
    if (yields && buffers.yielding == Yielding::Held) {
      const double settled = buffers.settled[row.key];
      row.error -= row.equality ? settled : std::min(settled, 0.0);
      row.stiffness = kInfinity;
      yields = false;
    }
    if (yields) {
      const bool acts = row.equality || comesToHold(row.error);
      if (acts) errors.compromise += soften(row);
      if (acts) errors.gave = std::max(errors.gave, std::abs(row.error));
      if (!std::isfinite(row.error)) errors.finite = false;
      buffers.used.push_back(acts && buffers.yielding == Yielding::Pulling);
    } else if (row.equality) {
      buffers.used.push_back(true);
      judge(row);
    } else {
      buffers.used.push_back(buffers.bounds.takesPart(row.key, row.error, buffers.lenient));
      if (!(row.error >= 0)) judge(row);
    }
    rows.rows.push_back(row);
  }
  for (std::size_t w = 0; w < wants.size(); ++w) {
    const std::size_t first = rows.rows.size();
    const double distance = emitWant(mechanism, state, wants[w], static_cast<Index>(w), rows);
    errors.want = std::max(errors.want, distance);
    for (std::size_t r = first; r < rows.rows.size(); ++r) {
      buffers.used.push_back(true);
      if (wants[w].need)
        judge(rows.rows[r]);
      else
        errors.pull = std::max(errors.pull, std::abs(rows.rows[r].error));
    }
  }
  errors.rms = count > 0 ? std::sqrt(sum / static_cast<double>(count)) : 0;
  errors.energy = std::sqrt(energy);
  return errors;
}

namespace {

// Hard limits of joints, three to a node of the packed kernel, and relations of coordinates.
void findRows(const Mechanism& mechanism, PoseScratch::Buffers& buffers) {
  if (mechanism.stamp != 0 && buffers.rowsOf == mechanism.stamp) return;
  buffers.rowsOf = mechanism.stamp;
  buffers.limits.clear();
  buffers.couplings.clear();
  for (Index j = 0; j < mechanism.joints.size(); ++j) {
    const MechanismJoint& joint = mechanism.joints[j];
    if (joint.kind->relates == Relates::Coordinates) buffers.couplings.push_back({j, 0});
    Index slot = joint.firstSlot + ownSlots(*joint.kind);
    for (Index r = joint.rules.first; r < joint.rules.first + joint.rules.count; ++r, slot += 2) {
      const MechanismRule& rule = mechanism.rules[r];
      if (isHardLimit(rule)) buffers.limits.push_back({r, slot});
    }
  }
}

// What a row adds to the errors, if it is a need.
class Judge {
 public:
  Judge(const Mechanism& mechanism, packed::PoseErrors& errors)
      : mechanism_(mechanism), errors_(errors) {}
  void operator()(double error, bool angular, std::span<const RowBlock> blocks) const {
    const double size = std::abs(error);
    double& largest = angular ? errors_.radians : errors_.metres;
    if (!(size <= largest)) largest = size;  // what is no number stays
    errors_.squares += size * size;
    const double mobility = roughMobility(mechanism_, blocks);
    if (mobility > 0) errors_.energy += 0.5 * size * size / mobility;
    ++errors_.rows;
  }

 private:
  const Mechanism& mechanism_;
  packed::PoseErrors& errors_;
};

// Relations of coordinates, as rows.
void addCouplings(const Mechanism& mechanism, const State& state, PoseScratch::Buffers& buffers,
                  const Judge& judge) {
  for (const PoseScratch::Buffers::FastCoupling& coupling : buffers.couplings) {
    const CouplesAt at(mechanism, state, mechanism.joints[coupling.joint]);
    const CouplesAt::Lifted row = at.residual(0);
    const std::span blocks(row.blocks, static_cast<std::size_t>(row.count));
    buffers.fast.addRow(coupling.given, 1, row.value, blocks);
    judge(row.value, at.residualAngular(0), blocks);
  }
}

// The limits that are reached, as rows.
void addLimits(const Mechanism& mechanism, const State& state, PoseScratch::Buffers& buffers,
               const Judge& judge) {
  Index last = kWorld;
  bool far = false;  // too far from its limits to take part
  JointValues values;
  for (PoseScratch::Buffers::FastLimit& limit : buffers.limits) {
    limit.row = -1;
    const MechanismRule& rule = mechanism.rules[limit.rule];
    if (rule.joint != last) {
      last = rule.joint;
      far = isFarFromLimits(mechanism, mechanism.joints[last], state);
      if (!far) values = jointValues(mechanism, state, last);
    }
    if (far || !isActive(mechanism, rule.active, state.time)) continue;
    const double c = values.coordinate[rule.coordinate];
    // The worse side, as c - lower >= 0 or upper - c >= 0.
    const bool upper = rule.upper - c < c - rule.lower;
    const double error = upper ? rule.upper - c : c - rule.lower, sign = upper ? -1 : 1;
    limit.pushed = limit.slot + (upper ? 1 : 0);
    if (!buffers.bounds.takesPart(limit.pushed, error, buffers.lenient)) continue;
    buffers.rows.clear();
    emitCoordinateRow(mechanism, state, rule.joint, rule.coordinate, buffers.rows);
    limit.row = buffers.fast.addRow(limit.given, sign, sign * error, buffers.rows.blocks);
    if (!(error >= 0))
      judge(error, mechanism.joints[rule.joint].kind->coordinates[rule.coordinate].angular,
            buffers.rows.blocks);
  }
}

// Orientations and directions that are wanted.
void addTurns(const Mechanism& mechanism, const std::vector<Want>& wants, const State& state,
              PoseScratch::Buffers& buffers, const Judge& judge, packed::PoseErrors& errors,
              double& pull) {
  for (std::size_t w = 0; w < wants.size(); ++w) {
    if (wants[w].kind == Want::Kind::Point) continue;
    buffers.rows.clear();
    emitWant(mechanism, state, wants[w], static_cast<Index>(w), buffers.rows);
    for (const Row& row : buffers.rows.rows) {
      const std::span blocks(buffers.rows.blocks.data() + row.firstBlock, row.blockCount);
      buffers.fast.addRow(buffers.fastWants[w].place, 1, row.error, blocks);
      if (wants[w].need)
        judge(row.error, true, blocks);
      else
        errors.wanted += row.error * row.error / buffers.fastWants[w].give;
      if (!wants[w].need) pull = std::max(pull, std::abs(row.error));
    }
  }
}

}  // namespace

bool suitsFast(const Mechanism& mechanism, const Control& control, const std::vector<Want>& wants,
               double give, PoseScratch::Buffers& buffers) {
  findRows(mechanism, buffers);
  buffers.pins.clear();
  buffers.given.clear();
  buffers.fastWants.clear();
  // Rows on these solids.
  const auto giveRows = [&](std::initializer_list<Index> solids) {
    packed::LoopGiven& rows = buffers.given.emplace_back();
    return std::all_of(solids.begin(), solids.end(),
                       [&](Index solid) { return rows.add(mechanism, solid); });
  };
  double heaviest = 1e-300;  // weights are relative
  for (const Want& want : wants) heaviest = std::max(heaviest, want.weight);
  for (const Want& want : wants) {
    const double yields = want.need ? 0 : give * heaviest / std::max(want.weight, 1e-9 * heaviest);
    if (want.kind == Want::Kind::Point) {
      buffers.fastWants.push_back({buffers.pins.size(), yields});
      buffers.pins.push_back({want.solid, want.point});
    } else {
      buffers.fastWants.push_back({buffers.given.size(), yields});
      if (!giveRows({want.solid})) return false;
    }
  }
  Index joint = kWorld;
  int rows = 0;
  for (PoseScratch::Buffers::FastLimit& limit : buffers.limits) {
    const Index of = mechanism.rules[limit.rule].joint;
    if (of != joint || rows == 3) {
      if (!giveRows({mechanism.joints[of].solid1, mechanism.joints[of].solid2})) return false;
      rows = 0;
    }
    joint = of;
    ++rows;
    limit.given = buffers.given.size() - 1;
  }
  for (PoseScratch::Buffers::FastCoupling& coupling : buffers.couplings) {
    if (!giveRows({})) return false;
    coupling.given = buffers.given.size() - 1;
    const MechanismJoint& joint = mechanism.joints[coupling.joint];
    for (Index t = joint.terms.first; t < joint.terms.first + joint.terms.count; ++t)
      for (const Index solid : {mechanism.joints[mechanism.terms[t].joint].solid1,
                                mechanism.joints[mechanism.terms[t].joint].solid2})
        if (!buffers.given.back().add(mechanism, solid)) return false;
  }
  if (!buffers.fast.suits(mechanism, control, buffers.pins, buffers.given)) return false;
  for (std::size_t w = 0; w < wants.size(); ++w) {
    const auto& [place, yields] = buffers.fastWants[w];
    if (wants[w].kind == Want::Kind::Point)
      buffers.fast.aim(place, wants[w].target, yields);
    else
      buffers.fast.aimGiven(place, yields);
  }
  return true;
}

bool rememberPushes(bool anew, PoseScratch::Buffers& buffers) {
  bool released = false;
  if (anew) buffers.bounds.forget();
  for (const PoseScratch::Buffers::FastLimit& limit : buffers.limits)
    if (limit.row >= 0 &&
        !buffers.bounds.see(limit.pushed, buffers.fast.pushOf(limit.given, limit.row)))
      released = true;
  return released;
}

FastErrors gatherFast(const Mechanism& mechanism, const std::vector<Want>& wants,
                      const State& state, double give, PoseScratch::Buffers& buffers) {
  packed::PoseErrors found = buffers.fast.gather(state);
  const Judge judge(mechanism, found);
  addCouplings(mechanism, state, buffers, judge);
  addLimits(mechanism, state, buffers, judge);
  FastErrors errors;
  errors.pull = found.want;
  addTurns(mechanism, wants, state, buffers, judge, found, errors.pull);
  errors.metres = found.metres;
  errors.radians = found.radians;
  errors.max = std::max(found.metres, found.radians);
  errors.rms = found.rows > 0 ? std::sqrt(found.squares / static_cast<double>(found.rows)) : 0;
  errors.energy = std::sqrt(found.energy);
  errors.want = found.want;
  errors.finite = std::isfinite(found.squares) && std::isfinite(found.wanted);
  errors.wanted = give * found.wanted;
  errors.near = found.near;
  return errors;
}

bool isIsolated(const Mechanism& mechanism, const Mechanism::Island& island) {
  const auto isFree = [&](Index solid) {
    return solid != kWorld && mechanism.solids[solid].kind == SolidKind::Dynamic;
  };
  for (Index j = island.joints.first; j < island.joints.first + island.joints.count; ++j) {
    const MechanismJoint& joint = mechanism.joints[mechanism.islandJoints[j]];
    if (joint.terms.count == 0 && !(isFree(joint.solid1) && isFree(joint.solid2))) return false;
    for (Index p = joint.points.first; p < joint.points.first + joint.points.count; ++p)
      if (!isFree(mechanism.points[p].solid)) return false;
  }
  return true;
}

void keepCentres(const Mechanism& mechanism, const std::vector<Want>& wants,
                 std::vector<RowSystem::Six>& displacement) {
  std::vector<bool> pulled(wants.empty() ? 0 : mechanism.solids.size(), false);
  for (const Want& want : wants) pulled[want.solid] = true;
  for (const Mechanism::Island& island : mechanism.islands) {
    bool isolated = isIsolated(mechanism, island);
    Vec3 moment;
    double mass = 0;
    for (Index i = island.solids.first; isolated && i < island.solids.first + island.solids.count;
         ++i) {
      const Index s = mechanism.islandSolids[i];
      isolated = pulled.empty() || !pulled[s];
      moment += mechanism.solids[s].mass *
                Vec3{displacement[s][0], displacement[s][1], displacement[s][2]};
      mass += mechanism.solids[s].mass;
    }
    if (!isolated) continue;
    for (Index i = island.solids.first; i < island.solids.first + island.solids.count; ++i)
      for (std::size_t k = 0; k < 3; ++k)
        displacement[mechanism.islandSolids[i]][k] -= moment[static_cast<int>(k)] / mass;
  }
}

double longestOf(const std::vector<RowSystem::Six>& displacement) {
  double longest = 0;
  for (const RowSystem::Six& d : displacement)
    longest = std::max({longest, norm(Vec3{d[0], d[1], d[2]}), norm(Vec3{d[3], d[4], d[5]})});
  return longest;
}

double applyDisplacement(const Mechanism& mechanism,
                         const std::vector<RowSystem::Six>& displacement, double truncation,
                         State& state) {
  double longest = 0;
  for (std::size_t s = 0; s < displacement.size(); ++s) {
    if (mechanism.solids[s].kind != SolidKind::Dynamic) continue;
    const RowSystem::Six& d = displacement[s];
    const Vec3 shift{d[0], d[1], d[2]};
    Vec3 turn{d[3], d[4], d[5]};
    const double angle = norm(turn);
    longest = std::max({longest, norm(shift), angle});
    if (angle > truncation) turn = (truncation / angle) * turn;
    state.position[s] += shift;
    if (angle > 0) state.orientation[s] = normalized(exponential(turn) * state.orientation[s]);
  }
  return longest;
}

// ----------------------------------------------------------------------------------------- budget

PoseBudget::PoseBudget(const PoseSettings& settings) : settings_(settings), start_(Clock::now()) {}

double PoseBudget::microseconds() const {
  return std::chrono::duration<double, std::micro>(Clock::now() - start_).count();
}

bool PoseBudget::over() const { return stopped_ || late_ || iterations_ >= settings_.iterations; }

void PoseBudget::begin(double error, PoseReport& report) {
  best_ = error;
  lastSpent_ = microseconds();
  late_ = lastSpent_ > 1000 * settings_.milliseconds;
  if (settings_.trace) report.trace.push_back({0, microseconds(), error, error});
}

bool PoseBudget::endsLate(double now) const {
  return now + (1 + reserve_) * expected_ > 1000 * settings_.milliseconds;
}

void PoseBudget::expectDearer() {
  constexpr double kDearer = 8;  // rows, than blocks of the packed kernel
  expected_ *= kDearer;
  late_ = late_ || endsLate(lastSpent_);
}

void PoseBudget::spend(double error, const State& state, PoseReport& report) {
  const double now = microseconds();
  // The next iteration may last as long as the longest of late: some order their rows anew.
  constexpr double kForgets = 0.8;
  expected_ = std::max(now - lastSpent_, kForgets * expected_);
  lastSpent_ = now;
  ++iterations_;
  ++report.iterations;
  late_ = endsLate(now);
  if (error < best_) best_ = error;
  if (settings_.trace) report.trace.push_back({iterations_, now, error, best_});
  if (settings_.watch) settings_.watch(iterations_, error, state);
  if (settings_.progress && now - lastProgress_ > 50000) {
    lastProgress_ = now;
    if (!settings_.progress(iterations_, best_)) stopped_ = true;
  }
}

// ---------------------------------------------------------------------------------------- scratch

PoseScratch::PoseScratch() noexcept = default;
PoseScratch::~PoseScratch() { delete buffers_; }
PoseScratch::PoseScratch(PoseScratch&& other) noexcept
    : buffers_(std::exchange(other.buffers_, nullptr)) {}
PoseScratch& PoseScratch::operator=(PoseScratch&& other) noexcept {
  std::swap(buffers_, other.buffers_);
  return *this;
}
PoseScratch::Buffers& PoseScratch::buffers() {
  if (buffers_ == nullptr) buffers_ = new Buffers;
  return *buffers_;
}

}  // namespace tenon
