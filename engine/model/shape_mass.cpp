// Volumes, centres and moments of the shapes: closed forms of any textbook, in the shape's own
// frame (round shapes along y, see ShapeKind), then moved to its pose.
#include "model/shape_mass.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "math/polyhedron.h"

namespace tenon {
namespace {

bool isPositive(double x) { return x > 0 && std::isfinite(x); }

// About the y axis `along`, about x and z `across`.
Mat3 roundInertia(double along, double across) { return diagonal({across, along, across}); }

MassProperties massOfBox(const Vec3& size, double density) {
  const double m = density * size.x * size.y * size.z;
  const double xx = size.x * size.x, yy = size.y * size.y, zz = size.z * size.z;
  return {m, {}, (m / 12) * diagonal({yy + zz, zz + xx, xx + yy})};
}

MassProperties massOfEllipsoid(const Vec3& semiAxes, double density) {
  const double m = density * (4.0 / 3 * kPi) * semiAxes.x * semiAxes.y * semiAxes.z;
  const double xx = semiAxes.x * semiAxes.x, yy = semiAxes.y * semiAxes.y,
               zz = semiAxes.z * semiAxes.z;
  return {m, {}, (m / 5) * diagonal({yy + zz, zz + xx, xx + yy})};
}

MassProperties massOfCylinder(double r, double h, double density) {
  const double m = density * kPi * r * r * h;
  return {m, {}, roundInertia(m * r * r / 2, m * (3 * r * r + h * h) / 12)};
}

// A cylinder and two half balls. Half a ball of mass m has its centre 3r/8 from its flat side and
// 2/5 m r² about every axis through the middle of that side; so about an axis across, at L/2 from
// the flat side, the two together have  m_balls (2r²/5 + L²/4 + 3 L r/8).
MassProperties massOfCapsule(double r, double L, double density) {
  const double balls = density * (4.0 / 3 * kPi) * r * r * r, middle = density * kPi * r * r * L;
  const double along = middle * r * r / 2 + balls * (2.0 / 5) * r * r;
  const double across = middle * (3 * r * r + L * L) / 12 +
                        balls * ((2.0 / 5) * r * r + L * L / 4 + (3.0 / 8) * L * r);
  return {balls + middle, {}, roundInertia(along, across)};
}

// Centre a quarter of the height above the base, which is at -h/2.
MassProperties massOfCone(double r, double h, double density) {
  const double m = density * kPi / 3 * r * r * h;
  return {m,
          {0, -h / 4, 0},
          roundInertia((3.0 / 10) * m * r * r, (3.0 / 80) * m * (4 * r * r + h * h))};
}

void append(std::string& list, const std::string& reason) {
  if (!list.empty()) list += "; ";
  list += reason;
}

ShapeMass massOfPolyhedron(const std::vector<Vec3>& points, const std::vector<Triangle>& triangles,
                           double density) {
  ShapeMass made;
  const MeshReport report = checkMesh(points, triangles);
  made.warnings = report.warnings;
  for (const std::string& error : report.errors) append(made.problem, error);
  if (!made.ok()) return made;
  if (report.insideOut)
    made.warnings.push_back("the mesh was inside out, so Tenon turned its triangles");
  made.properties = massOfMesh(points, triangles, report.insideOut ? -density : density);
  return made;
}

}  // namespace

std::string shapeProblem(const Shape& shape) {
  std::string problem;
  const auto needs = [&problem](double size, const char* what) {
    if (!isPositive(size)) append(problem, std::string("its ") + what + " is not positive");
  };
  switch (shape.kind) {
    case ShapeKind::Box:
      needs(shape.size.x, "size along x");
      needs(shape.size.y, "size along y");
      needs(shape.size.z, "size along z");
      break;
    case ShapeKind::Sphere:
      needs(shape.size.x, "radius");
      break;
    case ShapeKind::Ellipsoid:
      needs(shape.size.x, "semi-axis along x");
      needs(shape.size.y, "semi-axis along y");
      needs(shape.size.z, "semi-axis along z");
      break;
    case ShapeKind::Capsule:
      needs(shape.size.x, "radius");
      if (!(shape.size.y >= 0) || !std::isfinite(shape.size.y))
        append(problem, "its length is negative or not finite");
      break;
    case ShapeKind::Cylinder:
    case ShapeKind::Cone:
      needs(shape.size.x, "radius");
      needs(shape.size.y, "height");
      break;
    case ShapeKind::Hull:
    case ShapeKind::Mesh: {
      if (shape.points.empty()) append(problem, "it has no points");
      std::size_t notFinite = 0, lost = 0;
      for (const Vec3& p : shape.points) notFinite += isFinite(p) ? 0 : 1;
      if (notFinite > 0) append(problem, "one of its points is not finite");
      if (shape.kind == ShapeKind::Hull) break;
      if (shape.triangles.empty()) append(problem, "it has no triangles");
      for (const Triangle& t : shape.triangles)
        for (const std::uint32_t corner : t) lost += corner < shape.points.size() ? 0 : 1;
      if (lost > 0) append(problem, "a triangle names a point that it does not have");
      break;
    }
  }
  if (!isFinite(shape.pose.p) || !isFinite(shape.pose.q)) append(problem, "its pose is not finite");
  return problem;
}

ShapeMass massOf(const Shape& shape, double density) {
  ShapeMass made;
  made.problem = shapeProblem(shape);
  if (!made.ok()) return made;
  const Vec3& size = shape.size;
  switch (shape.kind) {
    case ShapeKind::Box:
      made.properties = massOfBox(size, density);
      break;
    case ShapeKind::Sphere:
      made.properties = massOfEllipsoid({size.x, size.x, size.x}, density);
      break;
    case ShapeKind::Ellipsoid:
      made.properties = massOfEllipsoid(size, density);
      break;
    case ShapeKind::Capsule:
      made.properties = massOfCapsule(size.x, size.y, density);
      break;
    case ShapeKind::Cylinder:
      made.properties = massOfCylinder(size.x, size.y, density);
      break;
    case ShapeKind::Cone:
      made.properties = massOfCone(size.x, size.y, density);
      break;
    case ShapeKind::Hull: {
      const Hull hull = convexHull(shape.points);
      if (!hull.error.empty()) {
        made.problem = hull.error;
        return made;
      }
      made = massOfPolyhedron(shape.points, hull.triangles, density);
      break;
    }
    case ShapeKind::Mesh: {
      // Files that list corners per triangle repeat them: only equal points make neighbours.
      std::vector<Vec3> points = shape.points;
      std::vector<Triangle> triangles = shape.triangles;
      weld(points, triangles);
      made = massOfPolyhedron(points, triangles, density);
      break;
    }
  }
  if (!made.ok()) return made;
  made.properties = transformed(made.properties, shape.pose);
  // Sizes may be positive and yet their product 0 or infinite.
  const Mat3& I = made.properties.inertia;
  const bool finite = isFinite(I.row(0)) && isFinite(I.row(1)) && isFinite(I.row(2));
  if (!isPositive(made.properties.mass) || !finite || !(trace(I) > 0))
    made.problem = "its mass or inertia is too small or too large to compute with";
  return made;
}

BoundingBox boundingBox(const Shape& shape) {
  const Mat3 R = rotationMatrix(shape.pose.q);
  const Vec3& size = shape.size;
  Vec3 lower, upper;  // from the shape's origin, solid's axes
  for (int i = 0; i < 3; ++i) {
    // Along unit vector e_i of the solid, a shape reaches as far as its own support function says
    // in the direction Rᵀ e_i, which is row i of R.
    const Vec3 d = R.row(i);
    const double disc = std::sqrt(d.x * d.x + d.z * d.z);  // of a unit disc across y
    double up = 0, down = 0;
    switch (shape.kind) {
      case ShapeKind::Box:
        up = 0.5 * (std::fabs(d.x) * size.x + std::fabs(d.y) * size.y + std::fabs(d.z) * size.z);
        down = -up;
        break;
      case ShapeKind::Sphere:
        up = size.x;
        down = -up;
        break;
      case ShapeKind::Ellipsoid:
        up = norm(Vec3{d.x * size.x, d.y * size.y, d.z * size.z});
        down = -up;
        break;
      case ShapeKind::Capsule:
        up = size.x + 0.5 * size.y * std::fabs(d.y);
        down = -up;
        break;
      case ShapeKind::Cylinder:
        up = 0.5 * size.y * std::fabs(d.y) + size.x * disc;
        down = -up;
        break;
      case ShapeKind::Cone: {
        const double apex = 0.5 * size.y * d.y;
        up = std::max(apex, -apex + size.x * disc);
        down = std::min(apex, -apex - size.x * disc);
        break;
      }
      case ShapeKind::Hull:
        up = down = dot(d, shape.points.front());
        for (const Vec3& p : shape.points) {
          up = std::max(up, dot(d, p));
          down = std::min(down, dot(d, p));
        }
        break;
      case ShapeKind::Mesh:
        up = down = dot(d, shape.points[shape.triangles.front()[0]]);
        for (const Triangle& t : shape.triangles)
          for (const std::uint32_t corner : t) {
            up = std::max(up, dot(d, shape.points[corner]));
            down = std::min(down, dot(d, shape.points[corner]));
          }
        break;
    }
    lower[i] = down;
    upper[i] = up;
  }
  return {shape.pose.p + lower, shape.pose.p + upper};
}

BoundingBox unite(const BoundingBox& a, const BoundingBox& b) {
  BoundingBox both = a;
  for (int i = 0; i < 3; ++i) {
    both.lower[i] = std::min(a.lower[i], b.lower[i]);
    both.upper[i] = std::max(a.upper[i], b.upper[i]);
  }
  return both;
}

ShapeMass boundingBoxMass(const std::vector<Shape>& shapes, double density) {
  ShapeMass made;
  if (shapes.empty()) made.problem = "there are no shapes";
  for (const Shape& shape : shapes) {
    const std::string problem = shapeProblem(shape);
    if (!problem.empty()) append(made.problem, problem);
  }
  if (!made.ok()) return made;
  BoundingBox box = boundingBox(shapes.front());
  for (const Shape& shape : shapes) box = unite(box, boundingBox(shape));
  const Vec3 size = box.upper - box.lower;
  if (!isPositive(size.x * size.y * size.z)) {
    made.problem = "the bounding box of the shapes is flat";
    return made;
  }
  made.properties = massOfBox(size, density);
  made.properties.com = 0.5 * (box.lower + box.upper);
  return made;
}

}  // namespace tenon
