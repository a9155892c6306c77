// What a recording is about, and what is missing from it. Knows nothing about files or the schema.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/model/end_reason.h"

namespace hindsight::analyzer {

// All times are within this many nanoseconds of the recording's start: 36 years.
inline constexpr int64_t kMaxTimeNs = int64_t{1} << 60;

// Times are nanoseconds from the recording's start unless noted otherwise.
struct RecordingFacts {
  std::string application;
  std::string host;
  uint32_t pid = 0;
  std::string runtime_version;
  double cpus = 0;       // that the process may use, including its container's limit; 0: unknown
  double cpu_limit = 0;  // of its container, if less than the machine has; 0: none
  std::vector<std::string> sources;           // that were enabled; empty: unknown
  uint64_t open_files_limit = 0;              // 0: none, or unknown
  uint64_t memory_limit = 0;                  // bytes: of its container, else of the machine
  bool is_memory_of_container = false;        // otherwise of the machine
  std::vector<std::string> runtime_settings;  // from the environment, "DOTNET_gcServer=1", sorted
  uint64_t process_started_unix_ns = 0;
  uint64_t started_unix_ns = 0;
  // From the recording's start to its last packet. The contents begin later if the oldest files
  // were rotated away.
  int64_t first_ns = 0;
  int64_t last_ns = 0;
  int64_t begin_ns() const { return std::max<int64_t>(0, first_ns); }
  uint64_t begin_unix_ns() const { return started_unix_ns + static_cast<uint64_t>(begin_ns()); }
  uint64_t length_ns() const {
    return last_ns > begin_ns() ? static_cast<uint64_t>(last_ns - begin_ns()) : 0;
  }
  EndReason end = EndReason::kBrokeOff;
  uint64_t part_of = 0;  // id of the recording from which this one was cut; 0: it is not a part
  bool has_process = false;
  bool exceptions_on = true;
  bool threads_on = true;
  bool messages_on = true;
  bool locks_on = false;
  bool waits_on = false;
  bool cpu_on = false;
  bool inlining_reported = false;  // CPU samples say what the JIT inlined; see CallNode
  bool allocations_on = false;
  bool gc_on = false;
  bool requests_on = false;
  bool routes_on = false;
  bool request_details_on = false;
  bool ended_in_start = false;  // before those sources began that leave the start out
  // What the recorder noted for readers: sentences, the first kMaxNotes.
  static constexpr size_t kMaxNotes = 100;
  std::vector<std::string> notes;
  // What its rules (`when=`) did, ordered by time.
  struct RuleAct {
    int64_t at_ns = 0;
    std::string rule, text;  // the rule as written; a sentence about what was seen and done
  };
  std::vector<RuleAct> rule_acts;
};

// What happened but is not in the model.
struct Losses {
  uint64_t ring_full = 0;  // events that the recorder dropped
  uint64_t memory_cap = 0;
  uint64_t disk_error = 0;
  uint64_t unknown_cause = 0;
  uint64_t stacks_missing = 0;  // kept, but without their stack
  uint64_t ends_unknown = 0;    // of exceptions and waits that are reported as still in progress
  uint64_t segments = 0;        // lost from the files
  uint64_t damaged_bytes = 0;
  uint64_t unknown_packets = 0;  // from a newer version
  uint64_t dangling = 0;         // references to missing dictionary entries
  uint64_t refused = 0;          // beyond a limit of the analyzer
  bool oldest_rotated_away = false;
  bool oldest_given_up = false;  // likewise, and some of it because the disk was full

  uint64_t DroppedEvents() const { return ring_full + memory_cap + disk_error + unknown_cause; }
  // Events may have happened of which nothing is recorded.
  bool MayHideEvents() const { return DroppedEvents() > 0 || segments > 0 || damaged_bytes > 0; }
};

}  // namespace hindsight::analyzer
