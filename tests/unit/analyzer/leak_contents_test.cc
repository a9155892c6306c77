// What accumulates is named after what it is about, also where that is further below.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/heap/leaks.h"
#include "tests/unit/analyzer/leak_heaps.h"
#include "tests/unit/analyzer/memory_cache_heap.h"

namespace hindsight::analyzer {
namespace {

// What a DbContext tracks: an entity in a dictionary, and an entry for it, which has a copy of the
// entity's values. So the strings, which both have, belong to neither.
void AddContextThatTracks(HeapBuilder& heap, uint32_t count) {
  const std::string tracking = "Microsoft.EntityFrameworkCore.ChangeTracking.Internal.";
  const ClassIndex context = heap.Class("Shop.Orders", {"_dbContextDependencies"});
  const ClassIndex services = heap.Class(
      "Microsoft.EntityFrameworkCore.Internal.DbContextDependencies", {"<StateManager>k__Field"});
  const ClassIndex manager = heap.Class(tracking + "StateManager", {"_map", "_byKey"});
  const ClassIndex map =
      heap.Class(heap.Type("System.Collections.Generic.Dictionary`2",
                           {heap.Type("System.Object"), heap.Type(tracking + "Entry")}),
                 {"_entries"});
  const ClassIndex array = heap.Array("System.Collections.Generic.Dictionary`2+Entry");
  const ClassIndex entity = heap.Class("Shop.Product", {"name_"});
  const ClassIndex entry = heap.Class(tracking + "InternalEntityEntry", {"_entity", "_values"});
  const ClassIndex text = heap.Class("System.String", {}, 1000);
  const ObjectId top = heap.Add(context), provider = heap.Add(services),
                 tracker = heap.Add(manager);
  heap.Static("Shop.Program", "orders_", top);
  heap.Refer(top, "_dbContextDependencies", provider);
  heap.Refer(provider, "<StateManager>k__Field", tracker);
  const ObjectId entities = heap.Add(array, count), entries = heap.Add(array, count);
  for (const auto& [field, all] : {std::pair{"_map", entities}, std::pair{"_byKey", entries}}) {
    const ObjectId one = heap.Add(map);
    heap.Refer(tracker, field, one);
    heap.Refer(one, "_entries", all);
  }
  for (uint32_t i = 0; i < count; ++i) {
    const ObjectId product = heap.Add(entity), of = heap.Add(entry), name = heap.Add(text);
    heap.Refer(entities, i, product);
    heap.Refer(entries, i, of);
    heap.Refer(product, "name_", name);
    heap.Refer(of, "_entity", product);
    heap.Refer(of, "_values", name);
  }
}

TEST(Leaks, EntitiesThatADbContextTracksAreNamedWithIt) {
  HeapBuilder heap;
  AddBuffers(heap);
  AddContextThatTracks(heap, kPlenty);
  const Looked looked = Look(heap);
  ASSERT_EQ(looked.report.suspects.size(), 1u);
  const LeakSuspect& suspect = looked.report.suspects[0];
  EXPECT_EQ(suspect.kind_name, "change tracker");
  EXPECT_EQ(looked.Type(suspect.type), "Shop.Product");
  EXPECT_EQ(suspect.count, kPlenty);
  EXPECT_GT(suspect.retained, uint64_t{kPlenty} * 1000);  // with the strings
  EXPECT_TRUE(suspect.evidence[0].starts_with("The change tracker of Orders retains "));
}

TEST(Leaks, WhetherTheEntriesOfAMemoryCacheExpireIsSaid) {
  for (const uint32_t expiring : {uint32_t{0}, kPlenty / 2, kPlenty}) {
    HeapBuilder heap;
    AddBuffers(heap);
    AddMemoryCache(heap, kPlenty, expiring);
    const Looked looked = Look(heap);
    ASSERT_EQ(looked.report.suspects.size(), 1u);
    const LeakSuspect& suspect = looked.report.suspects[0];
    EXPECT_EQ(suspect.kind_name, "cache");
    ASSERT_TRUE(suspect.expiry);
    EXPECT_EQ(suspect.expiry->entries, kPlenty);
    EXPECT_EQ(suspect.expiry->expiring, expiring);
    EXPECT_EQ(suspect.evidence.back(), expiring == kPlenty ? "2,000 of its 2,000 entries expire."
                                       : expiring == 0
                                           ? "Of its 2,000 entries, 2,000 never expire."
                                           : "Of its 2,000 entries, 1,000 never expire.");
  }
  HeapBuilder heap;
  AddBuffers(heap);
  AddMemoryCache(heap, kPlenty, kPlenty, false);
  EXPECT_FALSE(Look(heap).report.suspects.at(0).expiry);
}

TEST(Leaks, AMemoryCacheWithASizeLimitIsNone) {
  HeapBuilder heap;
  AddBuffers(heap);
  AddMemoryCache(heap, kPlenty, 0, true, 10'000);
  const Looked looked = Look(heap);
  EXPECT_TRUE(looked.report.suspects.empty());
  EXPECT_EQ(std::ranges::count(looked.report.cleared, "a MemoryCache with a size limit of 10,000",
                               &ClearedAccumulation::reason),
            1);
}

TEST(Leaks, InternedStringsAreLargeAtMost) {
  HeapBuilder heap;
  AddBuffers(heap);
  const ObjectId table = heap.Add(heap.Array("System.Object"), kPlenty);
  for (uint32_t i = 0; i < kPlenty; ++i) {
    heap.Refer(table, i, heap.AddString(std::string(500, 'x')));
  }
  heap.Root(table, RootKind::kPinnedHandle);
  const Looked looked = Look(heap);
  ASSERT_EQ(looked.report.suspects.size(), 1u);
  EXPECT_EQ(looked.report.suspects[0].kind_name, "the table of interned strings");
  EXPECT_EQ(looked.report.suspects[0].confidence, LeakConfidence::kLow);
}

// Few of the framework's own, such as compiled regexes, in a collection of yours.
TEST(Leaks, FewObjectsThatYourCollectionHoldsAreLargeIfTheyAreMuchOfTheHeap) {
  for (const char* const holder : {"Shop.Patterns", "System.Text.Patterns"}) {
    HeapBuilder heap;
    AddBuffers(heap);
    const ClassIndex regex = heap.Class("System.Text.RegularExpressions.Regex", {}, 10'000);
    const std::vector<ObjectId> objects = AddMany(heap, regex, 500);
    heap.Static(holder, "all_",
                AddList(heap, "System.Text.RegularExpressions.Regex", objects).list);
    const Looked looked = Look(heap);
    const bool is_yours = holder == std::string_view("Shop.Patterns");
    ASSERT_EQ(looked.report.suspects.size(), is_yours ? 1u : 0u);
    if (!is_yours) continue;
    EXPECT_EQ(looked.report.suspects[0].confidence, LeakConfidence::kLow);
  }
}

// Keys that are used elsewhere, too, next to values.
TEST(Leaks, YourObjectsRepresentWhatTheFrameworkHolds) {
  for (const uint32_t times : {4, 5}) {
    HeapBuilder heap;
    AddBuffers(heap);
    const TypeId of = heap.Type("System.Collections.Generic.Dictionary`2",
                                {heap.Type("System.String"), heap.Type("Shop.Order")});
    const ObjectId all = heap.Add(heap.Class(of, {"_entries"}));
    const ObjectId entries =
        heap.Add(heap.Array("System.Collections.Generic.Dictionary`2+Entry"), kPlenty * 8);
    heap.Static("Shop.Program", "all_", all);
    heap.Refer(all, "_entries", entries);
    const ClassIndex text = heap.Class("System.String", {}, 1000);
    const ClassIndex order = heap.Class("Shop.Order", {});
    for (uint32_t i = 0; i < kPlenty; ++i) heap.Refer(entries, i, heap.Add(order));
    for (uint32_t i = 0; i < kPlenty * times; ++i) {
      heap.Refer(entries, kPlenty + i, heap.Add(text));
    }
    const Looked looked = Look(heap);
    ASSERT_EQ(looked.report.suspects.size(), 1u);
    EXPECT_EQ(looked.Type(looked.report.suspects[0].type), times == 4 ? "Shop.Order" : "string");
  }
}

// A library's object for a subscription says little: what it calls says whose it is.
TEST(Leaks, SubscriptionsAreNamedWithWhatTheyCall) {
  for (const bool is_alone : {true, false}) {
    HeapBuilder heap;
    AddBuffers(heap);
    const ClassIndex subject = heap.Class("System.Reactive.Subjects.Subject", {"_observers"});
    const ClassIndex array = heap.Array("System.Reactive.Subjects.Subject+SubjectDisposable");
    const ClassIndex subscription =
        heap.Class("System.Reactive.Subjects.Subject+SubjectDisposable", {"_subject", "_observer"});
    const ClassIndex observer = heap.Class("System.Reactive.AnonymousObserver", {"_onNext"});
    const ClassIndex action = Delegate(heap, "System.Action");
    const ClassIndex watch = heap.Class("Shop.Watch", {"_data"});
    const ClassIndex data = heap.PlainArray("System.Byte", 1);
    const ObjectId root = heap.Add(subject), all = heap.Add(array, kPlenty);
    const ObjectId keeper = heap.Add(heap.Array("Shop.Watch"), kPlenty);
    heap.Refer(root, "_observers", all);
    for (uint32_t i = 0; i < kPlenty; ++i) {
      const ObjectId one = heap.Add(subscription), sink = heap.Add(observer);
      const ObjectId call = heap.Add(action), target = heap.Add(watch);
      heap.Refer(all, i, one);
      heap.Refer(one, "_subject", root);
      heap.Refer(one, "_observer", sink);
      heap.Refer(sink, "_onNext", call);
      heap.Refer(call, "_target", target);
      heap.Refer(target, "_data", heap.Add(data, 1000));
      if (!is_alone) heap.Refer(keeper, i, target);  // they live on elsewhere anyway
    }
    heap.Static("Shop.Program", "prices_", root);
    heap.Static("Shop.Program", "watches_", keeper);
    const Looked looked = Look(heap);
    ASSERT_FALSE(looked.report.suspects.empty());
    const LeakSuspect& suspect = looked.report.suspects[0];
    EXPECT_EQ(suspect.count, kPlenty);
    EXPECT_EQ(looked.Type(suspect.type), "Shop.Watch");
    if (!is_alone) {
      EXPECT_EQ(looked.Parts(suspect.path).front(), "static Shop.Program.watches_");
      continue;
    }
    EXPECT_EQ(suspect.kind_name, "subscriptions");
    EXPECT_EQ(suspect.evidence[0],
              "2,000 subscriptions in Subject._observers retain 35.1 % of the heap.");
    EXPECT_EQ(suspect.advice, "Dispose each subscription when its subscriber is done.");
    EXPECT_EQ(looked.Parts(suspect.path),
              (std::vector<std::string>{"static Shop.Program.prices_", "Subject._observers",
                                        "Subject.SubjectDisposable[]",
                                        "Subject.SubjectDisposable._observer",
                                        "AnonymousObserver._onNext", "Action._target", "Watch"}));
  }
}

// A closure that captures numbers alone is where the way ends.
TEST(Leaks, WhatHoldsNothingIsNamedOnce) {
  HeapBuilder heap;
  AddBuffers(heap);
  const ClassIndex action = Delegate(heap, "System.Action");
  const ClassIndex closure = heap.Class("Shop.Cart+<>c__DisplayClass3_0", {}, 1000);
  std::vector<ObjectId> actions;
  for (uint32_t i = 0; i < kPlenty; ++i) {
    actions.push_back(heap.Add(action));
    heap.Refer(actions.back(), "_target", heap.Add(closure));
  }
  heap.Static("Shop.Program", "callbacks_", AddList(heap, "System.Action", actions, kPlenty).list);
  const Looked looked = Look(heap);
  ASSERT_EQ(looked.report.suspects.size(), 1u);
  const LeakSuspect& suspect = looked.report.suspects[0];
  EXPECT_EQ(suspect.kind_name, "closures");
  EXPECT_EQ(looked.Parts(suspect.path),
            (std::vector<std::string>{"static Shop.Program.callbacks_", "List<Action>._items",
                                      "Action[]", "Action._target", "Cart.closure"}));
}

// What is one of many below, or a variable of an async method, is not what accumulates.
TEST(Leaks, ListsAndTasksAreNotNamedAfterWhatTheyHold) {
  for (const std::string_view holder :
       {"System.Collections.Generic.HashSet", "System.Threading.Tasks.Task"}) {
    HeapBuilder heap;
    AddBuffers(heap);
    const ClassIndex each = heap.Class(holder, {"_first"});
    const ClassIndex between = heap.Class("System.Lazy", {"_value"});
    const ClassIndex order = heap.Class("Shop.Order", {}, 1000);
    std::vector<ObjectId> all;
    for (uint32_t i = 0; i < kPlenty; ++i) {
      all.push_back(heap.Add(each));
      const ObjectId lazy = heap.Add(between);
      heap.Refer(all.back(), "_first", lazy);
      heap.Refer(lazy, "_value", heap.Add(order));
    }
    heap.Static("Shop.Program", "all_", AddList(heap, holder, all, kPlenty).list);
    const Looked looked = Look(heap);
    ASSERT_EQ(looked.report.suspects.size(), 1u);
    EXPECT_EQ(looked.Type(looked.report.suspects[0].type), holder);
  }
}

}  // namespace
}  // namespace hindsight::analyzer
