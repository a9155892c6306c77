// The native libraries of the process, and names for the functions in them.
//
// Not time-critical: one recorder thread. An unloaded library keeps its name until another one is
// loaded at its address; its functions are then read from its file.
#pragma once

#include <link.h>

#include <cstdint>
#include <string>
#include <vector>

namespace hindsight::recorder {

struct NativeModule {
  std::string path;               // [vdso] for the kernel's
  std::vector<uint8_t> build_id;  // GNU build id; empty if it has none
  uintptr_t base = 0;             // what the addresses in its file are relative to
  uintptr_t start = 0, end = 0;   // of its code
  std::vector<Elf64_Phdr> segments;
};

struct NativeFunction {
  size_t module = 0;    // index; valid until changes() increases
  uintptr_t start = 0;  // address; if nothing says, that of the module's code
  uint64_t rva = 0;     // the same, from the module's base
  std::string name;     // symbol; empty if the file has none there
};

class NativeNames {
 public:
  // The function that contains the instruction at `address`. False: not in a library's code.
  bool Describe(uintptr_t address, NativeFunction& out);

  const NativeModule& module(size_t index) const { return modules_[index]; }
  // Increases when an address belongs to another library than before.
  uint64_t changes() const { return changes_; }

 private:
  static constexpr size_t kMaxModules = 2048;

  void Refresh();
  void Add(NativeModule module);
  size_t Find(uintptr_t address) const;  // modules_.size(): not found

  std::vector<NativeModule> modules_;
  uint64_t loads_ = 0, unloads_ = 0;  // as the loader counts
  uint64_t changes_ = 0;
};

}  // namespace hindsight::recorder
