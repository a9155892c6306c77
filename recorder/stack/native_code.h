// How to unwind the process's native code: the rows of every loaded library.
//
// They are a copy, so a signal handler never reads a library that is being unloaded. The refreshing
// thread builds new tables and publishes them as a whole; a walk sees the old or the new ones.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "recorder/base/memory.h"
#include "recorder/stack/unwind_step.h"
#include "recorder/stack/walks.h"

namespace hindsight::recorder {

class NativeCode {
 public:
  explicit NativeCode(const Walks& walks) : walks_(walks) {}

  // Call both only while no walk and no refresh is in progress. Without memory under the limit,
  // nothing is ever known.
  bool Open(MemoryBudget& budget);
  void Close(MemoryBudget& budget);

  // One recorder thread. Allocates, and holds the loader's lock while it copies a section. True: a
  // library was unloaded or replaced.
  bool Refresh();

  // Any thread, in a signal handler during a walk. `ip` is an instruction, not a return address.
  UnwindStep Find(uintptr_t ip) const;
  // Whether `ip` is in the code of a library, even one whose rows are missing.
  bool Contains(uintptr_t ip) const { return ModuleOf(ip) != nullptr; }

  size_t row_bytes() const { return row_bytes_; }

 private:
  static constexpr size_t kMaxModules = 1024;

  struct Module {
    uintptr_t start, end;  // of its code
    uint64_t identity;     // distinguishes it from another library loaded at the same address
    UnwindRow* rows;       // by offset from `start`; null: none, or no memory for them
    uint32_t row_count;
  };
  struct Table {
    size_t count;
    Module modules[kMaxModules];  // ascending
  };
  struct Loaded;

  const Module* ModuleOf(uintptr_t ip) const;
  bool IsUpToDate();
  bool AwaitWalks() const;
  void ReadRows(const Loaded& loaded, Module& module);
  void FreeRows(Module& module);

  const Walks& walks_;
  MemoryBudget* budget_ = nullptr;
  Table* tables_ = nullptr;  // two: the published one and the spare
  std::atomic<const Table*> published_{nullptr};
  uint64_t loads_ = 0, unloads_ = 0;  // of the process, as counted by the loader
  size_t row_bytes_ = 0;
};

}  // namespace hindsight::recorder
