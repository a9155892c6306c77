// Enables COR_PRF_MONITOR_GC for one collection.
//
// With it the runtime reports the roots at the end of a collection (RootReferences2). If left on,
// it makes every gen0 collection walk the whole heap. There are two methods:
//
// Documented: the flag is in the mask while the profiler is initialized, and SetEventMask2 toggles
// it afterwards. The price is that the runtime does no background collections of generation 2 while
// the recorder is loaded.
//
// Calibrated: the runtime keeps the mask in words of its own (one for all profilers, one per
// profiler), and reads them at the end of a collection. They are found by experiment: three masks
// are set one after the other, and the words of the runtime's writable data that changed
// accordingly each time are the right ones. There are two of them on .NET 8 to 10; with any other
// number this method is refused. Background collections continue. Nothing else in the runtime
// depends on the flag in those words: the restriction on setting it late (0x80131376) is in
// SetEventMask2 itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>

#include "recorder/clr/event_mask.h"
#include "recorder/clr/info.h"
#include "recorder/contract/options.h"

namespace hindsight::recorder {

class GcMask {
 public:
  enum class Way : uint8_t { kNone, kDocumented, kCalibrated };

  // Inside Initialize or InitializeForAttach. Sets the mask that the runtime must have when that
  // returns: `mask`, plus the flag for the documented method. False: the runtime refused `mask`
  // itself. `why`: a sentence if the calibrated method was requested and is not used.
  bool Prepare(clr::ICorProfilerInfo10* info, clr::EventMask mask, contract::RootsChoice choice,
               std::string* why);
  // The same while the recording runs, on the thread that will set masks from then on; only the
  // calibrated method is possible then. No callback of the recording is missed: the mask always
  // includes `mask`, and what is added to find the words are callbacks that the profiler leaves
  // empty. False: the words were not found (a sentence in `why`), or the runtime refused `mask` (no
  // sentence).
  bool PrepareLate(clr::ICorProfilerInfo10* info, clr::EventMask mask, std::string* why);
  // Removes callbacks from the mask, for good. Any thread, any time after that.
  void Drop(clr::EventMask callbacks);
  // ProfilerAttachComplete, or later: clears the flag.
  void Settle();

  Way way() const { return way_; }
  // Whether background collections of generation 2 are enabled: exactly then, the runtime refuses
  // to set the flag late. Not during a collection.
  bool IsGcConcurrent();

  // Inside GarbageCollectionStarted and GarbageCollectionFinished, on the collecting thread. False:
  // the words have changed unexpectedly; nothing was modified.
  bool On();
  void Off();

 private:
  static constexpr size_t kExpectedWords = 2;
  using Word = uint64_t;  // low mask, high mask

  bool Calibrate(clr::ICorProfilerInfo10* info);
  bool FindWords(clr::ICorProfilerInfo10* info, std::span<const clr::EventMask> masks);

  clr::ICorProfilerInfo10* info_ = nullptr;
  std::mutex mutex_;  // held for microseconds
  clr::EventMask mask_;
  bool on_ = false;
  Way way_ = Way::kNone;
  Word* words_[kExpectedWords] = {};
};

}  // namespace hindsight::recorder
