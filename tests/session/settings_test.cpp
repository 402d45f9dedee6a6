// Every setting of the catalogue reaches the engine: from the library, from a text, and from a session.
#include <gtest/gtest.h>
#include <tenon/language.h>
#include <tenon/session.h>
#include <tenon/settings.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace tenon::test {
namespace {

using Json = nlohmann::json;

constexpr const char* kBall = "solid a sphere 0.1; end joint ball b object2 a; end\n";

// A value that is allowed, and not the default.
double anotherValue(const Setting& setting, const Setting::Field& field) {
  const double now = field.value(AllSettings{});
  switch (setting.kind) {
    case SettingKind::Switch:
      return 1 - now;
    case SettingKind::Choice:
      return static_cast<double>(field.words.size()) - 1 - (now > 0 ? 1 : 0);
    case SettingKind::Whole:
      return now + 3;
    default:
      return std::isfinite(now) && now > 0 ? now / 2 : 0.25;
  }
}
std::string textOf(const Setting& setting, const Setting::Field& field, double value) {
  if (setting.kind == SettingKind::Switch) return value != 0 ? "on" : "off";
  if (setting.kind == SettingKind::Choice)
    return std::string(field.words[static_cast<std::size_t>(value)]);
  std::ostringstream text;
  text.precision(17);
  text << (setting.unit == "ms" ? value / 1000 : value);
  return text.str();
}
Json jsonOf(const Setting& setting, const Setting::Field& field, double value) {
  if (setting.kind == SettingKind::Switch) return value != 0;
  if (setting.kind == SettingKind::Choice) return textOf(setting, field, value);
  return value;
}

Json ask(Session& session, const Json& request) { return Json::parse(session.run(request.dump())); }
Json open(Session& session, const std::string& text) {
  return ask(session, {{"do", "open"}, {"name", "a.tenon"}, {"text", text}});
}

TEST(Settings, HaveNamesOfTheirOwnAndPlacesOfTheirOwn) {
  AllSettings run;
  std::set<std::string_view> names;
  std::set<void*> places;
  for (const Setting& setting : settingCatalogue()) {
    EXPECT_TRUE(names.insert(setting.name).second) << setting.name;
    EXPECT_EQ(findSetting(setting.name), &setting);
    EXPECT_TRUE(setting.moving || setting.posing) << setting.name;
    EXPECT_EQ(bool(setting.moving), setting.methods != 0) << setting.name;
    EXPECT_EQ(bool(setting.posing), setting.assembly != 0) << setting.name;
    EXPECT_EQ(setting.help.back(), '.') << setting.name;
    for (const Setting::Field& field : {setting.moving, setting.posing}) {
      if (!field) continue;
      EXPECT_TRUE(places.insert(field.place(run)).second) << setting.name;
      EXPECT_EQ(setting.kind == SettingKind::Choice, field.type == Setting::Field::Type::Enum);
      EXPECT_EQ(setting.kind == SettingKind::Switch, field.type == Setting::Field::Type::Bool);
      EXPECT_EQ(setting.kind == SettingKind::Whole, field.type == Setting::Field::Type::Int ||
                                                        field.type == Setting::Field::Type::Seed);
      EXPECT_EQ(setting.kind == SettingKind::Choice, !field.words.empty()) << setting.name;
      const double value = anotherValue(setting, field);
      EXPECT_NE(value, field.value(AllSettings{})) << setting.name;
      field.set(run, value);
      EXPECT_EQ(field.value(run), value) << setting.name;
    }
  }
  EXPECT_EQ(findSetting("nothing"), nullptr);
  EXPECT_EQ(run.step.relaxation.largestTurn, 0.25);
  EXPECT_EQ(run.step.recursive.loops, Loops::HeavySegments);
}

TEST(Settings, ReachTheEngineFromAText) {
  for (const Setting& setting : settingCatalogue())
    for (const Setting::Field& field : {setting.moving, setting.posing}) {
      if (!field) continue;
      const double value = anotherValue(setting, field);
      const std::string text =
          "settings " + std::string(setting.name) + " " + textOf(setting, field, value) + "; end\n";
      const Result<Scene> scene = parseScene(kBall + text, "a.tenon");
      ASSERT_TRUE(scene) << text;
      EXPECT_DOUBLE_EQ(field.value(allSettingsOf(scene->settings)), value) << text;
      // Printed, it says the same.
      const Result<Scene> again = parseScene(printScene(*scene), "a.tenon");
      ASSERT_TRUE(again) << printScene(*scene);
      EXPECT_DOUBLE_EQ(field.value(allSettingsOf(again->settings)), value) << text;
      // A session takes it from the text.
      if (!setting.moving || field.place != setting.moving.place) continue;
      Session session;
      ASSERT_EQ(open(session, kBall + text)["ok"], true);
      const Json settings = ask(session, {{"ask", "state"}})["settings"];
      const Json expected = jsonOf(setting, field, value);
      if (expected.is_number())
        EXPECT_DOUBLE_EQ(settings[std::string(setting.name)].get<double>(), expected.get<double>())
            << text;
      else
        EXPECT_EQ(settings[std::string(setting.name)], expected) << text;
    }
}

TEST(Settings, OfATextSayWhatTheyMayBe) {
  for (const Setting& setting : settingCatalogue()) {
    const std::string wrong = setting.isNumber() ? "-1" : "nonsense";
    EXPECT_FALSE(parseScene("settings " + std::string(setting.name) + " " + wrong + "; end", "a"))
        << setting.name;
  }
}

TEST(Settings, ReachTheEngineFromASession) {
  for (const Setting& setting : settingCatalogue()) {
    const std::string name(setting.name);
    Session session, again;
    ASSERT_EQ(open(session, kBall)["ok"], true);
    if (setting.moving) {
      const double value = anotherValue(setting, setting.moving);
      const Json asked = jsonOf(setting, setting.moving, value);
      ASSERT_EQ(ask(session, {{"do", "settings"}, {name, asked}})["ok"], true) << name;
      EXPECT_EQ(ask(session, {{"ask", "state"}})["settings"][name], asked) << name;
      // It is undone, it is in the recording, and it is saved.
      const Json save = ask(session, {{"ask", "save"}})["save"];
      Session restored;
      ASSERT_EQ(ask(restored, {{"do", "restore"}, {"save", save}})["ok"], true) << name;
      EXPECT_EQ(ask(restored, {{"ask", "state"}})["settings"][name], asked) << name;
      const Json recording = ask(session, {{"ask", "recording"}})["commands"];
      for (const Json& command : recording) ask(again, command);
      EXPECT_EQ(ask(again, {{"ask", "state"}})["settings"][name], asked) << name;
      ask(session, {{"do", "undo"}});
      EXPECT_NE(ask(session, {{"ask", "state"}})["settings"][name], asked) << name;
    }
    if (setting.posing && name != "budget") {
      const Json asked = jsonOf(setting, setting.posing, anotherValue(setting, setting.posing));
      EXPECT_EQ(ask(session, {{"do", "assemble"}, {name, asked}})["ok"], true) << name;
    }
    for (const char* command : {"settings", "assemble"}) {
      if (!(*command == 's' ? setting.moving : setting.posing) || name == "budget") continue;
      Json wrong = {{"do", command}};
      wrong[name] = setting.kind == SettingKind::Switch ? Json("nonsense")
                    : setting.isNumber()                ? Json(-1)
                                                        : Json("nonsense");
      EXPECT_EQ(ask(session, wrong)["ok"], false) << command << " " << name;
    }
  }
}

TEST(Settings, AreInTheCatalogueOfTheSession) {
  Session session;
  const Json listed = ask(session, {{"ask", "catalogue"}})["settings"];
  ASSERT_EQ(listed.size(), settingCatalogue().size());
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const Setting& setting = settingCatalogue()[i];
    EXPECT_EQ(listed[i]["name"], setting.name);
    EXPECT_EQ(listed[i].contains("motion"), bool(setting.moving));
    EXPECT_EQ(listed[i].contains("assembly"), bool(setting.posing));
    if (!setting.moving) continue;
    std::vector<std::string> methods;
    for (const std::string& name : methodNames())
      if (Method method{}; fromName(name, method) && setting.isFor(method)) methods.push_back(name);
    EXPECT_EQ(listed[i]["motion"]["methods"], Json(methods)) << setting.name;
  }
}

// A chain of ten links that hangs from the world.
std::string chain() {
  std::string text = "gravity 0 0 0;\n";
  for (int i = 0; i < 10; ++i)
    text += "solid s" + std::to_string(i) + " box 0.1 0.02 0.02; at " +
            std::to_string(0.1 * i + 0.05) + " 0 0; end\njoint ball j" + std::to_string(i) + " " +
            (i > 0 ? "object1 s" + std::to_string(i - 1) + "; point1 0.05 0 0; " : std::string()) +
            "object2 s" + std::to_string(i) + "; point2 -0.05 0 0; end\n";
  return text;
}

struct Pulled {
  double way = 0;   // largest joint error while the hand moves [m]
  double rest = 0;  // after it has rested
  Json recording;
  std::string hash;
};
Pulled pulled(int geometric, int linear) {
  Session session;
  EXPECT_EQ(open(session, chain())["ok"], true);
  const auto must = [&](const Json& request) {
    const Json answer = ask(session, request);
    EXPECT_EQ(answer["ok"], true) << request.dump() << answer.dump();
    return answer;
  };
  must({{"do", "settings"},
        {"pull-method", "displacement"},
        {"pull-solver", "cg"},
        {"pull-iterations", geometric},
        {"pull-linear-iterations", linear}});
  must({{"do", "grab"}, {"id", 1}, {"solid", "s9"}, {"point", {0.05, 0, 0}}});
  Pulled result;
  for (int i = 1; i <= 20; ++i) {
    must({{"do", "move"}, {"id", 1}, {"target", {1 - 0.02 * i, 0.02 * i, 0}}});
    must({{"do", "pose"}});
    result.way = std::max(result.way, must({{"ask", "measures"}})["error"].get<double>());
  }
  for (int i = 0; i < 200; ++i) must({{"do", "pose"}});
  result.rest = must({{"ask", "measures"}})["error"].get<double>();
  result.recording = must({{"ask", "recording"}})["commands"];
  result.hash = must({{"ask", "state"}})["hash"];
  return result;
}

// Faure's control by hand: few iterations leave joints open, more close them, and at rest precision comes back.
//                                                                                        [Faure1998 §4.1]
TEST(Settings, FewIterationsFollowAHandLooselyAndCloseAtRest) {
  const Pulled few = pulled(2, 5), many = pulled(3, 50);
  EXPECT_GT(few.way, 10 * many.way);
  EXPECT_GT(few.way, 1e-5);
  EXPECT_LT(few.rest, few.way / 100);
  EXPECT_LT(many.rest, 1e-8);
  for (const Pulled& each : {few, many}) {
    Session again;
    for (const Json& command : each.recording) EXPECT_EQ(ask(again, command)["ok"], true);
    EXPECT_EQ(ask(again, {{"ask", "state"}})["hash"], each.hash);
  }
}

// Steps as long as a clock said: they are in the recording, and replay to the same bits.
TEST(Settings, StepsFromAClockReplayToTheSameBits) {
  Session session, again;
  ASSERT_EQ(open(session, chain())["ok"], true);
  ask(session, {{"do", "settings"}, {"method", "displacement"}});
  ask(session, {{"do", "gravity"}, {"value", {0, -9.81, 0}}});
  for (const double dt : {0.016, 0.017, 0.0161, 0.033, 0.0158})
    EXPECT_EQ(ask(session, {{"do", "step"}, {"dt", dt}})["ok"], true);
  const Json recording = ask(session, {{"ask", "recording"}})["commands"];
  for (const Json& command : recording) ask(again, command);
  EXPECT_EQ(ask(session, {{"ask", "state"}})["hash"], ask(again, {{"ask", "state"}})["hash"]);
  EXPECT_NEAR(ask(again, {{"ask", "state"}})["time"].get<double>(), 0.0979, 1e-12);
}

// At Gascuel's cap a step that is to stop there says so, and time has not moved.                [Gascuel1994 §2.2]
TEST(Settings, AStepSaysThatItStoppedAtItsCap) {
  Session session;
  ASSERT_EQ(open(session, chain())["ok"], true);
  ask(session, {{"do", "gravity"}, {"value", {0, -9.81, 0}}});
  ask(session,
      {{"do", "settings"}, {"method", "relaxation"}, {"iterations", 1}, {"on-cap", "stop"}});
  Json answer = ask(session, {{"do", "step"}});
  EXPECT_EQ(answer["capped"], true);
  EXPECT_EQ(answer["time"], 0);
  ask(session, {{"do", "settings"}, {"on-cap", "go"}});
  answer = ask(session, {{"do", "step"}});
  EXPECT_EQ(answer["capped"], false);
  EXPECT_GT(answer["time"].get<double>(), 0);
}

}  // namespace
}  // namespace tenon::test
