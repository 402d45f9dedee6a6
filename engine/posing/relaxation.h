// What Gascuel & Gascuel's relaxation works with: constraints as two solids see them. See relaxation.cpp.
#pragma once

#include <tenon/mechanism.h>

#include <cmath>
#include <cstddef>
#include <vector>

namespace tenon {

// The shortest vector x with rows·x = -error, row by row; a row that says what those before it said
// is left out. Rows at right angles: the sum of their corrections.
class ShortestVector {
 public:
  void add(const Vec3& row, double error) {
    Vec3 rest = row;
    for (int i = 0; i < count_; ++i) rest -= dot(rest, direction_[i]) * direction_[i];
    const double square = dot(rest, rest);
    if (count_ == 3 || !(square > 1e-4 * dot(row, row))) return;
    x_ -= ((error + dot(row, x_)) / square) * rest;
    direction_[count_++] = rest / std::sqrt(square);
  }
  [[nodiscard]] const Vec3& value() const { return x_; }

 private:
  Vec3 x_;
  Vec3 direction_[3];
  int count_ = 0;
};

struct RelaxationBuffers {
  // A solid as one constraint sees it.
  struct Part {
    Index solid = kWorld;
    double inverseMass = 0;  // w [1/kg]
    Vec3 lever;              // r: from the centre of mass to P, world axes [m]
  };

  struct Constraint {
    Part part[2];
    double speed = 1;     // s: α relative to that of eq. 17
    double strength = 1;  // of a want
    ShortestVector way;   // d [m]
    ShortestVector turn;  // Ω [rad]
  };

  // A row that is neither a force through P nor a couple.
  struct LoneRow {
    std::size_t row = 0;
    Index constraint = 0;  // whose solids and parameters it has
  };

  std::vector<Constraint> constraints;
  std::vector<LoneRow> loneRows;
  std::vector<Vec3> rotation, translation;  // by solid [rad], [m]
  std::vector<int> held;                    // by solid: n
};

}  // namespace tenon
