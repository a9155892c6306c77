#include "recorder/stack/unwind_cache.h"

#include <gtest/gtest.h>

namespace hindsight::recorder {
namespace {

using Kind = UnwindStep::Kind;

class UnwindCacheTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(cache_.Open(budget_)); }
  void TearDown() override {
    cache_.Close(budget_);
    EXPECT_EQ(budget_.used(), 0u);
  }
  MemoryBudget budget_;
  UnwindCache cache_;
};

TEST_F(UnwindCacheTest, GivesBackWhatItKept) {
  const UnwindStep step = UnwindStep::Of(Kind::kSp, 1234, 7);
  EXPECT_EQ(cache_.Find(0x7f0012345678), std::nullopt);
  cache_.Keep(0x7f0012345678, step);
  EXPECT_EQ(cache_.Find(0x7f0012345678), step);
  EXPECT_EQ(cache_.Find(0x7f0012345679), std::nullopt);
  cache_.Clear();
  EXPECT_EQ(cache_.Find(0x7f0012345678), std::nullopt);
}

TEST_F(UnwindCacheTest, NeverTakesOneAddressForAnother) {
  constexpr uintptr_t kStride = 0x10001;
  for (uint32_t i = 1; i < 100'000; ++i) {
    cache_.Keep(i * kStride, UnwindStep::Of(Kind::kSp, i & 0x3fff));
    for (const uint32_t other : {i, i / 2, i / 3}) {
      const auto found = cache_.Find(other * kStride);
      if (found) {
        ASSERT_EQ(found->words, other & 0x3fff);
      }
    }
  }
}

TEST_F(UnwindCacheTest, KeepsNoStepThatItCannotHold) {
  cache_.Keep(0x1000, UnwindStep::Of(Kind::kSp, 1u << 14));
  EXPECT_EQ(cache_.Find(0x1000), std::nullopt);
  cache_.Keep(0x1000, {});
  EXPECT_EQ(cache_.Find(0x1000), std::nullopt);
}

}  // namespace
}  // namespace hindsight::recorder
