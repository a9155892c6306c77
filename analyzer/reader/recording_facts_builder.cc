#include "analyzer/reader/recording_facts_builder.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "analyzer/reader/recorded_end.h"

namespace hindsight::analyzer {

int64_t RecordingFactsBuilder::FromStart(uint64_t monotonic_ns) const {
  return std::clamp(static_cast<int64_t>(monotonic_ns - start_ns_), -kMaxTimeNs, kMaxTimeNs);
}

std::optional<int64_t> RecordingFactsBuilder::TimeOf(const PacketContext& context,
                                                     const Packet& packet) {
  if (packet.data_case() == Packet::kProcess) OnProcess(packet.process());
  // The segment's own start precedes the process, and says nothing that its packets don't.
  if (packet.data_case() == Packet::kSegmentStart && !has_start_) return std::nullopt;
  if (!has_start_) {
    start_ns_ = context.monotonic_ns;
    has_start_ = true;
  }
  const int64_t time_ns = FromStart(context.monotonic_ns);
  facts_.first_ns = has_time_ ? std::min(facts_.first_ns, time_ns) : time_ns;
  facts_.last_ns = has_time_ ? std::max(facts_.last_ns, time_ns) : time_ns;
  has_time_ = true;
  return time_ns;
}

void RecordingFactsBuilder::OnProcess(const Process& process) {
  if (facts_.has_process) return;
  facts_.has_process = true;
  facts_.application = process.application();
  facts_.host = process.host();
  facts_.pid = process.pid();
  facts_.part_of = process.cut().recording_id();
  facts_.runtime_version = process.runtime_version();
  facts_.cpus = process.cpus();
  if (process.cgroup_cpu_limit() > 0 && process.cgroup_cpu_limit() < facts_.cpus) {
    facts_.cpu_limit = facts_.cpus = process.cgroup_cpu_limit();
  }
  facts_.sources.assign(process.source().begin(), process.source().end());
  facts_.open_files_limit = process.open_files_limit();
  const uint64_t container = process.cgroup_memory_limit_bytes();
  facts_.is_memory_of_container = container != 0;
  facts_.memory_limit = container != 0 ? container : process.physical_memory_bytes();
  facts_.runtime_settings.assign(process.runtime_setting().begin(),
                                 process.runtime_setting().end());
  facts_.process_started_unix_ns = process.started_unix_ns();
  facts_.started_unix_ns = process.recording_started_unix_ns();
  if (process.source_size() > 0) {
    const auto has = [&process](std::string_view name) {
      return std::find(process.source().begin(), process.source().end(), name) !=
             process.source().end();
    };
    facts_.exceptions_on = has("exceptions");
    facts_.threads_on = has("threads");
    facts_.waits_on = has("waits");
    facts_.locks_on = has("locks");
    facts_.cpu_on = has("cpu");
    facts_.inlining_reported = process.inlining_reported();
    facts_.allocations_on = has("allocations");
    facts_.gc_on = has("gc");
    facts_.requests_on = has("requests");
  }
  facts_.routes_on =
      facts_.requests_on && process.options().find("requests.routes=on") != std::string::npos;
  facts_.request_details_on =
      facts_.requests_on && process.options().find("requests.details=") != std::string::npos;
  facts_.messages_on = process.options().find("exceptions.messages=off") == std::string::npos;
  if (!has_start_ && process.recording_started_monotonic_ns() != 0) {
    start_ns_ = process.recording_started_monotonic_ns();
    has_start_ = true;
  }
}

void RecordingFactsBuilder::On(const Packet& packet, int64_t time_ns) {
  switch (packet.data_case()) {
    case Packet::kRecorderNote:
      return OnNote(packet.recorder_note(), time_ns);
    case Packet::kLoss:
      return OnLoss(packet.loss());
    case Packet::kRecordingEnd:
      return OnEnd(packet.recording_end());
    default:
      return;
  }
}

void RecordingFactsBuilder::OnNote(const RecorderNote& note, int64_t time_ns) {
  not_seen_ns_ = std::max(not_seen_ns_, note.not_seen_ns());
  if (!note.rule().empty()) {
    if (facts_.rule_acts.size() < RecordingFacts::kMaxNotes) {
      facts_.rule_acts.push_back({time_ns, note.rule(), note.text()});
    }
  } else if (facts_.notes.size() < RecordingFacts::kMaxNotes) {
    facts_.notes.push_back(note.text());
  }
}

void RecordingFactsBuilder::OnLoss(const Loss& loss) {
  switch (loss.cause()) {
    case Loss::RING_FULL:
      losses_.ring_full += loss.count();
      break;
    case Loss::MEMORY_CAP:
      losses_.memory_cap += loss.count();
      break;
    case Loss::DISK_ERROR:
      losses_.disk_error += loss.count();
      break;
    case Loss::STACK_UNKNOWN:
      losses_.stacks_missing += loss.count();
      break;
    case Loss::END_UNKNOWN:
      losses_.ends_unknown += loss.count();
      break;
    case Loss::REQUEST_UNPAIRED:  // counted in RequestCounts
      break;
    default:
      losses_.unknown_cause += loss.count();
  }
}

void RecordingFactsBuilder::OnEnd(const RecordingEnd& end) {
  facts_.end = EndReasonOf(end);
  // A part cut from a copy is marked by `cut`.
  if (end.has_copy_of() && facts_.part_of == 0) facts_.part_of = end.copy_of().recording_id();
}

void RecordingFactsBuilder::Finish(const Integrity& integrity, uint64_t missing_references) {
  // The process ended while its start was left out: what is missing was not recorded.
  if (not_seen_ns_ != 0 && facts_.last_ns >= 0 &&
      not_seen_ns_ / 9 >= static_cast<uint64_t>(facts_.last_ns) / 10) {
    facts_.ended_in_start = true;
    facts_.locks_on = facts_.allocations_on = facts_.requests_on = false;
  }
  losses_.segments = integrity.lost_segments();
  losses_.damaged_bytes = integrity.lost_bytes - integrity.lost_heap_bytes;
  losses_.unknown_packets += integrity.unknown_packets + integrity.skipped_segments;
  losses_.dangling = missing_references;
  if (integrity.closed_in_order && facts_.end == EndReason::kBrokeOff) {
    facts_.end = EndReason::kUnknown;
  }
  for (const Gap& gap : integrity.gaps) {
    if (gap.on_purpose() || gap.cause == Gap::Cause::kRotatedAwayOrDamaged) {
      losses_.oldest_rotated_away = true;
      losses_.oldest_given_up = gap.cause == Gap::Cause::kGivenUpForRoom;
    }
  }
}

}  // namespace hindsight::analyzer
