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
  std::string path;                    // of the recording; empty if it did not get that far
  std::vector<uint64_t> written;       // sequences that it reported as written
  std::vector<uint64_t> lost;          // and lost
  std::vector<uint64_t> started_anew;  // sequences that started new dictionaries
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
  // `faults` is its environment for the injector; if empty, the injector is not loaded. `traced`:
  // it stops right after exec, with its parent as its ptrace tracer.
  FaultChild(const std::string& output, const WriterArguments& arguments,
             const std::map<std::string, std::string>& faults, bool traced = false);
  pid_t pid() const { return pid_; }
  // What it reported; after it was waited for.
  FaultRun Result(int status) const;

 private:
  TemporaryFolder notes_;
  pid_t pid_ = -1;
};

FaultRun RunWriter(const std::string& output, const WriterArguments& arguments,
                   const std::map<std::string, std::string>& faults);

// Checks what must be true of every recording, whatever happened to its writer: every segment
// reported as written is there with its own contents, unless rotation deleted it and all before it;
// no segment reported as lost is there; at most one more, which was written but not reported; and
// all segments are whole, except at the ends of files.
void CheckRecording(const FaultRun& run, const WriterArguments& arguments);

}  // namespace hindsight::recorder
