// Attaches the recorder to a running process for the lifetime of an object.
#pragma once

#include <sys/types.h>
#include <time.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/driver/child.h"

namespace hindsight::bench {

// `options` are those of `hindsight-trigger attach`; none: the default sources.
class Attached {
 public:
  Attached(pid_t process, const std::filesystem::path& output, std::vector<std::string> options)
      : process_(std::to_string(process)) {
    options.insert(options.begin(), {"attach", process_, "--profiler", HINDSIGHT_RECORDER,
                                     "--output", output.string()});
    Trigger(std::move(options));
  }
  ~Attached() {
    try {
      Trigger({"stop", process_});
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
  }
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;

 private:
  static void Trigger(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), HINDSIGHT_TRIGGER);
    const Measured measured = RunChild(arguments, {});
    if (measured.exit_code != 0) throw std::runtime_error("hindsight-trigger: " + measured.output);
  }

  const std::string process_;
};

// CPU time that a process has used, in seconds.
inline double CpuSecondsOf(pid_t process) {
  clockid_t clock;
  timespec now;
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &now) != 0) {
    throw std::runtime_error("the program ended early");
  }
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

}  // namespace hindsight::bench
