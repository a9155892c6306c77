// Source `locks`, on the drain thread: start and end events become waits.
//
// A wait is held back until the segment ends, so that it is nearly always one packet with its
// duration. A longer one is written as it is, and its end as a packet of its own. So a wait that
// never ends is in the recording within a second.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <utility>

#include "recorder/encode/dictionary_writer.h"
#include "recorder/sources/event_key.h"
#include "recorder/sources/locks/locks.h"
#include "recorder/sources/locks/pool_sampler.h"
#include "recorder/sources/packet_source.h"
#include "recorder/sources/threads/thread_roster.h"
#include "recorder/sources/waits/thread_snapshots.h"

namespace hindsight::recorder {

class LockPackets final : public PacketSource {
 public:
  LockPackets(DictionaryWriter& dictionaries, ThreadRoster& threads)
      : dictionaries_(dictionaries), threads_(threads) {}

  // Before the first event: called with the kernel ids of lock owners whose stacks are needed (the
  // reply is kLockOwnerSeen).
  void OnLongWaits(std::function<void(std::span<const uint32_t>)> ask) { ask_ = std::move(ask); }

  std::span<const EventKind> Kinds() const override {
    static constexpr EventKind kKinds[] = {EventKind::kLockWaitBegan, EventKind::kLockWaitEnded,
                                           EventKind::kLockOwnerSeen, EventKind::kPoolAdjusted,
                                           EventKind::kPoolSampled};
    return kKinds;
  }
  void Consume(const EventHeader& event, PacketWriter& packets) override;
  // Writes the waits that have not ended yet.
  void Flush(PacketWriter& packets) override;

  // A Monitor's event comes from native code, a Lock's from managed code, which is then on the
  // stack.
  static WaitKind KindOf(WaitKind kind, std::span<const uintptr_t> frames,
                         DictionaryWriter& dictionaries);

  uint64_t memory_bytes() const override;
  // How often the thread pool added workers because of starvation.
  uint64_t starvations() const { return starvations_; }

 private:
  // Dictionary ids are valid until the segment ends, so they are used before that.
  struct Pending {
    uint64_t id, began_ns;
    uint64_t lock, object;
    uint32_t thread, owner, stack, owner_stack;
    uint32_t owner_os_id;
    WaitKind kind;
    uint8_t asked;  // how often its owner's stack was requested
    bool stack_truncated;
    bool written;
  };

  void OnBegan(const LockWaitBeganEvent& event, PacketWriter& packets);
  void OnEnded(const LockWaitEndedEvent& event, PacketWriter& packets);
  void OnOwnerSeen(const ThreadStateEvent& event, PacketWriter& packets);
  void AskForOwners(uint64_t now_ns);
  void Write(const Pending& pending, bool over, uint64_t ended_ns, PacketWriter& packets);

  // Threads that wait at the same time; beyond any real number.
  static constexpr size_t kMaxPending = 16384;
  // From when on a wait counts as long, and how often an owner that is not seen is requested.
  static constexpr uint64_t kLongNs = 100'000'000;
  static constexpr uint8_t kMaxAsked = 3;

  DictionaryWriter& dictionaries_;
  ThreadRoster& threads_;
  std::function<void(std::span<const uint32_t>)> ask_;
  uint64_t last_id_ = 0;
  uint64_t starvations_ = 0;
  std::unordered_map<EventKey, Pending, EventKeyHash> pending_;
};

}  // namespace hindsight::recorder
