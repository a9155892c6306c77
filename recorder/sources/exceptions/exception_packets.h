// Source `exceptions`, on the drain thread: throws and ends become exceptions, and throws of the
// same object are linked to each other.
//
// Identity. An object's address identifies it only until the next GC moves it. Within one GC period
// the link is certain; across periods it is inferred from type and message, and marked so.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "recorder/base/thread_run.h"
#include "recorder/encode/dictionary_writer.h"
#include "recorder/sources/event_key.h"
#include "recorder/sources/exceptions/exceptions.h"
#include "recorder/sources/packet_source.h"
#include "recorder/sources/threads/thread_roster.h"

namespace hindsight::recorder {

class ExceptionPackets final : public PacketSource {
 public:
  ExceptionPackets(DictionaryWriter& dictionaries, ThreadRoster& threads)
      : dictionaries_(dictionaries), threads_(threads) {}

  std::span<const EventKind> Kinds() const override {
    static constexpr EventKind kKinds[] = {EventKind::kExceptionThrown, EventKind::kExceptionEnded,
                                           EventKind::kExceptionSearched};
    return kKinds;
  }
  void Consume(const EventHeader& event, PacketWriter& packets) override;
  // Writes those that have not ended yet; their outcomes follow as packets of their own.
  void Flush(PacketWriter& packets) override;

  // Exceptions whose search has ended without a report of a handler: the process may be dying.
  // Those that are older than `grace_ns` are written as unhandled; a later outcome overrides that.
  // So are silent ones that are older than kSilentGraceNs, once their threads have had time to find
  // a handler. Returns the thread of the last one that was written; 0: none. If one was written,
  // the segment should be written too.
  uint32_t WriteUnhandled(uint64_t now_ns, uint64_t grace_ns, PacketWriter& packets);
  // A handler of this throw has rethrown it, which no event reported, and it seems to be unhandled:
  // its outcome is overridden. Returns whether that was written.
  bool WriteUnhandledAfterAll(uint32_t os_id, uint64_t ordinal, uint64_t now_ns,
                              PacketWriter& packets);
  // See exceptions.h.
  uint64_t silent_grace_ns() const { return caution_ * kSilentGraceNs; }
  uint64_t silent_run_ns() const { return caution_ * kSilentRunNs; }
  // Whether one that was written as unhandled has turned out to be handled since the last call.
  bool TakeCleared() { return std::exchange(cleared_, false); }
  // Exceptions whose search has ended, and silent ones.
  bool HasSuspects() const { return silent_suspects_ != suspects_.size(); }
  bool HasSilentSuspects() const { return silent_suspects_ != 0; }
  bool TakeUrgent() override { return std::exchange(urgent_, false); }
  // When the last silent one was thrown; 0: none was.
  uint64_t last_silent_ns() const { return last_silent_ns_; }

  // How many exceptions have an end that was given up: so many threads died with exceptions in
  // flight that the oldest ones without an end were dropped. They are reported as in flight.
  uint64_t unknown_ends() const { return unknown_ends_; }

  uint64_t throws() const { return last_id_; }  // recorded in detail
  uint64_t memory_bytes() const override;

 private:
  // A throw whose end has not come. Its packet is held back until the segment ends, so that nearly
  // always throw and end are one packet. Dictionary ids are valid until the segment ends.
  struct Pending {
    uint64_t id, thrown_ns;
    uint64_t previous, cause, during;
    uint32_t thread, type, message, stack;
    wire::Hop hop;
    bool hop_inferred, cause_inferred, stack_truncated;
    bool written, unhandled;  // unhandled: it was written as such
  };
  // The last throw of an object, to be found by its address or by its type and message.
  struct Throw {
    uint64_t object;
    uint64_t type;
    uint64_t message_hash;
    uint64_t id;
    uint64_t ordinal;
    uint64_t thrown_ns;
    uint32_t thread;
    uint32_t collections;
  };
  void OnThrown(const ExceptionThrownEvent& event, PacketWriter& packets);
  void OnEnded(const ExceptionEndedEvent& event, PacketWriter& packets);
  void OnSearched(const ExceptionSearchedEvent& event);
  void AddSuspect(const EventKey& key, uint64_t since_ns, bool silent, uint64_t cpu_ns = 0);
  void RemoveSuspect(const EventKey& key);
  template <typename Predicate>
  void EraseSuspects(Predicate is_over);
  void GiveUpOldest(PacketWriter& packets);
  const Throw* FindPrevious(const ExceptionThrownEvent& event, uint64_t message_hash,
                            bool& inferred) const;
  const Throw* FindCause(const ExceptionThrownEvent& event, bool& inferred) const;
  uintptr_t InnermostFrame(const ExceptionThrownEvent& event) const;
  void Remember(const Throw& thrown);
  // How an exception ended, as in proto Outcome.
  struct Outcome {
    ExceptionEnd end;
    uint32_t catcher;  // Frame
    uint64_t ended_ns;
    uint32_t finally_count, filter_count;
  };
  void Write(const Pending& pending, const Outcome* outcome, PacketWriter& packets);
  void WriteEnd(const Pending& pending, const Outcome& outcome, PacketWriter& packets);
  void WriteLateOutcome(uint64_t id, uint64_t thrown_ns, const Outcome& outcome,
                        PacketWriter& packets);
  static void WriteOutcome(ProtoWriter<wire::Outcome> message, uint64_t thrown_ns,
                           const Outcome& outcome);
  uint32_t CatcherFrame(const ExceptionEndedEvent& end);

  static constexpr size_t kRemembered = 4096;  // direct-mapped, by address and by content
  static constexpr size_t kMaxPending = 16384;
  static size_t Slot(uint64_t hash) { return (hash * 0x9e3779b97f4a7c15u) >> 52; }

  DictionaryWriter& dictionaries_;
  ThreadRoster& threads_;
  uint64_t last_id_ = 0;
  uint64_t unknown_ends_ = 0;
  std::unordered_map<EventKey, Pending, EventKeyHash> pending_;
  struct Suspect {
    EventKey key;
    uint64_t since_ns;
    bool silent;
    RunSince look;  // if silent
  };
  std::vector<Suspect> suspects_;
  size_t silent_suspects_ = 0;  // of them
  uint64_t last_silent_ns_ = 0;
  bool urgent_ = false;
  bool cleared_ = false;
  uint64_t caution_ = 1;
  std::vector<Throw> thrown_on_;  // those whose outcome was overridden
  std::array<Throw, kRemembered> by_object_{};
  std::array<Throw, kRemembered> by_content_{};
  std::array<Throw, kRemembered> by_type_{};
};

}  // namespace hindsight::recorder
