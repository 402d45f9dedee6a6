// What is made of a scene can leave it: `keep` writes it into the text, and the text opens to the same bits.
#include <gtest/gtest.h>
#include <tenon/compile.h>
#include <tenon/language.h>
#include <tenon/measure.h>
#include <tenon/session.h>
#include <tenon/simulation.h>

#include <cmath>
#include <ctime>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

namespace tenon::test {
namespace {

using Json = nlohmann::json;

std::string sceneText(const std::string& name) {
  std::ifstream file(std::string(TENON_SOURCE_DIR) + "/scenes/" + name + ".tenon");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Speaking {
  Session session;
  Json run(const Json& request) {
    Json answer = Json::parse(session.run(request.dump()));
    EXPECT_TRUE(answer.value("ok", false)) << request.dump() << "\n" << answer.dump();
    return answer;
  }
  void open(const std::string& text) {
    run({{"do", "open"},
         {"name", "manikin/test.tenon"},
         {"text", text},
         {"files", {{"human.tenon", sceneText("manikin/human")}}}});
  }
  Json state() { return run({{"ask", "state"}}); }
  std::string text() { return run({{"ask", "text"}})["text"].get<std::string>(); }
};

const char* const kHuman = "include \"human.tenon\";\nplace human tom\nend\n";

// Sat down by a pull at the pelvis, feet held, with this and that held.
void pull(Speaking& s) {
  s.run({{"do", "pin"}, {"solid", "tom.left-leg.foot"}});
  s.run({{"do", "pin"}, {"solid", "tom.right-leg.foot"}, {"point", {0.01, 0, 0}}});
  s.run({{"do", "grab"}, {"id", 1}, {"solid", "tom.pelvis"}, {"target", {-0.2, 0.6, 0.02}}});
  s.run({{"do", "pose"}, {"iterations", 40}});
  s.run({{"do", "release"}, {"id", 1}});
  s.run({{"do", "freeze"}, {"joints", {"tom.right-arm.wrist", "tom.left-arm.elbow"}}});
  s.run({{"do", "merge"}, {"joints", {"tom.neck"}}});
  s.run({{"do", "limit"},
         {"joint", "tom.right-leg.knee"},
         {"coordinate", "angle"},
         {"lower", -0.1},
         {"upper", 2.5}});
  s.run({{"do", "force"},
         {"id", 3},
         {"solid", "tom.chest"},
         {"point", {0, 0.1, 0}},
         {"force", {1, 2, 3}}});
  s.run({{"do", "gravity"}, {"value", {0, -1.62, 0}}});
}

TEST(Keep, TheTextOpensToTheSameBits) {
  Speaking s;
  s.open(kHuman);
  pull(s);
  const Json before = s.state();
  EXPECT_FALSE(s.run({{"ask", "kept"}})["complete"].get<bool>());
  const Json kept = s.run({{"do", "keep"}});
  EXPECT_EQ(kept["problems"], Json::array());
  EXPECT_FALSE(kept["moving"].get<bool>());
  const Json after = s.state();
  EXPECT_EQ(after["hash"], before["hash"]);
  EXPECT_TRUE(s.run({{"ask", "kept"}})["complete"].get<bool>());
  EXPECT_EQ(s.run({{"do", "keep"}})["edits"], Json::array());

  Speaking again;
  again.open(s.text());
  const Json opened = again.state();
  for (const char* key : {"hash", "pins", "frozen", "merged", "gravity", "limits", "forces"})
    EXPECT_EQ(opened[key], after[key]) << key;
  EXPECT_EQ(opened["pins"].size(), 2u);
  EXPECT_TRUE(again.run({{"ask", "kept"}})["complete"].get<bool>());
  // What the text holds can be let go, and the text is without it then.
  again.run({{"do", "unpin"}, {"solid", "tom.left-leg.foot"}});
  again.run({{"do", "unfreeze"}});
  again.run({{"do", "keep"}});
  EXPECT_EQ(again.text().find("frozen"), std::string::npos);
  EXPECT_EQ(again.text().find("pin pin-1"), std::string::npos);
  EXPECT_NE(again.text().find("pin pin-2"), std::string::npos);
  EXPECT_NE(again.text().find("merged"), std::string::npos);
}

// What cannot be written is said, and the text is not called complete.
TEST(Keep, SaysWhatItCannotWrite) {
  Speaking s;
  s.open(R"(gravity 0 0 0;
solid a box 0.2 0.2 0.1; end
solid b box 0.2 0.2 0.1; at 1 0 0; end
joint pin p object2 a; at 0 0 0; axis 0 0 1; end
joint pin q object2 b; at 1 0 0; axis 0 0 1; end
joint gear g couple p angle 1; couple q angle 1; end
)");
  s.run({{"do", "freeze"}, {"joints", {"p"}}});
  const Json kept = s.run({{"do", "keep"}});
  ASSERT_EQ(kept["problems"].size(), 1u);
  EXPECT_EQ(kept["problems"][0]["what"],
            "the joint 'p' is not saved as frozen, because another joint couples it");
  EXPECT_EQ(kept["frozen"], 0);
  EXPECT_FALSE(s.run({{"ask", "kept"}})["complete"].get<bool>());
  const Result<Scene> scene = parseScene(s.text(), "t");
  ASSERT_TRUE(scene.ok());
  EXPECT_TRUE(compile(*scene).ok());  // whoever opens it can
}

// The start of an included file stays: the pose is not half written, however often one tries.
TEST(Keep, LeavesTheStartOfAnIncludedFileAlone) {
  Speaking s;
  const std::string text = "include \"room\";\nsolid b box 0.2 0.2 0.1; at 1 0 0; end\n";
  s.run({{"do", "open"},
         {"name", "t.tenon"},
         {"text", text},
         {"files",
          {{"room",
            "solid a box 0.2 0.2 0.1; end\njoint pin p object2 a; at 0 0 0; axis 0 0 1; end\n"
            "pose bent solid a at 0 0 0; end\nstart bent;\n"}}}});
  s.run({{"do", "coordinate"}, {"joint", "p"}, {"coordinate", "angle"}, {"value", 1.0}});
  s.run({{"do", "pin"}, {"solid", "b"}});
  for (int time = 0; time < 2; ++time) {
    const Json kept = s.run({{"do", "keep"}});
    ASSERT_EQ(kept["problems"].size(), 1u);
    EXPECT_EQ(kept["problems"][0]["what"],
              "the pose is not saved, because the included file 'room' has a 'start' of its own");
    EXPECT_EQ(kept["pins"], 1);
    EXPECT_EQ(s.text().find("pose"), std::string::npos);
  }
  EXPECT_FALSE(s.state()["complete"].get<bool>());
}

// How many there are in the text: those that it had before are counted too.
TEST(Keep, CountsWhatTheTextHasOfWhatIsHeld) {
  Speaking s;
  s.open(std::string(kHuman) + "pin nail object tom.head; end\n");
  pull(s);
  const Json first = s.run({{"do", "keep"}});
  for (const auto& [key, count] : std::map<std::string, int>{
           {"pins", 3}, {"frozen", 2}, {"merged", 1}, {"limits", 1}, {"forces", 1}})
    EXPECT_EQ(first[key], count) << key;
  const Json again = s.run({{"do", "keep"}});
  EXPECT_EQ(again["edits"], Json::array());
  for (const auto& [key, count] : std::map<std::string, int>{{"pins", 3}, {"frozen", 2}})
    EXPECT_EQ(again[key], count) << key;
}

TEST(Keep, LeavesATextAloneWhereNothingWasMade) {
  Speaking s;
  s.open(kHuman);
  EXPECT_EQ(s.run({{"do", "keep"}})["edits"], Json::array());
  EXPECT_EQ(s.text(), kHuman);
}

TEST(Keep, CanBeUndoneAndWrittenAgain) {
  Speaking s;
  s.open(kHuman);
  pull(s);
  s.run({{"do", "keep"}});
  const std::string kept = s.text();
  s.run({{"do", "undo"}});
  EXPECT_EQ(s.text(), kHuman);
  s.run({{"do", "redo"}});
  EXPECT_EQ(s.text(), kept);
  // Another pose takes the place of the first.
  s.run({{"do", "coordinate"},
         {"joint", "tom.right-arm.elbow"},
         {"coordinate", "angle"},
         {"value", 1.0}});
  s.run({{"do", "keep"}});
  const std::string text = s.text();
  EXPECT_EQ(text.find("pose kept"), text.rfind("pose kept"));
  EXPECT_NE(text, kept);
  Speaking again;
  again.open(text);
  EXPECT_EQ(again.state()["hash"], s.state()["hash"]);
}

// Velocities are not kept, and that is said; the motion goes on.
TEST(Keep, SaysThatVelocitiesAreNotKept) {
  Speaking s;
  s.open("solid a box 1 0.1 0.1; end\njoint pin p object2 a; at 0.5 0 0; axis 0 0 1; end\n");
  s.run({{"do", "step"}, {"count", 100}});
  const std::string hash = s.state()["hash"];
  EXPECT_TRUE(s.run({{"do", "keep"}})["moving"].get<bool>());
  EXPECT_EQ(s.state()["hash"], hash);
  EXPECT_GT(s.run({{"ask", "measures"}})["kinetic"].get<double>(), 0.1);
  Speaking again;
  again.open(s.text());
  EXPECT_EQ(again.run({{"ask", "measures"}})["kinetic"].get<double>(), 0);
}

// Turns count: a screw that was turned three times is where it was, and stays within its limits.
TEST(Keep, KeepsTheTurns) {
  const std::string text =
      "gravity 0 0 0;\nsolid a box 1 0.1 0.1; spin 0 0 10; end\n"
      "joint pin p object2 a; at 0 0 0; axis 0 0 1; limit angle min -50 max 50; end\n";
  Speaking s;
  s.open(text);
  s.run({{"do", "step"}, {"count", 480}});
  const double angle = s.run({{"ask", "joints"}})["joints"]["p"]["coordinates"]["angle"];
  EXPECT_NEAR(angle, 20, 0.1);
  s.run({{"do", "keep"}});
  Speaking again;
  again.open(s.text());
  EXPECT_NEAR(again.run({{"ask", "joints"}})["joints"]["p"]["coordinates"]["angle"].get<double>(),
              angle, 1e-12);
}

// A start sets the state only: gears and rest lengths are those of the solids as written.
TEST(Start, SetsTheStateOnly) {
  const std::string scene = R"(gravity 0 0 0;
solid a box 0.2 0.2 0.1; end
solid b box 0.2 0.2 0.1; at 1 0 0; end
joint pin p object2 a; at 0 0 0; axis 0 0 1; end
joint pin q object2 b; at 1 0 0; axis 0 0 1; end
joint gear g couple p angle 1; couple q angle 1; end
spring s object1 a; object2 b; point1 0 0 0; point2 0 0 0; stiffness 5; end
)";
  const std::string pose =
      "pose turned solid a orientation 0 0 0.479425538604203 0.8775825618903728; solid b at 1 0 0 "
      "orientation 0 0 -0.479425538604203 0.8775825618903728; end\nstart turned;\n";
  const Result<Scene> plain = parseScene(scene, "t"), started = parseScene(scene + pose, "t");
  ASSERT_TRUE(plain.ok());
  ASSERT_TRUE(started.ok()) << describe(started.problems().front());
  EXPECT_TRUE(sameScene(*started, *parseScene(printScene(*started), "t")));
  const Result<Mechanism> a = compile(*plain), b = compile(*started);
  ASSERT_TRUE(b.ok()) << describe(b.problems().front());
  EXPECT_EQ(a->options, b->options);
  EXPECT_EQ(a->springs[0].rest, b->springs[0].rest);
  const State state = initialState(*b);
  EXPECT_NEAR(2 * std::atan2(state.orientation[0].z, state.orientation[0].w), 1, 1e-12);
  EXPECT_LT(jointError(*b, initialControl(*b), state).max, 1e-12);
}

TEST(Start, IsRefusedWhereThereIsNoSuchPose) {
  const Result<Scene> scene = parseScene("solid a sphere 1; end\nstart nowhere;\n", "t");
  ASSERT_FALSE(scene.ok());
  EXPECT_EQ(scene.problems()[0].line, 2);
}

// A frozen joint of a text is a weld in the pose of the start.
TEST(Start, FreezesJointsInItsPose) {
  const Result<Scene> scene = parseScene(R"(solid a box 1 0.1 0.1; at 0.5 0 0; end
solid b box 1 0.1 0.1; at 1.5 0 0; end
joint pin hip object2 a; at 0 0 0; axis 0 0 1; end
joint pin knee object1 a; object2 b; at 1 0 0; axis 0 0 1; frozen; end
pose bent solid a at 0.5 0 0; solid b at 1 0.5 0 orientation 0 0 0.7071067811865476 0.7071067811865476; end
start bent;
)",
                                         "t");
  ASSERT_TRUE(scene.ok()) << describe(scene.problems().front());
  const Result<Mechanism> m = compile(*scene);
  ASSERT_TRUE(m.ok()) << describe(m.problems().front());
  const State start = initialState(*m);
  const Control control = initialControl(*m);
  EXPECT_LT(jointError(*m, control, start).max, 1e-12);
  EXPECT_EQ(count(*m, control, start).dof, 1u);
  Simulation run(*scene, *m);
  run.begin();
  for (int i = 0; i < 240; ++i) run.step(1.0 / 240);
  const State end = run.sceneState();
  const Quat was = conjugate(start.orientation[0]) * start.orientation[1],
             is = conjugate(end.orientation[0]) * end.orientation[1];
  EXPECT_NEAR(std::abs(was.z * is.z + was.w * is.w), 1, 1e-12);
  EXPECT_GT(norm(end.position[0] - start.position[0]), 0.1);
}

// Point masses that are frozen go along with what they are frozen to, also through each other.
TEST(Start, FrozenPointMassesGoAlong) {
  const std::string text = R"(gravity 0 0 0;
solid a box 1 0.1 0.1; at 0.5 0 0; spin 0 0 2; velocity 0 1 0; end
solid p point-mass; mass 1; at 1 1 0; velocity -2 2 0; end
solid q point-mass; mass 1; at 1 2 0.5; velocity -4 2 0; end
solid b box 0.2 0.2 0.2; at 2 2 0; velocity -4 4 0; spin 0 0 2; end
joint pin hip object2 a; at 0 0 0; axis 0 0 1; end
joint distance ap object1 a; point1 0.5 0 0; object2 p; length 1; frozen; end
joint distance pq object1 p; object2 q; length 1.118033988749895; frozen; end
joint distance qb object1 q; object2 b; length 1.118033988749895; frozen; end
)";
  const Result<Scene> scene = parseScene(text, "t");
  ASSERT_TRUE(scene.ok()) << describe(scene.problems().front());
  const Result<Mechanism> m = compile(*scene);
  ASSERT_TRUE(m.ok()) << describe(m.problems().front());
  EXPECT_EQ(count(*m, initialControl(*m), initialState(*m)).dof, 1u);
  Simulation run(*scene, *m);
  run.begin();
  const State start = run.sceneState();
  for (int i = 0; i < 120; ++i) run.step(1.0 / 240);
  const State end = run.sceneState();
  EXPECT_GT(norm(end.position[0] - start.position[0]), 0.3);
  for (Index s = 1; s < 4; ++s) {
    const Vec3 was = rotate(conjugate(start.orientation[0]), start.position[s] - start.position[0]);
    const Vec3 is = rotate(conjugate(end.orientation[0]), end.position[s] - end.position[0]);
    EXPECT_LT(norm(is - was), 1e-8) << m->solidNames[s];
  }
  const Quat was = conjugate(start.orientation[0]) * start.orientation[3],
             is = conjugate(end.orientation[0]) * end.orientation[3];
  EXPECT_NEAR(std::abs(was.x * is.x + was.y * is.y + was.z * is.z + was.w * is.w), 1, 1e-10);
  Speaking s;  // and so in the session
  s.open(text);
}

// Of point masses alone no solid comes: they have no orientation that could turn the others. A text that asks for it is
// refused by whoever reads it, with the joint's place.
TEST(Start, PointMassesAloneCannotBeFrozen) {
  for (const std::string flag : {"frozen", "merged"})
    for (const std::string third :
         {"",
          "solid c point-mass; mass 1; at 0 1 0; end\njoint distance e object1 b; object2 c; "
          "length 1.4142135623730951; frozen; end\n"}) {
      const std::string text =
          "solid a point-mass; mass 1; end\nsolid b point-mass; mass 1; at 1 0 0; end\n"
          "joint distance d object1 a; object2 b; length 1; " +
          flag + "; end\n" + third;
      const Result<Scene> scene = parseScene(text, "t");
      ASSERT_TRUE(scene.ok()) << describe(scene.problems().front());
      const Result<Mechanism> m = compile(*scene);
      ASSERT_FALSE(m.ok());
      EXPECT_EQ(m.problems()[0].line, 3);
      EXPECT_NE(m.problems()[0].what.find("point masses"), std::string::npos);
      Session session;
      const Json answer =
          Json::parse(session.run(Json{{"do", "open"}, {"name", "t"}, {"text", text}}.dump()));
      ASSERT_FALSE(answer["ok"].get<bool>());
      EXPECT_EQ(answer["problems"][0]["line"], 3);
      EXPECT_EQ(answer["problems"][0]["what"], m.problems()[0].what);
    }
}

// By hand three of them can be frozen in a session, which makes them one solid; the text cannot say so.
TEST(Keep, SaysThatATextCannotFreezePointMassesAlone) {
  Speaking s;
  s.open(R"(gravity 0 0 0;
solid a point-mass; mass 1; end
solid b point-mass; mass 1; at 1 0 0; end
solid c point-mass; mass 1; at 0 1 0; end
joint distance d object1 a; object2 b; length 1; end
joint distance e object1 a; object2 c; length 1; end
)");
  s.run({{"do", "freeze"}, {"joints", {"d", "e"}}});
  const Json kept = s.run({{"do", "keep"}});
  EXPECT_EQ(kept["problems"].size(), 2u) << kept.dump();
  EXPECT_EQ(s.text().find("frozen"), std::string::npos);
  EXPECT_EQ(s.state()["frozen"], Json::array({"d", "e"}));
}

// Four times as much to write takes about four times as long, whether joints stand in the text or a repetition makes them.
TEST(Keep, CostsWhatThereIsToWrite) {
  const auto seconds = [](int count, bool repeated) {
    std::string text = "gravity 0 0 0;\nsolid s-0 sphere 0.1; end\n";
    const std::string n = std::to_string(count);
    if (repeated) {
      text +=
          "repeat k 1 " + n +
          "\nsolid s-(k) sphere 0.1; at (k) 0 0; end\n"
          "joint pin j-(k) object1 s-(k - 1); object2 s-(k); at (k) 0 0; axis 0 0 1; end\nend\n";
    } else {
      for (int k = 1; k <= count; ++k) {
        const std::string i = std::to_string(k);
        text += "solid s-" + i + " sphere 0.1; at " + i + " 0 0; end\njoint pin j-" + i +
                " object1 s-" + std::to_string(k - 1) + "; object2 s-" + i + "; at " + i +
                " 0 0; axis 0 0 1; end\n";
      }
    }
    double least = kInfinity;
    for (int run = 0; run < 2; ++run) {
      Speaking s;
      s.open(text);
      Json joints = Json::array();
      for (int k = 1; k <= count; ++k) joints.push_back("j-" + std::to_string(k));
      s.run({{"do", "freeze"}, {"joints", joints}});
      const std::clock_t begin = std::clock();  // of this program only
      s.run({{"do", "keep"}});
      least = std::min(least, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
      const std::string kept = s.text();
      int frozen = 0;
      for (std::size_t at = kept.find("frozen"); at != std::string::npos;
           at = kept.find("frozen", at + 1))
        ++frozen;
      EXPECT_EQ(frozen, count);
    }
    return least;
  };
  for (const bool repeated : {false, true}) {
    const double few = seconds(100, repeated), many = seconds(400, repeated);
    EXPECT_LT(many, 9 * few + 0.02) << repeated;  // 16: each one looks at all of them
  }
}

}  // namespace
}  // namespace tenon::test
