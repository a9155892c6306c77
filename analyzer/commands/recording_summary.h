// What a recording says about itself, its process and its recorder, from one pass over all packets.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/model/requests.h"
#include "analyzer/reader/recording_reader.h"
#include "analyzer/reader/reference_check.h"
#include "analyzer/report/losses.h"
#include "proto/recording.pb.h"

namespace hindsight::analyzer {

struct RecordingSummary {
  std::optional<Process> process;    // the first that is intact
  std::optional<RecorderCost> cost;  // the last
  uint64_t cost_elapsed_ns = 0;      // from the start of the recording to `cost`
  std::optional<RecordingEnd> end;
  std::map<std::string, uint64_t> packets;      // by kind, as the schema names them
  std::map<Loss::Cause, uint64_t> lost_events;  // by cause
  Requests requests;
  CountedEvents counted;
  std::vector<std::string> notes;  // the first kMaxNotes
  uint64_t note_count = 0;
  uint64_t undefined_references = 0;  // see ReferenceCheck

  static constexpr size_t kMaxNotes = 100;
};

// Reads all of `recording`, so that its integrity() is complete afterwards.
Result<RecordingSummary> Summarize(Recording& recording, Progress* progress);

// As a clause for people: "the thread was faster than the writer".
std::string Describe(Loss::Cause cause);
std::string Describe(RecordingEnd::Reason reason);
// Events that happened and of which nothing is recorded; those kept without their stack are.
uint64_t DroppedEvents(const RecordingSummary& summary);
// As `--json` writes them: the schema's names in lower case.
std::string JsonName(const std::string& enum_name);

// What the recorder took from the process's CPU time, in cores; nothing if it is unknown. Of an
// older recording, which tells how long callbacks took, at most that.
std::optional<double> CoresUsed(const RecordingSummary& summary);

}  // namespace hindsight::analyzer
