// The truth about the samples' waits, tested without a recorder: threads that should be blocked do
// not run any more, by the kernel's count.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include "tests/live/harness/application.h"
#include "tests/live/harness/sample.h"
#include "tests/live/harness/wait_truth.h"

namespace hindsight::live {
namespace {

namespace fs = std::filesystem;

struct KernelThread {
  std::string name;  // 15 characters at most
  uint64_t switches = 0;
};

std::map<int, KernelThread> ThreadsOf(pid_t pid) {
  std::map<int, KernelThread> threads;
  for (const auto& entry : fs::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
    KernelThread& thread = threads[std::atoi(entry.path().filename().c_str())];
    std::ifstream status(entry.path() / "status");
    for (std::string line; std::getline(status, line);) {
      const size_t value = line.find_first_not_of(" \t", line.find(':') + 1);
      if (line.starts_with("Name:")) thread.name = line.substr(value);
      if (line.find("ctxt_switches:") != std::string::npos) {
        thread.switches += std::strtoull(line.c_str() + value, nullptr, 10);
      }
    }
  }
  return threads;
}

bool Is(const KernelThread& thread, const std::string& pattern) {
  if (pattern.ends_with('*')) return thread.name.starts_with(pattern.substr(0, pattern.size() - 1));
  return thread.name == pattern;
}

class WaitTruthTest : public testing::TestWithParam<int> {};

TEST_P(WaitTruthTest, BlockedThreadsDoNotRun) {
  std::vector<WaitCase> cases;
  std::map<std::string, uint64_t> blocked;
  for (const std::string& sample : kWaitSamples) {
    for (WaitCase& one : WaitCases(sample)) {
      if (one.blocked.empty() || !one.RunsOn(GetParam())) continue;
      for (const auto& [name, count] : one.blocked) blocked[name] += count;
      cases.push_back(std::move(one));
    }
  }
  SampleApplication application(
      {.command = WaitSamples(GetParam()), .arguments = Together(cases), .environment = {}});
  const std::map<int, KernelThread> before = ThreadsOf(application.pid());
  // One that checks every few milliseconds whether it should end has done so a hundred times.
  constexpr uint64_t kMany = 100;
  ASSERT_TRUE(WaitUntil([&] {
    const auto now = ThreadsOf(application.pid());
    return std::ranges::any_of(now, [&](const auto& thread) {
      return thread.second.name == "scene" && before.contains(thread.first) &&
             thread.second.switches > before.at(thread.first).switches + kMany;
    });
  }));
  const std::map<int, KernelThread> after = ThreadsOf(application.pid());
  for (const auto& [name, count] : blocked) {
    SCOPED_TRACE(name);
    uint64_t found = 0;
    for (const auto& [id, thread] : after) {
      if (!Is(thread, name)) continue;
      ++found;
      ASSERT_TRUE(before.contains(id));
      EXPECT_EQ(thread.switches, before.at(id).switches);
    }
    EXPECT_EQ(found, count);
  }
  EXPECT_EQ(application.End(), "done\n");
}

TEST_P(WaitTruthTest, TheHealthyOnesLoseNothing) {
  std::vector<WaitCase> cases;
  for (const char* sample : {"Contention", "SlowButAlive", "Stress", "SlowHandles"}) {
    cases.push_back(WaitCases(sample).front());
  }
  SampleApplication application(
      {.command = WaitSamples(GetParam()), .arguments = Together(cases), .environment = {}});
  EXPECT_EQ(application.End(), "done\n");
}

INSTANTIATE_TEST_SUITE_P(Net, WaitTruthTest, testing::ValuesIn(kRuntimes),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace hindsight::live
