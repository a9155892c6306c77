// The thresholds of ComparisonRules, each at its edge: the same recordings differ on one side of
// it, and not on the other.
#include "analyzer/analyses/comparison/comparison_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/analyses/comparison/recording_facts.h"
#include "tests/unit/analyzer/comparison_sides.h"

namespace hindsight::analyzer {
namespace {

class ComparisonRulesTest : public ComparisonTest {
 protected:
  size_t Reported() { return Compare(rules_).differences.size(); }

  // What both also do: this many samples per second in each of three methods.
  void BurnBeside(int a_second) {
    for (Side* side : {&before_, &after_}) {
      for (const char* method : {"Shop.A", "Shop.B", "Shop.C"}) {
        side->Burn({"Shop.Main", method}, a_second);
      }
    }
  }
  void AllocateBeside(int a_second) {
    for (Side* side : {&before_, &after_}) {
      for (const char* method : {"Shop.A", "Shop.B", "Shop.C"}) {
        side->Allocate({"Shop.Main", method}, "System.String", a_second);
      }
    }
  }

  ComparisonRules rules_;
};

TEST_F(ComparisonRulesTest, RequestsAreWhatIsDividedByFromSoManyInBothOn) {
  Model before, after;
  const auto usual = [&](uint64_t of_before, uint64_t of_after) {
    before.requests.finished = of_before;
    after.requests.finished = of_after;
    return UsualPer(&before, &after, rules_);
  };
  const uint64_t many = rules_.many_requests;
  EXPECT_EQ(many, 100u);
  EXPECT_EQ(usual(many, many), Per::kRequest);
  EXPECT_EQ(usual(many - 1, many), Per::kSecond);
  EXPECT_EQ(usual(many, many - 1), Per::kSecond);
  EXPECT_EQ(UsualPer(&before, nullptr, rules_), Per::kSecond);
  rules_.many_requests = many - 1;
  EXPECT_EQ(usual(many, many - 1), Per::kRequest);
}

TEST_F(ComparisonRulesTest, WholeRunsAreComparedInTotal) {
  Model run, other;
  run.facts.process_started_unix_ns = 1'000 * uint64_t{Side::kSecond};
  run.facts.started_unix_ns = run.facts.process_started_unix_ns + rules_.start_of_run_ns;
  run.facts.end = EndReason::kProcessExit;
  const auto usual = [&] { return UsualPer(&run, &other, rules_); };
  other.facts = run.facts;
  EXPECT_EQ(usual(), Per::kNothing);
  ++other.facts.started_unix_ns;
  EXPECT_EQ(usual(), Per::kSecond);
  other.facts = run.facts;
  other.facts.end = EndReason::kStopped;
  EXPECT_EQ(usual(), Per::kSecond);
  other.facts = run.facts;
  other.requests.started = 1;
  EXPECT_EQ(usual(), Per::kSecond);
  other.requests.started = 0;
  ThreadInfo handler;
  handler.name = other.dictionaries.AddString(".NET Signal Handler");
  handler.has_start = true;
  other.threads.push_back(handler);
  EXPECT_EQ(usual(), Per::kSecond);
}

TEST_F(ComparisonRulesTest, ADifferenceIsReportedFromItsConfidenceOn) {
  before_.Wait({"Shop.Program.Main", "Shop.Add"}, 2, 100'000'000);
  after_.Wait({"Shop.Program.Main", "Shop.Add"}, 4, 100'000'000);
  rules_.min_change_of_waits = 0.1;
  rules_.confidence = 0.5;
  const Comparison comparison = Compare(rules_);
  ASSERT_EQ(comparison.differences.size(), 1u);
  const double confidence = comparison.differences[0].confidence;
  ASSERT_GT(confidence, 0.5);
  ASSERT_LT(confidence, 0.9999);
  rules_.confidence = confidence - 1e-6;
  EXPECT_EQ(Reported(), 1u);
  rules_.confidence = confidence + 1e-6;
  EXPECT_EQ(Reported(), 0u);
}

// It falls by a fifth.
TEST_F(ComparisonRulesTest, AChangeIsADifferenceFromAShareOfWhatItWasOn) {
  using Change = void (*)(Side&, int);
  const Change changes[] = {[](Side& side, int a_second) {
                              side.Burn({"Shop.Main", "Shop.Parse"}, a_second);
                            },
                            [](Side& side, int a_second) {
                              side.Allocate({"Shop.Main", "Shop.Parse"}, "System.String", a_second);
                            },
                            [](Side& side, int a_second) {
                              side.Throw("Shop.Lost", {"Shop.Main", "Shop.Parse"}, a_second);
                            }};
  for (const Change change : changes) {
    before_ = {};
    after_ = {};
    change(before_, 1000);
    change(after_, 800);
    rules_.min_change = 0.15;
    EXPECT_EQ(Reported(), 1u);
    rules_.min_change = 0.2;
    EXPECT_EQ(Reported(), 0u);
  }
}

TEST_F(ComparisonRulesTest, AMethodIsADifferenceFromAShareOfTheWholeOn) {
  BurnBeside(30);
  after_.Burn({"Shop.Main", "Shop.Next"}, 10);  // a tenth of all
  rules_.min_share = 0.099;
  EXPECT_EQ(Reported(), 1u);
  rules_.min_share = 0.101;
  EXPECT_EQ(Reported(), 0u);
}

TEST_F(ComparisonRulesTest, AnExceptionIsADifferenceFromAShareOfTheWholeOn) {
  for (Side* side : {&before_, &after_}) side->Throw("Shop.Sold", {"Shop.Main", "Shop.Sell"}, 90);
  after_.Throw("Shop.Lost", {"Shop.Main", "Shop.Find"}, 10);
  rules_.min_share = 0.099;
  EXPECT_EQ(Reported(), 1u);
  rules_.min_share = 0.101;
  EXPECT_EQ(Reported(), 0u);
}

TEST_F(ComparisonRulesTest, CodeOfOthersIsADifferenceFromAShareOfItsOwnOn) {
  BurnBeside(30);
  after_.Burn({"System.Pool.Run", "System.Pool.Take"}, 10);
  rules_.min_share_of_others = 0.099;
  EXPECT_EQ(Reported(), 1u);
  rules_.min_share_of_others = 0.101;
  EXPECT_EQ(Reported(), 0u);
}

TEST_F(ComparisonRulesTest, AllocationsAreADifferenceFromAShareOfTheirOwnOn) {
  AllocateBeside(30);
  after_.Allocate({"Shop.Main", "Shop.Next"}, "System.String", 10);
  rules_.min_share_of_allocations = 0.099;
  EXPECT_EQ(Reported(), 1u);
  rules_.min_share_of_allocations = 0.101;
  EXPECT_EQ(Reported(), 0u);
}

TEST_F(ComparisonRulesTest, TheCalleeWithMostOfAMethodIsReportedWithIt) {
  BurnBeside(30);
  after_.Burn({"Shop.Main", "Shop.Find", "System.Regex.Scan"}, 30);
  after_.Burn({"Shop.Main", "Shop.Find"}, 10);
  const auto names_callee = [this] {
    const Comparison comparison = Compare(rules_);
    EXPECT_EQ(comparison.differences.at(0).subject, "Shop.Find");
    return comparison.differences.at(0).evidence.ends_with(", mostly in System.Regex.Scan");
  };
  rules_.much_of_callee = 0.749;
  EXPECT_TRUE(names_callee());
  rules_.much_of_callee = 0.751;
  EXPECT_FALSE(names_callee());
}

TEST_F(ComparisonRulesTest, TheTypeWithMostOfAChangeIsReportedWithItsMethod) {
  AllocateBeside(30);
  after_.Allocate({"Shop.Main", "Shop.Load"}, "Shop.Row", 30);
  after_.Allocate({"Shop.Main", "Shop.Load"}, "System.String", 10);
  const auto names_type = [this] {
    const Comparison comparison = Compare(rules_);
    EXPECT_EQ(comparison.differences.at(0).subject, "Shop.Load");
    return comparison.differences.at(0).evidence.ends_with(", of Shop.Row");
  };
  rules_.most_of_change = 0.749;
  EXPECT_TRUE(names_type());
  rules_.most_of_change = 0.751;
  EXPECT_FALSE(names_type());
}

TEST_F(ComparisonRulesTest, TheCompilersTimeIsANoteFromItsRulesOn) {
  BurnBeside(20);
  before_.Burn({"Shop.Main", "libclrjit.so!"}, 3);
  after_.Burn({"Shop.Main", "libclrjit.so!"}, 6);
  for (Side* side : {&before_, &after_}) NameRuntimeWork(side->model());
  const auto notes = [this] { return Compare(rules_).notes.size(); };
  rules_.compiling_factor = 1;
  rules_.much_compiling = 0.0599;
  EXPECT_EQ(notes(), 1u);
  rules_.much_compiling = 0.0601;
  EXPECT_EQ(notes(), 0u);
  rules_.much_compiling = 0;
  rules_.compiling_factor = 1.99;
  EXPECT_EQ(notes(), 1u);
  rules_.compiling_factor = 2.01;
  EXPECT_EQ(notes(), 0u);
}

TEST_F(ComparisonRulesTest, TheCompilersTimeIsADifferenceAtTheSameAge) {
  constexpr uint64_t kStart = 1'000'000'000'000;
  BurnBeside(20);
  before_.Burn({"Shop.Main", "libclrjit.so!"}, 2);
  after_.Burn({"Shop.Main", "libclrjit.so!"}, 40);
  for (Side* side : {&before_, &after_}) {
    NameRuntimeWork(side->model());
    side->model().facts.started_unix_ns = kStart;
    side->model().facts.process_started_unix_ns = kStart - 10 * uint64_t{Side::kSecond};
  }
  const auto title = [this] {
    const Comparison found = Compare(rules_);
    return found.differences.empty() ? "" : found.differences[0].title;
  };
  EXPECT_EQ(title(), "The JIT compiler uses 20.0 times the CPU time: 0.020 -> 0.40 cores");
  EXPECT_TRUE(Compare(rules_).notes.empty());
  rules_.sure_compiling_factor = 20.1;
  EXPECT_EQ(title(), "");
  EXPECT_EQ(Compare(rules_).notes.size(), 1u);  // may be chance
  rules_ = {};
  uint64_t& started = before_.model().facts.process_started_unix_ns;
  const auto older = static_cast<uint64_t>((rules_.same_age_seconds + 10) / (1 - rules_.same_age));
  started = kStart - (older - 1) * uint64_t{Side::kSecond};
  EXPECT_NE(title(), "");
  started = kStart - (older + 1) * uint64_t{Side::kSecond};
  EXPECT_EQ(title(), "");
  started = 0;  // unknown
  EXPECT_EQ(title(), "");
}

// A regular expression per request: the JIT's time by itself does not name the method.
TEST_F(ComparisonRulesTest, WhatKeepsTheCompilerBusyIsNamed) {
  constexpr uint64_t kStart = 10'000'000'000'000;
  for (Side* side : {&before_, &after_}) {
    side->Burn({"Shop.Main", "Shop.Rules.Check"}, 20);
    side->Burn({"Shop.Main", "Shop.Rules.Check", "libclrjit.so!"}, side == &before_ ? 1 : 40);
    NameRuntimeWork(side->model());
    side->model().facts.started_unix_ns = kStart;
    side->model().facts.process_started_unix_ns = kStart - 1000 * uint64_t{Side::kSecond};
  }
  std::vector<Difference> found = Compare(rules_).differences;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].title,
            "Shop.Rules.Check keeps the JIT compiler busy: 67 ±3 % of the CPU time");
  EXPECT_EQ(found[0].direction, Difference::Direction::kNew);
  EXPECT_TRUE(found[0].evidence.find("; with it, The JIT compiler uses 40.0 times") !=
              std::string::npos)
      << found[0].evidence;
  rules_.compiling_factor = 41;
  EXPECT_EQ(Compare(rules_).differences.size(), 0u);
}

TEST_F(ComparisonRulesTest, LevelsAtTheEndAreNotedAndMayBeADifference) {
  BurnBeside(20);
  const auto have = [](Side& side, uint64_t bytes, uint32_t files) {
    side.model().memory.clear();
    for (int64_t at = 0; at < Side::kLength; at += Side::kSecond) {
      side.model().memory.push_back(
          {.at_ns = at, .resident_bytes = bytes, .anonymous_bytes = bytes, .open_files = files});
    }
  };
  constexpr uint64_t kMiB = 1 << 20;
  have(before_, 40 * kMiB, 100);
  have(after_, 40 * kMiB, 100);
  EXPECT_TRUE(Compare(rules_).notes.empty());
  have(after_, 88 * kMiB, 200);
  const Comparison found = Compare(rules_);
  EXPECT_TRUE(found.differences.empty());
  EXPECT_EQ(found.notes.size(), 2u);
  EXPECT_EQ(found.perhaps,
            "At the end the process has 2.2 times the memory of its own: 40.0 MiB -> 88.0 MiB");
  rules_.level_factor = 2.21;
  EXPECT_TRUE(Compare(rules_).notes.empty());
  rules_ = {};
  have(after_, 88 * kMiB - 1, 199);  // too little more
  EXPECT_TRUE(Compare(rules_).notes.empty());
  EXPECT_EQ(Compare(rules_).perhaps, "");
}

// Memory that no snapshot shows is compared without one.
TEST_F(ComparisonRulesTest, MemoryThatGrowsIsAStateOfItsRecording) {
  BurnBeside(20);
  after_.model().facts.allocations_on = true;
  for (int64_t i = 0; i < Side::kLength / Side::kSecond; ++i) {
    after_.model().memory.push_back({.at_ns = i * Side::kSecond,
                                     .resident_bytes = uint64_t{1} << 30,
                                     .anonymous_bytes = static_cast<uint64_t>(i + 1) << 26});
  }
  const Comparison found = Compare(rules_);
  ASSERT_EQ(found.differences.size(), 1u);
  EXPECT_TRUE(found.differences[0].title.starts_with("Memory outside of the managed heap grows by"))
      << found.differences[0].title;
}

TEST_F(ComparisonRulesTest, OtherSettingsOfTheRuntimeAreNoted) {
  BurnBeside(20);
  const auto collect = [](Side& side, uint32_t heaps) {
    side.model().collections.rows.assign(1, CollectionRow{});
    side.model().collections.rows[0].detailed = true;
    side.model().collections.rows[0].heaps = heaps;
  };
  collect(before_, 1);
  collect(after_, 8);
  using Notes = std::vector<std::string>;
  EXPECT_EQ(Compare(rules_).notes, Notes{});  // the threads of Server GC may not have been seen
  for (Side* side : {&before_, &after_}) {
    side->model().facts.cpu_on = true;
    side->Pause(1, 10'000'000);  // 240 ms in all
  }
  EXPECT_EQ(Compare(rules_).notes,
            Notes{"The garbage collectors differ: Workstation GC and Server GC."});
  // From .NET 9 on, Server GC begins with one heap.
  collect(after_, 1);
  EXPECT_EQ(Compare(rules_).notes, Notes{});
  ThreadInfo collector;
  collector.name = after_.model().dictionaries.AddString(".NET Server GC");
  after_.model().threads.push_back(collector);
  EXPECT_EQ(Compare(rules_).notes,
            Notes{"The garbage collectors differ: Workstation GC and Server GC."});
  collect(before_, 0);  // unknown
  EXPECT_EQ(Compare(rules_).notes, Notes{});
  before_.model().facts.runtime_settings = {"DOTNET_RichDebugInfo=1", "DOTNET_TieredPGO=0"};
  EXPECT_EQ(Compare(rules_).notes,
            Notes{"Settings of the runtime differ: DOTNET_TieredPGO=0 and none."});
  after_.model().facts.runtime_settings = {"DOTNET_TieredPGO=0", "DOTNET_gcServer=1"};
  EXPECT_EQ(Compare(rules_).notes,
            Notes{"Settings of the runtime differ: none and DOTNET_gcServer=1."});
  after_.model().facts.runtime_settings = {"DOTNET_TieredPGO=0"};
  EXPECT_EQ(Compare(rules_).notes, Notes{});
}

TEST_F(ComparisonRulesTest, WaitsAreADifferenceFromTheirRulesOn) {
  const auto reported = [this](const ComparisonRules& rules) {
    return Compare(rules).differences.size();
  };
  before_.model().facts.locks_on = true;
  after_.Wait({"Shop.Program.Main", "Shop.Add"}, 100, 1'000'000);  // a tenth of a thread
  ComparisonRules rules;
  rules.min_waiting = 0.099;
  EXPECT_EQ(reported(rules), 1u);
  rules.min_waiting = 0.101;
  EXPECT_EQ(reported(rules), 0u);

  before_.Wait({"Shop.Program.Main", "Shop.Add"}, 100, 500'000);
  rules = {};
  rules.min_waiting = 0.04;
  rules.min_change_of_waits = 0.4;
  EXPECT_EQ(reported(rules), 1u);
  rules.min_change_of_waits = 0.5;  // this much is left if it falls by half again
  EXPECT_EQ(reported(rules), 0u);
}

TEST_F(ComparisonRulesTest, PausesAreADifferenceFromAShareOfTheTimeOn) {
  for (Side* side : {&before_, &after_}) side->model().facts.gc_on = true;
  after_.Pause(10, 1'000'000);  // a hundredth of the time
  rules_.min_pauses = 0.0099;
  EXPECT_EQ(Reported(), 1u);
  rules_.min_pauses = 0.0101;
  EXPECT_EQ(Reported(), 0u);
}

TEST_F(ComparisonRulesTest, StartedThreadsAreADifferenceFromSoManyASecondOn) {
  after_.Start("Shop.Program.Main", 1);
  rules_.min_started_threads = 0.99;
  EXPECT_EQ(Reported(), 1u);
  rules_.min_started_threads = 1.01;
  EXPECT_EQ(Reported(), 0u);
}

TEST_F(ComparisonRulesTest, ARecordingIsShortBelowSoManySeconds) {
  before_.Burn({"Shop.Program.Main"}, 10);
  after_.Burn({"Shop.Program.Main"}, 10);
  const auto notes = [this](double seconds) {
    ComparisonRules rules;
    rules.short_seconds = seconds;
    return Compare(rules).notes.size();
  };
  const double length = static_cast<double>(Side::kLength) / 1e9;
  EXPECT_EQ(notes(length), 0u);
  EXPECT_EQ(notes(length * 1.001), 2u);
}

// As a percentage of the old value: what all methods changed by is a note, and then a difference.
TEST_F(ComparisonRulesTest, WhatAllMethodsShareIsReportedFromItsFactorsOn) {
  const auto compare = [](int hundredths) {
    Side before, after;
    for (Side* side : {&before, &after}) {
      for (const char* method : {"Shop.A", "Shop.B", "Shop.C", "Shop.D"}) {
        side->Burn({"Shop.Main", method}, side == &before ? 100 : hundredths);
        side->Allocate({"Shop.Main", method}, "System.String", 20);
      }
    }
    const Reports old_reports = before.Analyze(), new_reports = after.Analyze();
    return analyzer::Compare(old_reports, new_reports);
  };
  const ComparisonRules rules;
  const int noted = static_cast<int>(rules.noted_factor * 100);
  const int reported = static_cast<int>(rules.common_factor * 100);
  EXPECT_TRUE(compare(noted - 1).notes.empty());
  EXPECT_EQ(compare(noted + 1).notes.size(), 1u);
  EXPECT_TRUE(compare(reported - 1).is_empty());
  EXPECT_EQ(compare(reported - 1).notes.size(), 1u);
  EXPECT_EQ(compare(reported + 1).differences.size(), 1u);
}

// The same CPU time for fewer requests.
TEST_F(ComparisonRulesTest, MorePerRequestMayBeAFixedCostFromAFactorOfTheLoadOn) {
  const auto compare = [](uint64_t requests_before) {
    Side before, after;
    for (Side* side : {&before, &after}) {
      for (const char* method : {"Shop.A", "Shop.B", "Shop.C", "Shop.D"}) {
        side->Burn({"Shop.Main", method}, 100);
      }
      side->model().requests.finished = side == &before ? requests_before : 1000;
    }
    const Reports old_reports = before.Analyze(), new_reports = after.Analyze();
    return analyzer::Compare(old_reports, new_reports, {.per = Per::kRequest});
  };
  const auto limit = static_cast<uint64_t>(1000 * ComparisonRules().other_load);
  EXPECT_EQ(compare(limit - 1).differences.size(), 1u);
  EXPECT_TRUE(compare(limit).is_empty());
}

// What remains of a change next to what moved the other way.
TEST_F(ComparisonRulesTest, AChangeIsMovedUpToAShareOfIt) {
  const auto reported = [](int from_caller, int is_left) {
    Side before, after;
    for (Side* side : {&before, &after}) {
      for (const char* method : {"Shop.A", "Shop.B", "Shop.C"}) {
        side->Burn({"Shop.Main", method}, 100);
      }
      const int own = side == &before ? 0 : from_caller + is_left;
      side->Burn({"Shop.Main", "Shop.Sum"}, side == &before ? 100 : 100 - from_caller);
      if (own > 0) side->Burn({"Shop.Main", "Shop.Sum", "Shop.Next"}, own);
    }
    const Reports old_reports = before.Analyze(), new_reports = after.Analyze();
    return analyzer::Compare(old_reports, new_reports).differences.at(0).subject;
  };
  EXPECT_EQ(reported(71, 29), "Shop.Sum");  // including everything that it calls
  EXPECT_EQ(reported(69, 31), "Shop.Next");
}

// A whole process counts as this much; in a busy one, a change counts by its share.
TEST_F(ComparisonRulesTest, SignalsAreWeighedByWhatIsAllOfAProcess) {
  const auto impact = [this] { return Compare(rules_).differences.at(0).impact; };
  WeightRules& weights = rules_.weights;
  after_.Burn({"Shop.Main", "Shop.Parse"}, 100);  // a core
  weights.busy_cores = 0.99;
  EXPECT_DOUBLE_EQ(impact(), 1);
  weights.busy_cores = 2;
  EXPECT_NEAR(impact(), 0.5, 1e-9);

  after_ = {};
  after_.Throw("Shop.Lost", {"Shop.Main", "Shop.Find"}, 100);
  weights.busy_throws = 99;
  EXPECT_DOUBLE_EQ(impact(), 1);
  weights.busy_throws = 200;
  EXPECT_NEAR(impact(), 0.5, 1e-9);

  after_ = {};
  after_.Start("Shop.Program.Main", 1);
  weights.half_the_threads = 24;  // as many as were started
  EXPECT_NEAR(impact(), 0.5, 1e-9);
  weights.half_the_threads = 72;
  EXPECT_NEAR(impact(), 0.25, 1e-9);

  after_ = {};
  after_.Allocate({"Shop.Main", "Shop.Load"}, "Shop.Row", 100);
  weights.busy_bytes = 1;
  EXPECT_DOUBLE_EQ(impact(), 1);
  const double bytes = Compare(rules_).differences.at(0).after;  // a second
  weights.busy_bytes = bytes * 0.99;
  EXPECT_DOUBLE_EQ(impact(), 1);
  weights.busy_bytes = bytes * 2;
  EXPECT_NEAR(impact(), 0.5, 1e-9);
}

// Workers of a pool block on tasks, and work stands still for nearly half of the time.
TEST_F(ComparisonRulesTest, AStateWeighsSoMuchAtLeastAndIsAsSureAsItsRule) {
  for (Side* side : {&before_, &after_}) side->model().facts.locks_on = true;
  Waits& before = before_.model().waits;
  Waits& after = after_.model().waits;
  before.samples = after.samples = {{.workers = 2, .completed = 1},
                                    {.at_ns = Side::kLength / 2, .workers = 2, .completed = 2}};
  after.samples.back().queue_length = 5;
  PoolAdjustmentInfo added;
  added.reason = PoolAdjustmentInfo::Reason::kCooperativeBlocking;
  after.adjustments.assign(PoolRules{}.many_blocked, added);
  const auto reported = [this] {
    Comparison comparison = Compare(rules_);
    EXPECT_EQ(comparison.differences.size(), 1u);
    return comparison.differences.empty() ? Difference() : comparison.differences.front();
  };
  rules_.weights.state = 0;
  const double own = reported().impact;
  EXPECT_GT(own, 0.4);
  EXPECT_LT(own, 0.5);
  rules_.weights.state = own - 0.01;
  EXPECT_DOUBLE_EQ(reported().impact, own);
  rules_.weights.state = own + 0.01;
  EXPECT_DOUBLE_EQ(reported().impact, own + 0.01);
  for (const double confidence : {0.8, 0.9}) {
    rules_.confidence_of_finding = confidence;
    EXPECT_DOUBLE_EQ(reported().confidence, confidence);
  }
}

}  // namespace
}  // namespace hindsight::analyzer
