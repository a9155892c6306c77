// As context for all stacks: which methods the JIT is about to inline into dynamic methods.
//
// Frameworks call the application's code through dynamic methods: ASP.NET Core MVC each action,
// minimal APIs each handler. The JIT compiles these once, with full optimization, and inlines what
// they call if it is small. Such an action has no frame of its own, and all of its time seems to be
// that of `[dynamic] lambda_method1`. Dynamic methods have no debug information either, so that
// nothing tells afterwards what is in them.
//
// JITInlining is called when the runtime allows an inlining, just before the JIT decides over it
// (CEEInfo::canInline: dotnet/runtime, src/coreclr/vm/jitinterface.cpp); not for IL stubs. The JIT
// still rejects most candidates in other methods, but the calls of such a dynamic method are few.
//
// Callbacks on the compiling thread. Its only cost elsewhere is a look at a counter.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "recorder/clr/types.h"
#include "recorder/stream/emitter.h"

namespace hindsight::recorder {

struct InlineCandidateEvent {
  EventHeader header;
  uint64_t caller, callee;  // FunctionIDs; the caller is a dynamic method
};

class DynamicInlining {
 public:
  explicit DynamicInlining(Emitter& emitter) : emitter_(emitter) {}

  void CompilationStarted(clr::FunctionID dynamic_method);
  void CompilationFinished(clr::FunctionID dynamic_method);
  void Inlining(clr::FunctionID caller, clr::FunctionID callee) {
    if (compiling_.load(std::memory_order_relaxed) == 0 || !IsCompiling(caller)) return;
    Report(caller, callee);
  }

 private:
  // More at the same time than there are slots are not all watched. A slot may stay taken: while a
  // snapshot calibrates the event mask, no end is reported.
  static constexpr size_t kSlots = 16;

  bool IsCompiling(clr::FunctionID method) const;
  void Report(clr::FunctionID caller, clr::FunctionID callee);
  bool Replace(clr::FunctionID from, clr::FunctionID to);

  Emitter& emitter_;
  std::atomic<uint32_t> compiling_{0};
  std::array<std::atomic<clr::FunctionID>, kSlots> slots_ = {};
  std::atomic<uint32_t> next_{0};  // that is taken if none is free
};

}  // namespace hindsight::recorder
