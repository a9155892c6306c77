#include "analyzer/reader/summarize.h"

#include <string>
#include <utility>

#include "analyzer/model/recorded_system.h"
#include "analyzer/reader/recorded_end.h"
#include "analyzer/reader/recorder_activity.h"
#include "analyzer/reader/recorder_cost.h"
#include "analyzer/reader/recording_facts_builder.h"
#include "analyzer/reader/recording_reader.h"
#include "analyzer/reader/reference_check.h"
#include "analyzer/reader/request_builder.h"
#include "proto/recording.pb.h"

namespace hindsight::analyzer {
namespace {

std::vector<std::string> TextsOf(const google::protobuf::RepeatedPtrField<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

RecorderMode ModeOf(Process::Mode mode) {
  switch (mode) {
    case Process::STARTUP:
      return RecorderMode::kStartup;
    case Process::ATTACH:
      return RecorderMode::kAttach;
    default:
      return RecorderMode::kUnknown;
  }
}

LossCause CauseOf(Loss::Cause cause) {
  switch (cause) {
    case Loss::RING_FULL:
      return LossCause::kRingFull;
    case Loss::MEMORY_CAP:
      return LossCause::kMemoryCap;
    case Loss::DISK_ERROR:
      return LossCause::kDiskError;
    case Loss::STACK_UNKNOWN:
      return LossCause::kStackUnknown;
    case Loss::PACKET_TOO_LARGE:
      return LossCause::kPacketTooLarge;
    case Loss::END_UNKNOWN:
      return LossCause::kEndUnknown;
    case Loss::REQUEST_UNPAIRED:
      return LossCause::kRequestUnpaired;
    default:
      return LossCause::kUnknown;
  }
}

RecordedProcess ProcessOf(const Process& process) {
  RecordedProcess facts;
  facts.pid = process.pid();
  facts.application = process.application();
  facts.host = process.host();
  facts.runtime_version = process.runtime_version();
  facts.architecture = process.architecture();
  facts.os = process.os();
  facts.recorder_version = process.recorder_version();
  facts.command_line = TextsOf(process.command_line());
  facts.cpus = process.cpus();
  facts.physical_memory_bytes = process.physical_memory_bytes();
  facts.cgroup_memory_limit_bytes = process.cgroup_memory_limit_bytes();
  facts.cgroup_cpu_limit = process.cgroup_cpu_limit();
  facts.started_unix_ns = process.started_unix_ns();
  facts.recording_started_unix_ns = process.recording_started_unix_ns();
  facts.mode = ModeOf(process.mode());
  facts.options = process.options();
  facts.sources = TextsOf(process.source());
  facts.environment_names = TextsOf(process.environment_name());
  facts.runtime_settings = TextsOf(process.runtime_setting());
  facts.open_files_limit = process.open_files_limit();
  facts.user_data = TextsOf(process.user_data());
  if (process.has_cut()) {
    const Cut& cut = process.cut();
    facts.cut = {cut.name(), cut.recording_id(), false, cut.from_ns(), {}};
    if (cut.to_ns() != 0) facts.cut->to_ns = cut.to_ns();
  }
  return facts;
}

RecordedCost CostOf(const RecorderCost& cost, bool samples_suspend) {
  RecordedCost facts;
  facts.parts = CostPartsOf(cost, samples_suspend);
  facts.callbacks = cost.callbacks();
  facts.callback_ns = cost.callback_ns();
  facts.callback_cpu_ns = cost.callback_cpu_ns();
  facts.callbacks_measured = cost.callbacks_measured();
  facts.memory_bytes = cost.memory_bytes();
  facts.written_bytes = cost.written_bytes();
  facts.events = cost.events();
  facts.stacks_fast = cost.stacks_fast();
  facts.stacks_exact = cost.stacks_exact();
  facts.stacks_verified = cost.stacks_verified();
  facts.stacks_mismatched = cost.stacks_mismatched();
  facts.cpu_samples = cost.cpu_samples();
  facts.cpu_handler_ns = cost.cpu_handler_ns();
  facts.cpu_handler_histogram.assign(cost.cpu_handler_histogram().begin(),
                                     cost.cpu_handler_histogram().end());
  return facts;
}

class Collector {
 public:
  explicit Collector(RecordingSummary& summary) : summary_(summary) {}

  void Take(const PacketContext& context, const Packet& packet) {
    ++counts_[packet.data_case()];
    references_.Take(context, packet);
    const bool is_own = activity_.Takes(packet);
    if (const auto time_ns = facts_.TimeOf(context, packet); time_ns && !is_own) {
      facts_.On(packet, *time_ns);
    }
    if (first_monotonic_ns_ == 0) first_monotonic_ns_ = context.monotonic_ns;
    switch (packet.data_case()) {
      case Packet::kProcess:
        if (summary_.process) break;
        summary_.process = ProcessOf(packet.process());
        started_monotonic_ns_ = packet.process().recording_started_monotonic_ns();
        break;
      case Packet::kRecorderCost:
        summary_.cost = CostOf(packet.recorder_cost(),
                               summary_.process && SamplesSuspend(summary_.process->os));
        cost_monotonic_ns_ = context.monotonic_ns;
        break;
      case Packet::kRecordingEnd:
        summary_.end = EndReasonOf(packet.recording_end());
        TakeCopyOf(packet.recording_end());
        break;
      case Packet::kLoss:
        AddSaturating(summary_.lost_events[CauseOf(packet.loss().cause())], packet.loss().count());
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

  void Finish(const Integrity& integrity) {
    for (const auto& [kind, count] : counts_) {
      summary_.packets[Packet::descriptor()->FindFieldByNumber(kind)->name()] = count;
    }
    const uint64_t started_ns =
        started_monotonic_ns_ != 0 ? started_monotonic_ns_ : first_monotonic_ns_;
    if (cost_monotonic_ns_ > started_ns) {
      summary_.cost->elapsed_ns = cost_monotonic_ns_ - started_ns;
    }
    summary_.undefined_references = references_.undefined();
    facts_.Finish(integrity, references_.undefined());
    if (std::string own = activity_.Sentence(); !own.empty()) {
      summary_.notes.push_back(std::move(own));
      ++summary_.note_count;
    }
  }

 private:
  // A part cut from a copy is marked by its Process.
  void TakeCopyOf(const RecordingEnd& end) {
    if (!end.has_copy_of() || !summary_.process || summary_.process->cut) return;
    CutOrigin origin;
    origin.name = end.copy_of().name();
    origin.recording_id = end.copy_of().recording_id();
    origin.is_kept = true;
    summary_.process->cut = std::move(origin);
  }

  static void AddSaturating(uint64_t& sum, uint64_t count) {
    if (__builtin_add_overflow(sum, count, &sum)) sum = UINT64_MAX;
  }

  RecordingSummary& summary_;
  RecordingFactsBuilder facts_{summary_.facts, summary_.losses};
  RequestBuilder requests_{summary_.requests};
  ReferenceCheck references_;
  RecorderActivity activity_;
  std::map<int, uint64_t> counts_;
  uint64_t first_monotonic_ns_ = 0;
  uint64_t started_monotonic_ns_ = 0;  // 0: unknown
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
  collector.Finish(recording.integrity());
  return summary;
}

}  // namespace hindsight::analyzer
