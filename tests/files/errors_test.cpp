// What is wrong is said where it is, all of it in one go; limits hold.
#include "files/report.h"
#include "files/scene_text.h"

#include <tenon/joint.h>

#include <ctime>
#include <functional>
#include <new>
#include <stdexcept>

namespace tenon {
namespace {

using namespace test;

TEST(Errors, PlacesAndWords) {
  const std::pair<const char*, const char*> cases[] = {
      {"solid a densty 3; end",
       "1:9: unknown statement 'densty' in solid; did you mean 'density'?"},
      {"title \"a\";\nversion 2;\nsolid a densty 3; ends £",
       "2:1: this text is of version 2 of the language, and this program knows none after 1; open "
       "it with a newer Tenon"},
      {"version;", "1:1: a version is a whole number in digits, from 1; write: version 1;"},
      {"version 0;", "1:1: a version is a whole number in digits, from 1; write: version 1;"},
      {"version 1.0;", "1:1: a version is a whole number in digits, from 1; write: version 1;"},
      {"version -1;", "1:1: a version is a whole number in digits, from 1; write: version 1;"},
      {"version 1 2;", "1:1: a version is a whole number in digits, from 1; write: version 1;"},
      {"version (1 + 1);", "1:1: a version is a whole number in digits, from 1; write: version 1;"},
      {"version 99999999999;",
       "1:1: a version is a whole number in digits, from 1; write: version 1;"},
      {"version 1; version 1;", "1:12: 'version' is given twice"},
      {"if (1) version 1; end",
       "1:8: 'version' says something of a whole text, and stands in no block"},
      {"figure f version 1; end",
       "1:10: 'version' says something of a whole text, and stands in no block"},
      {"solid a version 1; end",
       "1:9: unknown statement 'version' in solid; 'version' belongs in: the top level, figure"},
      {"gravty 0 0 0;", "1:1: unknown statement 'gravty'; did you mean 'gravity'?"},
      {"solid a stiffness 3; end",
       "1:9: unknown statement 'stiffness' in solid; 'stiffness' belongs in: spring, floor"},
      {"solid a mass 3cm; end", "1:14: expected a mass for 'mass', got a length, '3cm'"},
      {"solid a at 0 1; end", "1:12: expected 3 lengths after 'at', got 2; the form is: at X Y Z"},
      {"solid a at; end", "1:9: expected 3 lengths after 'at', got nothing; the form is: at X Y Z"},
      {"solid a at 0 1 2 3; end", "1:18: unexpected '3' in 'at'; the form is: at X Y Z"},
      {"solid a at 0 0 30deg; end", "1:16: expected a length for 'at', got an angle, '30deg'"},
      {"solid a density 0; end", "1:17: D of 'density' must be greater than 0, got '0'"},
      {"solid a density (1 - 2); end",
       "1:17: D of 'density' must be greater than 0, got '(1 - 2)' = -1"},
      {"solid a colour 0 0 2; end", "1:20: R G B of 'colour' must be at most 1, got '2'"},
      {"solid a turn 0 0 0 1; end", "1:14: the direction of 'turn' is zero"},
      {"solid a orientation 0 0 0 0; end", "1:21: the quaternion of 'orientation' is zero"},
      {"solid a velocity 1m 0 0; end",
       "1:18: expected a plain number for 'velocity', got a length, '1m'"},
      {"solid a mass 1; mass 2; end",
       "1:17: 'mass' is given twice; the first one is at test.tenon:1"},
      {"solid a immobile; animated; end",
       "1:19: 'animated' and 'immobile' cannot both be given; the first one is at test.tenon:1"},
      {"solid a turn 0 0 1 1; orientation 0 0 0 1; end",
       "1:23: 'orientation' and 'turn' cannot both be given; the first one is at test.tenon:1"},
      {"solid a sphere 1 densty 2; end",
       "1:18: unexpected 'densty' in 'sphere'; did you mean 'density'?"},
      {"solid a sphere 1 density 2 density 3; end", "1:28: 'density' is given twice"},
      {"solid a sphere 1\n  mass 2; end",
       "2:3: unexpected 'mass' in 'sphere'; is a ';' missing before it?"},
      {"solid a inertia 1 2 3 4; end",
       "1:9: expected 3 or 6 numbers after 'inertia', got 4; the form is: inertia IXX IYY IZZ [IXY "
       "IXZ IYZ]"},
      {"solid a inertia 1 1 -1; end",
       "1:9: the inertia is not positive, and no body has such an inertia; all three principal "
       "moments must be "
       "greater than 0"},
      {"solid a hull 0 0 0 1 1 1; end",
       "1:14: expected at least 12 lengths (by 3) after 'hull', got 6; the form is: hull X Y Z… "
       "[at "
       "X Y Z] [turn AX AY AZ ANGLE] [orientation QX QY QZ QW] [density D]"},
      {"solid a mesh vertices 0 0 0 1 0 0 0 1 0 0 0 1 triangles 0 2 1 0 1 3 0 3 2 1 2 4; end",
       "1:79: the mesh has no vertex 4; count vertices from 0; the mesh has 4"},
      {"solid a key 0 0 0 0; end", "1:9: only an animated solid has keys; add 'animated;'"},
      {"solid a animated; key 1 0 0 0; key 1 0 0 0; end", "1:36: the times of keys must increase"},
      {"solid a material steel; end", "1:18: unknown material 'steel'"},
      {"solid world end", "1:7: 'world' is the name of the world itself"},
      {"solid a end\nsolid a end",
       "2:7: 'a' is declared twice; the first one, a solid, is at test.tenon:1"},
      {"solid a end joint ball a object2 a; end",
       "1:24: 'a' is declared twice; the first one, a solid, is at test.tenon:1"},
      {"joint pim j end", "1:7: unknown joint kind 'pim'; did you mean 'pin'?"},
      {"solid bob end joint pin j object2 bobb; end",
       "1:35: unknown solid 'bobb'; did you mean 'bob'?"},
      {"solid a end joint pin j object1 a; object2 a; end",
       "1:44: joint 'j' connects 'a' to itself; give 'object1' or 'object2' another solid"},
      {"solid a end joint pin j object2 a; limit angel max 1; end",
       "1:42: joint kind 'pin' has no coordinate 'angel'; did you mean 'angle'?"},
      {"solid a end joint pin j object2 a; limit angle max 5cm; end",
       "1:52: coordinate 'angle' is an angle, got a length"},
      {"solid a end joint prismatic j object2 a; limit slide max 5deg; end",
       "1:58: coordinate 'slide' is a length, got an angle"},
      {"solid a end joint pin j object2 a; limit angle; end", "1:36: a range needs 'min' or 'max'"},
      {"solid a end joint pin j object2 a; limit angle min 2 max 1; end",
       "1:54: 'max' is less than 'min'"},
      {"solid a end joint pin j object2 a; spring angle target 1; end",
       "1:36: 'spring' needs 'stiffness'; the form is: spring COORDINATE [target V] [rate V] [sine "
       "AMPLITUDE FREQUENCY [PHASE]] [key TIME VALUE]… stiffness K [damping D] [active T1 [T2]]…"},
      {"solid a end joint pin j object2 a; drive angle 1 max 3N stiffness 1; end",
       "1:54: what acts on an angle is a torque: write a plain number, in N m"},
      {"solid a end joint pin j object2 a; prescribe angle key 1 2; end",
       "1:36: a signal needs at least two keys, or none"},
      {"solid a end joint pin j object2 a; axis 1 0 0; normal 2 0 0; end",
       "1:48: the normal is parallel to the axis"},
      {"solid a end joint pin j object2 a; axis1 1 0 0; orientation1 0 0 0 1; end",
       "1:49: give either an axis and a normal, or an orientation, not both"},
      {"solid a end joint pin j object2 a; active 2 1; end",
       "1:45: the interval ends before it begins"},
      {"force f vector 1 0 0; end", "1:1: force needs 'object'; the form is: object NAME"},
      {"solid a end force f object a; end",
       "1:13: force needs 'vector'; the form is: vector X Y Z"},
      {"solid a end force f object world; vector 1 0 0; end",
       "1:28: expected a solid: the world does not move"},
      {"solid a end force f object a; vector 1 0 0; axes wrld; end",
       "1:50: expected one of world, body, got 'wrld'; did you mean 'world'?"},
      {"solid a end muscle m joint a; vector 1 0 0; end",
       "1:28: expected a joint, but 'a' is a solid"},
      {"solid a end spring s object1 a; object2 a; end",
       "1:13: spring 's' connects 'a' to itself; give 'object1' or 'object2' another solid"},
      {"solid a end joint pin j object2 a; end pose p coordinate j angel 1; end",
       "1:66: joint kind 'pin' has no coordinate 'angel'; did you mean 'angle'?"},
      {"at 1 stopp;", "1:6: unexpected 'stopp' in 'at'; did you mean 'stop'?"},
      {"at 1;",
       "1:1: expected one of stop, finish, gravity, damp, activate, deactivate, merge, freeze, "
       "drive"},
      {"at 1 activate nothing;", "1:15: there is no 'nothing' to activate"},
      {"solid a end at 1 activate a;",
       "1:27: 'a' cannot be switched on or off; only joints, loads, pins and goals can"},
      {"settings iterations 1.5; end", "1:21: expected a whole number, got '1.5'"},
      {"settings dt 0; end", "1:13: T of 'dt' must be greater than 0, got '0'"},
      {"title pendulum;",
       "1:7: expected a text in quotes after 'title', got 'pendulum'; the form is: title "
       "\"TITLE\""},
      {"repeat i 1 2 step 0 end", "1:19: the step of a repetition is zero"},
      {"solid a-(0.5) end",
       "1:9: a computed part of a name must be a whole number; use floor(…) or round(…)"},
      {"include \"x.tenon\";", "1:9: includes are not allowed here"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(problemOf(text), expected) << text;
}

TEST(Errors, ManyInOneGoInTheOrderOfTheText) {
  const std::vector<Problem> problems = problemsOf(R"(
joint pin j object2 bobb; end
solid bob
  densty 3;
  mass 3cm;
end
floor f normal 0 0 0; end
)");
  ASSERT_EQ(problems.size(), 4u) << all(problems);
  for (std::size_t i = 1; i < problems.size(); ++i)
    EXPECT_LT(problems[i - 1].line, problems[i].line);
  EXPECT_EQ(problems[1].excerpt, "  densty 3;");
  EXPECT_EQ(problems[1].width, 6);
  EXPECT_EQ(problems[1].file, "test.tenon");
}

TEST(Errors, ARepetitionSaysItOnce) {
  EXPECT_EQ(problemsOf("repeat i 1 1000 solid a-(i) mass -1; end end").size(), 1u);
  EXPECT_EQ(
      problemsOf("solid a end repeat i 1 1000 joint ball j-(i) object2 b-(i); end end").size(), 1u);
}

// One wrong name in a repetition is one message, and the thousands alike are counted, not searched for.
TEST(Errors, AWrongNameInARepetitionIsSaidOnceWithACount) {
  std::string text = "repeat i 0 4999 solid node-(i) sphere 1; end end\n";
  text += "repeat i 1 4999 spring s-(i) object1 node-(i); object2 nod-(i); end end";
  EXPECT_EQ(problemOf(text),
            "2:56: unknown solid 'nod-1' (and 4998 more like this here); did you mean "
            "'node-1'?");

  const std::vector<SourceFile> files{{"t.tenon", "wrong wrong"}};
  files::Report report(files, 100);
  int searches = 0;
  const auto remedy = [&] {
    ++searches;
    return std::string("look there");
  };
  for (int i = 0; i < 1000; ++i)
    for (const std::uint32_t offset : {0u, 6u})
      report.error({0, offset, 5}, "unknown thing " + std::to_string(i), remedy);
  EXPECT_EQ(searches, 2);
  const std::vector<Problem> problems = report.finish();
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems[1].what, "unknown thing 0 (and 999 more like this here)");
  EXPECT_EQ(problems[1].remedy, "look there");
}

// Guesses end after a million names, whatever is wrong.
TEST(Errors, ManyWrongNamesInALargeSceneCostAsMuchAsAFew) {
  std::string text = "repeat i 0 199999 material node-(i) density 1; end end\n";
  for (int i = 0; i < 90; ++i)
    text += "solid s" + std::to_string(i) + " sphere 1; material nodee-" + std::to_string(i) +
            "; end\n";
  const std::vector<Problem> problems = problemsOf(text);
  ASSERT_EQ(problems.size(), 90u);
  EXPECT_EQ(problems[0].remedy, "did you mean 'node-0'?");
  EXPECT_EQ(problems[89].remedy, "");
}

// The words of other tools and of the papers are answered, and not read.
TEST(Errors, JointsHaveOtherNamesElsewhere) {
  const auto said = [](const std::string& kind) {
    return problemOf("solid a sphere 1; end\njoint " + kind + " j object2 a; end");
  };
  for (const JointKind& kind : jointCatalogue())
    for (const std::string& word : namesElsewhere(kind)) {
      EXPECT_EQ(findJointKind(word), nullptr) << word;
      EXPECT_EQ(said(word).find("2:7: unknown joint kind '" + word + "'; did you mean '" +
                                std::string(kind.name) + "'?"),
                0u)
          << said(word);
    }
  const std::pair<const char*, const char*> meant[] = {
      {"hinge", "pin"},        {"revolute", "pin"},         {"continuous", "pin"},
      {"spherical", "ball"},   {"slider", "prismatic"},     {"fixed", "weld"},
      {"helical", "screw"},    {"cardan", "hooke"},         {"Revolute", "pin"},
      {"revolut", "pin"},      {"hinges", "pin"},           {"pim", "pin"},
      {"Swing_Twist", "ball"}, {"plane-to-plane", "planar"}};
  for (const auto& [word, kind] : meant)
    EXPECT_NE(said(word).find("; did you mean '" + std::string(kind) + "'?"), std::string::npos)
        << said(word);
  EXPECT_EQ(
      said("universal"),
      "2:7: unknown joint kind 'universal'; did you mean 'hooke'? (Faure's universal is 'ball')");
  EXPECT_EQ(
      said("floating"),
      "2:7: unknown joint kind 'floating'; leave the joint out: a solid moves freely if no joint "
      "holds it");
  EXPECT_NE(said("xyzzyx").find("; there are ball pin"), std::string::npos);
}

TEST(Errors, SyntaxErrorsDoNotMakeNamesUnknown) {
  const std::vector<Problem> problems = problemsOf("solid 3 end\njoint ball j object2 a; end");
  ASSERT_EQ(problems.size(), 1u) << all(problems);
  EXPECT_EQ(problems[0].line, 1);
}

TEST(Errors, WarningsDoNotPreventAValue) {
  ParseOptions options;
  options.limits.problems = 3;
  std::vector<Problem> warnings;
  const Scene s = read("expect a; expect b; expect c; expect d; expect e;", options, &warnings);
  EXPECT_EQ(s.expectations.size(), 5u);
  ASSERT_EQ(warnings.size(), 4u);
  EXPECT_EQ(warnings.back().what, "2 more warnings are not listed");
}

// What looks like a repetition of something that was said is dropped, but never the only error.
TEST(Errors, TheFirstErrorIsNeverDropped) {
  const std::vector<SourceFile> none;
  // A warning and an error with the same key (see Report::isNew).
  const auto scattered = [](std::string_view what) {
    return std::uint64_t{std::hash<std::string_view>{}(what)} * 0x9e3779b97f4a7c15u;
  };
  const std::string warning = "a warning";
  std::string error = "an error";
  while (((scattered(warning) ^ scattered(error)) & 1u) == 0) error += "!";
  ASSERT_LT(error.size(), 12u);
  const std::uint64_t key = scattered(warning) ^ scattered(error) ^ 1u;
  const Place there{static_cast<std::uint32_t>(key >> 33),
                    static_cast<std::uint32_t>(key >> 1 & 0xffffffffu), 1};
  files::Report report(none, 10);
  report.warn(Place{0, 0, 1}, warning);
  report.error(there, error);
  EXPECT_TRUE(report.failed());
  report.error(there, error);
  EXPECT_EQ(report.finish().size(), 2u);
}

TEST(Settings, KnownWordsOnly) {
  EXPECT_EQ(problemOf("settings method shak; end"),
            "1:17: expected one of energy, interactive, displacement, shake, relaxation, "
            "baumgarte, implicit, poststabilized, recursive, newton, got 'shak'; did you mean "
            "'shake'?");
  EXPECT_EQ(problemsOf("settings method bogus; solver nonsense; norm l7; end").size(), 3u);
  for (const char* method : {"energy", "interactive", "displacement", "shake", "relaxation",
                             "baumgarte", "implicit", "poststabilized", "recursive", "newton"})
    EXPECT_EQ(
        read("settings method " + std::string(method) + "; end").settings.find("method")->word,
        method);
  for (const char* solver : {"direct", "cg", "bicg", "minres", "block-cg"})
    EXPECT_EQ(
        read("settings solver " + std::string(solver) + "; end").settings.find("solver")->word,
        solver);
  for (const char* norm : {"max", "rms", "energy"})
    EXPECT_EQ(read("settings norm " + std::string(norm) + "; end").settings.find("norm")->word,
              norm);
}

TEST(Numbers, RoundIsExact) {
  const Scene s =
      read("solid a at (round(0.49999999999999994)) (round(-2.5)) (round(4503599627370497)); end");
  EXPECT_EQ(s.solids[0].pose.p, (Vec3{0, -3, 4503599627370497.0}));
}

TEST(Numbers, ALoneNumberInParenthesesKeepsItsUnit) {
  EXPECT_EQ(problemOf("solid a mass (3cm); end"),
            "1:14: expected a mass for 'mass', got a length, '(3cm)'");
  EXPECT_EQ(read("solid a spin (60rpm) 0 0; end").solids[0].spin.x, 2 * kPi);
  EXPECT_EQ(read("solid a mass (2 * 3g); end").solids[0].mass, 0.006);
}

TEST(Limits, Problems) {
  ParseOptions options;
  options.limits.problems = 5;
  std::string text;
  for (int i = 0; i < 50; ++i) text += "solid a mass -1; end\n";
  const std::vector<Problem> problems = problemsOf(text, options);
  EXPECT_EQ(problems.size(), 6u);
  EXPECT_EQ(problems.back().what, "there are too many problems to list: the rest is left out");
}

// [s] of this program: what runs beside it does not count.
double cpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Each is refused, and at once.
TEST(Limits, EachGivesAClearError) {
  const auto refused = [](const std::string& text, const LanguageLimits& limits,
                          const std::string& reason) {
    ParseOptions options;
    options.limits = limits;
    const double begin = cpuSeconds();
    const std::vector<Problem> problems = problemsOf(text, options);
    const double spent = cpuSeconds() - begin;
    EXPECT_LT(spent, 20) << text;
    ASSERT_FALSE(problems.empty());
    EXPECT_NE(all(problems).find(reason), std::string::npos) << all(problems);
  };
  LanguageLimits small;
  small.fileBytes = 10;
  refused("solid a end solid b end", small, "bytes");
  small = {};
  small.totalBytes = 10;
  refused("solid a end solid b end", small, "more than 10 bytes");
  small = {};
  small.things = 10;
  refused("repeat i 1 100 solid a-(i) end end", small, "more than 10 things");
  small = {};
  small.expanded = 1000;
  refused("repeat i 1 900 repeat j 1 900 end end", small, "expands to more than 1000 statements");
  refused("repeat i 1 1e18 solid a-(i) end end", small, "more turns than the 1000 statements");
  small.expanded = 2'000'000;
  refused("repeat i 1 1e5 repeat j 1 1e5 let k 1; end end", small, "2000000 statements");
  small = {};
  small.depth = 5;
  refused(
      "repeat i 1 1 repeat j 1 1 repeat k 1 1 repeat l 1 1 repeat m 1 1 repeat n 1 1 end end end "
      "end end end",
      small, "nested deeper than 5");
  std::string chain = "figure f0 solid a end end\n";
  for (int i = 1; i < 10; ++i)
    chain += "figure f" + std::to_string(i) + " place f" + std::to_string(i - 1) + " x end end\n";
  refused(chain + "place f9 y end", small, "figures are nested deeper than 5");
  // Figures that double: 2^40 solids.
  std::string doubling = "figure f0 solid a end end\n";
  for (int i = 1; i <= 40; ++i) {
    const std::string inner = " f" + std::to_string(i - 1);
    doubling +=
        "figure f" + std::to_string(i) + " place" + inner + " x end place" + inner + " y end end\n";
  }
  small = {};
  small.things = 100'000;
  refused(doubling + "place f40 z end", small, "more than 100000 things");
}

// With the limits that are not said otherwise: refused before they cost much.
TEST(Limits, SmallTextsCannotCostMuch) {
  const auto refused = [](const std::string& text, const std::string& reason) {
    const double begin = cpuSeconds();
    const std::vector<Problem> problems = problemsOf(text);
    const double spent = cpuSeconds() - begin;
    EXPECT_LT(spent, 60);  // about one second
    EXPECT_NE(all(problems).find(reason), std::string::npos) << all(problems);
    RecordProperty(reason.substr(0, 8), std::to_string(spent));
  };
  const std::string expands = "the scene expands to more than 20000000 statements and values";
  std::string doubling = "figure f0 solid a end end\n";
  for (int i = 1; i <= 40; ++i) {
    const std::string inner = " f" + std::to_string(i - 1);
    doubling +=
        "figure f" + std::to_string(i) + " place" + inner + " x end place" + inner + " y end end\n";
  }
  refused(doubling + "place f40 z end", expands);
  std::string hull = "repeat i 1 3000 solid h-(i) hull";
  for (int i = 0; i < 20'000; ++i) hull += " 0 1 " + std::to_string(i);
  refused(hull + "; end end", expands);
  refused("solid a repeat i 1 1e7 sphere 1; end end", expands);
  refused("solid a animated; repeat i 1 1e7 key (i) 0 0 0; end end", expands);
  const std::string longName(1000, 'n');
  refused("solid a repeat i 1 1e7 group " + longName + "; end end", expands);
}

TEST(Limits, Names) {
  const std::string most(1024, 'n'), more(1025, 'n');
  EXPECT_EQ(read("solid " + most + " end").solids[0].name, most);
  EXPECT_EQ(problemOf("solid " + more + " end"), "1:7: the name has more than 1024 bytes");
  EXPECT_EQ(problemOf("solid a group " + more + "; end"),
            "1:15: the name has more than 1024 bytes");
  EXPECT_EQ(problemOf("solid " + most.substr(4) + "-(12345) end"),
            "1:7: the name has more than 1024 bytes");
  EXPECT_EQ(problemOf("figure f solid " + most + " end end place f x end"),
            "1:16: the full name has more than 1024 bytes; shorten its name and the names of the "
            "figures around it");
}

TEST(Limits, OutOfMemoryIsAProblem) {
  ParseOptions options;
  options.include = [](const std::string& name) -> Result<std::string> {
    if (name == "a") throw std::bad_alloc();
    throw std::length_error("too long");
  };
  EXPECT_EQ(problemOf("include \"a\";", options),
            "this scene needs more memory than this machine has free");
  EXPECT_EQ(problemOf("include \"b\";", options),
            "this scene needs more memory than this machine has free");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__EMSCRIPTEN__)  // 1.3 GB
TEST(Size, AMillionSolids) {
  const Scene s =
      read("repeat i 1 1000000 solid s-(i) sphere 0.1; at (i) 0 0; density 500; end end");
  EXPECT_EQ(s.solids.size(), 1'000'000u);
}
#endif

TEST(Size, HundredThousandSolidsFromARepetition) {
  const double begin = cpuSeconds();
  const Scene s = read(R"(
param links 100000;
repeat i 1 (links)
  solid link-(i) box 0.1 1 0.1; at 0 (-i) 0; density 1000; end
  joint ball joint-(i) object1 link-(i); object2 link-(i < links ? i + 1 : 1); at 0 (-i - 0.5) 0; end
end)");
  const double spent = cpuSeconds() - begin;
  EXPECT_EQ(s.solids.size(), 100'000u);
  EXPECT_EQ(s.joints.size(), 100'000u);
  EXPECT_EQ(s.solids.back().name, "link-100000");
  EXPECT_LT(spent, 60);  // about one second; sanitizers take longer
}

TEST(Size, HundredThousandSolidsWrittenOut) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) {
    const std::string n = std::to_string(i);
    text += "solid link-" + n + "\n  box 0.1 1 0.1;\n  at 0 " + n + " 0;\nend\n";
    text += "joint ball joint-" + n + " object1 link-" + n + "; object2 link-" +
            std::to_string((i + 1) % 100'000) + "; at 0 " + n + " 0; end\n";
  }
  const double begin = cpuSeconds();
  const Scene s = read(text);
  const double spent = cpuSeconds() - begin;
  EXPECT_EQ(s.solids.size(), 100'000u);
  EXPECT_EQ(s.joints.back().solid2, "link-0");
  EXPECT_FALSE(s.solids[7].shared);
  EXPECT_LT(spent, 60);
}

}  // namespace
}  // namespace tenon
