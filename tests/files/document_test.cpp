// Edits change the text no more than they must.
#include <tenon/language.h>

#include <gtest/gtest.h>

namespace tenon {
namespace {

const char* const kScene = R"(// A lamp.
title "lamp";
gravity 0 -9.81 0;  // down

solid base  // heavy
  box 0.2 0.05 0.2;
  density 7850;   /* steel */
  immobile;
end

/* The arm. */
solid arm
  at 0   0.2 0;  // middle
  turn 0 0 1 10deg;
  capsule 1cm 0.3;
  box 0.1 0.1 0.1;
  group legs arm;
end

joint pin hinge
  object1 base; object2 arm;
  at 0 0 0; axis 0 0 1;
  limit angle min -1 max 1;
end

force push object arm; vector 1 0 0; end

figure leg
  param length 0.4;
  solid shin box 0.05 (length) 0.05; density 900; end
  joint ball knee object1 arm; object2 shin; at 0 0 0; end
end
place leg left
  at 0 1 0;
end
repeat i 1 3
  solid bead-(i) sphere 0.1; at (i) 5 0; end
end
at 2 deactivate hinge;
pose rest coordinate hinge angle 0.5; solid arm at 0 0 0; end
)";

SceneDocument open(const std::string& text) {
  Result<SceneDocument> d = SceneDocument::open(text, "lamp.tenon");
  EXPECT_TRUE(d) << (d ? "" : describe(d.problems().at(0)));
  return *d;
}

const Solid& solid(const SceneDocument& d, const std::string& name) {
  for (const Solid& s : d.scene().solids)
    if (s.name == name) return s;
  ADD_FAILURE() << "no solid " << name;
  static const Solid kNothing;
  return kNothing;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// The edit does to the old text what was done to the document.
void expectEdit(const std::string& before, const Result<TextEdit>& edit, const SceneDocument& d) {
  ASSERT_TRUE(edit) << describe(edit.problems().at(0));
  std::string text = before;
  text.replace(edit->offset, edit->length, edit->text);
  EXPECT_EQ(text, d.text());
  const Result<Scene> again = parseScene(d.text(), "lamp.tenon");
  ASSERT_TRUE(again);
  EXPECT_TRUE(sameScene(*again, d.scene()));
}

void expectRefused(const Result<TextEdit>& edit, const SceneDocument& d, const std::string& why) {
  ASSERT_FALSE(edit);
  EXPECT_NE(describe(edit.problems().at(0)).find(why), std::string::npos)
      << describe(edit.problems().at(0));
  EXPECT_EQ(d.text(), kScene);
}

TEST(Document, OpensOnlyWhatParses) {
  EXPECT_FALSE(SceneDocument::open("solid", "x.tenon"));
  EXPECT_EQ(open(kScene).text(), kScene);
}

TEST(Document, SetReplacesOnlyTheValueThatChanged) {
  SceneDocument d = open(kScene);
  const Result<TextEdit> edit = d.set("arm", "at", "0 0.25 0");
  expectEdit(kScene, edit, d);
  EXPECT_EQ(edit->length, 3u);
  EXPECT_EQ(edit->text, "0.25");
  EXPECT_EQ(d.text(), replaced(kScene, "at 0   0.2 0;  // middle", "at 0   0.25 0;  // middle"));
  EXPECT_EQ(solid(d, "arm").pose.p.y, 0.25);
}

TEST(Document, SetOfTheSameValueChangesNothing) {
  SceneDocument d = open(kScene);
  const Result<TextEdit> edit = d.set("base", "density", "7850");
  expectEdit(kScene, edit, d);
  EXPECT_EQ(d.text(), kScene);
}

TEST(Document, SetKeepsCommentsBetweenValues) {
  const std::string text = "solid a\n  at 1 /* x */ 2 /* y */ 3; box 1 1 1;\nend\n";
  SceneDocument d = open(text);
  expectEdit(text, d.set("a", "at", "7 2 (2 * 4)"), d);
  EXPECT_EQ(d.text(), "solid a\n  at 7 /* x */ 2 /* y */ (2 * 4); box 1 1 1;\nend\n");
}

TEST(Document, SetAddsAStatementAtTheEndOfTheBlock) {
  SceneDocument d = open(kScene);
  expectEdit(kScene, d.set("base", "colour", "1 0 0"), d);
  EXPECT_EQ(d.text(), replaced(kScene, "  immobile;\nend", "  immobile;\n  colour 1 0 0;\nend"));
}

TEST(Document, SetAddsToABlockOnOneLine) {
  SceneDocument d = open(kScene);
  expectEdit(kScene, d.set("push", "point", "0 1 0"), d);
  EXPECT_EQ(d.text(), replaced(kScene, "vector 1 0 0; end", "vector 1 0 0; point 0 1 0; end"));
}

TEST(Document, SetReplacesWhatSaysTheSameInOtherWords) {
  SceneDocument d = open(kScene);
  expectEdit(kScene, d.set("arm", "orientation", "0 0 0 1"), d);
  EXPECT_EQ(d.text(), replaced(kScene, "turn 0 0 1 10deg;", "orientation 0 0 0 1;"));
  const std::string before = d.text();
  expectEdit(before, d.set("base", "animated", ""), d);
  EXPECT_EQ(d.text(), replaced(before, "immobile;", "animated;"));
}

TEST(Document, SetTellsStatementsOfOneKindApart) {
  SceneDocument d = open(kScene);
  expectEdit(kScene, d.set("hinge", "limit angle", "min -1 max 2"), d);
  EXPECT_EQ(d.text(), replaced(kScene, "min -1 max 1;", "min -1 max 2;"));
  const std::string twice = "solid a\n  box 1 1 1;\n  box 2 2 2;\nend\n";
  SceneDocument e = open(twice);
  EXPECT_FALSE(e.set("a", "box", "3 3 3"));
  expectEdit(twice, e.set("a", "box[2]", "3 3 3"), e);
  EXPECT_EQ(e.text(), "solid a\n  box 1 1 1;\n  box 3 3 3;\nend\n");
  EXPECT_FALSE(e.set("a", "box[3]", "3 3 3"));
}

TEST(Document, SetsStatementsOfTheScene) {
  SceneDocument d = open(kScene);
  expectEdit(kScene, d.set("", "gravity", "0 0 -1.6"), d);
  EXPECT_EQ(d.text(), replaced(kScene, "gravity 0 -9.81 0;", "gravity 0 0 -1.6;"));
  const std::string before = d.text();
  expectEdit(before, d.set("", "damp", "0.5"), d);
  EXPECT_EQ(d.text(), replaced(before, "  // down\n", "  // down\ndamp 0.5;\n"));
  const std::string then = d.text();
  expectEdit(then, d.set("settings", "dt", "5ms"), d);
  EXPECT_EQ(d.text(), then + "\nsettings\n  dt 5ms;\nend\n");
  const std::string last = d.text();
  expectEdit(last, d.set("settings", "dt", "6ms"), d);
  EXPECT_EQ(d.text(), replaced(last, "5ms", "6ms"));
}

TEST(Document, SetsTheParametersOfAPlacedFigure) {
  SceneDocument d = open(kScene);
  expectEdit(kScene, d.set("left", "set length", "0.5"), d);
  EXPECT_EQ(d.text(), replaced(kScene, "  at 0 1 0;\nend", "  at 0 1 0;\n  set length 0.5;\nend"));
  EXPECT_EQ(solid(d, "left.shin").shapes[0].size.y, 0.5);
}

TEST(Document, WhatAFigureMadeIsOverridden) {
  SceneDocument d = open(kScene);
  expectEdit(kScene, d.set("left.shin", "density", "950"), d);
  const std::string once = std::string(kScene) + "\noverride left.shin\n  density 950;\nend\n";
  EXPECT_EQ(d.text(), once);
  EXPECT_EQ(solid(d, "left.shin").density, 950);
  expectEdit(once, d.set("left.shin", "density", "960"), d);
  EXPECT_EQ(d.text(), replaced(once, "950", "960"));
  const std::string twice = d.text();
  expectEdit(twice, d.set("left.shin", "mass", "2"), d);
  EXPECT_EQ(d.text(), replaced(twice, "  density 960;\n", "  density 960;\n  mass 2;\n"));
  const std::string thrice = d.text();
  expectEdit(thrice, d.unset("left.shin", "mass"), d);
  EXPECT_EQ(d.text(), twice);
  expectEdit(twice, d.unset("left.shin", "density"), d);
  EXPECT_EQ(d.text(), kScene) << "an empty override goes";
}

TEST(Document, WhatARepetitionMadeIsOverridden) {
  SceneDocument d = open(kScene);
  expectEdit(kScene, d.set("bead-2", "at", "9 9 9"), d);
  EXPECT_EQ(solid(d, "bead-2").pose.p, (Vec3{9, 9, 9}));
  EXPECT_EQ(solid(d, "bead-3").pose.p, (Vec3{3, 5, 0}));
  const std::string before = d.text();
  expectEdit(before, d.remove("bead-3"), d);
  EXPECT_EQ(d.text(), before + "\nremove bead-3;\n");
  EXPECT_EQ(d.scene().solids.size(), 5u);
}

TEST(Document, AnOverriddenShapeReplacesTheOldOne) {
  SceneDocument d = open(kScene);
  expectEdit(kScene, d.set("bead-1", "sphere", "0.2"), d);
  ASSERT_EQ(solid(d, "bead-1").shapes.size(), 1u);
  EXPECT_EQ(solid(d, "bead-1").shapes[0].size.x, 0.2);
  const std::string before = d.text();
  expectEdit(before, d.set("bead-1", "sphere", "0.3"), d);
  EXPECT_EQ(d.text(),
            std::string(kScene) + "\noverride bead-1\n  clear shapes;\n  sphere 0.3;\nend\n");
  ASSERT_EQ(solid(d, "bead-1").shapes.size(), 1u);
  EXPECT_EQ(solid(d, "bead-1").shapes[0].size.x, 0.3);
}

TEST(Document, UnsetOfAFiguresStatementClearsIt) {
  SceneDocument d = open(kScene);
  expectEdit(kScene, d.unset("left.shin", "density"), d);
  EXPECT_FALSE(solid(d, "left.shin").density.has_value());
  EXPECT_EQ(d.text(), std::string(kScene) + "\noverride left.shin\n  clear density;\nend\n");
}

TEST(Document, UnsetTakesTheLineAndItsComment) {
  SceneDocument d = open(kScene);
  expectEdit(kScene, d.unset("base", "density"), d);
  EXPECT_EQ(d.text(), replaced(kScene, "  density 7850;   /* steel */\n", ""));
  const std::string before = d.text();
  expectEdit(before, d.unset("", "gravity"), d);
  EXPECT_EQ(d.text(), replaced(before, "gravity 0 -9.81 0;  // down\n", ""));
  const std::string then = d.text();
  expectEdit(then, d.unset("hinge", "limit angle"), d);
  EXPECT_EQ(d.text(), replaced(then, "  limit angle min -1 max 1;\n", ""));
}

TEST(Document, AddAppendsABlock) {
  SceneDocument d = open(kScene);
  expectEdit(kScene, d.add("solid ball\n  sphere 0.1;\nend\n"), d);
  EXPECT_EQ(d.text(), std::string(kScene) + "\nsolid ball\n  sphere 0.1;\nend\n");
  SceneDocument bare = open("gravity 0 0 0;");
  expectEdit("gravity 0 0 0;", bare.add("damp 1;"), bare);
  EXPECT_EQ(bare.text(), "gravity 0 0 0;\n\ndamp 1;\n");
  SceneDocument empty = open("");
  expectEdit("", empty.add("damp 1;"), empty);
  EXPECT_EQ(empty.text(), "damp 1;\n");
}

TEST(Document, RemoveTakesTheBlockAndItsOverrides) {
  SceneDocument d = open(kScene);
  expectEdit(kScene, d.remove("push"), d);
  EXPECT_EQ(d.text(), replaced(kScene, "force push object arm; vector 1 0 0; end\n\n", ""));
  const std::string before = d.text();
  ASSERT_TRUE(d.set("left.shin", "density", "950"));
  ASSERT_TRUE(d.remove("left"));
  EXPECT_EQ(d.text(), replaced(before, "place leg left\n  at 0 1 0;\nend\n", ""));
}

TEST(Document, EditsThatBreakTheSceneAreRefused) {
  SceneDocument d = open(kScene);
  expectRefused(d.remove("arm"), d, "unknown solid 'arm'");
  expectRefused(d.set("arm", "at", "0 0"), d, "at");
  expectRefused(d.set("arm", "mass", "-1"), d, "mass");
  expectRefused(d.set("arm", "wobble", "3"), d, "wobble");
  expectRefused(d.set("arm", "at", "0 0 0; damp 3"), d, "is not a list of values");
  expectRefused(d.set("arm", "at", "0 0 0; end solid x"), d, "this 'end' closes no block");
  expectRefused(d.set("arm", "at", "0 0 0 //"), d, "");
  expectRefused(d.set("amr", "at", "0 0 0"), d, "did you mean 'arm'?");
  expectRefused(d.set("arm", "a b;", "0"), d, "");
  expectRefused(d.unset("arm", "mass"), d, "no statement 'mass'");
  expectRefused(d.add("solid arm sphere 1; end"), d, "arm");
  expectRefused(d.add("solid x"), d, "not closed");
  expectRefused(d.add("// nothing"), d, "nothing to add");
  expectRefused(d.remove("nobody"), d, "there is no 'nobody'");
}

TEST(Document, RenameChangesEveryMentionAndNothingElse) {
  SceneDocument d = open(kScene);
  const Result<std::vector<TextEdit>> edits = d.rename("arm", "boom");
  ASSERT_TRUE(edits) << describe(edits.problems().at(0));
  EXPECT_EQ(edits->size(), 5u);
  std::string text = kScene;
  for (std::size_t i = edits->size(); i-- > 0;) {
    EXPECT_EQ((*edits)[i].text, "boom");
    text.replace((*edits)[i].offset, (*edits)[i].length, (*edits)[i].text);
  }
  EXPECT_EQ(text, d.text());
  EXPECT_NE(text.find("group legs arm;"), std::string::npos) << "a group is not the solid";
  EXPECT_EQ(solid(d, "boom").groups.size(), 2u);

  ASSERT_TRUE(d.rename("hinge", "pivot"));
  EXPECT_NE(d.text().find("deactivate pivot;"), std::string::npos);
  EXPECT_NE(d.text().find("coordinate pivot angle"), std::string::npos);
  EXPECT_EQ(d.text().find("hinge"), std::string::npos);
}

TEST(Document, RenameOfAPlacedFigureReachesItsThings) {
  SceneDocument d = open(kScene);
  ASSERT_TRUE(d.set("left.shin", "density", "950"));
  const Result<std::vector<TextEdit>> edits = d.rename("left", "right");
  ASSERT_TRUE(edits) << describe(edits.problems().at(0));
  EXPECT_NE(d.text().find("override right.shin"), std::string::npos);
  EXPECT_EQ(solid(d, "right.shin").density, 950);
}

TEST(Document, RenameRefusesTakenSharedAndBadNames) {
  SceneDocument d = open(kScene);
  EXPECT_FALSE(d.rename("arm", "base"));
  EXPECT_FALSE(d.rename("arm", "left"));
  EXPECT_FALSE(d.rename("left.shin", "x"));
  EXPECT_FALSE(d.rename("bead-1", "x"));
  EXPECT_FALSE(d.rename("arm", "a b"));
  EXPECT_FALSE(d.rename("arm", "end"));
  EXPECT_FALSE(d.rename("arm", ""));
  EXPECT_FALSE(d.rename("nobody", "x"));
  EXPECT_EQ(d.text(), kScene);
}

TEST(Document, RenameRefusesToChangeMeanings) {
  // The figure's own `b` would catch the mention of the renamed `a`.
  const std::string text =
      "solid a sphere 1; end\n"
      "figure f\n  solid b sphere 1; end\n  joint ball k object1 a; object2 b; end\nend\n"
      "place f p at 0 0 0; end\n";
  SceneDocument d = open(text);
  EXPECT_FALSE(d.rename("a", "b"));
  EXPECT_EQ(d.text(), text);
  ASSERT_TRUE(d.rename("a", "c"));
  EXPECT_EQ(d.scene().joints[0].solid1, "c");

  // A figure's own `a` is not the scene's.
  SceneDocument e = open(
      "solid a sphere 1; end\nfigure f\n  solid a sphere 1; end\n"
      "  joint ball k object2 a; end\nend\nplace f p at 0 0 0; end\n");
  ASSERT_TRUE(e.rename("a", "z"));
  EXPECT_EQ(e.scene().joints[0].solid2, "p.a");
}

TEST(Document, IncludedThingsAreOverriddenHere) {
  ParseOptions options;
  options.include = [](const std::string&) -> Result<std::string> {
    return std::string("solid far sphere 1; density 10; end\n");
  };
  Result<SceneDocument> d = SceneDocument::open("include \"far.tenon\";\n", "x.tenon", options);
  ASSERT_TRUE(d) << describe(d.problems().at(0));
  ASSERT_TRUE(d->set("far", "density", "20"));
  EXPECT_EQ(d->text(), "include \"far.tenon\";\n\noverride far\n  density 20;\nend\n");
  EXPECT_EQ(d->scene().solids[0].density, 20);
  EXPECT_FALSE(d->rename("far", "near"));
}

TEST(Document, KeepsTheFilesLineEnds) {
  const std::string text = "solid a\r\n  sphere 1;\r\nend\r\n";
  SceneDocument d = open(text);
  expectEdit(text, d.set("a", "density", "5"), d);
  EXPECT_EQ(d.text(), "solid a\r\n  sphere 1;\r\n  density 5;\r\nend\r\n");
  ASSERT_TRUE(d.add("damp 1;"));
  EXPECT_EQ(d.text(), "solid a\r\n  sphere 1;\r\n  density 5;\r\nend\r\n\r\ndamp 1;\r\n");
  ASSERT_TRUE(d.unset("a", "density"));
  EXPECT_EQ(d.text(), "solid a\r\n  sphere 1;\r\nend\r\n\r\ndamp 1;\r\n");
}

// Many changes at once give the text that they give one after the other; what is wrong with one does not keep the others
// from being made.
TEST(Document, ChangesTogetherAreChangesOneByOne) {
  using Kind = SceneChange::Kind;
  const std::vector<SceneChange> changes = {
      {Kind::Set, "base", "density", "900"},
      {Kind::Set, "hinge", "frozen", ""},
      {Kind::Set, "nobody", "density", "1"},       // there is none
      {Kind::Set, "arm", "material", "unobtain"},  // which the text cannot be read with
      {Kind::Unset, "hinge", "limit angle", ""},
      {Kind::Set, "hinge", "merged", ""},
      {Kind::Remove, "push", "", ""},
      {Kind::Add, "", "", "solid one\n  sphere 1;\nend\n"},
      {Kind::Add, "", "", "solid two\n  sphere 1;\nend"},
      {Kind::Set, "two", "density", "3"},
      {Kind::Set, "", "damp", "0.5"},
  };
  std::string text(kScene);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  for (const std::string end : {"", "\n", "\n\n", "\r\n"}) {
    SceneDocument together = open(text + end), apart = open(text + end);
    const std::vector<std::vector<Problem>> wrong = together.change(changes);
    ASSERT_EQ(wrong.size(), changes.size());
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const SceneChange& c = changes[i];
      const Result<TextEdit> edit = c.kind == Kind::Set ? apart.set(c.path, c.property, c.values)
                                    : c.kind == Kind::Unset ? apart.unset(c.path, c.property)
                                    : c.kind == Kind::Add   ? apart.add(c.values)
                                                            : apart.remove(c.path);
      EXPECT_EQ(wrong[i].empty(), edit.ok()) << i;
      EXPECT_EQ(wrong[i].empty(), i != 2 && i != 3) << i;
      if (!edit.ok() && !wrong[i].empty()) {
        EXPECT_EQ(wrong[i].front().what, edit.problems().front().what);
      }
    }
    EXPECT_EQ(together.text(), apart.text());
    EXPECT_TRUE(sameScene(together.scene(), apart.scene()));
  }
}

// Things that a repetition makes each get their own `override`.
TEST(Document, ChangesTogetherReachWhatRepetitionsMake) {
  SceneDocument d = open("repeat i 1 3\n  solid s-(i) sphere 1; end\nend\n");
  std::vector<SceneChange> changes;
  for (const char* name : {"s-1", "s-2", "s-3"})
    changes.push_back({SceneChange::Kind::Set, name, "density", "5"});
  for (const std::vector<Problem>& wrong : d.change(changes)) EXPECT_TRUE(wrong.empty());
  for (const Solid& solid : d.scene().solids) EXPECT_EQ(solid.density, 5);
  EXPECT_NE(d.text().find("end\n\noverride s-2\n"), std::string::npos) << d.text();
}

}  // namespace
}  // namespace tenon
