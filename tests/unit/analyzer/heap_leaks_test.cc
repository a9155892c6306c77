// Leaks of every kind are named with their owners.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "analyzer/analyses/heap/leaks.h"
#include "analyzer/report/heap/leaks_report.h"
#include "tests/unit/analyzer/leak_heaps.h"

namespace hindsight::analyzer {
namespace {

TEST(Leaks, AStaticListIsNamedWithItsOwner) {
  HeapBuilder heap;
  AddBuffers(heap);
  const std::vector<ObjectId> orders = AddMany(heap, heap.Class("Shop.Order", {}, 1000));
  heap.Static("Shop.Program", "done_", AddList(heap, "Shop.Order", orders, kPlenty).list);
  const Looked looked = Look(heap);
  ASSERT_EQ(looked.report.suspects.size(), 1u);
  const LeakSuspect& suspect = looked.report.suspects[0];
  EXPECT_EQ(suspect.kind_name, "static list");
  EXPECT_EQ(suspect.confidence, LeakConfidence::kMedium);
  EXPECT_EQ(looked.Type(suspect.type), "Shop.Order");
  EXPECT_EQ(suspect.count, kPlenty);
  EXPECT_EQ(suspect.retained, kPlenty * 1000u);
  EXPECT_EQ(looked.Parts(suspect.path),
            (std::vector<std::string>{"static Shop.Program.done_", "List<Order>._items", "Order[]",
                                      "Order"}));
  const OwnerPhrases words = DescribeStep(*looked.model, *looked.names, suspect.path.steps[0]);
  EXPECT_EQ(words.from, "static");
  EXPECT_EQ(words.field, "Shop.Program.done_");
  EXPECT_EQ(words.to, "System.Collections.Generic.List<Shop.Order>");
  // The buffers are large but cleared of suspicion.
  ASSERT_EQ(looked.report.cleared.size(), 1u);
  EXPECT_EQ(looked.report.cleared[0].count, 4u);
  EXPECT_EQ(looked.Type(looked.report.cleared[0].type), "byte[]");
}

TEST(Leaks, SayWhereSampledOnesOfThemWereAllocated) {
  HeapBuilder heap;
  AddBuffers(heap);
  const ClassIndex line = heap.Class("Shop.Line", {}, 500);
  const std::vector<ObjectId> orders = AddMany(heap, heap.Class("Shop.Order", {"_line"}, 500));
  const std::vector<ObjectId> lines = AddMany(heap, line);
  for (uint32_t i = 0; i < kPlenty; ++i) heap.Refer(orders[i], "_line", lines[i]);
  heap.Static("Shop.Program", "done_", AddList(heap, "Shop.Order", orders, kPlenty).list);
  const std::vector<std::string> posted = {"Shop.Web.Post", "Shop.Program.Main"};
  for (uint32_t i = 0; i < 12; ++i) {
    heap.Survivor(orders[i * 100], i < 10 ? posted : std::vector<std::string>{"Shop.Import.Read"});
    heap.Survivor(lines[i * 100], {"Shop.Order..ctor"});
  }
  const ObjectId other = heap.Add(line);  // not held by the list
  heap.Root(other);
  heap.Survivor(other, {"Shop.Other.Make"});
  const Looked looked = Look(heap);
  ASSERT_EQ(looked.report.suspects.size(), 1u);
  ASSERT_TRUE(looked.report.suspects[0].source);
  const LeakSource& source = *looked.report.suspects[0].source;
  EXPECT_EQ(source.path, posted);
  EXPECT_EQ(source.samples, 10u);
  EXPECT_EQ(source.of, 12u);
  EXPECT_FALSE(source.is_held);
  const std::string text = LeaksText(*looked.model, *looked.names, looked.report, {});
  EXPECT_NE(text.find("Allocated at (10 of 12 samples):\n       Shop.Web.Post\n"
                      "       <- Shop.Program.Main\n"),
            std::string::npos)
      << text;
}

TEST(Leaks, CountWhatTheyHoldWhereTooFewOfThemWereSampled) {
  HeapBuilder heap;
  AddBuffers(heap);
  const std::vector<ObjectId> nodes = AddMany(heap, heap.Class("Shop.Node", {"_next", "_data"}));
  const std::vector<ObjectId> data = AddMany(heap, heap.Class("Shop.Data", {}, 1000));
  for (uint32_t i = 0; i < kPlenty; ++i) {
    if (i > 0) heap.Refer(nodes[i - 1], "_next", nodes[i]);
    heap.Refer(nodes[i], "_data", data[i]);
  }
  heap.Static("Shop.Program", "head_", nodes[0]);
  for (uint32_t i = 0; i < 9; ++i) heap.Survivor(data[kPlenty - 1 - i], {"Shop.Data.Load"});
  heap.Survivor(nodes[kPlenty - 1], {"Shop.Node.Append"});
  const Looked looked = Look(heap);
  ASSERT_FALSE(looked.report.suspects.empty());
  ASSERT_TRUE(looked.report.suspects[0].source);
  const LeakSource& source = *looked.report.suspects[0].source;
  EXPECT_EQ(source.path, std::vector<std::string>{"Shop.Data.Load"});
  EXPECT_EQ(source.samples, 9u);
  EXPECT_EQ(source.of, 10u);
  EXPECT_TRUE(source.is_held);
}

TEST(Leaks, ACacheThatOnlyGrowsIsOne) {
  HeapBuilder heap;
  AddBuffers(heap);
  const TypeId text = heap.Type("System.String");
  const TypeId answer = heap.Type("Shop.Answer");
  const std::string concurrent = "System.Collections.Concurrent.ConcurrentDictionary`2";
  const ClassIndex cache = heap.Class(heap.Type(concurrent, {text, answer}), {"_tables"});
  const ClassIndex tables =
      heap.Class(heap.Type(concurrent + "+Tables", {text, answer}), {"_buckets"});
  const TypeId bucket = heap.Type(concurrent + "+VolatileNode", {text, answer});
  const ClassIndex buckets = heap.StructArray(bucket, {"_node"});
  const ClassIndex node =
      heap.Class(heap.Type(concurrent + "+Node", {text, answer}), {"_key", "_value", "_next"});
  const ClassIndex value = heap.Class(answer, {}, 1000);
  const ObjectId root = heap.Add(cache), table = heap.Add(tables);
  const ObjectId array = heap.Add(buckets, kPlenty);
  heap.Refer(root, "_tables", table);
  heap.Refer(table, "_buckets", array);
  for (uint32_t i = 0; i < kPlenty / 2; ++i) {  // two in each bucket
    const ObjectId first = heap.Add(node), second = heap.Add(node);
    heap.Refer(array, i, first);
    heap.Refer(first, "_next", second);
    for (const ObjectId one : {first, second}) {
      heap.Refer(one, "_key", heap.AddString("key"));
      heap.Refer(one, "_value", heap.Add(value));
    }
  }
  heap.Static("Shop.Program", "cache_", root);
  const Looked looked = Look(heap);
  ASSERT_EQ(looked.report.suspects.size(), 1u);
  const LeakSuspect& suspect = looked.report.suspects[0];
  EXPECT_EQ(suspect.kind_name, "cache");
  EXPECT_EQ(suspect.count, kPlenty);
  EXPECT_EQ(looked.Type(suspect.type), "Shop.Answer");
  EXPECT_EQ(looked.Parts(suspect.path).front(), "static Shop.Program.cache_");
  EXPECT_EQ(looked.Parts(suspect.path).back(), "Answer");
}

TEST(Leaks, EventHandlersAreNamedWithTheEvent) {
  HeapBuilder heap;
  AddBuffers(heap);
  const ClassIndex feed = heap.Class("Shop.Feed", {"PriceChanged"});
  const ClassIndex handler = Delegate(heap, "System.Action");
  const ClassIndex list = heap.Array("System.Object");
  const ClassIndex window = heap.Class("Shop.Window", {}, 1000);
  const ObjectId publisher = heap.Add(feed), all = heap.Add(handler), array = heap.Add(list, 4096);
  heap.Refer(publisher, "PriceChanged", all);
  heap.Refer(all, "_target", all);  // as the runtime does for several
  heap.Refer(all, "_invocationList", array);
  for (uint32_t i = 0; i < kPlenty; ++i) {
    const ObjectId one = heap.Add(handler);
    heap.Refer(one, "_target", heap.Add(window));
    heap.Refer(array, i, one);
  }
  heap.Static("Shop.Program", "feed_", publisher);
  const Looked looked = Look(heap);
  ASSERT_EQ(looked.report.suspects.size(), 1u);
  const LeakSuspect& suspect = looked.report.suspects[0];
  EXPECT_EQ(suspect.kind_name, "event handlers");
  EXPECT_EQ(suspect.confidence, LeakConfidence::kHigh);
  EXPECT_EQ(looked.Type(suspect.type), "Shop.Window");
  EXPECT_EQ(suspect.evidence[0], "2,000 handlers are subscribed to Feed.PriceChanged.");
  EXPECT_EQ(
      looked.Parts(suspect.path),
      (std::vector<std::string>{"static Shop.Program.feed_", "Feed.PriceChanged",
                                "Action._invocationList", "object[]", "Action._target", "Window"}));
}

TEST(Leaks, SubscribersThatLiveElsewhereAreLessCertain) {
  HeapBuilder heap;
  AddBuffers(heap);
  const ClassIndex handler = Delegate(heap, "System.Action");
  const ClassIndex list = heap.Array("System.Object");
  const ObjectId all = heap.Add(handler), array = heap.Add(list, 4096);
  heap.Refer(all, "_invocationList", array);
  const std::vector<ObjectId> windows = AddMany(heap, heap.Class("Shop.Window", {}, 40));
  for (uint32_t i = 0; i < kPlenty; ++i) {
    const ObjectId one = heap.Add(handler);
    heap.Refer(one, "_target", windows[i]);
    heap.Refer(array, i, one);
  }
  heap.Static("Shop.Alarm", "Raised", all);
  heap.Static("Shop.Program", "open_", AddList(heap, "Shop.Window", windows).list);
  const Looked looked = Look(heap);
  ASSERT_GE(looked.report.suspects.size(), 1u);
  EXPECT_EQ(looked.report.suspects[0].kind_name, "event handlers");
  EXPECT_EQ(looked.report.suspects[0].confidence, LeakConfidence::kMedium);
}

// The list of a CancellationTokenSource, whose first registration its owner keeps.
TEST(Leaks, AListThatIsHeldAtBothEndsIsOne) {
  HeapBuilder heap;
  AddBuffers(heap);
  const ClassIndex node = heap.Class("System.Threading.CancellationTokenSource+CallbackNode",
                                     {"Prev", "Next", "Callback"});
  const ClassIndex call = Delegate(heap, "System.Action");
  const ClassIndex closure = heap.Class("Shop.Program+<>c__DisplayClass3_0", {}, 1000);
  std::vector<ObjectId> nodes;
  for (uint32_t i = 0; i < kPlenty; ++i) {
    nodes.push_back(heap.Add(node));
    const ObjectId action = heap.Add(call);
    heap.Refer(nodes[i], "Callback", action);
    heap.Refer(action, "_target", heap.Add(closure));
    if (i == 0) continue;
    heap.Refer(nodes[i - 1], "Next", nodes[i]);
    heap.Refer(nodes[i], "Prev", nodes[i - 1]);
  }
  heap.Static("Shop.Program", "stop_", nodes.front());
  heap.Static("Shop.Config", "own_", nodes.back());
  const Looked looked = Look(heap);
  ASSERT_EQ(looked.report.suspects.size(), 1u);
  EXPECT_EQ(looked.report.suspects[0].kind_name, "token registrations");
  EXPECT_EQ(looked.report.suspects[0].count, kPlenty - 2);  // between the ends
}

TEST(Leaks, ClosuresAreNamedWithWhatTheyCapture) {
  HeapBuilder heap;
  AddBuffers(heap);
  const ClassIndex call = Delegate(heap, "System.Action");
  const ClassIndex closure = heap.Class("Shop.Program+<>c__DisplayClass3_0", {"upload"});
  const ClassIndex upload = heap.Class("Shop.Upload", {}, 1000);
  std::vector<ObjectId> calls;
  for (uint32_t i = 0; i < kPlenty; ++i) {
    const ObjectId captured = heap.Add(closure);
    heap.Refer(captured, "upload", heap.Add(upload));
    calls.push_back(heap.Add(call));
    heap.Refer(calls.back(), "_target", captured);
  }
  heap.Static("Shop.Program", "whenIdle_", AddList(heap, "System.Action", calls).list);
  const Looked looked = Look(heap);
  ASSERT_EQ(looked.report.suspects.size(), 1u);
  const LeakSuspect& suspect = looked.report.suspects[0];
  EXPECT_EQ(suspect.kind_name, "closures");
  EXPECT_EQ(
      looked.Parts(suspect.path),
      (std::vector<std::string>{"static Shop.Program.whenIdle_", "List<Action>._items", "Action[]",
                                "Action._target", "Program.closure.upload", "Upload"}));
}

TEST(Leaks, HandlesAreKnownByTheirKind) {
  HeapBuilder heap;
  AddBuffers(heap);
  const ClassIndex request = heap.Class("Shop.Request", {"_next"}, 1000);
  for (const ObjectId id : AddMany(heap, request)) heap.Root(id);
  const ClassIndex frame = heap.PlainArray("System.Byte", 1);
  for (uint32_t i = 0; i < kPlenty; ++i) {
    heap.Root(heap.Add(frame, 900), RootKind::kPinnedHandle);
  }
  const Looked looked = Look(heap);
  ASSERT_EQ(looked.report.suspects.size(), 2u);
  EXPECT_EQ(looked.report.suspects[0].kind_name, "handles");
  EXPECT_EQ(looked.report.suspects[0].confidence, LeakConfidence::kHigh);
  EXPECT_EQ(looked.Parts(looked.report.suspects[0].path),
            (std::vector<std::string>{"strong handle", "Request"}));
  EXPECT_EQ(looked.Parts(looked.report.suspects[1].path),
            (std::vector<std::string>{"pinned handle", "byte[]"}));
}

// Nothing holds them but the queue of the thread that has not come to them yet.
TEST(Leaks, ObjectsThatWaitForTheFinalizerThreadAreNoCollection) {
  HeapBuilder heap;
  AddBuffers(heap);
  const ClassIndex file = heap.Class("Shop.TempFile", {"_next"}, 2000);
  for (const ObjectId id : AddMany(heap, file)) heap.Root(id, RootKind::kFinalizerQueue);
  const Looked looked = Look(heap);
  ASSERT_EQ(looked.report.suspects.size(), 1u);
  const LeakSuspect& suspect = looked.report.suspects[0];
  EXPECT_EQ(suspect.kind_name, "finalizer queue");
  EXPECT_EQ(looked.Parts(suspect.path), (std::vector<std::string>{"finalizer queue", "TempFile"}));
  ASSERT_EQ(suspect.evidence.size(), 1u);
  EXPECT_TRUE(suspect.evidence[0].starts_with(
      "2,000 objects are unreachable, and wait for the finalizer thread."))
      << suspect.evidence[0];
}

// By share, not by count: a hundred that retain a quarter of the heap.
TEST(Leaks, FewHandlesThatHoldMuchOfTheHeapAreNotFew) {
  const auto suspects = [](uint32_t count, uint32_t bytes) {
    HeapBuilder heap;
    AddBuffers(heap);  // 4 MiB
    const ClassIndex image = heap.Class("Shop.Image", {}, bytes);
    for (const ObjectId id : AddMany(heap, image, count)) heap.Root(id);
    return Look(heap).report.suspects;
  };
  ASSERT_EQ(suspects(100, 14'000).size(), 1u);
  EXPECT_EQ(suspects(100, 14'000)[0].confidence, LeakConfidence::kHigh);
  EXPECT_EQ(suspects(99, 15'000).size(), 0u);
  ASSERT_EQ(suspects(100, 13'900).size(), 1u);
  EXPECT_EQ(suspects(100, 13'900)[0].confidence, LeakConfidence::kLow);
}

TEST(Leaks, ThreadStaticsOfManyThreadsAreOne) {
  HeapBuilder heap;
  AddBuffers(heap);
  const ClassIndex entry = heap.Class("Shop.Entry", {}, 1000);
  for (uint32_t thread = 1; thread <= 8; ++thread) {
    const std::vector<ObjectId> entries = AddMany(heap, entry, kPlenty / 8);
    heap.Static("Shop.Program", "scratch_", AddList(heap, "Shop.Entry", entries).list, thread);
  }
  const Looked looked = Look(heap);
  ASSERT_EQ(looked.report.suspects.size(), 1u);
  const LeakSuspect& suspect = looked.report.suspects[0];
  EXPECT_EQ(suspect.kind_name, "thread statics");
  EXPECT_EQ(suspect.count, kPlenty);
  EXPECT_EQ(suspect.owners, 8u);
  EXPECT_EQ(looked.Parts(suspect.path)[0], "thread static Shop.Program.scratch_");
}

TEST(Leaks, ALongChainIsOneAccumulationAndNeedsNoStack) {
  HeapBuilder heap;
  const ClassIndex node = heap.Class("Shop.Node", {"_next"}, 40);
  const std::vector<ObjectId> nodes = AddMany(heap, node, 300'000);
  for (size_t i = 0; i + 1 < nodes.size(); ++i) heap.Refer(nodes[i], "_next", nodes[i + 1]);
  heap.Static("Shop.Program", "head_", nodes[0]);
  const Looked looked = Look(heap);
  ASSERT_EQ(looked.report.suspects.size(), 1u);
  EXPECT_EQ(looked.report.suspects[0].kind_name, "static linked objects");
  EXPECT_EQ(looked.report.suspects[0].count, 300'000u);
  EXPECT_EQ(looked.report.suspects[0].retained, 300'000u * 40);
}

TEST(Leaks, TheListsOfFewOwnersAreFoundBelowThem) {
  HeapBuilder heap;
  const ClassIndex tenant = heap.Class("Shop.Tenant", {"_orders"});
  const ClassIndex order = heap.Class("Shop.Order", {}, 1000);
  std::vector<ObjectId> tenants;
  for (int i = 0; i < 120; ++i) {
    tenants.push_back(heap.Add(tenant));
    const List list = AddList(heap, "Shop.Order", AddMany(heap, order, 150));
    heap.Refer(tenants.back(), "_orders", list.list);
  }
  heap.Static("Shop.Program", "tenants_", AddList(heap, "Shop.Tenant", tenants).list);
  const Looked looked = Look(heap);
  ASSERT_EQ(looked.report.suspects.size(), 1u);
  EXPECT_EQ(looked.Type(looked.report.suspects[0].type), "Shop.Order");
  EXPECT_EQ(looked.report.suspects[0].kind_name, "list");
  EXPECT_EQ(looked.report.suspects[0].count, 120u * 150);
  EXPECT_EQ(looked.report.suspects[0].owners, 120u);
  EXPECT_TRUE(looked.report.cleared.empty());  // the tenants are the path to the orders
}

TEST(Leaks, WhatTwoListsShareIsFoundAllTheSame) {
  HeapBuilder heap;
  const std::vector<ObjectId> orders = AddMany(heap, heap.Class("Shop.Order", {}, 1000));
  heap.Static("Shop.Program", "all_", AddList(heap, "Shop.Order", orders).list);
  heap.Static("Shop.Report", "recent_", AddList(heap, "Shop.Order", orders).list);
  const Looked looked = Look(heap);
  ASSERT_EQ(looked.report.suspects.size(), 1u);
  EXPECT_EQ(looked.report.suspects[0].kind_name, "static list");
  EXPECT_EQ(looked.report.suspects[0].count, kPlenty);
}

TEST(Leaks, ReportsSayWhatAndWhereAndWhatToDo) {
  HeapBuilder heap;
  AddBuffers(heap);
  const std::vector<ObjectId> orders = AddMany(heap, heap.Class("Shop.Order", {}, 1000));
  heap.Static("Shop.Program", "done_", AddList(heap, "Shop.Order", orders, kPlenty).list);
  const Looked looked = Look(heap);
  const std::string text = LeaksText(*looked.model, *looked.names, looked.report, TextStyle{});
  for (const char* part :
       {"1 suspect:", "Static list: 2,000 Shop.Order", "confidence medium",
        "static Shop.Program.done_", "-> List<Order>._items", "none was ever removed",
        "Large, but not suspicious:", "`hindsight diff RECORDING`"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  for (const size_t width : {size_t{60}, size_t{80}, size_t{200}}) {
    TextStyle style;
    style.width = width;
    std::istringstream lines(LeaksText(*looked.model, *looked.names, looked.report, style));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(TextColumns(line), width) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
  }
  const std::string json = LeaksJson(*looked.model, *looked.names, looked.report);
  EXPECT_NE(json.find("\"kind\": \"static list\""), std::string::npos) << json;
  EXPECT_NE(json.find("\"Shop.Program.done_\""), std::string::npos);
}

// A full queue adds a segment for what comes next: `segments` with `each` of one class; the queue
// refers to the first and the last.
void AddQueue(HeapBuilder& heap, uint32_t segments, uint32_t each) {
  const ClassIndex queue =
      heap.Class("System.Collections.Concurrent.ConcurrentQueue`1", {"_head", "_tail"});
  const ClassIndex segment = heap.Class("System.Collections.Concurrent.ConcurrentQueueSegment`1",
                                        {"_slots", "_nextSegment"});
  const ClassIndex slots = heap.Array("Shop.Sale");
  const ClassIndex sale = heap.Class("Shop.Sale", {}, 1000);
  const ObjectId all = heap.Add(queue);
  ObjectId last = kNoObject;
  for (uint32_t i = 0; i < segments; ++i) {
    const ObjectId part = heap.Add(segment);
    const ObjectId array = heap.Add(slots, each);
    heap.Refer(part, "_slots", array);
    for (uint32_t n = 0; n < each; ++n) heap.Refer(array, n, heap.Add(sale));
    if (last == kNoObject) {
      heap.Refer(all, "_head", part);
    } else {
      heap.Refer(last, "_nextSegment", part);
    }
    last = part;
  }
  heap.Refer(all, "_tail", last);
  heap.Static("Shop.Mailbox", "sales_", all);
}

TEST(Leaks, TheSegmentsOfAQueueAreOne) {
  HeapBuilder heap;
  AddBuffers(heap);
  AddQueue(heap, 3, kPlenty);
  const Looked looked = Look(heap);
  ASSERT_EQ(looked.report.suspects.size(), 1u);
  EXPECT_EQ(looked.report.suspects[0].count, 3 * kPlenty);
  EXPECT_EQ(looked.report.suspects[0].retained, 3 * kPlenty * 1000u);
  EXPECT_EQ(looked.Type(looked.report.suspects[0].type), "Shop.Sale");
}

// A bag has a list for each thread that adds to it.
LeakReport LookAtBag(uint32_t threads, uint32_t each) {
  HeapBuilder heap;
  AddBuffers(heap);
  const ClassIndex bag = heap.Class("System.Collections.Concurrent.ConcurrentBag`1", {"_first"});
  const ClassIndex list = heap.Class(
      "System.Collections.Concurrent.ConcurrentBag`1+WorkStealingQueue", {"_array", "_nextQueue"});
  const ClassIndex array = heap.Array("Shop.Context");
  const ClassIndex context = heap.Class("Shop.Context", {}, 50'000);
  const ObjectId all = heap.Add(bag);
  ObjectId last = all;
  for (uint32_t i = 0; i < threads; ++i) {
    const ObjectId part = heap.Add(list);
    const ObjectId items = heap.Add(array, each);
    heap.Refer(part, "_array", items);
    for (uint32_t n = 0; n < each; ++n) heap.Refer(items, n, heap.Add(context));
    heap.Refer(last, last == all ? "_first" : "_nextQueue", part);
    last = part;
  }
  heap.Static("Shop.Pool", "open_", all);
  return Look(heap).report;
}

TEST(Leaks, TheListsOfABagAreOne) {
  const LeakRules rules;
  ASSERT_EQ(rules.few_count, 100u);
  const LeakReport report = LookAtBag(6, 56);
  ASSERT_EQ(report.suspects.size(), 1u);
  EXPECT_EQ(report.suspects[0].count, 6 * 56u);
  EXPECT_TRUE(LookAtBag(3, 33).suspects.empty());  // 99
  EXPECT_EQ(LookAtBag(4, 25).suspects.size(), 1u);
  // Parts this small are not examined.
  ASSERT_EQ(rules.few_count / rules.parts, 12u);
  EXPECT_EQ(LookAtBag(10, 12).suspects.size(), 1u);
  EXPECT_TRUE(LookAtBag(10, 11).suspects.empty());
}

}  // namespace
}  // namespace hindsight::analyzer
