// Several snapshots of one process: growth makes a suspect, constancy clears it.
#include "analyzer/analyses/heap/leak_series.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/analyzer/leak_heaps.h"

namespace hindsight::analyzer {
namespace {

constexpr uint64_t kMinuteNs = 60'000'000'000;

enum class Held {
  kByList,
  kByListOfFrameworks,
  kByListOfLibrary,
  kByHandles,
  kByTimers,
  kAsTimeouts,
  kAsDelays
};

// Adds timers that call each of the objects later: the first `soon` in one list, the others in
// another one.
void AddTimers(HeapBuilder& heap, const std::vector<ObjectId>& objects, size_t soon,
               bool are_timeouts) {
  const ClassIndex timer =
      heap.Class("System.Threading.TimerQueueTimer", {"_next", "_callback", "_state"});
  const ClassIndex call = heap.Class("System.Threading.TimerCallback", {"_target"});
  ObjectId before = kNoObject;
  for (size_t i = 0; i < objects.size(); ++i) {
    const ObjectId one = heap.Add(timer);
    if (are_timeouts) {
      heap.Refer(one, "_state", objects[i]);
    } else {
      const ObjectId callback = heap.Add(call);
      heap.Refer(one, "_callback", callback);
      heap.Refer(callback, "_target", objects[i]);
    }
    if (i == 0 || i == soon) {
      heap.Static("System.Threading.TimerQueue", i < soon ? "soon_" : "later_", one);
    } else {
      heap.Refer(before, "_next", one);
    }
    before = one;
  }
}

TypeId OfLibrary(HeapBuilder& heap, std::string_view name) {
  Module module;
  module.assembly = heap.dictionaries().AddString("Orders");
  module.path = heap.dictionaries().AddString("/home/ann/.nuget/packages/orders/1.0/Orders.dll");
  Type type;
  type.name = heap.dictionaries().AddString(name);
  type.module = heap.dictionaries().AddModule(std::move(module));
  return heap.dictionaries().AddType(type);
}

// What is found in the last of `count` snapshots, which are a minute apart. `add(heap, i)` makes
// the i-th one, next to 4 MiB of other things.
template <typename Add>
Looked LookAtLast(size_t count, const Add& add, const SeriesRules& rules = {}) {
  std::vector<HeapSummary> heaps;
  Looked last;
  HeapDiff diff;
  for (size_t i = 0; i < count; ++i) {
    HeapBuilder heap;
    heap.facts().unix_ns = (i + 1) * kMinuteNs;
    AddBuffers(heap);
    add(heap, i);
    last.model = heap.Build();
    last.names = std::make_unique<SlotNames>(*last.model);
    const Dominators dominators = ComputeDominators(last.model->graph);
    const DominatorTree tree(dominators);
    const RootPaths paths(last.model->graph);
    HeapPaths folded;
    const bool is_last = i + 1 == count;
    if (is_last) last.report = AnalyzeLeaks(*last.model, *last.names, paths, dominators, tree);
    heaps.push_back(SummarizeHeap(*last.model, *last.names, paths, dominators, tree, &folded,
                                  SuspectObjects(last.report)));
    if (!is_last) continue;
    if (heaps.size() > 1) diff = CompareHeaps(heaps, *last.model, *last.names, paths, folded);
    JudgeSeries(heaps, *last.model, *last.names, diff, folded, last.report, rules);
  }
  return last;
}

// What is found in the last of several snapshots with this many Shop.Order, of 1000 bytes, in a
// static list; or held by handles, or timers. `others`: this many more Shop.Order, held by another
// static or, as for timers, by another queue.
Looked Series(const std::vector<uint32_t>& counts, const SeriesRules& rules = {},
              Held held = Held::kByList, const std::vector<uint32_t>& others = {}) {
  const auto add = [&](HeapBuilder& heap, size_t i) {
    const TypeId order = held == Held::kByListOfLibrary ? OfLibrary(heap, "Shop.Order")
                         : held == Held::kAsDelays
                             ? heap.Type("System.Threading.Tasks.Task+DelayPromise")
                         : held == Held::kAsTimeouts || held == Held::kByListOfFrameworks
                             ? heap.Type("System.Threading.CancellationTokenSource")
                             : heap.Type("Shop.Order");
    const ClassIndex type = heap.Class(order, {}, 1000);
    std::vector<ObjectId> orders = AddMany(heap, type, counts[i]);
    const std::vector<ObjectId> more = AddMany(heap, type, i < others.size() ? others[i] : 0);
    if (held <= Held::kByListOfLibrary) {
      heap.Static("Shop.Program", "done_", AddList(heap, "Shop.Order", orders).list);
    } else if (held == Held::kByTimers || held >= Held::kAsTimeouts) {
      orders.insert(orders.begin(), more.begin(), more.end());
      AddTimers(heap, orders, more.size(), held != Held::kByTimers);
    } else {
      for (const ObjectId order : orders) heap.Root(order);
    }
    if (i < others.size() && held == Held::kByList) {
      heap.Static("Shop.Program", "open_", AddList(heap, "Shop.Order", more).list);
    }
  };
  return LookAtLast(counts.size(), add, rules);
}

TEST(LeakSeries, GrowthMakesASuspectHoweverFew) {
  const Looked looked = Series({100, 400, 700});
  ASSERT_EQ(looked.report.suspects.size(), 1u);
  const LeakSuspect& suspect = looked.report.suspects[0];
  EXPECT_EQ(looked.Type(suspect.type), "Shop.Order");
  EXPECT_EQ(suspect.confidence, LeakConfidence::kHigh);
  EXPECT_EQ(suspect.count, 700u);
  EXPECT_EQ(SeriesSentence(suspect), "Over 3 snapshots: 100 -> 400 -> 700 objects.");
  EXPECT_EQ(looked.Parts(suspect.path).front(), "static Shop.Program.done_");
}

TEST(LeakSeries, TwoSnapshotsShowNoTrend) {
  EXPECT_TRUE(Series({100, 700}).report.suspects.empty());
  const Looked many = Series({1000, 2000});
  ASSERT_EQ(many.report.suspects.size(), 1u);
  EXPECT_EQ(SeriesSentence(many.report.suspects[0]),
            "Two snapshots show a difference, but no trend: 1,000 -> 2,000 objects.");
  EXPECT_NE(many.report.suspects[0].confidence, LeakConfidence::kLow);
}

// What holds them may change; if it now holds all of them, those of before count.
TEST(LeakSeries, ThoseThatWereHeldInAnotherWayCount) {
  const Looked looked = Series({0, 2000}, {}, Held::kByList, {300, 0});
  ASSERT_EQ(looked.report.suspects.size(), 1u);
  EXPECT_EQ(SeriesSentence(looked.report.suspects[0]),
            "Two snapshots show a difference, but no trend: 300 -> 2,000 objects.");
}

// However little it is: it grows until the DbContext ends.
TEST(LeakSeries, WhatADbContextTracksIsLargeIfItGrows) {
  const std::vector<uint32_t> counts = {200, 500, 800};
  const auto add = [&](HeapBuilder& heap, size_t i) {
    const std::string tracking = "Microsoft.EntityFrameworkCore.ChangeTracking.Internal.";
    const ObjectId context = heap.Add(heap.Class("Shop.Orders", {"_tracker"}));
    const ObjectId tracker = heap.Add(heap.Class(tracking + "StateManager", {"_entries"}));
    const ObjectId entries = heap.Add(heap.Array(tracking + "InternalEntityEntry"), 1000);
    heap.Static("Shop.Program", "orders_", context);
    heap.Refer(context, "_tracker", tracker);
    heap.Refer(tracker, "_entries", entries);
    const ClassIndex entry = heap.Class(tracking + "InternalEntityEntry", {}, 200);
    for (uint64_t at = 0; at < counts[i]; ++at) heap.Refer(entries, at, heap.Add(entry));
  };
  const Looked last = LookAtLast(counts.size(), add);
  ASSERT_EQ(last.report.suspects.size(), 1u);
  EXPECT_EQ(last.report.suspects[0].kind_name, "change tracker");
  EXPECT_EQ(last.report.suspects[0].confidence, LeakConfidence::kLow);
  EXPECT_EQ(SeriesSentence(last.report.suspects[0]),
            "Over 3 snapshots: 200 -> 500 -> 800 objects.");
}

TEST(LeakSeries, TimeoutsAreALeakOnceThereAreTwiceAsMany) {
  for (const Held held : {Held::kAsTimeouts, Held::kAsDelays}) {
    for (const uint32_t last : {3998, 4000}) {
      const Looked looked = Series({2000, 3000, last}, {}, held);
      ASSERT_EQ(looked.report.suspects.size(), 1u);
      EXPECT_EQ(looked.report.suspects[0].kind_name, "timeouts");
      EXPECT_EQ(looked.report.suspects[0].confidence,
                last == 4000 ? LeakConfidence::kMedium : LeakConfidence::kLow);
    }
  }
  EXPECT_TRUE(Series({4000, 4000, 4000}, {}, Held::kAsTimeouts).report.suspects.empty());
  EXPECT_TRUE(Series({2000, 4000}, {}, Held::kAsTimeouts).report.suspects.at(0).may_grow);
  EXPECT_FALSE(Series({2000, 3998}, {}, Held::kAsTimeouts).report.suspects.at(0).may_grow);
  EXPECT_FALSE(Series({2000, 4000}).report.suspects.at(0).may_grow);
}

TEST(LeakSeries, MuchOfTheHeapMayGrowIfTwoSnapshotsShowSo) {
  const auto may_grow = [](uint32_t last, Held held, double much_of_heap = 0.3) {
    const Looked looked = Series({2000, last}, {.much_of_heap = much_of_heap}, held);
    return looked.report.suspects.at(0).may_grow;
  };
  EXPECT_TRUE(may_grow(2600, Held::kByList));
  EXPECT_FALSE(may_grow(2599, Held::kByList));
  EXPECT_FALSE(may_grow(2600, Held::kByList, 0.5));
  EXPECT_TRUE(may_grow(2400, Held::kAsTimeouts));
  EXPECT_FALSE(may_grow(2399, Held::kAsTimeouts));
}

// As registrations of a long-lived token: of your code, but none of your types.
TEST(LeakSeries, AFrameworksOwnObjectsAreLargeIfTheyGrowInTheEndAsBefore) {
  const auto found = [](const std::vector<uint32_t>& counts) {
    return Series(counts, {.min_growth = 0.01}, Held::kByListOfFrameworks).report.suspects;
  };
  const std::vector<LeakSuspect> growing = found({300, 500, 700});
  ASSERT_EQ(growing.size(), 1u);
  EXPECT_EQ(growing[0].kind_name, kGrowingHeap);
  EXPECT_EQ(growing[0].confidence, LeakConfidence::kLow);
  EXPECT_EQ(SeriesSentence(growing[0]), "Over 3 snapshots: 300 -> 500 -> 700 objects.");
  EXPECT_EQ(found({300, 580, 700}).size(), 1u);  // 120 of 200 a minute
  EXPECT_TRUE(found({300, 581, 700}).empty());   // a cache that fills up
  EXPECT_EQ(found({500, 600, 700}).size(), 1u);
  EXPECT_TRUE(found({501, 600, 700}).empty());
}

// The runtime moves timers between its queues.
TEST(LeakSeries, TimersInSeveralQueuesAreCountedTogether) {
  const std::vector<uint32_t> late = {500, 1500, 2100}, soon = {1500, 1000, 700};
  const Looked looked = Series(late, {}, Held::kByTimers, soon);
  ASSERT_EQ(looked.report.suspects.size(), 1u);
  EXPECT_EQ(looked.report.suspects[0].count, 2800u);
  EXPECT_EQ(SeriesSentence(looked.report.suspects[0]),
            "Over 3 snapshots: 2,000 -> 2,500 -> 2,800 objects.");
}

// A table that was loaded once.
TEST(LeakSeries, ACollectionThatDidNotGrowBetweenTwoSnapshotsIsOnlyLarge) {
  for (const uint32_t before : {2000, 2001}) {
    const Looked looked = Series({before, 2000});
    ASSERT_EQ(looked.report.suspects.size(), 1u);
    EXPECT_EQ(looked.report.suspects[0].confidence, LeakConfidence::kLow);
    EXPECT_TRUE(SeriesSentence(looked.report.suspects[0])
                    .starts_with("It did not grow between the two snapshots: "));
  }
  EXPECT_NE(Series({1999, 2000}).report.suspects.at(0).confidence, LeakConfidence::kLow);
}

// Handlers, timers and handles that stay as many may all be in use, unless they are much of the
// heap.
TEST(LeakSeries, WhatHealthyProgramsDoNotAccumulateIsALeakWithoutGrowthOnlyIfItIsMuch) {
  const auto confidence = [](uint32_t first, uint32_t last) {
    return Series({first, last}, {}, Held::kByHandles).report.suspects.at(0).confidence;
  };
  EXPECT_NE(confidence(2000, 2000), LeakConfidence::kLow);  // a third of the heap
  EXPECT_EQ(confidence(1000, 1000), LeakConfidence::kLow);  // a fifth
  EXPECT_NE(confidence(999, 1000), LeakConfidence::kLow);
}

TEST(LeakSeries, OneSnapshotIsReportedAsOne) {
  const Looked looked = Series({2000});
  ASSERT_EQ(looked.report.suspects.size(), 1u);
  EXPECT_EQ(SeriesSentence(looked.report.suspects[0]),
            "One snapshot cannot show whether their number grows.");
}

TEST(LeakSeries, ConstancyClears) {
  const Looked looked = Series({2000, 2100, 2090});
  EXPECT_TRUE(looked.report.suspects.empty());
  ASSERT_FALSE(looked.report.cleared.empty());
  EXPECT_EQ(looked.report.cleared.back().reason,
            "no growth: 2,000 -> 2,100 -> 2,090 in the snapshots");
  EXPECT_TRUE(Series({2000, 2000, 2200}).report.suspects.empty());
  EXPECT_EQ(Series({2000, 2000, 2201}).report.suspects.size(), 1u);
}

// A hundredth in two minutes, and never less than before.
TEST(LeakSeries, ASlowLeakIsNotCleared) {
  const Looked slow = Series({2000, 2010, 2020});
  ASSERT_EQ(slow.report.suspects.size(), 1u);
  EXPECT_NE(slow.report.suspects[0].confidence, LeakConfidence::kLow);
  EXPECT_EQ(SeriesSentence(slow.report.suspects[0]),
            "Over 3 snapshots: 2,000 -> 2,010 -> 2,020 objects.");
  EXPECT_TRUE(Series({2000, 2010, 2019}).report.suspects.empty());
  EXPECT_TRUE(Series({2000, 2020, 2020}).report.suspects.empty());
}

TEST(LeakSeries, AShortSeriesHasNotSeenSlowGrowth) {
  SeriesRules rules;
  rules.min_series_ns = 2 * kMinuteNs;
  EXPECT_EQ(SeriesLimit(Series({2000, 2000, 2000}, rules).report, rules), "");
  rules.min_series_ns = 2 * kMinuteNs + 1;
  const Looked constant = Series({2000, 2000, 2000}, rules);
  EXPECT_EQ(constant.report.cleared.back().reason,
            "no growth seen in 2 m 00 s: 2,000 -> 2,000 -> 2,000 in the snapshots");
  EXPECT_EQ(SeriesLimit(constant.report, rules),
            "The snapshots are of 2 m 00 s: what grows slowly was not seen.");
  const Looked slow = Series({2000, 2010, 2020}, rules);
  ASSERT_EQ(slow.report.suspects.size(), 1u);
  EXPECT_EQ(slow.report.suspects[0].confidence, LeakConfidence::kLow);
  // Large growth does not need a longer time.
  EXPECT_EQ(Series({2000, 2500, 3000}, rules).report.suspects.at(0).confidence,
            LeakConfidence::kHigh);
}

// A library's own objects that it keeps for a while grow like a leak. Enough of them are one all
// the same, and so are those that grow for longer; your own objects need neither.
TEST(LeakSeries, ALittleOfALibrarysOwnSaysLittleInAShortTime) {
  SeriesRules rules;
  rules.min_series_ns = 2 * kMinuteNs + 1;
  const auto confidence = [&rules](Held held) {
    return Series({100, 400, 700}, rules, held).report.suspects.at(0).confidence;
  };
  EXPECT_EQ(confidence(Held::kByList), LeakConfidence::kHigh);
  EXPECT_EQ(confidence(Held::kByListOfLibrary), LeakConfidence::kLow);
  rules.min_bytes_of_others = 600'000;  // and the list, which grew as well
  EXPECT_EQ(confidence(Held::kByListOfLibrary), LeakConfidence::kHigh);
  rules = {.min_series_ns = 2 * kMinuteNs};
  EXPECT_EQ(confidence(Held::kByListOfLibrary), LeakConfidence::kHigh);
}

// Of one type, the objects that one static holds grow; those that the other one holds do not.
TEST(LeakSeries, GrowthIsCountedWhereItHappens) {
  const Looked looked = Series({2000, 2400, 2800}, {}, Held::kByList, {4000, 4000, 4000});
  ASSERT_EQ(looked.report.suspects.size(), 1u);
  EXPECT_EQ(looked.Parts(looked.report.suspects[0].path).front(), "static Shop.Program.done_");
  EXPECT_EQ(SeriesSentence(looked.report.suspects[0]),
            "Over 3 snapshots: 2,000 -> 2,400 -> 2,800 objects.");
  ASSERT_FALSE(looked.report.cleared.empty());
  EXPECT_EQ(looked.report.cleared.back().reason,
            "no growth: 4,000 -> 4,000 -> 4,000 in the snapshots");
}

TEST(LeakSeries, ASpikeThatGoesDownIsNone) {
  EXPECT_EQ(Series({1000, 4000, 3600}).report.suspects.size(), 1u);  // a tenth is noise
  EXPECT_TRUE(Series({1000, 4000, 3599}).report.suspects.empty());
}

TEST(LeakSeries, TheRulesHoldAtTheirEdges) {
  SeriesRules rules;
  rules.min_objects = 600;
  EXPECT_EQ(Series({100, 400, 700}, rules).report.suspects.size(), 1u);
  rules.min_objects = 601;
  EXPECT_TRUE(Series({100, 400, 700}, rules).report.suspects.empty());
  rules = {};
  // 4 MiB and some: 0.08 of the first heap is between 340 and 350 of them.
  EXPECT_TRUE(Series({100, 270, 440}).report.suspects.empty());
  EXPECT_EQ(Series({100, 275, 460}).report.suspects.size(), 1u);
  rules.min_share = 0.14;  // 700 of them are 14.3 %
  EXPECT_EQ(Series({100, 400, 700}, rules).report.suspects.size(), 1u);
  rules.min_share = 0.15;
  EXPECT_TRUE(Series({100, 400, 700}, rules).report.suspects.empty());
}

// Healthy programs do not accumulate them.
TEST(LeakSeries, TimersAndHandlesNeedGrowLess) {
  for (const Held held : {Held::kByHandles, Held::kByTimers}) {
    // 0.04 of the first heap are between 170 and 190 of them.
    EXPECT_TRUE(Series({100, 180, 260}, {}, held).report.suspects.empty());
    const Looked looked = Series({100, 200, 295}, {}, held);
    ASSERT_EQ(looked.report.suspects.size(), 1u);
    EXPECT_EQ(looked.report.suspects[0].kind_name, held == Held::kByHandles ? "handles" : "timers");
    EXPECT_EQ(looked.Type(looked.report.suspects[0].type), "Shop.Order");
    EXPECT_EQ(looked.report.snapshots, 3u);
  }
  EXPECT_TRUE(Series({100, 200, 295}).report.suspects.empty());
}

TEST(LeakSeries, WhatIsASuspectByItsSizeNeedOnlyGrow) {
  const auto confidence = [](uint32_t last) {
    return Series({2000, 2200, last}).report.suspects.at(0).confidence;
  };
  EXPECT_EQ(confidence(2400), LeakConfidence::kHigh);
  EXPECT_EQ(confidence(2399), LeakConfidence::kMedium);
}

TEST(LeakSeries, WhatCameBetweenTheLastTwoSnapshotsIsNoTrend) {
  EXPECT_TRUE(Series({0, 0, 700}).report.suspects.empty());
  const Looked jump = Series({1000, 1099, 2000});
  ASSERT_EQ(jump.report.suspects.size(), 1u);
  EXPECT_EQ(jump.report.suspects[0].confidence, LeakConfidence::kLow);
  EXPECT_TRUE(jump.report.suspects[0].came_at_last);
  const Looked growth = Series({1000, 1100, 2000});
  ASSERT_EQ(growth.report.suspects.size(), 1u);
  EXPECT_FALSE(growth.report.suspects[0].came_at_last);
}

}  // namespace
}  // namespace hindsight::analyzer
