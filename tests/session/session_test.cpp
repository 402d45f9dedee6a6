// A session: what its commands do, that they can be taken back, and that a recording ends in the same bits.
#include <gtest/gtest.h>
#include <tenon/measure.h>
#include <tenon/posing.h>
#include <tenon/session.h>
#include <tenon/step.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "math/random.h"
#include "session/command_kind.h"
#include "session/recording.h"

namespace tenon::test {
namespace {

using Json = nlohmann::json;

std::string fileText(const std::string& name) {
  std::ifstream file(std::string(TENON_SOURCE_DIR) + "/scenes/" + name + ".tenon");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class Spoken {
 public:
  Session session;

  Json run(const Json& request) { return Json::parse(session.run(request.dump())); }
  Json must(const Json& request) {
    Json answer = run(request);
    EXPECT_TRUE(answer.value("ok", false)) << request.dump() << "\n" << answer.dump();
    return answer;
  }
  std::string refused(const Json& request) {
    const Json answer = run(request);
    EXPECT_FALSE(answer.value("ok", true)) << request.dump();
    return answer.value("ok", true) ? std::string()
                                    : answer["problems"][0]["what"].get<std::string>();
  }
  void open(const std::string& text, const std::string& name = "test.tenon") {
    must({{"do", "open"}, {"name", name}, {"text", text}});
  }
  void openFile(const std::string& name) { open(fileText(name), name + ".tenon"); }

  std::string hash() { return must({{"ask", "state"}})["hash"].get<std::string>(); }
  double error() { return must({{"ask", "measures"}})["error"].get<double>(); }
  std::size_t numberOf(const std::string& solid) {
    const Json scene = must({{"ask", "scene"}});
    for (std::size_t s = 0; s < scene["solids"].size(); ++s)
      if (scene["solids"][s]["name"] == solid) return s;
    ADD_FAILURE() << "no solid " << solid;
    return 0;
  }
  // Where the origin of a solid's frame is.
  std::array<double, 3> place(const std::string& solid) {
    const std::vector<float>& poses = session.poses();
    const std::size_t at = 7 * numberOf(solid);
    return {poses[at], poses[at + 1], poses[at + 2]};
  }
  double coordinate(const std::string& joint, const std::string& name) {
    return must({{"ask", "joints"}})["joints"][joint]["coordinates"][name].get<double>();
  }
};

double distance(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

const char* const kPendulum = R"(
solid rod  box 1 0.1 0.1; at 0.5 0 0; end
solid bob  box 0.4 0.2 0.2; at 1.2 0 0; end
joint pin hinge  object2 rod; at 0 0 0; axis 0 0 1; end
joint pin knee   object1 rod; object2 bob; at 1 0 0; axis 0 0 1; end
)";

// --------------------------------------------------------------------------------- what is refused

TEST(Session, RefusesWhatMakesNoSense) {
  Spoken s;
  EXPECT_FALSE(Json::parse(s.session.run("nonsense"))["ok"].get<bool>());
  EXPECT_FALSE(Json::parse(s.session.run("[1, 2]"))["ok"].get<bool>());
  EXPECT_EQ(s.refused({{"do", "step"}}), "no scene is open");
  EXPECT_EQ(s.refused({{"ask", "state"}}), "no scene is open");
  s.open(kPendulum);
  const std::string before = s.hash();
  EXPECT_EQ(s.refused({{"do", "dance"}}), "there is no command 'dance'");
  EXPECT_EQ(s.refused({{"ask", "why"}}), "there is no question 'why'");
  EXPECT_EQ(s.refused({{"do", "pin"}, {"solid", "bop"}}), "there is no solid 'bop'");
  EXPECT_EQ(s.run({{"do", "pin"}, {"solid", "bop"}})["problems"][0]["remedy"],
            "did you mean 'bob'?");
  EXPECT_EQ(s.refused({{"do", "pin"}}), "'solid' is missing");
  EXPECT_EQ(s.refused({{"do", "pin"}, {"solid", "bob"}, {"point", {1, 2}}}),
            "'point' must be three numbers");
  EXPECT_EQ(s.refused({{"do", "pin"}, {"solid", "bob"}, {"point", {1, 2, 1e300}}}),
            "'point' is too large");
  EXPECT_EQ(s.refused({{"do", "step"}, {"dt", -1}}), "dt must be from 1e-6 to 1 s");
  EXPECT_EQ(s.refused({{"do", "move"}, {"id", 3}, {"target", {0, 0, 0}}}), "hand 3 holds nothing");
  EXPECT_EQ(s.refused({{"do", "settings"}, {"method", "magic"}}), "there is no method 'magic'");
  EXPECT_EQ(s.refused({{"do", "limit"}, {"joint", "knee"}, {"coordinate", "depth"}}),
            "'knee' has no coordinate 'depth'");
  EXPECT_EQ(s.refused({{"do", "undo"}}), "there is nothing to undo");
  EXPECT_EQ(s.hash(), before);
}

// A JSON value is copied and printed by recursion: one that would not fit on the stack is not even parsed.
TEST(Session, NamesEveryKindOfRule) {
  Spoken s;
  s.open(R"(
solid rod  box 1 0.1 0.1; at 0.5 0 0; end
joint pin hinge  object2 rod; at 0 0 0; axis 0 0 1; limit angle min -1 max 1; spring angle stiffness 2; damper angle 0.1;
  drive angle 0 stiffness 1 damping 1; prefer angle min -0.5 max 0.5 stiffness 3; friction angle 0.2; armature angle 0.3; end
joint prismatic rail  object2 rod; at 0 0 0; axis 1 0 0; prescribe slide 0; active 5 6; end
)");
  std::vector<std::string> kinds;
  const Json scene = s.must({{"ask", "scene"}});
  for (const Json& joint : scene["joints"])
    for (const Json& rule : joint["rules"]) kinds.push_back(rule["kind"]);
  EXPECT_EQ(kinds, (std::vector<std::string>{"limit", "spring", "damper", "drive", "prefer",
                                             "friction", "armature", "prescribe"}));
}

TEST(Session, RefusesWhatIsNestedTooDeeply) {
  Spoken s;
  const auto nested = [](const std::string& open, const std::string& close, int depth) {
    std::string text = R"({"do": "open", "text": )";
    for (int i = 0; i < depth; ++i) text += open;
    text += "1";
    for (int i = 0; i < depth; ++i) text += close;
    return text + "}";
  };
  for (const std::string& text :
       {nested("[", "]", 100'000), nested("{\"a\":", "}", 100'000), std::string(100'000, '[')}) {
    EXPECT_TRUE(nestsTooDeep(text));
    const Json answer = Json::parse(s.session.run(text));
    EXPECT_EQ(answer["problems"][0]["what"], "the request is nested too deeply");
  }
  EXPECT_FALSE(nestsTooDeep(nested("[", "]", 63)));
  EXPECT_TRUE(nestsTooDeep(nested("[", "]", 64)));
  // Brackets of a text count for nothing, quotes and backslashes in it or not.
  EXPECT_FALSE(nestsTooDeep(Json(R"(\" \\)" + std::string(1000, '[')).dump()));
  EXPECT_TRUE(nestsTooDeep(R"("\\")" + std::string(1000, '[')));
  s.open("// " + std::string(1000, '{') + "\nsolid a sphere 1; end");
}

TEST(Session, SaysWhereATextIsWrongAndKeepsTheScene) {
  Spoken s;
  s.open(kPendulum);
  s.must({{"do", "step"}, {"count", 5}});
  const std::string before = s.hash();
  std::string text = kPendulum;
  text.replace(text.find("knee "), 4, "knie");
  text += "joint pim other object2 bob; end\n";
  const Json answer = s.run({{"do", "edit"}, {"text", text}});
  ASSERT_FALSE(answer["ok"].get<bool>());
  EXPECT_EQ(answer["problems"][0]["line"], 6);
  EXPECT_EQ(answer["problems"][0]["column"], 7);
  EXPECT_EQ(s.hash(), before);
  EXPECT_EQ(s.must({{"ask", "text"}})["text"], kPendulum);
}

// ------------------------------------------------------------------------------------------- grabs

TEST(Session, PullsAPointToTheHand) {
  Spoken s;
  s.open(kPendulum);
  s.must({{"do", "grab"}, {"id", 1}, {"solid", "bob"}, {"point", {0.2, 0, 0}}});
  for (int i = 1; i <= 20; ++i) {
    const double a = 0.05 * i;
    s.must({{"do", "move"}, {"id", 1}, {"target", {1.3 * std::cos(a), 1.3 * std::sin(a), 0}}});
    const Json report = s.must({{"do", "pose"}, {"milliseconds", 1000}});
    ASSERT_LT(report["want_error"].get<double>(), 1e-6) << i;
    ASSERT_LT(s.error(), 1e-8) << i;
  }
  s.must({{"do", "release"}, {"id", 1}});
  // All of it is one entry of the history.
  EXPECT_EQ(s.must({{"ask", "state"}})["undo"].size(), 1u);
  EXPECT_EQ(s.must({{"ask", "state"}})["undo"][0], "Pull");
}

TEST(Session, GivesWayWhereThePullCannotBeFollowed) {
  Spoken s;
  s.open(kPendulum);
  s.must({{"do", "pin"}, {"solid", "rod"}, {"point", {0.5, 0, 0}}});
  const auto elbow = s.place("rod");
  s.must({{"do", "grab"}, {"id", 1}, {"solid", "bob"}, {"point", {0.2, 0, 0}}});
  for (int i = 1; i <= 20; ++i) {
    s.must({{"do", "move"}, {"id", 1}, {"target", {1.0, 3.0 + i, 0.5}}});
    s.must({{"do", "pose"}, {"milliseconds", 1000}});
    ASSERT_LT(s.error(), 1e-8);
  }
  EXPECT_LT(distance(s.place("rod"), elbow), 1e-6);
  EXPECT_GT(s.place("bob")[1], 0.15);  // as far up as it goes
}

TEST(Session, FollowsANoisyHandByPhysicsWithoutJerks) {
  Spoken s;
  s.open(kPendulum);
  s.must({{"do", "settings"}, {"method", "interactive"}, {"dt", 1.0 / 120}});
  s.must({{"do", "grab"}, {"id", 1}, {"solid", "bob"}, {"point", {0.2, 0, 0}}, {"dynamic", true}});
  Random random(3);
  double fastest = 0;
  for (int i = 0; i < 360; ++i) {
    const double a = 0.6 * std::sin(0.01 * i);
    if (i % 3 != 1)  // irregular
      s.must({{"do", "move"},
              {"id", 1},
              {"target",
               {1.35 * std::cos(a) + random.uniform(-2e-3, 2e-3),
                1.35 * std::sin(a) + random.uniform(-2e-3, 2e-3), random.uniform(-2e-3, 2e-3)}}});
    const auto before = s.place("bob");
    s.must({{"do", "step"}});
    fastest = std::max(fastest, 120 * distance(before, s.place("bob")));
    ASSERT_LT(s.error(), 1e-9) << i;  // but for the hand's own, which gives
  }
  EXPECT_LT(fastest, 3.0);  // [m/s]; the hand itself moves with 1 m/s
  const double a = 0.6 * std::sin(0.01 * 360);
  const auto bob = s.place("bob");
  EXPECT_LT(std::abs(std::atan2(bob[1], bob[0]) - a), 0.1);
  s.must({{"do", "release"}, {"id", 1}});
  s.must({{"do", "step"}, {"count", 20}});
  EXPECT_LT(s.error(), 1e-9);
}

// A tracker of position and orientation, at 30 to 120 samples a second as they come, with the noise of its kind: what
// is held comes along, and its velocity never jumps as the samples' differences would.
TEST(Session, FollowsATrackerOfSixCoordinatesWithoutDifferences) {
  constexpr double kStep = 1.0 / 240, kNoise = 2e-3;  // [s], [m] and [rad]
  Spoken s;
  s.open("solid held box 0.2 0.1 0.1; at 0 0 0; end\n");
  s.must({{"do", "settings"}, {"method", "interactive"}, {"dt", kStep}});
  s.must({{"do", "grab"},
          {"id", 1},
          {"solid", "held"},
          {"orientation", {0, 0, 0, 1}},
          {"dynamic", true}});
  Random random(5);
  const auto noise = [&] { return random.uniform(-kNoise, kNoise); };
  const auto wayOf = [](double t) {
    return std::array<double, 3>{0.4 * std::sin(t), 0.3 * (1 - std::cos(t)), 0};
  };
  double nextSample = 0, apart = 0, turnedApart = 0, hardest = 0, ofSamples = 0;
  std::array<double, 3> at = s.place("held"), velocity{}, sample{};
  for (int i = 1; i <= 720; ++i) {
    const double t = kStep * i, half = 0.25 * std::sin(t);
    const auto way = wayOf(t);
    if (t >= nextSample) {
      const std::array<double, 3> seen{way[0] + noise(), way[1] + noise(), way[2] + noise()};
      if (i > 60) ofSamples = std::max(ofSamples, distance(seen, sample) / kStep);
      sample = seen;
      s.must({{"do", "move"},
              {"id", 1},
              {"target", {seen[0], seen[1], seen[2]}},
              {"orientation", {noise() / 2, noise() / 2, std::sin(half), std::cos(half)}}});
      nextSample = t + random.uniform(1.0 / 120, 1.0 / 30);
    }
    s.must({{"do", "step"}});
    const auto now = s.place("held");
    std::array<double, 3> speed{};
    for (std::size_t k = 0; k < 3; ++k) speed[k] = (now[k] - at[k]) / kStep;
    if (i > 60) {  // it has caught up
      apart = std::max(apart, distance(now, way));
      turnedApart = std::max(turnedApart, std::abs(2 * std::asin(s.session.poses()[5]) - 2 * half));
      hardest = std::max(hardest, distance(speed, velocity));
    }
    at = now;
    velocity = speed;
  }
  EXPECT_LT(apart,
            0.04);  // [m] at up to 0.5 m/s: a delay of 80 ms, the sampling's own 33 ms included
  EXPECT_LT(turnedApart, 0.1);  // [rad]
  // Velocities of one step to the next: far from what differences of samples give.
  EXPECT_LT(hardest, 0.25);  // [m/s]
  EXPECT_GT(ofSamples, 10 * hardest);
}

TEST(Session, TakesHoldOfOrientationsAndOfSeveralThings) {
  Spoken s;
  s.open(R"(
gravity 0 0 0;
solid a box 0.4 0.1 0.1; at 0 0 0; end
solid b box 0.4 0.1 0.1; at 0.4 0 0; end
joint ball middle object1 a; object2 b; at 0.2 0 0; end
)");
  const double half = std::sqrt(0.5);
  s.must({{"do", "grab"}, {"id", 1}, {"solid", "a"}, {"orientation", {0, 0, 0, 1}}});
  s.must({{"do", "grab"}, {"id", 2}, {"solid", "b"}, {"orientation", {0, 0, 0, 1}}});
  s.must({{"do", "move"}, {"id", 1}, {"target", {0, 0.5, 0}}});
  s.must(
      {{"do", "move"}, {"id", 2}, {"target", {0.2, 0.7, 0}}, {"orientation", {0, 0, half, half}}});
  for (int i = 0; i < 10; ++i) s.must({{"do", "pose"}, {"milliseconds", 1000}});
  EXPECT_LT(distance(s.place("a"), {0, 0.5, 0}), 1e-4);
  EXPECT_LT(distance(s.place("b"), {0.2, 0.7, 0}), 1e-4);
  const std::vector<float>& poses = s.session.poses();
  EXPECT_NEAR(poses[7 + 5], half, 1e-3);
  EXPECT_LT(s.error(), 1e-8);
}

// A hand that holds what is frozen to the world pulls at nothing, until it is free again.
TEST(Session, LeavesAHandWhereWhatItHoldsIsFrozen) {
  Spoken s;
  s.open(kPendulum);
  s.must(
      {{"do", "grab"}, {"id", 1}, {"solid", "bob"}, {"dynamic", true}, {"target", {1.0, 0.5, 0}}});
  s.must({{"do", "freeze"}, {"joints", {"hinge", "knee"}}});
  const auto bob = s.place("bob");
  s.must({{"do", "step"}, {"count", 20}});
  EXPECT_EQ(s.place("bob"), bob);
  EXPECT_LT(s.error(), 1e-9);
  s.must({{"do", "unfreeze"}});
  s.must({{"do", "step"}, {"count", 20}});
  EXPECT_GT(s.place("bob")[1], bob[1] + 0.01);
  EXPECT_LT(s.error(), 1e-9);
}

// In the middle of a pull nothing is copied that could be put back: what is refused must not have begun.
TEST(Session, RefusesWithinAPullAndLeavesItAsItIs) {
  Spoken s;
  s.open(kPendulum);
  s.must({{"do", "grab"}, {"id", 1}, {"solid", "bob"}, {"orientation", {0, 0, 0, 1}}});
  s.must({{"do", "move"}, {"id", 1}, {"target", {1.1, 0.3, 0}}});
  s.must({{"do", "pose"}, {"iterations", 20}});
  const Json before = s.must({{"ask", "state"}});
  const std::string start = before["hash"].get<std::string>();
  s.refused({{"do", "move"}, {"id", 1}, {"target", {1, 2}}});
  s.refused({{"do", "move"}, {"id", 1}, {"target", {1, 2, 3}}, {"orientation", {0, 0, 0, 0}}});
  s.refused({{"do", "move"}, {"id", 2}, {"target", {1, 2, 3}}});
  s.refused({{"do", "pose"}, {"iterations", -1}});
  s.refused({{"do", "pose"}, {"milliseconds", "long"}});
  s.refused({{"do", "step"}, {"dt", 2}});
  s.refused({{"do", "step"}, {"count", 0.5}});
  EXPECT_EQ(s.must({{"ask", "state"}}), before);
  s.must({{"do", "move"}, {"id", 1}, {"target", {1.0, 0.4, 0}}});
  s.must({{"do", "pose"}, {"iterations", 20}});
  s.must({{"do", "step"}, {"count", 3}});
  s.must({{"do", "release"}, {"id", 1}});
  EXPECT_NE(s.hash(), start);
  EXPECT_EQ(s.must({{"ask", "state"}})["undo"].size(), 1u);
  s.must({{"do", "undo"}});
  EXPECT_TRUE(s.must({{"ask", "state"}})["grabs"].empty());
  Spoken fresh;
  fresh.open(kPendulum);
  EXPECT_EQ(s.hash(), fresh.hash());
}

// ------------------------------------------------------------------------ pins, frozen, merged, limits

TEST(Session, PinsPointsAndSolidsExactly) {
  Spoken s;
  s.open(kPendulum);
  s.must({{"do", "pin"}, {"solid", "bob"}, {"point", {0.2, 0, 0}}});
  s.must({{"do", "step"}, {"count", 240}});
  EXPECT_LT(distance(s.place("bob"), {1.2, 0, 0}), 0.5);
  EXPECT_LT(s.error(), 1e-9);
  s.must({{"do", "unpin"}, {"solid", "bob"}});
  s.must({{"do", "pin"}, {"solid", "rod"}});
  const auto rod = s.place("rod");
  s.must({{"do", "step"}, {"count", 240}});
  EXPECT_LT(distance(s.place("rod"), rod), 1e-6);
  EXPECT_EQ(s.must({{"ask", "state"}})["pins"].size(), 1u);
  s.must({{"do", "unpin"}, {"pin", 0}});
  EXPECT_EQ(s.refused({{"do", "unpin"}, {"solid", "rod"}}), "nothing is pinned there");
}

TEST(Session, FreezesJointsAsTheyAre) {
  Spoken s;
  s.open(kPendulum);
  s.must({{"do", "step"}, {"count", 100}});
  const double knee = s.coordinate("knee", "angle"), hinge = s.coordinate("hinge", "angle");
  const Json answer = s.must({{"do", "freeze"}, {"joints", {"knee"}}});
  EXPECT_EQ(answer["solids"], 1);  // the solver's work really shrinks
  EXPECT_EQ(answer["joints"], 1);
  s.must({{"do", "step"}, {"count", 100}});
  s.must({{"do", "unfreeze"}, {"joints", {"knee"}}});
  EXPECT_NEAR(s.coordinate("knee", "angle"), knee, 1e-9);
  EXPECT_GT(std::abs(s.coordinate("hinge", "angle") - hinge), 0.05);
  EXPECT_LT(s.error(), 1e-9);
  s.must({{"do", "freeze-but"}, {"joints", {"hinge"}}});
  EXPECT_EQ(s.must({{"ask", "state"}})["frozen"], Json::array({"knee"}));
}

TEST(Session, SwingsAsOneSolidWhereJointsAreMerged) {
  // The same pendulum in one piece: a compound pendulum has the same motion.
  Spoken two, one;
  two.open(kPendulum);
  two.must({{"do", "merge"}, {"joints", {"knee"}}});
  one.open(R"(
solid rod  box 1 0.1 0.1; box 0.4 0.2 0.2 at 0.7 0 0; at 0.5 0 0; end
joint pin hinge  object2 rod; at 0 0 0; axis 0 0 1; end
)");
  for (Spoken* s : {&two, &one}) s->must({{"do", "step"}, {"count", 480}});
  EXPECT_NEAR(two.coordinate("hinge", "angle"), one.coordinate("hinge", "angle"), 1e-8);
}

TEST(Session, SharesMomentumWhereSolidsBecomeOne) {
  Spoken s;
  s.open(R"(
gravity 0 0 0;
solid a box 0.4 0.1 0.1; at 0 0 0; velocity 0 1 0; end
solid b box 0.4 0.1 0.1; at 0.4 0 0; spin 0 0 2; end
joint ball middle object1 a; object2 b; at 0.2 0 0; end
)");
  s.must({{"do", "step"}});
  const Json before = s.must({{"ask", "measures"}});
  s.must({{"do", "merge"}, {"joints", {"middle"}}});
  const Json after = s.must({{"ask", "measures"}});
  EXPECT_NEAR(after["momentum"].get<double>(), before["momentum"].get<double>(), 1e-12);
  EXPECT_NEAR(after["angular_momentum"].get<double>(), before["angular_momentum"].get<double>(),
              1e-12);
  EXPECT_LT(after["kinetic"].get<double>(), before["kinetic"].get<double>() + 1e-12);
}

TEST(Session, FreezesWhatHangsOnTheWorld) {
  Spoken s;
  s.open(kPendulum);
  s.must({{"do", "freeze"}, {"joints", {"hinge", "knee"}}});
  const auto bob = s.place("bob");
  s.must({{"do", "step"}, {"count", 100}});
  EXPECT_EQ(distance(s.place("bob"), bob), 0);
  s.must({{"do", "unfreeze"}});
  s.must({{"do", "step"}, {"count", 100}});
  EXPECT_GT(distance(s.place("bob"), bob), 0.1);
}

TEST(Session, SetsManyCoordinatesAsOneEntry) {
  Spoken s, one;
  const Json values = {{{"joint", "knee"}, {"coordinate", "angle"}, {"value", 1.0}},
                       {{"joint", "hinge"}, {"coordinate", "angle"}, {"value", -7.0}}};
  for (Spoken* each : {&s, &one}) {
    each->open(kPendulum);
    each->must({{"do", "step"}, {"count", 10}});
  }
  const std::string before = s.hash();
  const Json answer = s.must({{"do", "coordinates"}, {"values", values}});
  EXPECT_TRUE(answer["reached"].get<bool>());
  EXPECT_EQ(answer["strides"], 0);
  for (Json value : values) {
    value["do"] = "coordinate";
    one.must(value);
  }
  for (const char* joint : {"knee", "hinge"})
    EXPECT_NEAR(s.coordinate(joint, "angle"), one.coordinate(joint, "angle"), 1e-9) << joint;
  for (Spoken* each : {&s, &one}) each->must({{"do", "step"}, {"count", 10}});
  // `energy` leaves velocities that the joints allow only up to O(dt²): one by one they are made to fit on the way.
  EXPECT_NEAR(s.coordinate("knee", "angle"), one.coordinate("knee", "angle"), 1e-5);
  s.must({{"do", "undo"}});
  EXPECT_EQ(s.must({{"do", "undo"}})["label"], "Set coordinates");
  EXPECT_EQ(s.hash(), before);
  EXPECT_EQ(s.refused({{"do", "coordinates"}, {"values", 3}}),
            "'values' must be a list of objects");
  EXPECT_EQ(s.refused({{"do", "coordinates"},
                       {"values", {{{"joint", "knee"}, {"coordinate", "x"}, {"value", 1}}}}}),
            "'knee' has no coordinate 'x'");
  s.must({{"do", "freeze"}, {"joints", "knee"}});
  EXPECT_EQ(s.refused({{"do", "coordinates"}, {"values", values}}), "'knee' is frozen");
}

TEST(Session, LimitsAndSetsCoordinates) {
  Spoken s;
  s.open(kPendulum);
  s.must({{"do", "limit"},
          {"joint", "hinge"},
          {"coordinate", "angle"},
          {"lower", -0.3},
          {"upper", 0.3}});
  s.must({{"do", "step"}, {"count", 480}});
  EXPECT_GT(s.coordinate("hinge", "angle"), -0.3 - 1e-6);
  s.must({{"do", "limit"},
          {"joint", "hinge"},
          {"coordinate", "angle"},
          {"lower", nullptr},
          {"upper", nullptr}});
  s.must({{"do", "step"}, {"count", 100}});
  EXPECT_LT(s.coordinate("hinge", "angle"), -0.4);
  const Json answer =
      s.must({{"do", "coordinate"}, {"joint", "knee"}, {"coordinate", "angle"}, {"value", 1.0}});
  EXPECT_TRUE(answer["reached"].get<bool>());
  EXPECT_NEAR(s.coordinate("knee", "angle"), 1.0, 1e-8);
}

// A loop follows the coordinate that is set, and undo takes it back.
TEST(Session, SetsACoordinateAndLoopsFollow) {
  Spoken s;
  s.openFile("linkages/four-bar");
  const Json joints = s.must({{"ask", "joints"}})["joints"];
  const std::string first = joints.begin().key(), last = std::prev(joints.end()).key();
  const double before = s.coordinate(first, "angle"), other = s.coordinate(last, "angle");
  const std::string hash = s.hash();
  const Json answer = s.must(
      {{"do", "coordinate"}, {"joint", first}, {"coordinate", "angle"}, {"value", before + 0.2}});
  EXPECT_TRUE(answer["reached"].get<bool>());
  EXPECT_NEAR(s.coordinate(first, "angle"), before + 0.2, 1e-8);
  EXPECT_GT(std::abs(s.coordinate(last, "angle") - other), 1e-3);
  EXPECT_LT(s.error(), 1e-8);
  s.must({{"do", "undo"}});
  EXPECT_EQ(s.hash(), hash);
}

// However far it is asked to go, a coordinate is set in so many strides or it is said how far it got.
TEST(Session, SetsCoordinatesInBoundedWork) {
  Spoken s;
  s.open(kPendulum);
  const auto set = [&](const char* joint, double value) {
    return s.must(
        {{"do", "coordinate"}, {"joint", joint}, {"coordinate", "angle"}, {"value", value}});
  };
  for (const double value : {1e5, -1e6, 1e12}) {
    const Json answer = set("knee", value);
    EXPECT_TRUE(answer["reached"].get<bool>()) << value;
    EXPECT_LE(answer["strides"], 8) << value;
    EXPECT_NEAR(s.coordinate("knee", "angle"), value, 1e-8 + 1e-15 * std::abs(value));
  }
  s.openFile("linkages/slider-crank");
  s.must({{"do", "settings"}, {"tolerance", 0.01}});
  std::vector<std::string> others;
  const Json joints = s.must({{"ask", "joints"}})["joints"];
  for (auto joint = joints.begin(); joint != joints.end(); ++joint)
    if (joint.key() != "shaft" && others.size() < 2) others.push_back(joint.key());
  s.must({{"do", "freeze"}, {"joints", others}});
  const Json answer = set("shaft", 3);
  EXPECT_FALSE(answer["reached"].get<bool>());
  EXPECT_GT(answer["error"].get<double>(), 1);
  EXPECT_LE(answer["strides"], 60);
}

// A budget of time: one step at least, and it is said how many were done. The recording has these, and no clock.
TEST(Session, StepsAsManyAsThereIsTimeFor) {
  Spoken s;
  s.open(kPendulum);
  const Json answer = s.must({{"do", "step"}, {"count", 1'000'000}, {"milliseconds", 0}});
  EXPECT_EQ(answer["steps"], 1);
  EXPECT_NEAR(answer["time"].get<double>(), 1.0 / 240, 1e-12);
  const Json recorded = s.must({{"ask", "recording"}})["commands"].back();
  EXPECT_EQ(recorded["count"], 1);
  EXPECT_FALSE(recorded.contains("milliseconds"));
  EXPECT_EQ(s.must({{"do", "step"}, {"count", 5}, {"milliseconds", 1e9}})["steps"], 5);
}

TEST(Session, DampsWhileItRuns) {
  Spoken free, damped;
  for (Spoken* s : {&free, &damped}) {
    s->open(kPendulum);
    s->must({{"do", "step"}, {"count", 50}});
  }
  EXPECT_EQ(free.hash(), damped.hash());
  damped.must({{"do", "damp"}, {"value", 0.05}});
  EXPECT_EQ(damped.must({{"ask", "state"}})["damp"], 0.05);
  const auto energy = [](Spoken& s) {
    const Json measures = s.must({{"ask", "measures"}});
    return measures["kinetic"].get<double>() + measures["potential"].get<double>();
  };
  const double before = energy(damped);
  for (Spoken* s : {&free, &damped}) s->must({{"do", "step"}, {"count", 480}});
  EXPECT_NEAR(energy(free), before, 1e-6);  // [J]
  EXPECT_LT(energy(damped), before - 1);
  EXPECT_EQ(damped.refused({{"do", "damp"}, {"value", -1}}),
            "the damping factor must be zero or more");
}

TEST(Session, SteersGravityForceAndStop) {
  Spoken s;
  s.open("solid a sphere 0.1; mass 2; end\n");
  s.must({{"do", "gravity"}, {"value", {0, 0, 0}}});
  s.must({{"do", "force"}, {"id", 1}, {"solid", "a"}, {"force", {4, 0, 0}}});
  s.must({{"do", "step"}, {"count", 240}, {"dt", 1.0 / 240}});
  EXPECT_NEAR(s.place("a")[0], 1.0, 1e-6);  // ½ a t², a = 2
  s.must({{"do", "stop"}});
  s.must({{"do", "force"}, {"id", 1}, {"solid", "a"}, {"force", {0, 0, 0}}});
  s.must({{"do", "step"}, {"count", 100}});
  EXPECT_NEAR(s.place("a")[0], 1.0, 1e-6);
}

// What an event has switched off stays off when something is pinned, and comes back with a reset.
TEST(Session, KeepsWhatEventsHaveSwitched) {
  Spoken s;
  s.open(std::string(kPendulum) + "at 0.05 deactivate knee;\n");
  s.must({{"do", "step"}, {"count", 20}, {"dt", 1.0 / 240}});
  s.must({{"do", "pin"}, {"solid", "rod"}});
  s.must({{"do", "step"}, {"count", 240}, {"dt", 1.0 / 240}});
  EXPECT_LT(s.place("bob")[1], -2);  // it has fallen off
  s.must({{"do", "unpin"}});
  s.must({{"do", "reset"}});
  s.must({{"do", "step"}, {"count", 10}, {"dt", 1.0 / 240}});
  EXPECT_GT(s.place("bob")[1], -0.5);
}

// -------------------------------------------------------------------------------------------- text

TEST(Session, EditsTheTextAndKeepsThePose) {
  Spoken s;
  s.open(kPendulum);
  s.must({{"do", "step"}, {"count", 50}});
  const auto bob = s.place("bob");
  const Json answer =
      s.must({{"do", "set"}, {"path", "bob"}, {"property", "density"}, {"values", "900"}});
  EXPECT_EQ(answer["edits"].size(), 1u);
  EXPECT_NE(s.must({{"ask", "text"}})["text"].get<std::string>().find("density 900"),
            std::string::npos);
  EXPECT_LT(distance(s.place("bob"), bob), 1e-9);
  s.must({{"do", "remove"}, {"paths", {"bob"}}});
  EXPECT_EQ(s.must({{"ask", "scene"}})["joints"].size(), 1u);  // the knee went along
  s.must({{"do", "undo"}});
  s.must({{"do", "undo"}});
  EXPECT_EQ(s.must({{"ask", "text"}})["text"], kPendulum);
  EXPECT_LT(distance(s.place("bob"), bob), 1e-12);
  s.must({{"do", "rename"}, {"path", "bob"}, {"to", "weight"}});
  EXPECT_EQ(s.must({{"ask", "scene"}})["solids"][1]["name"], "weight");
}

// A thing under another name is where it was, and is held as it was: solids, joints, placed figures and pins.
TEST(Session, ARenamedThingKeepsItsPoseAndWhatHoldsIt) {
  Spoken s;
  s.open(R"(gravity 0 0 0;
figure arm
  solid upper box 0.4 0.1 0.1; at 0.2 0 0; end
  solid lower box 0.4 0.1 0.1; at 0.6 0 0; end
  joint pin shoulder object2 upper; at 0 0 0; axis 0 0 1; end
  joint pin elbow object1 upper; object2 lower; at 0.4 0 0; axis 0 0 1; end
end
place arm left end
solid ball sphere 0.1; at 2 0 0; end
joint pin hinge object2 ball; at 1.5 0 0; axis 0 0 1; end
solid weight sphere 0.1; at 0 3 0; end
pin nail object weight; end
)");
  s.must({{"do", "coordinate"}, {"joint", "hinge"}, {"coordinate", "angle"}, {"value", 0.5}});
  s.must({{"do", "coordinate"}, {"joint", "left.elbow"}, {"coordinate", "angle"}, {"value", 0.7}});
  s.must({{"do", "pin"}, {"solid", "left.lower"}});
  s.must({{"do", "freeze"}, {"joints", {"left.elbow"}}});
  s.must({{"do", "merge"}, {"joints", {"hinge"}}});
  s.must(
      {{"do", "limit"}, {"joint", "hinge"}, {"coordinate", "angle"}, {"lower", -1}, {"upper", 1}});
  s.must({{"do", "force"}, {"id", 1}, {"solid", "ball"}, {"force", {1, 2, 3}}});
  const auto ball = s.place("ball"), lower = s.place("left.lower");
  EXPECT_GT(distance(ball, {2, 0, 0}), 0.1);
  for (const auto& [path, to] : std::vector<std::pair<std::string, std::string>>{
           {"ball", "bob"}, {"hinge", "pivot"}, {"left", "right"}, {"nail", "tack"}})
    s.must({{"do", "rename"}, {"path", path}, {"to", to}});
  EXPECT_LT(distance(s.place("bob"), ball), 1e-6);
  EXPECT_LT(distance(s.place("right.lower"), lower), 1e-6);
  const Json now = s.must({{"ask", "state"}});
  EXPECT_EQ(now["frozen"], Json({"right.elbow"}));
  EXPECT_EQ(now["merged"], Json({"pivot"}));
  ASSERT_EQ(now["limits"].size(), 1u);
  EXPECT_EQ(now["limits"][0]["joint"], "pivot");
  ASSERT_EQ(now["forces"].size(), 1u);
  EXPECT_EQ(now["forces"][0]["solid"], "bob");
  ASSERT_EQ(now["pins"].size(), 2u);
  EXPECT_EQ(now["pins"][0]["solid"], "weight");
  EXPECT_EQ(now["pins"][1]["solid"], "right.lower");
  s.must({{"do", "undo"}});
  s.must({{"do", "undo"}});
  EXPECT_LT(distance(s.place("left.lower"), lower), 1e-6);
}

// Pins of the text hold in motion and in assembly, whatever else is held.
TEST(Session, PinsOfTheTextHoldInMotionAndAssembly) {
  Spoken s;
  s.open(std::string(kPendulum) +
         "pin nail object bob; end\ngoal g object rod; point 0.5 0 0; target 0 9 0; end\n");
  const auto held = s.place("bob");
  s.must({{"do", "step"}, {"count", 120}});
  EXPECT_LT(distance(s.place("bob"), held), 1e-6);
  s.must(
      {{"do", "limit"}, {"joint", "knee"}, {"coordinate", "angle"}, {"lower", -3}, {"upper", 3}});
  s.must({{"do", "step"}, {"count", 120}});
  EXPECT_LT(distance(s.place("bob"), held), 1e-6);
  s.must({{"do", "scatter"}, {"seed", 3}});
  s.must({{"do", "assemble"}});
  EXPECT_LT(distance(s.place("bob"), held), 1e-6);
  EXPECT_LT(s.error(), 1e-9);
  // Frozen to the pinned bob, the rod is held by the same pin.
  s.must({{"do", "freeze"}, {"joints", {"knee"}}});
  s.must({{"do", "step"}, {"count", 120}});
  EXPECT_LT(distance(s.place("bob"), held), 1e-6);
}

// Goals of the text are followed by assembly while something else is held, too.
TEST(Session, GoalsOfTheTextAreFollowedWhateverIsHeld) {
  Spoken s;
  s.open(std::string(kPendulum) + "goal g object bob; target 0 1.2 0; end\n");
  s.must(
      {{"do", "limit"}, {"joint", "knee"}, {"coordinate", "angle"}, {"lower", -3}, {"upper", 3}});
  s.must({{"do", "assemble"}});
  EXPECT_LT(distance(s.place("bob"), {0, 1.2, 0}), 1e-4);
}

// A scene that crumples, and whose joints come into force while they are open: the step puts them right, says so, and
// nothing runs away.
TEST(Session, ACrumpledClothSurvivesItsCreases) {
  std::string text = fileText("jeon/cloth");
  const std::string size = "param size 12";
  text.replace(text.find(size), size.size(), "param size 6");
  for (int seed = 1; seed <= 2; ++seed) {
    Spoken s;
    s.open(text);
    s.must({{"do", "scatter"}, {"seed", seed}});
    s.must({{"do", "assemble"}, {"iterations", 300}});
    // Energy is lost in every step, but in the one in which the creases are closed (what that stretches was put in) and in
    // those that say that they did not converge; and there it does not run away.
    const auto energy = [&s] {
      const Json measures = s.must({{"ask", "measures"}});
      return measures["kinetic"].get<double>() + measures["potential"].get<double>();
    };
    bool said = false;
    double before = energy();
    for (int k = 0; k < 120; ++k) {
      const Json answer = s.must({{"do", "step"}, {"count", 1}});
      EXPECT_TRUE(answer["finite"].get<bool>());
      bool now = false;
      for (const Json& problem : answer["problems"])
        now = now || problem["what"].get<std::string>().find("at 1 s") != std::string::npos;
      const double after = energy();
      const bool converged = answer["converged"].get<bool>();
      EXPECT_TRUE(now || !converged || after <= before + 1e-6 * std::abs(before)) << k;
      EXPECT_LT(after, 2 * std::max(before, 1.0)) << k;
      // Joints are closed, but where a step says that it did not converge: a crease of triangles without area has no
      // angle.
      const double error = s.must({{"ask", "measures"}})["error"].get<double>();
      EXPECT_TRUE(!converged || error < 1e-6) << k << ": " << error;
      before = after;
      said = said || now;
    }
    EXPECT_TRUE(said);
  }
}

// Instants that nearly coincide: the clock and the motion agree.
TEST(Session, InstantsThatNearlyCoincideTakeNoTime) {
  Spoken s;
  s.open(std::string(kPendulum) + "at (0.1 + 0.2) damp 0;\nat 0.3 damp 0;\nat 1e-12 damp 0;\n");
  s.must({{"do", "step"}, {"count", 240}, {"dt", 1.0 / 240}});
  EXPECT_NEAR(s.must({{"ask", "state"}})["time"].get<double>(), 1, 1e-9);
}

// A hundred steps of 0.01 s are a little more than 1 s: what comes into force at 1 s does.
TEST(Session, RoundingHidesNoInstant) {
  Spoken s;
  s.open(
      "gravity 0 0 0;\nsolid a sphere 0.1; velocity 1 0 0; end\n"
      "joint ball late object2 a; point1 0 0 0; point2 0 0 0; active 1; end\n");
  bool said = false;
  for (int k = 0; k < 101; ++k)
    said = said || !s.must({{"do", "step"}, {"dt", 0.01}})["problems"].empty();
  EXPECT_TRUE(said);
  EXPECT_LT(distance(s.place("a"), {0, 0, 0}), 1e-6);
}

// What is held while it plays is put right first: nobody is shot away.
TEST(Session, HoldingWhileItPlaysGivesNoVelocity) {
  for (const char* method : {"energy", "interactive"}) {
    Spoken s;
    s.open(kPendulum);
    s.must({{"do", "settings"}, {"method", method}});
    s.must({{"do", "step"}, {"count", 60}});
    const auto kinetic = [&] { return s.must({{"ask", "measures"}})["kinetic"].get<double>(); };
    const double before = kinetic();
    s.must({{"do", "limit"},
            {"joint", "knee"},
            {"coordinate", "angle"},
            {"lower", 1.0},
            {"upper", 1.2}});
    const Json answer = s.must({{"do", "step"}});
    EXPECT_TRUE(answer["assembled"].get<bool>());
    EXPECT_EQ(answer["problems"].size(), 1u);  // it is said
    EXPECT_LT(kinetic(), before + 5);
    s.must({{"do", "pin"}, {"solid", "bob"}, {"point", {0.1, 0, 0}}, {"target", {0.9, -0.5, 0}}});
    s.must({{"do", "step"}});
    EXPECT_LT(kinetic(), before + 10);
    s.must({{"do", "freeze"}, {"joints", {"knee"}}});
    s.must({{"do", "step"}, {"count", 10}});
    EXPECT_LT(kinetic(), before + 10);
  }
}

// A text that gets another event does not begin its events anew.
TEST(Session, EventsOfThePastStayDone) {
  Spoken s;
  s.open(std::string(kPendulum) + "at 0.1 damp 1;\nat 0.2 gravity 0 0 0;\n");
  s.must({{"do", "step"}, {"count", 60}, {"dt", 1.0 / 240}});
  s.must({{"do", "add"}, {"block", "at 0.05 damp 0.5;"}});
  s.must({{"do", "gravity"}, {"value", {0, -9.81, 0}}});
  s.must({{"do", "step"}});
  EXPECT_EQ(s.must({{"ask", "state"}})["gravity"], Json({0.0, -9.81, 0.0}));
}

// A merge by an event is a merge: undone, saved and replayed like one.
TEST(Session, AnEventMergesSolids) {
  Spoken s;
  s.open(std::string(kPendulum) + "at 0.1 merge knee;\nat 0.2 stop;\nat 0.3 finish;\n");
  s.must({{"do", "step"}, {"count", 48}});
  EXPECT_EQ(s.must({{"ask", "state"}})["merged"], Json({"knee"}));
  EXPECT_LT(s.must({{"ask", "measures"}})["kinetic"].get<double>(), 1e-20);  // stopped, just now
  const Json answer = s.must({{"do", "step"}, {"count", 48}});
  EXPECT_TRUE(answer["stopped"].get<bool>());
  EXPECT_NEAR(answer["time"].get<double>(), 0.3, 1e-9);
  EXPECT_GT(s.must({{"ask", "measures"}})["kinetic"].get<double>(), 1e-3);
  s.must({{"do", "undo"}});
  EXPECT_EQ(s.must({{"ask", "state"}})["merged"], Json::array());
}

// ------------------------------------------------------------------------------------ ways of islands

// What the page says about a method comes from here.
TEST(Session, TheCatalogueSaysWhatEachMethodIs) {
  Spoken s;
  const Json catalogue = s.must({{"ask", "catalogue"}});
  std::vector<std::string> names;
  for (const Json& each : catalogue["methods"]) {
    Method method{};
    names.push_back(each["name"]);
    ASSERT_TRUE(fromName(names.back(), method));
    EXPECT_EQ(each["summary"], std::string(summaryOf(method)));
    EXPECT_GT(summaryOf(method).size(), 20u);
    EXPECT_EQ(each["islands"], goesByIslands(method));
    EXPECT_EQ(each["solver"], takesSolver(method));
    EXPECT_EQ(each["feedback"], takesFeedback(method));
    // By islands, or with a setting for the solver: no method has both.
    EXPECT_FALSE(goesByIslands(method) && takesSolver(method)) << names.back();
  }
  EXPECT_EQ(names, methodNames());
  EXPECT_EQ(names.front(), nameOf(StepSettings{}.method));
  EXPECT_EQ(catalogue["solvers"].front(), std::string(nameOf(StepSettings{}.linear.solver)));
  EXPECT_EQ(catalogue["assembly"].front(), std::string(nameOf(PoseSettings{}.method)));
}

TEST(Session, SaysWhichWayIslandsGoAndWhy) {
  Spoken s;
  std::string text;
  for (const char* n : {"a", "b", "c"})
    text += std::string("solid ") + n + " box 1 0.1 0.1; end\njoint pin j" + n + " object2 " + n +
            "; point2 -0.5 0 0; axis 0 0 1; end\n";
  s.open(text +
         "solid p sphere 0.1; at 5 0 0; end solid q sphere 0.1; at 6 0 0; end\n"
         "spring tie object1 p; object2 q; stiffness 5; rest 1; end\n");
  Json ways = s.must({{"ask", "ways"}})["ways"];
  ASSERT_EQ(ways.size(), 2u);
  EXPECT_EQ(ways[0], (Json{{"way", "tree kernel"},
                           {"why", Json::array()},
                           {"islands", 3},
                           {"solids", 3},
                           {"first", "a"}}));
  EXPECT_EQ(ways[1], (Json{{"way", "rows"},
                           {"why", {"springs between solids"}},
                           {"islands", 1},
                           {"solids", 2},
                           {"first", "p"}}));
  s.must({{"do", "settings"}, {"method", "baumgarte"}});
  EXPECT_TRUE(s.must({{"ask", "ways"}})["ways"].empty());
}

// A hand on a loop acts until it is gone; to ask changes no bit of the motion.
TEST(Session, WaysFollowWhatActs) {
  Spoken s, silent;
  for (Spoken* each : {&s, &silent}) each->openFile("linkages/four-bar");
  const auto way = [&] {
    const Json ways = s.must({{"ask", "ways"}})["ways"];
    EXPECT_EQ(ways.size(), 1u);
    EXPECT_EQ(ways[0]["why"].empty(), ways[0]["way"] != "rows") << ways.dump();
    return ways[0]["way"].get<std::string>();
  };
  EXPECT_EQ(way(), "loop kernel");
  const auto both = [&](const Json& command) {
    for (Spoken* each : {&s, &silent}) each->must(command);
  };
  both({{"do", "grab"}, {"id", 1}, {"solid", "coupler"}, {"point", {0, 0, 0}}, {"dynamic", true}});
  const std::string held = way();
  both({{"do", "step"}, {"count", 5}});
  EXPECT_EQ(way(), held);
  both({{"do", "release"}, {"id", 1}});
  EXPECT_EQ(way(), "loop kernel");
  both({{"do", "step"}, {"count", 5}});
  EXPECT_EQ(s.hash(), silent.hash());
}

// --------------------------------------------------------------------- assembling, verdicts, keeping

TEST(Session, AssemblesFromAnywhereAndSaysWhatItFound) {
  Spoken s;
  s.openFile("faure/fig2-bar-and-discs");
  s.must({{"do", "scatter"}, {"seed", 5}});
  EXPECT_GT(s.error(), 0.1);
  const Json answer = s.must({{"do", "assemble"}, {"trace", true}});
  EXPECT_EQ(answer["status"], "converged");
  EXPECT_GE(answer["frames"].size(), 1u);
  EXPECT_LT(s.error(), 1e-9);
  s.openFile("linkages/four-bar");
  const Json verdict = s.must({{"ask", "verdict"}});
  EXPECT_EQ(verdict["dof"], 1);
  EXPECT_EQ(verdict["redundant"], 3);
  EXPECT_NE(verdict["words"].get<std::string>().find("1 degree of freedom"), std::string::npos);
}

// Joints that contradict each other give way by their weights, in one step of undo; the others hold.
TEST(Session, RelaxesJointsThatContradictEachOther) {
  Spoken s;
  s.open(R"(
gravity 0 0 0;
solid a box 1 0.1 0.1; at 0.5 0 0; end
solid b box 1 0.1 0.1; at 1.5 0.2 0; end
joint ball left object2 a; point1 0 0 0; point2 -0.5 0 0; end
joint ball middle object1 a; point1 0.5 0 0; object2 b; point2 -0.5 0 0; end
joint ball right object2 b; point1 2.5 0 0; point2 0.5 0 0; end
)");
  EXPECT_EQ(s.must({{"do", "assemble"}})["status"], "inconsistent");
  EXPECT_EQ(s.must({{"do", "assemble"}})["yielded"], Json::array());
  const Json conflicts = s.must({{"ask", "verdict"}})["conflicts"];
  ASSERT_EQ(conflicts, Json::array({{"left", "middle", "right"}}));
  const auto before = s.hash();
  const Json yield = Json::array({{{"joint", "left"}, {"weight", 4}}, {{"joint", "right"}}});
  const Json answer = s.must({{"do", "assemble"}, {"yield", yield}});
  EXPECT_EQ(answer["status"], "converged") << answer["reason"];
  EXPECT_LT(answer["max_error"].get<double>(), 1e-9);
  ASSERT_EQ(answer["yielded"].size(), 2u);
  EXPECT_EQ(answer["yielded"][0]["joint"], "left");
  EXPECT_EQ(answer["yielded"][0]["weight"], 4);
  EXPECT_NEAR(answer["yielded"][0]["metres"].get<double>(), 0.1, 1e-7);
  EXPECT_NEAR(answer["yielded"][1]["metres"].get<double>(), 0.4, 1e-7);
  const auto relaxed = s.hash();
  EXPECT_NE(relaxed, before);
  s.must({{"do", "undo"}});
  EXPECT_EQ(s.hash(), before);
  s.must({{"do", "redo"}});
  EXPECT_EQ(s.hash(), relaxed);
  EXPECT_EQ(s.must({{"ask", "recording"}})["commands"].back()["do"], "redo");
  // What cannot be asked for is said.
  const auto refused = [&](const Json& yields, const char* method) {
    return s.refused({{"do", "assemble"}, {"yield", yields}, {"method", method}});
  };
  EXPECT_EQ(refused(Json::array({{{"joint", "lift"}}}), "newton"), "there is no joint 'lift'");
  EXPECT_NE(refused("left", "newton"), "");
  EXPECT_NE(refused(Json::array({"left"}), "newton"), "");
  EXPECT_NE(refused(Json::array({{{"joint", "left"}, {"weight", 0}}}), "newton"), "");
  EXPECT_NE(refused(yield, "relaxation"), "");
  // What the scene says about its method is no hindrance.
  const std::string text = s.must({{"ask", "text"}})["text"];
  s.open(text + "settings method relaxation; end\n");
  EXPECT_EQ(s.must({{"do", "assemble"}, {"yield", yield}})["status"], "converged");
}

// A soft joint that is out of reach stays open after assembly, and that is no fault.
TEST(Session, SaysThatOnlyJointsThatYieldAreOpen) {
  Spoken s;
  s.open(R"(
solid a box 1 0.1 0.1; at 0.7 0 0; end
joint ball hook object2 a; point1 0 0 0; point2 -0.5 0 0; end
joint ball hand object2 a; point1 0 3 0; point2 0.5 0 0; compliance 0.01; end
)");
  const auto words = [&] { return s.must({{"ask", "verdict"}})["words"].get<std::string>(); };
  EXPECT_NE(words().find("Assemble the scene to close them"), std::string::npos);
  EXPECT_EQ(s.must({{"do", "assemble"}})["status"], "converged");
  EXPECT_NEAR(s.error(), 2, 1e-9);
  EXPECT_EQ(words().find("Joints that yield are open. All others hold."), 0u);
}

// With no time for what is wanted, posing and assembling say so, and so they do with too few iterations.
TEST(Session, SaysWhereTheBudgetEndedBeforeTheHandWasFollowed) {
  for (const char* command : {"pose", "assemble"})
    for (const char* budget : {"milliseconds", "iterations"}) {
      Spoken s;
      s.open(kPendulum);
      s.must({{"do", "grab"},
              {"id", 1},
              {"solid", "bob"},
              {"point", {0.2, 0, 0}},
              {"target", {0.2, 0.9, 0}}});
      const Json hurried = s.must({{"do", command}, {budget, 0}});
      EXPECT_EQ(hurried["status"], "budget") << command << budget;
      EXPECT_GT(hurried["want_error"].get<double>(), 0.1) << command << budget;
      const Json whole = s.must({{"do", command}, {"iterations", 500}});
      EXPECT_EQ(whole["status"], "converged") << command << budget;
      EXPECT_LT(whole["want_error"].get<double>(), 1e-6) << command << budget;
    }
}

// The way there: poses that iterations made, from one run, in order. Being watched changes nothing.
TEST(Session, ShowsTheWayOfAnAssembly) {
  Spoken s, unseen;
  for (Spoken* one : {&s, &unseen}) {
    one->openFile("faure/fig3-bound-characters");
    one->must({{"do", "scatter"}, {"seed", 3}});
  }
  const Json answer = s.must({{"do", "assemble"}, {"trace", true}, {"iterations", 60}});
  EXPECT_EQ(unseen.must({{"do", "assemble"}, {"iterations", 60}})["iterations"],
            answer["iterations"]);
  EXPECT_EQ(s.hash(), unseen.hash());
  const Json& frames = answer["frames"];
  ASSERT_GE(frames.size(), 4u);
  EXPECT_LE(frames.size(), 24u);
  const int step = frames[1]["iteration"].get<int>() - frames[0]["iteration"].get<int>();
  for (std::size_t k = 0; k < frames.size(); ++k) {
    EXPECT_EQ(frames[k]["poses"].size(), s.session.poses().size());
    EXPECT_EQ(frames[k]["iteration"].get<int>(), step * static_cast<int>(k + 1));
  }
  EXPECT_LE(frames.back()["iteration"], answer["iterations"]);
  EXPECT_LT(frames.back()["error"], frames.front()["error"]);
  // What is recorded is the command without the show.
  const Json recording = s.must({{"ask", "recording"}})["commands"];
  EXPECT_EQ(recording.back()["do"], "assemble");
  EXPECT_FALSE(recording.back().contains("trace"));
}

TEST(Session, ComesBackFromASave) {
  Spoken a, b;
  a.openFile("figures/marionette");
  a.must({{"do", "step"}, {"count", 30}});
  const Json save = a.must({{"ask", "save"}})["save"];
  b.must({{"do", "restore"}, {"save", Json::parse(save.dump())}});
  EXPECT_EQ(a.hash(), b.hash());
  a.must({{"do", "step"}, {"count", 30}});
  b.must({{"do", "step"}, {"count", 30}});
  EXPECT_EQ(a.hash(), b.hash());
}

TEST(Session, ComesBackFromASaveWithAllThatIsHeld) {
  Spoken a, b, c;
  a.openFile("figures/marionette");
  const Json scene = a.must({{"ask", "scene"}});
  std::vector<std::string> solids, joints;
  for (const Json& solid : scene["solids"])
    if (solid["kind"] == "dynamic") solids.push_back(solid["name"].get<std::string>());
  std::string turning;
  for (const Json& joint : scene["joints"]) {
    joints.push_back(joint["name"].get<std::string>());
    if (joint["kind"] == "pin") turning = joints.back();
  }
  ASSERT_GE(joints.size(), 4u);
  a.must({{"do", "step"}, {"count", 20}});
  a.must({{"do", "freeze"}, {"joints", {joints[1], joints[2]}}});
  a.must({{"do", "merge"}, {"joints", {joints[3]}}});
  a.must({{"do", "pin"}, {"solid", solids[0]}});
  a.must({{"do", "pin"}, {"solid", solids.back()}, {"point", {0.01, 0.02, 0}}});
  if (!turning.empty())
    a.must({{"do", "limit"}, {"joint", turning}, {"coordinate", "angle"}, {"upper", 1.5}});
  a.must({{"do", "force"}, {"id", 2}, {"solid", solids[1]}, {"force", {0.1, 0, 0}}});
  a.must({{"do", "gravity"}, {"value", {0, -3, 1}}});
  a.must({{"do", "damp"}, {"value", 0.25}});
  a.must({{"do", "settings"},
          {"method", "interactive"},
          {"dt", 0.004},
          {"tolerance", 1e-9},
          {"budget", 2.5}});
  a.must({{"do", "step"}, {"count", 20}});
  const Json save = a.must({{"ask", "save"}})["save"];
  b.must({{"do", "restore"}, {"save", Json::parse(save.dump())}});
  Json is = b.must({{"ask", "state"}}), was = a.must({{"ask", "state"}});
  for (const char* key : {"time", "hash", "frozen", "merged", "pins", "limits", "forces", "gravity",
                          "damp", "settings"})
    EXPECT_EQ(is[key], was[key]) << key;
  EXPECT_TRUE(is["undo"].empty());
  // It goes on as if nothing had been, and what is held can be let go.
  for (Spoken* s : {&a, &b}) {
    s->must({{"do", "step"}, {"count", 20}});
    s->must({{"do", "unfreeze"}});
    s->must({{"do", "unpin"}});
    s->must({{"do", "step"}, {"count", 5}});
  }
  EXPECT_EQ(a.hash(), b.hash());
  // A save is a recording's beginning, too.
  const Json recording = b.must({{"ask", "recording"}})["commands"];
  for (const Json& command : recording) c.must(Json::parse(command.dump()));
  EXPECT_EQ(c.hash(), b.hash());
  // What does not fit is refused, and leaves all as it is.
  Json wrong = save;
  wrong["held"]["frozen"] = {"nobody"};
  EXPECT_EQ(b.refused({{"do", "restore"}, {"save", wrong}}), "there is no joint 'nobody'");
  wrong = save;
  wrong["held"]["state"]["spin"].push_back(0);
  EXPECT_EQ(b.refused({{"do", "restore"}, {"save", wrong}}), "'spin' does not fit the scene");
  EXPECT_EQ(c.hash(), b.hash());
}

TEST(Session, LeavesHandsOutOfASave) {
  Spoken a, b;
  a.open(kPendulum);
  a.must({{"do", "pin"}, {"solid", "rod"}, {"point", {0.5, 0, 0}}});
  a.must(
      {{"do", "grab"}, {"id", 1}, {"solid", "bob"}, {"dynamic", true}, {"target", {1.1, 0.4, 0}}});
  a.must({{"do", "step"}, {"count", 10}});
  b.must({{"do", "restore"}, {"save", a.must({{"ask", "save"}})["save"]}});
  EXPECT_TRUE(b.must({{"ask", "state"}})["grabs"].empty());
  EXPECT_EQ(b.must({{"ask", "state"}})["pins"].size(), 1u);
  EXPECT_LT(distance(a.place("bob"), b.place("bob")), 1e-6);
  b.must({{"do", "step"}, {"count", 10}});
  EXPECT_LT(b.error(), 1e-8);
}

TEST(Session, PinsAPointOnce) {
  Spoken s;
  s.open(kPendulum);
  EXPECT_EQ(s.must({{"do", "pin"}, {"solid", "bob"}, {"point", {0, 0, 0}}})["pin"], 0);
  EXPECT_EQ(s.must({{"do", "pin"}, {"solid", "rod"}})["pin"], 1);
  EXPECT_EQ(s.must({{"do", "pin"},
                    {"solid", "bob"},
                    {"point", {0, 0, 0}},
                    {"target", {1.1, 0.1, 0}}})["pin"],
            0);
  const Json pins = s.must({{"ask", "state"}})["pins"];
  ASSERT_EQ(pins.size(), 2u);
  EXPECT_EQ(pins[0]["target"], Json({1.1, 0.1, 0}));
}

// ------------------------------------------------------------------------------ the catalogue, typed commands

TEST(Catalogue, RefusesFieldsThatACommandDoesNotHave) {
  Spoken s;
  s.open(kPendulum);
  const std::string before = s.hash();
  EXPECT_EQ(s.refused({{"do", "pin"}, {"solid", "bob"}, {"to", {0, 0, 0}}}), "'pin' has no 'to'");
  EXPECT_EQ(s.refused({{"do", "damp"}, {"value", 1}, {"joint", "knee"}}), "'damp' has no 'joint'");
  EXPECT_EQ(s.run({{"do", "pin"}, {"solid", "bob"}, {"pont", {0, 0, 0}}})["problems"][0]["remedy"],
            "did you mean 'point'?");
  EXPECT_EQ(s.refused({{"do", "step"}, {"drag", 1}}), "'step' has no 'drag'");
  EXPECT_EQ(s.run({{"do", "stpe"}})["problems"][0]["remedy"], "did you mean 'step'?");
  EXPECT_EQ(s.hash(), before);
}

// No field is the same as none, and each of a request is read as the type that the catalogue says.
TEST(Catalogue, RefusesWhatIsMissingOrOfTheWrongTypeInEveryCommand) {
  Spoken s;
  s.open(kPendulum);
  const std::string before = s.hash();
  for (const CommandKind* kind : commandCatalogue())
    for (const Field& wrong : kind->fields) {
      Json request{{"do", kind->name}, {wrong.name, Json::object({{"no", "type"}})}};
      if (wrong.type == FieldType::Files) request[wrong.name] = 3;
      if (wrong.type == FieldType::Save) request[wrong.name] = "text";
      EXPECT_FALSE(s.run(request)["ok"].get<bool>()) << kind->name << " " << wrong.name;
      if ((wrong.flags & kNeeded) == 0) continue;
      EXPECT_FALSE(s.run({{"do", kind->name}})["ok"].get<bool>()) << kind->name;
    }
  EXPECT_EQ(s.hash(), before);
}

TEST(Catalogue, HasEachNameOnceAndFindsIt) {
  std::set<std::string> names;
  for (const CommandKind* kind : commandCatalogue()) {
    EXPECT_TRUE(names.insert(kind->name).second) << kind->name;
    EXPECT_EQ(findCommand(kind->name), kind);
#ifndef __EMSCRIPTEN__  // the page's module has no sentences
    EXPECT_NE(kind->says[0], 0) << kind->name;
#endif
  }
}

// Said in C++ or in JSON, it is the same: state, history and recording.
TEST(Session, TypedCommandsDoWhatJsonDoes) {
  Spoken s;
  s.open(kPendulum);
  s.must({{"do", "pin"}, {"solid", "bob"}, {"point", {0.2, 0, 0}}});
  s.must({{"do", "settings"}, {"method", "interactive"}, {"dt", 0.004}});
  s.must({{"do", "grab"}, {"id", 1}, {"solid", "rod"}, {"dynamic", true}});
  s.must({{"do", "move"}, {"id", 1}, {"target", {0.4, 0.1, 0}}, {"orientation", nullptr}});
  const Json moved = s.must({{"do", "step"}, {"count", 7}});
  s.must({{"do", "release"}, {"id", 1}});

  Spoken t;
  ASSERT_TRUE(t.session.run(commands::Open{kPendulum, "test.tenon", {}, {}}).ok());
  const auto pinned = t.session.run(commands::Pin{"bob", Vec3{0.2, 0, 0}, {}});
  ASSERT_TRUE(pinned.ok());
  EXPECT_EQ(pinned->pin, 0u);
  commands::Settings settings;
  settings.given.all = {{"method", 0, "interactive"}, {"dt", 0.004, ""}};
  ASSERT_TRUE(t.session.run(settings).ok());
  ASSERT_TRUE(t.session.run(commands::Grab{1, "rod", {}, {}, {}, true}).ok());
  ASSERT_TRUE(t.session.run(commands::Move{1, {0.4, 0.1, 0}, {}}).ok());
  const auto stepped = t.session.run(commands::Step{7, {}, {}});
  ASSERT_TRUE(stepped.ok());
  EXPECT_EQ(stepped->steps, 7);
  EXPECT_EQ(stepped->time, moved["time"].get<double>());
  ASSERT_TRUE(t.session.run(commands::Release{1}).ok());
  EXPECT_EQ(t.hash(), s.hash());
  EXPECT_EQ(t.must({{"ask", "recording"}}), s.must({{"ask", "recording"}}));
  EXPECT_EQ(t.must({{"ask", "state"}})["undo"], s.must({{"ask", "state"}})["undo"]);

  // What the parser refuses of JSON is refused here.
  for (const double bad : {kInfinity, 1e300, -1.0})
    EXPECT_FALSE(t.session.run(commands::Damp{bad}).ok());
  EXPECT_FALSE(t.session.run(commands::Step{-1, {}, {}}).ok());
  EXPECT_FALSE(t.session.run(commands::Restore{}).ok());
  EXPECT_EQ(t.session.run(commands::Pin{"bop", {}, {}}).problems()[0].what,
            "there is no solid 'bop'");
  EXPECT_EQ(t.hash(), s.hash());
  // A save is a value, and a text.
  const Result<Save> save = Save::read(t.session.save().json());
  ASSERT_TRUE(save.ok());
  Session u;
  EXPECT_FALSE(u.isOpen());
  ASSERT_TRUE(u.run(commands::Restore{*save, {}}).ok());
  EXPECT_EQ(stateHash(u.state()), stateHash(t.session.state()));
  EXPECT_EQ(u.text(), kPendulum);
  EXPECT_FALSE(Save::read("[]").ok());
}

// -------------------------------------------------------------------------------------- drags of sliders

// The values of a drag are one entry and one command, and end where its last value alone would.
TEST(Session, ADragIsOneEntryAndOneCommand) {
  for (const Json& command : std::vector<Json>{
           {{"do", "coordinate"}, {"joint", "knee"}, {"coordinate", "angle"}, {"value", 0.0}},
           {{"do", "damp"}, {"value", 0.0}},
           {{"do", "settings"}, {"budget", 1.0}}}) {
    const char* const key = command["do"] == "settings" ? "budget" : "value";
    Spoken dragged, once;
    for (Spoken* s : {&dragged, &once}) {
      s->open(kPendulum);
      s->must({{"do", "step"}, {"count", 5}});
    }
    Json request = command;
    for (const double value : {0.1, 0.4, 0.3}) {
      request[key] = value;
      request["drag"] = 4;
      dragged.must(request);
    }
    Json alone = command;
    alone[key] = 0.3;
    once.must(alone);
    EXPECT_EQ(dragged.hash(), once.hash());
    EXPECT_EQ(dragged.must({{"ask", "recording"}}), once.must({{"ask", "recording"}}));
    EXPECT_EQ(dragged.must({{"ask", "state"}}), once.must({{"ask", "state"}}));
    // A value that is refused leaves the one before; another drag, or another command between, is another entry.
    request[key] = 1e300;
    dragged.refused(request);
    EXPECT_EQ(dragged.must({{"ask", "state"}}), once.must({{"ask", "state"}}));
    request[key] = 0.2;
    dragged.must(request);
    EXPECT_EQ(dragged.must({{"ask", "state"}})["undo"].size(), 2u);
    dragged.must({{"do", "step"}});
    dragged.must(request);
    EXPECT_EQ(dragged.must({{"ask", "state"}})["undo"].size(), 4u);
    request["drag"] = 5;
    dragged.must(request);
    EXPECT_EQ(dragged.must({{"ask", "state"}})["undo"].size(), 5u);
    dragged.must({{"do", "undo"}});
    dragged.must(request);
    EXPECT_EQ(dragged.must({{"ask", "state"}})["undo"].size(), 5u);
  }
}

TEST(Recording, AndSavesSayTheirVersion) {
  Spoken s;
  s.open(kPendulum);
  s.must({{"do", "step"}, {"count", 3}});
  const Json recording = s.must({{"ask", "recording"}})["commands"];
  EXPECT_EQ(recording[0]["version"], kRecordingVersion);
  Json save = s.must({{"ask", "save"}})["save"];
  EXPECT_EQ(save["version"], kRecordingVersion);
  const std::string hash = s.hash();
  save["version"] = kRecordingVersion + 1;
  EXPECT_EQ(s.refused({{"do", "restore"}, {"save", save}}),
            "this was recorded by a later version of Tenon");
  Json open = recording[0];
  open["version"] = kRecordingVersion + 1;
  s.refused(open);
  EXPECT_EQ(s.hash(), hash);
  save.erase("version");  // of before there were versions
  s.must({{"do", "restore"}, {"save", save}});
  EXPECT_EQ(s.hash(), hash);
}

// ----------------------------------------------------------------------------- undo, redo, recordings

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : random_(seed) {}

  Json next(bool holding) {
    const auto vector = [&](double size) {
      const double x = random_.uniform(-size, size), y = random_.uniform(-size, size);
      return Json::array({x, y, random_.uniform(-size, size)});
    };
    const char* const solids[] = {"rod", "bob"};
    const char* const joints[] = {"hinge", "knee"};
    const std::string solid = solids[random_.below(2)], joint = joints[random_.below(2)];
    switch (random_.below(24)) {
      case 0:
        return {{"do", "pin"}, {"solid", solid}, {"point", vector(0.3)}};
      case 1:
        return {{"do", "unpin"}};
      case 2:
        return {{"do", "freeze"}, {"joints", {joint}}};
      case 3:
        return {{"do", "unfreeze"}};
      case 4:
        return {{"do", "merge"}, {"joints", {joint}}};
      case 5:
        return {{"do", "unmerge"}, {"joints", {joint}}};
      case 6:
        return {{"do", "limit"},
                {"joint", joint},
                {"coordinate", "angle"},
                {"lower", -2},
                {"upper", 2}};
      case 7:
        return {{"do", "coordinate"},
                {"joint", joint},
                {"coordinate", "angle"},
                {"value", random_.uniform(-1, 1)}};
      case 8:
        return {{"do", "gravity"}, {"value", vector(9)}};
      case 9:
        return {{"do", "stop"}};
      case 10:
        return {{"do", "scatter"}, {"seed", static_cast<int>(random_.below(100))}};
      case 11:
        return {{"do", "assemble"}, {"iterations", 50}};
      case 12:
        return {{"do", "reset"}};
      case 13:
        return {{"do", "settings"}, {"method", random_.below(2) == 0 ? "energy" : "interactive"}};
      case 14:
        return {{"do", "force"}, {"id", 1}, {"solid", solid}, {"force", vector(5)}};
      case 15:
        return {{"do", "set"},
                {"path", solid},
                {"property", "density"},
                {"values", std::to_string(500 + random_.below(500))}};
      case 16:
        if (holding) return {{"do", "release"}, {"id", 1}};
        return {{"do", "grab"},
                {"id", 1},
                {"solid", solid},
                {"point", vector(0.3)},
                {"dynamic", random_.below(2) == 0}};
      case 17:
        if (holding) return {{"do", "move"}, {"id", 1}, {"target", vector(1.5)}};
        return {{"do", "step"}, {"count", 2}};
      case 18:
        return {{"do", "pose"}, {"milliseconds", 0.2}};
      case 19:
        return {{"do", "damp"}, {"value", random_.uniform(0, 1)}};
      case 20:
        return {{"do", "freeze-but"}, {"joints", {joint}}};
      case 21:
        return {{"do", "pin"}, {"solid", solid}};
      case 22:
        if (holding)
          return {
              {"do", "move"}, {"id", 1}, {"target", vector(1.5)}, {"orientation", {0, 0, 1, 1}}};
        return {{"do", "grab"},
                {"id", 1},
                {"solid", solid},
                {"orientation", {0, 0, 0, 1}},
                {"dynamic", random_.below(2) == 0}};
      default:
        return {{"do", "step"}, {"count", static_cast<int>(1 + random_.below(4))}};
    }
  }

 private:
  Random random_;
};

TEST(Session, UndoesAndRedoesAnythingToEqualHashes) {
#ifdef NDEBUG
  constexpr int kCommands = 1000;
#else
  constexpr int kCommands = 200;
#endif
  Spoken s;
  s.open(kPendulum);
  Chance chance(7);
  Random random(11);
  int done = 0;
  for (int i = 0; i < kCommands; ++i) {
    const bool holding = !s.must({{"ask", "state"}})["grabs"].empty();
    const std::string before = s.hash();
    const std::size_t entries = s.must({{"ask", "state"}})["undo"].size();
    const Json answer = s.run(chance.next(holding));
    if (!answer["ok"].get<bool>()) {
      ASSERT_EQ(s.hash(), before) << "refused, and yet something changed";
      continue;
    }
    ++done;
    const Json state = s.must({{"ask", "state"}});
    if (random.below(4) != 0) continue;
    // Back by some entries and forth again.
    const auto back = static_cast<std::size_t>(
        1 + random.below(std::min<std::uint64_t>(5, state["undo"].size())));
    std::vector<std::string> hashes{state["hash"].get<std::string>()};
    for (std::size_t k = 0; k < back; ++k) {
      s.must({{"do", "undo"}});
      hashes.push_back(s.hash());
    }
    if (back == 1 && state["undo"].size() == entries + 1) {
      ASSERT_EQ(hashes[1], before);
    }
    for (std::size_t k = back; k-- > 0;) {
      s.must({{"do", "redo"}});
      ASSERT_EQ(s.hash(), hashes[k]) << i;
    }
  }
  EXPECT_GT(done, kCommands / 2);
  // To the start.
  while (!s.must({{"ask", "state"}})["undo"].empty()) s.must({{"do", "undo"}});
}

TEST(Session, ReplaysItsRecordingToTheSameHash) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    Spoken s, again;
    s.open(kPendulum);
    Chance chance(seed);
    for (int i = 0; i < 100; ++i) {
      const bool holding = !s.must({{"ask", "state"}})["grabs"].empty();
      static_cast<void>(s.run(chance.next(holding)));
      if (i % 9 == 8) static_cast<void>(s.run({{"do", "undo"}}));
    }
    const Json recording = s.must({{"ask", "recording"}})["commands"];
    for (const Json& command : recording) again.must(Json::parse(command.dump()));
    EXPECT_EQ(s.hash(), again.hash()) << seed;
  }
}

// ------------------------------------------------------------------------------- recordings that go on for long

// Commands of a pull as a session adds them, and as it reads them.
void add(Recording& recording, const Json& command) {
  const auto read = [&](const CommandKind& kind, auto asked) {
    tenon::read(kind.fields, command, &asked);
    recording.add(asked);
  };
  if (command["do"] == "move")
    read(kMove, commands::Move{});
  else if (command["do"] == "pose")
    read(kPose, commands::Pose{});
  else
    read(kStep, commands::Step{});
}
Json jsonOf(const Trail::Command& command) {
  const auto* const step = std::get_if<commands::Step>(&command);
  const auto* const move = std::get_if<commands::Move>(&command);
  const CommandKind& kind = step != nullptr ? kStep : move != nullptr ? kMove : kPose;
  Json json{{"do", kind.name}};
  std::visit([&](const auto& asked) { write(kind.fields, &asked, json); }, command);
  return json;
}

TEST(Recording, HasMoreStepsThanOneCommandMayHave) {
  Recording recording;
  recording.begin({{"do", "open"}});
  for (int i = 0; i < 7; ++i)
    add(recording, {{"do", "step"}, {"dt", 1.0 / 240}, {"count", 400'000}});
  long long steps = 0;
  for (const Json& command : recording.commands()) {
    EXPECT_LE(command.value("count", 0), kMostSteps);
    steps += command.value("count", 0);
  }
  EXPECT_EQ(steps, 2'800'000);
  EXPECT_LE(recording.commands().size(), 5u);
}

// Steps that a scene or a failure has stopped are run again as they were: they stop there, and others follow.
TEST(Recording, StepsThatStoppedAreACommandOfTheirOwn) {
  Recording recording;
  recording.begin({{"do", "open"}});
  recording.endSteps();
  add(recording, {{"do", "step"}, {"dt", 0.01}, {"count", 5}});
  add(recording, {{"do", "step"}, {"dt", 0.01}, {"count", 0}});
  add(recording, {{"do", "step"}, {"dt", 0.01}, {"count", 7}});
  const Json commands = recording.commands();
  ASSERT_EQ(commands.size(), 3u);
  EXPECT_EQ(commands[1]["count"], 5);
  EXPECT_EQ(commands[2]["count"], 7);
}

// Where a pointer may be, sample by sample: across the screen, with the noise of a hand.
class Pointer {
 public:
  std::vector<double> next() {
    for (int i = 0; i < 3; ++i)
      x_[i] += 0.02 * (random_.uniform() - 0.5) + 0.01 * std::sin(0.01 * n_ + i);
    ++n_;
    return {x_[0], x_[1], x_[2]};
  }
  std::vector<double> turn() {
    const double a = 0.013 * n_ + 0.01 * random_.uniform(), b = 0.007 * n_;
    return {std::sin(a) * std::cos(b), std::sin(a) * std::sin(b) * 0.6,
            std::sin(a) * std::sin(b) * 0.8, std::cos(a)};
  }

 private:
  Random random_{7};
  double x_[3] = {0.4, 1.7, -0.3};
  int n_ = 0;
};

// An hour of pulling at 60 updates a second takes at most 15 MB, in memory and as a file.
TEST(Recording, AnHourOfPullingIsSmall) {
  constexpr int kUpdates = 20'000;
  constexpr double kHour = 60.0 * 3600 / kUpdates;
  for (const bool turning : {false, true})
    for (const bool physics : {false, true}) {
      Recording recording;
      Pointer pointer;
      Random random(3);
      recording.begin({{"do", "open"}});
      std::vector<Json> given;
      for (int i = 0; i < kUpdates; ++i) {
        Json move{{"do", "move"}, {"id", 1}, {"target", pointer.next()}};
        if (turning) move["orientation"] = pointer.turn();
        given.push_back(move);
        // As many iterations as there was time for; as many steps as the clock asked for.
        if (physics)
          given.push_back({{"do", "step"}, {"dt", 1.0 / 240}, {"count", 3 + i % 3}});
        else
          given.push_back(
              {{"do", "pose"}, {"iterations", 1 + static_cast<int>(200 * random.uniform())}});
      }
      for (const Json& command : given) add(recording, command);
      const Json commands = recording.commands();
      double file = 0;
      for (const Json& command : commands) file += static_cast<double>(command.dump().size() + 1);
      EXPECT_LT(kHour * file, 15e6) << turning << physics;
      // A text that grows holds up to twice what it has.
      EXPECT_LT(kHour * static_cast<double>(recording.bytes()), 30e6) << turning << physics;
      // To the bit.
      std::vector<Trail::Command> read;
      for (const Json& command : commands)
        if (command["do"] == "follow") {
          ASSERT_TRUE(Trail::read(command["trail"].get<std::string>(), read));
        }
      ASSERT_EQ(read.size(), given.size());
      for (std::size_t i = 0; i < read.size(); ++i) ASSERT_EQ(jsonOf(read[i]), given[i]) << i;
    }
}

TEST(Recording, KeepsOddNumbersAndSeveralHands) {
  const double tiny = 5e-324, zero = -0.0;
  const std::vector<Json> given{{{"do", "move"}, {"id", 3}, {"target", {tiny, zero, 1e12}}},
                                {{"do", "move"}, {"id", 999'999}, {"target", {-1e12, 0.1, 1e-300}}},
                                {{"do", "pose"}, {"iterations", 0}},
                                {{"do", "move"},
                                 {"id", 0},
                                 {"target", {1.0, 2.0, 3.0}},
                                 {"orientation", {0.0, zero, 0.5, -0.5}}},
                                {{"do", "move"}, {"id", 3}, {"target", {zero, tiny, -1e12}}},
                                {{"do", "step"}, {"dt", 1e-6}, {"count", 1'000'000}},
                                {{"do", "step"}, {"dt", 1.0}, {"count", 1}},
                                {{"do", "pose"}, {"iterations", 100'000}}};
  Recording recording;
  recording.begin({{"do", "open"}});
  for (const Json& command : given) add(recording, command);
  const Json commands = recording.commands();
  ASSERT_EQ(commands.size(), 2u);
  std::vector<Trail::Command> read;
  ASSERT_TRUE(Trail::read(commands[1]["trail"].get<std::string>(), read));
  ASSERT_EQ(read.size(), given.size());
  for (std::size_t i = 0; i < read.size(); ++i) EXPECT_EQ(jsonOf(read[i]).dump(), given[i].dump());
}

// What is damaged is refused, whatever it is, and changes nothing.
// What its steps warn of is the trail's to say.
TEST(Recording, ATrailSaysWhatItsStepsWarnOf) {
  Spoken s;
  s.open(
      "gravity 0 0 0;\nsolid a sphere 0.1; velocity 1 0 0; end\nsolid b sphere 0.1; at 0 1 0; end\n"
      "joint ball late object2 a; point1 0 0 0; point2 0 0 0; active 0.5; end\n");
  s.must({{"do", "grab"}, {"id", 1}, {"solid", "b"}, {"dynamic", true}});
  Trail trail;
  trail.step(240, 1.0 / 240);
  trail.move(1, {0, 1.1, 0});
  trail.step(10, 1.0 / 240);
  const Json answer = s.must({{"do", "follow"}, {"trail", trail.inBase64()}});
  EXPECT_EQ(answer["steps"], 250);
  EXPECT_EQ(answer["finite"], true);
  ASSERT_EQ(answer["problems"].size(), 1u);
  EXPECT_NE(answer["problems"][0]["what"].get<std::string>().find("becomes active at 0.5 s"),
            std::string::npos);
}

TEST(Recording, DamagedTrailsAreRefused) {
  Spoken s;
  s.open(kPendulum);
  s.must({{"do", "grab"}, {"id", 1}, {"solid", "bob"}});
  Trail trail;
  trail.move(1, {1.3, 0.2, 0});
  trail.pose(3);
  trail.step(2, 0.01);
  const std::string good = trail.inBase64(), hash = s.hash();
  const auto undo = s.must({{"ask", "state"}})["undo"];
  EXPECT_NE(s.refused({{"do", "follow"}}), "");
  EXPECT_NE(s.refused({{"do", "follow"}, {"trail", good + "*"}}), "");
  Trail nobody;
  nobody.pose(3);
  nobody.move(2, {1, 1, 1});
  EXPECT_EQ(s.refused({{"do", "follow"}, {"trail", nobody.inBase64()}}), "hand 2 holds nothing");
  Trail endless;
  endless.pose(3);
  endless.step(2'000'000, 0.01);
  EXPECT_NE(s.refused({{"do", "follow"}, {"trail", endless.inBase64()}}), "");
  Trail wrong;
  wrong.pose(3);
  wrong.move(1, {1, std::nan(""), 1});
  EXPECT_NE(s.refused({{"do", "follow"}, {"trail", wrong.inBase64()}}), "");
  EXPECT_EQ(s.hash(), hash);
  EXPECT_EQ(s.must({{"ask", "state"}})["undo"], undo);
  // Any bytes: an answer, never a crash.
  Random random(11);
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (int k = 0; k < i % 40; ++k)
      text += kLetters[static_cast<std::size_t>(64 * random.uniform())];
    std::vector<Trail::Command> ignored;
    static_cast<void>(Trail::read(text, ignored));
  }
  s.must({{"do", "follow"}, {"trail", good}});
  EXPECT_NE(s.hash(), hash);
}

// The 56-solid structure of fig. 5, dragged about.                                        [Faure1998 fig. 5]
TEST(Session, DragsTheStructureOfFigureFive) {
  Spoken s;
  s.openFile("faure/fig5-structure");
  const Json scene = s.must({{"ask", "scene"}});
  std::string last;
  for (const Json& solid : scene["solids"])
    if (solid["kind"] == "dynamic") last = solid["name"].get<std::string>();
  const auto start = s.place(last);
  s.must({{"do", "grab"}, {"id", 1}, {"solid", last}});
  for (int i = 1; i <= 60; ++i) {
    const double a = 0.1 * i;
    s.must({{"do", "move"},
            {"id", 1},
            {"target",
             {start[0] + 0.1 * std::sin(a), start[1] + 0.1 * (1 - std::cos(a)),
              start[2] + 0.05 * a / 6}}});
    s.must({{"do", "pose"}, {"iterations", 50}});
    ASSERT_LT(s.error(), 1e-8) << i;
  }
}

// By so few iterations that a slow machine has them within its budget: it comes along all the way, its joints hardly
// open, and some more of them when the hand rests close everything.
TEST(Session, FollowsByAFewIterationsAndRecovers) {
  Spoken s;
  s.openFile("faure/fig5-structure");
  const auto start = s.place("head");
  s.must({{"do", "grab"}, {"id", 1}, {"solid", "head"}});
  const auto off = [&](double x, double y) {
    const auto at = s.place("head");
    return std::hypot(at[0] - x, at[1] - y, at[2] - start[2]);
  };
  double x = 0, y = 0, farthest = 0, moved = 0;
  for (int i = 1; i <= 200; ++i) {
    const double a = 0.02 * i;
    x = start[0] + 0.12 * std::sin(a);
    y = start[1] + 0.12 * (1 - std::cos(a));
    s.must({{"do", "move"}, {"id", 1}, {"target", {x, y, start[2]}}});
    const Json answer = s.must({{"do", "pose"}, {"iterations", 2}});
    ASSERT_LE(answer["iterations"].get<int>(), 2);
    ASSERT_LT(s.error(), 0.02) << i;
    farthest = std::max(farthest, off(x, y));
    moved = std::max(moved, distance(start, s.place("head")));
  }
  EXPECT_LT(farthest, 0.05);
  EXPECT_GT(moved, 0.2);
  for (int i = 0; i < 30; ++i) s.must({{"do", "pose"}, {"iterations", 2}});
  EXPECT_LT(off(x, y), 1e-6);
  EXPECT_LT(s.error(), 1e-8);
}

// The same with so little time that joints give way: it comes along, a recording of it ends in the same bits, and when
// the hand rests all is exact again.
TEST(Session, FollowsInATenthOfAMillisecond) {
  Spoken s, again;
  s.openFile("faure/fig5-structure");
  const auto start = s.place("head");
  s.must({{"do", "grab"}, {"id", 1}, {"solid", "head"}});
  const auto off = [&](double x, double y) {
    const auto at = s.place("head");
    return std::hypot(at[0] - x, at[1] - y, at[2] - start[2]);
  };
  double x = 0, y = 0, farthest = 0;
  for (int i = 1; i <= 200; ++i) {
    const double a = 0.02 * i;
    x = start[0] + 0.12 * std::sin(a);
    y = start[1] + 0.12 * (1 - std::cos(a));
    s.must({{"do", "move"}, {"id", 1}, {"target", {x, y, start[2]}}});
    s.must({{"do", "pose"}, {"milliseconds", 0.1}});
    ASSERT_LT(s.error(), 0.02) << i;
    farthest = std::max(farthest, off(x, y));
  }
  EXPECT_LT(farthest, 0.1);
  for (int i = 0; i < 30; ++i) s.must({{"do", "pose"}, {"milliseconds", 0.1}});
  EXPECT_LT(off(x, y), 1e-6);
  EXPECT_LT(s.error(), 1e-8);
  const Json recording = s.must({{"ask", "recording"}})["commands"];
  for (const Json& command : recording) again.must(Json::parse(command.dump()));
  EXPECT_EQ(s.hash(), again.hash());
}

// Of several sets that contradict themselves, who is in all of them is named; a list that is cut says so.
TEST(Session, VerdictNamesWhoFightsWithAll) {
  const auto ball = [](const std::string& solid, const std::string& name, const std::string& x) {
    return "joint ball " + name + "  object2 " + solid + "; point1 " + x +
           " 0 0; point2 0 0 0; end\n";
  };
  Spoken s;
  s.open("solid a sphere 10cm; end\n" + ball("a", "one", "0") + ball("a", "two", "0") +
         ball("a", "wrong", "1"));
  // As written, two of them hold, and only the third is open.
  EXPECT_NE(s.must({{"ask", "verdict"}})["words"].get<std::string>().find("wrong cannot hold"),
            std::string::npos);
  s.must({{"do", "assemble"}});  // which spreads the errors
  const Json shared = s.must({{"ask", "verdict"}});
  EXPECT_EQ(shared["conflicts"].size(), 2u);
  EXPECT_EQ(shared["conflicts_share"], Json::array({"wrong"}));
  EXPECT_TRUE(shared["conflicts_complete"].get<bool>());
  EXPECT_NE(shared["words"].get<std::string>().find("All of these conflicts share wrong"),
            std::string::npos);
  std::string text;
  for (int i = 0; i < 10; ++i) {
    const std::string name = "s" + std::to_string(i);
    text += "solid " + name + " sphere 10cm; end\n" + ball(name, name + "-a", "0") +
            ball(name, name + "-b", "1");
  }
  s.open(text);
  const Json cut = s.must({{"ask", "verdict"}});
  EXPECT_FALSE(cut["conflicts_complete"].get<bool>());
  EXPECT_EQ(cut["conflicts_share"], Json::array());
  EXPECT_NE(cut["words"].get<std::string>().find("There may be more such conflicts"),
            std::string::npos);
}

// What is of another kind than it should be is a problem, and no exception.
TEST(Session, AnswersOddValuesWithAProblem) {
  Spoken s;
  s.open(kPendulum);
  const std::string hash = s.hash();
  EXPECT_NE(s.refused({{"do", "assemble"}, {"trace", 3}}), "");
  EXPECT_EQ(s.hash(), hash);
}

}  // namespace
}  // namespace tenon::test
