// Unusual environments: children by vfork, fork and posix_spawn, stacks of a few KiB, very many
// threads; and, in a long run, under strace and gdb, trimmed and compiled ahead of time. The
// application prints what it prints without the recorder, and the recording is intact.
//
// HINDSIGHT_SURROUNDING_THREADS: that many threads, and the parts that take long.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/live/harness/process.h"
#include "tests/live/harness/recording.h"
#include "tests/live/harness/sample.h"

namespace hindsight::live {
namespace {

// Without waits: to stop a thread, for a collection as well as for a snapshot, the runtime needs
// more stack than the smallest stacks have. .NET 8 overflows them in a collection without any
// profiler.
constexpr char kOptions[] = "sources=exceptions,threads,gc,locks,cpu,allocations;cpu.hz=1000";
constexpr std::chrono::minutes kLong{10};

int LongThreads() {
  const char* text = std::getenv("HINDSIGHT_SURROUNDING_THREADS");
  return text == nullptr ? 0 : std::atoi(text);
}

class Surroundings : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { WriteFile(workspace_ / "end"); }

  // Runs the sample to its end, under `program` if it is not empty.
  Ended Run(std::vector<std::string> program, EnvironmentVariables environment, int threads,
            const std::vector<std::string>& under = {}) const {
    std::vector<std::string> command = under;
    command.insert(command.end(), program.begin(), program.end());
    command.insert(command.end(), {"--end", workspace_ / "end", "Surroundings", "--threads",
                                   std::to_string(threads)});
    environment.emplace_back("TMPDIR", workspace_.path());
    return RunToEnd({.arguments = command, .environment = environment}, kLong);
  }
  std::string Expected(int threads) const {
    return "started\n32 of 32 rounds of children ended as they should\n"
           "24 of 24 threads with small stacks computed\n" +
           std::to_string(threads) + " of " + std::to_string(threads) +
           " threads were alive at the same time\nready\ndone\n";
  }
  // Recorded from the start.
  void ExpectUndisturbed(const std::vector<std::string>& program, int threads,
                         const std::vector<std::string>& under = {}) const {
    const Ended ended = Run(program, StartUp(workspace_ / "out", kOptions), threads, under);
    EXPECT_TRUE(ended.Succeeded()) << ended.Describe();
    if (under.empty()) {
      EXPECT_EQ(ended.output, Expected(threads));
      EXPECT_EQ(ended.errors, "");
    } else {  // a debugger prints something of its own
      EXPECT_NE(ended.output.find("small stacks computed"), std::string::npos) << ended.Describe();
      EXPECT_NE(ended.output.find("done\n"), std::string::npos) << ended.Describe();
    }
    ExpectRecording(threads);
  }
  void ExpectRecording(int threads) const {
    // Children are not applications: they have no recordings.
    const auto recordings = RecordingsIn(workspace_ / "out");
    ASSERT_EQ(recordings.size(), 1u);
    const nlohmann::json verdict = HindsightJson("verify", recordings.front());
    EXPECT_EQ(verdict["closed_in_order"], true) << verdict.dump(1);
    EXPECT_EQ(verdict["missing_segments"].size(), 0u) << verdict.dump(1);
    const int all = threads + 24 + 4;  // those of the sample; the runtime has some of its own
    EXPECT_GE(Measure(recordings.front(), "threads.started"), all);
    EXPECT_GE(Measure(recordings.front(), "threads.ended"), all);
    const nlohmann::json exceptions = HindsightJson("exceptions", recordings.front());
    EXPECT_EQ(exceptions["throws"], 32) << exceptions.dump(1);
  }

  static double Measure(const std::filesystem::path& recording, const std::string& name) {
    const nlohmann::json list = HindsightJson("check", recording, {"--list"});
    for (const nlohmann::json& measure : list["measures"]) {
      if (measure["name"] == name && measure["of"].is_null()) return measure["value"].get<double>();
    }
    ADD_FAILURE() << name << " is not measured";
    return 0;
  }

  const Workspace workspace_;
};

TEST_P(Surroundings, AreLeftAlone) { ExpectUndisturbed(CpuSamples(GetParam()), 200); }

TEST_P(Surroundings, OfThousandsOfThreadsAreLeftAlone) {
  if (LongThreads() == 0) GTEST_SKIP() << "only in a long run";
  ExpectUndisturbed(CpuSamples(GetParam()), LongThreads());
}

TEST_P(Surroundings, UnderTracersAreLeftAlone) {
  if (LongThreads() == 0) GTEST_SKIP() << "only in a long run";
  const std::vector<std::vector<std::string>> tracers = {
      {"strace", "-f", "-o", "/dev/null"},
      {"gdb", "-q", "-batch", "-return-child-result", "-ex", "handle all nostop noprint pass",
       "-ex", "run", "--args"}};
  for (const std::vector<std::string>& tracer : tracers) {
    SCOPED_TRACE(tracer.front());
    std::vector<std::string> nothing = tracer;
    nothing.emplace_back("/bin/true");
    if (!RunToEnd({.arguments = nothing}).Succeeded()) continue;  // not here, or not allowed
    std::filesystem::remove_all(workspace_ / "out");
    ExpectUndisturbed(CpuSamples(GetParam()), 50, tracer);
  }
}

TEST_P(Surroundings, OfAnotherCompilerAreLeftAlone) {
  if (LongThreads() == 0 || GetParam() != 10) GTEST_SKIP() << "only in a long run, on .NET 10";
  for (const std::string property : {"-p:PublishReadyToRun=true", "-p:PublishTrimmed=true"}) {
    SCOPED_TRACE(property);
    const std::string folder = workspace_ / "published";
    const Ended published = RunToEnd(
        {.arguments = {HINDSIGHT_DOTNET, "publish", HINDSIGHT_SOURCE_DIR "/samples/CpuSamples",
                       "-c", "Release", "-r", "linux-x64", "--self-contained", property,
                       "-p:SuppressTrimAnalysisWarnings=true", "-p:SampleFramework=net10.0",
                       "-p:ArtifactsPath=" + (workspace_ / "artifacts").string(), "-o", folder}},
        kLong);
    ASSERT_TRUE(published.Succeeded()) << published.Describe();
    ExpectUndisturbed({folder + "/CpuSamples"}, 50);
    std::filesystem::remove_all(folder);
    std::filesystem::remove_all(workspace_ / "out");
  }
}

INSTANTIATE_TEST_SUITE_P(All, Surroundings, testing::Values(8, 9, 10));

}  // namespace
}  // namespace hindsight::live
