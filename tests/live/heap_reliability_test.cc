// Consecutive snapshots of a busy process: it does its work undisturbed, nothing of ours is left in
// it, and each snapshot is complete.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/types.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <ostream>
#include <regex>
#include <thread>

#include "tests/live/harness/heap_snapshot.h"
#include "tests/live/harness/held.h"
#include "tests/live/harness/sample.h"

namespace hindsight::live {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

int Repeats() {
  const char* text = std::getenv("HINDSIGHT_LIVE_REPEATS");
  return text == nullptr ? 5 : std::atoi(text);
}

struct Child {
  pid_t pid = 0;
  char state = '?';
};

std::vector<Child> ChildrenOf(pid_t parent) {
  std::vector<Child> children;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0) continue;
    std::ifstream stream(entry.path() / "stat");
    std::string text;
    std::getline(stream, text);  // empty if it ends in the meantime, where an iterator would throw
    const size_t name_end = text.rfind(')');
    if (name_end == std::string::npos) continue;
    Child child{.pid = pid};
    pid_t its_parent = 0;
    std::sscanf(text.c_str() + name_end + 1, " %c %d", &child.state, &its_parent);
    if (its_parent == parent) children.push_back(child);
  }
  return children;
}

struct Setting {
  const char* name;
  const char* is_server;
  bool is_started;  // with the recorder in it; otherwise it comes and goes with each snapshot
};

void PrintTo(const Setting& setting, std::ostream* out) { *out << setting.name; }

class HeapReliabilityTest : public testing::TestWithParam<Setting> {};

TEST_P(HeapReliabilityTest, ABusyProcessIsNotDisturbedBySnapshotsInARow) {
  constexpr uint64_t kNodes = 100'000;
  const Workspace workspace;
  EnvironmentVariables variables;
  if (GetParam().is_started) variables = StartUp(workspace / "out", "sources=heap,gc");
  variables.emplace_back("DOTNET_gcServer", GetParam().is_server);
  variables.emplace_back("DOTNET_GCHeapCount", "2");
  // A recorder that is attached in the middle of a background collection cannot know about it, and
  // references in what that sweeps are not updated: the graph's garbage may refer to objects that
  // are gone.
  if (!GetParam().is_started) variables.emplace_back("DOTNET_gcConcurrent", "0");
  HeapApplication application(
      10, "BigHeap", {"--objects", std::to_string(kNodes), "--allocate", "8", "--processes"},
      variables);

  constexpr int kWarmUp = 3;
  constexpr int kOwnDescriptors = 8;
  const int repeats = Repeats();
  size_t descriptors = 0;
  for (int i = 0; i < repeats; ++i) {
    SCOPED_TRACE(i);
    const fs::path snapshot = application.SnapshotFile();
    ASSERT_FALSE(snapshot.empty())
        << (application.process().IsRunning() ? "the application runs on"
                                              : application.process().Wait()->Describe());
    const auto model = ReadSnapshot(snapshot);
    ASSERT_EQ(Defects(*model), "");
    const HeapContents contents = ContentsOf(*model, "BigHeap");
    ASSERT_EQ(BigHeapNodes(contents), kNodes);
    ASSERT_EQ(contents.types.at("BigHeap.Node[]"), 1u);
    if (!GetParam().is_started) fs::remove_all(snapshot.parent_path());
    if (i <= kWarmUp) descriptors = std::max(descriptors, DescriptorsOf(application.pid()));
  }
  // The process opens and closes pipes all the time, and opens assemblies when it needs them. The
  // number varies; a descriptor lost with each snapshot would add up.
  EXPECT_TRUE(
      WaitUntil([&] { return DescriptorsOf(application.pid()) <= descriptors + kOwnDescriptors; }));
  // A zombie stays; a process that is being reaped does not.
  EXPECT_TRUE(WaitUntil([&] {
    const std::vector<Child> children = ChildrenOf(application.pid());
    return std::ranges::none_of(children, [](const Child& one) { return one.state == 'Z'; });
  }));
  const std::string said = application.End();
  EXPECT_TRUE(std::regex_match(said, std::regex("done\nload: [1-9][0-9]* checked, 0 broken\n")))
      << said;
}

INSTANTIATE_TEST_SUITE_P(Net, HeapReliabilityTest,
                         testing::Values(Setting{"WorkstationStarted", "0", true},
                                         Setting{"WorkstationAttached", "0", false},
                                         Setting{"ServerStarted", "1", true},
                                         Setting{"ServerAttached", "1", false}),
                         [](const auto& info) { return std::string(info.param.name); });

// An idle process, so that changes of its memory are caused by the recorder alone.
TEST(HeapMemoryTest, SnapshotsInARowLeaveNothingInTheProcess) {
  constexpr int kWarmUp = 3;
  constexpr uint64_t kSlackKiB = 4096;
  // The C library reserves 64 MiB of addresses, never memory, for a new thread's first allocation:
  // for eight threads a processor at most.
  const uint64_t addresses_kib = 64u * 1024 * 8 * std::thread::hardware_concurrency();
  const Workspace workspace;
  HeapApplication application(10, "Leak", {}, StartUp(workspace / "out", "sources=heap,gc"));
  uint64_t memory = 0, size = 0;
  size_t descriptors = 0;
  const int repeats = kWarmUp + Repeats();
  for (int i = 0; i < repeats; ++i) {
    ASSERT_FALSE(application.SnapshotFile().empty()) << i;
    if (i + 1 != kWarmUp) continue;
    memory = StatusNumber(application.pid(), "RssAnon:");
    size = StatusNumber(application.pid(), "VmSize:");
    descriptors = DescriptorsOf(application.pid());
  }
  ASSERT_GT(memory, 0u);
  EXPECT_LT(StatusNumber(application.pid(), "RssAnon:"), memory + kSlackKiB);
  EXPECT_LT(StatusNumber(application.pid(), "VmSize:"), size + addresses_kib);
  EXPECT_EQ(DescriptorsOf(application.pid()), descriptors);
  EXPECT_TRUE(ChildrenOf(application.pid()).empty());
  EXPECT_EQ(application.End(), "done\n");
}

// Where the process cannot be copied: what the walk finds is kept, and written after the pause.
class HeapInPauseTest : public testing::TestWithParam<int> {};

TEST_P(HeapInPauseTest, IsComplete) {
  constexpr uint64_t kNodes = 1'000'000;
  const Workspace workspace;
  HeapApplication application(
      GetParam(), "BigHeap", {"--objects", std::to_string(kNodes)},
      StartUp(workspace / "out", "sources=heap;heap.method=in-pause;heap.max_pause=30s"));
  for (int i = 0; i < 2; ++i) {
    const fs::path snapshot = application.SnapshotFile();
    ASSERT_FALSE(snapshot.empty());
    const auto model = ReadSnapshot(snapshot);
    EXPECT_EQ(Defects(*model), "");
    EXPECT_EQ(BigHeapNodes(ContentsOf(*model, "BigHeap")), kNodes);
  }
  EXPECT_EQ(application.End(), "done\n");
}

INSTANTIATE_TEST_SUITE_P(Net, HeapInPauseTest, testing::ValuesIn(kRuntimes),
                         [](const auto& info) { return std::to_string(info.param); });

// The child that walks the copy is killed, as by the kernel when memory is short.
TEST(HeapChildTest, IsKilledAndTheRecordingSaysSo) {
  const Workspace workspace;
  HeapApplication application(10, "BigHeap", {"--objects", "3000000"},
                              StartUp(workspace / "out", "sources=heap,gc"));
  const std::string pid = std::to_string(application.pid());
  Process trigger({.arguments = {HINDSIGHT_TRIGGER, "snapshot", pid, "--json"},
                   .environment = {{"TMPDIR", application.folder().string()}}},
                  workspace.path());
  ASSERT_TRUE(WaitUntil([&] {
    const std::vector<Child> children = ChildrenOf(application.pid());
    for (const Child& child : children) kill(child.pid, SIGKILL);
    return !children.empty();
  }));
  const auto ended = trigger.Wait();
  ASSERT_TRUE(ended);
  const json answer = json::parse(ended->output, nullptr, /*allow_exceptions=*/false);
  ASSERT_FALSE(answer.is_discarded()) << ended->Describe();
  EXPECT_FALSE(answer.value("ok", true)) << answer;
  EXPECT_NE(ended->exit_code, 0);

  const fs::path broken = answer.at("snapshot").at("path").get<std::string>();
  const analyzer::HeapFacts facts = FactsOf(broken);
  EXPECT_EQ(facts.result, analyzer::HeapFacts::Result::kChildDied);
  EXPECT_NE(facts.result_reason, "");
  EXPECT_TRUE(ChildrenOf(application.pid()).empty());

  // The next one is whole.
  const fs::path next = application.SnapshotFile();
  ASSERT_FALSE(next.empty());
  EXPECT_EQ(Defects(*ReadSnapshot(next)), "");
  EXPECT_EQ(application.End(), "done\n");
}

}  // namespace
}  // namespace hindsight::live
