#include "recorder/sources/compiler/inlining_tracker.h"

#include <algorithm>

#include "recorder/sources/compiler/inlining.h"

namespace hindsight::recorder {

void InliningTracker::Consume(const EventHeader& header, PacketWriter&) {
  const auto& event = reinterpret_cast<const MethodInlinedEvent&>(header);
  InlineTrees& trees = dictionaries_.inline_trees();
  if (event.bytes == 0) return trees.AddPlain(event.start);
  const size_t room = header.size() > sizeof(event) ? header.size() - sizeof(event) : 0;
  trees.Add(header.thread, event.start, event.chunk, event.last,
            {reinterpret_cast<const uint8_t*>(&event + 1), std::min<size_t>(event.bytes, room)});
}

}  // namespace hindsight::recorder
