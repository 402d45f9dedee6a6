// Curve: a point slides along a spline of the other solid.            [Gascuel1994 §4.1.3, Jeon §1]
//
// The curve C(t) goes through the points given, C², closed or going on straight beyond its ends. With
// t* the parameter of the nearest place, near the last one: (p - C)·C' = 0,
//   g = ((p - C)·n_1, (p - C)·n_2),   c = arc length up to t*, from 0 to the curve's length
// where n_1, n_2 are normals that turn about the curve as little as they can. They are normalised
// across the tangent from a spline through parallel-transported directions w, which comes to rest at
// the ends of an open curve: so all is C² on the curve, and over its ends.
#include "joints/joint_math.h"
#include "math/cold.h"
#include "math/rotation.h"
#include "math/spline.h"

#include <cmath>
#include <optional>

namespace tenon::joints {

namespace {

// Data: how many pieces, whether closed, parameter of the end, length; then the pieces.
constexpr std::size_t kHeader = 4, kPiece = 2 + 2 + 24;
// Of a piece: t and s at its start, its duration and length, then for x y z of C and of w four
// coefficients each: y = c0 + u (c1 + u (c2 + u c3)), u = (t - t0)/duration in [0, 1].

struct Curve {
  std::span<const double> data;

  [[nodiscard]] std::size_t pieces() const { return static_cast<std::size_t>(data[0]); }
  [[nodiscard]] bool closed() const { return data[1] != 0; }
  [[nodiscard]] double end() const { return data[2]; }
  [[nodiscard]] double length() const { return data[3]; }
  [[nodiscard]] const double* piece(std::size_t i) const { return &data[kHeader + i * kPiece]; }

  // The piece of t and the turns taken before it.
  const double* pieceAt(double t, double& turns) const {
    turns = closed() ? std::floor(t / end()) : 0;
    const double local = t - turns * end();
    std::size_t low = 0, high = pieces();
    while (high - low > 1) {
      const std::size_t middle = (low + high) / 2;
      (piece(middle)[0] <= local ? low : high) = middle;
    }
    return piece(low);
  }
};

template <class T>
struct Place {
  T c[3], c1[3], c2[3];  // C and its derivatives by t
  T w[3];                // direction near n_1
};

template <class T>
void cubic(const double* k, const T& u, double perTime, T& y, T& y1, T& y2) {
  y = T(k[0]) + u * (T(k[1]) + u * (T(k[2]) + T(k[3]) * u));
  y1 = T(perTime) * (T(k[1]) + u * (T(2 * k[2]) + T(3 * k[3]) * u));
  y2 = T(perTime * perTime) * (T(2 * k[2]) + T(6 * k[3]) * u);
}

template <class T>
Place<T> placeAt(const Curve& curve, const T& t) {
  double turns = 0;
  const double* piece = curve.pieceAt(valueOf(t), turns);
  const double perTime = 1 / piece[2];
  const T u = T(perTime) * (t - T(piece[0] + turns * curve.end()));
  // Beyond the ends of an open curve: straight on.
  const double beyond = curve.closed() ? -1 : valueOf(u) < 0 ? 0 : valueOf(u) > 1 ? 1 : -1;
  Place<T> at;
  for (int i = 0; i < 3; ++i) {
    const double* k = piece + 4 + 4 * i;
    T w1, w2;
    if (beyond >= 0) {
      const T edge(beyond);
      cubic(k, edge, perTime, at.c[i], at.c1[i], at.c2[i]);
      at.c[i] = at.c[i] + at.c1[i] * (T(1 / perTime) * (u - edge));
      at.c2[i] = T(0);
      cubic(k + 12, edge, perTime, at.w[i], w1, w2);
    } else {
      cubic(k, u, perTime, at.c[i], at.c1[i], at.c2[i]);
      cubic(k + 12, u, perTime, at.w[i], w1, w2);
    }
  }
  return at;
}

template <class T>
T dot3(const T (&a)[3], const T (&b)[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Half the squared distance from p, and its two derivatives by t.
struct Nearness {
  double value = 0, slope = 0, curvature = 0, speed2 = 0;
};
Nearness nearness(const Curve& curve, const double (&p)[3], double t) {
  const Place<double> at = placeAt(curve, t);
  const double d[3] = {at.c[0] - p[0], at.c[1] - p[1], at.c[2] - p[2]};
  const double speed2 = dot3(at.c1, at.c1);
  return {0.5 * dot3(d, d), dot3(d, at.c1), speed2 + dot3(d, at.c2), speed2};
}

// Downhill from t to the next place where the distance is least: Newton, shortened where it climbs.
// Near the place the distance says nothing any more (it is flat there), but its slope still does: the
// last steps are those that make the slope smaller.
double descend(const Curve& curve, const double (&p)[3], double t) {
  const double reach = 0.25 * curve.end() / static_cast<double>(curve.pieces());
  Nearness at = nearness(curve, p, t);
  for (int iteration = 0; iteration < 200; ++iteration) {
    const bool convex = at.curvature > 0.1 * at.speed2;
    double step = -at.slope / (convex ? at.curvature : 0.1 * at.speed2);
    if (!convex) step = std::clamp(step, -reach, reach);
    const auto better = [&](const Nearness& next) {
      return convex && std::abs(step) < 1e-6 * curve.end()
                 ? std::abs(next.slope) < std::abs(at.slope)
                 : next.value < at.value;
    };
    Nearness next = nearness(curve, p, t + step);
    for (int halving = 0; !better(next) && halving < 20; ++halving) {
      step *= 0.5;
      next = nearness(curve, p, t + step);
    }
    if (!better(next)) break;
    t += step;
    at = next;
  }
  return t;
}

double nearestOf(const Curve& curve, const double (&p)[3], double last) {
  if (std::isfinite(last)) return descend(curve, p, last);
  double best = 0, least = kInfinity;
  for (std::size_t i = 0; i < curve.pieces(); ++i)
    for (int k = 0; k < 4; ++k) {
      const double t = curve.piece(i)[0] + 0.25 * k * curve.piece(i)[2];
      const double distance = nearness(curve, p, t).value;
      if (distance < least) {
        least = distance;
        best = t;
      }
    }
  if (nearness(curve, p, curve.end()).value < least) best = curve.end();
  return descend(curve, p, best);
}

// Arc length from the start of a piece to u of it: Gauss' rule of eight points, sixteenth order.
double lengthOfPiece(const double* piece, double u) {
  constexpr double x[4] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                           0.9602898564975363};
  constexpr double w[4] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                           0.1012285362903763};
  double sum = 0;
  for (int n = 0; n < 4; ++n)
    for (const double side : {-1.0, 1.0}) {
      const double at = 0.5 * u * (1 + side * x[n]);
      double speed2 = 0;
      for (int i = 0; i < 3; ++i) {
        const double* k = piece + 4 + 4 * i;
        const double slope = k[1] + at * (2 * k[2] + 3 * k[3] * at);
        speed2 += slope * slope;
      }
      sum += w[n] * std::sqrt(speed2);
    }
  return 0.5 * u * sum;
}

double arcLength(const Curve& curve, double t) {
  double turns = 0;
  const double* piece = curve.pieceAt(t, turns);
  const double u = (t - turns * curve.end() - piece[0]) / piece[2];
  const double base = turns * curve.length() + piece[1];
  if (u >= 0 && u <= 1) return base + lengthOfPiece(piece, u);
  const Place<double> at = placeAt(curve, t);
  const double over = (u < 0 ? u : u - 1) * piece[2] * std::sqrt(dot3(at.c1, at.c1));
  return base + (u < 0 ? 0 : piece[3]) + over;
}

template <class T>
void evaluate(const JointKind&, const JointInput<T>& in, JointOutput<T>& out) {
  const Curve curve{in.options};
  const double p[3] = {valueOf(in.p[0]), valueOf(in.p[1]), valueOf(in.p[2])};
  const double t0 = nearestOf(curve, p, in.memory[1]);
  out.found = t0;

  // t* as a function of p, to second order: each step with the slope at t0 gains an order.
  const Nearness at0 = nearness(curve, p, t0);
  const double slope = std::max(at0.curvature, 0.1 * at0.speed2);
  T t(t0);
  Place<T> at = placeAt(curve, t);
  T d[3];
  for (int order = 0;; ++order) {
    for (int i = 0; i < 3; ++i) d[i] = in.p[i] - at.c[i];
    if (order == 2) break;
    t = t + T(1 / slope) * (dot3(d, at.c1) - T(valueOf(dot3(d, at.c1))));
    at = placeAt(curve, t);
  }
  const T speed2 = dot3(at.c1, at.c1), inverseSpeed = T(1) / squareRoot(speed2);
  T tangent[3], n1[3];
  for (int i = 0; i < 3; ++i) tangent[i] = at.c1[i] * inverseSpeed;
  const T along = dot3(at.w, tangent);
  for (int i = 0; i < 3; ++i) n1[i] = at.w[i] - along * tangent[i];
  const T scale = T(1) / squareRoot(dot3(n1, n1));
  for (T& component : n1) component = component * scale;
  const T n2[3] = {tangent[1] * n1[2] - tangent[2] * n1[1], tangent[2] * n1[0] - tangent[0] * n1[2],
                   tangent[0] * n1[1] - tangent[1] * n1[0]};
  out.residual[0] = dot3(d, n1);
  out.residual[1] = dot3(d, n2);
  const double speed = std::sqrt(valueOf(speed2));
  out.coordinate[0] = compose(t, arcLength(curve, t0), speed, valueOf(dot3(at.c1, at.c2)) / speed);
  rotationVectorAt(in, 1, out);
  swingAndTwistAt(in, 4, out);
}

// ------------------------------------------------------------------------------------ preparation

struct Knot {
  double t = 0;
  Vec3 c, slope;
};

Vec3 transported(const Vec3& w, const Vec3& from, const Vec3& to) {
  return rotate(rotationBetween(from, to), w);
}

// Any unit vector across v.
Vec3 acrossOf(const Vec3& v) {
  const Vec3 other = std::abs(v.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  return normalized(cross(v, other));
}

TENON_COLD std::vector<Knot> knotsOf(const std::vector<double>& numbers, bool closed) {
  std::vector<Vec3> points;
  for (std::size_t i = 0; i + 2 < numbers.size(); i += 3)
    points.push_back({numbers[i], numbers[i + 1], numbers[i + 2]});
  if (closed) points.push_back(points.front());
  std::vector<double> times(points.size(), 0);
  for (std::size_t i = 1; i < points.size(); ++i)
    times[i] = times[i - 1] + norm(points[i] - points[i - 1]);
  std::vector<Knot> knots(points.size());
  const SplineEnds ends{closed ? SplineEnds::Kind::Periodic : SplineEnds::Kind::Natural};
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<double> values;
    for (const Vec3& p : points) values.push_back(p[axis]);
    const std::vector<double> slopes = splineSlopes(times, values, ends);
    for (std::size_t i = 0; i < knots.size(); ++i) {
      knots[i].t = times[i];
      knots[i].c[axis] = values[i];
      knots[i].slope[axis] = slopes[i];
    }
  }
  return knots;
}

// The least speed between two parameters that are so near to each other that there is one minimum.
template <class At>
TENON_COLD double slowestBetween(const At& at, double low, double high) {
  const auto speed = [&](double u) { return norm(at(u).slope); };
  const double atEnds = std::min(speed(low), speed(high));
  if (dot(at(low).slope, at(high).slope) > 0 && atEnds > 0.05) return 0.5 * atEnds;  // goes on
  for (int i = 0; i < 60; ++i) {
    const double third = (high - low) / 3;
    if (speed(low + third) < speed(high - third))
      high -= third;
    else
      low += third;
  }
  return std::min({speed(low), speed(high), speed(0.5 * (low + high))});
}

// The same curve with more knots: between two of them it turns by less than a fifth of a radian.
// `cusp`: the piece in which it stops and turns round, or none.
TENON_COLD std::vector<Knot> refined(const std::vector<Knot>& knots,
                                     std::optional<std::size_t>& cusp) {
  std::vector<Knot> fine{knots.front()};
  for (std::size_t i = 0; i + 1 < knots.size(); ++i) {
    const Knot &a = knots[i], &b = knots[i + 1];
    const double h = b.t - a.t;
    const auto at = [&](double u) {
      Knot k;
      k.t = a.t + u * h;
      for (int axis = 0; axis < 3; ++axis) {
        const SplineValue v = cubicPiece(h, a.c[axis], a.slope[axis], b.c[axis], b.slope[axis], u);
        k.c[axis] = v.value;
        k.slope[axis] = v.rate;
      }
      return k;
    };
    double turn = 0;
    Vec3 last = a.slope;
    for (int n = 1; n <= 16; ++n) {
      const Vec3 next = at(n / 16.0).slope;
      // Between chords of its own length the curve has a speed of about 1.
      if (!(slowestBetween(at, (n - 1) / 16.0, n / 16.0) > 1e-3)) {
        cusp = i;
        return fine;
      }
      turn += norm(normalized(next) - normalized(last));
      last = next;
    }
    const int count = std::clamp(static_cast<int>(std::ceil(turn / 0.2)), 1, 64);
    for (int n = 1; n < count; ++n) fine.push_back(at(static_cast<double>(n) / count));
    fine.push_back(b);
  }
  return fine;
}

TENON_COLD OptionFault prepare(std::span<const std::vector<double>> given,
                               std::vector<double>& data) {
  const bool closed = !given[1].empty();
  const std::vector<double>& numbers = given[0];
  const std::size_t count = numbers.size() / 3;
  if (count < (closed ? 3u : 2u))
    return {closed ? "a closed curve needs three points" : "a curve needs two points", 0};
  double size = 0;
  for (const double x : numbers) size = std::max(size, std::abs(x));
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t k = (i + 1) % count;
    if (k == 0 && !closed) break;
    const Vec3 step{numbers[3 * k] - numbers[3 * i], numbers[3 * k + 1] - numbers[3 * i + 1],
                    numbers[3 * k + 2] - numbers[3 * i + 2]};
    if (!(norm(step) > 1e-9 * size))
      return {"points " + std::to_string(i + 1) + " and " + std::to_string(k + 1) +
                  " of the curve coincide" +
                  (k == 0 ? ": a closed curve returns to its first point by itself" : ""),
              0};
  }
  std::optional<std::size_t> cusp;
  const std::vector<Knot> knots = refined(knotsOf(numbers, closed), cusp);
  if (cusp)
    return {"the curve has a cusp between its points " + std::to_string(*cusp + 1) + " and " +
                std::to_string((*cusp + 1) % count + 1) +
                ", where it folds back on itself; add a point beside it, so that the curve turns "
                "in a bow",
            0};

  // Directions carried along without turning; around a closed curve they come back turned by some
  // angle, which is spread over it.
  std::vector<Vec3> w{acrossOf(normalized(knots[0].slope))};
  for (std::size_t i = 1; i < knots.size(); ++i)
    w.push_back(transported(w.back(), normalized(knots[i - 1].slope), normalized(knots[i].slope)));
  if (closed) {
    const Vec3 tangent = normalized(knots[0].slope);
    const double excess = arctangent2(dot(tangent, cross(w[0], w.back())), dot(w[0], w.back()));
    for (std::size_t i = 1; i < w.size(); ++i)
      w[i] = rotate(
          exponential((-excess * knots[i].t / knots.back().t) * normalized(knots[i].slope)), w[i]);
    w.back() = w.front();
  }
  std::vector<double> times;
  for (const Knot& knot : knots) times.push_back(knot.t);
  std::vector<double> slopes[3];
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<double> values;
    for (const Vec3& v : w) values.push_back(v[axis]);
    slopes[axis] = splineSlopes(times, values,
                                {closed ? SplineEnds::Kind::Periodic : SplineEnds::Kind::Clamped});
  }

  const std::size_t header = data.size();
  data.insert(data.end(),
              {static_cast<double>(knots.size() - 1), closed ? 1.0 : 0.0, times.back(), 0});
  double s = 0;
  for (std::size_t i = 0; i + 1 < knots.size(); ++i) {
    const Knot &a = knots[i], &b = knots[i + 1];
    const double h = b.t - a.t;
    const std::size_t first = data.size();
    data.insert(data.end(), {a.t, s, h, 0});
    const auto coefficients = [&](double y0, double m0, double y1, double m1) {
      data.insert(data.end(),
                  {y0, h * m0, 3 * (y1 - y0) - h * (2 * m0 + m1), 2 * (y0 - y1) + h * (m0 + m1)});
    };
    for (int axis = 0; axis < 3; ++axis)
      coefficients(a.c[axis], a.slope[axis], b.c[axis], b.slope[axis]);
    for (int axis = 0; axis < 3; ++axis)
      coefficients(w[i][axis], slopes[axis][i], w[i + 1][axis], slopes[axis][i + 1]);
    data[first + 3] = lengthOfPiece(&data[first], 1);
    s += data[first + 3];
  }
  data[header + 3] = s;
  return {};
}

void limits(std::span<const double> data, CoordinateBounds* bounds) {
  const Curve curve{data};
  if (!curve.closed()) bounds[0] = {0, curve.length()};
}

TENON_COLD std::vector<JointExample> examples() {
  const std::vector<double> points{-1,  0.2, 0,    -0.3, -0.4, 0.3,  0.2, 0.5,
                                   0.1, 0.9, -0.2, -0.4, 0.4,  -0.9, 0.2};
  return {{"", {{"through", points, {}}}},
          {"closed", {{"through", points, {}}, {"closed", {}, {}}}}};
}

}  // namespace

JointKind curve() {
  JointKind kind;
  kind.name = "curve";
  kind.papers = "Gascuel: point to curve; Jeon: a mass on a specified curve";
  kind.elsewhere = "path spline wire bead";
  kind.summary = "a point slides along a smooth curve and turns freely";
  kind.residualCount = 2;
  kind.coordinateCount = 1;
  kind.coordinates[0] = {"slide", false, false};
  addRotationVector(kind);
  addSwingAndTwist(kind);
  kind.found = 1;
  kind.optionCount = 2;
  kind.options[0] = {"through", -3,         OptionUnit::Length,     0,
                     true,      -kInfinity, OptionContent::Vectors, 6};
  kind.options[1] = {"closed", 0};
  kind.values = &evaluate<double>;
  kind.jets = &evaluate<Jet>;
  kind.prepare = &prepare;
  kind.limits = &limits;
  kind.examples = &examples;
  return kind;
}

}  // namespace tenon::joints
