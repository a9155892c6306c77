// Runs output_fault_writer and reads what it left behind.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/unit/recorder/output_test_support.h"

namespace hindsight::recorder {

struct FaultRun {
  int status = 0;                      // as waitpid gives it
  std::string path;                    // of the recording; empty when it did not come so far
  std::vector<uint64_t> written;       // sequences that it said it had written
  std::vector<uint64_t> lost;          // and lost
  std::vector<uint64_t> started_anew;  // sequences that started dictionaries anew
  std::string error_text;              // stderr
};

struct WriterArguments {
  uint32_t segments = 10;
  size_t bytes = 20'000;
  uint64_t disk_limit_bytes = 256u << 20;
};

// A child that has been started, its stdout and stderr going to files.
class FaultChild {
 public:
  // `faults` is its environment for the injector; without any, the injector is not loaded.
  // `traced`: it stops right after exec, with its parent as its ptrace tracer.
  FaultChild(const std::string& output, const WriterArguments& arguments,
             const std::map<std::string, std::string>& faults, bool traced = false);
  pid_t pid() const { return pid_; }
  // After it was waited for: what it said.
  FaultRun Result(int status) const;

 private:
  TemporaryFolder notes_;
  pid_t pid_ = -1;
};

FaultRun RunWriter(const std::string& output, const WriterArguments& arguments,
                   const std::map<std::string, std::string>& faults);

// Checks what every recording has to be, whatever happened to its writer: every segment that was
// said to be written is there with its own contents, unless rotation took it with all before it;
// nothing that was said to be lost; at most one more, which was written and not said so any more;
// whole segments everywhere but at the ends of files.
void CheckRecording(const FaultRun& run, const WriterArguments& arguments);

}  // namespace hindsight::recorder
