// The commands of a session: what each is given, and what it answers.
//
// A command is a struct here and its line in the list at the end; and in engine/session a function that carries it out,
// with its entry of the catalogue beside it (session/command_kind.h). The parser of requests, docs/session.md and the
// page's types follow from that. docs/session.md says what the fields mean, and the units of those that have one stand
// here too. A field that is optional may be missing, and so may one that has a value here, unless the catalogue needs it.
#pragma once

#include <tenon/language.h>
#include <tenon/math.h>
#include <tenon/posing.h>
#include <tenon/solver.h>
#include <tenon/step.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

// All that a session would have to know to go on where it was, but for hands and what can be undone.
class Save {
 public:
  struct Content;

  [[nodiscard]] static Result<Save> read(std::string_view json);
  [[nodiscard]] std::string json() const;

  std::shared_ptr<const Content> content;
};

namespace commands {

// ---- Answers of several commands.
struct Done {};
struct Read {
  std::vector<Problem> problems;  // warnings
};
struct Edited {
  std::vector<TextEdit> edits;
  std::vector<Problem> problems;  // warnings
};
struct Held {
  std::size_t solids = 0, joints = 0;  // that are left to compute
};
struct Reached {
  bool reached = false;
  double error = 0;  // [m] or [rad]
  int iterations = 0, strides = 0;
};
struct Posed {
  std::string status;
  double startError = 0, maxError = 0, wantError = 0;  // [m] or [rad]
  int iterations = 0, restarts = 0;
  double milliseconds = 0;
  std::string reason;
};
struct Travelled {
  std::string label;
};

// ---- The text.
struct File {
  std::string name, text;
};
struct Open {
  using Answer = Read;
  std::string text, name;
  std::vector<File> files;  // that the text includes
  std::optional<int> version;
};
struct Restore {
  using Answer = Read;
  Save save;
  std::optional<int> version;
};
struct Edit {
  using Answer = Read;
  std::string text;
};
struct Set {
  using Answer = Edited;
  std::string path, property, values;
};
struct Unset {
  using Answer = Edited;
  std::string path, property;
};
struct Add {
  using Answer = Edited;
  std::string block;
};
struct Remove {
  using Answer = Edited;
  std::vector<std::string> paths;
};
struct Rename {
  using Answer = Edited;
  std::string path, to;
};
struct Keep {
  struct Answer {
    std::vector<TextEdit> edits;  // one, or none
    bool moving = false;
    std::size_t pins = 0, frozen = 0, merged = 0, limits = 0, forces = 0;
    std::vector<Problem> problems;
  };
};

// ---- Hands, and what is held.
struct Grab {
  using Answer = Done;
  int id = 0;
  std::string solid;
  Vec3 point;                  // [m] solid's frame
  std::optional<Vec3> target;  // [m] world
  std::optional<Quat> orientation;
  bool dynamic = false;
};
struct Move {
  using Answer = Done;
  int id = 0;
  Vec3 target;  // [m] world
  std::optional<Quat> orientation;
};
struct Release {
  using Answer = Done;
  int id = 0;
};
struct Pin {
  struct Answer {
    std::size_t pin = 0;  // its number
  };
  std::string solid;
  std::optional<Vec3> point;   // [m] solid's frame
  std::optional<Vec3> target;  // [m] world
};
struct Unpin {
  using Answer = Done;
  std::optional<int> pin;  // its number
  std::optional<std::string> solid;
};
struct Freeze {
  using Answer = Held;
  std::vector<std::string> joints;
};
struct Unfreeze {
  using Answer = Held;
  std::optional<std::vector<std::string>> joints;
};
struct FreezeBut {
  using Answer = Held;
  std::vector<std::string> joints;
};
struct Merge {
  using Answer = Held;
  std::vector<std::string> joints;
};
struct Unmerge {
  using Answer = Held;
  std::optional<std::vector<std::string>> joints;
};
struct Limit {
  using Answer = Done;
  std::string joint, coordinate;
  std::optional<double> lower, upper;  // [m] or [rad]
};
struct Force {
  using Answer = Done;
  int id = 0;
  std::string solid;
  Vec3 point;  // [m] solid's frame
  Vec3 force;  // [N] world
};

// ---- How it moves.
struct Gravity {
  using Answer = Done;
  Vec3 value;  // [m/s²]
};
struct Damp {
  using Answer = Done;
  double value = 0;
};
struct Stop {
  using Answer = Done;
};
// Settings by their names (tenon/setting_list.h): a number (of a switch 0 or 1), or the word of a choice.
struct Chosen {
  std::string name;
  double number = 0;
  std::string word;
};
struct MotionSettings {  // and those of pulling
  std::vector<Chosen> all;
};
struct AssemblySettings {  // but for those that Assemble has itself
  std::vector<Chosen> all;
};
struct Settings {
  using Answer = Done;
  MotionSettings given;  // `budget` in ms; what is not given stays as it is
};
struct Step {
  struct Answer {
    double time = 0;  // [s]
    int steps = 0;
    bool finite = true, stuck = false;
    bool capped = false;  // Relaxation used up its iterations and was to stop there
    bool stopped = false, converged = true;
    int unexplained = 0;
    bool assembled = false;
    int halvings = 0, iterations = 0;
    bool fast = true;
    double milliseconds = 0;
    std::vector<Problem> problems;  // warnings
  };
  int count = 1;
  std::optional<double> dt;  // [s]
  std::optional<double> milliseconds;
};

// ---- Poses.
struct Coordinate {
  using Answer = Reached;
  std::string joint, coordinate;
  double value = 0;  // [m] or [rad]
};
struct Coordinates {
  using Answer = Reached;
  std::vector<Coordinate> values;
};
struct Pose {
  using Answer = Posed;
  std::optional<double> milliseconds;
  std::optional<int> iterations;
};
struct Yield {
  std::string joint;
  double weight = 1;  // [N/m] or [N m/rad]
};
struct Yielded {
  std::string joint, coordinate;   // the latter of a range
  double metres = 0, radians = 0;  // lengths of what is left of its rows
  double weight = 0;
};
struct Frame {
  int iteration = 0;
  double error = 0;          // [m] or [rad]
  std::vector<float> poses;  // seven numbers a solid, as Session::poses
};
struct Assemble {
  struct Answer {
    Posed posed;
    std::vector<Yielded> yielded;
    std::vector<Frame> frames;
  };
  AssemblySettings given;
  std::optional<int> iterations;
  std::optional<double> milliseconds;
  std::optional<bool> trace;  // none: false
  std::vector<Yield> yield;
};
struct Scatter {
  using Answer = Done;
  int seed = 1;
};
struct Reset {
  using Answer = Done;
};

// ---- Back, and again.
struct Undo {
  using Answer = Travelled;
};
struct Redo {
  using Answer = Travelled;
};
struct Follow {
  struct Answer {
    std::size_t commands = 0;
    int steps = 0;
    bool finite = true, converged = true;
    int unexplained = 0;
    std::vector<Problem> problems;  // warnings
  };
  std::string trail;
};

}  // namespace commands

// All of them, in the order in which the documents list them.
#define TENON_COMMANDS(X)                                                                          \
  X(Open)                                                                                          \
  X(Edit)                                                                                          \
  X(Set)                                                                                           \
  X(Unset)                                                                                         \
  X(Add) X(Remove) X(Rename) X(Keep) X(Grab) X(Move) X(Release) X(Pin) X(Unpin) X(Freeze)          \
      X(Unfreeze) X(FreezeBut) X(Merge) X(Unmerge) X(Limit) X(Force) X(Gravity) X(Damp) X(Stop)    \
          X(Settings) X(Step) X(Coordinate) X(Coordinates) X(Pose) X(Assemble) X(Scatter) X(Reset) \
              X(Restore) X(Undo) X(Redo) X(Follow)

}  // namespace tenon
