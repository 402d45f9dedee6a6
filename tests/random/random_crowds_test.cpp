// Crowds of random mechanisms: the same motion by kernels and by rows, the same bits alone and in a crowd, with any number of
// threads and with scratch thrown away; no number that is none, joints closed, no energy beyond the ledger.
//
// Motion is compared step by step: each step of the kernels is made again by rows from the same state. So chaos has no
// time to act, and a difference of 1e-9 is one of the step itself. A crowd that fails is made as small as it can be, and printed.
//
// TENON_CASES crowds from TENON_SEED on. TENON_NO_SHRINK: they are not made smaller. TENON_NO_LAST_RESORT: a step that is
// given up is a failure, too.
#include <gtest/gtest.h>
#include <tenon/language.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include "random/stepped.h"
#include "support/random_crowd.h"

namespace tenon::test {
namespace {

// ------------------------------------------------------------------------------------------ counts

struct StepCounts {
  long steps = 0, kernel = 0, compared = 0, halved = 0, split = 0, pieces = 0, unconverged = 0,
       givenUp = 0, refused = 0;
  void add(const StepCounts& other) {
    steps += other.steps;
    kernel += other.kernel;
    compared += other.compared;
    halved += other.halved;
    split += other.split;
    pieces += other.pieces;
    unconverged += other.unconverged;
    givenUp += other.givenUp;
    refused += other.refused;
  }
};
constexpr const char* kSeveralEnds = "a step so long that its equations have several ends";

struct Tally {
  std::map<std::string, StepCounts> by;  // by method and kind of joint, rule, load
  std::map<std::string, double> worst;
  std::map<std::string, long> known;
  void print() const {
    std::printf("%-28s %8s %8s %8s %7s %7s %7s %7s %7s %7s\n", "figures with", "steps", "kernel",
                "compared", "halved", "split", "pieces", "not cvg", "gave up", "refused");
    for (const auto& [what, c] : by)
      std::printf("%-28s %8ld %8ld %8ld %7ld %7ld %7ld %7ld %7ld %7ld\n", what.c_str(), c.steps,
                  c.kernel, c.compared, c.halved, c.split, c.pieces, c.unconverged, c.givenUp,
                  c.refused);
    for (const auto& [what, off] : worst) std::printf("largest: %-32s %.3g\n", what.c_str(), off);
    for (const auto& [what, count] : known) std::printf("known: %-60s %ld\n", what.c_str(), count);
  }
};

// What a figure is made of, for the counts.
std::set<std::string> thingsOf(const Scene& scene) {
  std::set<std::string> things{"any"};
  for (const Joint& joint : scene.joints) {
    things.insert("joint " + joint.kind);
    for (const CoordinateRule& rule : joint.rules)
      things.insert(std::string("rule ") + nameOf(rule.kind));
    if (joint.compliance > 0) things.insert("soft joint");
  }
  return things;
}

// ------------------------------------------------------------------------------------------- checks

struct Failure {
  std::string what;  // of one word: what shrinking must keep
  std::string details;
};

template <class T>
bool sameBits(const std::vector<T>& a, std::size_t from, const std::vector<T>& b, std::size_t at,
              std::size_t count) {
  return count == 0 || std::memcmp(a.data() + from, b.data() + at, count * sizeof(T)) == 0;
}
// Where figures begin in a crowd.
struct Offsets {
  std::size_t solid = 0, slot = 0, memory = 0;
};
bool sameBits(const State& alone, const State& crowd, const Offsets& at) {
  const std::size_t n = alone.position.size();
  return sameBits(alone.position, 0, crowd.position, at.solid, n) &&
         sameBits(alone.orientation, 0, crowd.orientation, at.solid, n) &&
         sameBits(alone.velocity, 0, crowd.velocity, at.solid, n) &&
         sameBits(alone.spin, 0, crowd.spin, at.solid, n) &&
         sameBits(alone.multiplier, 0, crowd.multiplier, at.slot, alone.multiplier.size()) &&
         sameBits(alone.memory, 0, crowd.memory, at.memory, alone.memory.size());
}

std::string numbers(const char* format, double a, double b = 0) {
  char text[200];
  std::snprintf(text, sizeof text, format, a, b);
  return text;
}

// A figure alone, and what makes its steps again: by rows, and by kernels that stop later.
struct Figure {
  Stepped own, rows, strict;
  bool kernels = false;  // some of it goes by a kernel
  Figure(const Mechanism& m, Method method, double dt)
      : own(m, method), rows(m, method), strict(m, method) {
    rows.settings.islands.fast = false;
    // Interactive's kernels solve for turns to a thousand times the tolerance: it takes this to make them stop where rows do.
    strict.settings.tolerance = 1e-15;
    for (const IslandWay& way : islandWays(m, own.control, own.settings, dt, own.state))
      kernels = kernels || way.way != "rows";
  }
};

class Checker {
 public:
  Checker(const RandomCrowd& crowd, Method method, Tally* tally)
      : crowd_(crowd), method_(method), tally_(tally) {}

  std::optional<Failure> check() {
    const Result<Mechanism> whole = compile(sceneOf(crowd_));
    if (!whole.ok()) return Failure{"compile", describe(whole.problems().front())};
    Stepped all(*whole, method_), threads(*whole, method_), thrown(*whole, method_);
    std::vector<Figure> alone;
    std::vector<Offsets> offsets(1);
    for (std::size_t f = 0; f < crowd_.figures.size(); ++f) {
      const Result<Mechanism> one = compile(sceneOf(crowd_, f));
      if (!one.ok()) return Failure{"compile", describe(one.problems().front())};
      alone.emplace_back(*one, method_, crowd_.dt);
      offsets.push_back({offsets.back().solid + one->solids.size(),
                         offsets.back().slot + one->slots,
                         offsets.back().memory + one->memory.size()});
    }
    if (const Open open = openingOf(all, all.state); !(open.joints < 1e-11))
      return Failure{"open", numbers("the start is open by %g", open.joints)};
    for (int i = 0; i < crowd_.steps; ++i) {
      bool refused = false;
      for (std::size_t f = 0; f < alone.size(); ++f) {
        steer(crowd_, f, alone[f].own.m, i, alone[f].own.control);
        if (auto failure = stepAlone(alone[f], f, i)) return failure;
        refused = refused || !alone[f].own.report.finite;
      }
      for (Stepped* run : {&all, &threads, &thrown}) steer(crowd_, {}, run->m, i, run->control);
      threads.settings.islands.threads = i % 2 == 0 ? 2 : 8;
      thrown.settings.islands.lanes = i % 3 != 0;
      if (i % 2 == 1) thrown.scratch = StepScratch();
      for (Stepped* run : {&all, &threads, &thrown}) {
        run->step(crowd_.dt);
        if (run->report.finite == refused)
          return Failure{"refusal",
                         numbers("step %g: only one of crowd and figures was refused", i)};
      }
      if (refused) return {};  // all are put back: from here on the crowd is another
      for (std::size_t f = 0; f < alone.size(); ++f)
        if (!sameBits(alone[f].own.state, all.state, offsets[f]))
          return Failure{"crowd",
                         numbers("step %g: figure %g has other bits alone than in the crowd", i,
                                 static_cast<double>(f))};
      if (!sameBits(all.state, threads.state, {}))
        return Failure{"threads", numbers("step %g: other bits by several threads", i)};
      if (!sameBits(all.state, thrown.state, {}))
        return Failure{"scratch", numbers("step %g: other bits without lanes or scratch", i)};
    }
    return {};
  }

 private:
  std::optional<Failure> stepAlone(Figure& figure, std::size_t f, int i) {
    Stepped& run = figure.own;
    const State start = run.state;
    const double before = energyOf(run, run.state);
    run.step(crowd_.dt);
    const StepReport& report = run.report;
    StepCounts counts;
    counts.steps = 1;
    counts.kernel = report.fast ? 1 : 0;
    counts.halved = report.halvings > 0 ? 1 : 0;
    counts.refused = report.finite ? 0 : 1;
    counts.givenUp = report.finite && !report.converged && !report.ledger ? 1 : 0;
    counts.unconverged = report.finite && !report.converged && report.ledger ? 1 : 0;
    std::optional<Failure> failure;
    const std::string where = "figure " + std::to_string(f) + ", step " + std::to_string(i) + ": ";
    if (!isFinite(run.state)) failure = Failure{"finite", where + "a number is none"};
    if (!failure && report.finite && report.converged &&
        !switchesWithin(run.m, start.time, crowd_.dt))
      failure = checkClosed(run, start, where);
    if (!failure && report.finite && method_ == Method::Energy)
      failure = checkLedger(run, start, before, where);
    if (!failure && counts.givenUp > 0 && std::getenv("TENON_NO_LAST_RESORT") != nullptr)
      failure = Failure{"given up", where + "the last resort"};
    if (!failure && report.finite && (report.fast || figure.kernels))
      failure = compare(figure, start, where, counts);
    if (tally_ != nullptr)
      for (const std::string& thing : thingsOf(crowd_.figures[f].scene))
        tally_->by[std::string(nameOf(method_)) + " " + thing].add(counts);
    return failure;
  }

  static constexpr double kYields = 1e-8;    // [m], [rad]
  static constexpr double kWideOpen = 1e-6;  // [m], [rad]
  static constexpr int kMostPieces = 4;
  static bool repeats(const Stepped& run, const State& state) {
    return count(run.m, run.control, state).redundant > 0;
  }
  static bool has(const Mechanism& m, std::string_view kind) {
    return std::any_of(m.joints.begin(), m.joints.end(),
                       [&](const MechanismJoint& joint) { return joint.kind->name == kind; });
  }
  std::optional<Failure> know(const char* what) {
    if (tally_ != nullptr) ++tally_->known[what];
    return {};
  }
  void note(const char* what, double off) {
    if (tally_ == nullptr) return;
    double& most = tally_->worst[std::string(nameOf(method_)) + " " + what];
    most = std::max(most, off);
  }

  std::optional<Failure> checkClosed(const Stepped& run, const State& start,
                                     const std::string& where) {
    const Open now = openingOf(run, run.state);
    const bool good = now.joints <= kClosed;
    // Rows in loops yield by 1e-12 of what their multipliers move: where these are an impact's, or where rows contradict
    // each other, that is more than the tolerance.
    const Open before = good && now.range <= kClosed ? now : openingOf(run, start);
    const bool forced = std::max(before.joints, before.range) > kWideOpen;
    if (!good && now.joints < kYields && (forced || repeats(run, run.state)))
      return know(
          "joints closed by force, or of rows that repeat each other, are open by more than 1e-9");
    note("joint error", now.joints);
    if (!good)
      return Failure{
          "closed", where + numbers("joints are open by %g, before %g", now.joints, before.joints)};
    note("beyond limits", now.range);
    if (!(now.range <= kClosed))
      return Failure{"range",
                     where + numbers("beyond a limit by %g, before %g", now.range, before.range)};
    return {};
  }

  static bool hasRotorThatGoes(const Stepped& run) {
    return std::any_of(run.m.rules.begin(), run.m.rules.end(), [&](const MechanismRule& rule) {
      const MechanismJoint& joint = run.m.joints[rule.joint];
      return rule.kind == CoordinateRule::Kind::Armature &&
             (run.control.jointOn[rule.joint] == 0 || joint.active.count > 0 ||
              ownSlots(*joint.kind) == 0);
    });
  }

  std::optional<Failure> checkLedger(const Stepped& run, const State& start, double before,
                                     const std::string& where) {
    if (!run.report.converged || !run.report.ledger) return {};
    const double scale = std::max(
        {1e-3, kineticEnergy(run.m, start), kineticEnergy(run.m, run.state), weightOf(run)});
    const double off = (energyOf(run, run.state) - before - run.report.work) / scale;
    const bool good = std::abs(off) <= kLedger;
    // A rotor has energy only while its joint is in force; one that comes or goes brings or takes it.
    if (!good && hasRotorThatGoes(run))
      return know("energy: the ledger of a rotor whose joint comes or goes");
    // What errors within the tolerance do is not booked. It counts where rows that contradict each other push with 1e6 N.
    double pushes = 0;
    for (const double lambda : run.state.multiplier) pushes += std::abs(lambda);
    if (!good && std::abs(off) * scale <= run.settings.tolerance * pushes)
      return know("energy: the ledger of rows that contradict each other");
    note("energy beyond the ledger", off);
    note("energy short of the ledger", -off);
    if (good) return {};
    return Failure{"ledger", where + numbers("energy is off by %g of %g J", off, scale)};
  }

  // The same step by rows.
  std::optional<Failure> compare(Figure& figure, const State& start, const std::string& where,
                                 StepCounts& counts) {
    Stepped& rows = figure.rows;
    Stepped& fast = method_ == Method::Energy ? figure.own : figure.strict;
    for (Stepped* run : {&rows, &fast}) {
      if (run == &figure.own) continue;
      run->control = figure.own.control;
      run->state = start;
      run->step(crowd_.dt);
    }
    // Of what goes by rows in any case, Interactive with such a tolerance would say nothing.
    if (!(fast.report.fast || method_ == Method::Energy) || !rows.report.finite) return {};
    // A step that is split is several, of kernels into equal pieces and of rows into halves and halves of these: rows make the
    // pieces of the kernels, one after the other. The second begins where the first ended, by kernels and by rows in two places.
    if (fast.report.halvings > 0 || rows.report.halvings > 0 || !rows.report.converged) {
      counts.split = 1;
      return comparePieces(figure, fast, start, where, counts);
    }
    counts.compared = 1;
    const Apart off = apart(fast.state, rows.state);
    const bool good = off.places <= kSame && crowd_.dt * off.speeds <= kSame;
    // Where rows repeat each other, kernels and rows yield by 1e-12 in different ways.
    if (!good && off.places < kYields && repeats(rows, start))
      return know("kernels and rows, of rows that repeat each other");
    if (!good && method_ == Method::Energy && has(rows.m, "hooke"))
      return know("energy: cardan joints differ by O(dt²), tree kernel and rows");
    if (!good && off.places > kFarApart && agreeInShortSteps(fast, rows, start))
      return know(kSeveralEnds);
    note("kernels from rows, places", off.places);
    note("kernels from rows, speeds × dt", crowd_.dt * off.speeds);
    if (good) return {};
    return Failure{"motion", where + numbers("kernels and rows are %g apart, speeds × dt %g",
                                             off.places, crowd_.dt * off.speeds)};
  }

  // Into which pieces kernels split a step: equal ones, or some of these and the others split again. Steps of these lengths by
  // kernels end in the same bits. Empty: in some other way.
  std::vector<double> piecesOf(const Stepped& fast, const State& start) const {
    const int pieces = fast.report.halvings + 1;
    std::vector<std::vector<double>> tries{
        std::vector<double>(static_cast<std::size_t>(pieces), crowd_.dt / pieces)};
    for (int n = 2; n < pieces; ++n)
      for (int k = 1; k < n; ++k) {
        if ((pieces - k) % (n - k) != 0) continue;
        tries.emplace_back(static_cast<std::size_t>(k), crowd_.dt / n);
        const int by = (pieces - k) / (n - k);
        tries.back().insert(tries.back().end(), static_cast<std::size_t>(pieces - k),
                            crowd_.dt / n / by);
      }
    Stepped run(fast.m, method_);
    run.control = fast.control;
    run.settings = fast.settings;
    for (const std::vector<double>& lengths : tries) {
      run.state = start;
      bool whole = true;
      for (const double dt : lengths) {
        run.step(dt);
        whole = whole && run.report.finite && run.report.fast && run.report.halvings == 0;
      }
      if (whole && sameBits(run.state, fast.state, {})) return lengths;
    }
    return {};
  }
  std::optional<Failure> comparePieces(Figure& figure, const Stepped& fast, const State& start,
                                       const std::string& where, StepCounts& counts) {
    if (fast.report.halvings < 1 || fast.report.halvings >= kMostPieces || !fast.report.fast ||
        !fast.report.converged)
      return {};
    Stepped& rows = figure.rows;
    if (islandWays(rows.m, rows.control, fast.settings, crowd_.dt, start).size() != 1) return {};
    const std::vector<double> lengths = piecesOf(fast, start);
    if (lengths.empty()) return {};
    rows.state = start;
    for (const double dt : lengths) {
      rows.step(dt);
      if (!rows.report.finite || !rows.report.converged || rows.report.halvings > 0) return {};
    }
    const Apart off = apart(fast.state, rows.state);
    counts.pieces = 1;
    const bool good = off.places <= kSame && crowd_.dt * off.speeds <= kSame;
    if (!good && off.places < kYields && repeats(rows, start))
      return know("kernels and rows, of rows that repeat each other");
    if (!good && method_ == Method::Energy && has(rows.m, "hooke"))
      return know("energy: cardan joints differ by O(dt²), tree kernel and rows");
    note("kernels from rows, places after pieces", off.places);
    if (good) return {};
    return Failure{"pieces",
                   where + numbers("in pieces kernels and rows are %g apart, speeds × dt %g",
                                   off.places, crowd_.dt * off.speeds)};
  }

  // A drive that turns a light solid by radians in one step may end in several places, all of which balance. In shorter steps
  // there is one, which both must find.
  static constexpr double kFarApart = 1e-3;  // [m], [rad]
  [[nodiscard]] bool agreeInShortSteps(Stepped& fast, Stepped& rows, const State& start) const {
    const State end = fast.state;
    const StepReport report = fast.report;
    bool converged = true;
    for (Stepped* run : {&fast, &rows}) {
      run->state = start;
      run->step(crowd_.dt / 8);
      converged = converged && run->report.converged;
    }
    const Apart off = apart(fast.state, rows.state);
    fast.state = end;  // from there the figure goes on
    fast.report = report;
    return converged && off.places <= kSame && crowd_.dt * off.speeds <= kSame;
  }

  const RandomCrowd& crowd_;
  Method method_;
  Tally* tally_;
};

// ----------------------------------------------------------------------------------------- shrinking

// The crowd with the thing number `n` left out; nothing: there are no more.
std::optional<RandomCrowd> without(const RandomCrowd& crowd, std::size_t n) {
  RandomCrowd made = crowd;
  const auto take = [&n](auto& list) {
    if (n < list.size()) {
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(n));
      return true;
    }
    n -= list.size();
    return false;
  };
  const auto once = [&n](bool there) { return n-- == 0 && there; };
  if (take(made.figures)) return made;
  for (RandomFigure& figure : made.figures) {
    Scene& scene = figure.scene;
    if (n < scene.solids.size()) {  // with all that hangs on it
      const std::string name = scene.solids[n].name;
      std::set<std::string> gone;
      const auto on = [&](const auto& thing) { return thing.solid == name; };
      for (const Joint& joint : scene.joints)
        if (joint.solid1 == name || joint.solid2 == name ||
            std::any_of(joint.more.begin(), joint.more.end(), on))
          gone.insert(joint.name);
      std::erase_if(scene.joints, [&](const Joint& j) { return gone.count(j.name) > 0; });
      for (Joint& joint : scene.joints)
        std::erase_if(joint.couples,
                      [&](const CoupledCoordinate& c) { return gone.count(c.joint) > 0; });
      std::erase_if(scene.muscles, [&](const Muscle& k) { return gone.count(k.joint) > 0; });
      std::erase_if(scene.forces, on);
      std::erase_if(scene.torques, on);
      std::erase_if(scene.drags, on);
      std::erase_if(scene.springs,
                    [&](const Spring& s) { return s.solid1 == name || s.solid2 == name; });
      scene.solids.erase(scene.solids.begin() + static_cast<std::ptrdiff_t>(n));
      return made;
    }
    n -= scene.solids.size();
    if (n < scene.joints.size()) {
      const std::string name = scene.joints[n].name;
      for (Joint& joint : scene.joints)
        std::erase_if(joint.couples, [&](const CoupledCoordinate& c) { return c.joint == name; });
      std::erase_if(scene.muscles, [&](const Muscle& k) { return k.joint == name; });
      scene.joints.erase(scene.joints.begin() + static_cast<std::ptrdiff_t>(n));
      return made;
    }
    n -= scene.joints.size();
    for (Joint& joint : scene.joints) {
      if (take(joint.rules)) return made;
      for (CoordinateRule& rule : joint.rules)
        if (take(rule.active)) return made;
      if (take(joint.active)) return made;
      const bool soft = joint.compliance > 0, damped = joint.damp.has_value();
      if (once(true)) {
        if (!soft) return crowd;
        joint.compliance = 0;
        return made;
      }
      if (once(true)) {
        if (!damped) return crowd;
        joint.damp.reset();
        return made;
      }
    }
    if (take(scene.forces) || take(scene.torques) || take(scene.muscles) || take(scene.springs) ||
        take(scene.drags) || take(figure.switches))
      return made;
  }
  if (take(made.everywhere)) return made;
  if (n == 0)
    made.damp = 0;
  else if (n == 1)
    made.gravityLater = made.gravity;
  else if (n == 2)
    made.gravity = made.gravityLater = {};
  else if (n == 3)
    made.steps = std::max(1, made.steps - 1);
  else if (n == 4)
    made.steps = std::max(1, made.steps / 2);
  else
    return {};
  return made;
}

std::string textOf(const RandomCrowd& crowd);

// Its joints and rules, in a line.
std::string summaryOf(const RandomCrowd& crowd) {
  std::string text = std::to_string(sceneOf(crowd).solids.size()) + " solids;";
  for (const Joint& joint : sceneOf(crowd).joints) {
    text += " " + joint.kind + (joint.compliance > 0 ? " (soft)" : "");
    for (const CoordinateRule& rule : joint.rules)
      text += std::string(" [") + nameOf(rule.kind) + " " + rule.coordinate + "]";
  }
  return text;
}

// Leaves out what can be left out while it fails in the same way.
RandomCrowd shrunk(RandomCrowd crowd, Method method, const std::string& what) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (std::size_t n = 0;;) {
      const std::optional<RandomCrowd> less = without(crowd, n);
      if (!less) break;
      if (textOf(*less) == textOf(crowd)) {
        ++n;
        continue;
      }
      const auto failure = Checker(*less, method, nullptr).check();
      if (failure && failure->what == what) {
        crowd = *less;
        smaller = true;
      } else {
        ++n;
      }
    }
  }
  return crowd;
}

std::string textOf(const RandomCrowd& crowd) {
  std::string text = printScene(sceneOf(crowd));
  char line[200];
  std::snprintf(line, sizeof line, "# dt %.17g, %d steps\n", crowd.dt, crowd.steps);
  text += line;
  if (crowd.gravityLater != crowd.gravity) {
    std::snprintf(line, sizeof line, "# from step %d on gravity %.17g %.17g %.17g\n",
                  crowd.gravityChanges, crowd.gravityLater.x, crowd.gravityLater.y,
                  crowd.gravityLater.z);
    text += line;
  }
  for (const RandomFigure& figure : crowd.figures)
    for (const Switch& change : figure.switches)
      text += "# before step " + std::to_string(change.step) + ": " + change.joint +
              (change.on ? " on\n" : " off\n");
  return text;
}

// ------------------------------------------------------------------------------------------- the test

// So many crowds; fewer under the sanitizers, which take ten times as long, and in WebAssembly.
int casesWanted() {
  const char* wish = std::getenv("TENON_CASES");
  const int cases = wish != nullptr ? std::atoi(wish) : 300;
#if defined(__SANITIZE_ADDRESS__) || defined(__EMSCRIPTEN__)
  return std::max(1, cases / 8);
#else
  return cases;
#endif
}

constexpr int kParts = 8;  // so that they can run side by side

class RandomCrowds : public ::testing::TestWithParam<int> {
 public:
  static void TearDownTestSuite() {
    if (tally_.by.empty()) return;
    tally_.print();
    long pieces = 0, steps = 0;
    for (const Method method : {Method::Energy, Method::Interactive}) {
      const StepCounts& all = tally_.by[std::string(nameOf(method)) + " any"];
      if (all.steps < 1000) continue;  // one crowd was asked for
      EXPECT_GT(5 * all.compared, all.steps) << nameOf(method);
      pieces += all.pieces;
      steps += all.steps;
      EXPECT_LT(33 * (all.givenUp + all.refused), all.steps) << nameOf(method);
      EXPECT_LE(5000 * tally_.known[kSeveralEnds], all.steps + 5000) << "an excuse for rare things";
    }
    if (steps > 40000) {  // they are rare: of all parts together
      EXPECT_GT(pieces, 3);
    }
  }

 protected:
  static inline Tally tally_;
};

// Crowds beyond the first ones in which something was wrong once: ropes minded what was switched off in other figures;
// what closed joints that were open by less than 1e-6 was not booked (1023, 4069); rows that contradict each other by 1e-11 pushed
// harder with each iteration (4580, 8315); ends that the first matrix had left open along what loops nearly lock (4986, 6085);
// velocities of ends that were taken without a look (440, 6368);
// velocities that rows settled had lost momentum to rounding (6413).
constexpr std::uint64_t kWrongOnce[] = {1922, 2625, 4642, 5195, 7523, 7619, 1023, 4580,
                                        4986, 6085, 6413, 8315, 4069, 440,  6368};

TEST_P(RandomCrowds, MoveTheSameByEveryWay) {
  const char* first = std::getenv("TENON_SEED");
  const int begin = first != nullptr ? std::atoi(first) : 1;
  std::vector<std::uint64_t> seeds;  // those that count as a sample come first
  for (int c = GetParam(); c < casesWanted(); c += kParts)
    seeds.push_back(static_cast<std::uint64_t>(begin + c));
  const std::size_t sample = seeds.size();
  for (std::size_t k = 0; k < std::size(kWrongOnce) && first == nullptr; ++k)
    if (static_cast<int>(k) % kParts == GetParam()) seeds.push_back(kWrongOnce[k]);
  for (std::size_t n = 0; n < seeds.size(); ++n) {
    const std::uint64_t seed = seeds[n];
    const RandomCrowd crowd = randomCrowd(seed);
    for (const Method method : {Method::Energy, Method::Interactive}) {
      const auto failure = Checker(crowd, method, n < sample ? &tally_ : nullptr).check();
      if (!failure) continue;
      const bool shrink = std::getenv("TENON_NO_SHRINK") == nullptr;
      const RandomCrowd small = shrink ? shrunk(crowd, method, failure->what) : crowd;
      const auto again = Checker(small, method, nullptr).check();
      ADD_FAILURE() << "seed " << seed << ", " << nameOf(method) << ", " << failure->what << ": "
                    << failure->details << "\nsmallest: " << (again ? again->details : "?")
                    << "\nmade of: " << summaryOf(small) << "\n"
                    << (shrink ? textOf(small) : "");
      std::fflush(stdout);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Parts, RandomCrowds, ::testing::Range(0, kParts));

TEST(RandomCrowdsMade, HaveEveryKindOfJointAndRule) {
  std::map<std::string, int> count;
  int hands = 0, loops = 0, led = 0, points = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const RandomCrowd crowd = randomCrowd(seed);
    for (const RandomFigure& figure : crowd.figures) {
      for (const std::string& thing : thingsOf(figure.scene)) ++count[thing];
      hands += figure.switches.empty() ? 0 : 1;
      for (const Solid& solid : figure.scene.solids) {
        led += solid.kind == SolidKind::Animated ? 1 : 0;
        points += solid.pointMass ? 1 : 0;
      }
    }
    const Result<Mechanism> m = compile(sceneOf(crowd));
    ASSERT_TRUE(m.ok()) << seed << describe(m.problems().front());
    loops += m->loops > 0 ? 1 : 0;
  }
  for (const JointKind& kind : jointCatalogue())
    EXPECT_GE(count["joint " + std::string(kind.name)], 10) << kind.name;
  for (const CoordinateRule::Kind kind : allRuleKinds())
    EXPECT_GE(count[std::string("rule ") + nameOf(kind)], 40) << nameOf(kind);
  EXPECT_GE(std::min({hands, loops, led, points}), 30);
}

}  // namespace
}  // namespace tenon::test
