// What a recording says about waits is exactly what the sample LockWaits does: how many of each
// kind, where, which thread held the lock, and which has not ended.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/live/harness/application.h"
#include "tests/live/harness/lock_waits.h"
#include "tests/live/harness/sample.h"

namespace hindsight::live {
namespace {

constexpr uint64_t kCount = 20;

std::vector<std::string> LockWaits(int runtime) {
  if (runtime == 8) return {HINDSIGHT_LOCK_WAITS_8};
  if (runtime == 9) return {HINDSIGHT_LOCK_WAITS_9};
  return {HINDSIGHT_DOTNET, HINDSIGHT_LOCK_WAITS_10};
}

enum class Mode { kStartUp, kAttach };

class LocksTest : public testing::TestWithParam<std::tuple<int, Mode>> {
 protected:
  int runtime() const { return std::get<0>(GetParam()); }

  // Started, recorded, and told to go once the recorder listens.
  void Begin(std::vector<std::string> arguments) {
    const bool at_startup = std::get<1>(GetParam()) == Mode::kStartUp;
    application_.emplace(SampleApplication::Start{
        .command = LockWaits(runtime()),
        .arguments = std::move(arguments),
        .environment = at_startup ? StartUp(out_.path()) : EnvironmentVariables{},
        .waits_to_go = true});
    if (!at_startup) application_->Attach("locks,waits,threads");
    recording_ = WhenListening(at_startup ? out_.path() : application_->output());
    ASSERT_FALSE(recording_.empty());
    application_->Go();
  }

  Workspace out_;
  std::optional<SampleApplication> application_;
  std::filesystem::path recording_;
};

TEST_P(LocksTest, EveryWaitIsThereOnceWithItsOwner) {
  Begin({"--count", std::to_string(kCount)});
  const std::string place = "LockWaits.Program.EnterMonitor";
  // Its owner is sampled once it has lasted for a while.
  ASSERT_TRUE(WaitUntil([&] {
    const auto open = HindsightJson("locks", recording_).at("open");
    return std::ranges::any_of(open, [](const auto& wait) {
      return wait.at("kind") == "monitor" && !wait.at("owner_stack").empty();
    });
  }));
  const nlohmann::json report = HindsightJson("locks", recording_);

  EXPECT_EQ(LockWaitDifferences(report, runtime(), kCount), "");

  const auto& open = report.at("open");
  const auto stuck = std::ranges::find_if(
      open, [](const auto& wait) { return wait.at("thread").at("name") == "stuck"; });
  ASSERT_NE(stuck, open.end()) << open.dump(1);
  EXPECT_EQ(stuck->at("owner").at("os_id"), application_->pid());
  for (const auto& wait : report.at("waits")) {
    if (wait.at("site") != place) continue;
    EXPECT_EQ(wait.at("owner").at("os_id"), application_->pid());
    EXPECT_EQ(wait.at("not_ended"), 1u);
  }
  // On a busy machine the runtime may find it short of workers for a moment.
  EXPECT_NE(HindsightJson("pool", recording_).at("verdict"), "starved");
  EXPECT_EQ(application_->End(), "done\n");
}

// Wall-clock time has the same waits, to the nanosecond, and each thread's whole life.
TEST_P(LocksTest, WallClockTimeHasTheSameWaits) {
  Begin({"--count", std::to_string(kCount)});
  ASSERT_TRUE(WaitUntil([&] {
    const auto open = HindsightJson("locks", recording_).at("open");
    return std::ranges::any_of(
        open, [](const auto& wait) { return wait.at("thread").at("name") == "stuck"; });
  }));
  const nlohmann::json locks = HindsightJson("locks", recording_);
  const nlohmann::json wall = HindsightJson("wall", recording_);
  for (const auto& thread : wall.at("threads")) {
    uint64_t sum = 0;
    for (const auto& [state, ns] : thread.at("states_ns").items()) sum += ns.get<uint64_t>();
    EXPECT_EQ(sum, thread.at("to_ns").get<uint64_t>() - thread.at("from_ns").get<uint64_t>())
        << thread;
  }
  const auto total = [](const nlohmann::json& rows, const char* site) {
    const auto row =
        std::ranges::find_if(rows, [site](const auto& at) { return at.at("site") == site; });
    return row == rows.end() ? 0 : row->at("total_ns").template get<uint64_t>();
  };
  const auto& places = wall.at("places");
  if (runtime() >= 9) {
    const char* const kSite = "LockWaits.Locks.EnterLock";
    EXPECT_GT(total(locks.at("waits"), kSite), 0u);
    EXPECT_EQ(total(places, kSite), total(locks.at("waits"), kSite));
  }
  // One of these continues, and wall-clock time was read later.
  const char* const kSite = "LockWaits.Program.EnterMonitor";
  EXPECT_GT(total(locks.at("waits"), kSite), 0u);
  EXPECT_GE(total(places, kSite), total(locks.at("waits"), kSite));
}

TEST_P(LocksTest, AStarvedPoolIsFoundWithThePlaceThatBlocks) {
  Begin({"--count", "0", "--starve", "40"});
  nlohmann::json report;
  EXPECT_TRUE(WaitUntil([&] {
    report = HindsightJson("pool", recording_);
    return report.at("verdict") == "starved";
  })) << report.dump(1);
  ASSERT_FALSE(report.at("blocking").empty());
  EXPECT_EQ(report.at("blocking").at(0).at("site"), "LockWaits.Program.BlockOnTask");
  EXPECT_EQ(report.at("blocking").at(0).at("kind"), "task");
  EXPECT_GE(report.at("longest_queue"), 40u);
  EXPECT_EQ(application_->End(), "done\n");
}

INSTANTIATE_TEST_SUITE_P(Net, LocksTest,
                         testing::Combine(testing::ValuesIn(kRuntimes),
                                          testing::Values(Mode::kStartUp, Mode::kAttach)),
                         [](const auto& info) {
                           return std::to_string(std::get<0>(info.param)) +
                                  (std::get<1>(info.param) == Mode::kStartUp ? "StartUp"
                                                                             : "Attach");
                         });

}  // namespace
}  // namespace hindsight::live
