// Time and memory that the analyzer needs for an hour of a busy service with every signal: for the
// commands that read all of it, and by phase.
//
//   hindsight-bench-hour [--minutes N] [--threads N] [--methods N] [--rounds N]
//
// The recording is generated, the same each time: see tests/consumers/profile_recording.h.
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "analyzer/analyses/overview/reports.h"
#include "analyzer/reader/model_builder.h"
#include "analyzer/reader/recording_reader.h"
#include "bench/driver/scratch.h"
#include "bench/driver/statistics.h"
#include "tests/consumers/profile_recording.h"
#include "tests/support/run.h"

namespace hindsight::bench {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point from) {
  return std::chrono::duration<double>(Clock::now() - from).count();
}

// The steps that all commands have in common, in this process.
struct Phases {
  std::vector<double> open, model, analyses;

  void Measure(const std::string& folder) {
    Clock::time_point at = Clock::now();
    auto recording = analyzer::Recording::Open({&folder, 1});
    if (!recording) throw std::runtime_error(recording.error().sentence);
    open.push_back(SecondsSince(at));
    at = Clock::now();
    const auto built = analyzer::BuildModel(*recording, {});
    if (!built) throw std::runtime_error(built.error().sentence);
    model.push_back(SecondsSince(at));
    at = Clock::now();
    const analyzer::EventReports reports(**built);
    analyses.push_back(SecondsSince(at));
  }
};

struct Command {
  std::string name;
  std::vector<std::string> arguments;
  std::vector<double> seconds, mebibytes;

  void Measure() {
    const Clock::time_point at = Clock::now();
    const testing::RunResult result = testing::RunProgram(arguments);
    seconds.push_back(SecondsSince(at));
    if (result.exit_code != 0) throw std::runtime_error(name + ": " + result.err);
    mebibytes.push_back(static_cast<double>(result.max_rss_kib) / 1024);
  }
};

// In a process of its own: a program's peak memory is at least that of the process that starts it.
void Generate(const testing::ProfileSettings& settings, const std::string& folder) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    testing::ProfileTruth truth;
    testing::ProfileRecording(settings, truth).WriteFolder(folder);
    std::printf("%u minutes: %llu CPU samples, %llu exceptions, %llu waits for locks\n\n",
                settings.seconds / 60, static_cast<unsigned long long>(truth.samples),
                static_cast<unsigned long long>(truth.exceptions),
                static_cast<unsigned long long>(truth.lock_waits));
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) throw std::runtime_error("the recording cannot be generated");
}

void Run(const testing::ProfileSettings& settings, int rounds) {
  const Scratch scratch;
  const std::string folder = scratch.path() / "hour";
  Generate(settings, folder);
  const std::string html = scratch.path() / "report.html", database = scratch.path() / "x.db";
  std::vector<Command> commands = {
      {"summary", {HINDSIGHT_BINARY, "summary", folder}, {}, {}},
      {"report", {HINDSIGHT_BINARY, "report", folder, "-o", html}, {}, {}},
      {"sql, one table",
       {HINDSIGHT_BINARY, "sql", folder, "SELECT * FROM cpu_by_method ORDER BY self_ns LIMIT 10"},
       {},
       {}},
      {"export sqlite", {HINDSIGHT_BINARY, "export", folder, "-o", database, "--force"}, {}, {}},
  };
  for (int round = 0; round < rounds; ++round) {
    for (Command& command : commands) command.Measure();
  }
  // Afterwards, as these need memory in this process.
  Phases phases;
  for (int round = 0; round < rounds; ++round) phases.Measure(folder);
  std::printf("%-16s seconds\n", "phase");
  std::printf("%-16s %s\n", "open and check", Summary(phases.open, 2).c_str());
  std::printf("%-16s %s\n", "model", Summary(phases.model, 2).c_str());
  std::printf("%-16s %s\n\n", "analyses", Summary(phases.analyses, 2).c_str());
  std::printf("%-16s %-24s peak MiB\n", "command", "seconds");
  for (const Command& command : commands) {
    std::printf("%-16s %-24s %.0f\n", command.name.c_str(), Summary(command.seconds, 2).c_str(),
                Median(command.mebibytes));
  }
}

}  // namespace
}  // namespace hindsight::bench

int main(int argc, char** argv) {
  CLI::App app("hindsight-bench-hour: time and memory for an hour of a busy service");
  hindsight::testing::ProfileSettings settings;
  settings.busy = true;
  settings.threads = 4;
  settings.methods = 2000;
  uint32_t minutes = 60;
  int rounds = 5;
  app.add_option("--minutes", minutes, "How long the recording is")->check(CLI::Range(1, 1440));
  app.add_option("--threads", settings.threads, "That use a processor")->check(CLI::Range(1, 64));
  app.add_option("--methods", settings.methods, "On the stacks")->check(CLI::Range(50, 100'000));
  app.add_option("--rounds", rounds, "How often to measure")->check(CLI::Range(1, 1000));
  CLI11_PARSE(app, argc, argv);
  settings.seconds = 60 * minutes;
  try {
    hindsight::bench::Run(settings, rounds);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "hindsight-bench-hour: " << error.what() << "\n";
    return 1;
  }
}
