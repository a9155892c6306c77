// The event mask that makes the runtime report roots: found in the runtime's memory, switched
// there, and restored correctly whatever the runtime refuses.
#include "recorder/heap/gc_mask.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/unit/recorder/fake_runtime.h"

// In the library that stands in for the runtime's: where GcMask searches.
extern "C" volatile uint64_t* FakeEventMasks();

namespace hindsight::recorder {
namespace {

using contract::RootsChoice;

constexpr clr::EventMask kMask = clr::kForQuestions | clr::kMonitorExceptions;
constexpr clr::EventMask kMaskWithRoots = kMask | clr::kMonitorGc;

uint64_t WordOf(clr::EventMask mask) { return uint64_t{mask.high} << 32 | mask.low; }

class GcMaskTest : public testing::Test {
 protected:
  GcMaskTest() {
    test_ = this;
    runtime_.Put(&clr::ICorProfilerInfo10::SetEventMask2, &SetMask);
    for (int i = 0; i < 3; ++i) FakeEventMasks()[i] = 0;
  }

  static clr::HRESULT SetMask(void*, uint32_t low, uint32_t high) {
    GcMaskTest& test = *test_;
    const clr::EventMask mask{low, high};
    if (++test.calls_ == test.refused_call_) return clr::E_FAIL;
    if (test.has_concurrent_gc_ && !(mask & clr::kMonitorGc).empty()) {
      return clr::CORPROF_E_CONCURRENT_GC_NOT_PROFILABLE;
    }
    test.mask_ = mask;
    test.always_had_mask_ = test.always_had_mask_ && (mask & kMask) == kMask;
    for (int i = 0; i < test.words_; ++i) FakeEventMasks()[i] = WordOf(mask);
    return clr::S_OK;
  }

  bool Prepare(RootsChoice choice = RootsChoice::kAuto) {
    return gc_.Prepare(runtime_.info(), kMask, choice, &why_);
  }
  bool PrepareLate() { return gc_.PrepareLate(runtime_.info(), kMask, &why_); }
  static void ExpectWords(clr::EventMask mask) {
    EXPECT_EQ(FakeEventMasks()[0], WordOf(mask));
    EXPECT_EQ(FakeEventMasks()[1], WordOf(mask));
  }

  FakeRuntime runtime_;
  GcMask gc_;
  std::string why_;
  int words_ = 2;         // in which the runtime keeps its mask
  int calls_ = 0;         // of SetEventMask2
  int refused_call_ = 0;  // counted from 1; 0: none
  bool has_concurrent_gc_ = false;
  bool always_had_mask_ = true;  // in each call
  clr::EventMask mask_;          // that was accepted last

 private:
  static inline GcMaskTest* test_ = nullptr;
};

TEST_F(GcMaskTest, TheFlagIsSwitchedInTheRuntimesTwoWords) {
  ASSERT_TRUE(Prepare());
  EXPECT_EQ(gc_.way(), GcMask::Way::kCalibrated);
  EXPECT_EQ(why_, "");
  EXPECT_EQ(mask_, kMask);
  const int calls = calls_;
  gc_.Settle();
  ASSERT_TRUE(gc_.On());
  ExpectWords(kMaskWithRoots);
  gc_.Off();
  ExpectWords(kMask);
  EXPECT_EQ(calls_, calls);
}

TEST_F(GcMaskTest, AnyOtherNumberOfWordsIsRefused) {
  for (const int words : {1, 3}) {
    words_ = words;
    EXPECT_TRUE(Prepare(RootsChoice::kCalibrated)) << words;
    EXPECT_EQ(gc_.way(), GcMask::Way::kNone) << words;
    EXPECT_NE(why_, "") << words;
    EXPECT_EQ(mask_, kMask) << words;
    EXPECT_FALSE(gc_.On()) << words;
    why_.clear();
    EXPECT_FALSE(PrepareLate()) << words;
    EXPECT_NE(why_, "") << words;
    why_.clear();
  }
}

TEST_F(GcMaskTest, WithoutTheWordsTheDocumentedWayIsTaken) {
  words_ = 0;
  ASSERT_TRUE(Prepare());
  EXPECT_EQ(gc_.way(), GcMask::Way::kDocumented);
  EXPECT_EQ(mask_, kMaskWithRoots);  // as the runtime requires it, until Settle
  gc_.Settle();
  EXPECT_EQ(mask_, kMask);
  ASSERT_TRUE(gc_.On());
  EXPECT_EQ(mask_, kMaskWithRoots);
  gc_.Drop(clr::kMonitorExceptions);
  EXPECT_EQ(mask_, kMaskWithRoots.Without(clr::kMonitorExceptions));
  gc_.Off();
  EXPECT_EQ(mask_, kMask.Without(clr::kMonitorExceptions));
  refused_call_ = calls_ + 1;
  EXPECT_FALSE(gc_.On());
}

TEST_F(GcMaskTest, WordsThatHaveChangedAreLeftAlone) {
  ASSERT_TRUE(Prepare());
  const uint64_t other = WordOf(clr::kMonitorThreads);
  FakeEventMasks()[1] = other;
  EXPECT_FALSE(gc_.On());
  EXPECT_EQ(FakeEventMasks()[0], WordOf(kMask));
  EXPECT_EQ(FakeEventMasks()[1], other);
}

TEST_F(GcMaskTest, CallbacksAreDroppedWhileTheFlagIsOn) {
  ASSERT_TRUE(Prepare());
  ASSERT_TRUE(gc_.On());
  gc_.Drop(clr::kMonitorExceptions);
  ExpectWords(kMaskWithRoots.Without(clr::kMonitorExceptions));
  gc_.Off();
  ExpectWords(kMask.Without(clr::kMonitorExceptions));
  EXPECT_TRUE(gc_.On());
}

TEST_F(GcMaskTest, BackgroundCollectionsShowByARefusal) {
  ASSERT_TRUE(Prepare());
  EXPECT_FALSE(gc_.IsGcConcurrent());
  EXPECT_EQ(mask_, kMask);
  has_concurrent_gc_ = true;
  EXPECT_TRUE(gc_.IsGcConcurrent());
  EXPECT_EQ(mask_, kMask);
}

// The runtime may refuse any of the masks that are tried.
TEST_F(GcMaskTest, ARefusalAtAnyCallLeavesTheMaskOfTheRecording) {
  for (const RootsChoice choice :
       {RootsChoice::kAuto, RootsChoice::kCalibrated, RootsChoice::kDocumented}) {
    refused_call_ = 0;
    do {
      ++refused_call_;
      calls_ = 0;
      mask_ = {};
      why_.clear();
      const bool is_ready = Prepare(choice);
      const bool is_documented = gc_.way() == GcMask::Way::kDocumented;
      // Only the last call decides: it sets the mask of the recording itself.
      EXPECT_EQ(is_ready, calls_ != refused_call_) << refused_call_;
      if (is_ready) {
        EXPECT_EQ(mask_, is_documented ? kMaskWithRoots : kMask) << refused_call_;
      }
      if (gc_.way() == GcMask::Way::kCalibrated && is_ready) ExpectWords(kMask);
      EXPECT_EQ(why_.empty(),
                gc_.way() == GcMask::Way::kCalibrated || choice == RootsChoice::kDocumented)
          << refused_call_;
    } while (calls_ >= refused_call_);
  }
}

// A recording is running: it must miss no callback.
TEST_F(GcMaskTest, LateNoMaskLacksWhatTheRecordingNeeds) {
  do {
    ++refused_call_;
    calls_ = 0;
    why_.clear();
    const bool is_ready = PrepareLate();
    EXPECT_EQ(is_ready, calls_ < refused_call_) << refused_call_;
    EXPECT_EQ(gc_.way(), is_ready ? GcMask::Way::kCalibrated : GcMask::Way::kNone);
    // A refusal of the recording's own mask, first or last, has no sentence.
    EXPECT_EQ(why_.empty(), is_ready || refused_call_ == 1 || calls_ == refused_call_)
        << refused_call_;
  } while (calls_ >= refused_call_);
  EXPECT_TRUE(always_had_mask_);
  EXPECT_EQ(mask_, kMask);
  EXPECT_TRUE(gc_.On());
  ExpectWords(kMaskWithRoots);
}

}  // namespace
}  // namespace hindsight::recorder
