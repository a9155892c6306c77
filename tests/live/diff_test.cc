// Two recordings of real processes: the first line of their diff states the actual difference, and
// for the same program twice it says that there is none. All sources are on.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/live/harness/application.h"
#include "tests/live/harness/recording.h"
#include "tests/live/harness/sample.h"

namespace hindsight::live {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

const std::string kAll = "sources=exceptions,threads,modules,gc,locks,waits,cpu,allocations,heap";

int Repeats() {
  const char* const wanted = std::getenv("HINDSIGHT_DIFF_REPEATS");
  return wanted == nullptr ? 1 : std::atoi(wanted);
}

fs::path OnlyRecording(const Workspace& out) {
  const std::vector<fs::path> all = RecordingsIn(out.path());
  EXPECT_EQ(all.size(), 1u);
  return all.empty() ? fs::path() : all.front();
}

// A program that ends by itself.
void RecordToEnd(const Arguments& command, const Workspace& out, const std::string& options) {
  const Ended ended =
      RunToEnd({.arguments = command, .environment = StartUp(out.path(), kAll + ";" + options)});
  ASSERT_TRUE(ended.Succeeded()) << ended.Describe();
}

// One that is asked to end once it is ready.
void RecordUntilReady(const Arguments& command, const Arguments& arguments, const Workspace& out,
                      const std::string& options, bool with_snapshot = false) {
  SampleApplication application({.command = command,
                                 .arguments = arguments,
                                 .environment = StartUp(out.path(), kAll + ";" + options)});
  if (with_snapshot) application.SnapshotFile();
  EXPECT_EQ(application.End(), "done\n");
}

std::string FirstLine(const Workspace& before, const Workspace& after) {
  const Ended diff =
      Hindsight("diff", OnlyRecording(before), {OnlyRecording(after).string(), "--json"});
  EXPECT_TRUE(diff.Succeeded()) << diff.Describe();
  const Ended text = Hindsight("diff", OnlyRecording(before), {OnlyRecording(after).string()});
  EXPECT_TRUE(text.Succeeded()) << text.Describe();
  const std::string line = text.output.substr(0, text.output.find('\n'));
  EXPECT_EQ(nlohmann::json::parse(diff.output).at("verdict"), line);
  return line;
}

constexpr const char* kNone = "No difference";

bool Begins(const std::string& line, const std::string& with) { return line.starts_with(with); }
bool Contains(const std::string& line, const std::string& part) {
  return line.find(part) != std::string::npos;
}

TEST(Diff, SteadyAndSteadyAreTheSame) {
  for (int i = 0; i < Repeats(); ++i) {
    const Workspace before, after;
    for (const Workspace* out : {&before, &after}) {
      RecordToEnd(Steady({"--seconds", "5"}), *out, "");
    }
    EXPECT_PRED2(Begins, FirstLine(before, after), kNone);
  }
}

TEST(Diff, ALeakIsWhatItHolds) {
  for (int i = 0; i < Repeats(); ++i) {
    const Workspace before, after;
    const Arguments leak = HeapSample(10, "Leak");
    RecordUntilReady(leak, {"--orders", "2000"}, before, "", true);
    RecordUntilReady(leak, {"--orders", "20000"}, after, "", true);
    // Ten times the orders may show in the CPU time, too: the leak comes first.
    EXPECT_PRED2(Contains, FirstLine(before, after),
                 ": Leak.Order in Leak.Program.done_ retains 3.4 MiB more: ");
    EXPECT_PRED2(Contains, FirstLine(after, before),
                 ": Leak.Order in Leak.Program.done_ retains 3.4 MiB less: ");
  }
}

TEST(Diff, AMethodTwiceAsSlowIsNamed) {
  for (int i = 0; i < Repeats(); ++i) {
    const Workspace before, after, again;
    const Arguments same = {"CpuHot", "--only", "shares", "--rounds", "30000"};
    Arguments slow = same;
    slow.insert(slow.end(), {"--slow", "Thirty"});
    RecordUntilReady(CpuSamples(10), same, before, "cpu.hz=250");
    RecordUntilReady(CpuSamples(10), slow, after, "cpu.hz=250");
    RecordUntilReady(CpuSamples(10), same, again, "cpu.hz=250");
    EXPECT_PRED2(Begins, FirstLine(before, after), "1 regression: CpuHot.Shares.Thirty uses ");
    EXPECT_PRED2(Begins, FirstLine(before, again), kNone);
  }
}

TEST(Diff, APathOfExceptionsTwiceAsOftenIsNamed) {
  for (int i = 0; i < Repeats(); ++i) {
    const Workspace before, after, again;
    // A service under a constant load.
    const Arguments same = {"--rounds", "100", "--every", "50"};
    Arguments twice = same;
    twice.insert(twice.end(), {"--twice", "Deep.Run"});
    RecordToEnd(Storm(10, same), before, "");
    RecordToEnd(Storm(10, twice), after, "");
    RecordToEnd(Storm(10, same), again, "");
    const std::string line = FirstLine(before, after);
    const std::string place =
        "1 regression: ExceptionStorm.DeepException in ExceptionStorm.Deep.Descend: ";
    ASSERT_PRED2(Begins, line, place);
    // Exceptions per second: this includes the time that the process took to start.
    EXPECT_NEAR(std::strtod(line.c_str() + place.size(), nullptr), 2.0, 0.4) << line;
    EXPECT_PRED2(Contains, line, " times the exceptions: ");
    EXPECT_PRED2(Begins, FirstLine(before, again), kNone);
  }
}

TEST(Diff, ALockThatIsHeldLongerIsNamed) {
  for (int i = 0; i < Repeats(); ++i) {
    const Workspace before, after;
    const Arguments same = {"Contention", "--rounds", "15000"};
    // Long enough that there is always one thread in the lock, however the machine shares its
    // processors.
    Arguments longer = same;
    longer.insert(longer.end(), {"--hold", "16"});
    RecordUntilReady(WaitSamples(10), same, before, "");
    RecordUntilReady(WaitSamples(10), longer, after, "");
    // The CPU time in the lock, and how long threads wait for the other lock, are not reported.
    // Those that spin for the other lock may be: two complete runs are compared in total.
    const std::string line = FirstLine(before, after);
    EXPECT_PRED2(Contains, line.substr(1), " regression");
    EXPECT_PRED2(Contains, line, ": Contention.Register.Add: ");
  }
}

TEST(Diff, WhatAllocatesAndCollectsTheSameIsTheSame) {
  for (int i = 0; i < Repeats(); ++i) {
    for (const Arguments& sample : {Arguments{HINDSIGHT_DOTNET, HINDSIGHT_ALLOCATION_HOT_10},
                                    Arguments{HINDSIGHT_DOTNET, HINDSIGHT_GC_PRESSURE_10}}) {
      const Workspace before, after;
      for (const Workspace* out : {&before, &after}) RecordUntilReady(sample, {}, *out, "");
      EXPECT_PRED2(Begins, FirstLine(before, after), kNone) << sample.back();
    }
  }
}

}  // namespace
}  // namespace hindsight::live
