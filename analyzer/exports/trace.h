// A recording on a time axis, as the JSON that Perfetto and Chrome's Performance panel open.
//
// Threads are tracks; the calls that CPU samples show, and waits, are slices, and throws are
// instants. Collections, and the pauses in which all threads were stopped, have their own tracks.
// Counters: processors in use, rate of allocation, the heap after each collection, the thread pool.
//
// Times are microseconds from the recording's start.
#pragma once

#include <cstdint>
#include <string>

#include "analyzer/exports/byte_sink.h"
#include "analyzer/exports/export_facts.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

struct TraceQuery {
  std::string thread;  // as for StackProfileQuery; empty: all
  int64_t from_ns = INT64_MIN, to_ns = INT64_MAX;
  // If there are more slices of calls, the shortest are left out: viewers can handle a million.
  size_t most_slices = 1'000'000;
};

struct TraceTotals {
  uint64_t calls = 0, waits = 0, throws = 0, collections = 0, pauses = 0;
  uint64_t left_out = 0;    // calls
  int64_t shortest_ns = 0;  // the shortest of the calls, if some were left out
  bool written = false;
  uint64_t Events() const { return calls + waits + throws + collections + pauses; }
};

// Memory: 4 bytes per CPU sample, and the rows of waits.
TraceTotals WriteTrace(const Model& model, const TraceQuery& query, const ExportFacts& facts,
                       const ByteSink& sink);

}  // namespace hindsight::analyzer
