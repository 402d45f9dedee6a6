// Everything between the text and the scene: the drafts of all things, the table of names, the
// figures that were placed. `expand` fills it from the trees, `finish` makes the scene of it.
#pragma once

#include "files/drafts.h"
#include "files/placement.h"
#include "files/report.h"
#include "files/schema.h"

#include <tenon/language.h>
#include <tenon/scene.h>

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tenon::files {

inline constexpr std::uint32_t kNone = 0xffffffffu;

// One name. All things of a scene share one table, so that a path means one thing.
struct Entry {
  std::string name;                   // full path
  BlockKind kind = BlockKind::Solid;  // Place: a placed figure
  std::uint32_t index = 0;            // into the drafts of its kind; of a placed figure: its scope
  std::uint32_t scope = 0;
  Place place;
  bool removed = false;
  bool shared = false;
  std::uint32_t firstJoint = 0, jointCount = 0;  // what a joint or constraint became in the scene
};

// A placed figure; the first is the world.
struct Scope {
  std::string prefix;  // "tom.left."
  std::uint32_t parent = kNone;
  std::uint32_t depth = 0;
  Placement placement;  // from its coordinates to the world's
  bool removed = false;
  std::uint32_t unnamed = 0;  // constraints without a name so far
};

struct Stage {
  explicit Stage(std::size_t problems) : report(files, problems) { scopes.emplace_back(); }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  std::vector<SourceFile> files;
  Report report;
  Scene scene;
  SceneDraft top;
  bool broken = false;  // syntax errors: missing names may be their fault, and are not reported

  std::deque<Entry> entries;
  std::unordered_map<std::string_view, std::uint32_t> names;  // views of the entries' names
  std::vector<Scope> scopes;

  std::deque<SolidDraft> solids;
  std::deque<MaterialDraft> materials;
  std::deque<JointDraft> joints;
  std::deque<ConstraintDraft> constraints;
  std::vector<std::uint32_t> jointOrder;  // entries of joints and constraints, as declared
  std::deque<LoadDraft<Force>> forces;
  std::deque<LoadDraft<Torque>> torques;
  std::deque<LoadDraft<Muscle>> muscles;
  std::deque<LoadDraft<Spring>> springs;
  std::deque<LoadDraft<Drag>> drags;
  std::deque<LoadDraft<Pin>> pins;
  std::deque<LoadDraft<Goal>> goals;
  std::deque<FloorDraft> floors;
  std::deque<PoseDraft> poses;

  // The entry that `name` means in a scope: the figure's own, else its surroundings'.
  [[nodiscard]] std::uint32_t resolve(std::string_view name, std::uint32_t scope) const;
  [[nodiscard]] bool isRemoved(const Entry& entry) const;
  // The innermost figure that holds both.
  [[nodiscard]] std::uint32_t commonScope(std::uint32_t a, std::uint32_t b) const;
  // "scene.tenon:12"
  [[nodiscard]] std::string lineOf(const Place& place) const;
  // Names that could have been meant in a scope, of things that `fits` likes. Guesses are not worth more time
  // than it takes to look at kGuessed names, of all problems of a scene together.
  template <class F>
  [[nodiscard]] std::vector<std::string> candidates(std::uint32_t scope, F fits) const {
    std::vector<std::string> names;
    const std::string& prefix = scopes[scope].prefix;
    for (const Entry& e : entries) {
      if (guessed_++ >= kGuessed) break;
      if (isRemoved(e) || !fits(e)) continue;
      if (!prefix.empty() && e.name.compare(0, prefix.size(), prefix) == 0)
        names.push_back(e.name.substr(prefix.size()));
      names.push_back(e.name);
    }
    return names;
  }

 private:
  static constexpr std::size_t kGuessed = 1'000'000;
  mutable std::size_t guessed_ = 0;
  mutable std::string key_;  // scratch of `resolve`
};

// Reads a scene's text and those that it includes into the stage.
void expand(Stage& stage, std::string text, const std::string& name, const ParseOptions& options);
// Resolves names, places figures, lowers constraints. What is wrong is in the stage's report.
[[nodiscard]] Scene finish(Stage& stage);

}  // namespace tenon::files
