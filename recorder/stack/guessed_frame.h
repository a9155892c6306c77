// Frames that the runtime's walk of another thread leaves out: those of dynamic methods, which have
// no metadata (ProfilerStackWalkCallback: dotnet/runtime,
// src/coreclr/vm/proftoeeinterfaceimpl.cpp). ASP.NET Core calls actions and handlers through such
// methods.
//
// Where they were is guessed by the chain of frame pointers, which managed code keeps. A guess is
// marked among the addresses of a stack; only what then proves to be in a dynamic method is a frame
// (encode/dictionary_writer.h).
#pragma once

#include <cstdint>

#include "recorder/base/load_word.h"
#include "recorder/stack/context.h"

namespace hindsight::recorder {

// No address of a process has this bit.
inline constexpr uintptr_t kGuessedFrame = uintptr_t{1} << 63;

constexpr bool IsGuessed(uintptr_t ip) { return (ip & kGuessedFrame) != 0; }
constexpr uintptr_t WithoutMark(uintptr_t ip) { return ip & ~kGuessedFrame; }

// Calls `found(ip, sp)` for each return address between a frame and the next one that was reported,
// from the inner to the outer; `sp` is between theirs. Both are frames of one stopped thread,
// without native code in between. Nothing if `inner` is {}.
template <typename Found>
void GuessFramesBetween(const FrameRegisters& inner, const FrameRegisters& outer, Found found) {
  constexpr uintptr_t kRecordBytes = 2 * sizeof(uintptr_t);  // saved frame pointer, return address
  constexpr uintptr_t kFarthest = 256u << 10;
  constexpr int kMost = 4;
  // Only what is between two frames of one stack may be read.
  if (inner.sp == 0 || outer.sp <= inner.sp || outer.sp - inner.sp > kFarthest) return;
  uintptr_t from = inner.sp;
  uintptr_t record = inner.bp;
  for (int i = 0; i < kMost; ++i) {
    const bool is_between =
        record >= from && record < outer.sp && outer.sp - record >= kRecordBytes;
    if (!is_between || record % sizeof(uintptr_t) != 0) return;
    const uintptr_t ip = LoadWord(record + sizeof(uintptr_t));
    if (ip == outer.ip || ip == 0 || IsGuessed(ip)) return;
    from = record + kRecordBytes;
    found(ip, from);
    record = LoadWord(record);
  }
}

}  // namespace hindsight::recorder
