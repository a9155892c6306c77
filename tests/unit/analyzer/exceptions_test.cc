// The tracker: how several throws become one logical exception, and how long it remembers what.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/analyses/pattern.h"
#include "analyzer/model/exception_tracker.h"

namespace hindsight::analyzer {
namespace {

class Tracker : public ::testing::Test {
 protected:
  Throw Caught(uint64_t id, uint64_t previous = 0, Hop hop = Hop::kNone) {
    Throw thrown;
    thrown.id = id;
    thrown.time_ns = static_cast<int64_t>(id) * 1000;
    thrown.previous = previous;
    thrown.hop = previous == 0 ? Hop::kNone : hop;
    thrown.type = 1;
    thrown.stack = previous == 0 ? stack_ : other_stack_;
    thrown.thread = 1;
    thrown.outcome = {Outcome::kCaught, handler_, 100, 0, 0};
    return thrown;
  }
  void Add(const Throw& thrown) { tracker_.OnThrow(thrown, true, "message"); }

  static Method Named(StringId name) {
    Method method;
    method.name = name;
    return method;
  }

  // A stack of methods of these types, outermost first.
  StackId StackOf(std::initializer_list<std::string_view> types) {
    StackId stack = 0;
    for (const std::string_view name : types) {
      Type type;
      type.name = dictionaries_.AddString(name);
      Method method = Named(name_);
      method.type = dictionaries_.AddType(type);
      stack = dictionaries_.AddStack(stack, dictionaries_.AddMethod(method));
    }
    return stack;
  }

  static uint64_t Sum(const ExceptionGroup& group) {
    uint64_t sum = 0;
    for (const uint64_t count : group.endings) sum += count;
    return sum;
  }

  Dictionaries dictionaries_;
  StringId name_ = dictionaries_.AddString("Throw");
  MethodId method_ = dictionaries_.AddMethod(Named(name_));
  StackId stack_ = dictionaries_.AddStack(0, method_);
  StackId other_stack_ = dictionaries_.AddStack(stack_, method_);
  HandlerId handler_ = dictionaries_.AddHandler({.method = method_, .il_offset = 4});
  ExceptionTracker tracker_{dictionaries_, {}};
};

TEST_F(Tracker, AnAccessViolationThatEndedTheProcessIsUnhandled) {
  Type violation;
  violation.name = dictionaries_.AddString("System.AccessViolationException");
  const TypeId type = dictionaries_.AddType(violation);
  for (const bool is_of_that_thread : {true, false}) {
    ExceptionTracker tracker(dictionaries_, {});
    Throw thrown = Caught(1);
    thrown.outcome = {};
    thrown.type = type;
    tracker.OnThrow(thrown, false, "");
    tracker.OnAccessViolation(is_of_that_thread ? thrown.thread : thrown.thread + 1);
    const ExceptionTable table = tracker.Finish();
    ASSERT_EQ(table.groups.size(), 1u);
    EXPECT_EQ(table.groups[0].EndedAs(Ending::kUnhandled), is_of_that_thread ? 1u : 0u);
    EXPECT_EQ(table.open.size(), is_of_that_thread ? 0u : 1u);
  }
}

TEST_F(Tracker, CountsAChainOnceWithItsHops) {
  Add(Caught(1));
  Add(Caught(2, 1, Hop::kRethrow));
  Add(Caught(3, 2, Hop::kRestored));
  const ExceptionTable table = tracker_.Finish();
  ASSERT_EQ(table.groups.size(), 1u);
  const ExceptionGroup& group = table.groups[0];
  EXPECT_EQ(group.count, 1u);
  EXPECT_EQ(group.Throws(), 3u);
  EXPECT_EQ(group.total_ns, 300u);
  EXPECT_EQ(group.EndedAs(Ending::kSwallowed), 1u);
  EXPECT_EQ(group.messages.total(), 1u);
  EXPECT_TRUE(table.RestoredFrom(handler_));
}

TEST_F(Tracker, DistinguishesAnAwaitFromCodeThatRethrowsWhatItKept) {
  constexpr char kDispatch[] = "System.Runtime.ExceptionServices.ExceptionDispatchInfo";
  Throw kept = Caught(2, 1, Hop::kRestored);
  kept.stack = StackOf({"Polly.Outcome`1", kDispatch});
  Throw awaited = Caught(4, 3, Hop::kRestored);
  awaited.stack = StackOf({"Shop.Cart", "System.Runtime.CompilerServices.TaskAwaiter", kDispatch});
  for (const Throw& again : {kept, awaited}) {
    ExceptionTracker tracker(dictionaries_, {});
    tracker.OnThrow(Caught(again.previous), true, "message");
    tracker.OnThrow(again, true, "message");
    EXPECT_EQ(tracker.Finish().RestoredFrom(handler_), again.id == awaited.id);
  }
}

// An iterator stores nothing.
TEST_F(Tracker, WhatIsThrownInAnAsyncMethodIsNotUnhandled) {
  const StringId move_next = dictionaries_.AddString("MoveNext");
  const StringId start = dictionaries_.AddString("Start");
  const auto stack_of = [&](std::string_view caller) {
    StackId stack = 0;
    for (const auto& [type_name, name] : std::vector<std::pair<std::string_view, StringId>>{
             {caller, start}, {"Shop.Cart+<Load>d__4", move_next}, {"System.Number", name_}}) {
      Type type;
      type.name = dictionaries_.AddString(type_name);
      Method method = Named(name);
      method.type = dictionaries_.AddType(type);
      stack = dictionaries_.AddStack(stack, dictionaries_.AddMethod(method));
    }
    return stack;
  };
  const auto ending_on = [&](StackId stack) {
    Throw thrown = Caught(1);
    thrown.stack = stack;
    thrown.outcome = {Outcome::kUnhandled, 0, 5, 0, 0};
    ExceptionTracker tracker(dictionaries_, {});
    tracker.OnThrow(thrown, true, "message");
    const ExceptionTable table = tracker.Finish();
    EXPECT_EQ(table.groups.at(0).EndedAs(Ending::kUnhandled), 1 - table.open.size());
    for (const OpenException& open : table.open) EXPECT_TRUE(open.is_stored);
    // The same if it was only counted.
    CountedThrows counted;
    counted.type = thrown.type;
    counted.stack = stack;
    counted.counts.thrown = counted.counts.ended[static_cast<size_t>(Outcome::kUnhandled)] = 1;
    ExceptionTracker of_counted(dictionaries_, {});
    of_counted.OnCounted(counted);
    EXPECT_EQ(of_counted.Finish().groups.at(0).endings, table.groups.at(0).endings);
    return table.groups.at(0).EndedAs(Ending::kInFlight) == 1 ? Ending::kInFlight
                                                              : Ending::kUnhandled;
  };
  for (const std::string_view runs :
       {"System.Runtime.CompilerServices.AsyncMethodBuilderCore",
        "System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1+AsyncStateMachineBox`1",
        "System.Threading.ExecutionContext"}) {
    EXPECT_EQ(ending_on(stack_of(runs)), Ending::kInFlight) << runs;
  }
  EXPECT_EQ(ending_on(stack_of("Shop.Cart")), Ending::kUnhandled);
}

// Type and message are alike, and nothing else says that it is the same exception.
TEST_F(Tracker, AnInferredHopDoesNotShowWhatAHandlerDoes) {
  Throw again = Caught(2, 1, Hop::kRestored);
  again.hop_inferred = true;
  Add(Caught(1));
  Add(again);
  EXPECT_FALSE(tracker_.Finish().RestoredFrom(handler_));
}

TEST_F(Tracker, LinksHopsThatComeBeforeWhatTheyContinue) {
  Add(Caught(3, 2, Hop::kRestored));
  Add(Caught(2, 1, Hop::kRestored));
  Add(Caught(1));
  const ExceptionTable table = tracker_.Finish();
  ASSERT_EQ(table.groups.size(), 1u);
  EXPECT_EQ(table.groups[0].count, 1u);
  EXPECT_EQ(table.groups[0].Throws(), 3u);
  EXPECT_EQ(table.starting_late, 0u);
}

TEST_F(Tracker, CountsAHopWithoutItsStartAsLate) {
  Add(Caught(7, 3, Hop::kRestored));
  const ExceptionTable table = tracker_.Finish();
  ASSERT_EQ(table.groups.size(), 1u);
  EXPECT_TRUE(table.groups[0].starts_late);
  EXPECT_EQ(table.groups[0].messages.total(), 1u);
  EXPECT_EQ(table.starting_late, 1u);
}

TEST_F(Tracker, RemembersAnOpenThrowBeyondTheWindow) {
  Throw open = Caught(1);
  open.outcome = {};
  Add(open);
  const uint64_t last = ExceptionTracker::kWindow + 10;
  for (uint64_t id = 2; id <= last; ++id) Add(Caught(id));
  tracker_.OnOutcome(1, {Outcome::kUnhandled, 0, 5, 0, 0});
  const ExceptionTable table = tracker_.Finish();
  ASSERT_EQ(table.groups.size(), 1u);
  EXPECT_EQ(table.groups[0].count, last);
  EXPECT_EQ(table.groups[0].EndedAs(Ending::kUnhandled), 1u);
  EXPECT_EQ(table.groups[0].EndedAs(Ending::kSwallowed), last - 1);
  EXPECT_EQ(table.stray_outcomes, 0u);
}

TEST_F(Tracker, EveryLogicalExceptionEndsOnceEvenBeyondTheWindow) {
  const uint64_t last = ExceptionTracker::kWindow * 2;
  for (uint64_t id = 1; id <= last; ++id) {
    Add(id % 3 == 0 ? Caught(id, id - (id % 2 == 0 ? 1 : 2), Hop::kRestored) : Caught(id));
  }
  const ExceptionTable table = tracker_.Finish();
  for (const ExceptionGroup& group : table.groups) EXPECT_EQ(Sum(group), group.count);
  EXPECT_EQ(table.starting_late, 0u);
}

TEST_F(Tracker, DistinguishesWhatBecameOfIt) {
  Add(Caught(1));
  Throw wrapper = Caught(2);
  wrapper.type = 2;
  wrapper.cause = 1;
  Add(wrapper);
  Throw replaced = Caught(3);
  replaced.type = 3;
  replaced.outcome = {Outcome::kReplaced, 0, 1, 1, 0};
  Add(replaced);
  Throw replacer = Caught(4);
  replacer.type = 4;
  replacer.during = 3;
  Add(replacer);
  const ExceptionTable table = tracker_.Finish();
  ASSERT_EQ(table.groups.size(), 4u);
  EXPECT_EQ(table.groups[0].EndedAs(Ending::kWrapped), 1u);
  ASSERT_EQ(table.groups[0].wrappers.entries().size(), 1u);
  EXPECT_EQ(table.groups[0].wrappers.entries()[0].key, 2u);
  EXPECT_EQ(table.groups[1].causes.entries()[0].key, 1u);
  EXPECT_EQ(table.groups[2].EndedAs(Ending::kReplaced), 1u);
  EXPECT_EQ(table.groups[2].replacers.entries()[0].key, 4u);
  EXPECT_EQ(table.groups[3].thrown_during.entries()[0].key, 3u);
}

TEST_F(Tracker, IgnoresRepeatedIdsAndStrayOutcomes) {
  Add(Caught(1));
  Add(Caught(1));
  tracker_.OnOutcome(99, {Outcome::kCaught, handler_, 1, 0, 0});
  const ExceptionTable table = tracker_.Finish();
  EXPECT_EQ(table.groups[0].count, 1u);
  EXPECT_EQ(table.repeated_ids, 1u);
  EXPECT_EQ(table.stray_outcomes, 1u);
}

TEST_F(Tracker, BoundsItsGroups) {
  for (uint64_t id = 1; id <= ExceptionTable::kMaxGroups + 100; ++id) {
    Throw thrown = Caught(id);
    thrown.type = static_cast<TypeId>(id);
    Add(thrown);
  }
  const ExceptionTable table = tracker_.Finish();
  EXPECT_EQ(table.groups.size(), ExceptionTable::kMaxGroups);
  uint64_t count = 0;
  for (const ExceptionGroup& group : table.groups) count += group.count;
  EXPECT_EQ(count, ExceptionTable::kMaxGroups + 100);
  EXPECT_TRUE(table.groups.back().is_rest);
}

TEST_F(Tracker, LooksOnlyAtItsScope) {
  ExceptionTracker scoped(dictionaries_, {.from_ns = 2000, .to_ns = 4000});
  for (uint64_t id = 1; id <= 5; ++id) scoped.OnThrow(Caught(id), false, {});
  scoped.OnThrow(Caught(6, 1, Hop::kRestored), false, {});  // of one before the scope
  scoped.OnThrow(Caught(7, 2, Hop::kRestored), false, {});  // of one in it
  const ExceptionTable table = scoped.Finish();
  ASSERT_EQ(table.groups.size(), 1u);
  EXPECT_EQ(table.groups[0].count, 2u);
  EXPECT_EQ(table.groups[0].Throws(), 3u);
}

TEST(Pattern, MatchesParts) {
  EXPECT_TRUE(MatchesPattern("", "anything"));
  EXPECT_TRUE(MatchesPattern("cart", "Shop.Cart.Add"));
  EXPECT_FALSE(MatchesPattern("card", "Shop.Cart.Add"));
  EXPECT_TRUE(MatchesPattern("Shop.*.Add", "Shop.Cart.Add"));
  EXPECT_FALSE(MatchesPattern("Shop.*.Ad", "Shop.Cart.Add"));
  EXPECT_TRUE(MatchesPattern("?hop*", "Shop"));
  EXPECT_FALSE(MatchesPattern("*a*a*a*b", std::string(1000, 'a')));
}

}  // namespace
}  // namespace hindsight::analyzer
