// FNV-1a against the published values, and what Tenon adds: doubles, -0, quaternions.
#include "math/hash.h"

#include <gtest/gtest.h>

#include <limits>

namespace tenon {
namespace {

TEST(Hash, MatchesThePublishedVectors) {
  EXPECT_EQ(Hash().value(), 0xcbf29ce484222325ull);
  EXPECT_EQ(Hash().add("a").value(), 0xaf63dc4c8601ec8cull);
  EXPECT_EQ(Hash().add("foobar").value(), 0x85944171f73967e8ull);
}

TEST(Hash, NumbersEnterLowByteFirst) {
  const char word[] = {8, 7, 6, 5, 4, 3, 2, 1};
  EXPECT_EQ(Hash().add(std::uint64_t{0x0102030405060708}).value(),
            Hash().add(std::string_view(word, 8)).value());
  const char one[] = {0, 0, 0, 0, 0, 0, '\xf0', '\x3f'};
  EXPECT_EQ(Hash().add(1.0).value(), Hash().add(std::string_view(one, 8)).value());
}

TEST(Hash, MinusZeroIsZeroAndNothingElseIs) {
  EXPECT_EQ(Hash().add(-0.0).value(), Hash().add(0.0).value());
  EXPECT_NE(Hash().add(std::numeric_limits<double>::denorm_min()).value(), Hash().add(0.0).value());
  EXPECT_NE(Hash().add(-1.0).value(), Hash().add(1.0).value());
}

TEST(Hash, OrderMatters) {
  EXPECT_NE(Hash().add(Vec3{1, 2, 3}).value(), Hash().add(Vec3{1, 3, 2}).value());
}

TEST(Hash, AQuaternionAndItsOppositeAreOneRotation) {
  const Quat q{0.1, -0.7, 0.5, -0.5}, opposite{-0.1, 0.7, -0.5, 0.5};
  EXPECT_EQ(Hash().add(q).value(), Hash().add(opposite).value());
  EXPECT_NE(Hash().add(q).value(), Hash().add(conjugate(q)).value());
}

}  // namespace
}  // namespace tenon
