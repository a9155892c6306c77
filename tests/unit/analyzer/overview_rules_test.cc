// From where on the overview tells what it found: edges beside those of the tests of each signal.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "analyzer/analyses/call_paths.h"
#include "analyzer/analyses/overview/finding.h"
#include "analyzer/analyses/overview/reports.h"
#include "analyzer/analyses/waits/pool_health.h"
#include "tests/support/profile_scene.h"

namespace hindsight::analyzer {
namespace {

class OverviewRulesTest : public ::testing::Test {
 protected:
  OverviewRulesTest() {
    RecordingFacts& facts = model().facts;
    facts.last_ns = 10 * kSecondNs;
    facts.gc_on = facts.locks_on = facts.waits_on = true;
  }

  static constexpr int64_t kSecondNs = 1'000'000'000;

  Model& model() { return scene_.model(); }

  // Empty if there is none of that kind.
  Finding Find(std::string_view kind) {
    const Reports reports = MakeReports(std::make_unique<EventReports>(model()), nullptr);
    const Overview overview = FindAll(reports);
    const auto found = std::ranges::find(overview.findings, kind, &Finding::kind);
    return found == overview.findings.end() ? Finding() : *found;
  }

  // 1 GB each.
  void Allocate(uint64_t samples, AllocationHeap heap) {
    const CallId call = scene_.Call({"Shop.Program.Main", "Shop.Report.Join"});
    for (uint64_t i = 0; i < samples; ++i) {
      scene_.Allocate(call, "Shop.Line", 1000, 1e9);
      model().samples.allocations.samples.back().heap = heap;
    }
  }

  testing::ProfileScene scene_;
};

TEST_F(OverviewRulesTest, ATypeIsToldFromSoManySamplesOn) {
  Allocate(kFewSamples - 1, AllocationHeap::kSmall);
  EXPECT_EQ(Find("hot-type").subject, "");
  Allocate(1, AllocationHeap::kSmall);
  EXPECT_EQ(Find("hot-type").subject, "Shop.Line");
}

TEST_F(OverviewRulesTest, WhoAllocatesLargeObjectsIsToldFromSoManySamplesOn) {
  for (int64_t i = 1; i <= 20; ++i) {
    CollectionRow row;
    row.at_ns = i * kSecondNs / 4;
    row.duration_ns = 50'000'000;
    row.generation = 2;
    row.detailed = true;
    row.type = CollectionType::kBackground;
    row.reason = 4;  // large objects were allocated
    model().collections.rows.push_back(row);
  }
  Allocate(kFewSamples - 1, AllocationHeap::kLarge);
  EXPECT_EQ(Find("large-objects").kind, "large-objects");
  EXPECT_EQ(Find("large-objects").subject, "");
  Allocate(1, AllocationHeap::kLarge);
  EXPECT_EQ(Find("large-objects").subject, "Shop.Report.Join");
}

// What does little itself is told only if threads begin elsewhere, most of its time.
TEST_F(OverviewRulesTest, AMethodBeginsThreadsFromAShareOfItsTimeOn) {
  const auto burn = [this](const std::vector<std::string>& path, uint32_t samples) {
    scene_.Cpu(scene_.Call(path), samples);
  };
  for (const char* callee : {"Shop.Part.A", "Shop.Part.B", "Shop.Part.C", "Shop.Part.D"}) {
    burn({"Shop.Work.Run", callee}, 50);
    burn({"Shop.Program.Main", "Shop.Work.Run", callee}, 50);
  }
  EXPECT_EQ(Find("hot-path").kind, "");
  burn({"Shop.Program.Main", "Shop.Work.Run", "Shop.Part.A"}, 1);
  EXPECT_EQ(Find("hot-path").subject, "Shop.Work.Run");
}

// The pool found itself starving, and its workers block; but some work was completed each second.
TEST_F(OverviewRulesTest, OfAPoolWithoutAStallNoneIsTold) {
  for (int64_t i = 0; i < 4; ++i) {
    model().waits.samples.push_back({i * kSecondNs, 2, 100, static_cast<uint64_t>(i)});
  }
  model().facts.last_ns = 4 * kSecondNs;
  model().waits.starvations = PoolRules{}.many_starvations;
  ThreadInSnapshot standing;
  for (const char* method : {"System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart",
                             "System.Threading.ThreadPoolWorkQueue.Dispatch", "Shop.Cart.Load",
                             "System.Threading.Tasks.Task.Wait"}) {
    standing.stack = model().dictionaries.AddStack(standing.stack, scene_.Method(method));
  }
  standing.state = ThreadRunState::kSleeping;
  ThreadSnapshot snapshot;
  snapshot.threads = {standing, standing};
  model().waits.snapshots.push_back(snapshot);
  const Finding without = Find("strained");
  EXPECT_EQ(without.title, "The runtime detected thread pool starvation 3 times");
  EXPECT_EQ(without.evidence,
            "The runtime detected starvation 3 times; at most 100 work items were queued; 2 of 2 "
            "workers were blocked, most of them in Shop.Cart.Load.");
  // Of one that stood still for less than starvation takes it is told.
  model().facts.last_ns = 4 * kSecondNs + kSecondNs / 2;
  EXPECT_NE(Find("strained").evidence.find(", and at most 400.0 ms passed without progress;"),
            std::string::npos)
      << Find("strained").evidence;
}

}  // namespace
}  // namespace hindsight::analyzer
