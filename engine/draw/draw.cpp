// Scene -> SVG: collect what there is, choose the view, cut shapes into facets, shade, order, write.
#include <tenon/draw.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>

#include "draw/floor.h"
#include "draw/forms.h"
#include "draw/marks.h"
#include "draw/order.h"
#include "draw/svg.h"
#include "draw/view.h"
#include "math/rotation.h"

namespace tenon {
namespace {

constexpr std::size_t kFewFacets = 10000;    // more are not needed: coarser forms do
constexpr std::size_t kExactFacets = 60000;  // beyond, facets are sorted by mean depth
constexpr std::size_t kMostFacets = 500000;  // beyond, solids are left out
constexpr std::size_t kManyShapes =
    1000;                       // of one solid: then what hides within it is not looked for
constexpr double kThin = 0.02;  // [px] facets seen so much from their edge are dropped
constexpr double kTiny = 0.5;   // [px] facets below become specks

// Uncoloured solids take turns.
constexpr Colour kPalette[] = {{0.36, 0.56, 0.73}, {0.87, 0.55, 0.33}, {0.45, 0.65, 0.47},
                               {0.80, 0.42, 0.42}, {0.60, 0.52, 0.72}, {0.85, 0.72, 0.40},
                               {0.40, 0.66, 0.68}, {0.72, 0.55, 0.46}};
constexpr Colour kPoint{0.30, 0.36, 0.44};  // point masses without a colour
constexpr Colour kStone{0.74, 0.75, 0.77};  // what immobile solids lean towards

// ---------------------------------------------------------------------------------- what there is

struct Body {
  Index solid = 0;
  Pose X_WS;
  Colour colour;
  std::vector<std::vector<Vec3>> outline;  // by shape: points that span it, coarsely [m] world
  Extent extent;
  double largestShape = 0;  // [m]
  bool giant = false;       // so large that the view does not care for it
};

Colour mixed(const Colour& a, const Colour& b, double t) {
  return {a.r + t * (b.r - a.r), a.g + t * (b.g - a.g), a.b + t * (b.b - a.b)};
}

Colour colourOf(const Scene& scene,
                const std::unordered_map<std::string, const Material*>& materials, Index s) {
  const Solid& solid = scene.solids[s];
  Colour colour =
      solid.pointMass && solid.shapes.empty() ? kPoint : kPalette[s % std::size(kPalette)];
  const auto material = materials.find(solid.material);
  if (material != materials.end() && material->second->colour) colour = *material->second->colour;
  if (solid.kind == SolidKind::Immobile && !solid.colour) colour = kStone;
  if (solid.colour) colour = *solid.colour;
  if (solid.kind == SolidKind::Immobile) colour = mixed(colour, kStone, 0.35);
  for (double* c : {&colour.r, &colour.g, &colour.b}) *c = std::clamp(*c, 0.0, 1.0);
  return colour;
}

std::vector<Body> bodiesOf(const Scene& scene, const Mechanism& mechanism, const State& state) {
  std::size_t shapes = 0;
  for (const Solid& solid : scene.solids) shapes += solid.shapes.size();
  const int coarse = shapes > 20000 ? 6 : 16;
  std::unordered_map<std::string, const Material*> materials;
  for (const Material& material : scene.materials) materials.emplace(material.name, &material);
  std::vector<Body> bodies;
  for (Index s = 0; s < scene.solids.size(); ++s) {
    Body body;
    body.solid = s;
    body.X_WS = solidPose(mechanism, state, s);
    if (!isFinite(body.X_WS.p) || !isFinite(body.X_WS.q)) continue;
    body.colour = colourOf(scene, materials, s);
    for (const Shape& shape : scene.solids[s].shapes) {
      std::vector<Vec3> points = formOf(shape, coarse, {0, 1, 0}).points;
      Extent extent;
      for (Vec3& p : points) {
        p = transform(body.X_WS, p);
        extent.include(p);
      }
      body.extent.include(extent);
      body.largestShape = std::max(body.largestShape, extent.largest());
      body.outline.push_back(std::move(points));
    }
    if (scene.solids[s].shapes.empty()) {
      if (scene.solids[s].kind != SolidKind::Dynamic) continue;  // a mere frame
      body.extent.include(body.X_WS.p);
    }
    bodies.push_back(std::move(body));
  }
  return bodies;
}

// Floors and walls that dwarf everything: 20 times the median, and three times all others together.
// Sizes are those of single shapes: a ring of many pieces is no floor. The lower median: of two
// solids, a small one and its floor, the floor is the giant.
void findGiants(std::vector<Body>& bodies) {
  std::vector<double> sizes;
  for (const Body& body : bodies)
    if (body.largestShape > 0) sizes.push_back(body.largestShape);
  if (sizes.size() < 2) return;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>((sizes.size() - 1) / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  const double large = 20 * *middle;
  Extent others;
  for (const Body& body : bodies)
    if (!(body.largestShape > large)) others.include(body.extent);
  for (Body& body : bodies)
    body.giant = body.largestShape > large && body.largestShape > 3 * others.largest();
}

// ------------------------------------------------------------------------------------ light, shade

// The key light comes over the viewer's left shoulder, in the axes of the view.
Vec3 keyLight() { return normalized(Vec3{-0.42, 0.68, 0.60}); }

std::uint32_t packed(double r, double g, double b) {
  const auto byte = [](double c) {
    return static_cast<std::uint32_t>(std::floor(255 * std::clamp(c, 0.0, 1.0) + 0.5));
  };
  return byte(r) << 16u | byte(g) << 8u | byte(b);
}

// Lambert: I = ambient + sky (1 + n·up)/2 + key max(0, n·l), on the squares of the colours (nearly
// what a screen gives off), in steps, so that neighbours share a colour and the text stays short.
std::uint32_t shaded(const Colour& colour, const Vec3& normal, const Vec3& up) {
  constexpr double kSteps = 48;
  const double light =
      0.20 + 0.26 * 0.5 * (1 + dot(normal, up)) + 0.78 * std::max(0.0, dot(normal, keyLight()));
  const double I = std::floor(light * kSteps + 0.5) / kSteps;
  const auto lit = [I](double c) { return std::sqrt((0.985 * c * c + 0.015) * I); };
  return packed(lit(colour.r), lit(colour.g), lit(colour.b));
}

// Lines are darker than the solid, and softer on small ones, where they would be all one sees.
std::uint32_t inkOf(const Colour& colour, double pixels) {
  const double k = 0.46 + 0.3 * std::clamp((60 - pixels) / 50, 0.0, 1.0);
  return packed(k * colour.r, k * colour.g, k * colour.b);
}

// ------------------------------------------------------------------------------------------ facets

// Collects the facets of forms as they appear on the sheet.
class Facets {
 public:
  Facets(const View& view, double unit) : view_(view), unit_(unit) {
    up_ = {dot(view.right, {0, 1, 0}), dot(view.up, {0, 1, 0}), dot(view.back, {0, 1, 0})};
  }

  // All forms of a body, in its frame.
  void add(const std::vector<Form>& forms, const Body& body) {
    const Insides insides(forms);
    for (std::size_t k = 0; k < forms.size(); ++k)
      add(forms[k], body, [&](std::size_t face) { return insides.hide(k, face); });
  }

  // A form of its own, with corners that are places of the sheet already.
  void addOnSheet(Facet facet) {
    facet.form = forms_++;
    keepOnSheet(std::move(facet));
  }

  // With a speck for each pixel in which something was too small to be drawn.
  std::vector<Facet> finish() {
    for (const auto& [cell, speck] : specks_) {
      const double x = cell.first + 0.5, y = cell.second + 0.5;
      Facet facet = discAt({x, y, speck.depth}, 0.5, speck.fill);
      facet.form = forms_++;
      facets_.push_back(std::move(facet));
    }
    return std::move(facets_);
  }

  [[nodiscard]] std::size_t size() const { return facets_.size(); }

 private:
  template <class Hidden>
  void add(const Form& form, const Body& body, const Hidden& hidden) {
    const std::uint32_t id = forms_++;
    seen_.clear();
    Extent box;
    for (const Vec3& p : form.points) {
      seen_.push_back(view_.seen(transform(body.X_WS, p)));
      if (seen_.back().z < view_.nearest()) box.include(view_.sheet(seen_.back()));
    }
    const double pixels = std::max(box.size().x, box.size().y) / unit_;
    makeFaces(form, id, body, inkOf(body.colour, pixels));
    if (pixels > 9) findInk(form);
    for (std::size_t f = 0; f < faces_.size(); ++f) {
      if (!faces_[f].front || hidden(f)) continue;
      faces_[f].facet.inked.resize(faces_[f].facet.loop.size(), 0);
      keepSeen(std::move(faces_[f].facet));
    }
  }

  struct Face {
    Vec3 normal;  // axes of the view; zero: none
    bool front = false;
    Facet facet;
  };
  struct Speck {
    double depth = 0;
    std::uint32_t fill = 0;
  };

  void makeFaces(const Form& form, std::uint32_t id, const Body& body, std::uint32_t ink) {
    faces_.clear();
    faces_.resize(form.faceCount());
    for (std::size_t f = 0; f < form.faceCount(); ++f) {
      Face& face = faces_[f];
      const auto corners = form.face(f);
      for (std::size_t i = 1; i + 1 < corners.size(); ++i)
        face.normal +=
            cross(seen_[corners[i]] - seen_[corners[0]], seen_[corners[i + 1]] - seen_[corners[0]]);
      const double length = norm(face.normal);
      if (!(length > 0) || !std::isfinite(length)) {
        face.normal = {};
        continue;
      }
      face.normal = face.normal / length;
      // Towards the viewer at (0, 0, distance)?
      const Vec3 toViewer = Vec3{0, 0, view_.distance} - seen_[corners[0]];
      face.front = dot(face.normal, toViewer) > 0 && !isEdgeOn(corners);
      if (!face.front) continue;
      for (const std::uint32_t c : corners) face.facet.loop.push_back(seen_[c]);
      face.facet.form = id;
      face.facet.convexForm = form.convex;
      face.facet.fill = shaded(body.colour, face.normal, up_);
      face.facet.owner = body.solid;
      face.facet.ink = ink;
    }
  }

  // So much from its edge that nothing is seen; to its neighbours it is like a face turned away.
  bool isEdgeOn(std::span<const std::uint32_t> corners) {
    loop_.clear();
    Extent box;
    for (const std::uint32_t c : corners) {
      if (seen_[c].z >= view_.nearest()) return false;
      loop_.push_back(view_.sheet(seen_[c]));
      box.include(loop_.back());
    }
    const double across = std::max(box.size().x, box.size().y);
    return across > kTiny && !(areaOf(loop_) > kThin * across);
  }

  // Edges where the form turns away from the viewer, and creases: drawn as lines.
  void findInk(const Form& form) {
    struct Edge {
      std::uint64_t ends;
      std::uint32_t face, side;
      bool operator<(const Edge& o) const {
        return ends != o.ends ? ends < o.ends : face != o.face ? face < o.face : side < o.side;
      }
    };
    std::vector<Edge> edges;
    for (std::size_t f = 0; f < form.faceCount(); ++f) {
      const auto corners = form.face(f);
      for (std::size_t i = 0; i < corners.size(); ++i) {
        const std::uint64_t a = corners[i], b = corners[i + 1 < corners.size() ? i + 1 : 0];
        edges.push_back({std::min(a, b) << 32u | std::max(a, b), static_cast<std::uint32_t>(f),
                         static_cast<std::uint32_t>(i)});
      }
      if (faces_[f].front) faces_[f].facet.inked.assign(corners.size(), 0);
    }
    std::sort(edges.begin(), edges.end());
    for (std::size_t e = 0; e < edges.size();) {
      std::size_t end = e + 1;
      while (end < edges.size() && edges[end].ends == edges[e].ends) ++end;
      const Face& first = faces_[edges[e].face];
      const Face& other = faces_[edges[end - 1].face];
      const bool line = end - e != 2 || first.front != other.front ||
                        dot(first.normal, other.normal) < form.crease;
      for (; e < end; ++e)
        if (line && faces_[edges[e].face].front)
          faces_[edges[e].face].facet.inked[edges[e].side] = 1;
    }
  }

  // From the axes of the view to the sheet, cut at the near plane.
  void keepSeen(Facet facet) {
    cutWhere(facet, [&](const Vec3& v) { return view_.nearest() - v.z; });
    for (Vec3& p : facet.loop) p = view_.sheet(p);
    keepOnSheet(std::move(facet));
  }

  // Cut at the sheet's rim.
  void keepOnSheet(Facet facet) {
    for (const Vec3& p : facet.loop)
      if (!isFinite(p)) return;
    const double rim = 4;  // [px]
    cutWhere(facet, [&](const Vec3& p) { return p.x + rim; });
    cutWhere(facet, [&](const Vec3& p) { return view_.width + rim - p.x; });
    cutWhere(facet, [&](const Vec3& p) { return p.y + rim; });
    cutWhere(facet, [&](const Vec3& p) { return view_.height + rim - p.y; });
    if (facet.loop.size() < 3) return;
    Extent box;
    for (const Vec3& p : facet.loop) box.include(p);
    const double across = std::max(box.size().x, box.size().y);
    if (across < kTiny)
      addSpeck(box.middle(), box.upper.z, facet.fill);
    else if (areaOf(facet.loop) > kThin * across)
      facets_.push_back(std::move(facet));
  }

  template <class Distance>
  static void cutWhere(Facet& facet, const Distance& distance) {
    std::vector<double> d;
    for (const Vec3& p : facet.loop) d.push_back(distance(p));
    if (std::all_of(d.begin(), d.end(), [](double x) { return x >= 0; })) return;
    facet = clipped(facet, d);
  }

  void addSpeck(const Vec3& at, double depth, std::uint32_t fill) {
    const std::pair cell{static_cast<int>(std::floor(at.x)), static_cast<int>(std::floor(at.y))};
    const auto [found, isNew] = specks_.try_emplace(cell, Speck{depth, fill});
    if (!isNew && depth > found->second.depth) found->second = {depth, fill};
  }

  const View& view_;
  double unit_;
  Vec3 up_;  // the world's, in the axes of the view
  std::uint32_t forms_ = 0;
  std::vector<Vec3> seen_, loop_;
  std::vector<Face> faces_;
  std::vector<Facet> facets_;
  std::map<std::pair<int, int>, Speck> specks_;
};

// A circle of r pixels with n sides is off by r (1 - cos π/n) ≈ r π²/2n²; a quarter of a pixel is
// n = 4.4 √r.
int segmentsFor(double radiusInPixels, double quality) {
  if (!(radiusInPixels < 1e6)) return 96;
  const int n = 2 + static_cast<int>(4.4 * quality * std::sqrt(std::max(0.0, radiusInPixels)));
  return std::clamp(2 * ((n + 1) / 2), radiusInPixels < 1.5 ? 4 : 6, 96);
}

// ----------------------------------------------------------------------------------------- writing

class Writer {
 public:
  explicit Writer(int height) : height_(height) {}

  // Runs of one colour become one path; lines follow the run of facets that they border.
  void add(const std::vector<Facet>& facets) {
    for (const Facet& facet : facets) {
      if (facet.form != form_) flushLines();
      if (facet.fill != fill_) flushFill();
      form_ = facet.form;
      fill_ = facet.fill;
      ink_ = facet.ink;
      std::vector<Dot> dots;
      for (const Vec3& p : facet.loop) {
        const Dot dot = dotOf(p, height_);
        if (dots.empty() || !(dots.back() == dot)) dots.push_back(dot);
      }
      while (dots.size() > 1 && dots.back() == dots.front()) dots.pop_back();
      if (dots.size() > 1) appendPath(fills_, dots, true);
      addLines(facet);
    }
    flushLines();
  }

  std::string out;

 private:
  void addLines(const Facet& facet) {
    for (std::size_t i = 0; i < facet.loop.size(); ++i)
      if (facet.inked[i] != 0) {
        const Dot a = dotOf(facet.loop[i], height_);
        const Dot b = dotOf(facet.loop[i + 1 < facet.loop.size() ? i + 1 : 0], height_);
        if (!(a == b)) lines_.emplace_back(a, b);
      }
  }

  void flushFill() {
    if (!fills_.empty()) out += "<path color=\"" + hexColour(fill_) + "\" d=\"" + fills_ + "\"/>\n";
    fills_.clear();
  }

  void flushLines() {
    flushFill();
    if (lines_.empty()) return;
    std::string d;
    for (const std::vector<Dot>& chain : chains()) appendPath(d, chain, false);
    out += "<path color=\"" + hexColour(ink_) + "\" class=\"l\" d=\"" + d + "\"/>\n";
    lines_.clear();
  }

  // Lines end to end, so that corners are joined and the text is short. Each line once, whichever
  // way it runs.
  std::vector<std::vector<Dot>> chains() {
    const auto less = [](const Dot& a, const Dot& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; };
    for (auto& [a, b] : lines_)
      if (less(b, a)) std::swap(a, b);
    const auto before = [&](const auto& l, const auto& m) {
      return l.first == m.first ? less(l.second, m.second) : less(l.first, m.first);
    };
    std::sort(lines_.begin(), lines_.end(), before);
    lines_.erase(std::unique(lines_.begin(), lines_.end()), lines_.end());
    std::multimap<std::pair<long, long>, std::size_t> ends;
    for (std::size_t i = 0; i < lines_.size(); ++i)
      for (const Dot& d : {lines_[i].first, lines_[i].second}) ends.emplace(std::pair(d.x, d.y), i);
    std::vector<bool> used(lines_.size(), false);
    std::vector<std::vector<Dot>> chains;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (used[i]) continue;
      used[i] = true;
      std::vector<Dot> chain{lines_[i].first, lines_[i].second};
      for (int side = 0; side < 2; ++side) {
        for (bool grown = true; grown;) {
          grown = false;
          const auto [from, to] = ends.equal_range({chain.back().x, chain.back().y});
          for (auto at = from; at != to && !grown; ++at) {
            if (used[at->second]) continue;
            used[at->second] = grown = true;
            const auto& [a, b] = lines_[at->second];
            chain.push_back(a == chain.back() ? b : a);
          }
        }
        std::reverse(chain.begin(), chain.end());
      }
      chains.push_back(std::move(chain));
    }
    return chains;
  }

  int height_;
  std::string fills_;
  std::vector<std::pair<Dot, Dot>> lines_;
  std::uint32_t form_ = 0xffffffffu, fill_ = 0, ink_ = 0;
};

std::string attribute(const char* name, const std::string& value) {
  return " " + std::string(name) + "=\"" + value + "\"";
}

std::string backgroundOf(int width, int height) {
  return "<linearGradient id=\"sky\" x2=\"0\" y2=\"1\"><stop stop-color=\"#fdfdfd\"/>"
         "<stop offset=\"1\" stop-color=\"#e4e8ee\"/></linearGradient>\n<rect" +
         attribute("width", std::to_string(width)) + attribute("height", std::to_string(height)) +
         " rx=\"10\" fill=\"url(#sky)\"/>\n";
}

// ------------------------------------------------------------------------------------- the picture

class Picture {
 public:
  Picture(const Scene& scene, const Mechanism& mechanism, const State& state,
          const DrawSettings& settings)
      : scene_(scene), mechanism_(mechanism), state_(state), settings_(settings) {
    settings_.width = std::clamp(settings.width, 16, 16384);
    settings_.height = std::clamp(settings.height, 16, 16384);
    unit_ = std::clamp(std::min(settings_.width / 960.0, settings_.height / 720.0), 0.45, 3.0);
    bodies_ = bodiesOf(scene, mechanism, state);
    findGiants(bodies_);
    for (const Body& body : bodies_)
      if (!body.giant) extent_.include(body.extent);
    stand_ = findStand();
    chooseView();
  }

  Drawing draw() {
    Drawing drawing;
    drawing.width = settings_.width;
    drawing.height = settings_.height;
    drawing.solids = bodies_.size();

    const auto hiddenRemoved = [&](std::vector<Facet> facets) {
      Ordered ordered = farToNear(std::move(facets), kExactFacets);
      drawing.exact = drawing.exact && ordered.exact;
      dropCovered(ordered.facets, settings_.width, settings_.height);
      drawing.polygons += ordered.facets.size();
      return std::move(ordered.facets);
    };
    Layers layers = facets();
    drawing.leftOut = layers.leftOut;
    layers.ground = hiddenRemoved(std::move(layers.ground));
    layers.rest = hiddenRemoved(std::move(layers.rest));
    std::string signs;
    if (settings_.joints) {
      const Cover cover(layers.rest);
      signs = marksOf(scene_, mechanism_, state_, view_, unit_, &cover).signs;
    }
    write(drawing.svg, layers, signs);
    return drawing;
  }

 private:
  void chooseView() {
    std::vector<Vec3> points;
    for (const Body& body : bodies_) {
      if (body.giant) continue;
      for (const auto& outline : body.outline)
        points.insert(points.end(), outline.begin(), outline.end());
      if (body.outline.empty()) points.push_back(body.X_WS.p);
    }
    if (settings_.joints)
      for (const Vec3& p : placesOfMarks(scene_, mechanism_, state_)) {
        extent_.include(p);
        points.push_back(p);
      }
    if (const auto base = bare(); base && hangs())  // room for the shadow far below
      for (const double x : {extent_.lower.x, extent_.upper.x})
        for (const double z : {extent_.lower.z, extent_.upper.z})
          points.push_back({x, base->point.y, z});
    view_ = fittingView(points, extent_, settings_);
    if (stand_ && !(view_.centre.y + view_.distance * view_.back.y > stand_->extent.upper.y))
      stand_ = nullptr;  // seen from below
  }

  // The immobile solid, as wide as the scene, above whose top all others are: a slab, a table. It is
  // painted first, then shadows fall on it.
  [[nodiscard]] const Body* findStand() const {
    const Body* widest = nullptr;
    const auto area = [](const Vec3& size) { return size.x * size.z; };
    for (const Body& body : bodies_)
      if (mechanism_.solids[body.solid].kind == SolidKind::Immobile && !body.outline.empty() &&
          (widest == nullptr || area(body.extent.size()) > area(widest->extent.size())))
        widest = &body;
    if (widest == nullptr) return nullptr;
    Extent others;
    for (const Body& body : bodies_)
      if (&body != widest && !body.giant) others.include(body.extent);
    const bool below = widest->extent.upper.y <= others.lower.y + 0.03 * others.largest();
    const bool wide = area(widest->extent.size()) > 0.25 * area(others.size());
    return !others.empty() && below && wide ? widest : nullptr;
  }

  // The ground below everything: the lowest point, a little deeper for what hangs; none where
  // nothing falls down.
  [[nodiscard]] std::optional<Ground> bare() const {
    const Vec3& g = mechanism_.gravity;
    if (!settings_.background || extent_.empty() || !(-g.y > 0.5 * norm(g))) return std::nullopt;
    if (!scene_.floors.empty() || (stand_ != nullptr && stand_->giant)) return std::nullopt;
    const double gap = hangs() ? 0.07 * norm(extent_.size()) : 0;
    return Ground{{0, extent_.lower.y - gap, 0}, {0, 1, 0}};
  }

  // All that a grid is drawn on: floors of the scene, or the bare ground.
  [[nodiscard]] std::vector<Ground> grounds() const {
    std::vector<Ground> grounds;
    for (const Floor& floor : scene_.floors)
      if (isFinite(floor.point) && isFinite(floor.normal) && norm(floor.normal) > 0)
        grounds.push_back({floor.point, normalized(floor.normal)});
    if (const auto base = bare()) grounds.push_back(*base);
    return grounds;
  }

  // Held by the world, or by a solid that cannot move, and not standing on one.
  [[nodiscard]] bool hangs() const {
    const auto fixed = [&](Index s) {
      return s == kWorld || mechanism_.solids[s].kind != SolidKind::Dynamic;
    };
    for (const Body& body : bodies_)
      if (fixed(body.solid) && body.extent.lower.y <= extent_.lower.y) return false;
    return std::any_of(
        mechanism_.joints.begin(), mechanism_.joints.end(),
        [&](const MechanismJoint& joint) { return fixed(joint.solid1) || fixed(joint.solid2); });
  }

  // What the shadows fall on, and what stands before it.
  struct Layers {
    std::vector<Facet> ground, rest;
    std::size_t leftOut = 0;  // solids
  };

  [[nodiscard]] Layers facets() const {
    for (double quality = 1;; quality *= 0.7) {
      Facets ground(view_, unit_), rest(view_, unit_);
      const std::size_t most = quality > 0.3 ? kFewFacets : kMostFacets;
      std::size_t leftOut = 0;
      for (const Body& body : bodies_)
        if (!addBody(&body == stand_ ? ground : rest, body, quality, most)) ++leftOut;
      if (rest.size() > kFewFacets && quality > 0.3) continue;
      if (settings_.joints) {
        Marks marks = marksOf(scene_, mechanism_, state_, view_, unit_, nullptr);
        for (Facet& wire : marks.wires) rest.addOnSheet(std::move(wire));
      }
      return {ground.finish(), rest.finish(), leftOut};
    }
  }

  // False: there were more facets than `most` before all of the body was there.
  bool addBody(Facets& facets, const Body& body, double quality, std::size_t most) const {
    if (facets.size() > most) return false;
    const Vec3 l = keyLight();
    const Vec3 light_W = l.x * view_.right + l.y * view_.up + l.z * view_.back;
    const Vec3 pole = rotate(conjugate(body.X_WS.q), light_W);
    const std::vector<Shape>& shapes = scene_.solids[body.solid].shapes;
    std::vector<Form> forms;
    for (const Shape& shape : shapes) {
      const double r = std::abs(roundness(shape)) * view_.pixelsPerMetre(body.X_WS.p);
      forms.push_back(formOf(shape, segmentsFor(r, quality), pole));
      if (shapes.size() <= kManyShapes) continue;
      facets.add(forms, body);
      forms.clear();
      if (facets.size() > most) return false;
    }
    facets.add(forms, body);
    if (shapes.empty() && view_.inFront(body.X_WS.p))
      facets.addOnSheet(discAt(view_.project(body.X_WS.p), dotRadius(),
                               shaded(body.colour, {0, 0, 1}, {0, 1, 0})));
    return true;
  }

  // Points in a net are smaller than points alone.
  [[nodiscard]] double dotRadius() const {
    const auto n = static_cast<double>(bodies_.size());
    return std::clamp(24 / std::sqrt(n + 1), 1.1, 4.5) * unit_;
  }

  void write(std::string& svg, const Layers& layers, const std::string& signs) const {
    const auto solids = [&](const std::vector<Facet>& facets) -> std::string {
      if (facets.empty()) return {};
      Writer writer(settings_.height);
      writer.add(facets);
      return "<g fill=\"currentColor\" stroke=\"currentColor\" stroke-linejoin=\"round\" "
             "stroke-linecap=\"round\" stroke-width=\".6\">\n" +
             writer.out + "</g>\n";
    };
    const std::string w = std::to_string(settings_.width), h = std::to_string(settings_.height);
    svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"" + attribute("width", w) +
          attribute("height", h) + attribute("viewBox", "0 0 " + w + " " + h) + ">\n";
    if (!scene_.title.empty()) svg += "<title>" + escaped(scene_.title) + "</title>\n";
    svg += "<style>.l{fill:none;stroke-width:" + number(1.05 * unit_) + "}</style>\n";
    if (settings_.background) svg += backgroundOf(settings_.width, settings_.height);
    if (settings_.background) svg += groundText();
    svg += solids(layers.ground);
    if (settings_.background && stand_ != nullptr) svg += standText();
    svg += solids(layers.rest);
    svg += signs;
    if (settings_.labels) svg += labels();
    svg += "</svg>\n";
  }

  [[nodiscard]] std::string groundText() const {
    std::string text =
        "<filter id=\"soft\" x=\"-20%\" y=\"-20%\" width=\"140%\" height=\"140%\">"
        "<feGaussianBlur stdDeviation=\"" +
        number(4 * unit_) + "\"/></filter>\n";
    int count = 0;
    for (const Ground& ground : grounds()) {
      if (dot(view_.back, ground.normal) < 0.02) continue;  // seen from below
      text += gridOn(ground, extent_, view_, count++);
      if (count == 1) text += shadows(ground, "");
    }
    return text;
  }

  // Shadows on top of the stand, and nowhere else.
  [[nodiscard]] std::string standText() const {
    const Ground top{{0, stand_->extent.upper.y, 0}, {0, 1, 0}};
    if (stand_->giant) return gridOn(top, extent_, view_, 0) + shadows(top, "");
    return "<clipPath id=\"top\"><path d=\"" + outlineOn(top, stand_->outline, view_) +
           "\"/></clipPath>\n" + shadows(top, " clip-path=\"url(#top)\"");
  }

  [[nodiscard]] std::string shadows(const Ground& ground, const std::string& attributes) const {
    std::vector<std::vector<Vec3>> forms;
    for (const Body& body : bodies_) {
      if (body.giant || (&body == stand_ && !attributes.empty())) continue;
      forms.insert(forms.end(), body.outline.begin(), body.outline.end());
    }
    const std::string d = shadowsOn(ground, forms, view_);
    if (d.empty()) return {};
    return "<g" + attributes + "><path fill=\"#1f2937\" opacity=\".2\" filter=\"url(#soft)\" d=\"" +
           d + "\"/></g>\n";
  }

  [[nodiscard]] std::string labels() const {
    std::string text = "<g font-family=\"sans-serif\" font-size=\"" + number(13 * unit_) +
                       "\" text-anchor=\"middle\" fill=\"#15181d\" stroke=\"#fff\" "
                       "stroke-opacity=\".8\" stroke-width=\"" +
                       number(3 * unit_) + "\" stroke-linejoin=\"round\" paint-order=\"stroke\">\n";
    for (const Body& body : bodies_) {
      if (body.giant || !view_.inFront(body.extent.middle())) continue;
      const Dot at = dotOf(view_.project(body.extent.middle()), settings_.height);
      text += "<text x=\"" + hundredths(at.x) + "\" y=\"" + hundredths(at.y) + "\" dy=\".35em\">" +
              escaped(scene_.solids[body.solid].name) + "</text>\n";
    }
    return text + "</g>\n";
  }

  const Scene& scene_;
  const Mechanism& mechanism_;
  const State& state_;
  DrawSettings settings_;
  double unit_ = 1;  // [px] of a line; 1 on the usual sheet
  std::vector<Body> bodies_;
  Extent extent_;                // of all that is no giant
  const Body* stand_ = nullptr;  // of bodies_
  View view_;
};

}  // namespace

Drawing drawScene(const Scene& scene, const Mechanism& mechanism, const State& state,
                  const DrawSettings& settings) {
  assert(scene.solids.size() == mechanism.solids.size());
  assert(state.position.size() == mechanism.solids.size());
  return Picture(scene, mechanism, state, settings).draw();
}

}  // namespace tenon
