// Source `threads`, on the drain thread: which runtime thread is which kernel thread, and its name.
//
// Every event names the kernel thread that it happened on; the roster gives it the recording's
// thread id. Kernel ids are reused, so an id stands for a thread only from its assignment to its
// end.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "recorder/encode/dictionary_writer.h"
#include "recorder/sources/packet_source.h"
#include "recorder/sources/threads/threads.h"

namespace hindsight::recorder {

class ThreadRoster final : public PacketSource {
 public:
  // `record`: whether starts and ends are recorded; the dictionary serves all sources in any case.
  // `reads_metrics`: the recording reads the metrics of the process, so that the runtime's thread
  // that collects them works for us.
  ThreadRoster(DictionaryWriter& dictionaries, bool record, bool reads_metrics = false)
      : dictionaries_(dictionaries), record_(record), reads_metrics_(reads_metrics) {
    ThreadTracks::Instance().TakeCounted();  // of an earlier recording
  }

  std::span<const EventKind> Kinds() const override {
    static constexpr EventKind kKinds[] = {EventKind::kThreadCreating, EventKind::kThreadCreated,
                                           EventKind::kThreadAssigned, EventKind::kThreadNamed,
                                           EventKind::kThreadDestroyed};
    return kKinds;
  }
  void Consume(const EventHeader& event, PacketWriter& packets) override;
  void StartFile() override { ++file_; }
  // Starts and ends that were only counted.
  bool HasNews() override;
  void Flush(PacketWriter& packets) override;
  void SegmentEnded(bool written) override;

  // The recording's id of the thread that has this kernel id now; its entry is written if the file
  // has none yet.
  uint32_t IdOf(uint32_t os_id, PacketWriter& packets);
  // That of the thread that had it at `time_ns`, a moment ago: it may have ended since.
  uint32_t IdAt(uint32_t os_id, uint64_t time_ns, PacketWriter& packets);

  size_t size() const { return threads_.size(); }  // threads that are remembered

 private:
  struct Known {
    uint32_t os_id = 0;
    uint64_t clr_thread = 0;
    std::string name;
    uint64_t started_ns = 0;
    uint64_t ended_ns = 0;
    uint32_t creator_stack = 0;  // handle
    uint64_t created_ns = 0;     // when it was taken
    uint32_t creator = 0;        // Stack.id of it
    uint64_t creator_file = 0;   // that holds it
    uint64_t file = 0;           // that holds its entry
    bool name_given = false;     // by the application, not by the kernel
  };

  struct Ended {
    uint32_t os_id, id;
    uint64_t ended_ns;
    uint64_t file;  // that holds its last entry
  };
  static constexpr size_t kEndedKept = 256;  // the last ones

  uint32_t Add(Known known);
  void ForgetEnded();
  uint32_t OfRuntimeThread(uint64_t clr_thread);
  void ForgetRun(uint64_t clr_thread);
  void TakeCounted();
  void EndUnknown();
  bool IsRecorder(const Known& known) const;
  std::string KernelName(const Known& known) const;
  void WriteEntry(uint32_t id, PacketWriter& packets);
  using LifeKind = wire::ThreadLifetime::Kind;
  void WriteLife(uint32_t id, LifeKind kind, uint64_t time_ns, PacketWriter& packets);

  DictionaryWriter& dictionaries_;
  const bool record_;
  const bool reads_metrics_;
  uint64_t file_ = 0;
  std::unordered_map<uint32_t, Known> threads_;  // by id: those that may still have events
  std::unordered_map<uint32_t, uint32_t> by_os_id_;
  std::unordered_map<uint64_t, uint32_t> by_runtime_;
  std::vector<Ended> ended_;  // a ring
  size_t next_ended_ = 0;
  uint32_t last_id_ = 0;
  ThreadTally counted_, unconfirmed_;  // not in the recording yet; in the open segment
  uint64_t starts_without_end_ = 0;    // counted ones whose end may come as an event
  // The end of a native thread is not reported, and that of other threads may be lost. So when this
  // many are remembered, those that have ended are searched for; not among the newest ones, which
  // may still have events.
  static constexpr size_t kLookForEnded = 4096;
  static constexpr uint32_t kNewest = 1024;
  size_t look_for_ended_ = kLookForEnded;
  // Names that threads were given, as the kernel stores them. Beyond the limit, inherited names are
  // not recognized.
  static constexpr size_t kMaxGiven = 1024, kKernelNameBytes = 15;
  std::unordered_set<std::string> given_;
};

}  // namespace hindsight::recorder
