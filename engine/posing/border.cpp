// The calls of tenon/posing.h, from which no exception comes: where memory runs out, what was half made goes, and it is
// said. The only file of this room that needs code for exceptions (CMakeLists.txt). What a caller's own function throws
// (PoseSettings::progress, watch) goes through.
#include <new>
#include <stdexcept>

#include "posing/buffers.h"

namespace tenon {

namespace {

// Whether there was enough memory for it.
template <class F>
bool done(PoseScratch& scratch, F f) {
  try {
    f();
    return true;
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  scratch = PoseScratch();
  return false;
}

PoseReport pose(const Mechanism& mechanism, const Control& control, const std::vector<Want>& wants,
                const PoseSettings& settings, bool tracking, State& state, PoseScratch& scratch) {
  PoseReport report;
  if (done(scratch,
           [&] { posed(mechanism, control, wants, settings, tracking, state, scratch, report); }))
    return report;
  report.status = PoseStatus::Memory;
  report.fast = false;
  report.reason.clear();
  static_cast<void>(done(scratch, [&] {
    report.reason = "memory ran out: the pose is as it was";  // if there is enough for that
  }));
  return report;
}

}  // namespace

PoseReport assemble(const Mechanism& mechanism, const Control& control,
                    const std::vector<Want>& wants, const PoseSettings& settings, State& state,
                    PoseScratch& scratch) {
  return pose(mechanism, control, wants, settings, false, state, scratch);
}

PoseReport track(const Mechanism& mechanism, const Control& control, const std::vector<Want>& wants,
                 const PoseSettings& settings, State& state, PoseScratch& scratch) {
  return pose(mechanism, control, wants, settings, true, state, scratch);
}

double projectVelocities(const Mechanism& mechanism, const Control& control, State& state,
                         PoseScratch& scratch) {
  double left = kInfinity;
  static_cast<void>(done(scratch, [&] { left = projected(mechanism, control, state, scratch); }));
  return left;
}

Diagnosis diagnose(const Mechanism& mechanism, const Control& control,
                   const std::vector<Want>& wants, const State& state, const PoseSettings& settings,
                   PoseScratch& scratch) {
  Diagnosis diagnosis;
  if (done(scratch,
           [&] { diagnosed(mechanism, control, wants, state, settings, scratch, diagnosis); }))
    return diagnosis;
  diagnosis.outOfMemory = true;
  diagnosis.allConflicts = false;
  return diagnosis;
}

}  // namespace tenon
