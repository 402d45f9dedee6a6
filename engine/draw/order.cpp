// Newell, Newell and Sancha's priority by pairs, as a graph.         [Newell, Newell, Sancha 1972]
//
// Where two facets overlap on the sheet, the difference of their depths is linear:
//   dz(x, y) = z_f(x, y) - z_g(x, y),  z = a x + b y + c of each plane.
// One sign over the overlap says who covers whom. Both signs: they pass through each other, and f is
// cut along dz = 0. The relations make a graph; sorting it topologically gives the order, and a
// circle in it is opened by cutting a facet along another one's plane. So only what has to be cut
// is cut, where a BSP tree would cut most of a scene.
#include "draw/order.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

namespace tenon {
namespace {

using Id = std::uint32_t;

constexpr double kTouch = 0.05;       // [px²] overlaps below are a common edge
constexpr double kLevel = 0.02;       // [px] depths closer than this are equal
constexpr double kSliver = 0.4;       // [px²] parts below are not worth a cut
constexpr double kOwnSliver = 3;      // [px²] the same within one solid, of one colour
constexpr double kCell = 24;          // [px] of the grid that finds overlaps
constexpr std::size_t kCuts = 20000;  // then facets stay as they are
// [corners looked at] Thirty times what any scene of the repository takes. Solids that stand in each other in their
// dozens would take minutes or hours: then depths have to do.
constexpr std::size_t kWork = 200'000'000;

struct Plane {
  double a = 0, b = 0, c = 0;  // z = a x + b y + c
  [[nodiscard]] double at(const Vec3& p) const { return a * p.x + b * p.y + c; }
};

Plane planeOf(const std::vector<Vec3>& loop) {
  Vec3 n, middle;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    if (i + 1 < loop.size()) n += cross(loop[i] - loop[0], loop[i + 1] - loop[0]);
    middle += loop[i];
  }
  middle = middle / static_cast<double>(loop.size());
  Plane plane;
  if (n.z > 0) {
    plane.a = -n.x / n.z;
    plane.b = -n.y / n.z;
  }
  plane.c = middle.z - plane.a * middle.x - plane.b * middle.y;
  return plane;
}

struct Box {
  double left = 0, right = 0, low = 0, high = 0;
};

Box boxOf(const std::vector<Vec3>& loop) {
  Box box{loop[0].x, loop[0].x, loop[0].y, loop[0].y};
  for (const Vec3& p : loop) {
    box.left = std::min(box.left, p.x);
    box.right = std::max(box.right, p.x);
    box.low = std::min(box.low, p.y);
    box.high = std::max(box.high, p.y);
  }
  return box;
}

double meanDepth(const std::vector<Vec3>& loop) {
  double sum = 0;
  for (const Vec3& p : loop) sum += p.z;
  return sum / static_cast<double>(loop.size());
}

// Cuts `loop` down to where d >= 0; the room for results is reused.
template <class Distance>
void clipLoop(std::vector<Vec3>& loop, std::vector<Vec3>& room, const Distance& distance) {
  room.clear();
  if (loop.empty()) return;
  double d = distance(loop[0]);
  const double first = d;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const bool last = i + 1 == loop.size();
    const Vec3& p = loop[i];
    const Vec3& q = loop[last ? 0 : i + 1];
    const double e = last ? first : distance(q);
    if (d >= 0) room.push_back(p);
    if ((d > 0 && e < 0) || (d < 0 && e > 0)) room.push_back(p + (d / (d - e)) * (q - p));
    d = e;
  }
  loop.swap(room);
}

enum class Relation : std::uint8_t { None, Behind, InFront, Crossing };

struct Node {
  Facet facet;
  Plane plane;
  Box box;
  double depth = 0;
  std::vector<Id> behind;  // those that must be painted before
  std::vector<Id> front;   // those that must be painted after
  bool dead = false;       // replaced by its parts, or painted
};

class Painter {
 public:
  explicit Painter(std::vector<Facet> facets) {
    // Big ones first, wires last: who comes later is cut, and a small facet is cut into few parts.
    std::vector<std::tuple<bool, double, std::size_t>> order;
    for (std::size_t i = 0; i < facets.size(); ++i)
      order.emplace_back(facets[i].wire, -areaOf(facets[i].loop), i);
    std::sort(order.begin(), order.end());
    for (const Facet& facet : facets) include(boxOf(facet.loop));
    makeGrid();
    for (const auto& [wire, area, i] : order) insert(std::move(facets[i]));
  }

  // Whether it was given up, and `paint` is not to be called, or what it gave not to be used.
  [[nodiscard]] bool gaveUp() const { return work_ > kWork; }

  std::vector<Facet> paint() {
    for (Id n = 0; n < nodes_.size(); ++n) {
      left_.push_back(static_cast<Id>(nodes_[n].behind.size()));
      if (left_[n] == 0) makeReady(n);
    }
    std::vector<Facet> painted;
    remaining_ = nodes_.size();
    while (remaining_ > 0 && !gaveUp()) {
      while (ready_.empty()) openCircle();
      paintFormOf(std::get<1>(*ready_.begin()), painted);
    }
    return painted;
  }

 private:
  using Ready = std::set<std::pair<double, Id>>;

  // ---- Finding relations.

  void include(const Box& box) {
    if (nodes_.empty() && !anyBox_) all_ = box;
    anyBox_ = true;
    all_ = {std::min(all_.left, box.left), std::max(all_.right, box.right),
            std::min(all_.low, box.low), std::max(all_.high, box.high)};
  }

  void makeGrid() {
    columns_ = 1 + static_cast<std::size_t>((all_.right - all_.left) / kCell);
    rows_ = 1 + static_cast<std::size_t>((all_.high - all_.low) / kCell);
    grid_.resize(columns_ * rows_);
  }

  [[nodiscard]] std::size_t column(double x) const {
    return std::min(columns_ - 1, static_cast<std::size_t>(std::max(0.0, (x - all_.left) / kCell)));
  }
  [[nodiscard]] std::size_t row(double y) const {
    return std::min(rows_ - 1, static_cast<std::size_t>(std::max(0.0, (y - all_.low) / kCell)));
  }

  [[nodiscard]] static bool mayHide(const Facet& f, const Facet& g) {
    if (f.wire && g.wire) return false;
    return f.form != g.form || !f.convexForm;
  }

  // Of f to g.
  Relation relate(const Node& f, const Node& g) {
    if (f.box.left >= g.box.right || g.box.left >= f.box.right || f.box.low >= g.box.high ||
        g.box.low >= f.box.high || !mayHide(f.facet, g.facet))
      return Relation::None;
    overlap_ = f.facet.loop;
    const std::vector<Vec3>& edge = g.facet.loop;
    work_ += overlap_.size() * edge.size();
    for (std::size_t i = 0; i < edge.size() && overlap_.size() > 2; ++i) {
      const Vec3 p = edge[i], u = edge[i + 1 < edge.size() ? i + 1 : 0] - p;
      clipLoop(overlap_, room_,
               [&](const Vec3& q) { return u.x * (q.y - p.y) - u.y * (q.x - p.x); });
    }
    if (overlap_.size() < 3) return Relation::None;
    const double area = areaOf(overlap_);
    if (area < kTouch) return Relation::None;

    const auto dz = [&](const Vec3& q) { return f.plane.at(q) - g.plane.at(q); };
    double low = dz(overlap_[0]), high = low;
    for (const Vec3& q : overlap_) {
      low = std::min(low, dz(q));
      high = std::max(high, dz(q));
    }
    if (low >= -kLevel && high <= kLevel) return Relation::None;
    if (low >= -kLevel) return Relation::InFront;
    if (high <= kLevel) return Relation::Behind;
    clipLoop(overlap_, room_, dz);
    const double nearer = overlap_.size() < 3 ? 0 : areaOf(overlap_);
    const bool own = f.facet.owner == g.facet.owner && !f.facet.wire && !g.facet.wire;
    const double sliver = own ? kOwnSliver : kSliver;
    if (nearer < sliver || area - nearer < sliver || cuts_ >= kCuts)
      return 2 * nearer > area ? Relation::InFront : Relation::Behind;
    return Relation::Crossing;
  }

  [[nodiscard]] static Node nodeOf(Facet facet) {
    Node node;
    node.plane = planeOf(facet.loop);
    node.box = boxOf(facet.loop);
    node.depth = meanDepth(facet.loop);
    node.facet = std::move(facet);
    return node;
  }

  // The two parts of f behind and in front of a plane; false if one of them is next to nothing.
  static bool cut(const Facet& f, const Plane& plane, Facet& behind, Facet& front) {
    std::vector<double> d;
    for (const Vec3& p : f.loop) d.push_back(p.z - plane.at(p));
    front = clipped(f, d);
    for (double& x : d) x = -x;
    behind = clipped(f, d);
    const auto worth = [](const Facet& part) {
      return part.loop.size() > 2 && areaOf(part.loop) > 0.5 * kSliver;
    };
    return worth(behind) && worth(front);
  }

  void insert(Facet facet) {
    std::vector<Facet> waiting;
    waiting.push_back(std::move(facet));
    while (!waiting.empty() && !gaveUp()) {
      Node node = nodeOf(std::move(waiting.back()));
      waiting.pop_back();
      if (!settle(node, waiting)) continue;
      const Id id = static_cast<Id>(nodes_.size());
      for (const Id other : node.behind) nodes_[other].front.push_back(id);
      for (const Id other : node.front) nodes_[other].behind.push_back(id);
      for (std::size_t r = row(node.box.low); r <= row(node.box.high); ++r)
        for (std::size_t c = column(node.box.left); c <= column(node.box.right); ++c)
          grid_[r * columns_ + c].push_back(id);
      nodes_.push_back(std::move(node));
    }
  }

  // Relations of a newcomer to all that are there. False: it was cut, and its parts are waiting.
  bool settle(Node& node, std::vector<Facet>& waiting) {
    for (std::size_t r = row(node.box.low); r <= row(node.box.high); ++r)
      for (std::size_t c = column(node.box.left); c <= column(node.box.right); ++c)
        for (const Id other : grid_[r * columns_ + c]) {
          const Node& g = nodes_[other];
          ++work_;
          // Both may share many cells: the one with the corner of their common box counts.
          if (row(std::max(node.box.low, g.box.low)) != r ||
              column(std::max(node.box.left, g.box.left)) != c)
            continue;
          Relation relation = relate(node, g);
          if (relation == Relation::Crossing) {
            Facet behind, front;
            if (cut(node.facet, g.plane, behind, front)) {
              ++cuts_;
              waiting.push_back(std::move(behind));
              waiting.push_back(std::move(front));
              return false;
            }
            relation = node.depth > g.depth ? Relation::InFront : Relation::Behind;
          }
          if (relation == Relation::InFront) node.behind.push_back(other);
          if (relation == Relation::Behind) node.front.push_back(other);
        }
    return true;
  }

  // ---- Painting.

  void makeReady(Id n) {
    ready_.emplace(nodes_[n].depth, n);
    const Id form = nodes_[n].facet.form;
    if (readyOfForm_.size() <= form) readyOfForm_.resize(form + 1);
    readyOfForm_[form].push_back(n);
  }

  // All that is ready of the form of n, by colour: so the text gets shorter.
  void paintFormOf(Id n, std::vector<Facet>& painted) {
    std::vector<Id> batch;
    batch.swap(readyOfForm_[nodes_[n].facet.form]);
    std::sort(batch.begin(), batch.end(), [&](Id a, Id b) {
      return std::tuple(nodes_[a].facet.fill, a) < std::tuple(nodes_[b].facet.fill, b);
    });
    for (const Id id : batch) {
      ready_.erase({nodes_[id].depth, id});
      nodes_[id].dead = true;
      --remaining_;
      painted.push_back(std::move(nodes_[id].facet));
    }
    for (const Id id : batch)
      for (const Id other : nodes_[id].front)
        if (!nodes_[other].dead && left_[other] > 0 && --left_[other] == 0) makeReady(other);
  }

  // Nothing is ready: those left hide each other in a circle.
  void openCircle() {
    const std::vector<Id> circle = findCircle();
    for (const Id f : circle)
      for (const Id g : circle) {
        if (f == g || circlesCut_ >= kCuts || gaveUp()) continue;
        work_ += nodes_[f].facet.loop.size();
        Facet behind, front;
        if (!cut(nodes_[f].facet, nodes_[g].plane, behind, front)) continue;
        ++circlesCut_;
        replace(f, std::move(behind), std::move(front));
        return;
      }
    // Too small to be cut: the farthest goes first.
    const Id farthest = *std::min_element(circle.begin(), circle.end(), [&](Id a, Id b) {
      return std::pair(nodes_[a].depth, a) < std::pair(nodes_[b].depth, b);
    });
    left_[farthest] = 0;
    makeReady(farthest);
  }

  // From any facet on to one that has to be painted before it, until one comes twice.
  std::vector<Id> findCircle() {
    while (nodes_[firstLeft_].dead) ++firstLeft_;
    std::vector<Id> way{firstLeft_};
    std::vector<std::uint32_t> at(nodes_.size(), 0);  // place on the way, from 1
    work_ += nodes_.size();
    at[firstLeft_] = 1;
    while (true) {
      const std::vector<Id>& before = nodes_[way.back()].behind;
      work_ += before.size();
      const auto next =
          std::find_if(before.begin(), before.end(), [&](Id id) { return !nodes_[id].dead; });
      if (next == before.end()) return way;  // cannot be: it would be ready
      if (at[*next] > 0) return {way.data() + at[*next] - 1, way.data() + way.size()};
      way.push_back(*next);
      at[*next] = static_cast<std::uint32_t>(way.size());
    }
  }

  void replace(Id f, Facet behind, Facet front) {
    std::vector<Id> partners = nodes_[f].behind;
    const std::vector<Id> after = nodes_[f].front;
    for (const Id other : after)
      if (!nodes_[other].dead) --left_[other];
    partners.insert(partners.end(), after.begin(), after.end());
    nodes_[f].dead = true;
    for (Facet* part : {&behind, &front}) {
      Node node = nodeOf(std::move(*part));
      const Id id = static_cast<Id>(nodes_.size());
      for (const Id other : partners) {
        if (nodes_[other].dead) continue;
        Relation relation = relate(node, nodes_[other]);
        if (relation == Relation::Crossing)
          relation = node.depth > nodes_[other].depth ? Relation::InFront : Relation::Behind;
        if (relation == Relation::InFront) {
          node.behind.push_back(other);
          nodes_[other].front.push_back(id);
        } else if (relation == Relation::Behind) {
          node.front.push_back(other);
          nodes_[other].behind.push_back(id);
          ++left_[other];
        }
      }
      left_.push_back(static_cast<Id>(node.behind.size()));
      nodes_.push_back(std::move(node));
      if (left_[id] == 0) makeReady(id);
    }
    ++remaining_;
    for (const Id other : after)
      if (!nodes_[other].dead && left_[other] == 0 &&
          ready_.count({nodes_[other].depth, other}) == 0)
        makeReady(other);
  }

  std::vector<Node> nodes_;
  Box all_;
  bool anyBox_ = false;
  std::size_t columns_ = 1, rows_ = 1;
  std::vector<std::vector<Id>> grid_;
  std::size_t cuts_ = 0, circlesCut_ = 0, work_ = 0;
  std::vector<Vec3> overlap_, room_;

  Ready ready_;
  std::vector<std::vector<Id>> readyOfForm_;
  std::vector<Id> left_;  // how many have to be painted before
  std::size_t remaining_ = 0;
  Id firstLeft_ = 0;
};

}  // namespace

double areaOf(const std::vector<Vec3>& loop) {
  double twice = 0;
  for (std::size_t i = 1; i + 1 < loop.size(); ++i) {
    const Vec3 a = loop[i] - loop[0], b = loop[i + 1] - loop[0];
    twice += a.x * b.y - a.y * b.x;
  }
  return 0.5 * twice;
}

Facet clipped(const Facet& facet, const std::vector<double>& d) {
  Facet part = facet;
  part.loop.clear();
  part.inked.clear();
  const auto add = [&part](const Vec3& p, std::uint8_t inked) {
    part.loop.push_back(p);
    part.inked.push_back(inked);
  };
  const std::size_t n = facet.loop.size();
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t j = i + 1 < n ? i + 1 : 0;
    const auto between = [&] {
      return facet.loop[i] + (d[i] / (d[i] - d[j])) * (facet.loop[j] - facet.loop[i]);
    };
    if (d[i] > 0 || (d[i] == 0 && d[j] >= 0)) add(facet.loop[i], facet.inked[i]);
    if (d[i] == 0 && d[j] < 0) add(facet.loop[i], 0);  // from here along the cut
    if (d[i] > 0 && d[j] < 0) add(between(), 0);
    if (d[i] < 0 && d[j] > 0) add(between(), facet.inked[i]);
  }
  return part;
}

Ordered farToNear(std::vector<Facet> facets, std::size_t exactLimit) {
  if (facets.empty()) return {};
  if (facets.size() <= exactLimit) {
    Painter painter(facets);
    std::vector<Facet> painted;
    if (!painter.gaveUp()) painted = painter.paint();
    if (!painter.gaveUp()) return {std::move(painted), true};
  }
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < facets.size(); ++i) order.emplace_back(meanDepth(facets[i].loop), i);
  std::sort(order.begin(), order.end());
  std::vector<Facet> sorted;
  sorted.reserve(facets.size());
  for (const auto& [depth, i] : order) sorted.push_back(std::move(facets[i]));
  return {std::move(sorted), false};
}

// Samples at half pixels, from near to far: a facet marks those inside of it; it is covered if all
// those within a sample's distance of it are marked already. Samples are looked at by words of 64, so that even
// thousands of facets as large as the sheet take no time to speak of.
void dropCovered(std::vector<Facet>& ordered, int width, int height) {
  constexpr double kStep = 0.5;  // [px]
  const auto columns = static_cast<long>(width / kStep), rows = static_cast<long>(height / kStep);
  constexpr long kWord = 64;
  const long words = (columns + kWord - 1) / kWord;
  std::vector<std::uint64_t> marked(static_cast<std::size_t>(words * rows), 0);
  // The words of a row with samples from `begin` to before `end`, and which bits of them those are.
  const auto eachWord = [&](long row, long begin, long end, const auto& visit) {
    for (long w = begin / kWord; w * kWord < end; ++w) {
      std::uint64_t bits = ~std::uint64_t{0};
      if (w * kWord < begin) bits &= ~std::uint64_t{0} << (begin - w * kWord);
      if ((w + 1) * kWord > end) bits &= ~std::uint64_t{0} >> ((w + 1) * kWord - end);
      if (!visit(marked[static_cast<std::size_t>(row * words + w)], bits)) return;
    }
  };
  std::vector<Facet> seen;
  for (std::size_t k = ordered.size(); k-- > 0;) {
    const std::vector<Vec3>& loop = ordered[k].loop;
    const Box box = boxOf(loop);
    const auto clamp = [](double v, long n) {
      return static_cast<long>(std::clamp(v, 0.0, static_cast<double>(n)));
    };
    const long left = clamp(std::floor(box.left / kStep) - 2, columns);
    const long right = clamp(std::ceil(box.right / kStep) + 2, columns);
    const long low = clamp(std::floor(box.low / kStep) - 2, rows);
    const long high = clamp(std::ceil(box.high / kStep) + 2, rows);
    // The inside of a convex loop on a row: between the largest lower and the least upper bound.
    const auto span = [&](double y, double grow) {
      double from = box.left - grow, to = box.right + grow;
      for (std::size_t i = 0; i < loop.size(); ++i) {
        const Vec3& p = loop[i];
        const Vec3 u = loop[i + 1 < loop.size() ? i + 1 : 0] - p;
        // u.x (y - p.y) - u.y (x - p.x) >= -grow |u|
        const double rest = u.x * (y - p.y) + u.y * p.x + grow * std::sqrt(u.x * u.x + u.y * u.y);
        if (u.y > 0) to = std::min(to, rest / u.y);
        if (u.y < 0) from = std::max(from, rest / u.y);
        if (u.y == 0 && rest < 0) return std::pair(1.0, 0.0);
      }
      return std::pair(from, to);
    };
    const auto first = [&](double x) { return clamp(std::ceil(x / kStep - 0.5), columns); };
    const auto afterLast = [&](double x) {
      return clamp(std::floor(x / kStep - 0.5) + 1, columns);
    };
    bool visible = false;
    for (long r = low; r < high && !visible; ++r) {
      const auto [from, to] = span((static_cast<double>(r) + 0.5) * kStep, 2 * kStep);
      if (from > to) continue;
      const long end = std::min(right, afterLast(to));
      eachWord(r, std::max(left, first(from)), end, [&](std::uint64_t word, std::uint64_t bits) {
        visible = (bits & ~word) != 0;
        return !visible;
      });
    }
    if (!visible) continue;
    for (long r = low; r < high; ++r) {
      const auto [from, to] = span((static_cast<double>(r) + 0.5) * kStep, 0);
      if (from > to) continue;
      const long end = std::min(right, afterLast(to));
      eachWord(r, std::max(left, first(from)), end, [](std::uint64_t& word, std::uint64_t bits) {
        word |= bits;
        return true;
      });
    }
    seen.push_back(std::move(ordered[k]));
  }
  std::reverse(seen.begin(), seen.end());
  ordered = std::move(seen);
}

Cover::Cover(const std::vector<Facet>& ordered) : facets_(ordered) {
  if (ordered.empty()) return;
  Box all = boxOf(ordered[0].loop);
  for (const Facet& facet : ordered) {
    const Box box = boxOf(facet.loop);
    all = {std::min(all.left, box.left), std::max(all.right, box.right), std::min(all.low, box.low),
           std::max(all.high, box.high)};
  }
  left_ = all.left;
  low_ = all.low;
  columns_ = 1 + static_cast<std::size_t>((all.right - all.left) / kCell);
  rows_ = 1 + static_cast<std::size_t>((all.high - all.low) / kCell);
  cells_.resize(columns_ * rows_);
  for (std::uint32_t f = 0; f < ordered.size(); ++f) {
    if (ordered[f].wire) continue;
    const Box box = boxOf(ordered[f].loop);
    const auto cell = [](double from, double to) {
      return static_cast<std::size_t>((to - from) / kCell);
    };
    for (std::size_t r = cell(low_, box.low); r <= cell(low_, box.high); ++r)
      for (std::size_t c = cell(left_, box.left); c <= cell(left_, box.right); ++c)
        cells_[r * columns_ + c].push_back(f);
  }
}

const Facet* Cover::topmost(const Vec3& p, double& depth) const {
  const double c = std::floor((p.x - left_) / kCell), r = std::floor((p.y - low_) / kCell);
  if (!(c >= 0) || !(r >= 0) || c >= static_cast<double>(columns_) ||
      r >= static_cast<double>(rows_))
    return nullptr;
  const auto& cell = cells_[static_cast<std::size_t>(r) * columns_ + static_cast<std::size_t>(c)];
  for (std::size_t k = cell.size(); k-- > 0;) {
    const std::vector<Vec3>& loop = facets_[cell[k]].loop;
    bool inside = true;
    for (std::size_t i = 0; i < loop.size() && inside; ++i) {
      const Vec3 u = loop[i + 1 < loop.size() ? i + 1 : 0] - loop[i], v = p - loop[i];
      inside = u.x * v.y - u.y * v.x >= 0;
    }
    if (!inside) continue;
    depth = planeOf(loop).at(p);
    return &facets_[cell[k]];
  }
  return nullptr;
}

}  // namespace tenon
