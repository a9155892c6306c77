#include "analyzer/analyses/comparison/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/unit/analyzer/comparison_sides.h"

namespace hindsight::analyzer {
namespace {

constexpr int64_t kSecond = Side::kSecond;
constexpr int64_t kLength = Side::kLength;

TEST_F(ComparisonTest, TheSameIsNoDifference) {
  for (Side* side : {&before_, &after_}) {
    side->Burn({"Shop.Main", "Shop.Parse"}, 40);
    side->Throw("Shop.Lost", {"Shop.Main", "Shop.Find"}, 5);
  }
  const Comparison comparison = Compare();
  EXPECT_TRUE(comparison.is_empty());
  EXPECT_TRUE(VerdictOf(comparison).starts_with("No difference: ")) << VerdictOf(comparison);
}

// The same program may inline other methods each time; but it may also do something else.
TEST_F(ComparisonTest, InOneBuildAMethodIsNewOnlyIfItsCallerDoesMore) {
  for (Side* side : {&before_, &after_}) {
    Dictionaries& names = side->model().dictionaries;
    Module module;
    module.path = names.AddString("/app/Shop.dll");
    module.assembly = names.AddString("Shop");
    module.mvid = "the only build";
    names.AddModule(module);
  }
  before_.Burn({"Shop.Main", "Shop.Handle", "Shop.Step.First", "Shop.Parse"}, 40);
  after_.Burn({"Shop.Main", "Shop.Handle", "Shop.Step.Second", "Shop.Parse"}, 40);
  EXPECT_TRUE(Compare().is_empty()) << VerdictOf(Compare());
  after_.Burn({"Shop.Main", "Shop.Handle", "Shop.Search"}, 80);
  const Comparison comparison = Compare();
  ASSERT_EQ(comparison.differences.size(), 1u);
  EXPECT_EQ(comparison.differences[0].subject, "Shop.Search");
  EXPECT_EQ(comparison.differences[0].direction, Difference::Direction::kNew);
}

TEST_F(ComparisonTest, WhatBothHaveNothingOfIsNotCounted) {
  for (Side* side : {&before_, &after_}) {
    side->Burn({"Shop.Main", "Shop.Parse"}, 40);
    side->Throw("Shop.Lost", {"Shop.Main", "Shop.Find"}, 5);
    side->model().facts.allocations_on = side->model().facts.locks_on = true;
  }
  const Comparison comparison = Compare();
  // Threads, too.
  EXPECT_EQ(VerdictOf(comparison), "No difference: 3 signals compared.");
  before_.model().facts.allocations_on = false;
  EXPECT_EQ(VerdictOf(Compare()),
            "No difference: 3 signals compared; allocations only in the second recording.");
  before_.model().facts.allocations_on = true;
  for (const Signal empty : {Signal::kAllocations, Signal::kLocks, Signal::kDeadlocks}) {
    EXPECT_EQ(comparison.coverage[static_cast<size_t>(empty)].state,
              Coverage::State::kNothingThere);
  }
}

TEST_F(ComparisonTest, WhereThereIsNothingThatIsSaid) {
  after_.model().facts.threads_on = false;
  EXPECT_EQ(VerdictOf(Compare()), "No difference: nothing to compare.");
}

TEST_F(ComparisonTest, AMethodTwiceAsSlowIsOneDifference) {
  for (Side* side : {&before_, &after_}) {
    side->Burn({"Shop.Main", "Shop.Run", "Shop.Price"}, 20);
    side->Burn({"Shop.Main", "Shop.Run", "Shop.Print"}, 20);
    side->Burn({"Shop.Main", "Shop.Run", "Shop.Store"}, 20);
    side->Burn({"Shop.Main", "Shop.Run", "Shop.Parse"}, side == &before_ ? 10 : 20);
  }
  EXPECT_EQ(OnlyTitle(), "Shop.Parse uses 2.0 times the CPU time: 0.10 -> 0.20 cores");
}

TEST_F(ComparisonTest, OfABusyProcessorTheOthersGetLess) {
  // Less work of every kind: one core, and a method that takes twice as long.
  for (Side* side : {&before_, &after_}) {
    const int rate = side == &before_ ? 20 : 16;
    side->Burn({"Shop.Main", "Shop.Run", "Shop.Price"}, rate);
    side->Burn({"Shop.Main", "Shop.Run", "Shop.Print"}, rate);
    side->Burn({"Shop.Main", "Shop.Run", "Shop.Store"}, rate);
    side->Burn({"Shop.Main", "Shop.Run", "Shop.Parse"}, side == &before_ ? 20 : 32);
  }
  EXPECT_EQ(OnlyTitle(), "Shop.Parse uses 2.0 times the CPU time: 0.16 -> 0.32 cores");
  EXPECT_TRUE(Compare().differences.at(0).evidence.ends_with(
      "; the first amount is 0.80 times the measured one, as most rows changed so"))
      << Compare().differences.at(0).evidence;
}

TEST_F(ComparisonTest, WhatABusierMachineLeavesToMostIsNoDifference) {
  // Other processes took the processor: two fifths of the work were done, and one method takes
  // twice as long.
  for (Side* side : {&before_, &after_}) {
    const bool is_old = side == &before_;
    side->Burn({"Shop.Main", "Shop.Price"}, is_old ? 36 : 14);
    side->Burn({"Shop.Main", "Shop.Print"}, is_old ? 6 : 2);
    side->Burn({"Shop.Main", "Shop.Parse"}, is_old ? 18 : 14);
  }
  EXPECT_TRUE(OnlyTitle().starts_with("Shop.Parse uses 2."));
}

TEST_F(ComparisonTest, WhatManyShowTogetherIsLoadThoughNoneShowsItAlone) {
  for (Side* side : {&before_, &after_}) {
    for (char type = 'A'; type <= 'T'; ++type) {
      const std::string name = std::string("Shop.") + type;
      side->Throw(name + "Exception", {"Shop.Main", name + ".Do"}, side == &before_ ? 5 : 6);
    }
  }
  const Comparison comparison = Compare();
  EXPECT_TRUE(comparison.is_empty()) << VerdictOf(comparison);
  ASSERT_EQ(comparison.notes.size(), 1u);
  EXPECT_TRUE(comparison.notes[0].starts_with("Most rows changed by 20 % more exceptions alike"))
      << comparison.notes[0];
}

// Without requests, what the process did with its time shows whether that is load.
TEST_F(ComparisonTest, TwiceTheCpuTimeIsLoadWhereAboutAsMuchMoreWasDone) {
  for (Side* side : {&before_, &after_}) {
    const bool is_old = side == &before_;
    for (char method = 'A'; method <= 'E'; ++method) {
      const std::string name = std::string("Shop.") + method;
      side->Burn({"Shop.Main", name}, is_old ? 40 : 80);
      side->Throw(name + "Exception", {"Shop.Main", name}, is_old ? 50 : 83);
    }
  }
  constexpr double kBetween = 80.0 / 40 / (83.0 / 50);
  ComparisonRules rules;
  rules.load_factor = kBetween * 1.01;
  EXPECT_TRUE(Compare(rules).is_empty());
  rules.load_factor = kBetween * 0.99;
  const Comparison comparison = Compare(rules);
  ASSERT_EQ(comparison.differences.size(), 1u);
  EXPECT_TRUE(comparison.differences[0].title.starts_with("Everything: 2.0 times the CPU time"))
      << comparison.differences[0].title;
}

TEST_F(ComparisonTest, ALittleMoreLoadDoesNotBlurAFactor) {
  // The same number of throws in a recording that took 4 % longer.
  for (Side* side : {&before_, &after_}) {
    for (char type = 'A'; type <= 'T'; ++type) {
      const std::string name = std::string("Shop.") + type;
      const int twice = side == &after_ && type == 'C' ? 2 : 1;
      side->Throw(name + "Exception", {"Shop.Main", name + ".Do"}, 8 * twice);
    }
  }
  after_.model().facts.last_ns = kLength * 104 / 100;
  EXPECT_TRUE(OnlyTitle().starts_with("Shop.CException in Shop.C.Do: 2.0 times the exceptions: "));
}

TEST_F(ComparisonTest, AMethodIsReportedWithWhatTheFrameworkDoesForIt) {
  for (Side* side : {&before_, &after_}) {
    side->Burn({"Shop.Main", "Shop.Price", "libc.so.6!memcpy"}, 20);
    side->Burn({"Shop.Main", "Shop.Parse", "libc.so.6!memcpy"}, side == &before_ ? 20 : 60);
    side->Burn({"Shop.Main", "Shop.Print"}, 20);
    side->Burn({"Shop.Main", "Shop.Store"}, 20);
  }
  EXPECT_EQ(OnlyTitle(), "Shop.Parse uses 3.0 times the CPU time: 0.20 -> 0.60 cores");
}

TEST_F(ComparisonTest, WhatTiersMakeOfOthersCodeBelowAMethodIsNoDifference) {
  for (Side* side : {&before_, &after_}) {
    side->Burn({"Shop.Main", "Shop.Print"}, 20);
    side->Burn({"Shop.Main", "Shop.Store"}, 20);
  }
  before_.Burn({"Shop.Main", "Shop.Price", "System.Linq.Select", "System.Linq.Sum"}, 30);
  after_.Burn({"Shop.Main", "Shop.Price", "System.Linq.Where"}, 30);
  EXPECT_TRUE(Compare().is_empty());
}

TEST_F(ComparisonTest, TheCompilersTimeIsANote) {
  for (Side* side : {&before_, &after_}) {
    for (const char* method : {"Shop.A", "Shop.B", "Shop.C"}) side->Burn({"Shop.Main", method}, 20);
  }
  after_.Burn({"Shop.Main", "libclrjit.so!"}, 4);
  NameRuntimeWork(after_.model());
  EXPECT_TRUE(Compare().is_empty());
  EXPECT_TRUE(Compare().notes.empty());
  after_.Burn({"Shop.Main", "libclrjit.so!"}, 2);
  NameRuntimeWork(after_.model());
  EXPECT_TRUE(Compare().is_empty());
  ASSERT_EQ(Compare().notes.size(), 1u);
  EXPECT_TRUE(Compare().notes[0].starts_with("The JIT compiler took none -> 0.060 cores"))
      << Compare().notes[0];
}

TEST_F(ComparisonTest, AFewAllocationsMoreAreNone) {
  for (Side* side : {&before_, &after_}) {
    for (const char* method : {"Shop.A", "Shop.B", "Shop.C"}) {
      side->Allocate({"Shop.Main", method}, "System.String", 32);
    }
  }
  after_.Allocate({"Shop.Main", "Shop.New"}, "System.String", 4);  // 4 % of all
  EXPECT_TRUE(Compare().is_empty());
  after_.Allocate({"Shop.Main", "Shop.New"}, "System.String", 4);
  EXPECT_EQ(Compare().differences.size(), 1u);
}

TEST_F(ComparisonTest, WhatTheCompilerMovedIsNoDifference) {
  for (Side* side : {&before_, &after_}) {
    side->Burn({"Shop.Main", "Shop.Price"}, 20);
    side->Burn({"Shop.Main", "Shop.Print"}, 20);
    side->Burn({"Shop.Main", "Shop.Store"}, 20);
  }
  before_.Burn({"Shop.Main", "Shop.Sum", "Shop.Next"}, 20);
  before_.Burn({"Shop.Main", "Shop.Sum"}, 20);
  after_.Burn({"Shop.Main", "Shop.Sum"}, 40);
  EXPECT_TRUE(Compare().is_empty());
}

// The framework's code that calls back has the lambda inlined in one of the recordings, so its path
// shows nothing of yours there.
TEST_F(ComparisonTest, WhatTheCompilerPutIntoOthersCodeIsNotGoneAndNotNew) {
  for (Side* side : {&before_, &after_}) {
    for (const char* method : {"Shop.A", "Shop.B", "Shop.C"}) side->Burn({"Shop.Main", method}, 20);
    side->Burn({"System.Pool.Run", "System.Pool.Take"}, 5);
  }
  before_.Burn({"System.Pool.Run", "System.Make", "System.Set"}, 30);
  after_.Burn({"System.Pool.Run", "System.Make", "System.Configure", "Shop.Options", "System.Set"},
              30);
  EXPECT_TRUE(Compare().is_empty()) << OnlyTitle();
  std::swap(before_, after_);
  EXPECT_TRUE(Compare().is_empty()) << OnlyTitle();
}

TEST_F(ComparisonTest, WhatAnInlinedMethodCallsIsFoundBelowItsCaller) {
  for (Side* side : {&before_, &after_}) {
    for (const char* method : {"Shop.A", "Shop.B", "Shop.C"}) side->Burn({"Shop.Main", method}, 20);
  }
  before_.Burn({"System.Pool.Run", "System.Make", "Shop.Open"}, 30);
  after_.Burn({"System.Pool.Run", "System.Make", "Shop.Options", "Shop.Open"}, 30);
  EXPECT_TRUE(Compare().is_empty()) << OnlyTitle();
}

TEST_F(ComparisonTest, WhatIsInlinedOftenerIsNoDifference) {
  for (Side* side : {&before_, &after_}) {
    for (const char* method : {"Shop.A", "Shop.B", "Shop.C"}) side->Burn({"Shop.Main", method}, 20);
    const int seen = side == &before_ ? 5 : 30;
    side->Burn({"System.Pool.Run", "System.Make", "System.Set"}, 35 - seen);
    side->Burn({"System.Pool.Run", "System.Make", "System.Configure", "Shop.Options", "System.Set"},
               seen);
  }
  EXPECT_TRUE(Compare().is_empty()) << OnlyTitle();
}

TEST_F(ComparisonTest, WhatIsLeftBesideInliningHasToBeMoreThanChance) {
  for (Side* side : {&before_, &after_}) {
    for (const char* method : {"Shop.A", "Shop.B", "Shop.C"}) side->Burn({"Shop.Main", method}, 20);
  }
  before_.Burn({"System.Pool.Run", "System.Make", "System.Set"}, 2);
  after_.Burn({"System.Pool.Run", "System.Make", "Shop.Options", "System.Set"}, 3);
  EXPECT_TRUE(Compare().is_empty()) << OnlyTitle();
  after_.Burn({"System.Pool.Run", "System.Make", "Shop.Options", "System.Set"}, 4);
  EXPECT_EQ(OnlyTitle(), "Shop.Options is new: it uses 0.070 cores");
}

// An async method that had to wait continues on a stack without its callers.
TEST_F(ComparisonTest, WhatContinuedWithoutItsCallersIsNoDifference) {
  for (Side* side : {&before_, &after_}) {
    for (const char* method : {"Shop.A", "Shop.B", "Shop.C"}) side->Burn({"Shop.Main", method}, 20);
    const int waited = side == &before_ ? 27 : 3;
    side->Burn({"System.Pool.Run", "Shop.Write", "Shop.Insert"}, waited);
    side->Burn({"System.Serve", "Shop.Post", "Shop.Book", "Shop.Write", "Shop.Insert"},
               30 - waited);
  }
  EXPECT_TRUE(Compare().is_empty()) << OnlyTitle();
  std::swap(before_, after_);
  EXPECT_TRUE(Compare().is_empty()) << OnlyTitle();
  std::swap(before_, after_);
  after_.Burn({"System.Serve", "Shop.Post"}, 20);
  EXPECT_EQ(Compare().differences.size(), 1u);
}

// Its caller is as busy as before, but with something else of yours.
TEST_F(ComparisonTest, WhatTookTheTimeOfAnotherMethodIsNew) {
  for (Side* side : {&before_, &after_}) {
    for (const char* method : {"Shop.A", "Shop.B", "Shop.C"}) side->Burn({"Shop.Main", method}, 20);
    side->Burn({"System.Pool.Run", "System.Serve", "Shop.Show"}, side == &before_ ? 50 : 20);
    side->Burn({"System.Pool.Run", "System.Serve"}, 10);
  }
  after_.Burn({"System.Pool.Run", "System.Serve", "Shop.Score"}, 30);
  const Comparison comparison = Compare();
  ASSERT_EQ(comparison.differences.size(), 2u);
  EXPECT_EQ(comparison.differences[0].title, "Shop.Score is new: it uses 0.30 cores");
}

TEST_F(ComparisonTest, LambdasAreFoundAgainWhenTheirNumbersShift) {
  for (Side* side : {&before_, &after_}) {
    const std::string first = side == &before_ ? "0" : "1", second = side == &before_ ? "1" : "2";
    side->Burn({"Shop.Main", "Shop+<>c.<Main>b__0_" + first, "Shop.Parse"}, 20);
    side->Burn({"Shop.Main", "Shop+<>c.<Main>b__0_" + second, "Shop.Store"}, 20);
    side->Burn({"Shop.Main", "Shop.Print"}, 20);
  }
  EXPECT_TRUE(Compare().is_empty());
}

TEST_F(ComparisonTest, NewAndGone) {
  for (Side* side : {&before_, &after_}) {
    for (const char* method : {"Shop.A", "Shop.B", "Shop.C"}) side->Burn({"Shop.Main", method}, 20);
  }
  before_.Burn({"Shop.Main", "Shop.Old"}, 10);
  after_.Burn({"Shop.Main", "Shop.New"}, 30);
  const Comparison comparison = Compare();
  ASSERT_EQ(comparison.differences.size(), 2u);
  EXPECT_EQ(comparison.differences[0].title, "Shop.New is new: it uses 0.30 cores");
  EXPECT_EQ(comparison.differences[0].direction, Difference::Direction::kNew);
  EXPECT_EQ(comparison.differences[1].title, "Shop.Old is gone: 0.10 cores -> none");
  EXPECT_EQ(VerdictOf(comparison), "1 regression: Shop.New is new: it uses 0.30 cores");
}

TEST_F(ComparisonTest, AnExceptionAndItsPathAreOne) {
  for (Side* side : {&before_, &after_}) {
    side->Throw("Shop.Lost", {"Shop.Main", "Shop.Find"}, side == &before_ ? 5 : 10);
    side->Throw("Shop.Sold", {"Shop.Main", "Shop.Sell"}, 8);
    side->Throw("Shop.Late", {"Shop.Main", "Shop.Send"}, 8);
  }
  EXPECT_EQ(OnlyTitle(), "Shop.Lost in Shop.Find: 2.0 times the exceptions: 5.00/s -> 10.0/s");
}

TEST_F(ComparisonTest, AnotherBurstIsNotedAndNoDifference) {
  for (Side* side : {&before_, &after_}) {
    side->Throw("Shop.Lost", {"Shop.Main", "Shop.Find"}, 1);
    side->Throw("Shop.Sold", {"Shop.Main", "Shop.Sell"}, 8);
  }
  ExceptionGroup& lost = after_.model().exceptions.groups.front();
  for (int64_t i = 0; i < 400; ++i) lost.times.Add(5 * kSecond + i * kSecond / 1000);
  lost.throws[0] = lost.count += 400;
  const Comparison comparison = Compare();
  EXPECT_TRUE(comparison.is_empty());
  const std::string note =
      "Shop.Lost in Shop.Find: 17.7 times the exceptions: 1.00/s -> 17.7/s. This may be chance";
  EXPECT_TRUE(std::any_of(comparison.notes.begin(), comparison.notes.end(),
                          [&note](const std::string& text) { return text.starts_with(note); }))
      << ::testing::PrintToString(comparison.notes);
  EXPECT_EQ(VerdictOf(comparison),
            "No difference is certain. Perhaps: Shop.Lost in Shop.Find: 17.7 times the exceptions: "
            "1.00/s -> 17.7/s");
}

// The other recording has no such start or end, so it cannot show what is done there.
TEST_F(ComparisonTest, ABurstAtOneEndOfTheProcessIsANote) {
  for (Side* side : {&before_, &after_}) {
    side->Throw("Shop.Sold", {"Shop.Main", "Shop.Sell"}, 8);
    RecordingFacts& facts = side->model().facts;
    facts.process_started_unix_ns = 1'000 * uint64_t{kSecond};
    facts.started_unix_ns = facts.process_started_unix_ns + (side == &before_ ? 60 : 1) * kSecond;
    facts.end = EndReason::kStopped;
  }
  after_.Throw("Shop.Lost", {"Shop.Main", "Shop.Find"}, 1);
  ExceptionGroup& lost = after_.model().exceptions.groups.back();
  const auto says = [&](int64_t at_second, std::string_view end) {
    lost.times = {};
    lost.throws[0] = lost.count = 400;
    for (int64_t i = 0; i < 400; ++i) lost.times.Add(at_second * kSecond + i * kSecond / 1000);
    const Comparison comparison = Compare();
    const std::string note = " of the process, which the other recording does not have.";
    return comparison.perhaps.empty() &&
           std::ranges::any_of(comparison.notes, [&](const std::string& text) {
             return text.ends_with(std::string(end) + note);
           });
  };
  const ComparisonRules rules;
  const auto start = static_cast<int64_t>(rules.slices_of_start);
  EXPECT_TRUE(says(start - 1, "start"));
  EXPECT_FALSE(says(start, "start"));
  RecordingFacts& facts = before_.model().facts;
  facts.started_unix_ns =
      after_.model().facts.started_unix_ns + static_cast<uint64_t>(start) * kSecond / 2;
  EXPECT_TRUE(says(start - 1, "start"));
  --facts.started_unix_ns;  // it has most of the start
  EXPECT_FALSE(says(start - 1, "start"));
  EXPECT_FALSE(says(23, "end"));  // it was stopped
  after_.model().facts.end = EndReason::kProcessExit;
  const int64_t end = 24 - static_cast<int64_t>(rules.slices_of_end);
  EXPECT_TRUE(says(end, "end"));
  EXPECT_FALSE(says(end - 1, "end"));
  before_.model().facts.end = EndReason::kProcessExit;
  EXPECT_FALSE(says(end, "end"));
}

TEST_F(ComparisonTest, AllocationsAreKnownByTheirMethodWithTheType) {
  for (Side* side : {&before_, &after_}) {
    side->Allocate({"Shop.Main", "Shop.Name"}, "System.String", 20);
    side->Allocate({"Shop.Main", "Shop.Show"}, "System.String", 20);
    side->Allocate({"Shop.Main", "Shop.Load"}, "System.Byte[]", side == &before_ ? 20 : 60);
    side->Allocate({"Shop.Main", "Shop.Load"}, "System.String", 5);
  }
  const Comparison comparison = Compare();
  ASSERT_EQ(comparison.differences.size(), 1u);
  EXPECT_EQ(comparison.differences[0].subject, "Shop.Load");
  EXPECT_NE(comparison.differences[0].evidence.find("Byte[]"), std::string::npos)
      << comparison.differences[0].evidence;
}

TEST_F(ComparisonTest, WhatOneRecordingLacksIsNotNew) {
  before_.model().facts.cpu_on = false;
  after_.Burn({"Shop.Main", "Shop.Parse"}, 40);
  const Comparison comparison = Compare();
  EXPECT_TRUE(comparison.is_empty());
  const Coverage& cpu = comparison.coverage[static_cast<size_t>(Signal::kCpu)];
  EXPECT_EQ(cpu.state, Coverage::State::kNotRecorded);
  EXPECT_EQ(cpu.note, "Only in the second recording.");
}

TEST_F(ComparisonTest, PerRequestAndWithoutThem) {
  for (Side* side : {&before_, &after_}) {
    for (const char* method : {"Shop.A", "Shop.B"}) {
      side->Burn({"Shop.Main", method}, side == &before_ ? 20 : 40);
    }
    side->model().requests.finished = side == &before_ ? 1000 : 2000;
  }
  EXPECT_TRUE(Compare({.per = Per::kRequest}).is_empty());
  EXPECT_FALSE(Compare({.per = Per::kSecond}).is_empty());
  before_.model().requests.finished = 0;
  const Comparison without = Compare({.per = Per::kRequest});
  EXPECT_TRUE(without.is_empty());
  ASSERT_EQ(without.notes.size(), 1u);
  EXPECT_NE(without.notes[0].find("no requests"), std::string::npos);
}

TEST_F(ComparisonTest, WithFewerRequestsFixedCostsComeAfterWhatSlowsThemDown) {
  for (Side* side : {&before_, &after_}) {
    side->Burn({"Shop.Watch", "Shop.Poll"}, 20);  // per request five times as much
    side->Burn({"Shop.Main", "Shop.Show"}, side == &before_ ? 100 : 20);
    side->Burn({"Shop.Main", "Shop.Price"}, side == &before_ ? 2 : 8);
    side->model().requests.finished = side == &before_ ? 5000 : 1000;
  }
  const Comparison comparison = Compare({.per = Per::kRequest});
  ASSERT_EQ(comparison.differences.size(), 2u);
  EXPECT_EQ(comparison.differences[0].subject, "Shop.Price");
  EXPECT_EQ(comparison.differences[0].evidence.find("not per second"), std::string::npos);
  EXPECT_EQ(comparison.differences[1].subject, "Shop.Poll");
  EXPECT_NE(comparison.differences[1].evidence.find("; not per second"), std::string::npos)
      << comparison.differences[1].evidence;
}

TEST_F(ComparisonTest, MorePerRequestOfEverythingIsANoteIfItIsNoMorePerSecond) {
  for (Side* side : {&before_, &after_}) {
    for (const char* method : {"Shop.A", "Shop.B", "Shop.C", "Shop.D"}) {
      side->Burn({"Shop.Main", method}, side == &before_ ? 20 : 10);
    }
    side->model().requests.finished = side == &before_ ? 5000 : 1000;
  }
  const Comparison fewer = Compare({.per = Per::kRequest});
  EXPECT_TRUE(fewer.is_empty()) << fewer.differences.front().title;
  EXPECT_EQ(fewer.notes.size(), 1u);
}

TEST_F(ComparisonTest, WhatAllMethodsShareIsLoadOrMoreCpuTimeForTheSameWork) {
  for (Side* side : {&before_, &after_}) {
    const int rate = side == &before_ ? 10 : 20;
    for (const char* method : {"Shop.A", "Shop.B", "Shop.C", "Shop.D"}) {
      side->Burn({"Shop.Main", method}, rate);
      side->Allocate({"Shop.Main", method}, "System.String", 20);
    }
  }
  EXPECT_TRUE(OnlyTitle().starts_with("Everything: 2.0 times the CPU time: "));
  // Twice the requests explain it.
  before_.model().requests.finished = 1000;
  after_.model().requests.finished = 2000;
  const Comparison loaded = Compare();
  for (const Difference& difference : loaded.differences) {
    EXPECT_NE(difference.signal, Signal::kCpu) << difference.title;
  }
}

TEST_F(ComparisonTest, ReportsOtherRuntimesAndShortRecordings) {
  after_.model().facts.runtime_version = "11.0.0";
  after_.model().facts.last_ns = kSecond / 2;
  const Comparison comparison = Compare();
  ASSERT_EQ(comparison.notes.size(), 2u);
  EXPECT_EQ(comparison.notes[0],
            "The processes ran on different versions of .NET: 10.0.1 and 11.0.0.");
}

}  // namespace
}  // namespace hindsight::analyzer
