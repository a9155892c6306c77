// The moment of a snapshot, with a runtime that collects as the test specifies and refuses any
// call.
#include "recorder/heap/snapshot_pause.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "recorder/base/own_collection.h"
#include "recorder/base/own_cost.h"
#include "recorder/clr/event_mask.h"
#include "tests/unit/recorder/fake_runtime.h"

namespace hindsight::recorder {
namespace {

using State = SnapshotPause::State;

class SnapshotPauseTest : public testing::Test {
 protected:
  SnapshotPauseTest() {
    test_ = this;
    runtime_.Put(&clr::ICorProfilerInfo10::SetEventMask2, &SetMask);
    runtime_.Put(&clr::ICorProfilerInfo10::GetGenerationBounds, &Bounds);
    std::string why;
    EXPECT_TRUE(mask_.Prepare(runtime_.info(), clr::kForQuestions,
                              contract::RootsChoice::kDocumented, &why));
    mask_.Settle();
    calls_ = 0;
    EXPECT_TRUE(pause_.Prepare());
  }

  static clr::HRESULT SetMask(void*, uint32_t low, uint32_t high) {
    if (++test_->calls_ == test_->refused_call_) return clr::E_FAIL;
    test_->has_roots_ = !(clr::EventMask{low, high} & clr::kMonitorGc).empty();
    return clr::S_OK;
  }
  static clr::HRESULT Bounds(void*, uint32_t capacity, uint32_t* count,
                             clr::COR_PRF_GC_GENERATION_RANGE* ranges) {
    if (++test_->calls_ == test_->refused_call_) return clr::E_FAIL;
    *count = test_->claimed_ranges_ != 0 ? test_->claimed_ranges_
                                         : static_cast<uint32_t>(test_->ranges_.size());
    for (uint32_t i = 0; i < test_->ranges_.size() && i < capacity; ++i) {
      ranges[i] = {};
      ranges[i].start = test_->ranges_[i].start;
      ranges[i].used_bytes = test_->ranges_[i].used_bytes;
      ranges[i].reserved_bytes = test_->ranges_[i].reserved_bytes;
    }
    return clr::S_OK;
  }

  // The objects come by callbacks: nothing is copied, and nothing is read.
  SnapshotPause::Plan Plan(bool any_generation = false) {
    SnapshotPause::Plan plan;
    plan.fork = false;
    plan.callbacks = &walk_;
    plan.any_generation = any_generation;
    return plan;
  }
  void Suspend() {
    pause_.SuspendStarted();
    pause_.SuspendFinished();
  }
  void Resume(uint64_t counted_ns = 0) {
    pause_.ResumeStarted();
    pause_.Resumed(counted_ns);
  }
  void ReportRoot(clr::ObjectID object) {
    const auto kind = clr::COR_PRF_GC_ROOT_KIND{};
    const auto flags = clr::COR_PRF_GC_ROOT_FLAGS{};
    const uintptr_t id = 0;
    pause_.Roots(1, &object, &kind, &flags, &id);
  }
  // A collection that stops the application, with one root.
  void Collect(uint32_t number = 7, uint32_t generation = 1) {
    Suspend();
    pause_.CollectionStarted(number, generation, false);
    ReportRoot(0x1010);
    pause_.CollectionFinished();
    Resume();
  }
  bool IsWoken() { return waker_.Wait(0); }

  std::vector<WalkedRange> ranges_ = {{0x9000, 0x100, 0x1000, 0}, {0x1000, 0x200, 0x1000, 0}};
  uint32_t claimed_ranges_ = 0;  // instead of their number
  int calls_ = 0;                // of the runtime
  int refused_call_ = 0;         // counted from 1; 0: none
  bool has_roots_ = false;       // the mask that was accepted last
  FakeRuntime runtime_;
  GcMask mask_;
  Waker waker_;
  CallbackWalk walk_{runtime_.info()};
  SnapshotPause pause_{runtime_.info(), mask_, waker_};

 private:
  static inline SnapshotPauseTest* test_ = nullptr;
};

TEST_F(SnapshotPauseTest, TheNextCollectionIsTakenWithItsRootsAndRanges) {
  pause_.Arm(Plan());
  Collect(7);
  EXPECT_EQ(pause_.state(), State::kTaken);
  EXPECT_EQ(pause_.collection(), 7u);
  EXPECT_TRUE(pause_.resumed());
  EXPECT_TRUE(IsWoken());
  EXPECT_FALSE(has_roots_);
  ASSERT_EQ(pause_.roots().roots().size(), 1u);
  EXPECT_EQ(pause_.roots().roots()[0].address, 0x1010u);
  ASSERT_EQ(pause_.ranges().size(), 2u);
  EXPECT_EQ(pause_.ranges()[0].start, 0x1000u);
  EXPECT_EQ(pause_.ranges()[1].start, 0x9000u);
  EXPECT_EQ(pause_.task().range_count, 2u);
  EXPECT_EQ(pause_.task().ranges[1].start, 0x9000u);
  EXPECT_GE(pause_.times().pause_ns, pause_.times().collect_ns);
}

// Of a collection that the application had anyway, only what the snapshot added.
TEST_F(SnapshotPauseTest, ItsPauseIsCountedOnce) {
  const auto added = [this](bool is_requested, uint64_t counted_ns) {
    const OwnCost& cost = OwnCost::Instance();
    const uint64_t pauses = cost.pauses, paused_ns = cost.paused_ns;
    std::optional<OwnCollection> own;
    if (is_requested) own.emplace();
    pause_.Arm(Plan());
    Suspend();
    pause_.CollectionStarted(7, 1, false);
    pause_.CollectionFinished();
    Resume(counted_ns);
    return std::pair(cost.pauses - pauses, cost.paused_ns - paused_ns);
  };
  const auto [first, first_ns] = added(true, 0);
  EXPECT_EQ(first, 1u);
  EXPECT_EQ(first_ns, pause_.times().pause_ns);
  const auto [pauses, rest_ns] = added(true, 1);
  EXPECT_EQ(pauses, 0u);
  EXPECT_EQ(rest_ns, pause_.times().pause_ns - 1);
  EXPECT_EQ(added(true, UINT64_MAX), std::pair(uint64_t{0}, uint64_t{0}));
  const auto [others, part_ns] = added(false, 0);
  EXPECT_EQ(others, 1u);
  EXPECT_EQ(part_ns, pause_.times().roots_ns + pause_.times().fork_ns);
}

TEST_F(SnapshotPauseTest, WithoutAPlanNothingHappens) {
  Collect();
  EXPECT_EQ(pause_.state(), State::kIdle);
  EXPECT_EQ(calls_, 0);
  EXPECT_FALSE(pause_.resumed());
  EXPECT_FALSE(IsWoken());
  EXPECT_TRUE(pause_.Object(0x1010, 0x20, {}));  // another requester of the walk continues
  pause_.Arm(Plan());
  EXPECT_TRUE(pause_.Disarm());
  EXPECT_FALSE(pause_.Disarm());
  Collect();
  EXPECT_EQ(pause_.state(), State::kIdle);
}

TEST_F(SnapshotPauseTest, ATakenSnapshotCannotBeDisarmed) {
  pause_.Arm(Plan());
  Suspend();
  pause_.CollectionStarted(1, 0, false);
  EXPECT_TRUE(has_roots_);
  EXPECT_FALSE(pause_.Disarm());
  pause_.CollectionFinished();
  Resume();
  EXPECT_EQ(pause_.state(), State::kTaken);
}

// While a background collection sweeps, generation 2 holds references that are out of date.
TEST_F(SnapshotPauseTest, OnlyYoungCollectionsByThemselvesAreTakenUnlessAllAre) {
  pause_.Arm(Plan());
  Collect(1, 2);
  EXPECT_EQ(pause_.state(), State::kArmed);
  Suspend();
  pause_.CollectionStarted(2, 0, true);
  EXPECT_EQ(pause_.state(), State::kArmed);
  Resume();
  EXPECT_EQ(calls_, 0);
  pause_.Arm(Plan(true));
  Collect(3, 2);
  EXPECT_EQ(pause_.state(), State::kTaken);
  EXPECT_EQ(pause_.collection(), 3u);
}

TEST_F(SnapshotPauseTest, ACollectionThatStopsNobodyIsPassedOver) {
  pause_.Arm(Plan(true));
  pause_.CollectionStarted(1, 2, false);
  EXPECT_EQ(pause_.state(), State::kCollecting);
  pause_.CollectionFinished();
  EXPECT_EQ(pause_.state(), State::kArmed);
  EXPECT_FALSE(has_roots_);
  Collect(2, 2);
  EXPECT_EQ(pause_.state(), State::kTaken);
  EXPECT_EQ(pause_.collection(), 2u);
}

TEST_F(SnapshotPauseTest, WithoutUsableRangesItFails) {
  ranges_ = {{0x1000, 0, 0x1000, 0}};
  pause_.Arm(Plan());
  Collect();
  EXPECT_EQ(pause_.state(), State::kFailed);
  EXPECT_TRUE(pause_.ranges().empty());
  ranges_ = {{0x1000, 0x100, 0x1000, 0}};
  claimed_ranges_ = kMaxHeapRanges + 1;
  pause_.Arm(Plan());
  Collect();
  EXPECT_EQ(pause_.state(), State::kFailed);
  EXPECT_TRUE(pause_.ranges().empty());
  EXPECT_FALSE(pause_.mask_failed());
  claimed_ranges_ = 0;
  pause_.Arm(Plan());
  Collect();
  EXPECT_EQ(pause_.state(), State::kTaken);
}

TEST_F(SnapshotPauseTest, WhateverTheRuntimeRefusesTheSnapshotEndsAndTheNextOneSucceeds) {
  pause_.Arm(Plan());
  Collect();
  const int calls = calls_;
  ASSERT_EQ(calls, 3);  // the mask with roots, the one without, and the ranges
  for (int refused = 1; refused <= calls; ++refused) {
    calls_ = 0;
    refused_call_ = refused;
    IsWoken();
    pause_.Arm(Plan());
    Collect();
    const bool is_harmless = refused == 2;  // a mask that stays makes collections slower
    EXPECT_EQ(pause_.state(), is_harmless ? State::kTaken : State::kFailed) << refused;
    EXPECT_EQ(pause_.mask_failed(), refused == 1) << refused;
    EXPECT_EQ(has_roots_, is_harmless) << refused;
    EXPECT_TRUE(pause_.resumed()) << refused;
    EXPECT_TRUE(IsWoken()) << refused;
    refused_call_ = 0;
    pause_.Arm(Plan());
    Collect();
    EXPECT_EQ(pause_.state(), State::kTaken) << refused;
    EXPECT_FALSE(pause_.mask_failed()) << refused;
    EXPECT_FALSE(has_roots_) << refused;
  }
}

TEST_F(SnapshotPauseTest, AResumeThatIsNotItsOwnIsIgnored) {
  pause_.Arm(Plan());
  Suspend();
  Resume();  // of a pause without a collection
  EXPECT_FALSE(pause_.resumed());
  EXPECT_EQ(pause_.state(), State::kArmed);
  Collect();
  EXPECT_TRUE(pause_.resumed());
  const uint64_t pause_ns = pause_.times().pause_ns;
  Suspend();
  Resume();
  EXPECT_EQ(pause_.times().pause_ns, pause_ns);
}

TEST_F(SnapshotPauseTest, AfterItsReleaseItCanBePreparedAgain) {
  pause_.Arm(Plan());
  Collect();
  pause_.Release();
  EXPECT_EQ(pause_.state(), State::kIdle);
  ASSERT_TRUE(pause_.Prepare());
  pause_.Arm(Plan());
  Collect(9);
  EXPECT_EQ(pause_.state(), State::kTaken);
  EXPECT_EQ(pause_.collection(), 9u);
}

}  // namespace
}  // namespace hindsight::recorder
