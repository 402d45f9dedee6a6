// What a text declares: names, things, placed figures; and what it changes afterwards.
#include "files/expand.h"

#include "model/problem.h"

#include <algorithm>

namespace tenon::files {
namespace {

std::string describe(BlockKind kind) {
  return kind == BlockKind::Place ? "a placed figure" : "a " + std::string(blockWord(kind));
}

// The figure of that name, and the level that it was defined on.
const Variables::Figure* findFigure(std::string_view name, Variables* from, Variables*& level) {
  for (level = from; level != nullptr; level = level->outer())
    for (const Variables::Figure& f : level->figures)
      if (f.name == name) return &f;
  return nullptr;
}

// Parameters among a figure's own statements.
std::vector<std::string> parametersOf(const Variables::Figure& figure) {
  std::vector<std::string> names;
  const SyntaxTree& t = figure.tree->syntax;
  for (std::uint32_t i = t.items[figure.item].firstChild; i != Item::kNone;
       i = t.items[i].nextSibling)
    if (t.keyword(t.items[i]) == "param" && t.items[i].valueCount > 0)
      names.emplace_back(t.source(t.values[t.items[i].firstValue]));
  return names;
}

}  // namespace

void Expander::block(const Tree& tree, std::uint32_t i, Frame& frame) {
  const Item& item = tree.syntax.items[i];
  switch (tree.kinds[i]) {
    case BlockKind::Solid: {
      SolidDraft* d = declare(tree, item, 0, BlockKind::Solid, stage_.solids, frame);
      if (d == nullptr) return;
      d->solid.place = d->place;
      d->solid.shared = frame.shared;
      thing(tree, item, BlockKind::Solid, d, frame);
      break;
    }
    case BlockKind::Material: {
      MaterialDraft* d = declare(tree, item, 0, BlockKind::Material, stage_.materials, frame);
      if (d != nullptr) thing(tree, item, BlockKind::Material, d, frame);
      break;
    }
    case BlockKind::Joint:
      joint(tree, item, frame);
      break;
    case BlockKind::Constraint:
      constraint(tree, item, frame);
      break;
    case BlockKind::Force:
      load(tree, item, BlockKind::Force, stage_.forces, frame);
      break;
    case BlockKind::Torque:
      load(tree, item, BlockKind::Torque, stage_.torques, frame);
      break;
    case BlockKind::Muscle:
      load(tree, item, BlockKind::Muscle, stage_.muscles, frame);
      break;
    case BlockKind::Spring:
      load(tree, item, BlockKind::Spring, stage_.springs, frame);
      break;
    case BlockKind::Drag:
      load(tree, item, BlockKind::Drag, stage_.drags, frame);
      break;
    case BlockKind::Pin:
      load(tree, item, BlockKind::Pin, stage_.pins, frame);
      break;
    case BlockKind::Goal:
      load(tree, item, BlockKind::Goal, stage_.goals, frame);
      break;
    case BlockKind::Floor:
      load(tree, item, BlockKind::Floor, stage_.floors, frame);
      break;
    case BlockKind::Pose:
      load(tree, item, BlockKind::Pose, stage_.poses, frame);
      break;
    case BlockKind::Settings:
      if (frame.level == BlockKind::Figure) return;  // reported by the check of words
      stage_.scene.settings.place = tree.syntax.place(item);
      thing(tree, item, BlockKind::Settings, &stage_.scene.settings, frame);
      break;
    case BlockKind::Place:
      placeFigure(tree, item, frame);
      break;
    case BlockKind::Override:
      overrideThing(tree, item, frame);
      break;
    case BlockKind::Repeat:
      repeat(tree, item, frame, [&](Frame& inner) { items(tree, item.firstChild, inner); });
      break;
    case BlockKind::If: {
      bool holds = false;
      if (!condition(tree, item, holds)) return;
      if (!deeper(tree.syntax.keywordPlace(item), "blocks")) return;
      items(tree, holds ? item.firstChild : item.elseChild, frame);
      --depth_;
      break;
    }
    case BlockKind::Figure:  // defined before the level was run
    case BlockKind::Scene:
      break;
  }
}

// The full name of the thing whose name is the header's n-th word; empty if it cannot be.
std::string Expander::fullName(const Tree& tree, const Item& item, std::uint32_t n,
                               const Frame& frame) {
  const Value& v = tree.syntax.values[item.firstValue + n];
  std::string own;
  if (!evaluator_.name(tree.syntax, v, own)) return {};
  if (own == "world") {
    report_.error(tree.syntax.place(v), "'world' is the name of the world itself");
    return {};
  }
  return stage_.scopes[frame.scope].prefix + own;
}

// Null if the name is taken, or there are too many things.
Entry* Expander::enter(std::string name, BlockKind kind, std::uint32_t index, const Place& where,
                       const Place& place, const Frame& frame) {
  if (name.empty()) return nullptr;
  if (stage_.entries.size() >= options_.limits.things) {
    report_.stop(where,
                 "the scene has more than " + std::to_string(options_.limits.things) + " things");
    return nullptr;
  }
  // What a constraint becomes may be called NAME.angle or NAME.twist.
  const std::size_t most = kNameBytes - (kind == BlockKind::Constraint ? 6 : 0);
  if (name.size() > most) {
    report_.error(where, "the full name has more than " + std::to_string(most) + " bytes",
                  "shorten its name and the names of the figures around it");
    return nullptr;
  }
  // Long and deeply nested names take room, and time to be found.
  const std::size_t cost = name.size() / 16 + stage_.scopes[frame.scope].depth;
  if (cost > 0 && !spend(cost, where)) return nullptr;
  const auto known = stage_.names.find(name);
  if (known != stage_.names.end()) {
    const Entry& before = stage_.entries[known->second];
    if (!stage_.isRemoved(before)) {
      report_.error(
          where, quoted(name) + " is declared twice",
          "the first one, " + describe(before.kind) + ", is at " + stage_.lineOf(before.place));
      return nullptr;
    }
    stage_.names.erase(known);
  }
  const auto id = static_cast<std::uint32_t>(stage_.entries.size());
  Entry& e = stage_.entries.emplace_back();
  e.name = std::move(name);
  e.kind = kind;
  e.index = index;
  e.scope = frame.scope;
  e.place = place;
  e.shared = frame.shared;
  stage_.names.emplace(e.name, id);
  return &e;
}

template <class D>
D* Expander::declare(const Tree& tree, const Item& item, std::uint32_t n, BlockKind kind,
                     std::deque<D>& drafts, const Frame& frame) {
  std::string name = fullName(tree, item, n, frame);
  const Place where = tree.syntax.place(tree.syntax.values[item.firstValue + n]);
  return declareAs(std::move(name), where, tree.syntax.place(item), kind, drafts, frame);
}

template <class D>
D* Expander::declareAs(std::string name, const Place& where, const Place& place, BlockKind kind,
                       std::deque<D>& drafts, const Frame& frame) {
  const auto index = static_cast<std::uint32_t>(drafts.size());
  if (enter(std::move(name), kind, index, where, place, frame) == nullptr) return nullptr;
  D& d = drafts.emplace_back();
  d.entry = static_cast<std::uint32_t>(stage_.entries.size() - 1);
  d.scope = frame.scope;
  d.place = place;
  return &d;
}

template <class D>
void Expander::load(const Tree& tree, const Item& item, BlockKind kind, std::deque<D>& drafts,
                    Frame& frame) {
  if (D* d = declare(tree, item, 0, kind, drafts, frame)) thing(tree, item, kind, d, frame);
}

void Expander::joint(const Tree& tree, const Item& item, Frame& frame) {
  const Value& v = tree.syntax.values[item.firstValue];
  const std::string word(tree.syntax.source(v));
  const JointKind* kind = findJointKind(word);
  const Place kindPlace = tree.syntax.place(v);
  if (kind == nullptr)
    report_.error(kindPlace, "unknown joint kind " + quoted(word),
                  [&] { return suggestJointKind(word); });
  JointDraft* d = declare(tree, item, 1, BlockKind::Joint, stage_.joints, frame);
  if (d == nullptr) return;
  stage_.jointOrder.push_back(d->entry);
  d->kind = kind;
  d->joint.kind = word;
  d->joint.kindPlace = kindPlace;
  d->joint.place = d->place;
  d->joint.shared = frame.shared;
  thing(tree, item, BlockKind::Joint, d, frame, kind);
}

void Expander::constraint(const Tree& tree, const Item& item, Frame& frame) {
  ConstraintDraft* d = nullptr;
  if (item.valueCount > 0) {
    d = declare(tree, item, 0, BlockKind::Constraint, stage_.constraints, frame);
  } else {
    Scope& scope = stage_.scopes[frame.scope];
    std::string own, name;
    do {
      own = "constraint-" + std::to_string(++scope.unnamed);
      name = scope.prefix + own;
    } while (taken_.count(own) != 0 || taken_.count(name) != 0 || stage_.names.count(name) != 0);
    d = declareAs(std::move(name), tree.syntax.keywordPlace(item), tree.syntax.place(item),
                  BlockKind::Constraint, stage_.constraints, frame);
  }
  if (d == nullptr) return;
  stage_.jointOrder.push_back(d->entry);
  thing(tree, item, BlockKind::Constraint, d, frame);
}

void* Expander::draftOf(const Entry& e) {
  switch (e.kind) {
    case BlockKind::Solid:
      return &stage_.solids[e.index];
    case BlockKind::Material:
      return &stage_.materials[e.index];
    case BlockKind::Joint:
      return &stage_.joints[e.index];
    case BlockKind::Constraint:
      return &stage_.constraints[e.index];
    case BlockKind::Force:
      return &stage_.forces[e.index];
    case BlockKind::Torque:
      return &stage_.torques[e.index];
    case BlockKind::Muscle:
      return &stage_.muscles[e.index];
    case BlockKind::Spring:
      return &stage_.springs[e.index];
    case BlockKind::Drag:
      return &stage_.drags[e.index];
    case BlockKind::Pin:
      return &stage_.pins[e.index];
    case BlockKind::Goal:
      return &stage_.goals[e.index];
    case BlockKind::Floor:
      return &stage_.floors[e.index];
    case BlockKind::Pose:
      return &stage_.poses[e.index];
    default:
      return nullptr;
  }
}

void Expander::unknownPath(const std::string& path, const Place& place, std::uint32_t scope) {
  if (stage_.broken) return;
  report_.error(place, "there is no " + quoted(path) + " yet", [&] {
    return didYouMean(path, stage_.candidates(scope, [](const Entry&) { return true; }));
  });
}

void Expander::overrideThing(const Tree& tree, const Item& item, Frame& frame) {
  const Value& v = tree.syntax.values[item.firstValue];
  std::string path;
  if (!evaluator_.name(tree.syntax, v, path)) return;
  const std::uint32_t id = stage_.resolve(path, frame.scope);
  if (id == kNone) {
    unknownPath(path, tree.syntax.place(v), frame.scope);
    return;
  }
  const Entry& e = stage_.entries[id];
  if (e.kind == BlockKind::Place) {
    report_.error(
        tree.syntax.place(v), quoted(path) + " is a placed figure, not a solid, joint or load",
        "change its parameters where it is placed, or override one of its solids or joints");
    return;
  }
  Run run;
  run.table = &tableOf(e.kind);
  run.draft = draftOf(e);
  run.joint = e.kind == BlockKind::Joint ? stage_.joints[e.index].kind : nullptr;
  run.overriding = true;
  run.kind = e.kind;
  statements(tree, item.firstChild, run, frame);
}

// The row for a statement of an override; does `clear` itself.
const Row* Expander::overrideRow(const Tree& tree, const Item& item, Run& run, Frame& frame) {
  const std::string_view word = tree.syntax.keyword(item);
  if (word == clearForm().keyword) {
    arguments_.scope = frame.scope;
    if (!readArguments(tree.syntax, item, clearForm(), evaluator_, arguments_)) return nullptr;
    for (const NameArgument& n : arguments_.names) clear(n, run);
    return nullptr;
  }
  const Row* row = run.table->find(word);
  if (row == nullptr && run.joint != nullptr) row = findOption(*run.joint, word);
  if (row == nullptr) row = letRow(word);
  if (row == nullptr) reportUnknown(report_, tree.syntax, item, run.kind, run.joint);
  return row;
}

void Expander::clear(const NameArgument& what, Run& run) {
  std::vector<std::string> known;
  for (const Clearable& c : run.table->clearables) {
    if (c.word == what.text) {
      c.clear(run.draft);
      return;
    }
    known.emplace_back(c.word);
  }
  std::string remedy = didYouMean(what.text, known);
  if (remedy.empty()) {
    remedy = "you can clear:";
    for (const std::string& k : known) remedy += " " + k;
  }
  report_.error(what.place,
                "cannot clear " + quoted(what.text) + " of a " + std::string(blockWord(run.kind)),
                remedy);
}

void Expander::remove(const Frame& frame) {
  const NameArgument& path = arguments_.names[0];
  const std::uint32_t id = stage_.resolve(path.text, frame.scope);
  if (id == kNone) {
    unknownPath(path.text, path.place, frame.scope);
    return;
  }
  Entry& e = stage_.entries[id];
  e.removed = true;
  if (e.kind == BlockKind::Place) stage_.scopes[e.index].removed = true;
}

void Expander::defineFigure(const Tree& tree, std::uint32_t i, Frame& frame) {
  const Value& v = tree.syntax.values[tree.syntax.items[i].firstValue];
  const std::string_view name = tree.syntax.source(v);
  if (!spend(frame.variables->figures.size() / 16, tree.syntax.place(v))) return;  // a search
  for (const Variables::Figure& f : frame.variables->figures) {
    if (f.name != name) continue;
    if (f.tree != &tree || f.item != i)
      report_.error(tree.syntax.place(v), "figure " + quoted(name) + " is defined twice",
                    "the first one is at " +
                        stage_.lineOf(f.tree->syntax.keywordPlace(f.tree->syntax.items[f.item])));
    return;
  }
  frame.variables->figures.push_back({name, &tree, i});
}

void Expander::placeFigure(const Tree& tree, const Item& item, Frame& frame) {
  PlaceDraft draft;
  thing(tree, item, BlockKind::Place, &draft, frame);
  const Value& v = tree.syntax.values[item.firstValue];
  const std::string_view word = tree.syntax.source(v);
  Variables* level = nullptr;
  std::size_t searched = 0;
  for (const Variables* l = frame.variables; l != nullptr; l = l->outer())
    searched += l->figures.size();
  if (!spend(searched / 16, tree.syntax.place(v))) return;
  const Variables::Figure* found = findFigure(word, frame.variables, level);
  if (found == nullptr) {
    if (stage_.broken) return;
    report_.error(tree.syntax.place(v), "unknown figure " + quoted(word), [&] {
      std::vector<std::string> known;
      for (const Variables* l = frame.variables; l != nullptr; l = l->outer())
        for (const Variables::Figure& f : l->figures) known.emplace_back(f.name);
      return didYouMean(word, known);
    });
    return;
  }
  const Variables::Figure figure = *found;
  for (const auto& open : placing_)
    if (open.tree == figure.tree && open.item == figure.item) {
      report_.error(tree.syntax.place(v), "figure " + quoted(word) + " places itself");
      return;
    }
  if (!deeper(tree.syntax.place(item), "figures")) return;

  const auto scope = static_cast<std::uint32_t>(stage_.scopes.size());
  const Place where = tree.syntax.place(tree.syntax.values[item.firstValue + 1]);
  Entry* entry = enter(fullName(tree, item, 1, frame), BlockKind::Place, scope, where,
                       tree.syntax.place(item), frame);
  if (entry != nullptr) {
    Scope s;
    s.prefix = entry->name + ".";
    s.parent = frame.scope;
    s.depth = stage_.scopes[frame.scope].depth + 1;
    s.placement =
        stage_.scopes[frame.scope].placement *
        placementOf(draft.at, draft.turn, draft.scale, draft.mirror ? &*draft.mirror : nullptr);
    stage_.scopes.push_back(std::move(s));
    body(figure, draft, level, scope);
    evaluator_.variables = frame.variables;
  }
  --depth_;
}

void Expander::body(const Variables::Figure& figure, const PlaceDraft& draft, Variables* level,
                    std::uint32_t scope) {
  std::vector<Variables::Given> given;
  for (const PlaceDraft::Setting& s : draft.settings) {
    const bool twice =
        std::any_of(given.begin(), given.end(), [&](const auto& g) { return g.name == s.name; });
    if (twice) report_.error(s.place, quoted(s.name) + " is set twice");
    given.push_back({s.name, s.value, s.place, false});
  }
  Variables variables(level);
  variables.given = &given;
  Frame frame;
  frame.variables = &variables;
  frame.scope = scope;
  frame.shared = true;
  frame.level = BlockKind::Figure;
  placing_.push_back(figure);
  items(*figure.tree, figure.tree->syntax.items[figure.item].firstChild, frame);
  placing_.pop_back();
  for (const Variables::Given& g : given) {
    if (g.used || stage_.broken || report_.stopped()) continue;
    report_.error(g.place, "figure " + quoted(figure.name) + " has no parameter " + quoted(g.name),
                  [&] {
                    std::vector<std::string> known;
                    for (const std::string& k : parametersOf(figure)) known.push_back(k);
                    return didYouMean(g.name, known);
                  });
  }
}

}  // namespace tenon::files
