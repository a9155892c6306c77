// A process that loads and unloads code all the time survives the recorder: from its start, in
// attach after attach, and in storms of snapshots.
//
// HINDSIGHT_UNLOAD_RUNS=167 runs each case that many times (500 for each runtime), every second
// time under a CPU quota (if this machine allows one): a thread that blocks others is then stopped
// for 90 ms at a time. HINDSIGHT_UNLOAD_SECONDS: how long a run records, 2 by default.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <ostream>
#include <thread>

#include "tests/live/harness/application.h"
#include "tests/live/harness/sample.h"

namespace hindsight::live {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr char kAll[] = "all";
constexpr int kQuotaPercent = 13;

int Number(const char* variable, int otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atoi(text);
}

std::vector<std::string> Unloading(int runtime) {
  if (runtime == 8) return {HINDSIGHT_UNLOADING_8};
  if (runtime == 9) return {HINDSIGHT_UNLOADING_9};
  return {HINDSIGHT_DOTNET, HINDSIGHT_UNLOADING_10};
}

// A control group that gets this much of a processor, for as long as the object lives.
class CpuQuota {
 public:
  explicit CpuQuota(int percent) {
    const std::string name = "hindsight-unload-" + std::to_string(getpid());
    if (fs::exists("/sys/fs/cgroup/cgroup.controllers")) {
      std::ofstream("/sys/fs/cgroup/cgroup.subtree_control") << "+cpu";
      group_ = "/sys/fs/cgroup/" + name;
    } else {
      group_ = "/sys/fs/cgroup/cpu/" + name;
    }
    std::error_code error;
    if (!fs::create_directory(group_, error)) return;
    const std::string quota = std::to_string(percent * 1000);
    if (fs::exists(group_ / "cpu.max")) {
      std::ofstream(group_ / "cpu.max") << quota << " 100000";
      works_ = ReadFile(group_ / "cpu.max").starts_with(quota);
    } else {
      std::ofstream(group_ / "cpu.cfs_period_us") << "100000";
      std::ofstream(group_ / "cpu.cfs_quota_us") << quota;
      works_ = ReadFile(group_ / "cpu.cfs_quota_us").starts_with(quota);
    }
    members_ = group_ / "cgroup.procs";
  }
  ~CpuQuota() {
    std::error_code error;
    WaitUntil([&] { return fs::remove(group_, error) || !fs::exists(group_); });
  }
  CpuQuota(const CpuQuota&) = delete;
  CpuQuota& operator=(const CpuQuota&) = delete;

  bool works() const { return works_; }
  // In the child, before its program: async-signal-safe.
  void Enter() const {
    const int file = open(members_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0 || write(file, "0", 1) != 1) _exit(71);
    close(file);
  }

 private:
  fs::path group_;
  std::string members_;
  bool works_ = false;
};

enum class Way { kFromStart, kAttached, kSnapshots };

struct Case {
  int runtime;
  Way way;
};

std::string NameOf(const Case& one) {
  static constexpr const char* kWays[] = {"FromStart", "Attached", "Snapshots"};
  return "Net" + std::to_string(one.runtime) + kWays[static_cast<size_t>(one.way)];
}

void PrintTo(const Case& one, std::ostream* out) { *out << NameOf(one); }

class UnloadingTest : public testing::TestWithParam<Case> {
 protected:
  // One process with the recorder; what it does with it is bounded by `until`.
  void Run(const CpuQuota* quota) {
    const Workspace workspace;
    SampleApplication::Start start{.command = Unloading(GetParam().runtime)};
    if (GetParam().way == Way::kFromStart) {
      start.environment = StartUp(workspace / "out", "match=*;sources=all;heap.every=1s");
    }
    if (quota != nullptr) start.before_exec = [quota] { quota->Enter(); };
    SampleApplication application(std::move(start));
    const auto until = Clock::now() + std::chrono::seconds(Number("HINDSIGHT_UNLOAD_SECONDS", 2));
    switch (GetParam().way) {
      case Way::kFromStart:
        std::this_thread::sleep_until(until);
        application.Trigger("stop");
        break;
      case Way::kAttached:
        do {
          application.Attach(kAll);
          application.Trigger("stop");
        } while (Clock::now() < until && !HasFailure());
        break;
      case Way::kSnapshots:
        do {
          // Under a quota a snapshot may fail; the process must live.
          application.Snapshot();
          fs::remove_all(application.output());
        } while (Clock::now() < until && application.process().IsRunning());
        break;
    }
    const std::string said = application.End();
    EXPECT_TRUE(said.ends_with("everything was unloaded\nall rounds are done\n")) << said;
  }
};

TEST_P(UnloadingTest, AProcessThatUnloadsCodeOutlivesTheRecorder) {
  const CpuQuota quota(kQuotaPercent);
  const int runs = Number("HINDSIGHT_UNLOAD_RUNS", 1);
  int failed = 0, under_quota = 0;
  for (int run = 0; run < runs; ++run) {
    SCOPED_TRACE(run);
    const bool slow = quota.works() && run % 2 == 1;
    under_quota += slow;
    const int before =
        testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count();
    Run(slow ? &quota : nullptr);
    failed += testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count() !=
              before;
  }
  RecordProperty("runs", runs);
  RecordProperty("under_quota", under_quota);
  RecordProperty("failed", failed);
  if (runs > 1) {
    std::printf("long: %s: %d of %d runs failed; %d of them under a quota of %d %%\n",
                NameOf(GetParam()).c_str(), failed, runs, under_quota, kQuotaPercent);
  }
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const int runtime : kRuntimes) {
    for (const Way way : {Way::kFromStart, Way::kAttached, Way::kSnapshots}) {
      cases.push_back({runtime, way});
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, UnloadingTest, testing::ValuesIn(Cases()),
                         [](const auto& info) { return NameOf(info.param); });

}  // namespace
}  // namespace hindsight::live
