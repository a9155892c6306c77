// Source `locks`, on the drain thread: beginnings and ends become waits.
//
// A wait is held back until the segment ends, so that nearly always it is one packet, with its
// duration. One that lasts longer is written as it is, and its end as a packet of its own: a wait
// that never ends is in the recording within a second.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <utility>

#include "recorder/encode/dictionaries.h"
#include "recorder/sources/locks.h"
#include "recorder/sources/pool_sampler.h"
#include "recorder/sources/source.h"
#include "recorder/sources/thread_roster.h"
#include "recorder/sources/thread_snapshots.h"

namespace hindsight::recorder {

class LockPackets final : public Source {
 public:
  LockPackets(Dictionaries& dictionaries, ThreadRoster& threads)
      : dictionaries_(dictionaries), threads_(threads) {}

  // Before the first event: whom to ask where the owner of a lock stands (kLockOwnerSeen answers),
  // by kernel id.
  void OnLongWaits(std::function<void(std::span<const uint32_t>)> ask) { ask_ = std::move(ask); }

  void Consume(const EventHeader& event, PacketWriter& packets) override;
  // Writes the waits that have not ended yet.
  void Flush(PacketWriter& packets) override;

  // A Monitor's event comes from native code, a Lock's from managed code, which is then on the
  // stack.
  static WaitKind KindOf(WaitKind kind, std::span<const uintptr_t> frames,
                         Dictionaries& dictionaries);

  uint64_t memory_bytes() const;
  // How often the thread pool added workers because of starvation.
  uint64_t starvations() const { return starvations_; }

 private:
  struct Key {
    uint32_t thread;
    uint64_t ordinal;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const {
      return (key.ordinal * 0x9e3779b97f4a7c15u) ^ key.thread;
    }
  };
  // Ids of dictionaries hold as long as the segment does: they are used before it ends.
  struct Pending {
    uint64_t id, began_ns;
    uint64_t lock, object;
    uint32_t thread, owner, stack, owner_stack;
    uint32_t owner_os_id;
    WaitKind kind;
    uint8_t asked;  // times, where its owner stands
    bool stack_truncated;
    bool written;
  };

  void OnBegan(const LockWaitBeganEvent& event, PacketWriter& packets);
  void OnEnded(const LockWaitEndedEvent& event, PacketWriter& packets);
  void OnOwnerSeen(const ThreadStateEvent& event, PacketWriter& packets);
  void AskForOwners(uint64_t now_ns);
  void Write(const Pending& pending, bool over, uint64_t ended_ns, PacketWriter& packets);

  // Threads that wait at the same time; nobody has more.
  static constexpr size_t kMaxPending = 16384;
  // A wait is long then; an owner that does not show up is asked for so often.
  static constexpr uint64_t kLongNs = 100'000'000;
  static constexpr uint8_t kMaxAsked = 3;

  Dictionaries& dictionaries_;
  ThreadRoster& threads_;
  std::function<void(std::span<const uint32_t>)> ask_;
  uint64_t last_id_ = 0;
  uint64_t starvations_ = 0;
  std::unordered_map<Key, Pending, KeyHash> pending_;
};

}  // namespace hindsight::recorder
