#include "recorder/sources/exceptions/fatal_error_packets.h"

#include "recorder/sources/exceptions/fatal_errors.h"
#include "recorder/stream/thread_track.h"

namespace hindsight::recorder {

void FatalErrorPackets::Consume(const EventHeader& header, PacketWriter& packets) {
  const auto& event = reinterpret_cast<const FatalErrorEvent&>(header);
  const uint32_t thread = threads_.IdOf(header.thread, packets);
  const uint32_t text =
      dictionaries_.Message(TailOf<char16_t>(event, event.message_units), event.message_cut);
  uint32_t stack = 0;
  if (event.stack != 0) {
    stack = dictionaries_.Stack(event.stack);
  } else if (event.location != 0) {
    // Stacks contain return addresses, and a reader looks for the instruction before each.
    const uintptr_t after = event.location + 1;
    stack = dictionaries_.Stack(std::span(&after, 1));
  }
  packets.Write(wire::Packet::kFatalError, header.time_ns, [&](auto& error) {
    error.Set(error.kThread, thread);
    if (text != 0) error.Set(error.kMessage, text);
    if (stack != 0) error.Set(error.kStack, stack);
    error.Set(error.kCode, event.code);
  });
  urgent_ = unwritten_ = failed_ = true;
}

void FatalErrorPackets::SegmentEnded(bool written) {
  if (!written || !unwritten_) return;
  unwritten_ = false;
  ThreadTracks::Instance().ForEach(recording_, [](ThreadTrack& track) {
    track.last_event_is_written.store(true, std::memory_order_release);
  });
}

}  // namespace hindsight::recorder
