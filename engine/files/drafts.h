// Things as they were written: in the coordinates of their figure, referring to others by the words
// of the text. `finish` turns them into the things of a Scene.
#pragma once

#include "files/syntax.h"

#include <tenon/joint.h>
#include <tenon/scene.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tenon::files {

// The name of a thing, as written, with the scope that it was written in.
struct Reference {
  std::string name;
  Place place;
  std::uint32_t scope = 0;
  [[nodiscard]] bool given() const { return !name.empty(); }
};

struct Draft {
  std::uint32_t entry = 0;  // in the table of names
  std::uint32_t scope = 0;  // figure that it belongs to
  Place place;              // of its block
};

struct SolidDraft : Draft {
  Solid solid;
  Reference material;
  Place keyPlace, kindPlace;
  Place atPlace, turnPlace;  // what gave its pose; nowhere: nothing
};

struct MaterialDraft : Draft {
  Material material;
};

struct JointSide {
  Reference object;
  std::optional<Vec3> point, axis, normal;
  std::optional<Quat> orientation;
  Place axisPlace;  // what gave the orientation

  [[nodiscard]] bool oriented() const { return axis || normal || orientation; }
};

struct CoupleDraft {
  Reference joint;
  CoupledCoordinate term;
};

struct JointDraft : Draft {
  Joint joint;
  const JointKind* kind = nullptr;
  std::array<JointSide, 2> sides;
  std::array<JointSide, 2> more;  // third and fourth: object and point only
  std::vector<CoupleDraft> couples;
  std::optional<CoupleDraft> carrier;
  std::optional<Vec3> at, axis, normal;
  Place axisPlace;
};

struct ConstraintDraft : Draft {
  struct Range {
    std::optional<double> min, max;
    Place place;
  };
  struct Directed : Range {  // axial, planar
    Vec3 direction;
  };
  struct Turned : Range {  // angle, twist
    Vec3 direction1, direction2;
  };
  std::array<Reference, 2> objects;
  std::optional<std::pair<Vec3, Vec3>> hinge;
  std::optional<Directed> axial, planar;
  std::optional<Turned> angle, twist;
  double compliance = 0, weight = 1;
  std::optional<double> damp, alpha, mobility;
  bool frozen = false, merged = false;
  std::vector<Interval> active;
};

template <class T>
struct LoadDraft : Draft {
  T thing;
  Reference object1, object2;  // the only object is object1; a muscle's is a joint
};

struct FloorDraft : Draft {
  Floor floor;
};

struct PoseDraft : Draft {
  KeyPose pose;
  std::vector<Reference> solids, joints;
  std::vector<Dimension> dimensions;  // of the coordinates' values
};

struct EventDraft {
  Event event;
  std::vector<Reference> things;
  Dimension dimension = Dimension::None;  // of a drive's value
};

struct PlaceDraft {
  struct Setting {
    std::string name;
    double value = 0;
    Place place;
  };
  Vec3 at;
  Quat turn;
  double scale = 1;
  std::optional<Vec3> mirror;
  std::vector<Setting> settings;
};

// Statements of the top level that need no more than the scene.
struct SceneDraft {
  Scene* scene = nullptr;
  std::vector<EventDraft> events;
  Reference start;
};

}  // namespace tenon::files
