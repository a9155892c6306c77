#include "bench/verdicts/recordings.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <thread>

#include "bench/driver/attached.h"
#include "bench/driver/child.h"
#include "bench/driver/target.h"
#include "bench/verdicts/truth.h"

namespace hindsight::bench {
namespace {

namespace fs = std::filesystem;

// One busy process per core.
class TakenCores {
 public:
  TakenCores() {
    for (long i = sysconf(_SC_NPROCESSORS_ONLN); i > 0; --i) {
      const pid_t pid = fork();
      if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;) asm volatile("");
      }
      if (pid > 0) processes_.push_back(pid);
    }
  }
  ~TakenCores() {
    for (const pid_t pid : processes_) {
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
  }
  TakenCores(const TakenCores&) = delete;
  TakenCores& operator=(const TakenCores&) = delete;

 private:
  std::vector<pid_t> processes_;
};

constexpr double kSecondsOfAll = 60;

void Sleep(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

void Trigger(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), HINDSIGHT_TRIGGER);
  const Measured measured = RunChild(arguments, {});
  if (measured.exit_code != 0) throw std::runtime_error("hindsight-trigger: " + measured.output);
}

void Snapshot(const std::string& process, const fs::path& folder) {
  Trigger({"snapshot", process, "--profiler", HINDSIGHT_RECORDER, "--output", folder.string()});
}

std::vector<std::string> Command(const std::string& problem, const fs::path& recorded_in) {
  std::vector<std::string> command;
  if (!recorded_in.empty()) {
    command = {
        HINDSIGHT_TRIGGER,    "launch", "--quiet", "--profiler", HINDSIGHT_RECORDER, "--output",
        recorded_in.string(), "--"};
  }
  command.insert(command.end(), {HINDSIGHT_DOTNET, HINDSIGHT_SHOP});
  if (problem != kHealthy) command.insert(command.end(), {"--problem", problem});
  return command;
}

}  // namespace

fs::path RecordingIn(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".hindsight") return entry.path();
  }
  return {};
}

void RecordShop(const std::string& problem, const RecordSettings& settings,
                const fs::path& folder) {
  const auto wants = [&](const char* way) {
    return std::find(settings.ways.begin(), settings.ways.end(), way) != settings.ways.end();
  };
  fs::remove_all(folder);
  for (const std::string& way : settings.ways) fs::create_directories(folder / way);
  std::optional<TakenCores> load;
  if (settings.loaded) load.emplace();
  Target shop(Command(problem, wants("start") ? folder / "start" : fs::path()));
  const std::string process = std::to_string(shop.pid());
  if (problem == kAll) {
    Sleep(kSecondsOfAll);
  } else {
    for (std::string line; line != "shown";) {
      line = shop.NextLine();
      if (line == "not shown") throw std::runtime_error("the problem did not show itself in time");
    }
  }
  if (wants("start")) Trigger({"stop", process});
  if (wants("snapshot")) Snapshot(process, folder / "snapshot");
  if (wants("attach")) {
    const Attached attached(shop.pid(), folder / "attach", {});
    Sleep(settings.seconds);
  }
  if (wants(kSeries)) {
    const Attached attached(shop.pid(), folder / kSeries, {});
    for (int i = 0; i < 3; ++i) {
      Sleep(i == 0 ? 1 : settings.seconds / 2.0);
      Snapshot(process, folder / kSeries);
    }
  }
}

}  // namespace hindsight::bench
