// Gascuel & Gascuel's relaxation: each constraint by itself asks its two solids for a small rotation and
// a small translation; what a solid is asked for is summed, with weights, and done; and so on.
//                                                               [Gascuel1994 §2.2 step 2, §2.3, §3, §4]
// A constraint is to bring a point P of solid 2 to the nearest permissible place P + d, which moves with
// solid 1. With levers r_k from the centres of mass to P:
//   rotations      Δθ_1 = -α J_1⁻¹ (r_1 × d),   Δθ_2 = α J_2⁻¹ (r_2 × d)                 [eqs 14, 18]
//   translations   Δx_1 = -μ_1 d',   Δx_2 = μ_2 d',   d' measured after the rotations    [eq. 19]
//   or             Δx_1 = -α d/m_1,  Δx_2 = α d/m_2,  d measured before them             [eq. 15]
//   α = m_1 m_2/(m_1 + m_2)  [eq. 17],   μ_1 = m_2/(m_1 + m_2),   μ_2 = 1 - μ_1
// Each times 1/max(n_1, n_2), n_k being how many constraints hold solid k.               [§3.2]
// Linear momentum is kept by both schemes. Eqs 14, 15 are one force on the line from P to P + d and its
// opposite: they keep the angular momentum too. Eqs 18, 19 do not: d' ≠ d by as much as the rotations
// moved P, so that the couple of the translations is off by a term of the order of d.
//
// A user's parameters [§3.1.4]: an ability to move μ_1 acts like inverse masses of the ratio μ_1 : μ_2,
// an ability to rotate ρ_k takes the place of m_k J_k⁻¹. So all formulas below are written with
//   w_k = μ_k (1/m_1 + 1/m_2),   J_k⁻¹ = w_k (m_k J_k⁻¹),   α = s/(w_1 + w_2),   μ_k = w_k/(w_1 + w_2).
// Solids that are immobile or animated, and the world, are the limit of infinite mass; they also count
// no constraints, as nothing can pile up on them.
//
// Joints are seen through their rows only: rows that are a force through P make d, rows that are a couple
// make a relative rotation Ω, shared by the solids about its axis a as 1/(a·J_k a), which keeps the
// angular momentum about a (angle and twist constraints, pins, welds) [§4.2]. Any other row (a screw, a
// pulley) is a constraint by itself: it is closed by M⁻¹Jᵀ λ, λ = -s e/(J M⁻¹ Jᵀ).
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "math/rotation.h"
#include "posing/buffers.h"

namespace tenon {

namespace {

using Part = RelaxationBuffers::Part;
using Constraint = RelaxationBuffers::Constraint;
using LoneRow = RelaxationBuffers::LoneRow;

constexpr double kDiverged = 1e6;  // times the errors of the start

class Relaxation {
 public:
  Relaxation(const Mechanism& mechanism, const std::vector<Want>& wants,
             const PoseSettings& settings, State& state, PoseScratch::Buffers& buffers)
      : mechanism_(mechanism),
        wants_(wants),
        settings_(settings),
        state_(state),
        buffers_(buffers),
        constraints_(buffers.relaxation.constraints),
        loneRows_(buffers.relaxation.loneRows),
        rotation_(buffers.relaxation.rotation),
        translation_(buffers.relaxation.translation),
        held_(buffers.relaxation.held) {
    rotation_.assign(mechanism.solids.size(), Vec3{});
    translation_.assign(mechanism.solids.size(), Vec3{});
    held_.assign(mechanism.solids.size(), 0);
    for (const Want& want : wants)
      if (!want.need) heaviest_ = std::max(heaviest_, want.weight);
  }

  // How strongly wants pull, beside needs: 0 … 1.
  void setWanting(double strength) { wanting_ = strength; }

  // The largest error of a want, in metres or radians × 1 m.
  [[nodiscard]] double wantError() const {
    double largest = 0;
    for (const Row& row : buffers_.rows.rows)
      if (isWant(row)) largest = std::max(largest, std::abs(row.error));
    return largest;
  }

  // Rotates the solids, as the rows at hand ask; notes translations that go by the same rows.
  void applyRotations() {
    collect();
    std::fill(rotation_.begin(), rotation_.end(), Vec3{});
    std::fill(translation_.begin(), translation_.end(), Vec3{});
    for (const Constraint& c : constraints_) {
      addRotations(c);
      if (!settings_.relaxation.exactTranslation) addTranslations(c, c.speed);
    }
    for (const LoneRow& lone : loneRows_) addLoneRow(lone);
    for (std::size_t s = 0; s < rotation_.size(); ++s) {
      const double angle = norm(rotation_[s]);
      if (!(angle > 0)) continue;
      if (angle > settings_.truncation) rotation_[s] *= settings_.truncation / angle;
      state_.orientation[s] = normalized(exponential(rotation_[s]) * state_.orientation[s]);
    }
  }

  // The second half, with the rows after the rotations if translations are to be exact.
  void applyTranslations() {
    if (settings_.relaxation.exactTranslation) {
      collect();
      for (const Constraint& c : constraints_) addTranslations(c, 1);
    }
    for (std::size_t s = 0; s < translation_.size(); ++s) state_.position[s] += translation_[s];
  }

  // The longest motion of the last iteration, in metres or radians × 1 m.
  [[nodiscard]] double longestMotion() const {
    double longest = 0;
    for (std::size_t s = 0; s < rotation_.size(); ++s)
      longest = std::max({longest, norm(rotation_[s]), norm(translation_[s])});
    return longest;
  }

 private:
  [[nodiscard]] bool takesPart(std::size_t r) const {
    const Row& row = buffers_.rows.rows[r];
    if (!buffers_.used[r] || row.velocity) return false;
    if (isOneSided(row) && !comesToHold(row.error)) return false;
    return !isWant(row) || wanting_ > 0;
  }

  // ----------------------------------------------------------------------- from rows to constraints

  void collect() {
    constraints_.clear();
    loneRows_.clear();
    std::fill(held_.begin(), held_.end(), 0);
    const std::vector<Row>& rows = buffers_.rows.rows;
    for (std::size_t r = 0; r < rows.size();) {
      std::size_t end = r + 1;
      while (end < rows.size() && rows[end].asker == rows[r].asker) ++end;
      collectOne(r, end);
      r = end;
    }
  }

  // The rows [first, end) of one joint or want.
  void collectOne(std::size_t first, std::size_t end) {
    const Index index = static_cast<Index>(constraints_.size());
    bool begun = false, whole = false;
    for (std::size_t r = first; r < end; ++r) {
      if (!takesPart(r)) continue;
      if (!begun) constraints_.push_back(constraintOf(buffers_.rows.rows[r]));
      begun = true;
      if (addTo(constraints_.back(), buffers_.rows.rows[r])) {
        whole = true;
      } else {
        loneRows_.push_back({r, index});
        const Row& row = buffers_.rows.rows[r];
        for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b)
          ++held_[buffers_.rows.blocks[b].solid];
      }
    }
    if (!whole) return;
    for (const Part& part : constraints_.back().part)
      if (part.solid != kWorld) ++held_[part.solid];
  }

  [[nodiscard]] Constraint constraintOf(const Row& row) const {
    Constraint c;
    Part &one = c.part[0], &two = c.part[1];
    c.speed = settings_.relaxation.alphaScale;
    if (row.asker.kind == Asker::Kind::Want) {
      const Want& want = wants_[row.asker.number];
      two = {want.solid, mechanism_.solids[want.solid].inverseMass,
             rotate(state_.orientation[want.solid], want.point)};
      if (!want.need) c.strength = wanting_ * (heaviest_ > 0 ? want.weight / heaviest_ : 1);
      return c;
    }
    const MechanismJoint& joint = mechanism_.joints[row.asker.number];
    if (joint.kind->relates != Relates::Frames) return c;  // lone rows: they name their solids
    const Pose X_WC1 = poseOf(joint.solid1), X_WC2 = poseOf(joint.solid2);
    const Vec3 p_W1 = transform(X_WC1, joint.frame1.p), p_W2 = transform(X_WC2, joint.frame2.p);
    one = {joint.solid1, inverseMassOf(joint.solid1),
           rotate(X_WC1.q, joint.frame1.p) + (p_W2 - p_W1)};
    two = {joint.solid2, inverseMassOf(joint.solid2), rotate(X_WC2.q, joint.frame2.p)};
    const double sum = one.inverseMass + two.inverseMass;
    if (joint.alpha > 0) c.speed = joint.alpha * sum;
    if (joint.mobility >= 0 && one.inverseMass > 0 && two.inverseMass > 0) {
      one.inverseMass = joint.mobility * sum;
      two.inverseMass = (1 - joint.mobility) * sum;
    }
    return c;
  }

  // Takes a row in if it is a force through P or a couple; else false.
  bool addTo(Constraint& c, const Row& row) const {
    bool through = true, couple = true;
    Vec3 force, torque;  // on solid 2, of a unit multiplier
    double farthest = 0;
    for (const Part& part : c.part) farthest = std::max(farthest, norm(part.lever));
    for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b) {
      const RowBlock& block = buffers_.rows.blocks[b];
      const int k = block.solid == c.part[1].solid ? 1 : block.solid == c.part[0].solid ? 0 : -1;
      if (k < 0 || c.part[0].solid == c.part[1].solid) return false;
      const Vec3 F{block.J[0], block.J[1], block.J[2]}, T{block.J[3], block.J[4], block.J[5]};
      const double sign = k == 1 ? 1 : -1;
      force = sign * F;
      if (mechanism_.solids[block.solid].pointMass) continue;  // its torque is left out
      torque = sign * T;
      const double slip = norm(T - cross(c.part[k].lever, F));
      through = through && slip <= (1e-9 * farthest + 1e-12) * norm(F);
      couple = couple && !(norm(F) > 0);
    }
    if (norm(force) > 0 && through) {
      c.way.add(force, row.error);
    } else if (couple && norm(torque) > 0) {
      c.turn.add(torque, row.error);
    } else {
      return false;
    }
    return true;
  }

  // ------------------------------------------------------------------------------------ corrections

  // 1/max(n_1, n_2)                                                               [Gascuel1994 §3.2]
  [[nodiscard]] double weightOf(const Constraint& c) const {
    if (!settings_.relaxation.weighted) return c.strength;
    int most = 1;
    for (const Part& part : c.part) most = std::max(most, heldOf(part.solid));
    return c.strength / most;
  }

  // Rotations of eq. 14 or 18, then those of angle and twist.
  void addRotations(const Constraint& c) {
    const double sum = c.part[0].inverseMass + c.part[1].inverseMass;
    if (!(sum > 0)) return;
    const double weight = weightOf(c), alpha = c.speed / sum;
    const Vec3 d = c.way.value(), turn = c.turn.value();
    for (int k = 0; k < 2; ++k) {
      const Part& part = c.part[k];
      if (!(part.inverseMass > 0)) continue;
      const double sign = k == 1 ? weight : -weight;
      rotation_[part.solid] +=
          (sign * alpha) * inverseInertiaTimes(part.solid, part.inverseMass, cross(part.lever, d));
    }
    const double angle = norm(turn);
    if (!(angle > 0)) return;
    // J_1 Δθ_1 = -J_2 Δθ_2 about the axis of Ω, Δθ_2 - Δθ_1 = Ω.                  [Gascuel1994 §4.2]
    double share[2];
    for (int k = 0; k < 2; ++k) share[k] = turnability(c.part[k], turn / angle);
    const double shares = share[0] + share[1];
    if (!(shares > 0)) return;
    for (int k = 0; k < 2; ++k)
      if (share[k] > 0)
        rotation_[c.part[k].solid] += ((k == 1 ? weight : -weight) * share[k] / shares) * turn;
  }

  // Δx = ± s μ d                                                            [Gascuel1994 eq. 15, 19]
  void addTranslations(const Constraint& c, double speed) {
    const double sum = c.part[0].inverseMass + c.part[1].inverseMass;
    if (!(sum > 0)) return;
    const Vec3 asked = (weightOf(c) * speed / sum) * c.way.value();
    for (int k = 0; k < 2; ++k)
      if (c.part[k].inverseMass > 0)
        translation_[c.part[k].solid] += ((k == 1 ? 1 : -1) * c.part[k].inverseMass) * asked;
  }

  // δ = M⁻¹Jᵀ λ,  λ = -s e/(J M⁻¹ Jᵀ)
  void addLoneRow(const LoneRow& lone) {
    const Row& row = buffers_.rows.rows[lone.row];
    const Constraint& c = constraints_[lone.constraint];
    const auto forEachBlock = [&](const auto& f) {
      for (Index b = row.firstBlock; b < row.firstBlock + row.blockCount; ++b) {
        const RowBlock& block = buffers_.rows.blocks[b];
        double w = inverseMassOf(block.solid);
        if (!(w > 0)) continue;
        for (const Part& part : c.part)
          if (part.solid == block.solid) w = part.inverseMass;
        const Vec3 F{block.J[0], block.J[1], block.J[2]}, T{block.J[3], block.J[4], block.J[5]};
        f(block.solid, F, T, w * F, inverseInertiaTimes(block.solid, w, T));
      }
    };
    double mobility = 0;
    int most = 1;
    forEachBlock([&](Index solid, const Vec3& F, const Vec3& T, const Vec3& MF, const Vec3& JT) {
      mobility += dot(F, MF) + dot(T, JT);
      most = std::max(most, heldOf(solid));
    });
    if (!(mobility > 0)) return;
    const double weight = settings_.relaxation.weighted ? c.strength / most : c.strength;
    const double lambda = -weight * c.speed * row.error / mobility;
    forEachBlock([&](Index solid, const Vec3&, const Vec3&, const Vec3& MF, const Vec3& JT) {
      translation_[solid] += lambda * MF;
      rotation_[solid] += lambda * JT;
    });
  }

  // ----------------------------------------------------------------------------------------- solids

  [[nodiscard]] Pose poseOf(Index solid) const {
    return solid == kWorld ? Pose{} : Pose{state_.position[solid], state_.orientation[solid]};
  }
  [[nodiscard]] double inverseMassOf(Index solid) const {
    return solid == kWorld ? 0 : mechanism_.solids[solid].inverseMass;
  }
  [[nodiscard]] int heldOf(Index solid) const {
    return inverseMassOf(solid) > 0 ? held_[solid] : 0;
  }

  // w (m J⁻¹) v, or w ρ v.                                                       [Gascuel1994 §3.1.4]
  [[nodiscard]] Vec3 inverseInertiaTimes(Index index, double w, const Vec3& v) const {
    const MechanismSolid& solid = mechanism_.solids[index];
    if (solid.pointMass) return {};
    if (solid.rotatability > 0) return (w * solid.rotatability) * v;
    const Quat& q = state_.orientation[index];
    return (w * solid.mass) * rotate(q, solid.inverseInertia * rotate(conjugate(q), v));
  }

  // w m/(a·J a), or w ρ: how easily a solid turns about the unit vector a.
  [[nodiscard]] double turnability(const Part& part, const Vec3& axis) const {
    if (!(part.inverseMass > 0)) return 0;
    const MechanismSolid& solid = mechanism_.solids[part.solid];
    if (solid.pointMass) return 0;
    if (solid.rotatability > 0) return part.inverseMass * solid.rotatability;
    const Vec3 a = rotate(conjugate(state_.orientation[part.solid]), axis);
    return part.inverseMass * solid.mass / dot(a, solid.inertia * a);
  }

  const Mechanism& mechanism_;
  const std::vector<Want>& wants_;
  const PoseSettings& settings_;
  State& state_;
  const PoseScratch::Buffers& buffers_;
  std::vector<Constraint>& constraints_;
  std::vector<LoneRow>& loneRows_;
  std::vector<Vec3>&rotation_, &translation_;
  std::vector<int>& held_;
  double wanting_ = 1, heaviest_ = 0;
};

}  // namespace

// The paper knows needs only. Wants pull beside them with a strength that fades from one to zero during
// the first half of the budget; the second half closes the needs.
void assembleByRelaxation(const Mechanism& mechanism, const Control& control,
                          const std::vector<Want>& wants, const PoseSettings& settings,
                          State& state, PoseScratch::Buffers& buffers, PoseBudget& budget,
                          PoseReport& report) {
  const auto gather = [&] { return gatherNeeds(mechanism, control, wants, state, buffers); };
  Relaxation relaxation(mechanism, wants, settings, state, buffers);
  NeedErrors errors = gather();
  const double far =
      kDiverged * std::max({errors.in(settings.norm), relaxation.wantError(), settings.tolerance});
  const auto closed = [&] {
    return errors.finite && errors.in(settings.norm) <= settings.tolerance;
  };
  const auto wantingNow = [&] {
    if (relaxation.wantError() <= settings.tolerance) return 0.0;
    double spent = 2.0 * report.iterations / std::max(settings.iterations, 1);
    if (std::isfinite(settings.milliseconds))
      spent = std::max(spent, 2 * budget.microseconds() / (1000 * settings.milliseconds));
    return std::max(1 - spent, 0.0);
  };

  State& best = buffers.best;
  best = state;
  double least = errors.max;
  bool wanting = false;
  WantsWatch watch;
  report.status = PoseStatus::Converged;
  for (;;) {
    const double strength = wantingNow();
    if (wanting && strength == 0) {  // only now are states to be compared by their needs
      best = state;
      least = errors.max;
    }
    wanting = strength > 0;
    if (closed() && !wanting) {
      if (relaxation.wantError() <= settings.tolerance || !watch.comesNearer()) return;
      report.status = PoseStatus::Budget;
      report.reason = kWantsCutShort;
      return;
    }
    if (budget.over()) {
      report.status = PoseStatus::Budget;
      break;
    }
    relaxation.setWanting(strength);
    relaxation.applyRotations();
    if (settings.relaxation.exactTranslation) gather();
    relaxation.applyTranslations();
    errors = gather();
    budget.spend(errors.max, state, report);
    if (wanting) watch.see(report.iterations, relaxation.wantError());
    if (!errors.finite || errors.in(settings.norm) > far) {
      report.status = PoseStatus::Stalled;
      report.reason = "diverges";
      break;
    }
    if (errors.max < least) {
      least = errors.max;
      best = state;
    }
    if (!wanting && !closed() && relaxation.longestMotion() <= 1e-6 * settings.tolerance) {
      report.status = PoseStatus::Stalled;
      report.reason = "the corrections cancel each other";
      break;
    }
  }
  if (!(errors.finite && errors.max <= least)) state = best;
}

}  // namespace tenon
