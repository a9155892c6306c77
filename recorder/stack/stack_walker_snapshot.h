// Internal to StackWalker: the result of the runtime's stack walk, and access to the thread's own
// stack.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "recorder/base/load_word.h"
#include "recorder/stack/stack_walker.h"

namespace hindsight::recorder {

// Whether two words can be read at `address` (any value): on the thread's own stack, not below
// `low`.
inline bool OnStack(const ThreadTrack& track, uintptr_t address, uintptr_t low) {
  return address >= low && address % sizeof(uintptr_t) == 0 && address < track.stack_high &&
         track.stack_high - address >= 2 * sizeof(uintptr_t);
}

struct StackWalker::Snapshot {
  ThreadTrack* track;
  const StackWalker* walker = nullptr;  // for the outer frames; null: the runtime walks these, too
  uintptr_t no_rule_sp = 0;             // the rules do not lead from this frame or one below it
  size_t whole_count = 0;               // of frames, if the rules led from the last one to the root
  size_t count = 0;                     // of frames from the runtime
  bool called = false;                  // the callback was called, for any frame
  bool truncated = false;
  uintptr_t first_sp = 0;
  uintptr_t last_sp = 0;
  FrameRegisters registers[kMaxLearnDepth];
  clr::FunctionID functions[kMaxLearnDepth];

  bool Holds(clr::FunctionID function) const {
    const size_t known = std::min<size_t>(count, kMaxLearnDepth);
    return std::find(functions, functions + known, function) != functions + known;
  }

  bool is_whole() const { return whole_count == 0; }

  static clr::HRESULT OnFrame(clr::FunctionID function, uintptr_t ip, clr::COR_PRF_FRAME_INFO,
                              uint32_t, uint8_t* context, void* self);
};

}  // namespace hindsight::recorder
