// What was recorded has measures, with errors and with zeros; what was not has none.
#include "analyzer/analyses/overview/measures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "analyzer/analyses/overview/reports.h"
#include "tests/support/heap_builder.h"
#include "tests/support/profile_scene.h"

namespace hindsight::analyzer {
namespace {

using testing::HeapBuilder;
using testing::ProfileScene;

const Measure* Find(const std::vector<Measure>& measures, std::string_view name,
                    std::string_view subject_kind = "", std::string_view subject = "") {
  const auto found = std::find_if(measures.begin(), measures.end(), [&](const Measure& measure) {
    return measure.kind->name == name && measure.kind->subject == subject_kind &&
           measure.subject == subject;
  });
  return found == measures.end() ? nullptr : &*found;
}

std::vector<Measure> MeasuresOfEvents(const Model& model) {
  return MeasuresOf(MakeReports(std::make_unique<EventReports>(model), nullptr));
}

TEST(MeasureKinds, AreUniqueAndExplained) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const MeasureKind& kind : MeasureKinds()) {
    EXPECT_TRUE(seen.emplace(kind.name, kind.subject).second) << kind.name;
    EXPECT_FALSE(kind.meaning.empty()) << kind.name;
    ASSERT_NE(kind.needs, nullptr) << kind.name;
    EXPECT_EQ(FindMeasureKind(kind.name, kind.subject), &kind);
  }
  EXPECT_EQ(FindMeasureKind("cpu.coffee", ""), nullptr);
}

TEST(Measures, OfCpuTimeCarryTheErrorOfSampling) {
  ProfileScene scene;
  scene.Cpu(scene.Call({"Shop.Program.Main", "Shop.Order.Parse"}), 75);
  scene.Cpu(scene.Call({"Shop.Program.Main"}), 25);
  scene.model().facts.last_ns = 2'000'000'000;
  const std::vector<Measure> measures = MeasuresOfEvents(scene.model());

  const Measure* const cores = Find(measures, "cpu.cores");
  ASSERT_NE(cores, nullptr);
  EXPECT_DOUBLE_EQ(cores->value, 0.5);
  EXPECT_NEAR(cores->error, 1.96 * 0.05, 1e-9);  // ten of a hundred samples, of half a core
  const Measure* const share = Find(measures, "cpu.self.share", "method", "Shop.Order.Parse");
  ASSERT_NE(share, nullptr);
  EXPECT_DOUBLE_EQ(share->value, 0.75);
  EXPECT_GT(share->error, 0.08);
  EXPECT_DOUBLE_EQ(Find(measures, "cpu.share", "method", "Shop.Program.Main")->value, 1);
  EXPECT_DOUBLE_EQ(Find(measures, "cpu.cores", "method", "Shop.Order.Parse")->value, 0.375);
}

TEST(Measures, AreMissingWhereTheSourceWasOff) {
  Model model;
  model.facts.exceptions_on = false;
  const std::vector<Measure> measures = MeasuresOfEvents(model);
  EXPECT_EQ(Find(measures, "cpu.cores"), nullptr);
  EXPECT_EQ(Find(measures, "exceptions.count"), nullptr);
  EXPECT_EQ(Find(measures, "deadlocks.count"), nullptr);
  EXPECT_EQ(Find(measures, "heap.bytes"), nullptr);
  EXPECT_EQ(Find(measures, "recorder.cores"), nullptr);
  EXPECT_NE(Find(measures, "recording.losses"), nullptr);
}

TEST(Measures, AreZeroWhereNothingHappened) {
  Model model;
  model.facts.locks_on = true;
  model.facts.cpu_on = true;
  model.facts.gc_on = true;
  model.facts.last_ns = 1'000'000'000;
  const std::vector<Measure> measures = MeasuresOfEvents(model);
  for (const char* name : {"cpu.cores", "exceptions.count", "exceptions.per_second", "locks.waits",
                           "deadlocks.count", "gc.pause.p99", "threads.started"}) {
    const Measure* const measure = Find(measures, name);
    ASSERT_NE(measure, nullptr) << name;
    EXPECT_EQ(measure->value, 0) << name;
  }
}

TEST(Measures, PausesForCollectionsAreDistinguished) {
  Model model;
  model.facts.last_ns = 1'000'000'000;
  CollectionRow collection;
  collection.at_ns = 1'000'000;
  collection.duration_ns = 2'000'000;
  model.collections.rows = {collection};
  model.collections.suspensions = 2;
  model.collections.pauses = {{.at_ns = 900'000, .total_ns = 4'000'000, .reason = 1},
                              {.at_ns = 500'000'000, .total_ns = 6'000'000, .reason = 9}};
  const std::vector<Measure> measures = MeasuresOfEvents(model);
  EXPECT_EQ(Find(measures, "gc.pause.max")->value, 4'000'000);
  EXPECT_EQ(Find(measures, "gc.pause.count")->value, 1);
  EXPECT_EQ(Find(measures, "pauses.max")->value, 6'000'000);
  EXPECT_DOUBLE_EQ(Find(measures, "pauses.share")->value, 0.01);
  EXPECT_EQ(Find(measures, "gc.heap.peak"), nullptr);  // the recording contains no sizes
}

TEST(Measures, OfRequestsAreByRouteAndByServer) {
  Model model;
  model.facts.requests_on = true;
  EXPECT_EQ(Find(MeasuresOfEvents(model), "requests.count", "route", "GET /item"), nullptr);
  const auto add = [&model](RequestKind::Side side, const char* tags, uint64_t count) {
    RequestKind& kind = model.requests.kinds.emplace_back();
    kind.side = side;
    kind.tags = tags;
    kind.count = count;
    kind.total_ns = count * 1000;
    kind.durations.Add(1000, count);
  };
  add(RequestKind::Side::kServed, "http.request.method=GET,http.route=/item", 6);
  add(RequestKind::Side::kServed,
      "http.request.method=GET,http.response.status_code=500,http.route=/item", 2);
  add(RequestKind::Side::kMade,
      "error.type=timeout,http.request.method=POST,server.address=bank,server.port=443", 3);
  const std::vector<Measure> measures = MeasuresOfEvents(model);
  EXPECT_EQ(Find(measures, "requests.count", "route", "GET /item")->value, 8);
  EXPECT_DOUBLE_EQ(Find(measures, "requests.failed.share", "route", "GET /item")->value, 0.25);
  EXPECT_NEAR(Find(measures, "requests.time.p95", "route", "GET /item")->value, 1000, 16);
  EXPECT_EQ(Find(measures, "calls.failed", "server", "POST bank:443")->value, 3);
  EXPECT_EQ(Find(measures, "calls.time.mean", "server", "POST bank:443")->value, 1000);
}

TEST(Measures, OfAHeapAreByTypeTheLargestFirst) {
  HeapBuilder heap;
  const ClassIndex order = heap.Class("Shop.Order", {"_next"}, 104);
  const ClassIndex line = heap.Class("Shop.Line", {}, 304);
  const ObjectId first = heap.Add(order);
  const ObjectId second = heap.Add(order);
  heap.Refer(first, "_next", second);
  heap.Refer(second, "_next", heap.Add(line));
  heap.Root(first);
  heap.Add(line);  // garbage
  const std::unique_ptr<HeapModel> model = heap.Build();
  const RootPaths paths(model->graph);
  const Dominators dominators = ComputeDominators(model->graph);
  const Reports reports =
      MakeReports(nullptr, std::make_unique<HeapReports>(*model, paths, dominators, nullptr));

  const std::vector<Measure> measures = MeasuresOf(reports);
  EXPECT_EQ(Find(measures, "heap.bytes")->value, 512);
  EXPECT_EQ(Find(measures, "heap.unreachable")->value, 304);
  EXPECT_EQ(Find(measures, "heap.retained", "type", "Shop.Order")->value, 512);
  EXPECT_EQ(Find(measures, "heap.bytes", "type", "Shop.Order")->value, 208);
  EXPECT_EQ(Find(measures, "heap.objects", "type", "Shop.Line")->value, 1);
  EXPECT_EQ(Find(measures, "cpu.cores"), nullptr);
  EXPECT_EQ(Find(measures, "tasks.stuck"), nullptr);  // there is no snapshot before
  EXPECT_TRUE(std::is_sorted(measures.begin(), measures.end(), [](const auto& a, const auto& b) {
    return a.kind != b.kind ? a.kind < b.kind : a.value > b.value;
  }));
}

}  // namespace
}  // namespace hindsight::analyzer
