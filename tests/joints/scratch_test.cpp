// Scratch is only there to avoid allocation: kept, it saves every one; thrown away, it changes no bit.
#include <gtest/gtest.h>
#include <tenon/joint.h>

#include <cstring>

#include "two_solids.h"

long allocationCount();  // counting_new.cpp

namespace tenon::test {
namespace {

TEST(Scratch, KeptBuffersNeedNoAllocationAndChangeNoBit) {
  Random random(5);
  for (const JointKind& kind : jointCatalogue()) {
    Mechanism m = twoSolids(kind, random);
    addRules(m, random);
    const Control control = initialControl(m);
    const State first = randomState(m, random), second = randomState(m, random);
    Scratch kept;
    emitRows(m, control, first, kept.rows);
    const long before = allocationCount();
    kept.rows.clear();
    emitRows(m, control, second, kept.rows);
    EXPECT_EQ(allocationCount(), before) << kind.name;

    Scratch fresh;
    emitRows(m, control, second, fresh.rows);
    ASSERT_EQ(fresh.rows.rows.size(), kept.rows.rows.size());
    for (std::size_t r = 0; r < fresh.rows.rows.size(); ++r) {
      EXPECT_EQ(fresh.rows.rows[r].error, kept.rows.rows[r].error);
      EXPECT_EQ(fresh.rows.rows[r].drift, kept.rows.rows[r].drift);
    }
    for (std::size_t b = 0; b < fresh.rows.blocks.size(); ++b)
      EXPECT_EQ(std::memcmp(fresh.rows.blocks[b].J, kept.rows.blocks[b].J, sizeof(double[6])), 0);
  }
}

}  // namespace
}  // namespace tenon::test
