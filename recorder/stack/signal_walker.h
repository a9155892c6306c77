// The call stack of a thread that a signal has interrupted anywhere, in native or managed code,
// without the runtime's help.
//
// The handler reads registers, the thread's own stack and tables prepared by other threads; it
// takes no lock, allocates nothing and calls nothing. Where the tables have no answer, it follows
// the frame-pointer chain, which at worst misses a caller. What frames look like is in
// signal_walker_<processor>.cc.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>

#include "recorder/base/memory.h"
#include "recorder/clr/info.h"
#include "recorder/stack/known_places.h"
#include "recorder/stack/managed_code.h"
#include "recorder/stack/native_code.h"
#include "recorder/stack/unwind_cache.h"
#include "recorder/stack/unwind_step.h"
#include "recorder/stack/walks.h"

namespace hindsight::recorder {

// Registers of the interrupted thread. `link` is the return address of a function that keeps it in
// a register; 0: unknown, or the processor has no such register.
struct InterruptedAt {
  uintptr_t ip, sp, bp;
  uintptr_t link = 0;
};

// From the ucontext_t that is passed to a handler. Async-signal-safe.
InterruptedAt ReadSignalContext(const void* context);

struct SignalStack {
  uint32_t frames = 0;     // written to `out`
  bool rooted = false;     // the walk reached the thread's first frame
  bool truncated = false;  // `out` was too small: the outermost frames are missing
};

class SignalWalker {
 public:
  // Once, before the first walk; without memory under the limit, walks only follow the chain.
  bool Open(MemoryBudget& budget);
  // Call it when no handler can run any more.
  void Close(MemoryBudget& budget);

  // In a signal handler, on the walked thread: async-signal-safe, bounded. `out` gets the
  // interrupted instruction (at.ip), then return addresses, innermost first, native and managed, as
  // sampled_place.h says.
  // Reads only words of [at.sp, stack_high), and code in the page that contains at.ip.
  SignalStack Walk(InterruptedAt at, uintptr_t stack_high, std::span<uintptr_t> out) const;

  // Drain thread, for the frames of each sample and its time: learns managed code that is new among
  // them. Removes words that no call has left there, which a walk by the chain may have taken for
  // return addresses, and returns what remains. Cheap if all of it is known.
  std::span<const uintptr_t> Learn(clr::ICorProfilerInfo10* info, CodeGate& gate, uint64_t as_of_ns,
                                   std::span<uintptr_t> frames);
  // Drain thread: something was learned since the last call.
  bool TakeNews() { return managed_.TakeNews(); }

  // One recorder thread, from time to time: reads the unwind tables of libraries loaded since the
  // last call, and removes those of unloaded ones. Costs a microsecond if nothing changed, up to
  // tens of milliseconds the first time.
  void RefreshNativeModules();

  // Any thread: some code was unloaded, and it is unknown which; or only this region.
  void Forget();
  void Forget(const CodeRegion& region) { managed_.Forget(region); }

 private:
  UnwindStep StepFromInstruction(InterruptedAt at, uintptr_t stack_high) const;
  // The step from an instruction of managed code, which may be in an epilog; none: it is not known
  // to be managed.
  std::optional<UnwindStep> StepInManaged(uintptr_t ip) const;
  UnwindStep StepFromCall(uintptr_t instruction) const {
    if (const std::optional<UnwindStep> known = cache_.Find(instruction)) return *known;
    const UnwindStep step =
        native_.Contains(instruction) ? native_.Find(instruction) : managed_.Find(instruction).step;
    cache_.Keep(instruction, step);
    return step;
  }
  UnwindStep StepOver(InterruptedAt at, uintptr_t stack_high) const;
  bool IsCode(uintptr_t ip) const { return native_.Contains(ip) || managed_.Find(ip).known; }
  bool IsNative(uintptr_t ip) const;
  bool IsReturn(uintptr_t ip);

  mutable Walks walks_;
  NativeCode native_{walks_};
  ManagedCode managed_{walks_};
  mutable UnwindCache cache_;

  // Drain thread: instructions in native code, or in managed code that has been learned; return
  // addresses behind calls.
  KnownPlaces known_, returns_;
  std::atomic<uint32_t> native_changes_{0};  // any thread: counts changes of the native modules
  uint32_t seen_native_changes_ = 0, seen_starts_ = 0;
};

}  // namespace hindsight::recorder
