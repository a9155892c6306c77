// Null references while threads are sampled. The runtime begins to handle a fault on a small
// alternate stack, where a second signal ends the process.
#include <gtest/gtest.h>

#include <string>

#include "tests/live/harness/application.h"
#include "tests/live/harness/cpu_profile.h"
#include "tests/live/harness/sample.h"

namespace hindsight::live {
namespace {

constexpr int kThreads = 2;
constexpr int kMilliseconds = 1000;  // of CPU time, on each

struct Way {
  std::string name;
  bool attached;
  std::string sources;
};

void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

class CpuFaults : public testing::TestWithParam<std::tuple<int, Way>> {};

// What the sample prints: "N null references".
uint64_t FaultsSaid(const std::string& output) {
  const size_t end = output.find(" null references");
  if (end == output.npos) return 0;
  return std::stoull(output.substr(output.rfind('\n', end) + 1));
}

void ExpectSampled(const CpuRecording& recording) {
  for (int i = 0; i < kThreads; ++i) {
    const std::string thread = "faulting-" + std::to_string(i);
    // A thread may start unseen for 0.1 s.
    EXPECT_NEAR(static_cast<double>(recording.NsOfThread(thread)), kMilliseconds * 1e6,
                kMilliseconds * 2e5)
        << thread;
  }
  for (const std::string& note : recording.model().facts.notes) {
    EXPECT_EQ(note.find("blocks the sampling signal"), note.npos) << note;
  }
}

// All in one place: the address of a fault is that of an instruction, not one that follows a call.
void ExpectReported(const std::filesystem::path& recording, uint64_t faults) {
  const nlohmann::json report = HindsightJson("exceptions", recording);
  ASSERT_EQ(report.at("groups").size(), 1u) << report.dump(1);
  const nlohmann::json& group = report.at("groups").front();
  EXPECT_EQ(group.at("type").at("name"), "System.NullReferenceException");
  EXPECT_EQ(group.at("count").get<uint64_t>(), faults);
  EXPECT_EQ(group.at("outcomes").at("swallowed").get<uint64_t>(), faults);
  EXPECT_NE(group.at("path").front().dump().find("Faults.Use"), std::string::npos)
      << group.at("path").dump(1);
}

TEST_P(CpuFaults, EndNeitherTheProcessNorTheSampling) {
  const auto& [runtime, way] = GetParam();
  const Workspace workspace;
  std::filesystem::path output = workspace / "out";
  SampleApplication::Start start{
      .command = CpuSamples(runtime),
      .arguments = {"ManyThreads", "--faults", "--threads", std::to_string(kThreads), "--ms",
                    std::to_string(kMilliseconds)},
      .waits_to_go = way.attached};
  if (!way.attached) {
    start.environment = StartUp(output, "sources=" + way.sources + ";cpu.hz=1000");
  }
  SampleApplication application(std::move(start));
  if (way.attached) {
    output = application.output();
    application.Attach(way.sources, {"cpu.hz=1000"});
    application.Go();
  }
  application.Trigger("stop");
  application.End();
  const std::vector<std::filesystem::path> recordings = RecordingsIn(output);
  ASSERT_EQ(recordings.size(), 1u);
  const uint64_t faults = FaultsSaid(application.process().Output());
  EXPECT_GT(faults, 10'000u) << application.process().Output();
  ExpectSampled(CpuRecording(recordings.front()));
  if (way.sources.find("exceptions") != std::string::npos) {
    ExpectReported(recordings.front(), faults);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, CpuFaults,
    testing::Combine(testing::Values(8, 9, 10),
                     testing::Values(Way{"FromTheStart", false, "cpu,threads,exceptions"},
                                     Way{"Attached", true, "cpu,threads,exceptions"},
                                     Way{"WithoutExceptions", false, "cpu,threads"})),
    [](const auto& one) {
      return std::to_string(std::get<0>(one.param)) + std::get<1>(one.param).name;
    });

}  // namespace
}  // namespace hindsight::live
