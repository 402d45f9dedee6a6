#include "cases/variations.h"

#include <utility>

namespace tenon::bench {

struct Variation {
  std::string_view name;
  // In each joint of each person of S5. `s` is the inertia that the joint carries [kg m²].
  std::string_view inEachJoint = {};
  // For each person i of S5: whatever may stand in a repetition.
  std::string_view forEachPerson = {};
  std::string_view once = {};  // at the end of the text
  std::string_view from = {},
                   to = {};  // in the text: the first becomes the second, wherever it stands
  bool alone = false;        // nothing but `once`: the scene itself goes
};

namespace {

// The joints of S5, and about how much each turns: the inertia of what hangs on it, about it [kg m²].
struct Carried {
  std::string_view joint, inertia;
};
constexpr Carried kCarried[] = {
    {"hook-(i)", "24"},
    {"person-(i).waist", "12"},
    {"person-(i).chest", "8"},
    {"person-(i).neck", "0.2"},
    {"person-(i).left.shoulder", "0.6"},
    {"person-(i).left.elbow", "0.1"},
    {"person-(i).left.wrist", "0.002"},
    {"person-(i).left.hip", "3.6"},
    {"person-(i).left.knee", "0.6"},
    {"person-(i).left.ankle", "0.02"},
    {"person-(i).right.shoulder", "0.6"},
    {"person-(i).right.elbow", "0.1"},
    {"person-(i).right.wrist", "0.002"},
    {"person-(i).right.hip", "3.6"},
    {"person-(i).right.knee", "0.6"},
    {"person-(i).right.ankle", "0.02"},
};

constexpr std::string_view kSolids[] = {
    "pelvis",         "spine",           "torso",           "head",
    "left.upper-arm", "left.lower-arm",  "left.hand",       "left.upper-leg",
    "left.lower-leg", "left.foot",       "right.upper-arm", "right.lower-arm",
    "right.hand",     "right.upper-leg", "right.lower-leg", "right.foot",
};

// A sphere that swings on a spring.
constexpr std::string_view kSphere =
    "solid swinging\n  at 1 3 0;\n  velocity 0 0 1;\n  sphere 0.1;\nend\n"
    "spring bungee\n  object2 swinging;\n  point1 0 4 0;\n  stiffness 500;\n  damping 1;\n"
    "  rest 1.2;\nend\n";

// A hand that holds person 0 by its left hand, as a session's does: a point on a spring so stiff that the person would
// swing on it at 60 rad/s.
constexpr std::string_view kHand =
    "solid grip\n  immobile;\n  at 0.55 0 0.85;\nend\n"
    "joint ball grip-joint\n  object1 grip;\n  object2 person-0.left.hand;\n  point1 0 0 0;\n"
    "  point2 0 0 0;\n  compliance (1 / ((body + 2 * side) * 60^2));\nend\n";

constexpr Variation kVariations[] = {
    {"sphere", {}, {}, kSphere},
    {"sphere-alone", {}, {}, kSphere, {}, {}, true},
    {"hand", {}, {}, kHand},
    // A ball has rx, ry, rz and, derived from them, swing and twist.
    {"limits", "limit swing max 3.1; limit twist min -3.1 max 3.1;"},
    {"limits-reached", "limit swing max 0.3; limit twist min -0.3 max 0.3;"},
    {"limits-each",
     "limit rx min -3.1 max 3.1; limit ry min -3.1 max 3.1; limit rz min -3.1 max 3.1;"},
    {"limits-each-reached",
     "limit rx min -0.3 max 0.3; limit ry min -0.3 max 0.3; limit rz min -0.3 max 0.3;"},
    {"damper", "damper rx (4 * s); damper ry (4 * s); damper rz (4 * s);"},
    {"drive",
     "drive rx sine 0.3 1Hz stiffness (400 * s) damping (20 * s);"
     "drive ry 0 stiffness (400 * s) damping (20 * s);"
     "drive rz sine 0.3 1Hz stiffness (400 * s) damping (20 * s);"},
    {"spring",
     "spring rx stiffness (100 * s); spring ry stiffness (100 * s); spring rz stiffness (100 * "
     "s);"},
    {"damp", {}, {}, "damp 1;\n"},
    {"drag", {}, {}, "drag air\n  linear 2;\n  quadratic 0.5;\n  angular 0.05;\nend\n"},
    {"friction", "friction rx (3 * s); friction ry (3 * s); friction rz (3 * s);"},
    {"prefer",
     "prefer rx min -0.2 max 0.2 stiffness (400 * s) damping (20 * s);"
     "prefer ry min -0.2 max 0.2 stiffness (400 * s) damping (20 * s);"
     "prefer rz min -0.2 max 0.2 stiffness (400 * s) damping (20 * s);"},
    // Its pelvis goes up and down, and nothing else holds it.
    {"animated-root",
     {},
     "override person-(i).pelvis\n    animated;\n    key 0 0 0 0;\n    key 0.5 0 0.2 0;\n"
     "    key 1 0 0 0;\n  end\n  remove hook-(i);\n"},
    {"force", {}, "force"},
    {"torque", {}, "torque"},
    {"prescribed-neck",
     {},
     "override person-(i).neck\n    prescribe rx sine 0.3 1Hz;\n    prescribe ry 0;\n"
     "    prescribe rz sine 0.3 1Hz;\n  end\n"},
    {"prismatic", {}, {}, {}, "joint ball neck", "joint prismatic neck\n    axis 1 0 0;"},
    {"cylindrical", {}, {}, {}, "joint ball neck", "joint cylindrical neck\n    axis 1 0 0;"},
    // From hand to hand, which are 1.7 m apart as written: what is shorter is closed first. Arms that hang down have
    // their hands 0.4 m apart, so that the short rope stays taut.
    {"rope-slack",
     {},
     "joint rope rope-(i)\n    object1 person-(i).left.hand;\n    object2 person-(i).right.hand;\n"
     "    point1 0 0 0;\n    point2 0 0 0;\n    length 3;\n  end\n"},
    {"rope-taut",
     {},
     "joint rope rope-(i)\n    object1 person-(i).left.hand;\n    object2 person-(i).right.hand;\n"
     "    point1 0 0 0;\n    point2 0 0 0;\n    length 0.3;\n  end\n"},
    {"distance",
     {},
     "joint distance rod-(i)\n    object1 person-(i).left.hand;\n"
     "    object2 person-(i).right.hand;\n    point1 0 0 0;\n    point2 0 0 0;\n    length 1.2;\n"
     "  end\n"},
};

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// A push on each solid of each person: 2 N and 0.2 N m, across.
std::string pushes(std::string_view kind) {
  std::string text;
  for (const std::string_view solid : kSolids) {
    std::string name(solid);
    for (char& c : name)
      if (c == '.') c = '-';
    text += "  " + std::string(kind) + " push-(i)-" + name + "\n    object person-(i)." +
            std::string(solid) + ";\n    vector " + (kind == "force" ? "0 1 2" : "0.02 0 0.01") +
            ";\n  end\n";
  }
  return text;
}

}  // namespace

const Variation* findVariation(std::string_view name) {
  for (const Variation& variation : kVariations)
    if (variation.name == name) return &variation;
  return nullptr;
}

bool isAlone(const Variation& variation) { return variation.alone; }

std::string varied(const Variation& variation, std::string text) {
  if (variation.alone) return std::string(variation.once);
  if (!variation.from.empty()) text = replaced(std::move(text), variation.from, variation.to);
  if (!variation.inEachJoint.empty() || !variation.forEachPerson.empty()) {
    text += "\nrepeat i 0 (people - 1)\n";
    if (!variation.inEachJoint.empty())
      for (const Carried& carried : kCarried)
        text += "  override " + std::string(carried.joint) + "\n    " +
                replaced(std::string(variation.inEachJoint), "* s)",
                         "* " + std::string(carried.inertia) + ")") +
                "\n  end\n";
    const std::string_view each = variation.forEachPerson;
    text += each == "force" || each == "torque" ? pushes(each) : "  " + std::string(each);
    text += "end\n";
  }
  return text + "\n" + std::string(variation.once);
}

}  // namespace tenon::bench
