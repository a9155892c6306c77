// Snapshot after snapshot of a process that allocates all the time: it does its work undisturbed,
// each snapshot is complete, and at the end the process holds what it held before.
//
// HINDSIGHT_SNAPSHOTS=10000: this many for each runtime, or as many as fit in
// HINDSIGHT_SNAPSHOT_SECONDS, 1200 by default; it prints how many there were.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <regex>

#include "tests/live/harness/heap_snapshot.h"
#include "tests/live/harness/held.h"
#include "tests/live/harness/sample.h"

namespace hindsight::live {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kSnapshots = 20;

int Number(const char* variable, int otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atoi(text);
}

class HeapEnduranceTest : public testing::TestWithParam<int> {};

TEST_P(HeapEnduranceTest, SnapshotsLeaveAnAllocatingProcessAsItWas) {
  constexpr uint64_t kNodes = 20'000;
  constexpr int kReadEvery = 20;  // of the others, only the end packets are read
  constexpr size_t kMappingsSlack = 16;
  constexpr uint64_t kMemorySlackKiB = 8192;
  const int snapshots = Number("HINDSIGHT_SNAPSHOTS", kSnapshots);
  const int warm_up = std::max(5, snapshots / 20);
  const auto until =
      Clock::now() + std::chrono::seconds(Number("HINDSIGHT_SNAPSHOT_SECONDS", 1200));
  pid_t pid = 0;
  const auto report = [&](int taken, const char* prefix) {
    if (snapshots <= kSnapshots) return;
    std::cout << prefix << "Net" << GetParam() << ", " << taken << " snapshots: " << HeldBy(pid)
              << std::endl;
  };
  const Workspace workspace;
  EnvironmentVariables variables = StartUp(workspace / "out", "sources=heap,gc");
  // 2 MiB are allocated before a collection: memory does not move, and collections come all the
  // time.
  variables.emplace_back("DOTNET_GCgen0size", "200000");
  variables.emplace_back("MALLOC_ARENA_MAX", "1");
  HeapApplication application(GetParam(), "BigHeap",
                              {"--objects", std::to_string(kNodes), "--allocate", "2"}, variables);
  pid = application.pid();
  Held before = HeldBy(pid);
  report(0, "long: ");
  int taken = 0;
  while (taken < snapshots && Clock::now() < until) {
    SCOPED_TRACE(taken);
    const fs::path snapshot = application.SnapshotFile();
    ASSERT_FALSE(snapshot.empty())
        << (application.process().IsRunning() ? "the application runs on"
                                              : application.process().Wait()->Describe());
    const analyzer::HeapFacts facts = FactsOf(snapshot);
    ASSERT_TRUE(facts.complete()) << facts.result_reason;
    ASSERT_GT(facts.certified_objects, kNodes);
    if (taken % kReadEvery == 0) {
      const auto model = ReadSnapshot(snapshot);
      ASSERT_EQ(Defects(*model), "");
      ASSERT_EQ(BigHeapNodes(ContentsOf(*model, "BigHeap")), kNodes);
    }
    fs::remove(snapshot);
    ++taken;
    if (taken <= warm_up) before = Most(before, HeldBy(pid));
    if (taken % 200 == 0) report(taken, "");
  }
  const auto is_as_before = [&] {
    const Held held = HeldBy(pid);
    return held.threads <= before.threads && held.descriptors <= before.descriptors &&
           held.mappings <= before.mappings + kMappingsSlack &&
           held.anonymous_kib <= before.anonymous_kib + kMemorySlackKiB;
  };
  EXPECT_TRUE(WaitUntil(is_as_before)) << "before: " << before << "\nnow: " << HeldBy(pid);
  report(taken, "long: ");
  RecordProperty("snapshots", taken);
  const std::string said = application.End();
  EXPECT_TRUE(std::regex_match(said, std::regex("done\nload: [1-9][0-9]* checked, 0 broken\n")))
      << said;
}

INSTANTIATE_TEST_SUITE_P(Net, HeapEnduranceTest, testing::ValuesIn(kRuntimes));

}  // namespace
}  // namespace hindsight::live
