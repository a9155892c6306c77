// Shortest paths from the roots: for one object, and for many merged into a tree.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "analyzer/analyses/heap/merged_paths.h"
#include "analyzer/analyses/references/owner_path.h"
#include "analyzer/analyses/references/root_paths.h"
#include "tests/support/heap_builder.h"

namespace hindsight::analyzer {
namespace {

using testing::HeapBuilder;

std::string Path(const HeapModel& model, ObjectId id, size_t max_parts = 12) {
  const SlotNames names(model);
  const RootPaths paths = FindRootPaths(model);
  std::string out;
  for (const std::string& part : PathParts(model, names, paths, id, max_parts)) {
    out += (out.empty() ? "" : " -> ") + part;
  }
  return out;
}

// The same from a path in steps.
std::string Steps(const HeapModel& model, ObjectId id) {
  const SlotNames names(model);
  const RootPaths paths(model.graph);
  std::string out;
  for (const std::string& part :
       OwnerParts(model, names, MakeOwnerPath(model, names, paths, paths.PathTo(id)))) {
    out += (out.empty() ? "" : " -> ") + part;
  }
  return out;
}

// Lines of `depth edge:type objects/bytes own`, as the tree has them.
std::vector<std::string> Lines(const HeapModel& model, const HeapTree& tree) {
  std::vector<std::string> out;
  for (const HeapTreeNode& node : tree.nodes) {
    std::string line = std::to_string(node.depth) + (node.continues ? "+ " : " ") + node.edge;
    line += ":" + std::string(model.dictionaries.String(model.dictionaries.type(node.type).name));
    line += " " + std::to_string(node.objects) + "/" + std::to_string(node.bytes);
    line += " " + std::to_string(node.own_objects);
    if (node.repeats) line += " again";
    if (node.folded_children > 0) line += " folded " + std::to_string(node.folded_objects);
    out.push_back(line);
  }
  return out;
}

MergedPaths Merge(const HeapModel& model, std::string_view target, double min_share = 0) {
  const SlotNames names(model);
  const RootPaths paths(model.graph);
  return MergePaths(model, names, paths, *FindTargets(model, target), {min_share, 64});
}

TEST(RootPaths, LeadThroughAStaticsField) {
  HeapBuilder heap;
  const TypeId item_type = heap.Type("Shop.Item");
  const TypeId map_type =
      heap.Type("System.Collections.Generic.Dictionary`2", {heap.Type("System.String"), item_type});
  const ClassIndex map = heap.Class(map_type, {"_buckets", "_entries"});
  const ClassIndex entries =
      heap.StructArray(heap.Type("System.Collections.Generic.Dictionary`2+Entry",
                                 {heap.Type("System.String"), item_type}),
                       {"key", "value"});
  const ClassIndex item = heap.Class(item_type);
  const ObjectId cache = heap.Add(map);
  const ObjectId array = heap.Add(entries, 4);
  const ObjectId value = heap.Add(item);
  heap.Refer(cache, "_entries", array);
  heap.Refer(array, 2 * 2 + 1, value);
  heap.Static("Shop.Cache", "_items", cache);
  const auto model = heap.Build();
  EXPECT_EQ(Path(*model, value),
            "static Shop.Cache._items -> Dictionary<string, Item>._entries -> "
            "Dictionary<string, Item>.Entry[].value -> Item");
  EXPECT_EQ(Path(*model, cache), "static Shop.Cache._items -> Dictionary<string, Item>");
}

// Each thread has a table of its values in ThreadLocals; a ThreadLocal also refers to all of its
// own values.
TEST(RootPaths, LeadThroughAThreadsSlotsOnlyWhereNothingElseDoes) {
  HeapBuilder heap;
  const ClassIndex slots = heap.StructArray(
      heap.Type("System.Threading.ThreadLocal`1+LinkedSlotVolatile", {heap.Type("Shop.Queue")}),
      {"Value"});
  const ClassIndex queue = heap.Class("Shop.Queue", {"_next", "_items"});
  const ClassIndex item = heap.Class("Shop.Item");
  const ObjectId table = heap.Add(slots, 2);
  const ObjectId bag = heap.Add(queue), first = heap.Add(queue), second = heap.Add(queue),
                 alone = heap.Add(queue);
  const ObjectId in_second = heap.Add(item), in_alone = heap.Add(item);
  heap.Refer(table, 0, second);
  heap.Refer(table, 1, alone);
  heap.Refer(bag, "_next", first);
  heap.Refer(first, "_next", second);
  heap.Refer(second, "_items", in_second);
  heap.Refer(alone, "_items", in_alone);
  heap.Root(table, RootKind::kStack, "");
  heap.Static("Shop.Bag", "all_", bag);
  const auto model = heap.Build();
  const RootPaths paths = FindRootPaths(*model);
  EXPECT_EQ(paths.PathTo(in_second).size(), 5u);  // with the holder of the static field
  EXPECT_EQ(paths.Parent(second), first);
  EXPECT_EQ(paths.Parent(alone), table);
  EXPECT_EQ(paths.order().size(), RootPaths(model->graph).order().size());
  EXPECT_EQ(RootPaths(model->graph).Parent(second), table);
}

// A web application with `containers`, a request's frame that leads to each of them, a cache in the
// scope of the request, and one in the root scope.
struct Services {
  explicit Services(size_t containers) {
    const std::string di = "Microsoft.Extensions.DependencyInjection.";
    const ClassIndex provider = heap.Class(di + "ServiceProvider", {"Root"});
    const ClassIndex scope = heap.Class(di + "ServiceLookup.ServiceProviderEngineScope",
                                        {"_disposables", "RootProvider"});
    const ClassIndex context = heap.Class("Web.HttpContext", {"Factory", "Scope"});
    const ClassIndex cache = heap.Class("Shop.Cache", {"_items"});
    for (size_t i = 0; i < containers; ++i) {
      const ObjectId container = heap.Add(provider);
      const ObjectId root = heap.Add(scope), of_request = heap.Add(scope), at = heap.Add(context);
      shared = heap.Add(cache);
      own = heap.Add(cache);
      heap.Root(at, RootKind::kStack, "Shop.Program.Handle");
      heap.Refer(at, "Factory", root);
      heap.Refer(at, "Scope", of_request);
      heap.Refer(root, "_disposables", shared);
      heap.Refer(root, "RootProvider", container);
      heap.Refer(container, "Root", root);
      heap.Refer(of_request, "_disposables", own);
      heap.Refer(of_request, "RootProvider", container);
      scope_of_root = root;
    }
    model = heap.Build();
  }

  HeapBuilder heap;
  ObjectId shared = 0, own = 0, scope_of_root = 0;
  std::unique_ptr<HeapModel> model;
};

TEST(RootPaths, BeginAtTheServiceContainer) {
  const Services services(1);
  EXPECT_EQ(Path(*services.model, services.shared),
            "service container -> ServiceProviderEngineScope._disposables -> Cache");
  EXPECT_EQ(Path(*services.model, services.own),
            "stack Shop.Program.Handle -> HttpContext.Scope -> "
            "ServiceProviderEngineScope._disposables -> Cache");
  for (const ObjectId id : {services.shared, services.own, services.scope_of_root}) {
    EXPECT_EQ(Steps(*services.model, id), Path(*services.model, id));
  }
  // What leads to the container itself.
  EXPECT_EQ(Path(*services.model, services.scope_of_root),
            "stack Shop.Program.Handle -> HttpContext.Factory -> ServiceProviderEngineScope");
}

TEST(RootPaths, DoNotBeginAtOneOfManyServiceContainers) {
  EXPECT_TRUE(Path(*Services(16).model, Services(16).shared).starts_with("service container -> "));
  const Services many(17);
  EXPECT_EQ(Path(*many.model, many.shared),
            "stack Shop.Program.Handle -> HttpContext.Factory -> "
            "ServiceProviderEngineScope._disposables -> Cache");
}

TEST(RootPaths, AreTheShortestAndPreferStatics) {
  HeapBuilder heap;
  const ClassIndex node = heap.Class("Shop.Node", {"_next", "_other"});
  const ObjectId a = heap.Add(node);
  const ObjectId b = heap.Add(node);
  const ObjectId c = heap.Add(node);
  heap.Refer(a, "_next", b);
  heap.Refer(b, "_next", c);
  heap.Root(c, RootKind::kStack, "Shop.Program.Main");
  heap.Root(a, RootKind::kStack, "Shop.Program.Main");
  heap.Static("Shop.Cache", "_head", a);
  const auto model = heap.Build();
  EXPECT_EQ(Path(*model, a), "static Shop.Cache._head -> Node");
  EXPECT_EQ(Path(*model, b), "static Shop.Cache._head -> Node._next -> Node");
  EXPECT_EQ(Path(*model, c), "stack Shop.Program.Main -> Node");
}

TEST(RootPaths, PreferRootsThatExplainMore) {
  HeapBuilder heap;
  const ClassIndex node = heap.Class("Shop.Node", {"_next"});
  const ObjectId a = heap.Add(node);
  heap.Root(a, RootKind::kWeakHandle);
  heap.Root(a, RootKind::kFinalizerQueue);
  heap.Root(a, RootKind::kStack);
  heap.Root(a, RootKind::kStack, "Shop.Program.Main");
  const auto model = heap.Build();
  EXPECT_EQ(Path(*model, a), "stack Shop.Program.Main -> Node");
}

TEST(RootPaths, ComeFromTheFinalizerQueueOnlyWhereNothingElseHolds) {
  HeapBuilder heap;
  const ClassIndex node = heap.Class("Shop.Node", {"_next"});
  const ObjectId queued = heap.Add(node);
  const ObjectId far = heap.Add(node);
  const ObjectId end = heap.Add(node);
  const ObjectId only = heap.Add(node);
  heap.Root(queued, RootKind::kFinalizerQueue);
  heap.Refer(queued, "_next", end);
  heap.Root(far);
  const ObjectId between = heap.Add(node);
  heap.Refer(far, "_next", between);
  heap.Refer(between, "_next", end);
  heap.Root(only, RootKind::kFinalizerQueue);
  const auto model = heap.Build();
  EXPECT_EQ(Path(*model, end), "strong handle -> Node._next -> Node._next -> Node");
  EXPECT_EQ(Path(*model, only), "finalizer queue -> Node");
}

// Another thread waits for the list's monitor: that is not what keeps the list alive.
// It was passed to them, or they are about to put it where its owner will find it.
TEST(RootPaths, ComeFromAFrameOfTheFrameworkOnlyWhereNothingElseHolds) {
  HeapBuilder heap;
  const ObjectId feed = heap.Add(heap.Class("Shop.Feed", {"_subscribers"}));
  const ClassIndex list = heap.Class("Shop.Subscribers", {});
  const ObjectId subscribers = heap.Add(list);
  const ObjectId only = heap.Add(list);
  heap.Refer(feed, "_subscribers", subscribers);
  heap.Root(subscribers, RootKind::kStack, "System.Threading.Monitor.Enter_Slowpath");
  heap.Root(only, RootKind::kStack, "System.Threading.Monitor.Enter_Slowpath");
  heap.Root(feed, RootKind::kStack, "Shop.Feed.Publish");
  const ObjectId prices = heap.Add(heap.Class("System.Reactive.Subjects.Subject", {"_observers"}));
  const ClassIndex observers = heap.Array("Shop.Observer");
  const ObjectId before = heap.Add(observers, 1), after = heap.Add(observers, 2);
  const ObjectId observer = heap.Add(heap.Class("Shop.Observer", {}));
  heap.Refer(prices, "_observers", before);
  heap.Refer(before, 0, observer);
  heap.Refer(after, 0, observer);
  heap.Static("Shop.Program", "prices_", prices);
  heap.Root(after, RootKind::kStack, "System.Reactive.Subjects.Subject.Subscribe");
  const auto model = heap.Build();
  EXPECT_EQ(Path(*model, subscribers),
            "stack Shop.Feed.Publish -> Feed._subscribers -> Subscribers");
  EXPECT_EQ(Path(*model, observer),
            "static Shop.Program.prices_ -> Subject._observers -> Observer[] -> Observer");
  EXPECT_EQ(Path(*model, only), "stack System.Threading.Monitor.Enter_Slowpath -> Subscribers");
}

TEST(RootPaths, WeakHandlesHoldNothingAndDependentOnesTheirValue) {
  HeapBuilder heap;
  const ClassIndex node = heap.Class("Shop.Node", {"_next"});
  const ObjectId weak = heap.Add(node);
  const ObjectId key = heap.Add(node);
  const ObjectId value = heap.Add(node);
  const ObjectId lost = heap.Add(node);
  heap.Root(weak, RootKind::kWeakHandle);
  heap.Root(key, RootKind::kPinnedHandle);
  heap.Dependent(key, value);
  heap.Dependent(weak, lost);
  const auto model = heap.Build();
  EXPECT_EQ(Path(*model, weak), "(unreachable) -> Node");
  EXPECT_EQ(Path(*model, lost), "(unreachable) -> Node");
  EXPECT_EQ(Path(*model, value), "pinned handle -> Node.(dependent) -> Node");
}

TEST(RootPaths, OfADeepListTakeNoStackAndOnePart) {
  constexpr ObjectId kNodes = 300'000;
  HeapBuilder heap;
  const ClassIndex node = heap.Class("Shop.Node", {"_next"});
  for (ObjectId i = 0; i < kNodes; ++i) heap.Add(node);
  for (ObjectId i = 0; i + 1 < kNodes; ++i) heap.Refer(i, uint64_t{0}, i + 1);
  heap.Static("Shop.Chain", "s_head", 0);
  const auto model = heap.Build();
  EXPECT_EQ(Path(*model, kNodes - 1),
            "static Shop.Chain.s_head -> Node._next (299,999 times) -> Node");
  const MergedPaths merged = Merge(*model, "Node");
  EXPECT_EQ(Lines(*model, merged.tree),
            (std::vector<std::string>{"0 static Shop.Chain.s_head:Shop.Node 300000/7200000 1",
                                      "1 ._next:Shop.Node 299999/7199976 299999 again"}));
}

TEST(RootPaths, LongOnesLoseTheirMiddle) {
  HeapBuilder heap;
  std::vector<ObjectId> chain;
  for (int i = 0; i < 20; ++i) {
    chain.push_back(heap.Add(heap.Class("Shop.C" + std::to_string(i), {"_f"})));
    if (i > 0) heap.Refer(chain[i - 1], "_f", chain[i]);
  }
  heap.Root(chain[0]);
  const auto model = heap.Build();
  EXPECT_EQ(Path(*model, chain[19], 6),
            "strong handle -> C0._f -> C1._f -> (16 more) -> C18._f -> C19");
}

TEST(MergedPaths, FoldEqualWaysAndCountThem) {
  HeapBuilder heap;
  const ClassIndex list = heap.Class("Shop.List", {"_items"});
  const ClassIndex array = heap.Array("Shop.Item");
  const ClassIndex item = heap.Class("Shop.Item");
  const ObjectId a = heap.Add(list);
  const ObjectId slots = heap.Add(array, 5);
  heap.Refer(a, "_items", slots);
  std::vector<ObjectId> items;
  for (uint64_t i = 0; i < 3; ++i) heap.Refer(slots, i, heap.Add(item));
  const ObjectId single = heap.Add(item);
  heap.Add(item);  // garbage
  heap.Static("Shop.Cache", "_items", a);
  heap.Root(single, RootKind::kStack, "Shop.Program.Main");
  const auto model = heap.Build();
  const MergedPaths merged = Merge(*model, "Shop.Item");
  EXPECT_EQ(merged.tree.objects, 4u);
  EXPECT_EQ(merged.tree.bytes, 4 * 24u);
  EXPECT_EQ(merged.unreachable_objects, 1u);
  EXPECT_EQ(merged.unreachable_bytes, 24u);
  EXPECT_EQ(Lines(*model, merged.tree),
            (std::vector<std::string>{"0 static Shop.Cache._items:Shop.List 3/72 0",
                                      "1+ ._items: 3/72 0", "2+ []:Shop.Item 3/72 3",
                                      "0 stack Shop.Program.Main:Shop.Item 1/24 1"}));
  const MergedPaths pruned = Merge(*model, "Shop.Item", 0.5);
  EXPECT_EQ(pruned.tree.nodes.size(), 3u);
  EXPECT_EQ(pruned.tree.folded_objects, 1u);
  EXPECT_EQ(pruned.tree.folded_children, 1u);
}

TEST(MergedPaths, KeepFieldsApart) {
  HeapBuilder heap;
  const ClassIndex pairs = heap.StructArray(heap.Type("Shop.Pair"), {"key", "value"});
  const ClassIndex item = heap.Class("Shop.Item");
  const ObjectId array = heap.Add(pairs, 100);
  for (uint64_t i = 0; i < 100; i += 2) heap.Refer(array, i * 2, heap.Add(item));
  for (uint64_t i = 0; i < 30; ++i) heap.Refer(array, i * 2 + 1, heap.Add(item));
  heap.Root(array);
  const auto model = heap.Build();
  EXPECT_EQ(Lines(*model, Merge(*model, "Item").tree),
            (std::vector<std::string>{"0 strong handle: 80/1920 0", "1 [].key:Shop.Item 50/1200 50",
                                      "1 [].value:Shop.Item 30/720 30"}));
}

TEST(MergedPaths, OfOneObjectAndOfAStaticsHolder) {
  HeapBuilder heap;
  const ClassIndex item = heap.Class("Shop.Item");
  const ObjectId a = heap.Add(item);
  const ObjectId b = heap.Add(item);
  heap.Static("Shop.Cache", "_a", a);
  heap.Static("Shop.Cache", "_b", b);
  const auto model = heap.Build();
  EXPECT_EQ(Lines(*model, Merge(*model, AddressText(model->graph.Address(b))).tree),
            (std::vector<std::string>{"0 static Shop.Cache._b:Shop.Item 1/24 1"}));
  EXPECT_EQ(Lines(*model, Merge(*model, "object[]").tree),
            (std::vector<std::string>{"0 pinned handle: 1/40 1"}));
}

TEST(MergedPaths, EndCyclesAndWindingWays) {
  HeapBuilder heap;
  const ClassIndex node = heap.Class("Shop.Node", {"_left", "_right"});
  constexpr ObjectId kNodes = 4095;  // a full tree
  for (ObjectId i = 0; i < kNodes; ++i) heap.Add(node);
  for (ObjectId i = 0; 2 * i + 2 < kNodes; ++i) {
    heap.Refer(i, "_left", 2 * i + 1);
    heap.Refer(i, "_right", 2 * i + 2);
  }
  heap.Refer(kNodes - 1, "_left", 0);
  heap.Static("Shop.Tree", "s_root", 0);
  const auto model = heap.Build();
  const HeapTree tree = Merge(*model, "Node").tree;
  EXPECT_EQ(tree.objects, kNodes);
  ASSERT_EQ(tree.nodes.size(), 5u);
  EXPECT_EQ(tree.nodes[0].objects, kNodes);
  EXPECT_TRUE(tree.nodes[1].repeats);
}

TEST(RootPaths, OfAnEmptyHeapAreEmpty) {
  HeapBuilder heap;
  const auto model = heap.Build();
  const RootPaths paths(model->graph);
  EXPECT_TRUE(paths.order().empty());
}

}  // namespace
}  // namespace hindsight::analyzer
