// Timers that leak are named with what they call.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzer/analyses/heap/leaks.h"
#include "tests/unit/analyzer/leak_heaps.h"

namespace hindsight::analyzer {
namespace {

TEST(Leaks, TimersAreNamedWithWhatTheyCall) {
  HeapBuilder heap;
  AddBuffers(heap);
  const ClassIndex queue = heap.Class("System.Threading.TimerQueue", {"_longTimers"});
  const ClassIndex timer =
      heap.Class("System.Threading.TimerQueueTimer", {"_next", "_prev", "_timerCallback"});
  const ClassIndex callback = Delegate(heap, "System.Threading.TimerCallback");
  const ClassIndex session = heap.Class("Shop.Session", {}, 1000);
  const ObjectId top = heap.Add(queue);
  ObjectId before = kNoObject;
  for (uint32_t i = 0; i < kPlenty; ++i) {
    const ObjectId one = heap.Add(timer), call = heap.Add(callback);
    heap.Refer(one, "_timerCallback", call);
    heap.Refer(call, "_target", heap.Add(session));
    if (before == kNoObject) {
      heap.Refer(top, "_longTimers", one);
    } else {
      heap.Refer(before, "_next", one);
      heap.Refer(one, "_prev", before);
    }
    before = one;
  }
  const ObjectId queues = heap.Add(heap.Array("System.Threading.TimerQueue"), 1);
  heap.Refer(queues, uint64_t{0}, top);
  heap.Static("System.Threading.TimerQueue", "Instances", queues);
  const Looked looked = Look(heap);
  ASSERT_EQ(looked.report.suspects.size(), 1u);
  const LeakSuspect& suspect = looked.report.suspects[0];
  EXPECT_EQ(suspect.kind_name, "timers");
  EXPECT_EQ(suspect.confidence, LeakConfidence::kHigh);
  EXPECT_EQ(suspect.count, kPlenty);
  EXPECT_EQ(looked.Type(suspect.type), "Shop.Session");
  std::vector<std::string> fields;
  for (const OwnerStep& step : suspect.path.steps) {
    fields.push_back(DescribeStep(*looked.model, *looked.names, step).field);
  }
  EXPECT_EQ(fields,
            (std::vector<std::string>{"System.Threading.TimerQueue.Instances", "[]", "._longTimers",
                                      "._next", "._timerCallback", "._target"}));
}

// System.Timers.Timer calls through an event of its own, beside which it has the runtime's timer.
TEST(Leaks, TimersWithAnEventAreNamedWithWhatThatCalls) {
  HeapBuilder heap;
  AddBuffers(heap);
  const ClassIndex queued = heap.Class("System.Threading.TimerQueueTimer", {"_timerCallback"});
  const ClassIndex callback = Delegate(heap, "System.Threading.TimerCallback");
  const ClassIndex timer = heap.Class("System.Timers.Timer", {"_onIntervalElapsed", "_timer"});
  const ClassIndex inner = heap.Class("System.Threading.Timer", {}, 1000);
  const ClassIndex handler = Delegate(heap, "System.Timers.ElapsedEventHandler");
  const ClassIndex session = heap.Class("Shop.Session", {}, 1000);
  const ObjectId shared = heap.Add(session);  // most targets are held by nothing else, but not all
  heap.Static("Shop.Program", "first_", shared);
  const ObjectId array = heap.Add(heap.Array("System.Threading.TimerQueueTimer"), kPlenty);
  for (uint32_t i = 0; i < kPlenty; ++i) {
    const ObjectId one = heap.Add(queued), call = heap.Add(callback), outer = heap.Add(timer),
                   event = heap.Add(handler);
    heap.Refer(one, "_timerCallback", call);
    heap.Refer(call, "_target", outer);
    heap.Refer(outer, "_onIntervalElapsed", event);
    heap.Refer(outer, "_timer", heap.Add(inner));
    heap.Refer(event, "_target", i == 0 ? shared : heap.Add(session));
    heap.Refer(array, i, one);
  }
  heap.Static("System.Threading.TimerQueue", "all_", array);
  const Looked looked = Look(heap);
  ASSERT_EQ(looked.report.suspects.size(), 1u);
  EXPECT_EQ(looked.report.suspects[0].kind_name, "timers");
  EXPECT_EQ(looked.report.suspects[0].count, kPlenty);
  EXPECT_EQ(looked.Type(looked.report.suspects[0].type), "Shop.Session");
}

// A CancellationTokenSource with a time that nobody disposed: the runtime's own, but yours to keep
// few. Many may be pending at once, so that alone is no leak.
TEST(Leaks, TimeoutsAreLargeAtMost) {
  HeapBuilder heap;
  AddBuffers(heap);
  const ClassIndex timer = heap.Class("System.Threading.TimerQueueTimer", {"_next", "_state"}, 500);
  const ClassIndex source = heap.Class("System.Threading.CancellationTokenSource", {"_timer"}, 500);
  for (const char* const queue : {"first_", "second_"}) {
    ObjectId before = kNoObject;
    for (uint32_t i = 0; i < kPlenty; ++i) {
      const ObjectId one = heap.Add(timer), timeout = heap.Add(source);
      heap.Refer(one, "_state", timeout);
      heap.Refer(timeout, "_timer", one);
      if (before == kNoObject) {
        heap.Static("System.Threading.TimerQueue", queue, one);
      } else {
        heap.Refer(before, "_next", one);
      }
      before = one;
    }
  }
  const Looked looked = Look(heap);
  ASSERT_EQ(looked.report.suspects.size(), 1u);
  const LeakSuspect& suspect = looked.report.suspects[0];
  EXPECT_EQ(suspect.kind_name, "timeouts");
  EXPECT_EQ(suspect.confidence, LeakConfidence::kLow);
  EXPECT_EQ(suspect.count, 2 * kPlenty);
  EXPECT_EQ(looked.Type(suspect.type), "System.Threading.CancellationTokenSource");
  EXPECT_EQ(suspect.evidence[0], "4,000 timeouts are pending and not disposed.");
}

// One timer, whose owner accumulates: the list is what grows.
TEST(Leaks, WhatTheOwnerOfATimerGathersAreNoTimers) {
  HeapBuilder heap;
  AddBuffers(heap);
  const ClassIndex timer = heap.Class("System.Threading.TimerQueueTimer", {"_timerCallback"});
  const ClassIndex callback = Delegate(heap, "System.Threading.TimerCallback");
  const ClassIndex poller = heap.Class("Shop.Poller", {"_seen"});
  const ObjectId one = heap.Add(timer), call = heap.Add(callback), owner = heap.Add(poller);
  heap.Refer(one, "_timerCallback", call);
  heap.Refer(call, "_target", owner);
  const std::vector<ObjectId> seen = AddMany(heap, heap.Class("Shop.Price", {}, 1000));
  heap.Refer(owner, "_seen", AddList(heap, "Shop.Price", seen).list);
  heap.Static("System.Threading.TimerQueue", "first_", one);
  const Looked looked = Look(heap);
  ASSERT_EQ(looked.report.suspects.size(), 1u);
  EXPECT_EQ(looked.report.suspects[0].kind_name, "list");
}

}  // namespace
}  // namespace hindsight::analyzer
