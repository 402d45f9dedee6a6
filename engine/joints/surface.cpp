// Surface: a point slides on a surface of the other solid.                      [Gascuel1994 §4.1.3]
//   sphere R            g = |p| - R
//   cylinder R          g = |(p_j, p_k)| - R                           about axis i
//   torus R r           g = |(|(p_j, p_k)| - R, p_i)| - r              about axis i
//   heightfield …       g = p_i - h(p_j, p_k)
//   vertices, triangles g = height over the plane of the nearest triangle
#include "joints/height_field.h"
#include "joints/joint_math.h"
#include "joints/mesh_surface.h"
#include "math/cold.h"

namespace tenon::joints {

namespace {

// The first number of the data.
enum Form { kSphere, kCylinder, kTorus, kHeightField, kMesh, kForms };
constexpr std::string_view kChoices =
    "one of 'sphere', 'cylinder', 'torus', 'heightfield' or "
    "'vertices' with 'triangles'";

template <class T>
void evaluate(const JointKind&, const JointInput<T>& in, JointOutput<T>& out) {
  const double* data = in.options.data() + 1;
  const T across[2] = {in.p[1], in.p[2]};
  switch (static_cast<Form>(in.options[0])) {
    case kSphere:
      out.residual[0] = lengthOf(in.p) - T(data[0]);
      break;
    case kCylinder:
      out.residual[0] = lengthOf(across) - T(data[0]);
      break;
    case kTorus: {
      const T fromCore[2] = {lengthOf(across) - T(data[0]), in.p[0]};
      out.residual[0] = lengthOf(fromCore) - T(data[1]);
      break;
    }
    case kHeightField:
      out.residual[0] = in.p[0] - HeightField(data).height(in.p[1], in.p[2]);
      break;
    default: {
      const MeshSurface mesh(data);
      const Vec3 p{valueOf(in.p[0]), valueOf(in.p[1]), valueOf(in.p[2])};
      const std::size_t triangle = mesh.nearest(p, in.memory[1]);
      out.found = static_cast<double>(triangle);
      out.residual[0] = mesh.height(triangle, in.p);
    }
  }
  swingAndTwistAt(in, 0, out);
}

TENON_COLD OptionFault prepare(std::span<const std::vector<double>> given,
                               std::vector<double>& data) {
  int forms = 0, form = kForms;
  for (int f = 0; f < kForms; ++f)
    if (!given[static_cast<std::size_t>(f)].empty()) {
      ++forms;
      form = f;
    }
  if (forms != 1) return {"give " + std::string(kChoices)};
  if ((form == kMesh) == given[5].empty())
    return {"'vertices' and 'triangles' must be given together", form == kMesh ? kMesh : 5};
  data.push_back(form);
  const std::vector<double>& numbers = given[static_cast<std::size_t>(form)];
  if (form == kHeightField) return {HeightField::prepare(numbers, data), kHeightField};
  if (form == kMesh) return {MeshSurface::prepare(numbers, given[5], data), 5};
  data.insert(data.end(), numbers.begin(), numbers.end());
  if (form == kTorus && numbers[1] > numbers[0])
    return {"the tube of a torus cannot be thicker than its ring: give R, then r", kTorus};
  return {};
}

TENON_COLD std::vector<JointExample> examples() {
  return {
      {"sphere", {{"sphere", {0.8}, {}}}},
      {"cylinder", {{"cylinder", {0.7}, {}}}},
      {"torus", {{"torus", {0.9, 0.3}, {}}}},
      {"heightfield",
       {{"heightfield",
         {4, 3, 3, 2, 0, 0.1, 0.3, 0.2, 0.4, -0.1, 0, 0.5, 0.2, 0.1, -0.2, 0.3},
         {}}}},
      {"mesh",  // a tetrahedron
       {{"vertices", {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1}, {}},
        {"triangles", {0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2}, {}}}},
  };
}

}  // namespace

JointKind surface() {
  JointKind kind;
  kind.name = "surface";
  kind.papers = "Gascuel: point to surface";
  kind.elsewhere = "mesh point-on-surface";
  kind.summary = "a point slides on a surface and turns freely";
  kind.residualCount = 1;
  addSwingAndTwist(kind);
  kind.found = 1;
  using Unit = OptionUnit;
  using Content = OptionContent;
  const auto option = [&kind](std::string_view name, int count, Unit unit, double above,
                              Content content, int least) {
    kind.options[kind.optionCount++] = {name, count, unit, 0, false, above, content, least, true};
  };
  option("sphere", 1, Unit::Length, 0, Content::Scalars, 0);
  option("cylinder", 1, Unit::Length, 0, Content::Scalars, 0);
  option("torus", 2, Unit::Length, 0, Content::Scalars, 0);
  option("heightfield", -1, Unit::Number, -kInfinity, Content::Heights, 8);
  option("vertices", -3, Unit::Length, -kInfinity, Content::Vectors, 9);
  option("triangles", -3, Unit::Number, -1, Content::Triangles, 3);
  kind.values = &evaluate<double>;
  kind.jets = &evaluate<Jet>;
  kind.prepare = &prepare;
  kind.examples = &examples;
  return kind;
}

}  // namespace tenon::joints
