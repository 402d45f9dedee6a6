// Prints hashes of what every simulation rests on: random numbers, elementary functions, rotations,
// dense factorisations, ranks. tests/golden/run builds it in seven ways; all must print the same.
#include <tenon/math.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/QR>
#include <cinttypes>
#include <cstdio>

#include "math/hash.h"
#include "math/portable.h"
#include "math/random.h"
#include "math/rank.h"
#include "math/rotation.h"

namespace {

using tenon::Hash;
using tenon::Quat;
using tenon::Random;
using tenon::Vec3;

std::uint64_t randomNumbers() {
  Random random(1);
  Hash hash;
  for (int i = 0; i < 10000; ++i) {
    hash.add(random.next())
        .add(random.uniform())
        .add(random.uniform(-3, 7))
        .add(random.below(1000));
    hash.add(random.normal()).add(random.direction()).add(random.rotation());
    hash.add(random.pointInBox({-1, -2, -3}, {1, 2, 3}));
  }
  return hash.value();
}

std::uint64_t elementaryFunctions() {
  Random random(2);
  Hash hash;
  for (int i = 0; i < 20000; ++i) {
    // Arguments of all sizes, from 2^-40 to 2^40, both signs.
    const double size = tenon::integerPower(2, static_cast<std::int64_t>(random.below(81)) - 40);
    const double x = random.uniform(-1, 1) * size;
    const double y = random.uniform(-1, 1);
    const tenon::SineCosine both = tenon::sineCosine(x);
    hash.add(tenon::sine(x)).add(tenon::cosine(x)).add(tenon::tangent(x));
    hash.add(both.sine).add(both.cosine);
    hash.add(tenon::arctangent(x)).add(tenon::arctangent2(y, x)).add(tenon::arctangent2(x, y));
    hash.add(tenon::arcsine(y)).add(tenon::arccosine(y));
    hash.add(tenon::exponential(20 * y)).add(tenon::logarithm(size * (1 + y * y)));
  }
  return hash.value();
}

// A long product of random rotations, with logarithms and exponentials in between: an error of one
// bit anywhere stays in all that follows.
std::uint64_t rotations() {
  Random random(3);
  Hash hash;
  Quat q = random.rotation();
  Vec3 p{1, 2, 3};
  for (int i = 0; i < 20000; ++i) {
    const double angle = random.uniform(0, tenon::kPi);  // two statements: operands have no order
    const Vec3 w = angle * random.direction();
    q = tenon::normalized(q * tenon::exponential(w));
    const Vec3 turn = tenon::logarithm(q);
    p = tenon::rotate(q, p) + 1e-3 * turn;
    const Quat back = tenon::quaternionOf(tenon::rotationMatrix(q));
    hash.add(q).add(turn).add(p).add(back);
    hash.add(tenon::rotationBetween(random.direction(), tenon::normalized(turn)));
    p = tenon::normalized(p);
  }
  return hash.value();
}

// The size is known at run time only: fixed sizes take g++ half a minute to unroll.
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 12, 12>;
using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 12, 1>;

void addFactorisations(int size, Random& random, Hash& hash) {
  Matrix a(size, size);
  Vector b(size);
  for (int r = 0; r < size; ++r) {
    b(r) = random.uniform(-1, 1);
    for (int c = 0; c < size; ++c) a(r, c) = random.uniform(-1, 1);
  }
  const Matrix indefinite = a + a.transpose();
  const Matrix positive = indefinite * indefinite + 0.1 * Matrix::Identity(size, size);
  const auto add = [&hash](const Vector& v) {
    for (Eigen::Index r = 0; r < v.size(); ++r) hash.add(v(r));
  };
  add(positive.ldlt().solve(b));
  add(indefinite.ldlt().solve(b));
  add(a.householderQr().solve(b));
}

std::uint64_t factorisations() {
  Random random(4);
  Hash hash;
  for (int i = 0; i < 200; ++i) {
    addFactorisations(6, random, hash);
    addFactorisations(12, random, hash);
  }
  return hash.value();
}

// Random sparse rows, a third of them combinations of two others.
std::uint64_t ranks() {
  Random random(5);
  Hash hash;
  for (int i = 0; i < 50; ++i) {
    std::vector<tenon::BlockRow> rows(30);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      std::array<double, 6> blocks[4] = {};
      if (r >= 2 && random.below(3) == 0) {
        for (std::size_t from : {r - 1, r - 2}) {
          const double factor = random.uniform(-1, 1);
          for (const auto& [block, values] : rows[from])
            for (std::size_t c = 0; c < 6; ++c) blocks[block][c] += factor * values[c];
        }
      } else {
        const std::size_t first = random.below(6);
        for (auto& block : blocks) block[first] = random.uniform(-1, 1);
      }
      for (std::uint32_t b = 0; b < 4; ++b) rows[r].emplace_back(b, blocks[b]);
    }
    const tenon::RowDependencies found = tenon::rowDependencies(rows, 4, 1e-9);
    const tenon::RowSurvey survey = tenon::surveyRows(rows, 4, 1e-9);
    hash.add(static_cast<std::uint64_t>(survey.rank));
    hash.add(static_cast<std::uint64_t>(found.rank));
    for (const auto& dependency : found.dependencies) {
      for (const auto& [row, weight] : dependency) {
        hash.add(static_cast<std::uint64_t>(row)).add(weight);
      }
    }
  }
  return hash.value();
}

}  // namespace

int main() {
  const struct {
    const char* name;
    std::uint64_t value;
  } parts[] = {{"random", randomNumbers()},
               {"functions", elementaryFunctions()},
               {"rotations", rotations()},
               {"factorisations", factorisations()},
               {"ranks", ranks()}};
  Hash all;
  for (const auto& part : parts) {
    std::printf("%-14s %016" PRIx64 "\n", part.name, part.value);
    all.add(part.value);
  }
  std::printf("%-14s %016" PRIx64 "\n", "all", all.value());
}
