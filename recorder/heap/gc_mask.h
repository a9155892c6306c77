// Switches COR_PRF_MONITOR_GC on for one collection.
//
// With it the runtime tells the roots at a collection's end (RootReferences2). Left on, it makes
// every gen0 collection walk the whole heap. Two ways:
//
// Documented: the flag is in the mask while the profiler is initialized, and SetEventMask2 switches
// it afterwards. The price is that the runtime collects no generation 2 in the background while the
// recorder is loaded.
//
// Calibrated: the runtime keeps the mask in words of its own (one for all profilers, one for each),
// and looks at them at a collection's end. They are found by experiment: three masks are set one
// after the other, and the words of the runtime's writable data that followed each time are the
// ones. There are two of them on .NET 8 to 10; any other number is a refusal. Background
// collections go on. Nothing else of the runtime depends on the flag in those words: the costs of
// setting it late (0x80131376) come from SetEventMask2 itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>

#include "recorder/clr/event_mask.h"
#include "recorder/clr/info.h"
#include "recorder/contract/options.h"

namespace hindsight::recorder {

class GcMask {
 public:
  enum class Way : uint8_t { kNone, kDocumented, kCalibrated };

  // Inside Initialize or InitializeForAttach. Leaves the mask that the runtime has to have when
  // that returns: `mask`, with the flag if the way is the documented one. False: the runtime
  // refused `mask` itself. `why`: a sentence when the calibrated way was asked for and is not used.
  bool Prepare(clr::ICorProfilerInfo10* info, clr::EventMask mask, contract::RootsChoice choice,
               std::string* why);
  // The same once the recording runs, on the thread that is to set masks from then on; only the
  // calibrated way is left then. No callback of the recording is missed: the mask is `mask` from
  // the beginning, and what is set on top of it to find the words are callbacks that the profiler
  // leaves empty. False: the way was not found, with a sentence in `why`, or the runtime refused
  // `mask`, without one.
  bool PrepareLate(clr::ICorProfilerInfo10* info, clr::EventMask mask, std::string* why);
  // ProfilerAttachComplete, or later: the flag goes off.
  void Settle();

  Way way() const { return way_; }
  // Whether generation 2 is collected in the background: the runtime refuses to set the flag late
  // exactly then. Not inside a collection.
  bool IsGcConcurrent();

  // Inside GarbageCollectionStarted and GarbageCollectionFinished, on the collecting thread. False:
  // the words are not what they were; nothing was changed.
  bool On();
  void Off();

 private:
  static constexpr size_t kExpectedWords = 2;
  using Word = uint64_t;  // low mask, high mask

  bool Calibrate(clr::ICorProfilerInfo10* info);
  bool FindWords(clr::ICorProfilerInfo10* info, std::span<const clr::EventMask> masks);

  clr::ICorProfilerInfo10* info_ = nullptr;
  clr::EventMask mask_;
  Way way_ = Way::kNone;
  Word* words_[kExpectedWords] = {};
};

}  // namespace hindsight::recorder
