// Pictures: what is nearer covers what is farther, everything is there, and nothing is not finite.
#include <tenon/compile.h>
#include <tenon/draw.h>
#include <tenon/joint.h>
#include <tenon/language.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "draw/order.h"
#include "draw/svg.h"
#include "math/random.h"

namespace tenon {
namespace {

// -------------------------------------------------------------------------------- reading pictures

struct Polygon {
  unsigned colour = 0;
  std::vector<Vec3> loop;  // [px], y down
};

bool contains(const std::vector<Vec3>& loop, double x, double y) {
  bool inside = false;
  for (std::size_t i = 0, j = loop.size() - 1; i < loop.size(); j = i++)
    if ((loop[i].y > y) != (loop[j].y > y) &&
        x < (loop[j].x - loop[i].x) * (y - loop[i].y) / (loop[j].y - loop[i].y) + loop[i].x)
      inside = !inside;
  return inside;
}

// Of path data "Mx yl dx dy…z" the loops.
std::vector<std::vector<Vec3>> loopsOf(const std::string& d) {
  std::vector<std::vector<Vec3>> loops;
  Vec3 pen;
  const char* at = d.c_str();
  while (*at != '\0') {
    const bool absolute = *at == 'M';
    if (absolute) loops.emplace_back();
    if (absolute || *at == 'l' || *at == 'z') {
      ++at;
      if (absolute) pen = {};
      continue;
    }
    char* end = nullptr;
    const double x = std::strtod(at, &end);
    const double y = std::strtod(end, &end);
    EXPECT_NE(at, end) << d;
    if (at == end) break;
    at = end;
    pen += Vec3{x, y, 0};
    loops.back().push_back(pen);
  }
  return loops;
}

std::string attributeOf(const std::string& element, const std::string& name) {
  const std::size_t at = element.find(" " + name + "=\"");
  if (at == std::string::npos) return {};
  const std::size_t begin = at + name.size() + 3;
  return element.substr(begin, element.find('"', begin) - begin);
}

// Filled polygons of the solids, in the order in which they are painted.
std::vector<Polygon> polygonsOf(const std::string& svg) {
  std::vector<Polygon> polygons;
  for (std::size_t at = svg.find("<path color="); at != std::string::npos;
       at = svg.find("<path color=", at + 1)) {
    const std::string element = svg.substr(at, svg.find('>', at) - at);
    if (!attributeOf(element, "class").empty()) continue;
    const auto colour = static_cast<unsigned>(
        std::strtoul(attributeOf(element, "color").substr(1).c_str(), nullptr, 16));
    for (std::vector<Vec3>& loop : loopsOf(attributeOf(element, "d")))
      polygons.push_back({colour, std::move(loop)});
  }
  return polygons;
}

// 'r', 'g' or 'b': the strongest part of the colour on top; '-': the sheet.
char seenAt(const std::string& svg, double x, double y) {
  char seen = '-';
  for (const Polygon& p : polygonsOf(svg))
    if (contains(p.loop, x, y)) {
      const unsigned r = p.colour >> 16u, g = p.colour >> 8u & 0xffu, b = p.colour & 0xffu;
      seen = r > g && r > b ? 'r' : g > b ? 'g' : 'b';
    }
  return seen;
}

Drawing drawn(const std::string& text, const DrawSettings& settings = {}) {
  const Result<Scene> scene = parseScene(text, "test.tenon");
  EXPECT_TRUE(scene) << text;
  if (!scene) return {};
  const Result<Mechanism> mechanism = compile(*scene);
  EXPECT_TRUE(mechanism) << text;
  if (!mechanism) return {};
  return drawScene(*scene, *mechanism, initialState(*mechanism), settings);
}

DrawSettings fromFront() {
  DrawSettings settings;
  settings.yaw = settings.pitch = 0;
  settings.joints = false;
  return settings;
}

void expectSane(const std::string& svg) {
  for (const char* word : {"nan", "inf", "NaN", "Inf"})
    EXPECT_EQ(svg.find(word), std::string::npos) << word;
  EXPECT_EQ(svg.rfind("<svg ", 0), 0u);
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
  for (const Polygon& p : polygonsOf(svg))
    for (const Vec3& v : p.loop) {
      EXPECT_TRUE(v.x > -20 && v.x < 20000 && v.y > -20 && v.y < 20000) << v.x << " " << v.y;
    }
}

const char* const kRed = "colour 1 0 0;";
const char* const kBlue = "colour 0 0 1;";

// ------------------------------------------------------------------------------------------- order

std::vector<Facet> randomTriangles(Random& random, std::size_t count) {
  std::vector<Facet> facets;
  while (facets.size() < count) {
    Facet facet;
    for (int i = 0; i < 3; ++i)
      facet.loop.push_back(
          {random.uniform(0, 400), random.uniform(0, 400), random.uniform(-200, 200)});
    facet.inked.assign(3, 0);
    facet.form = static_cast<std::uint32_t>(facets.size());
    facet.fill = facet.form;
    if (areaOf(facet.loop) < 0) std::swap(facet.loop[0], facet.loop[1]);
    if (areaOf(facet.loop) > 1000) facets.push_back(std::move(facet));
  }
  return facets;
}

double depthAt(const std::vector<Vec3>& t, double x, double y) {
  const Vec3 n = cross(t[1] - t[0], t[2] - t[0]);
  return t[0].z - (n.x * (x - t[0].x) + n.y * (y - t[0].y)) / n.z;
}

TEST(DrawOrder, WhatIsPaintedLastIsNearestAlsoWhereTrianglesCrossAndCircle) {
  Random random(7);
  std::size_t samples = 0, wrong = 0;
  for (int round = 0; round < 20; ++round) {
    const std::vector<Facet> triangles = randomTriangles(random, 25);
    const std::vector<Facet> ordered = farToNear(triangles, 1000).facets;
    EXPECT_GE(ordered.size(), triangles.size());
    for (int k = 0; k < 500; ++k) {
      const double x = random.uniform(0, 400), y = random.uniform(0, 400);
      std::vector<std::pair<double, std::uint32_t>> depths;
      for (const Facet& t : triangles)
        if (contains(t.loop, x, y)) depths.emplace_back(depthAt(t.loop, x, y), t.fill);
      std::sort(depths.rbegin(), depths.rend());
      if (depths.size() < 2 || depths[0].first - depths[1].first < 3) continue;
      std::uint32_t top = 0;
      for (const Facet& f : ordered)
        if (contains(f.loop, x, y)) top = f.fill;
      ++samples;
      wrong += top != depths[0].second ? 1 : 0;
    }
  }
  EXPECT_GT(samples, 4000u);
  EXPECT_LE(wrong, samples / 1000);  // slivers that are not worth a cut
}

TEST(DrawOrder, BarsThatHideEachOtherInACircleAreCutOpen) {
  // Three bars around a triangle, each over the next at its end and under the one before.
  std::vector<Facet> bars;
  for (unsigned k = 0; k < 3; ++k) {
    const double a = 2 * kPi * k / 3;
    const Vec3 along{std::cos(a), std::sin(a), 0}, across{-std::sin(a), std::cos(a), 0};
    const Vec3 middle = Vec3{200, 200, 0} - 60 * across, rise{0, 0, 40};
    Facet bar;
    bar.loop = {
        middle - 150 * along - 10 * across - rise, middle + 150 * along - 10 * across + rise,
        middle + 150 * along + 10 * across + rise, middle - 150 * along + 10 * across - rise};
    bar.inked.assign(4, 1);
    bar.form = bar.fill = k;
    bars.push_back(bar);
  }
  const std::vector<Facet> ordered = farToNear(bars, 100).facets;
  EXPECT_GT(ordered.size(), 3u);
  EXPECT_LT(ordered.size(), 8u);
  for (unsigned k = 0; k < 3; ++k) {
    // Bars k and k + 1 cross where k has risen and k + 1 has not.
    const double a = 2 * kPi * k / 3, b = 2 * kPi * (k + 1) / 3;
    const Vec3 u{std::cos(a), std::sin(a), 0}, n{-std::sin(b), std::cos(b), 0};
    const Vec3 m = Vec3{200, 200, 0} - 60 * Vec3{-std::sin(a), std::cos(a), 0};
    const double t = (dot(n, Vec3{200, 200, 0} - 60 * n) - dot(n, m)) / dot(n, u);
    const Vec3 at = m + t * u;
    unsigned top = 9;
    for (const Facet& f : ordered)
      if (contains(f.loop, at.x, at.y)) top = f.fill;
    EXPECT_EQ(top, t > 0 ? k : (k + 1) % 3);
  }
}

// Hundreds of sheets that all pass through each other: beyond a budget of work they are sorted by depth, all of them
// whole, and it is said.
TEST(DrawOrder, WhatWouldTakeTooLongIsSortedByDepth) {
  std::vector<Facet> sheets;
  for (unsigned k = 0; k < 9000; ++k) {
    const double lean = 0.1 + 1e-4 * k;
    Facet sheet;
    sheet.loop = {{0, 0, 0}, {400, 0, 400 * lean}, {400, 400, 0}, {0, 400, -400 * lean}};
    sheet.inked.assign(4, 1);
    sheet.form = sheet.fill = k;
    sheets.push_back(sheet);
  }
  const std::vector<Facet> few(sheets.begin(), sheets.begin() + 40);
  EXPECT_TRUE(farToNear(few, 60000).exact);
  const Ordered ordered = farToNear(sheets, 60000);
  EXPECT_FALSE(ordered.exact);
  EXPECT_EQ(ordered.facets.size(), sheets.size());
}

TEST(DrawOrder, OfManyFacetsTheFartherComesFirst) {
  Random random(3);
  const std::vector<Facet> ordered = farToNear(randomTriangles(random, 30), 10).facets;
  ASSERT_EQ(ordered.size(), 30u);
  const auto mean = [](const Facet& f) { return f.loop[0].z + f.loop[1].z + f.loop[2].z; };
  for (std::size_t i = 1; i < ordered.size(); ++i)
    EXPECT_LE(mean(ordered[i - 1]), mean(ordered[i]));
}

TEST(DrawOrder, CoveredFacetsAreDroppedAndOthersAreNot) {
  const auto square = [](double x, double y, double size, std::uint32_t fill) {
    Facet f;
    f.loop = {{x, y, 0}, {x + size, y, 0}, {x + size, y + size, 0}, {x, y + size, 0}};
    f.inked.assign(4, 0);
    f.fill = fill;
    return f;
  };
  std::vector<Facet> ordered{square(20, 20, 10, 1), square(5, 20, 10, 2), square(10, 10, 50, 3)};
  dropCovered(ordered, 100, 100);
  ASSERT_EQ(ordered.size(), 2u);
  EXPECT_EQ(ordered[0].fill, 2u);
  EXPECT_EQ(ordered[1].fill, 3u);
}

TEST(DrawOrder, ClippingKeepsTheInkOfItsEdgesAndDrawsNoneAlongTheCut) {
  Facet f;
  f.loop = {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {0, 4, 0}};
  f.inked = {1, 1, 1, 1};
  std::vector<double> d;
  for (const Vec3& p : f.loop) d.push_back(1 - p.x);
  const Facet part = clipped(f, d);
  ASSERT_EQ(part.loop.size(), 4u);
  EXPECT_EQ(areaOf(part.loop), 4);
  EXPECT_EQ(std::count(part.inked.begin(), part.inked.end(), 1), 3);
  for (double& x : d) x = -1;
  EXPECT_TRUE(clipped(f, d).loop.empty());
}

// ------------------------------------------------------------------------------------------ scenes

TEST(Draw, ABoxInFrontHidesTheOneBehind) {
  for (const bool redInFront : {true, false}) {
    const std::string z = redInFront ? "1" : "-1";
    const std::string svg = drawn("solid a box 2 2 1; at 0 0 " + z + "; " + kRed +
                                      " end solid b box 2 2 1; at 0.5 0 0;" + kBlue + " end",
                                  fromFront())
                                .svg;
    EXPECT_EQ(seenAt(svg, 480, 360), redInFront ? 'r' : 'b');
    EXPECT_EQ(seenAt(svg, 5, 360), '-');
    expectSane(svg);
  }
}

TEST(Draw, OfTwoCrossingBarsEachIsInFrontOnItsSide) {
  // Both along x, turned about y: red comes nearer on the left, blue on the right.
  const std::string svg =
      drawn(std::string("solid a box 10 0.5 0.5; turn 0 1 0 20deg; ") + kRed +
                " end solid b box 10 0.5 0.5; turn 0 1 0 -20deg; " + kBlue + " end",
            fromFront())
          .svg;
  for (const double x : {150.0, 250.0, 350.0, 420.0}) EXPECT_EQ(seenAt(svg, x, 360), 'r') << x;
  for (const double x : {540.0, 610.0, 710.0, 810.0}) EXPECT_EQ(seenAt(svg, x, 360), 'b') << x;
}

TEST(Draw, ACutBallShowsItsPartOnBothSidesOfAWall) {
  const std::string text = std::string("solid ball sphere 1; ") + kRed +
                           " end solid wall box 4 4 0.2; " + kBlue + " end";
  const std::string svg = drawn(text, fromFront()).svg;
  EXPECT_EQ(seenAt(svg, 480, 360), 'r');
  EXPECT_EQ(seenAt(svg, 480 + 250, 360), 'b');
  DrawSettings back = fromFront();
  back.yaw = kPi;
  EXPECT_EQ(seenAt(drawn(text, back).svg, 480, 360), 'r');
}

TEST(Draw, YawGoesToTheRightAndPitchUp) {
  const std::string text =
      std::string("solid a box 1 1 1; at 2 0 0; ") + kRed +
      " end solid b box 1 1 1; at 0 2 0; colour 0 1 0; end solid c box 0.4 0.4 0.4; " + kBlue +
      " end";
  DrawSettings settings = fromFront();
  const auto middleOf = [&](char colour) {  // mean place of a colour on a raster
    const std::string svg = drawn(text, settings).svg;
    Vec3 sum;
    int n = 0;
    for (int x = 0; x < 960; x += 24)
      for (int y = 0; y < 720; y += 24)
        if (seenAt(svg, x, y) == colour) {
          sum += Vec3{static_cast<double>(x), static_cast<double>(y), 0};
          ++n;
        }
    return n > 0 ? sum / n : Vec3{};
  };
  EXPECT_GT(middleOf('r').x, middleOf('b').x + 50);
  EXPECT_LT(middleOf('g').y, middleOf('b').y - 50);
  settings.yaw = kPi / 2;  // from the right: the red box hides the blue one
  EXPECT_EQ(middleOf('b'), Vec3{});
  settings.yaw = 0;
  settings.pitch = kPi / 2;  // from above: the green one hides it
  EXPECT_EQ(middleOf('b'), Vec3{});
  EXPECT_GT(middleOf('r').x, middleOf('g').x + 50);
}

TEST(Draw, EveryKindOfShapeAppears) {
  for (const std::string shape :
       {"box 1 1 1;", "sphere 1;", "ellipsoid 1 2 3;", "capsule 1 2;", "capsule 1 0.0001;",
        "cylinder 1 2;", "cone 1 2;", "hull 0 0 0  1 0 0  0 1 0  0 0 1;",
        "mesh vertices 0 0 0  1 0 0  0 1 0  0 0 1  triangles 0 2 1  0 1 3  0 3 2  1 2 3;"}) {
    const Drawing drawing = drawn("solid a " + shape + " colour 1 0 0; end");
    EXPECT_EQ(drawing.solids, 1u) << shape;
    EXPECT_GE(drawing.polygons, 1u) << shape;
    EXPECT_EQ(seenAt(drawing.svg, 480, 360), 'r') << shape;
    expectSane(drawing.svg);
  }
}

TEST(Draw, AnEmptySceneIsAnEmptySheet) {
  const Drawing drawing = drawn("");
  EXPECT_EQ(drawing.solids, 0u);
  EXPECT_EQ(drawing.polygons, 0u);
  expectSane(drawing.svg);
}

TEST(Draw, TheSameSceneGivesTheSameBytes) {
  const std::string text =
      "repeat i 1 30 solid s-(i) capsule 0.2 1; at (sin(i)) (cos(3*i)) (sin(7*i)); turn 1 2 3 (i); "
      "end end repeat i 1 29 joint ball j-(i) object1 s-(i); object2 s-(i+1); at (i) 0 0; end end";
  const Drawing drawing = drawn(text);
  EXPECT_EQ(drawing.svg, drawn(text).svg);
  EXPECT_LT(drawing.svg.size(), 300'000u);
}

TEST(Draw, FarFromTheOriginIsAsGoodAsNear) {
  const auto text = [](const std::string& at) {
    return "solid a box 1 1 1; at " + at + "; colour 1 0 0; end solid b sphere 0.5; at " + at +
           "; colour 0 0 1; end";
  };
  const std::string near = drawn(text("0 0 0")).svg, far = drawn(text("1e6 -1e6 1e6")).svg;
  EXPECT_EQ(seenAt(near, 480, 360), seenAt(far, 480, 360));
  EXPECT_NE(seenAt(far, 480, 360), '-');
  expectSane(far);
}

TEST(Draw, AHugeFloorDoesNotSpoilTheView) {
  const std::string svg = drawn(
                              "solid floor immobile; box 1e4 1 1e4; at 0 -0.5 0; colour 0 0 1; end "
                              "solid a box 1 1 1; at 0 0.5 0; colour 1 0 0; end solid b box 1 1 1; "
                              "at 2 0.5 0; colour 1 0 0; "
                              "end")
                              .svg;
  expectSane(svg);
  int red = 0, blue = 0;
  for (int x = 10; x < 960; x += 20)
    for (int y = 10; y < 720; y += 20) {
      red += seenAt(svg, x, y) == 'r' ? 1 : 0;
      blue += seenAt(svg, x, y) == 'b' ? 1 : 0;
    }
  EXPECT_GT(red, 200);
  EXPECT_GT(blue, 500);
}

TEST(Draw, WhatIsNotFiniteIsLeftOut) {
  const Result<Scene> scene = parseScene(
      "solid a box 1 1 1; end solid b box 1 1 1; at 3 0 0; end joint ball j object1 a; object2 b; "
      "at "
      "1 0 0; end spring s object1 a; object2 b; stiffness 1; end",
      "test.tenon");
  ASSERT_TRUE(scene);
  const Result<Mechanism> mechanism = compile(*scene);
  ASSERT_TRUE(mechanism);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), kInfinity, 1e300}) {
    State state = initialState(*mechanism);
    state.position[1].y = bad;
    expectSane(drawScene(*scene, *mechanism, state).svg);
    state = initialState(*mechanism);
    state.orientation[0].x = bad;
    expectSane(drawScene(*scene, *mechanism, state).svg);
  }
}

TEST(Draw, SizesFromTinyToHuge) {
  for (const std::string size : {"1e-9", "1e-3", "1e3", "1e9"}) {
    const std::string svg =
        drawn("solid a box " + size + " " + size + " " + size + "; colour 1 0 0; end").svg;
    EXPECT_EQ(seenAt(svg, 480, 360), 'r') << size;
    expectSane(svg);
  }
  DrawSettings settings;
  settings.width = settings.height = 16;
  expectSane(drawn("solid a sphere 1; end", settings).svg);
}

TEST(Draw, EveryKindOfJointBetweenFramesHasASign) {
  for (const JointKind& kind : jointCatalogue()) {
    if (kind.relates != Relates::Frames) continue;
    std::string options;
    for (int o = 0; o < kind.optionCount; ++o)
      if (kind.options[o].required) {
        options += std::string(kind.options[o].name);
        for (int k = 0; k < kind.options[o].count; ++k) options += " 2";
        options += ";";
      }
    const std::string text =
        "solid a box 1 1 1; end solid b box 1 1 1; at 2 0 0; end joint " + std::string(kind.name) +
        " j object1 a; object2 b; point1 0 0 0; point2 0 0 0; " + options + " end";
    const Result<Scene> scene = parseScene(text, "test.tenon");
    if (!scene) continue;  // kinds that cannot be written so simply
    const Result<Mechanism> mechanism = compile(*scene);
    if (!mechanism) continue;
    DrawSettings without;
    without.joints = false;
    const State state = initialState(*mechanism);
    const std::string with = drawScene(*scene, *mechanism, state).svg;
    expectSane(with);
    EXPECT_GT(with.size(), drawScene(*scene, *mechanism, state, without).svg.size()) << kind.name;
  }
}

// A gear has no place of its own; a fold is at the middle of its edge, and marks no cloth.
TEST(Draw, RelationsAreMarkedWhereTheyAre) {
  const std::string solids =
      "solid a box 1 1 1; at -1 0 0; end solid b box 1 1 1; at 3 0 0; end "
      "solid c box 1 1 1; at 1 2 0; end solid d box 1 1 1; at 1 -2 0; end ";
  const std::string pins =
      "joint pin p object2 a; at -1 0 0; end joint pin q object2 b; at 3 0 0; end ";
  EXPECT_EQ(drawn(solids + pins).svg,
            drawn(solids + pins + "joint gear g couple p 1; couple q 1; end").svg);
  DrawSettings settings = fromFront();
  settings.joints = true;
  const std::string fold = "joint fold f object1 a; object2 b; object3 c; object4 d; end";
  const std::string svg = drawn(solids + fold, settings).svg;
  const std::size_t at = svg.find("<circle ");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(svg.find("<circle ", at + 1), std::string::npos);
  const std::string circle = svg.substr(at, svg.find('>', at) - at);
  // Halfway between the middles of a and b on the sheet.
  double low = kInfinity, high = -kInfinity;
  for (const Polygon& p : polygonsOf(svg))
    for (const Vec3& v : p.loop) {
      low = std::min(low, v.x);
      high = std::max(high, v.x);
    }
  EXPECT_NEAR(std::stod(attributeOf(circle, "cx")), 0.5 * (low + high), 1);
  std::string cloth = solids + fold;
  for (std::size_t box = cloth.find("box 1 1 1"); box != std::string::npos;
       box = cloth.find("box 1 1 1"))
    cloth.replace(box, 9, "point-mass; mass 1");
  EXPECT_EQ(drawn(cloth).svg.find("<circle "),
            drawn(cloth.substr(0, cloth.find("joint"))).svg.find("<circle "));
}

TEST(Draw, PointMassesWithDistancesAndSpringsAreANet) {
  const Drawing drawing = drawn(
      "repeat i 0 9 repeat j 0 9 solid p-(i)-(j) point-mass; mass 1; at (i) (j) 0; end end end "
      "repeat i 0 9 repeat j 0 8 joint distance d-(i)-(j) object1 p-(i)-(j); object2 p-(i)-(j+1); "
      "point1 0 0 0; point2 0 0 0; length 1; end "
      "spring s-(i)-(j) object1 p-(j)-(i); object2 p-(j+1)-(i); stiffness 1; end end end");
  EXPECT_EQ(drawing.polygons, 100u + 90u + 90u);
  expectSane(drawing.svg);
}

TEST(Draw, LabelsAreEscapedAndOnlyThereIfAskedFor) {
  DrawSettings settings;
  EXPECT_EQ(drawn("solid left-foot box 1 1 1; end").svg.find("left-foot"), std::string::npos);
  settings.labels = true;
  EXPECT_NE(drawn("solid left-foot box 1 1 1; end", settings).svg.find(">left-foot<"),
            std::string::npos);
  EXPECT_NE(drawn("title \"a < b & \\\"c\\\"\";").svg.find("a &lt; b &amp; &quot;c&quot;"),
            std::string::npos);
}

TEST(Draw, APlainPictureHasNoBackground) {
  DrawSettings settings;
  settings.background = false;
  const std::string svg = drawn("solid a box 1 1 1; at 0 5 0; end", settings).svg;
  for (const char* word : {"<rect", "Gradient", "filter"})
    EXPECT_EQ(svg.find(word), std::string::npos) << word;
}

// ------------------------------------------------------------------------------------------- words

TEST(DrawSvg, NumbersAreShortAndPathsRelative) {
  EXPECT_EQ(hundredths(0), "0");
  EXPECT_EQ(hundredths(1234), "12.34");
  EXPECT_EQ(hundredths(-50), "-.5");
  EXPECT_EQ(hundredths(300), "3");
  EXPECT_EQ(hundredths(-105), "-1.05");
  EXPECT_EQ(number(std::numeric_limits<double>::quiet_NaN()), "0");
  std::string path;
  appendPath(path, {{100, 200}, {150, 100}, {25, 100}}, true);
  EXPECT_EQ(path, "M1 2l.5-1-1.25 0z");
  EXPECT_EQ(hexColour(0x0a1b2c), "#0a1b2c");
}

TEST(DrawSvg, TextIsWellFormedWhateverTheBytes) {
  EXPECT_EQ(escaped("a<b>&\"c\""), "a&lt;b&gt;&amp;&quot;c&quot;");
  EXPECT_EQ(escaped("caf\xc3\xa9"), "caf\xc3\xa9");
  EXPECT_EQ(escaped("caf\xe9!"), "caf\xef\xbf\xbd!");
  EXPECT_EQ(escaped(std::string("\x01", 1)), "\xef\xbf\xbd");
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");  // a surrogate
}

}  // namespace
}  // namespace tenon
