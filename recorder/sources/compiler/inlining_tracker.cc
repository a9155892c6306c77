#include "recorder/sources/compiler/inlining_tracker.h"

#include "recorder/sources/compiler/dynamic_inlining.h"
#include "recorder/sources/compiler/inlining.h"

namespace hindsight::recorder {

void InliningTracker::Consume(const EventHeader& header, PacketWriter&) {
  if (header.kind == EventKind::kInlineCandidate) {
    const auto& candidate = reinterpret_cast<const InlineCandidateEvent&>(header);
    return dictionaries_.NoteInlineCandidate(candidate.caller, candidate.callee);
  }
  const auto& event = reinterpret_cast<const MethodInlinedEvent&>(header);
  InlineTrees& trees = dictionaries_.inline_trees();
  if (event.bytes == 0) return trees.AddPlain(event.start);
  trees.Add(header.thread, event.start, event.chunk, event.last,
            TailOf<uint8_t>(event, event.bytes));
}

}  // namespace hindsight::recorder
