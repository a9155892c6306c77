#include "recorder/recording_writer.h"

#include <algorithm>
#include <utility>

#include "recorder/base/own_cost.h"
#include "recorder/base/process_facts.h"
#include "recorder/base/thread.h"
#include "recorder/base/thread_run.h"
#include "recorder/base/usual_folder.h"
#include "recorder/output/system.h"
#include "recorder/sources/compiler/inlining.h"

namespace hindsight::recorder {
namespace {

// CPU time of all threads and processes of the recorder that have ended.
uint64_t EndedCpuNs() {
  const OwnCost& cost = OwnCost::Instance();
  return cost.ended_threads_ns + cost.children_ns;
}

// How much of the memory limit the dictionaries of a file may use before they start over.
uint64_t DictionaryBytes(const contract::Options& options) {
  return options.memory_limit_bytes / 8;
}

// For what the JIT has inlined, if it reports that.
uint64_t InliningBytes(const contract::Options& options) {
  return Inlining::Wanted(options) ? options.memory_limit_bytes / 8 : 0;
}

}  // namespace

uint64_t RecordingWriter::FixedBytes(const contract::Options& options) {
  constexpr uint64_t kWriterBytes = 6u << 20;   // segments, compression
  constexpr uint64_t kTrackerBytes = 3u << 20;  // exceptions in flight and recently thrown
  return kWriterBytes + kTrackerBytes + DictionaryBytes(options) + InliningBytes(options) +
         RequestDetailPackets::MostPartBytes(options);
}

RecordingWriter::RecordingWriter(uint64_t id, clr::ICorProfilerInfo10* info, CodeGate& gate,
                                 const contract::Options& options, Mode mode, MemoryBudget& budget,
                                 const StackTable& stacks, const Gc& gc,
                                 SignalWalker& signal_walker)
    : id_(id),
      info_(info),
      options_(options),
      budget_(budget),
      signal_walker_(signal_walker),
      names_(info, gate),
      packets_(segments_),
      process_{options, mode, {}, {}, 0, 0},
      dictionaries_(names_, stacks, gc.suspended(), packets_, InliningBytes(options)),
      sources_(id, info, gate, names_, options, signal_walker, dictionaries_) {
  packets_.OnNewFile([this] { StartFile(); });
  gate.KeepLog();  // for the dictionaries
}

bool RecordingWriter::Open(ProcessFacts facts, std::string runtime_version, std::string_view tmp,
                           std::string* why) {
  process_.facts = std::move(facts);
  process_.runtime_version = std::move(runtime_version);
  process_.started_unix_ns = UnixNs();
  process_.started_ns = MonotonicNs();
  user_ = folder_user_ = EffectiveUser();
  paused_before_ns_ = OwnCost::Instance().paused_ns;
  own_cpu_before_ns_ = EndedCpuNs();

  WriterConfig config;
  config.folder.output = options_.output;
  config.folder.is_default = options_.output.empty();
  if (options_.output.empty()) config.folder.output = UsualOutput(tmp);
  config.folder.application = process_.facts.application;
  config.folder.pid = process_.facts.pid;
  config.folder.started_unix_ns = process_.started_unix_ns;
  // The other half is for snapshots.
  const bool shared = options_.Has(contract::Source::kHeap);
  config.disk_limit_bytes = shared ? options_.disk_limit_bytes / 2 : options_.disk_limit_bytes;
  if (!segments_.Open(config, why)) return false;
  PublishStats();
  return true;
}

uint64_t RecordingWriter::Drain(bool woken) {
  if (!packets_.open()) unwritten_ns_ = merged_ns_;
  merged_ns_ = MonotonicNs() - (woken ? 0 : kSettleNs);
  bool busy = Merge(merged_ns_) >= kBusyEvents;
  busy = signal_walker_.TakeNews() || busy;
  bool urgent = std::exchange(write_now_, false);
  const Look at_words = std::max(TakeLastWords(urgent), LookAtHandlers(urgent));
  ExceptionPackets& exceptions = sources_.exceptions;
  if (exceptions.TakeCleared()) {
    for (RuleLimit& limit : unhandled_marks_) limit.FalseAlarm();
  }
  if (exceptions.HasSuspects() || exceptions.HasSilentSuspects()) {
    const uint32_t os_id = exceptions.WriteUnhandled(MonotonicNs(), kUnhandledGraceNs, packets_);
    if (os_id != 0) {
      urgent = true;
      MarkUnhandled(MonotonicNs(), os_id);
    }
  }
  if (sources_.fatal_errors.TakeFailed()) {
    MarkUnhandled(MonotonicNs(), 0);
  }
  bool has_news = false;
  for (PacketSource* source : sources_.all()) {
    urgent = source->TakeUrgent() || urgent;
    has_news = source->HasNews() || has_news;
  }
  if (has_news) packets_.Begin();  // it is written when the segment ends
  const uint64_t now = MonotonicNs();
  // The first one is written at once, so that the recording identifies its process whatever happens
  // next.
  const bool due = last_end_ns_ == 0 ? true
                   : packets_.open() ? now - unwritten_ns_ >= kSegmentNs
                                     : now - last_end_ns_ >= kHeartbeatNs;
  if (due || urgent) EndSegment(SegmentKind::kData);
  // Under load this is called very often, and querying the kernel for CPU times is not free.
  if (MonotonicNs() - published_ns_ >= kPublishNs) PublishStats();
  return NextDrainNs(busy, LookAgain(MonotonicNs(), busy, at_words));
}

uint64_t RecordingWriter::NextDrainNs(bool busy, Look look) const {
  if (look == Look::kSoon) return kUnhandledGraceNs;
  const uint64_t next_ns = look == Look::kSilent ? kSilentGraceNs : busy ? kBusyNs : kEveryNs;
  if (!packets_.open()) return next_ns;
  const uint64_t due_ns = unwritten_ns_ + kSegmentNs;
  const uint64_t now = MonotonicNs();
  return due_ns <= now ? 0 : std::min(next_ns, due_ns - now);
}

void RecordingWriter::LeaveToSnapshots(uint64_t bytes) {
  const uint64_t limit = options_.disk_limit_bytes;
  segments_.LimitDisk(limit - std::min(bytes, limit / 2));
}

void RecordingWriter::Finish(EndReason reason) {
  // Not later events: a process that is ending may still throw faster than this is written.
  Merge(MonotonicNs());
  for (PacketSource* source : sources_.all()) source->WillEnd();
  WriteSegmentTail();
  packets_.Write(wire::Packet::kRecordingEnd, MonotonicNs(),
                 [&](auto& end) { end.Set(end.kReason, reason); });
  SegmentEnded(packets_.End(SegmentKind::kLast));
  segments_.Close();
  {
    const std::lock_guard lock(stats_mutex_);
    folder_.Close();
  }
  names_.Release();
  PublishStats();
}

uint64_t RecordingWriter::Merge(uint64_t until_ns) {
  uint64_t consumed = 0;
  heads_.clear();
  ForEachRing([&](Ring& ring) {
    const EventHeader* event = ring.Front();
    if (event != nullptr && event->time_ns <= until_ns) heads_.push_back({event->time_ns, &ring});
  });
  std::make_heap(heads_.begin(), heads_.end());
  while (!heads_.empty()) {
    std::pop_heap(heads_.begin(), heads_.end());
    Ring& ring = *heads_.back().ring;
    heads_.pop_back();
    Consume(*ring.Front());
    ++consumed;
    ring.Pop();
    const EventHeader* event = ring.Front();
    if (event != nullptr && event->time_ns <= until_ns) {
      heads_.push_back({event->time_ns, &ring});
      std::push_heap(heads_.begin(), heads_.end());
    }
  }
  return consumed;
}

void RecordingWriter::Consume(const EventHeader& event) {
  PacketSource* source = sources_.Of(event.kind);
  if (source == nullptr) return;
  if (packets_.full()) EndSegment(SegmentKind::kData);
  packets_.Begin();
  dictionaries_.ForEventAt(event.time_ns, event.thread);
  source->Consume(event, packets_);
  ++events_in_segment_;
}

void RecordingWriter::WriteSegmentTail() {
  packets_.Begin();
  for (PacketSource* source : sources_.all()) source->Flush(packets_);
  WriteLosses();
  WriteCost();
  WriteMemory();
  WriteNotes();
  WriteHeapFiles();
}

void RecordingWriter::EndSegment(SegmentKind kind) {
  WriteSegmentTail();
  if (dictionaries_.memory_bytes() > DictionaryBytes(options_)) dictionaries_.Forget();
  SegmentEnded(packets_.End(kind));
  last_end_ns_ = MonotonicNs();
}

// Reported losses and counts are final only once they are on disk.
void RecordingWriter::SegmentEnded(bool written) {
  if (written) {
    for (const PendingReport& pending : pending_reports_) *pending.reported = pending.value;
  } else {
    lost_to_disk_ += events_in_segment_;
  }
  pending_reports_.clear();
  for (PacketSource* source : sources_.all()) source->SegmentEnded(written);
  events_in_segment_ = 0;
}

void RecordingWriter::StartFile() {
  dictionaries_.StartFile();
  for (PacketSource* source : sources_.all()) source->StartFile();
  process_.Write(packets_);
  heap_files_reported_ = heap_files_.empty();
}

void RecordingWriter::WriteLosses() {
  using Cause = wire::Loss::Cause;
  ThreadTracks::Instance().ForEach(id_, [&](ThreadTrack& track) {
    const Cause cause = track.ring.ready() ? Cause::kRingFull : Cause::kMemoryCap;
    WriteLoss(cause, track.dropped.Read(), track.reported_dropped, &track.os_id);
    WriteLoss(Cause::kStackUnknown, track.stacks_lost.Read(), track.reported_stacks_lost,
              &track.os_id);
  });
  CpuSlots::Instance().ForEach(id_, [&](CpuSlot& slot) {
    WriteLoss(Cause::kRingFull, slot.dropped.Read(), slot.reported_dropped, &slot.os_id);
    WriteLoss(Cause::kRingFull, slot.ring.broken(), slot.reported_broken,
              &slot.os_id);  // at least one each
    WriteLoss(Cause::kMemoryCap, slot.unmapped.Read(), slot.reported_unmapped, &slot.os_id);
  });
  untracked_ += ThreadTracks::Instance().TakeUntracked();
  WriteLoss(Cause::kMemoryCap, untracked_, reported_untracked_, nullptr);
  WriteLoss(Cause::kDiskError, lost_to_disk_, reported_lost_to_disk_, nullptr);
  WriteLoss(Cause::kPacketTooLarge, packets_.oversized(), reported_oversized_, nullptr);
  WriteLoss(Cause::kEndUnknown, sources_.exceptions.unknown_ends(), reported_unknown_ends_,
            nullptr);
  WriteLoss(Cause::kRequestUnpaired, sources_.request_details.unpaired(), reported_unpaired_,
            nullptr);
}

// `count`: since the start; `reported`: how many of them are in the recording.
void RecordingWriter::WriteLoss(wire::Loss::Cause cause, uint64_t count, uint64_t& reported,
                                const std::atomic<uint32_t>* os_id) {
  if (count == reported) return;
  const uint32_t thread = os_id != nullptr ? sources_.threads.IdOf(*os_id, packets_) : 0;
  packets_.Write(wire::Packet::kLoss, MonotonicNs(), [&](auto& loss) {
    loss.Set(loss.kCause, cause);
    loss.Set(loss.kCount, count - reported);
    if (thread != 0) loss.Set(loss.kThread, thread);
  });
  pending_reports_.push_back({&reported, count});
}

void RecordingWriter::WriteCost() {
  PublishStats();
  const RecordingStats stats = Stats();
  packets_.Write(wire::Packet::kRecorderCost, MonotonicNs(), [&](auto& cost) {
    cost.Set(cost.kCallbacks, stats.callbacks);
    cost.Set(cost.kCallbackNs, stats.callback_ns);
    cost.Set(cost.kThreadCpuNs, stats.thread_cpu_ns);
    cost.Set(cost.kMemoryBytes, stats.memory_bytes);
    cost.Set(cost.kWrittenBytes, stats.written_bytes);
    cost.Set(cost.kEvents, stats.events);
    cost.Set(cost.kStacksFast, stats.stacks_fast);
    cost.Set(cost.kStacksExact, stats.stacks_exact);
    cost.Set(cost.kStacksVerified, stats.stacks_verified);
    cost.Set(cost.kStacksMismatched, stats.stacks_mismatched);
    cost.Set(cost.kCallbackCpuNs, stats.callback_cpu_ns);
    cost.Set(cost.kCallbacksMeasured, stats.callbacks_measured);
    cost.Set(cost.kPausedNs, stats.paused_ns);
    if (stats.cpu_samples == 0) return;
    cost.Set(cost.kCpuSamples, stats.cpu_samples);
    cost.Set(cost.kCpuHandlerNs, stats.cpu_handler_ns);
    cost.Set(cost.kCpuHandlerHistogram, stats.cpu_handlers);
    cost.Set(cost.kCpuHandlerCpuNs, stats.cpu_handler_cpu_ns);
  });
}

// Under load, segments end more often.
void RecordingWriter::WriteMemory() {
  constexpr uint64_t kReadEveryNs = 900'000'000;
  const uint64_t now = MonotonicNs();
  if (memory_read_ns_ != 0 && now - memory_read_ns_ < kReadEveryNs) return;
  const MemoryUse use = ReadMemoryUse();
  if (use.resident_bytes == 0) return;  // unknown
  memory_read_ns_ = now;
  // Counting files takes at most a thousandth of the time.
  uint32_t open_files = 0;
  if (now >= count_files_ns_) {
    open_files = CountOpenFiles();
    const uint64_t counted_ns = MonotonicNs();
    count_files_ns_ = counted_ns + (counted_ns - now) * 1000;
  }
  packets_.Write(wire::Packet::kProcessMemory, now, [&](auto& memory) {
    memory.Set(memory.kResidentBytes, use.resident_bytes);
    memory.Set(memory.kAnonymousBytes, use.anonymous_bytes);
    memory.Set(memory.kRecorderBytes, Stats().memory_bytes);
    if (open_files != 0) memory.Set(memory.kOpenFiles, open_files);
  });
}

void RecordingWriter::HeapFilesAre(std::vector<uint32_t> numbers) {
  if (numbers == heap_files_) return;
  heap_files_ = std::move(numbers);
  heap_files_reported_ = false;
}

void RecordingWriter::WriteHeapFiles() {
  if (heap_files_reported_) return;
  heap_files_reported_ = true;
  packets_.Write(wire::Packet::kHeapFiles, kNoTime,
                 [&](auto& files) { files.Set(files.kNumber, heap_files_); });
}

void RecordingWriter::PublishStats() {
  published_ns_ = MonotonicNs();
  RecordingStats stats;
  ThreadTracks::Instance().ForEach(id_, [&](ThreadTrack& track) {
    stats.events += track.events.Read();
    stats.callbacks += track.meter.callbacks.Read();
    stats.callback_cpu_ns += track.meter.cpu_ns.Read();
    stats.callback_ns += track.meter.wall_ns.Read();
    stats.callbacks_measured += track.meter.measured.Read();
    stats.stacks_fast += track.stacks_fast.Read();
    stats.stacks_exact += track.stacks_exact.Read();
    stats.stacks_verified += track.stacks_verified.Read();
    stats.stacks_mismatched += track.stacks_mismatched.Read();
    stats.lost += track.dropped.Read();
  });
  CpuSlots::Instance().ForEach(id_, [&](CpuSlot& slot) {
    stats.cpu_samples += slot.samples.Read();
    stats.cpu_handler_ns += slot.handler_ns.Read();
    stats.cpu_handler_cpu_ns += slot.handler_cpu_ns.Read();
    for (size_t i = 0; i < stats.cpu_handlers.size(); ++i) {
      stats.cpu_handlers[i] += slot.histogram[i].Read();
    }
    stats.lost += slot.dropped.Read() + slot.unmapped.Read();
  });
  stats.events += stats.cpu_samples;
  const WriterStats written = segments_.stats();
  stats.lost += untracked_ + lost_to_disk_ + packets_.oversized();
  for (const std::atomic<uint32_t>& id : OwnThreadIds()) {
    if (id != 0) stats.thread_cpu_ns += CpuNsOfThread(id);
  }
  stats.thread_cpu_ns += EndedCpuNs() - own_cpu_before_ns_;
  stats.paused_ns = OwnCost::Instance().paused_ns - paused_before_ns_;
  stats.memory_bytes = budget_.used() + ThreadTracks::Instance().memory_bytes() +
                       dictionaries_.memory_bytes() + written.memory_bytes;
  for (const PacketSource* source : sources_.all()) stats.memory_bytes += source->memory_bytes();
  stats.written_bytes = written.written_bytes;
  stats.throws = sources_.exceptions.throws() + sources_.tallies.throws();
  stats.heap_bytes = sources_.collections.heap_bytes();
  stats.starvations = sources_.locks.starvations();

  const std::lock_guard lock(stats_mutex_);
  stats_ = stats;
  if (path_ != segments_.path()) {
    path_ = segments_.path();
    folder_ = segments_.OpenFolder().folder;
  }
  if (last_error_ != segments_.last_error()) last_error_ = segments_.last_error();
}

RecordingStats RecordingWriter::Stats() const {
  const std::lock_guard lock(stats_mutex_);
  return stats_;
}

std::string RecordingWriter::path() const {
  const std::lock_guard lock(stats_mutex_);
  return path_;
}

OpenedFolder RecordingWriter::OpenFolder() const {
  const std::lock_guard lock(stats_mutex_);
  return {folder_.IsOurs() ? OpenAgain(folder_.get()) : Descriptor(), path_};
}

std::string RecordingWriter::last_error() const {
  const std::lock_guard lock(stats_mutex_);
  if (user_change_.empty() || last_error_.empty()) return user_change_ + last_error_;
  return user_change_ + " " + last_error_;
}

}  // namespace hindsight::recorder
