// What a recording says about itself, its process and its recorder.
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

// The recording from which this one was cut, and the requested span.
struct CutOrigin {
  std::string name;
  uint64_t recording_id = 0;
  bool is_kept = false;  // copied while the recording continued: there is no span
  uint64_t from_ns = 0;
  std::optional<uint64_t> to_ns;  // nullopt: to its end
};

enum class RecorderMode { kStartup, kAttach, kUnknown };

struct RecordedProcess {
  uint32_t pid = 0;
  std::string application, host, runtime_version, architecture, os, recorder_version;
  std::vector<std::string> command_line;
  uint32_t cpus = 0;  // available to the process
  uint64_t physical_memory_bytes = 0;
  uint64_t cgroup_memory_limit_bytes = 0;  // 0: none
  double cgroup_cpu_limit = 0;             // cores; 0: none
  uint64_t open_files_limit = 0;           // 0: none, or unknown
  uint64_t started_unix_ns = 0;            // of the process
  uint64_t recording_started_unix_ns = 0;
  RecorderMode mode = RecorderMode::kUnknown;
  std::string options;  // in the syntax of the option string
  std::vector<std::string> sources, environment_names, runtime_settings, user_data;
  std::optional<CutOrigin> cut;
};

// The recorder's cost as three numbers, in nanoseconds. Without `is_cpu_time`, the recording only
// has the duration of callbacks and handlers: then `application_cpu_ns` is that duration, which
// exceeds their CPU time if the machine was busy.
struct CostParts {
  bool is_cpu_time = false;
  uint64_t application_cpu_ns = 0;  // of callbacks and signal handlers, on its threads
  uint64_t own_cpu_ns = 0;          // of the recorder's threads and processes
  // Threads of the application were off the processor inside callbacks and handlers.
  uint64_t waited_ns = 0;
  uint64_t paused_ns = 0;  // all of them were stopped for snapshots

  uint64_t cpu_ns() const { return application_cpu_ns + own_cpu_ns; }
};

// The recorder's cost until `elapsed_ns` of the recording; recording.proto describes the fields.
struct RecordedCost {
  CostParts parts;
  uint64_t callbacks = 0, callback_ns = 0, callback_cpu_ns = 0, callbacks_measured = 0;
  uint64_t memory_bytes = 0, written_bytes = 0, events = 0;
  uint64_t stacks_fast = 0, stacks_exact = 0, stacks_verified = 0, stacks_mismatched = 0;
  uint64_t cpu_samples = 0, cpu_handler_ns = 0;
  std::vector<uint64_t> cpu_handler_histogram;  // in steps of 250 ns; the last one: all longer ones
  uint64_t elapsed_ns = 0;

  static constexpr uint64_t kHistogramStepNs = 250;
};

enum class LossCause {
  kRingFull,
  kMemoryCap,
  kDiskError,
  kStackUnknown,  // the event is recorded
  kPacketTooLarge,
  kEndUnknown,       // likewise
  kRequestUnpaired,  // the request is counted
  kUnknown,
};

struct RecordingSummary {
  RecordingFacts facts;
  Losses losses;
  std::optional<RecordedProcess> process;   // the first intact one
  std::optional<RecordedCost> cost;         // the last
  std::optional<EndReason> end;             // nullopt: it broke off
  std::map<std::string, uint64_t> packets;  // by kind, as named in the schema
  std::map<LossCause, uint64_t> lost_events;
  Requests requests;
  CountedEvents counted;
  std::vector<std::string> notes;  // the first kMaxNotes
  uint64_t note_count = 0;
  uint64_t undefined_references = 0;  // to names and stacks that no packet defines

  static constexpr size_t kMaxNotes = 100;

  // Events that happened but were not recorded; events recorded without their stack are not
  // included.
  uint64_t DroppedEvents() const;
  // The CPU time that the recorder used, in cores; nullopt if unknown. For an older recording,
  // which shows how long callbacks took, it is an upper bound.
  std::optional<double> CoresUsed() const;
};

}  // namespace hindsight::analyzer
