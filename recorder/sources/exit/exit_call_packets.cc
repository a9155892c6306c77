#include "recorder/sources/exit/exit_call_packets.h"

#include "recorder/sources/exit/exit_calls.h"
#include "recorder/sources/packet_stack.h"

namespace hindsight::recorder {

void ExitCallPackets::Consume(const EventHeader& header, PacketWriter& packets) {
  const uint32_t thread = threads_.IdOf(header.thread, packets);
  const uint32_t stack = StackOf(reinterpret_cast<const ExitCallEvent&>(header), dictionaries_);
  packets.Write(wire::Packet::kExitCall, header.time_ns, [&](auto& call) {
    call.Set(call.kThread, thread);
    call.Set(call.kStack, stack);
  });
}

}  // namespace hindsight::recorder
