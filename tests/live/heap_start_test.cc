// Snapshots that are due while the runtime is still being initialized wait until it is ready.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/live/harness/heap_snapshot.h"
#include "tests/live/harness/sample.h"

namespace hindsight::live {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class HeapStart : public testing::TestWithParam<int> {};

// What `hindsight-trigger COMMAND PID --json` prints; null if it is not valid.
json Answer(const std::string& command, const Process& process, const Workspace& workspace) {
  const Ended ended = Trigger({command, std::to_string(process.pid()), "--json"}, workspace.path());
  json answer = json::parse(ended.output, nullptr, /*allow_exceptions=*/false);
  return ended.Succeeded() && answer.is_object() ? answer : json();
}

TEST_P(HeapStart, ASlowOneOutlivesSnapshotsThatAreDue) {
  constexpr uint64_t kTwiceDueNs = 2'000'000'000;  // by heap.every, on the recorder's clock
  const Workspace workspace;
  std::vector<std::string> command = HeapSample(GetParam(), "Leak");
  command.insert(command.end(), {"--end", workspace / "end"});
  EnvironmentVariables environment =
      StartUp(workspace / "out", "sources=heap,waits;heap.every=1s;waits.every=1s");
  environment.emplace_back("TMPDIR", workspace.path());
  environment.emplace_back("LD_PRELOAD", HINDSIGHT_SLOW_START);
  environment.emplace_back("SLOW_START_HELD", workspace / "held");
  environment.emplace_back("SLOW_START_UNTIL", workspace / "until");
  Process process({.arguments = command, .environment = environment}, workspace.path());

  ASSERT_TRUE(WaitUntil([&] { return fs::exists(workspace / "held") || !process.IsRunning(); }));
  ASSERT_TRUE(WaitUntil([&] {
    if (!process.IsRunning()) return true;
    const json answer = Answer("status", process, workspace);
    return answer.is_object() && answer["status"]["elapsed_ns"] > kTwiceDueNs;
  }));
  ASSERT_TRUE(process.IsRunning()) << process.Wait()->Describe();

  WriteFile(workspace / "until");
  ASSERT_TRUE(process.WaitForOutput("ready")) << process.Errors();
  // Another one may be in progress: then the trigger says so.
  json answer;
  ASSERT_TRUE(WaitUntil([&] {
    answer = Answer("snapshot", process, workspace);
    return answer.is_object() || !process.IsRunning();
  }));
  ASSERT_TRUE(answer.is_object()) << process.Errors();
  EXPECT_EQ(Defects(*ReadSnapshot(answer["snapshot"]["path"].get<std::string>())), "");
  WriteFile(workspace / "end");
  const auto ended = process.Wait();
  ASSERT_TRUE(ended);
  EXPECT_TRUE(ended->Succeeded()) << ended->Describe();
}

INSTANTIATE_TEST_SUITE_P(Net, HeapStart, testing::ValuesIn(kRuntimes));

}  // namespace
}  // namespace hindsight::live
