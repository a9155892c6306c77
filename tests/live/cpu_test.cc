// CPU samples of real processes, compared with what they are known to do.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>

#include "tests/live/harness/application.h"
#include "tests/live/harness/cpu_profile.h"
#include "tests/live/harness/sample.h"

namespace hindsight::live {
namespace {

constexpr char kSources[] = "cpu,threads,modules";

// Runs a sample to the end of its work, recorded from its start or attached to before it.
CpuRecording Record(int runtime, bool attached, std::vector<std::string> arguments,
                    const std::string& hz = "100") {
  const Workspace workspace;
  std::filesystem::path output = workspace / "out";
  SampleApplication::Start start{.command = CpuSamples(runtime), .arguments = std::move(arguments)};
  start.waits_to_go = attached;
  if (!attached) {
    start.environment = StartUp(output, std::string("sources=") + kSources + ";cpu.hz=" + hz);
  }
  SampleApplication application(std::move(start));
  if (attached) {
    output = application.output();
    application.Attach(kSources, {"cpu.hz=" + hz});
    application.Go();
  }
  application.Trigger("stop");
  EXPECT_EQ(application.End(), "done\n");
  const std::vector<std::filesystem::path> recordings = RecordingsIn(output);
  if (recordings.size() != 1) throw std::runtime_error("not one recording");
  return CpuRecording(recordings.front());
}

// `deviations`: standard deviations of a binomial distribution that are still no contradiction.
void ExpectShares(const CpuRecording& recording, double least_tolerance, double deviations) {
  const nlohmann::json shares = CpuTruth().at("shares").at("self");
  const std::map<std::string, uint64_t> self = recording.SelfNs();
  uint64_t total = 0;
  for (const auto& [method, share] : shares.items()) {
    ASSERT_TRUE(self.contains(method)) << method;
    total += self.at(method);
  }
  // A sample that stands for many periods says no more than one that stands for one.
  double sum = 0, squares = 0;
  for (const CpuStack& stack : recording.stacks()) {
    if (stack.methods.empty() || !shares.contains(stack.methods.front())) continue;
    const auto ns = static_cast<double>(stack.cpu_ns);
    sum += ns;
    squares += ns * ns;
  }
  const double samples = sum * sum / squares;
  for (const auto& [method, share] : shares.items()) {
    const double truth = share.get<double>();
    const double found = static_cast<double>(self.at(method)) / static_cast<double>(total);
    const double deviation = std::sqrt(truth * (1 - truth) / samples);
    EXPECT_NEAR(found, truth, std::max(least_tolerance, deviations * deviation))
        << method << ", " << samples << " samples";
  }
}

struct Way {
  int runtime;
  bool attached;
};
void PrintTo(const Way& way, std::ostream* out) {
  *out << ".NET " << way.runtime << (way.attached ? ", attached" : ", from its start");
}

class CpuWays : public testing::TestWithParam<Way> {};

TEST_P(CpuWays, StacksAreRight) {
  const Way way = GetParam();
  const CpuRecording recording =
      Record(way.runtime, way.attached, {"CpuHot", "--ms", "1000"}, "250");
  const nlohmann::json truth = CpuTruth();
  EXPECT_EQ(recording.model().losses.DroppedEvents(), 0u);
  EXPECT_GE(recording.RootedShare(way.attached), 0.99) << recording.stacks().size() << " samples";
  const CallerCheck callers = CheckCallers(recording, truth);
  EXPECT_GT(callers.checked, 1000u);
  EXPECT_GE(callers.RightShare(), 0.97) << callers.Describe();
  EXPECT_EQ(recording.NsOfThread("sleeper"), 0u);
  ExpectShares(recording, 0.03, 4);
  for (const auto& [name, one] : truth.items()) {
    if (name != "async") {  // that works on the pool's threads
      EXPECT_GT(recording.NsOfThread(name), 500'000'000u) << name;
    }
    for (const auto& [method, above] : OfMethods(one, "under")) {
      uint64_t with = 0, without = 0;
      for (const CpuStack& stack : recording.stacks()) {
        if (!stack.Has(method)) continue;
        ++(stack.Has(above.at(0).get<std::string>()) ? with : without);
      }
      EXPECT_GT(with, 0u) << method;
      EXPECT_GE(static_cast<double>(with), 0.9 * static_cast<double>(with + without)) << method;
    }
    for (const auto& [method, depth] : OfMethods(one, "depth")) {
      // A body that replaced another one while it ran appears twice until the recorder has learned
      // it.
      uint64_t checked = 0, deeper = 0;
      for (const CpuStack& stack : recording.stacks()) {
        if (stack.methods.empty() || stack.methods.front() != method || !stack.rooted) continue;
        const auto found = std::count(stack.methods.begin(), stack.methods.end(), method);
        EXPECT_LE(found, depth.get<int>() + 1);
        ++checked;
        if (found > depth.get<int>()) ++deeper;
      }
      EXPECT_LE(static_cast<double>(deeper), 1 + 0.03 * static_cast<double>(checked)) << method;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, CpuWays,
                         testing::Values(Way{8, false}, Way{8, true}, Way{9, false}, Way{9, true},
                                         Way{10, false}, Way{10, true}),
                         [](const testing::TestParamInfo<Way>& info) {
                           return "Net" + std::to_string(info.param.runtime) +
                                  (info.param.attached ? "Attached" : "FromStart");
                         });

TEST(Cpu, SharesAreRightToThreePoints) {
  const CpuRecording recording =
      Record(10, false, {"CpuHot", "--only", "shares", "--ms", "14000"}, "250");
  ExpectShares(recording, 0.03, 0);
}

TEST(Cpu, SixteenThreadsLoseNothing) {
  const CpuRecording recording =
      Record(10, true, {"ManyThreads", "--threads", "16", "--ms", "500"});
  EXPECT_EQ(recording.model().losses.DroppedEvents(), 0u);
  EXPECT_GE(recording.RootedShare(true), 0.99);
  uint64_t total = 0;
  for (int i = 0; i < 16; ++i) {
    const uint64_t ns = recording.NsOfThread("worker-" + std::to_string(i));
    EXPECT_NEAR(static_cast<double>(ns), 5e8, 5e7) << i;  // the kernel checks only at its ticks
    total += ns;
  }
  EXPECT_NEAR(static_cast<double>(total), 8e9, 4e8);
}

// Threads that live for two periods get samples, though none of them lives long enough for a scan
// to find it. What a thread uses after the kernel's last tick on it is not seen: 4 ms and more out
// of 20.
TEST(Cpu, ShortThreadsCount) {
  const CpuRecording recording =
      Record(10, false, {"ManyThreads", "--threads", "16", "--ms", "20", "--waves", "25"});
  EXPECT_EQ(recording.model().losses.DroppedEvents(), 0u);
  uint64_t total = 0;
  for (const CpuStack& stack : recording.stacks()) {
    total += stack.Has("ManyThreads.Program.Step") ? stack.cpu_ns : 0;
  }
  constexpr double kUsedNs = 400 * 20e6;
  EXPECT_GT(static_cast<double>(total), 0.3 * kUsedNs);
  EXPECT_LT(static_cast<double>(total), 1.1 * kUsedNs);
}

class CpuInlined : public testing::TestWithParam<int> {};

// Heavy and what it calls take more than nine tenths of Run's time, and the JIT puts all of them
// into Run, or with Run into Use.
TEST_P(CpuInlined, MethodsHaveFramesOfTheirOwn) {
  const auto own_share = [](bool reported) {
    const Workspace workspace;
    const std::filesystem::path output = workspace / "out";
    SampleApplication::Start start{.command = CpuSamples(GetParam()),
                                   .arguments = {"CpuHot", "--only", "inlined", "--ms", "2000"}};
    start.environment = StartUp(output, "sources=cpu,threads,modules;cpu.hz=250;events.from=start");
    if (reported) start.environment.emplace_back("DOTNET_RichDebugInfo", "1");
    SampleApplication application(std::move(start));
    application.Trigger("stop");
    EXPECT_EQ(application.End(), "done\n");
    const CpuRecording recording(RecordingsIn(output).at(0));
    EXPECT_EQ(recording.model().facts.inlining_reported, reported);
    uint64_t run = 0, inlined = 0, below_their_caller = 0;
    for (const CpuStack& stack : recording.stacks()) {
      if (!stack.Has("CpuHot.Inlined.Run")) continue;
      run += stack.cpu_ns;
      if (stack.methods.front() == "CpuHot.Inlined.Heavy" ||
          stack.methods.front() == "CpuHot.Inlined.Step") {
        inlined += stack.cpu_ns;
        const bool is_step = stack.methods.front() == "CpuHot.Inlined.Step";
        const char* const caller = is_step ? "CpuHot.Inlined.Heavy" : "CpuHot.Inlined.Run";
        below_their_caller += stack.methods.at(1) == caller ? stack.cpu_ns : 0;
      }
    }
    EXPECT_GT(run, 1'000'000'000u);
    if (reported) {
      EXPECT_GE(static_cast<double>(below_their_caller), 0.97 * static_cast<double>(inlined));
    }
    return static_cast<double>(inlined) / static_cast<double>(run);
  };
  EXPECT_GE(own_share(true), 0.85);
  EXPECT_LE(own_share(false), 0.4);  // before it was compiled with optimizations
}

INSTANTIATE_TEST_SUITE_P(All, CpuInlined, testing::Values(8, 9, 10),
                         [](const testing::TestParamInfo<int>& info) {
                           return "Net" + std::to_string(info.param);
                         });

// The application handles SIGURG itself, with a handler installed over the recorder's.
TEST(Cpu, LeavesTheApplicationsSignalAlone) {
  for (const bool attached : {false, true}) {
    const CpuRecording recording =
        Record(10, attached, {"CpuHot", "--only", "shares", "--ms", "1500", "--signals", "200"});
    EXPECT_GT(recording.NsOfThread("shares"), 1'000'000'000u) << attached;
  }
}

TEST(Cpu, ComesAndGoesTenTimes) {
  SampleApplication application({.command = CpuSamples(10),
                                 .arguments = {"ManyThreads", "--threads", "4", "--ms", "2000"},
                                 .waits_to_go = true});
  for (int i = 0; i < 10; ++i) {
    application.Attach(kSources);
    if (i == 0) WriteFile(application.folder() / "go");
    application.Trigger("stop");
  }
  application.Go();
  EXPECT_EQ(application.End(), "done\n");
  const std::vector<std::filesystem::path> recordings = RecordingsIn(application.output());
  ASSERT_EQ(recordings.size(), 10u);
  size_t samples = 0;
  for (const auto& recording : recordings) samples += CpuRecording(recording).stacks().size();
  EXPECT_GT(samples, 0u);
}

}  // namespace
}  // namespace hindsight::live
