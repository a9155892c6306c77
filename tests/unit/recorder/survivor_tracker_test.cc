#include "recorder/sources/allocations/survivor_tracker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "tests/unit/recorder/fake_runtime.h"

namespace hindsight::recorder {
namespace {

constexpr uint32_t kCapacity = SurvivorTracker::kCapacity;

class SurvivorsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(survivors_.Open(runtime_.info(), budget_)); }
  void TearDown() override {
    survivors_.Close();
    EXPECT_TRUE(runtime_.handles.empty());
    EXPECT_EQ(survivors_.handles(), 0u);
    survivors_.Release(budget_);
    EXPECT_EQ(budget_.used(), 0u);
  }

  void Follow(uint64_t address, uint32_t thread = 1) {
    survivors_.Follow({.sampling = AllocationSampling::kBytes, .address = address, .size = 24},
                      /*stack=*/7, thread, /*now_ns=*/address + 1);
  }
  void Die(uint64_t address) {
    for (auto& [slot, object] : runtime_.handles) {
      if (*object == address) __atomic_store_n(slot, 0, __ATOMIC_RELAXED);
    }
  }
  const SurvivorsImage& Copy() {
    survivors_.Copy(*image_);
    return *image_;
  }
  std::set<uint64_t> Addresses() {
    std::set<uint64_t> addresses;
    for (const TrackedObject& survivor : Copy().survivors()) addresses.insert(survivor.address);
    return addresses;
  }

  FakeRuntime runtime_;
  MemoryBudget budget_;
  SurvivorTracker survivors_;
  std::unique_ptr<SurvivorsImage> image_ = std::make_unique<SurvivorsImage>();
};

TEST_F(SurvivorsTest, ReportsWhatIsAlive) {
  Follow(0x1000, 11);
  Follow(0x2000, 12);
  Die(0x1000);
  const SurvivorsImage& image = Copy();
  EXPECT_TRUE(image.known);
  EXPECT_EQ(image.sampling, AllocationSampling::kBytes);
  EXPECT_EQ(image.stride, 1u);
  ASSERT_EQ(image.count, 1u);
  EXPECT_EQ(image.alive[0].address, 0x2000u);
  EXPECT_EQ(image.alive[0].size, 24u);
  EXPECT_EQ(image.alive[0].stack, 7u);
  EXPECT_EQ(image.alive[0].thread, 12u);
  EXPECT_EQ(image.alive[0].allocated_ns, 0x2001u);
}

TEST_F(SurvivorsTest, FollowsAnObjectThatMoves) {
  Follow(0x1000);
  *runtime_.handles.begin()->first = 0x3000;
  EXPECT_EQ(Addresses(), std::set<uint64_t>{0x3000});
}

TEST_F(SurvivorsTest, FreesTheHandlesOfWhatHasDied) {
  for (uint64_t i = 1; i <= 1000; ++i) Follow(i);
  for (uint64_t i = 1; i <= 1000; i += 3) Die(i);
  survivors_.Sweep();
  EXPECT_EQ(runtime_.handles.size(), 666u);
  EXPECT_EQ(survivors_.handles(), 666u);
  const std::set<uint64_t> alive = Addresses();
  EXPECT_EQ(alive.size(), 666u);
  EXPECT_FALSE(alive.contains(1));
  EXPECT_TRUE(alive.contains(2));
}

TEST_F(SurvivorsTest, AFullTableLosesTheDeadFirst) {
  for (uint64_t i = 0; i < kCapacity; ++i) Follow(i + 1);
  for (uint64_t i = 0; i < kCapacity; ++i) {
    if (i % 4 != 0) Die(i + 1);
  }
  Follow(kCapacity + 1);
  EXPECT_EQ(Copy().stride, 1u);
  EXPECT_EQ(Copy().count, kCapacity / 4 + 1);
  EXPECT_EQ(survivors_.missed(), 0u);
}

TEST_F(SurvivorsTest, ThinsOutWhatLivesSoThatEachStandsForAsMany) {
  constexpr uint64_t kObjects = 20 * kCapacity;
  for (uint64_t i = 0; i < kObjects; ++i) Follow(i + 1);
  const SurvivorsImage& image = Copy();
  EXPECT_EQ(survivors_.missed(), 0u);
  EXPECT_EQ(image.count * uint64_t{image.stride}, kObjects);
  for (const TrackedObject& survivor : image.survivors()) {
    EXPECT_EQ((survivor.address - 1) % image.stride, 0u);
  }
  survivors_.Sweep();
  EXPECT_EQ(runtime_.handles.size(), image.count);
}

TEST_F(SurvivorsTest, CountsWhatItMissesWhileNobodyFrees) {
  // Each doubling leaves half a table to be freed, until there is no room for more of them.
  for (uint64_t i = 0; i < uint64_t{4096} * kCapacity; ++i) Follow(i + 1);
  EXPECT_GT(survivors_.missed(), 0u);
  EXPECT_LE(runtime_.handles.size(), 5u * kCapacity);
}

TEST_F(SurvivorsTest, MakesNoMoreHandlesIfTheyAreNotSlots) {
  runtime_.hides_objects = true;
  Follow(0x1000);
  Follow(0x2000);
  EXPECT_EQ(runtime_.handles.size(), 1u);
  EXPECT_FALSE(Copy().known);
}

TEST_F(SurvivorsTest, FollowsNothingOnceClosed) {
  Follow(0x1000);
  survivors_.Close();
  Follow(0x2000);
  EXPECT_TRUE(runtime_.handles.empty());
  EXPECT_FALSE(Copy().known);
}

TEST_F(SurvivorsTest, ManyThreadsWhileOneFrees) {
  constexpr uint64_t kThreads = 4, kObjects = 20'000;
  std::atomic<bool> done{false};
  std::thread sweeper([&] {
    while (!done) survivors_.Sweep();
  });
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([this, t] {
      for (uint64_t i = 0; i < kObjects; ++i) {
        Follow(1 + i * kThreads + t, static_cast<uint32_t>(t));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  done = true;
  sweeper.join();
  const SurvivorsImage& image = Copy();
  EXPECT_TRUE(image.known);
  const uint64_t followed = image.count * uint64_t{image.stride};
  EXPECT_GE(followed + survivors_.missed() * image.stride + image.stride, kThreads * kObjects);
  EXPECT_EQ(Addresses().size(), image.count);
}

}  // namespace
}  // namespace hindsight::recorder
