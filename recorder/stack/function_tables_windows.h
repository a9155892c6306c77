// Where Windows finds the unwind information of a function: in the tables of libraries, and in
// those that the runtime supplies for what it compiles.
//
// Libraries are read as memory that may be unmapped at any time, since anybody may unload one; what
// is known of them is checked from time to time. The runtime is asked as names/code_gate.h demands.
//
// One recorder thread, never while a thread is suspended: it allocates, and waits for locks of the
// system and of the runtime.
#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "recorder/clr/info.h"
#include "recorder/names/code_gate.h"
#include "recorder/names/mapped_image.h"
#include "recorder/stack/copied_stack_walk.h"

namespace hindsight::recorder {

class FunctionTables final : public FunctionFinder {
 public:
  FunctionTables(clr::ICorProfilerInfo10* info, CodeGate& gate);

  Found Find(uintptr_t instruction, uint64_t as_of_ns, const UnwindFunction*& out) override;
  // From time to time: forgets what is known if a library has been unloaded or replaced.
  void Refresh();

 private:
  static constexpr size_t kMaxFunctions = 8192;  // full tables start anew
  static constexpr size_t kMaxParts = 32;        // of a function, each of which continues another

  Found FindInImage(uintptr_t base, uintptr_t instruction);
  Found AskRuntime(uintptr_t instruction, uint64_t as_of_ns, bool& is_dynamic);
  Found Take(uintptr_t base, FunctionEntry entry);
  void Forget();

  clr::ICorProfilerInfo10* const info_;
  CodeGate& gate_;
  const ReadMemory read_;
  // By start. All of it was on a stack at known_ns_ or later.
  std::map<uintptr_t, UnwindFunction> known_;
  uint64_t known_ns_ = 0;
  // MappedImage::identity of those that functions are known of, by base.
  std::map<uintptr_t, std::array<uint32_t, 2>> images_;
  UnwindFunction found_;
};

}  // namespace hindsight::recorder
