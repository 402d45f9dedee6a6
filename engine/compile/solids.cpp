// Solids: mass, centre of mass and inertia from what is given, from shapes, or Manikin's way.
#include <cmath>

#include "compile/compiler.h"
#include "compile/finish.h"
#include "math/inertia.h"
#include "math/rotation.h"
#include "model/shape_mass.h"

namespace tenon {

namespace {

constexpr double kWater = 1000;  // [kg/m³] of shapes that say nothing

double densityOf(Compiler& compiler, const Solid& solid) {
  if (solid.density) return *solid.density;
  if (solid.material.empty()) return kWater;
  const Material* material = compiler.findMaterial(solid.material, solid.place);
  return material && material->density ? *material->density : kWater;
}

bool isPositive(double x) { return x > 0 && std::isfinite(x); }

// Mass from shapes, each with its own density or the solid's. False if a shape has no volume.
bool shapesMass(Compiler& compiler, const Solid& solid, MassProperties& sum) {
  const double density = densityOf(compiler, solid);
  bool good = true;
  for (const Shape& shape : solid.shapes) {
    const double own = shape.density.value_or(density);
    if (!isPositive(own)) {
      compiler.error(solid.place, "the density of '" + solid.name + "' must be positive");
      return false;
    }
    const ShapeMass made = massOf(shape, own);
    const Place& place = shape.place.file == Place::kNowhere ? solid.place : shape.place;
    const std::string who = "a shape of '" + solid.name + "'";
    for (const std::string& warning : made.warnings) compiler.warning(place, who + ": " + warning);
    if (made.ok()) {
      sum = combine(sum, made.properties);
    } else {
      compiler.error(place, who + " has no mass: " + made.problem);
      good = false;
    }
  }
  return good;
}

// Mass data of a dynamic solid, or an error.
bool massData(Compiler& compiler, const Solid& solid, MassProperties& data) {
  const std::string who = "solid '" + solid.name + "'";
  if (solid.mass && !isPositive(*solid.mass)) {
    compiler.error(solid.place, "the mass of '" + solid.name + "' must be positive",
                   "if the solid must not move, make it `immobile`");
    return false;
  }
  if (solid.boxDensity) {
    if (!isPositive(*solid.boxDensity) || solid.shapes.empty()) {
      compiler.error(solid.place, "`ma` of '" + solid.name + "' needs shapes and a density",
                     "add a shape, e.g. `box 1 0.1 0.1;`");
      return false;
    }
    const ShapeMass made = boundingBoxMass(solid.shapes, *solid.boxDensity);
    if (!made.ok()) {
      compiler.error(solid.place, "`ma` of '" + solid.name + "' fails: " + made.problem);
      return false;
    }
    data = made.properties;
  } else if (!solid.shapes.empty()) {
    if (!shapesMass(compiler, solid, data)) return false;
  } else if (!solid.mass) {
    compiler.error(solid.place, who + " has no mass",
                   "give it a shape, or `mass` and `inertia`, or make it `immobile`");
    return false;
  } else if (!solid.inertia && !solid.pointMass) {
    compiler.error(solid.place, who + " has a mass but no inertia",
                   "give it a shape or an `inertia`, or make it a `point-mass`");
    return false;
  }
  if (solid.mass && data.mass > 0)
    data = withMass(data, *solid.mass);
  else if (solid.mass)
    data.mass = *solid.mass;
  if (solid.pointMass) {
    if (solid.com || solid.inertia)
      compiler.error(solid.place,
                     "'" + solid.name + "' is a point mass, so it cannot have `com` or `inertia`",
                     "its mass is at the origin of its frame");
    data.com = {};  // shapes are its looks, and at most its weight
    return true;
  }
  if (solid.com) data.com = *solid.com;
  if (solid.inertia) data.inertia = *solid.inertia;
  if (!isFinite(data.com)) {
    compiler.error(solid.place, "the centre of mass of '" + solid.name + "' is not finite");
    return false;
  }
  return true;
}

// Typed inertias of thin plates, rounded to three digits, break the triangle inequality a little.
constexpr double kTypedInertia = 1e-3;

}  // namespace

// A rod without thickness could spin about itself for nothing: its inertia has no inverse.
std::string whyNoInverse(const Mat3& inertia) {
  const std::string reason = whyUnphysical(inertia, kTypedInertia);
  if (!reason.empty()) return reason;
  const Vec3 moments = principalInertia(inertia).moments;
  if (!(moments.x > 1e-12 * moments.z))
    return "one of its moments is zero: give the solid some thickness, or make it a point-mass";
  if (moments.x < kSmallestMoment) return "a moment below 1e-80 kg m² is too small to compute with";
  return {};
}

void Compiler::addSolids() {
  for (Index s = 0; s < scene.solids.size(); ++s) {
    const Solid& source = scene.solids[s];
    if (!solidIndex_.emplace(source.name, s).second)
      error(source.place, "there are two solids called '" + source.name + "'",
            "rename one of them");
    MechanismSolid solid;
    solid.kind = source.kind;
    solid.pointMass = source.pointMass;
    solid.rotatability = source.rotatability.value_or(0);
    if (source.rotatability && !isPositive(*source.rotatability))
      error(source.place, "the rotatability of '" + source.name + "' must be positive");
    solid.gravity = source.gravity;
    const bool finite = isFinite(source.pose.p) && isFinite(source.pose.q) &&
                        norm(source.pose.q) > 0.5 && isFinite(source.velocity) &&
                        isFinite(source.spin);
    if (!finite) error(source.place, "the pose or velocity of '" + source.name + "' is not finite");

    MassProperties data;
    const bool weighed =
        finite && source.kind == SolidKind::Dynamic && massData(*this, source, data);
    if (weighed && source.mass.value_or(0) > kLargestNumber) {
      // Said already.
    } else if (weighed && !(data.mass >= kSmallestMass && data.mass <= kLargestMass)) {
      error(source.place,
            "the mass of '" + source.name + "' is too small or too large to compute with",
            "keep masses between 1e-40 and 1e30 kg");
    } else if (weighed) {
      solid.mass = data.mass;
      solid.inverseMass = 1 / data.mass;
      solid.com = data.com;
      if (!source.pointMass) {
        solid.inertia = data.inertia;
        const std::string reason = whyNoInverse(data.inertia);
        if (!reason.empty())
          error(source.place, "the inertia of '" + source.name + "' cannot be used: " + reason);
        else
          solid.inverseInertia = inverse(data.inertia);
      }
    }
    if (source.kind != SolidKind::Animated && !source.path.empty())
      error(source.place, "'" + source.name + "' has keys of a path but is not animated",
            "add `animated;`");

    const Pose X_WS{source.pose.p, finite ? normalized(source.pose.q) : Quat{}};
    authored.push_back(X_WS);
    solid.initial = {transform(X_WS, solid.com), X_WS.q};
    if (source.kind != SolidKind::Immobile) {
      solid.velocity = source.velocity;
      solid.spin = source.pointMass ? Vec3{} : source.spin;
    }
    if (source.kind == SolidKind::Animated) {
      solid.path = static_cast<Index>(mechanism.paths.size());
      CompiledPath path;
      path.solid = s;
      path.uniform = source.path.empty();
      Signal components[7];
      Quat last = source.path.empty() ? Quat{} : source.path.front().pose.q;
      for (const PathKey& key : source.path) {
        // Of q and -q the one nearer to the key before, so that the spline takes the short way.
        Quat q = key.pose.q;
        if (q.x * last.x + q.y * last.y + q.z * last.z + q.w * last.w < 0)
          q = {-q.x, -q.y, -q.z, -q.w};
        last = q;
        const double values[7] = {key.pose.p.x, key.pose.p.y, key.pose.p.z, q.x, q.y, q.z, q.w};
        for (int i = 0; i < 7; ++i) components[i].keys.push_back({key.time, values[i]});
      }
      for (int i = 0; i < 7; ++i)
        (i < 3 ? path.p[i] : path.q[i - 3]) = addSignal(components[i], source.place);
      mechanism.paths.push_back(path);
    }
    mechanism.solids.push_back(solid);
    mechanism.solidNames.push_back(source.name);
  }
}

}  // namespace tenon
