#include "analyzer/commands/recording_summary.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include "analyzer/reader/recorder_activity.h"
#include "analyzer/reader/recorder_cost.h"
#include "analyzer/reader/request_builder.h"

namespace hindsight::analyzer {
namespace {

class Collector {
 public:
  explicit Collector(RecordingSummary& summary) : summary_(summary) {}

  void Take(const PacketContext& context, const Packet& packet) {
    ++counts_[packet.data_case()];
    references_.Take(context, packet);
    activity_.Takes(packet);
    if (first_monotonic_ns_ == 0) first_monotonic_ns_ = context.monotonic_ns;
    switch (packet.data_case()) {
      case Packet::kProcess:
        if (!summary_.process) summary_.process = packet.process();
        break;
      case Packet::kRecorderCost:
        summary_.cost = packet.recorder_cost();
        cost_monotonic_ns_ = context.monotonic_ns;
        break;
      case Packet::kRecordingEnd:
        summary_.end = packet.recording_end();
        break;
      case Packet::kLoss:
        AddSaturating(summary_.lost_events[packet.loss().cause()], packet.loss().count());
        break;
      case Packet::kException:
        ++summary_.counted.throws;
        break;
      case Packet::kExceptionTally:
        AddSaturating(summary_.counted.throws, packet.exception_tally().thrown());
        AddSaturating(summary_.counted.counted_throws, packet.exception_tally().thrown());
        break;
      case Packet::kLockWait:
        ++summary_.counted.waits;
        break;
      case Packet::kLockWaitTally:
        AddSaturating(summary_.counted.waits, packet.lock_wait_tally().began());
        AddSaturating(summary_.counted.counted_waits, packet.lock_wait_tally().began());
        break;
      case Packet::kRequestCounts:
        requests_.On(packet.request_counts(), /*time_ns=*/0);
        break;
      case Packet::kRecorderNote:
        if (summary_.note_count++ < RecordingSummary::kMaxNotes) {
          summary_.notes.push_back(packet.recorder_note().text());
        }
        break;
      default:
        break;
    }
  }

  void Finish() {
    for (const auto& [kind, count] : counts_) {
      summary_.packets[Packet::descriptor()->FindFieldByNumber(kind)->name()] = count;
    }
    uint64_t started_ns = first_monotonic_ns_;
    if (summary_.process && summary_.process->recording_started_monotonic_ns() != 0) {
      started_ns = summary_.process->recording_started_monotonic_ns();
    }
    if (cost_monotonic_ns_ > started_ns) summary_.cost_elapsed_ns = cost_monotonic_ns_ - started_ns;
    summary_.undefined_references = references_.undefined();
    if (std::string own = activity_.Sentence(); !own.empty()) {
      summary_.notes.push_back(std::move(own));
      ++summary_.note_count;
    }
  }

 private:
  static void AddSaturating(uint64_t& sum, uint64_t count) {
    if (__builtin_add_overflow(sum, count, &sum)) sum = UINT64_MAX;
  }

  RecordingSummary& summary_;
  RequestBuilder requests_{summary_.requests};
  ReferenceCheck references_;
  RecorderActivity activity_;
  std::map<int, uint64_t> counts_;
  uint64_t first_monotonic_ns_ = 0;
  uint64_t cost_monotonic_ns_ = 0;
};

}  // namespace

Result<RecordingSummary> Summarize(Recording& recording, Progress* progress) {
  RecordingSummary summary;
  Collector collector(summary);
  Result<void> read = recording.ForEachPacket(
      [&](const PacketContext& context, const Packet& packet) { collector.Take(context, packet); },
      progress);
  if (!read) return read.error();
  collector.Finish();
  return summary;
}

uint64_t DroppedEvents(const RecordingSummary& summary) {
  uint64_t dropped = 0;
  for (const auto& [cause, count] : summary.lost_events) {
    if (cause == Loss::STACK_UNKNOWN || cause == Loss::END_UNKNOWN) continue;
    if (__builtin_add_overflow(dropped, count, &dropped)) return UINT64_MAX;
  }
  return dropped;
}

std::string Describe(Loss::Cause cause) {
  switch (cause) {
    case Loss::RING_FULL:
      return "a thread produced events faster than they could be written";
    case Loss::MEMORY_CAP:
      return "the memory limit was reached (limit.memory)";
    case Loss::DISK_ERROR:
      return "segments could not be written";
    case Loss::STACK_UNKNOWN:
      return "recorded without stacks";
    case Loss::PACKET_TOO_LARGE:
      return "packets too large for a segment";
    case Loss::END_UNKNOWN:
      return "ends that came too late: their events are shown as still in progress";
    default:
      return "unknown cause";
  }
}

std::string Describe(RecordingEnd::Reason reason) {
  switch (reason) {
    case RecordingEnd::PROCESS_EXIT:
      return "the process ended";
    case RecordingEnd::STOPPED:
      return "stopped on request";
    case RecordingEnd::DURATION_OVER:
      return "its duration elapsed";
    case RecordingEnd::CUT:
      return "cut here: the recording that it was cut out of goes on";
    case RecordingEnd::FAILED:
      return "the recorder failed; see the notes";
    default:
      return "for an unknown reason";
  }
}

std::string JsonName(const std::string& enum_name) {
  std::string name = enum_name;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name.empty() ? "unknown" : name;
}

std::optional<double> CoresUsed(const RecordingSummary& summary) {
  if (!summary.cost || summary.cost_elapsed_ns == 0) return {};
  return static_cast<double>(CostPartsOf(*summary.cost).cpu_ns()) /
         static_cast<double>(summary.cost_elapsed_ns);
}

}  // namespace hindsight::analyzer
