// The joints of Tenon. Language, tests, docs and inspector pick them up from this one list.
#include <tenon/ids.h>
#include <tenon/joint.h>
#include <tenon/scene.h>

#include <algorithm>
#include <iterator>
#include <string>

// A new joint is a file that defines `JointKind name()`, and its line here.
// clang-format off
#define TENON_JOINTS(JOINT) \
  JOINT(ball)               \
  JOINT(pin)                \
  JOINT(cylindrical)        \
  JOINT(prismatic)          \
  JOINT(pointOnLine)        \
  JOINT(pointOnPlane)       \
  JOINT(planar)             \
  JOINT(hooke)              \
  JOINT(weld)               \
  JOINT(parallel)           \
  JOINT(screw)              \
  JOINT(gear)               \
  JOINT(rolling)            \
  JOINT(distance)           \
  JOINT(rope)               \
  JOINT(segment)            \
  JOINT(ring)               \
  JOINT(curve)              \
  JOINT(surface)            \
  JOINT(inSphere)           \
  JOINT(angle)              \
  JOINT(twist)              \
  JOINT(fold)               \
  /* end of the list */

// clang-format on

namespace tenon {

namespace joints {
#define DECLARE(name) JointKind name();
TENON_JOINTS(DECLARE)
#undef DECLARE
}  // namespace joints

std::span<const JointKind> jointCatalogue() {
#define LIST(name) joints::name(),
  static const JointKind catalogue[] = {TENON_JOINTS(LIST)};
#undef LIST
  return catalogue;
}

const JointKind* findJointKind(std::string_view name) {
  for (const JointKind& kind : jointCatalogue())
    if (kind.name == name) return &kind;
  return nullptr;
}

std::vector<std::string> jointKindNames() {
  std::vector<std::string> names;
  for (const JointKind& kind : jointCatalogue()) names.emplace_back(kind.name);
  return names;
}

namespace {

// The parts of a text between separators.
std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + separator.size(), text.size()));
  }
  return parts;
}

// As kinds are written: Ball_Socket and `ball socket` are ball-socket.
std::string asKind(std::string_view word) {
  std::string kind(word);
  for (char& c : kind) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '_' || c == ' ') c = '-';
  }
  return kind;
}

// A solid that nothing holds is one without a joint.
constexpr std::string_view kNoJoint[] = {"floating",  "free",    "freejoint",     "free-joint",
                                         "freeflyer", "six-dof", "unconstrained", "none"};

}  // namespace

std::vector<std::string> namesElsewhere(const JointKind& kind) {
  return split(kind.elsewhere, " ");
}

std::string suggestJointKind(std::string_view word) {
  const std::string sought = asKind(word);
  if (std::find(std::begin(kNoJoint), std::end(kNoJoint), sought) != std::end(kNoJoint))
    return "leave the joint out: a solid moves freely if no joint holds it";
  // Own names first: of words that are equally near, they win.
  std::vector<std::string> words = jointKindNames(), kinds = words;
  for (const JointKind& kind : jointCatalogue())
    for (const std::string& name : namesElsewhere(kind)) {
      words.push_back(name);
      kinds.emplace_back(kind.name);
    }
  // "Faure: universal; Gascuel: point to point": an author's word, where no other tool has it.
  const std::size_t tools = words.size();
  std::vector<std::string> authors(tools);
  for (const JointKind& kind : jointCatalogue())
    for (const std::string& entry : split(kind.papers, "; ")) {
      const std::vector<std::string> said = split(entry, ": ");
      if (said.size() != 2) continue;
      words.push_back(asKind(said[1]));
      kinds.emplace_back(kind.name);
      authors.push_back(said[0]);
    }
  const auto at = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(words.begin(), words.end(), name) - words.begin());
  };
  std::size_t best = at(sought);
  if (best == words.size()) best = at(nearestWord(sought, words));
  if (best == words.size()) {
    std::string all = "there are";
    for (const std::string& name : jointKindNames()) all += " " + name;
    return all;
  }
  std::string text = "did you mean '" + kinds[best] + "'?";
  for (std::size_t i = tools; i < words.size(); ++i)
    if (words[i] == sought && kinds[i] != kinds[best])
      text += " (" + authors[i] + "'s " + std::string(word) + " is '" + kinds[i] + "')";
  return text;
}

OptionFault prepareOptions(const JointKind& kind, std::span<const JointOption> options,
                           std::vector<double>& data) {
  std::vector<double> given[kMaxOptions];
  for (const JointOption& option : options)
    for (int o = 0; o < kind.optionCount; ++o)
      if (kind.options[o].name == option.name) {
        given[o] = option.values;
        if (kind.options[o].count == 0) given[o] = {1};
      }
  if (kind.prepare) return kind.prepare({given, static_cast<std::size_t>(kind.optionCount)}, data);
  for (int o = 0; o < kind.optionCount; ++o)
    for (int i = 0; i < kind.options[o].count; ++i)
      data.push_back(given[o].empty() ? kind.options[o].fallback
                                      : given[o][static_cast<std::size_t>(i)]);
  return {};
}

std::vector<JointExample> examplesOf(const JointKind& kind) {
  if (kind.examples) return kind.examples();
  std::vector<JointExample> made(1);
  for (int o = 0; o < kind.optionCount; ++o) {
    JointOption& option = made[0].options.emplace_back();
    option.name = std::string(kind.options[o].name);
    for (int i = 0; i < kind.options[o].count; ++i) option.values.push_back(0.37 + 0.11 * o);
  }
  return made;
}

int findCoupledCoordinate(const JointKind& kind, std::string_view name) {
  if (!name.empty()) return findCoordinate(kind, name);
  for (int c = 0; c < kind.freeCount; ++c)
    if (kind.coordinates[c].angular) return c;
  return kind.coordinateCount > 0 ? 0 : -1;
}

int findCoordinate(const JointKind& kind, std::string_view name) {
  for (int c = 0; c < kind.coordinateCount; ++c)
    if (kind.coordinates[c].name == name) return c;
  return -1;
}

std::optional<CoordinateId> findCoordinate(const Mechanism& mechanism, JointId joint,
                                           std::string_view name) {
  const int found = findCoordinate(*mechanism.joints[index(joint)].kind, name);
  if (found < 0) return std::nullopt;
  return CoordinateId{static_cast<std::uint32_t>(found)};
}

}  // namespace tenon
