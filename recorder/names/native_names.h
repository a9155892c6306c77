// The native libraries of the process, and names for the functions in them.
//
// Cold: one recorder thread. A library that was unloaded keeps its name until another one takes its
// place; its functions are then read from its file.
#pragma once

#include <link.h>

#include <cstdint>
#include <string>
#include <vector>

namespace hindsight::recorder {

struct NativeModule {
  std::string path;               // [vdso] for the kernel's
  std::vector<uint8_t> build_id;  // GNU build id; empty if it has none
  uintptr_t base = 0;             // what the addresses of its file are relative to
  uintptr_t start = 0, end = 0;   // of its code
  std::vector<Elf64_Phdr> segments;
};

struct NativeFunction {
  size_t module = 0;    // index; the same library until changes() counts up
  uintptr_t start = 0;  // address; where nothing tells, that of the module's code
  uint64_t rva = 0;     // the same, from the module's base
  std::string name;     // symbol; empty if the file has none there
};

class NativeNames {
 public:
  // The function that holds the instruction at `address`. False: no library's code does.
  bool Describe(uintptr_t address, NativeFunction& out);

  const NativeModule& module(size_t index) const { return modules_[index]; }
  // Counts up when a place came to mean another library than before.
  uint64_t changes() const { return changes_; }

 private:
  static constexpr size_t kMaxModules = 2048;

  void Refresh();
  void Add(NativeModule module);
  size_t Find(uintptr_t address) const;  // modules_.size(): nowhere

  std::vector<NativeModule> modules_;
  uint64_t loads_ = 0, unloads_ = 0;  // as the loader counts
  uint64_t changes_ = 0;
};

}  // namespace hindsight::recorder
