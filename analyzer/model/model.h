// A recording as the analyses see it. Knows nothing about files or the schema.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/model/collections.h"
#include "analyzer/model/dictionaries.h"
#include "analyzer/model/exceptions.h"
#include "analyzer/model/exit_call.h"
#include "analyzer/model/fatal_error.h"
#include "analyzer/model/recording_facts.h"
#include "analyzer/model/requests.h"
#include "analyzer/model/samples.h"
#include "analyzer/model/waits.h"

namespace hindsight::analyzer {

// Times are nanoseconds from the recording's start unless noted otherwise.
struct ThreadInfo {
  uint32_t id = 0;  // as recorded: never reused
  uint32_t os_id = 0;
  StringId name = 0;
  bool seen_alive = false;  // it was already running when the recording began
  bool has_start = false;
  bool has_end = false;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  StackId creator_stack = 0;  // that started it; 0: unknown
  uint64_t throws = 0;
};

// Threads whose start or end no ThreadInfo shows.
struct CountedThreads {
  uint64_t started = 0, ended = 0;
};

// The recorder's own cost, as last reported.
struct RecorderFacts {
  int64_t elapsed_ns = 0;  // from the recording's start until then; 0: not reported
  uint64_t cpu_ns = 0;     // of its own threads, and of its work on the application's threads
  uint64_t memory_bytes = 0, written_bytes = 0;
};

// The process's memory at one moment, managed or not, and its open files.
struct MemorySample {
  int64_t at_ns = 0;
  uint64_t resident_bytes = 0;
  uint64_t anonymous_bytes = 0;  // of those, not backed by files, and not the recorder's
  uint32_t open_files = 0;       // sockets and pipes too; Windows: handles; 0: not counted
};

struct AssemblyChange {
  int64_t at_ns = 0;
  bool is_load = false;       // otherwise unloaded
  bool is_generated = false;  // at run time, or loaded from memory
};

struct Model {
  RecordingFacts facts;
  Losses losses;
  RecorderFacts recorder;
  Dictionaries dictionaries;
  CountedThreads counted_threads;
  std::vector<ThreadInfo> threads{1};  // indexed by ThreadIndex; [0] stands for unknown threads
  ExceptionTable exceptions;
  std::optional<FatalError> fatal_error;  // the first
  std::optional<ExitCall> exit_call;
  GarbageCollections collections;
  static constexpr size_t kMaxMemorySamples = 4096;  // thinned out evenly beyond
  std::vector<MemorySample> memory;
  static constexpr size_t kMaxAssemblyChanges = size_t{1} << 16;  // the first
  std::vector<AssemblyChange> assemblies;
  Waits waits;
  Samples samples;
  Requests requests;

  // The one that ran Main, unless a native program hosts the runtime.
  bool IsMainThread(ThreadIndex thread) const { return threads[thread].os_id == facts.pid; }
};

}  // namespace hindsight::analyzer
