// Includes, by a reader and from disk.
#include "files/scene_text.h"

#include <filesystem>
#include <fstream>
#include <map>

namespace tenon {
namespace {

using namespace test;
namespace fs = std::filesystem;

ParseOptions reading(std::map<std::string, std::string> texts) {
  ParseOptions options;
  options.include = [texts = std::move(texts)](const std::string& name) -> Result<std::string> {
    const auto at = texts.find(name);
    if (at != texts.end()) return at->second;
    Problem p;
    p.what = "no text " + name;
    return std::vector<Problem>{p};
  };
  return options;
}

TEST(Includes, ItemsOfAnotherText) {
  const Scene s =
      read(R"(include "lib.tenon"; place leg left set length 2; end solid a at (g) 0 0; end)",
           reading({{"lib.tenon",
                     "let g 7;\nfigure leg param length 1; solid b box 1 "
                     "(length) 1; end end\nsolid c end"}}));
  ASSERT_EQ(s.solids.size(), 3u);
  EXPECT_EQ(named(s.solids, "left.b").shapes[0].size.y, 2);
  EXPECT_EQ(named(s.solids, "a").pose.p.x, 7);
  ASSERT_EQ(s.files.size(), 2u);
  EXPECT_EQ(s.files[1].name, "lib.tenon");
  EXPECT_EQ(named(s.solids, "c").place.file, 1u);
  EXPECT_FALSE(named(s.solids, "c").shared);
}

TEST(Includes, IntoFigures) {
  const Scene s = read(R"(figure f include "part.tenon"; end place f a end place f b end)",
                       reading({{"part.tenon", "solid s end"}}));
  ASSERT_EQ(s.solids.size(), 2u);
  EXPECT_EQ(s.solids[1].name, "b.s");
  EXPECT_EQ(s.files.size(), 2u);  // read once
  const std::vector<Problem> problems =
      problemsOf(R"(figure f include "part.tenon"; end place f a end)",
                 reading({{"part.tenon", "gravity 0 0 0;"}}));
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].what, "unknown statement 'gravity' in figure");
}

TEST(Includes, ParametersOfIncludedTextsCanBeSet) {
  ParseOptions options = reading({{"lib.tenon", "param n 1;"}});
  options.set = {{"n", "4"}};
  EXPECT_EQ(read(R"(include "lib.tenon"; solid a at (n) 0 0; end)", options).solids[0].pose.p.x, 4);
}

TEST(Includes, Mistakes) {
  EXPECT_EQ(problemOf(R"(include "a.tenon";)", reading({{"a.tenon", R"(include "b.tenon";)"},
                                                        {"b.tenon", R"(include "./a.tenon";)"}})),
            "1:9: './a.tenon' includes itself; test.tenon → a.tenon → b.tenon → a.tenon");
  EXPECT_EQ(problemOf(R"(include "test.tenon";)", reading({})),
            "1:9: 'test.tenon' includes itself; test.tenon → test.tenon");
  EXPECT_EQ(problemOf(R"(include "x.tenon";)", reading({})), "1:9: no text x.tenon");
  const std::vector<Problem> inside =
      problemsOf("include \"lib.tenon\";", reading({{"lib.tenon", "solid a\n  mass -1;\nend"}}));
  ASSERT_EQ(inside.size(), 1u);
  EXPECT_EQ(inside[0].file, "lib.tenon");
  EXPECT_EQ(inside[0].line, 2);
  const std::vector<Problem> twice =
      problemsOf("include \"lib.tenon\";\nsolid a end", reading({{"lib.tenon", "\nsolid a end"}}));
  ASSERT_EQ(twice.size(), 1u);
  EXPECT_EQ(twice[0].remedy, "the first one, a solid, is at lib.tenon:2");
}

// A chain of includes, each deeper: ends with a message, not with the stack.
TEST(Includes, Depth) {
  ParseOptions options;
  options.include = [](const std::string& name) -> Result<std::string> {
    return "include \"" + name + "x\";";
  };
  const std::vector<Problem> problems = problemsOf("include \"a\";", options);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].what, "includes are nested deeper than 64");
}

class Disk : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() /
            ("tenon-load-" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
             "-" + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(root_);
    fs::create_directories(root_ / "scene" / "parts");
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string write(const std::string& name, const std::string& text) {
    const fs::path path = root_ / name;
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }
  std::string problem(const std::string& path, const ParseOptions& options = {}) {
    const Result<Scene> r = loadScene(path, options);
    EXPECT_FALSE(r);
    return r.problems().empty() ? "" : r.problems()[0].what;
  }

  fs::path root_;
};

TEST_F(Disk, ASceneWithItsParts) {
  write("scene/parts/leg.tenon", "include \"parts/foot.tenon\"; solid leg end");
  write("scene/parts/foot.tenon", "solid foot end");
  const std::string path = write("scene/main.tenon", "include \"parts/leg.tenon\"; solid a end");
  Result<Scene> r = loadScene(path);
  ASSERT_TRUE(r) << all(r.problems());
  EXPECT_EQ(r->solids.size(), 3u);
  EXPECT_EQ(r->files[0].name, path);
  EXPECT_EQ(r->files[1].name, (root_ / "scene/parts/leg.tenon").string());
}

TEST_F(Disk, WhatCannotBeRead) {
  EXPECT_NE(problem((root_ / "none.tenon").string()).find("there is no file"), std::string::npos);
  EXPECT_NE(problem((root_ / "scene").string()).find("is a folder, not a file"), std::string::npos);
  ParseOptions options;
  options.limits.fileBytes = 5;
  EXPECT_NE(problem(write("big.tenon", "solid a end"), options).find("larger than the 5 bytes"),
            std::string::npos);
  EXPECT_NE(problem("/dev/zero").find("not an ordinary file"), std::string::npos);
}

TEST_F(Disk, IncludesStayInTheFolder) {
  write("outside.tenon", "solid secret end");
  const auto include = [&](const std::string& name) {
    return problem(write("scene/main.tenon", "include \"" + name + "\";"));
  };
  EXPECT_EQ(include("../outside.tenon"), "'../outside.tenon' is not below the scene's folder");
  EXPECT_EQ(include("parts/../../outside.tenon"),
            "'parts/../../outside.tenon' is not below the scene's folder");
  EXPECT_EQ(include("../none.tenon"), "'../none.tenon' is not below the scene's folder");
  EXPECT_NE(include((root_ / "outside.tenon").string()).find("is not below the scene's folder"),
            std::string::npos);
  EXPECT_EQ(include("none.tenon"), "there is no file 'none.tenon' in the scene's folder");
  EXPECT_EQ(include("parts"), "'parts' is a folder, not a file");
  EXPECT_EQ(include(""), "an include needs the name of a file");

  std::error_code error;
  fs::create_symlink(root_ / "outside.tenon", root_ / "scene/link.tenon", error);
  if (error) GTEST_SKIP() << "no links here";
  EXPECT_EQ(include("link.tenon"), "'link.tenon' leads out of the scene's folder");
  fs::create_directory_symlink(root_, root_ / "scene/up");
  EXPECT_EQ(include("up/outside.tenon"), "'up/outside.tenon' leads out of the scene's folder");
  // A link that stays inside is fine.
  write("scene/parts/leg.tenon", "solid leg end");
  fs::create_symlink("parts/leg.tenon", root_ / "scene/leg.tenon");
  EXPECT_TRUE(loadScene(write("scene/main.tenon", "include \"leg.tenon\";")));
  fs::create_symlink("loop.tenon", root_ / "scene/loop.tenon");
  EXPECT_NE(include("loop.tenon").find("cannot read 'loop.tenon'"), std::string::npos);
}

}  // namespace
}  // namespace tenon
