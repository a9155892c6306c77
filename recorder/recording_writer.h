// One recording: from the rings to the files. The drain thread's side of the recorder.
//
// Events of all threads are merged by time, passed to their sources, and written as packets. A
// segment ends at 1 MiB, within a second, or at once when an exception is unhandled. Losses and
// the recorder's own cost are written with it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "recorder/contract/options.h"
#include "recorder/drain_sources.h"
#include "recorder/encode/dictionary_writer.h"
#include "recorder/encode/packet_writer.h"
#include "recorder/names/runtime_metadata.h"
#include "recorder/output/segment_writer.h"
#include "recorder/rule_watch.h"
#include "recorder/sources/exceptions/exception_dispatches.h"
#include "recorder/sources/gc/gc.h"
#include "recorder/sources/process_packet.h"
#include "recorder/stream/thread_track.h"

namespace hindsight::recorder {

using EndReason = wire::RecordingEnd::Reason;

struct RecordingStats {
  uint64_t events = 0;  // written to rings by the application's threads
  uint64_t lost = 0;    // events, for whatever reason
  uint64_t callbacks = 0;
  uint64_t callback_ns = 0;      // elapsed time in callbacks
  uint64_t callback_cpu_ns = 0;  // see CallbackCost
  uint64_t callbacks_measured = 0;
  uint64_t thread_cpu_ns = 0;  // of the recorder's own threads and child processes
  uint64_t paused_ns = 0;      // time that the application was paused for snapshots
  uint64_t memory_bytes = 0;
  uint64_t written_bytes = 0;
  uint64_t stacks_fast = 0, stacks_exact = 0, stacks_verified = 0, stacks_mismatched = 0;
  uint64_t throws = 0;
  uint64_t heap_bytes = 0;   // after the last collection reported by the runtime; 0: unknown
  uint64_t starvations = 0;  // how often the thread pool reported starvation
  uint64_t cpu_samples = 0;  // taken in the signal handler, and counted as events
  uint64_t cpu_handler_ns = 0;
  uint64_t cpu_handler_cpu_ns = 0;
  std::array<uint64_t, CpuHandlerCost::kBuckets> cpu_handlers = {};  // see CpuHandlerCost
};

class RecordingWriter {
 public:
  RecordingWriter(uint64_t id, clr::ICorProfilerInfo10* info, CodeGate& gate,
                  const contract::Options& options, Mode mode, MemoryBudget& budget,
                  const StackTable& stacks, const Gc& gc, SignalWalker& signal_walker);

  // The part of the memory limit that the drain thread's side may use: it is not in the budget.
  static uint64_t FixedBytes(const contract::Options& options);

  // Creates the folder. False: a sentence in `why`.
  bool Open(ProcessFacts facts, std::string runtime_version, std::string_view tmp,
            std::string* why);

  // Before the first Drain. `report` is called on the drain thread when the process has changed its
  // effective user.
  void OnUserChange(std::function<void()> report) { on_user_change_ = std::move(report); }
  // Before the first Drain. `ask` is called with the kernel ids of threads that hold locks for
  // which other threads have waited long, repeatedly while that lasts.
  void OnLongWaits(std::function<void(std::span<const uint32_t>)> ask) {
    sources_.locks.OnLongWaits(std::move(ask));
  }

  // Before the first Drain. `take` starts a heap snapshot of the process that thread `os_id` is
  // about to end, and returns a sentence about it.
  void OnSnapshotOfEnd(std::function<std::string(uint32_t os_id)> take) {
    snapshot_end_ = std::move(take);
  }
  // Drain thread: the next Drain ends the segment.
  void WriteAtOnce() { write_now_ = true; }

  // Drain thread. Encodes committed events and ends the segment if it is due. `woken`: the drain
  // thread was woken early. Returns the time in nanoseconds after which it wants to be called
  // again.
  uint64_t Drain(bool woken);
  // Drain thread. In a recording with snapshots on request only: their files occupy `bytes` of
  // limit.disk, at most half of it; the rest is for events. So small snapshots cost no history, and
  // the limit is exceeded only while a snapshot is being written.
  void LeaveToSnapshots(uint64_t bytes);
  // Drain thread. Writes everything that is left and the end of the recording; closes the files.
  void Finish(EndReason reason);
  // Numbers of the heap snapshots that have a file. Drain thread.
  void HeapFilesAre(std::vector<uint32_t> numbers);

  // Before the first Drain: where events report exceptions. Lives as long as this.
  void WatchHandlers(const ExceptionDispatches& dispatches) { dispatches_ = &dispatches; }

  // Any thread: a sentence for readers of the recording, written with the next segment.
  void Note(std::string text);
  // Any thread: a rule from the options has just fired.
  void NoteRule(std::string rule, std::string text);
  // Any thread: how often a rule about unhandled exceptions has fired.
  uint64_t marked_unhandled() const { return marked_unhandled_.load(std::memory_order_relaxed); }
  // Any thread: the runtime's events were not received for this long from the start.
  void NotSeen(uint64_t ns) { not_seen_ns_.store(ns, std::memory_order_relaxed); }

  // Any thread.
  RecordingStats Stats() const;
  // Set by Open.
  const ProcessPacket& process() const { return process_; }
  uint64_t recording_id() const { return segments_.recording_id(); }
  std::string path() const;  // changes if the folder is deleted under the recording
  std::string last_error() const;
  // Any thread. The folder that is being written to; none when the recording is over.
  OpenedFolder OpenFolder() const;

 private:
  // A segment ends when its oldest event may be this old: with the time that it takes to write it,
  // an event is on disk within a second.
  static constexpr uint64_t kSegmentNs = 950'000'000;
  static constexpr uint64_t kHeartbeatNs = 10'000'000'000;
  // An exception counts as unhandled this long after its search has reached the end.
  static constexpr uint64_t kUnhandledGraceNs = 1'000'000;
  // How often rings are emptied. Threads whose ring fills up wake the drain thread, so more often
  // is needed only to avoid that, and while samples hit code whose frames are not known yet.
  static constexpr uint64_t kEveryNs = 100'000'000;
  static constexpr uint64_t kBusyNs = 10'000'000;
  static constexpr uint64_t kBusyEvents = 64;
  static constexpr uint64_t kPublishNs = 20'000'000;
  // Events are encoded with this delay, so that those of a thread between clock and commit are
  // still in order.
  static constexpr uint64_t kSettleNs = 1'000'000;

  uint64_t Merge(uint64_t until_ns);  // events consumed
  void Consume(const EventHeader& event);
  // Handlers that run for longer are checked rarely.
  static constexpr uint64_t kYoungHandlerNs = 10'000'000'000;
  // A process that is about to end has ended after this time, unless it is held.
  static constexpr uint64_t kEndNs = 100'000'000;
  // When the drain thread should check again for exceptions that may be unhandled.
  enum class Look : uint8_t { kNone, kSilent, kSoon };
  // Fires the rules about this: an exception on thread `os_id` is about to end the process, or,
  // with 0, an error of the runtime.
  void MarkUnhandled(uint64_t now_ns, uint32_t os_id);
  Look TakeLastWords(bool& urgent);
  Look LookAtHandlers(bool& urgent);
  Look LookAgain(uint64_t now_ns, bool busy, Look at_words) const;
  uint64_t NextDrainNs(bool busy, Look look) const;
  void WriteSegmentTail();  // what all segments end with
  void EndSegment(SegmentKind kind);
  void SegmentEnded(bool written);
  void StartFile();
  void WriteLosses();
  void WriteLoss(wire::Loss::Cause cause, uint64_t count, uint64_t& reported,
                 const std::atomic<uint32_t>* os_id);
  void WriteCost();
  void WriteMemory();
  void NoticeUser();
  void WriteNotes();
  void WriteHeapFiles();
  // proto RecorderNote.
  struct PendingNote {
    std::string text;
    std::string rule = {};     // empty: not about a rule
    uint64_t at_ns = kNoTime;  // for a rule
    uint64_t not_seen_ns = 0;
  };
  void WriteNote(const PendingNote& note);
  void WriteNotSeen();
  void PublishStats();

  const uint64_t id_;
  clr::ICorProfilerInfo10* const info_;
  const contract::Options& options_;
  MemoryBudget& budget_;
  SignalWalker& signal_walker_;

  RuntimeMetadata names_;
  SegmentWriter segments_;
  PacketWriter packets_;
  ProcessPacket process_;
  DictionaryWriter dictionaries_;
  DrainSources sources_;
  const ExceptionDispatches* dispatches_ = nullptr;
  std::vector<RuleLimit> unhandled_marks_;  // parallel to the rules of the options
  std::atomic<uint64_t> marked_unhandled_ = 0;
  std::function<std::string(uint32_t)> snapshot_end_;
  bool write_now_ = false;

  // Every ring of this recording that may contain events.
  template <typename F>
  void ForEachRing(F f) {
    ThreadTracks::Instance().ForEach(id_, [&](ThreadTrack& track) { f(track.ring); });
    CpuSlots::Instance().ForEach(id_, [&](CpuSlot& slot) {
      if (slot.has_ring.load(std::memory_order_acquire)) f(slot.ring);
    });
  }

  struct Head {
    uint64_t time_ns;
    Ring* ring;
    bool operator<(const Head& other) const { return time_ns > other.time_ns; }  // oldest on top
  };
  std::vector<Head> heads_;  // a heap; reused
  uint64_t events_in_segment_ = 0;
  uint64_t lost_to_disk_ = 0, reported_lost_to_disk_ = 0;
  uint64_t untracked_ = 0, reported_untracked_ = 0;
  uint64_t memory_read_ns_ = 0;  // 0: not yet
  uint64_t count_files_ns_ = 0;  // not before this
  uint64_t reported_oversized_ = 0, reported_unknown_ends_ = 0, reported_unpaired_ = 0;
  // Loss counts included in the open segment.
  struct PendingReport {
    uint64_t* reported;
    uint64_t value;
  };
  std::vector<PendingReport> pending_reports_;
  std::string reported_error_;
  uint64_t last_end_ns_ = 0;
  uint64_t merged_ns_ = 0;               // all older events have been taken out of the rings
  uint64_t unwritten_ns_ = 0;            // all older events are on disk, or in the page cache
  uint32_t user_ = 0, folder_user_ = 0;  // effective: now, and when the folder was created
  bool reported_user_change_ = false;    // once: some processes switch back and forth
  std::function<void()> on_user_change_;

  std::vector<uint32_t> heap_files_;
  bool heap_files_reported_ = true;                        // current state is in this file
  uint64_t paused_before_ns_ = 0, own_cpu_before_ns_ = 0;  // values of OwnCost at the start
  uint64_t published_ns_ = 0;

  std::mutex notes_mutex_;
  std::vector<PendingNote> notes_;
  std::atomic<uint64_t> not_seen_ns_{0};

  mutable std::mutex stats_mutex_;
  RecordingStats stats_;
  std::string path_;
  Descriptor folder_;  // of that path
  std::string last_error_;
  std::string user_change_;  // a sentence about the problem; empty: none
};

}  // namespace hindsight::recorder
