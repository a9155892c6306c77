// Source `exceptions`, on the drain thread: errors for which the runtime ends the process. They are
// written at once, because the thread that failed waits for that (fatal_errors.h).
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "recorder/encode/dictionary_writer.h"
#include "recorder/sources/packet_source.h"
#include "recorder/sources/threads/thread_roster.h"

namespace hindsight::recorder {

class FatalErrorPackets final : public PacketSource {
 public:
  FatalErrorPackets(uint64_t recording, DictionaryWriter& dictionaries, ThreadRoster& threads)
      : recording_(recording), dictionaries_(dictionaries), threads_(threads) {}

  std::span<const EventKind> Kinds() const override {
    static constexpr EventKind kKinds[] = {EventKind::kFatalError};
    return kKinds;
  }
  void Consume(const EventHeader& event, PacketWriter& packets) override;
  void SegmentEnded(bool written) override;

  bool TakeUrgent() override { return std::exchange(urgent_, false); }
  // Whether one has come since the last call.
  bool TakeFailed() { return std::exchange(failed_, false); }

 private:
  const uint64_t recording_;
  DictionaryWriter& dictionaries_;
  ThreadRoster& threads_;
  bool urgent_ = false;
  bool unwritten_ = false;
  bool failed_ = false;
};

}  // namespace hindsight::recorder
