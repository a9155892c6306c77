// What a recording says of itself, its process and its recorder.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/model/counted_events.h"
#include "analyzer/model/end_reason.h"
#include "analyzer/model/recording_facts.h"
#include "analyzer/model/requests.h"

namespace hindsight::analyzer {

// The recording that one was cut out of, and the span that was asked for.
struct CutOrigin {
  std::string name;
  uint64_t recording_id = 0;
  bool is_kept = false;  // copied while the whole went on: there is no span
  uint64_t from_ns = 0;
  std::optional<uint64_t> to_ns;  // nothing: to its end
};

enum class RecorderMode { kStartup, kAttach, kUnknown };

struct RecordedProcess {
  uint32_t pid = 0;
  std::string application, host, runtime_version, architecture, os, recorder_version;
  std::vector<std::string> command_line;
  uint32_t cpus = 0;  // that the process may use
  uint64_t physical_memory_bytes = 0;
  uint64_t cgroup_memory_limit_bytes = 0;  // 0: none
  double cgroup_cpu_limit = 0;             // cores; 0: none
  uint64_t started_unix_ns = 0;            // of the process
  uint64_t recording_started_unix_ns = 0;
  RecorderMode mode = RecorderMode::kUnknown;
  std::string options;  // in the syntax of the option string
  std::vector<std::string> sources, environment_names, user_data;
  std::optional<CutOrigin> cut;
};

// The recorder's cost as three numbers, in nanoseconds. A recording without `is_cpu_time` tells
// only how long callbacks and handlers took: then `application_cpu_ns` is that, and more than their
// CPU time on a machine that was busy.
struct CostParts {
  bool is_cpu_time = false;
  uint64_t application_cpu_ns = 0;  // of callbacks and signal handlers, on its threads
  uint64_t own_cpu_ns = 0;          // of the recorder's threads and processes
  uint64_t waited_ns = 0;           // threads of the application did not run in callbacks, handlers
  uint64_t paused_ns = 0;           // all of them were stopped for snapshots

  uint64_t cpu_ns() const { return application_cpu_ns + own_cpu_ns; }
};

// What the recorder cost until `elapsed_ns` of the recording; recording.proto describes the fields.
struct RecordedCost {
  CostParts parts;
  uint64_t callbacks = 0, callback_ns = 0, callback_cpu_ns = 0, callbacks_measured = 0;
  uint64_t memory_bytes = 0, written_bytes = 0, events = 0;
  uint64_t stacks_fast = 0, stacks_exact = 0, stacks_verified = 0, stacks_mismatched = 0;
  uint64_t cpu_samples = 0, cpu_handler_ns = 0;
  std::vector<uint64_t> cpu_handler_histogram;  // by 250 ns; the last: all longer ones
  uint64_t elapsed_ns = 0;

  static constexpr uint64_t kHistogramStepNs = 250;
};

enum class LossCause {
  kRingFull,
  kMemoryCap,
  kDiskError,
  kStackUnknown,  // the event is there
  kPacketTooLarge,
  kEndUnknown,       // likewise
  kRequestUnpaired,  // it is counted
  kUnknown,
};

struct RecordingSummary {
  RecordingFacts facts;
  Losses losses;
  std::optional<RecordedProcess> process;   // the first that is intact
  std::optional<RecordedCost> cost;         // the last
  std::optional<EndReason> end;             // nothing: it broke off
  std::map<std::string, uint64_t> packets;  // by kind, as the schema names them
  std::map<LossCause, uint64_t> lost_events;
  Requests requests;
  CountedEvents counted;
  std::vector<std::string> notes;  // the first kMaxNotes
  uint64_t note_count = 0;
  uint64_t undefined_references = 0;  // to names and stacks that are in no packet

  static constexpr size_t kMaxNotes = 100;

  // Events that happened and of which nothing is recorded; those kept without their stack are.
  uint64_t DroppedEvents() const;
  // What the recorder took from the process's CPU time, in cores; nothing if it is unknown. Of an
  // older recording, which shows how long callbacks took, at most that.
  std::optional<double> CoresUsed() const;
};

}  // namespace hindsight::analyzer
