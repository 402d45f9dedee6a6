// Volume integrals, mesh checks, exact orientation, quickhull.
#include "math/polyhedron.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>

#include "math/decimal.h"
#include "math/order.h"
#include "math/twofold.h"

namespace tenon {
namespace {

constexpr std::uint32_t kNone = 0xffffffffu;

struct Box {
  Vec3 lower, upper;
};

// Precondition: at least one point.
Box boxOf(const std::vector<Vec3>& points) {
  Box box{points.front(), points.front()};
  for (const Vec3& p : points)
    for (int k = 0; k < 3; ++k) {
      box.lower[k] = std::min(box.lower[k], p[k]);
      box.upper[k] = std::max(box.upper[k], p[k]);
    }
  return box;
}

std::string text(const Vec3& p) {
  return "(" + shortDecimal(p.x, 6) + ", " + shortDecimal(p.y, 6) + ", " + shortDecimal(p.z, 6) +
         ")";
}

std::string counted(std::size_t n, const char* one, const char* many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}

// --------------------------------------------------------------------------------------- integrals

struct VolumeMoments {
  double volume = 0;  // [m³]
  Vec3 first;         // ∫ r dV [m⁴], from the reference point
  Mat3 second;        // ∫ r rᵀ dV [m⁵]
};

// Each triangle a, b, c and the reference point o span a tetrahedron of signed volume det/6,
// det = a·(b × c) from o; they add up to the solid, wherever o is.        [Blow & Binstock 2004]
//   ∫ r dV = det/24 (a + b + c),   ∫ r rᵀ dV = det/120 (a aᵀ + b bᵀ + c cᵀ + s sᵀ),  s = a + b + c
VolumeMoments momentsAbout(const Vec3& o, const std::vector<Vec3>& points,
                           const std::vector<Triangle>& triangles) {
  VolumeMoments m;
  for (const Triangle& t : triangles) {
    const Vec3 a = points[t[0]] - o, b = points[t[1]] - o, c = points[t[2]] - o;
    const double det = dot(a, cross(b, c));
    const Vec3 s = a + b + c;
    m.volume += det;
    m.first += det * s;
    m.second += det * (outer(a, a) + outer(b, b) + outer(c, c) + outer(s, s));
  }
  m.volume /= 6;
  m.first = m.first / 24;
  m.second = (1.0 / 120) * m.second;
  return m;
}

}  // namespace

MassProperties massOfMesh(const std::vector<Vec3>& points, const std::vector<Triangle>& triangles,
                          double density) {
  // First the centre, from the middle of the box; then the second moments about the centre, so that
  // nothing large cancels.
  const Box box = boxOf(points);
  const Vec3 middle = 0.5 * (box.lower + box.upper);
  const VolumeMoments rough = momentsAbout(middle, points, triangles);
  const Vec3 com = middle + rough.first / rough.volume;
  const VolumeMoments fine = momentsAbout(com, points, triangles);
  const Mat3 inertia = trace(fine.second) * identity3() - fine.second;
  return {density * fine.volume, com, density * inertia};
}

// ------------------------------------------------------------------------------------------ checks

namespace {

// Shells: triangles connected over edges. Smallest triangle index of the shell, per triangle.
std::vector<std::uint32_t> shellsOf(std::size_t triangleCount,
                                    const std::vector<std::array<std::uint32_t, 2>>& joined) {
  std::vector<std::uint32_t> parent(triangleCount);
  for (std::uint32_t i = 0; i < triangleCount; ++i) parent[i] = i;
  const auto root = [&parent](std::uint32_t i) {
    while (parent[i] != i) {
      parent[i] = parent[parent[i]];
      i = parent[i];
    }
    return i;
  };
  for (const auto& [a, b] : joined) {
    const std::uint32_t ra = root(a), rb = root(b);
    parent[std::max(ra, rb)] = std::min(ra, rb);
  }
  for (std::uint32_t i = 0; i < triangleCount; ++i) parent[i] = root(i);
  return parent;
}

struct Edge {
  std::uint32_t low, high;  // corners
  std::uint32_t triangle;
  bool forward;  // the triangle runs from low to high
};

}  // namespace

MeshReport checkMesh(const std::vector<Vec3>& points, const std::vector<Triangle>& triangles) {
  MeshReport report;
  if (triangles.empty()) {
    report.errors.push_back("the mesh has no triangles");
    return report;
  }
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!isFinite(points[i])) {
      report.errors.push_back("point " + std::to_string(i) + " of the mesh is not finite");
      return report;
    }
  std::size_t repeated = 0, thin = 0;
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const Triangle& t = triangles[i];
    for (const std::uint32_t corner : t)
      if (corner >= points.size()) {
        report.errors.push_back("triangle " + std::to_string(i) + " names point " +
                                std::to_string(corner) + ", but there are only " +
                                std::to_string(points.size()));
        return report;
      }
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) {
      ++repeated;
      continue;
    }
    const Vec3 u = points[t[1]] - points[t[0]], v = points[t[2]] - points[t[0]];
    const Vec3 w = points[t[2]] - points[t[1]];
    const double longest = std::max({dot(u, u), dot(v, v), dot(w, w)});
    if (!(norm(cross(u, v)) > 1e-12 * longest)) ++thin;
  }
  if (repeated > 0)
    report.errors.push_back(counted(repeated, "triangle uses", "triangles use") + " a point twice");
  if (thin > 0)
    report.warnings.push_back(counted(thin, "triangle has", "triangles have") + " no area");

  // Edges, sorted so that those between the same two points lie together.
  std::vector<Edge> edges;
  edges.reserve(3 * triangles.size());
  for (std::uint32_t i = 0; i < triangles.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = triangles[i][k], b = triangles[i][(k + 1) % 3];
      if (a != b) edges.push_back({std::min(a, b), std::max(a, b), i, a < b});
    }
  sortStably(edges, [](const Edge& a, const Edge& b) {
    if (a.low != b.low) return a.low < b.low;
    if (a.high != b.high) return a.high < b.high;
    if (a.triangle != b.triangle) return a.triangle < b.triangle;
    return a.forward < b.forward;
  });
  std::size_t open = 0, crowded = 0, against = 0;
  Edge firstOpen{}, firstAgainst{};
  std::vector<std::array<std::uint32_t, 2>> joined;
  for (std::size_t i = 0; i < edges.size();) {
    std::size_t j = i;
    std::ptrdiff_t balance = 0;
    for (; j < edges.size() && edges[j].low == edges[i].low && edges[j].high == edges[i].high;
         ++j) {
      balance += edges[j].forward ? 1 : -1;
      joined.push_back({edges[i].triangle, edges[j].triangle});
    }
    const std::size_t uses = j - i;
    if (uses % 2 != 0) {
      if (open++ == 0) firstOpen = edges[i];
    } else if (balance != 0) {
      if (against++ == 0) firstAgainst = edges[i];
    } else if (uses > 2) {
      ++crowded;
    }
    i = j;
  }
  const auto between = [&points](const Edge& e) {
    return "between " + text(points[e.low]) + " and " + text(points[e.high]);
  };
  if (open > 0)
    report.errors.push_back("the mesh is not closed: " + counted(open, "edge lacks", "edges lack") +
                            " a neighbour, the first " + between(firstOpen));
  if (against > 0)
    report.errors.push_back("neighbouring triangles run in opposite senses at " +
                            counted(against, "edge", "edges") + ", the first " +
                            between(firstAgainst));
  if (crowded > 0)
    report.warnings.push_back(counted(crowded, "edge belongs", "edges belong") +
                              " to more than two triangles");
  if (!report.errors.empty()) return report;

  // Volume, as a whole and per shell.
  const Box box = boxOf(points);
  const Vec3 size = box.upper - box.lower;
  const Vec3 middle = 0.5 * (box.lower + box.upper);
  const double volume = momentsAbout(middle, points, triangles).volume;
  const double largest = std::max({size.x, size.y, size.z});
  if (!(std::fabs(volume) > 1e-12 * largest * largest * largest)) {
    report.errors.push_back("the mesh encloses no volume");
    return report;
  }
  report.insideOut = volume < 0;
  report.volume = std::fabs(volume);

  const std::vector<std::uint32_t> shell = shellsOf(triangles.size(), joined);
  struct Shell {
    double volume = 0;
    Box box;
    bool used = false;
  };
  std::vector<Shell> shells(triangles.size());
  for (std::uint32_t i = 0; i < triangles.size(); ++i) {
    const Triangle& t = triangles[i];
    Shell& s = shells[shell[i]];
    if (!s.used) s = {0, {points[t[0]], points[t[0]]}, true};
    const Vec3 a = points[t[0]] - middle, b = points[t[1]] - middle, c = points[t[2]] - middle;
    s.volume += dot(a, cross(b, c)) / 6 * (report.insideOut ? -1 : 1);
    for (const std::uint32_t corner : t)
      for (int k = 0; k < 3; ++k) {
        s.box.lower[k] = std::min(s.box.lower[k], points[corner][k]);
        s.box.upper[k] = std::max(s.box.upper[k], points[corner][k]);
      }
  }
  std::vector<std::uint32_t> outer;  // shells turned outwards
  for (std::uint32_t i = 0; i < shells.size(); ++i)
    if (shells[i].used && shells[i].volume > 0) outer.push_back(i);
  std::size_t hollows = 0;
  for (const Shell& s : shells) hollows += s.used && s.volume < 0 ? 1 : 0;
  constexpr std::size_t kMostPairs = 100'000'000;  // each hollow is looked for in all of them
  if (!outer.empty() && hollows > kMostPairs / outer.size()) {
    report.errors.push_back("the mesh has " + counted(outer.size(), "closed part", "closed parts") +
                            " and " + counted(hollows, "hollow", "hollows") +
                            ", which are too many to find out which part lies in which");
    report.volume = 0;
    return report;
  }
  std::size_t stray = 0;
  Vec3 firstStray;
  for (const Shell& s : shells) {
    if (!s.used || s.volume >= 0) continue;
    const bool within = std::any_of(outer.begin(), outer.end(), [&](std::uint32_t o) {
      for (int k = 0; k < 3; ++k)
        if (s.box.lower[k] < shells[o].box.lower[k] || s.box.upper[k] > shells[o].box.upper[k])
          return false;
      return true;
    });
    if (!within && stray++ == 0) firstStray = 0.5 * (s.box.lower + s.box.upper);
  }
  if (stray > 0)
    report.errors.push_back(
        counted(stray, "closed part of the mesh is", "closed parts of the mesh are") +
        " inside out, unlike the rest; the first is around " + text(firstStray));
  if (!report.errors.empty()) report.volume = 0;
  return report;
}

void weld(std::vector<Vec3>& points, std::vector<Triangle>& triangles) {
  const auto before = [&points](std::uint32_t i, std::uint32_t j) {
    const Vec3 &a = points[i], &b = points[j];
    if (a.x != b.x) return a.x < b.x;
    if (a.y != b.y) return a.y < b.y;
    return a.z < b.z;
  };
  const std::vector<std::uint32_t> order = stableOrder(points.size(), before);
  std::vector<std::uint32_t> first(points.size());  // the first point equal to this one
  for (std::size_t k = 0; k < order.size(); ++k)
    first[order[k]] =
        k > 0 && points[order[k]] == points[order[k - 1]] ? first[order[k - 1]] : order[k];
  std::vector<std::uint32_t> renamed(points.size());
  std::vector<Vec3> kept;
  for (std::uint32_t i = 0; i < points.size(); ++i) {
    if (first[i] == i) {
      renamed[i] = static_cast<std::uint32_t>(kept.size());
      kept.push_back(points[i]);
    } else {
      renamed[i] = renamed[first[i]];
    }
  }
  std::vector<Triangle> left;
  for (const Triangle& t : triangles) {
    const Triangle r{renamed[t[0]], renamed[t[1]], renamed[t[2]]};
    if (r[0] != r[1] && r[1] != r[2] && r[2] != r[0]) left.push_back(r);
  }
  points = std::move(kept);
  triangles = std::move(left);
}

// ------------------------------------------------------------------------------- exact orientation

namespace {

// An expansion: a sum of doubles, growing in size, that do not overlap, so that the last one that
// is not 0 has the sign of the sum.                                    [Shewchuk 1997, §2.2–2.5]
struct Expansion {
  static constexpr std::size_t kCapacity = 192;
  double term[kCapacity];
  std::size_t count = 0;

  // Adds one double exactly (grow-expansion), dropping zeros.
  void add(double b) {
    double q = b;
    std::size_t out = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Twofold s = twoSum(q, term[i]);
      q = s.hi;
      if (s.lo != 0) term[out++] = s.lo;
    }
    if (q != 0) {
      assert(out < kCapacity);
      term[out++] = q;
    }
    count = out;
  }

  [[nodiscard]] int sign() const { return count == 0 ? 0 : term[count - 1] > 0 ? 1 : -1; }
};

// The determinant of three differences, each with its rounding error kept: all products of two are
// twofold, all products of three twofold times a double, all exact.
int exactSide(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  Twofold u[3], v[3], w[3];
  for (int k = 0; k < 3; ++k) {
    u[k] = twoSum(b[k], -a[k]);
    v[k] = twoSum(c[k], -a[k]);
    w[k] = twoSum(d[k], -a[k]);
  }
  Expansion sum;
  const auto addProduct = [&sum](const Twofold& x, const Twofold& y, const Twofold& z,
                                 double sign) {
    for (const double i : {x.lo, x.hi})
      for (const double j : {y.lo, y.hi}) {
        const Twofold p = twoProduct(i, j);
        for (const double k : {z.lo, z.hi})
          for (const double ij : {p.lo, p.hi}) {
            const Twofold t = twoProduct(ij, k);
            sum.add(sign * t.lo);
            sum.add(sign * t.hi);
          }
      }
  };
  for (int k = 0; k < 3; ++k) {
    const int l = (k + 1) % 3, m = (k + 2) % 3;
    addProduct(u[k], v[l], w[m], 1);
    addProduct(u[k], v[m], w[l], -1);
  }
  return sum.sign();
}

}  // namespace

int sideOfPlane(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3 u = b - a, v = c - a, w = d - a;
  const double yz1 = u.y * v.z, yz2 = u.z * v.y;
  const double zx1 = u.z * v.x, zx2 = u.x * v.z;
  const double xy1 = u.x * v.y, xy2 = u.y * v.x;
  const double det = (yz1 - yz2) * w.x + (zx1 - zx2) * w.y + (xy1 - xy2) * w.z;
  const double size = (std::fabs(yz1) + std::fabs(yz2)) * std::fabs(w.x) +
                      (std::fabs(zx1) + std::fabs(zx2)) * std::fabs(w.y) +
                      (std::fabs(xy1) + std::fabs(xy2)) * std::fabs(w.z);
  // Rounding of the line above is below (7 + 56 ε) ε · size, ε = 2^-53.     [Shewchuk 1997, §4.3]
  constexpr double kBound = 8 * 0x1p-53;
  if (det > kBound * size) return 1;
  if (-det > kBound * size) return -1;
  return exactSide(a, b, c, d);
}

// ------------------------------------------------------------------------------------- convex hull

namespace {

// One run of quickhull. Facets are triangles with their three neighbours; every point not yet
// decided belongs to one facet that it is strictly in front of. Taking the farthest point p of a
// facet, the facets that p is strictly in front of form a disc; its border and p make new facets.
//
// With exact signs nothing degenerate arises: a new facet of no area would need p on the line of a
// border edge, hence in the plane of the visible facet beside it, which p is strictly in front of.
// And a point of a deleted facet that is still outside is in front of a new one: where its own
// visible disc crosses the border between D (deleted) and K (kept), the new facet's normal is a
// positive combination of theirs.
class QuickHull {
 public:
  explicit QuickHull(const std::vector<Vec3>& points)
      : points_(points), leaving_(points.size(), kNone) {}

  // `start`: four points that span a volume. `candidates`: the points to take the hull of.
  void run(const std::array<std::uint32_t, 4>& start,
           const std::vector<std::uint32_t>& candidates) {
    std::array<std::uint32_t, 4> s = start;
    if (side({s[0], s[1], s[2]}, s[3]) > 0) std::swap(s[0], s[1]);
    // Facet k lies opposite of corner k, outward.
    facets_.push_back({{s[1], s[3], s[2]}, {}, {}});
    facets_.push_back({{s[0], s[2], s[3]}, {}, {}});
    facets_.push_back({{s[0], s[3], s[1]}, {}, {}});
    facets_.push_back({{s[0], s[1], s[2]}, {}, {}});
    for (std::uint32_t f = 0; f < 4; ++f)
      for (std::size_t e = 0; e < 3; ++e) {
        // The neighbour over the edge corner[e] → corner[e + 1] is opposite of the third corner.
        const std::uint32_t third = facets_[f].corner[(e + 2) % 3];
        for (std::uint32_t g = 0; g < 4; ++g)
          if (s[g] == third) facets_[f].neighbour[e] = g;
      }
    std::vector<std::uint32_t> initial{0, 1, 2, 3};
    distribute(candidates, initial);
    for (std::uint32_t f = 0; f < facets_.size(); ++f)  // facets_ grows meanwhile
      while (!facets_[f].deleted && !facets_[f].outside.empty()) addFarthestOf(f);
  }

  [[nodiscard]] std::vector<Triangle> triangles() const {
    std::vector<Triangle> result;
    for (const Facet& f : facets_)
      if (!f.deleted) result.push_back(f.corner);
    return result;
  }

 private:
  struct Facet {
    Triangle corner;
    std::array<std::uint32_t, 3> neighbour;  // over the edge corner[e] → corner[e + 1]
    std::vector<std::uint32_t> outside;
    bool deleted = false;
    bool visible = false;
  };

  [[nodiscard]] int side(const Triangle& t, std::uint32_t p) const {
    return sideOfPlane(points_[t[0]], points_[t[1]], points_[t[2]], points_[p]);
  }

  // Gives each point to the first of the facets that it is strictly in front of; others are inside.
  void distribute(const std::vector<std::uint32_t>& candidates,
                  const std::vector<std::uint32_t>& facets) {
    for (const std::uint32_t p : candidates)
      for (const std::uint32_t f : facets)
        if (side(facets_[f].corner, p) > 0) {
          facets_[f].outside.push_back(p);
          break;
        }
  }

  void addFarthestOf(std::uint32_t start) {
    // The farthest by rounded distance, the first of equals: any choice is right, this one is fast.
    const Triangle t = facets_[start].corner;
    const Vec3 a = points_[t[0]];
    const Vec3 normal = cross(points_[t[1]] - a, points_[t[2]] - a);
    std::uint32_t p = facets_[start].outside.front();
    double farthest = dot(normal, points_[p] - a);
    for (const std::uint32_t q : facets_[start].outside) {
      const double distance = dot(normal, points_[q] - a);
      if (distance > farthest) {
        farthest = distance;
        p = q;
      }
    }

    // What p sees, and the border around it.
    struct BorderEdge {
      std::uint32_t from, to, kept;  // as the visible facet runs; the facet beyond
    };
    std::vector<std::uint32_t> seen{start};
    std::vector<BorderEdge> border;
    facets_[start].visible = true;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const std::uint32_t f = seen[i];
      for (std::size_t e = 0; e < 3; ++e) {
        const std::uint32_t g = facets_[f].neighbour[e];
        if (facets_[g].visible) continue;
        if (side(facets_[g].corner, p) > 0) {
          facets_[g].visible = true;
          seen.push_back(g);
        } else {
          border.push_back({facets_[f].corner[e], facets_[f].corner[(e + 1) % 3], g});
        }
      }
    }

    // One new facet per border edge: from, to, p.
    std::vector<std::uint32_t> added;
    for (const BorderEdge& b : border) {
      const auto f = static_cast<std::uint32_t>(facets_.size());
      facets_.push_back({{b.from, b.to, p}, {b.kept, kNone, kNone}, {}});
      added.push_back(f);
      Facet& kept = facets_[b.kept];
      for (std::size_t e = 0; e < 3; ++e)
        if (kept.corner[e] == b.to && kept.corner[(e + 1) % 3] == b.from) kept.neighbour[e] = f;
      leaving_[b.from] = f;
    }
    for (const std::uint32_t f : added) {  // the facet after mine begins where my border edge ends
      const std::uint32_t next = leaving_[facets_[f].corner[1]];
      assert(next != kNone);
      facets_[f].neighbour[1] = next;
      facets_[next].neighbour[2] = f;
    }
    for (const BorderEdge& b : border) leaving_[b.from] = kNone;

    for (const std::uint32_t f : seen) {
      facets_[f].deleted = true;
      std::vector<std::uint32_t> orphans;
      orphans.swap(facets_[f].outside);
      distribute(orphans, added);  // p itself lies in all their planes, in front of none
    }
  }

  const std::vector<Vec3>& points_;
  std::vector<Facet> facets_;
  std::vector<std::uint32_t>
      leaving_;  // scratch: the new facet whose border edge leaves this corner
};

// Corners that lie within a face or an edge of the hull, between coplanar triangles. Around a true
// corner at least three edges are bent.
std::vector<bool> trueCorners(const std::vector<Vec3>& points,
                              const std::vector<Triangle>& triangles) {
  struct HalfEdge {
    std::uint32_t low, high, opposite;  // opposite: the third corner of the triangle
    std::uint32_t triangle;
  };
  std::vector<HalfEdge> edges;
  for (std::uint32_t i = 0; i < triangles.size(); ++i)
    for (std::size_t e = 0; e < 3; ++e) {
      const std::uint32_t a = triangles[i][e], b = triangles[i][(e + 1) % 3];
      edges.push_back({std::min(a, b), std::max(a, b), triangles[i][(e + 2) % 3], i});
    }
  sortStably(edges, [](const HalfEdge& a, const HalfEdge& b) {
    if (a.low != b.low) return a.low < b.low;
    if (a.high != b.high) return a.high < b.high;
    return a.triangle < b.triangle;
  });
  std::vector<std::uint32_t> bent(points.size(), 0);
  for (std::size_t i = 0; i + 1 < edges.size(); i += 2) {
    const Triangle& t = triangles[edges[i].triangle];
    if (sideOfPlane(points[t[0]], points[t[1]], points[t[2]], points[edges[i + 1].opposite]) != 0) {
      ++bent[edges[i].low];
      ++bent[edges[i].high];
    }
  }
  std::vector<bool> isCorner(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) isCorner[i] = bent[i] >= 3;
  return isCorner;
}

// The points as multiples of 2^-300 of no more than 1. A product of three differences of them, and each part that
// sideOfPlane makes of one, is a multiple of 2^-900 of no more than 8: nothing leaves the range of double, and
// signs are exact. The factor is a power of two, so that only what is below 2^-300 of the largest is rounded.
std::vector<Vec3> onGrid(const std::vector<Vec3>& points) {
  constexpr int kGrid = 300;
  double largest = 0;
  for (const Vec3& p : points)
    for (int k = 0; k < 3; ++k) largest = std::max(largest, std::fabs(p[k]));
  int exponent = 0;
  static_cast<void>(std::frexp(largest, &exponent));
  std::vector<Vec3> scaled = points;
  for (Vec3& p : scaled)
    for (int k = 0; k < 3; ++k) {
      p[k] = std::ldexp(p[k], -exponent);
      if (std::fabs(p[k]) < std::ldexp(1, 53 - kGrid))  // a larger one has no smaller digits
        p[k] = std::ldexp(std::rint(std::ldexp(p[k], kGrid)), -kGrid);
    }
  return scaled;
}

}  // namespace

Hull convexHull(const std::vector<Vec3>& given) {
  Hull hull;
  if (given.size() < 4) {
    hull.error = "a hull needs at least four points, but there are " + std::to_string(given.size());
    return hull;
  }
  for (std::size_t i = 0; i < given.size(); ++i)
    if (!isFinite(given[i])) {
      hull.error = "point " + std::to_string(i) + " of the hull is not finite";
      return hull;
    }
  const std::vector<Vec3> points = onGrid(given);

  // Four points far apart: the ends along the widest axis, the farthest from their line, the
  // farthest from the plane of the three.
  const Box box = boxOf(points);
  const Vec3 size = box.upper - box.lower;
  const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
  const double extent = size[axis];
  constexpr double kFlat = 1e-12;
  std::vector<std::uint32_t> all(points.size());
  for (std::uint32_t i = 0; i < points.size(); ++i) all[i] = i;
  const auto best = [&points](const auto& measure) {
    std::uint32_t at = 0;
    for (std::uint32_t i = 1; i < points.size(); ++i)
      if (measure(points[i]) > measure(points[at])) at = i;
    return at;
  };
  const std::uint32_t s0 = best([axis](const Vec3& p) { return -p[axis]; });
  const std::uint32_t s1 = best([axis](const Vec3& p) { return p[axis]; });
  if (!(extent > 0)) {
    hull.error = "all points of the hull are one point";
    return hull;
  }
  const Vec3 o = points[s0], line = (points[s1] - o) / norm(points[s1] - o);
  const auto fromLine = [&](const Vec3& p) { return norm(cross(line, p - o)); };
  const std::uint32_t s2 = best(fromLine);
  if (!(fromLine(points[s2]) > kFlat * extent)) {
    hull.error = "the points of the hull lie on a line";
    return hull;
  }
  const Vec3 across = cross(line, points[s2] - o);
  const Vec3 normal = across / norm(across);
  const auto fromPlane = [&](const Vec3& p) { return std::fabs(dot(normal, p - o)); };
  const std::uint32_t s3 = best(fromPlane);
  if (!(fromPlane(points[s3]) > kFlat * extent)) {
    hull.error = "the hull is flat: its points lie in a plane";
    return hull;
  }

  // The start may lie within faces, and so may points taken on the way. A second run with the true
  // corners only leaves nothing but them.
  std::array<std::uint32_t, 4> start{s0, s1, s2, s3};
  std::vector<std::uint32_t> candidates = all;
  while (true) {
    QuickHull run(points);
    run.run(start, candidates);
    hull.triangles = run.triangles();
    const std::vector<bool> isCorner = trueCorners(points, hull.triangles);
    std::vector<bool> used(points.size());
    for (const Triangle& t : hull.triangles)
      for (const std::uint32_t corner : t) used[corner] = true;
    hull.corners.clear();
    bool clean = true;
    for (std::uint32_t i = 0; i < points.size(); ++i) {
      if (used[i] && isCorner[i]) hull.corners.push_back(i);
      if (used[i] && !isCorner[i]) clean = false;
    }
    if (clean) break;
    candidates = hull.corners;
    // A start among the corners: any four that span a volume, found exactly.
    start = {candidates[0], candidates[1], kNone, kNone};
    for (std::size_t i = 2; i < candidates.size() && start[3] == kNone; ++i) {
      // No three corners lie on a line, so the third is any; the fourth lies outside their plane.
      if (start[2] == kNone) {
        start[2] = candidates[i];
      } else if (sideOfPlane(points[start[0]], points[start[1]], points[start[2]],
                             points[candidates[i]]) != 0) {
        start[3] = candidates[i];
      }
    }
    assert(start[3] != kNone);
  }
  return hull;
}

}  // namespace tenon
