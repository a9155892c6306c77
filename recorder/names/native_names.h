// The native libraries of the process, and names for the functions in them.
//
// Not time-critical: one recorder thread. An unloaded library keeps its name until another one is
// loaded at its address; its functions are then read from its file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hindsight::recorder {

struct NativeModule {
  std::string path;               // [vdso] for the kernel's own
  std::vector<uint8_t> build_id;  // GNU build id; empty if it has none
  uintptr_t base = 0;             // what the addresses in its file are relative to
  uintptr_t start = 0, end = 0;   // of its code
  std::vector<uint8_t> headers;   // of its segments, as they were loaded, or what identifies it
};

struct NativeFunction {
  size_t module = 0;    // index; valid until changes() increases
  uintptr_t start = 0;  // address; if unknown, that of the module's code
  uint64_t rva = 0;     // the same, from the module's base
  std::string name;     // symbol; empty if the file has none there
};

class NativeNames {
 public:
  // The function that contains the instruction at `address`. False: not in a library's code.
  bool Describe(uintptr_t address, NativeFunction& out);

  const NativeModule& module(size_t index) const { return modules_[index]; }
  // Increases when an address belongs to a different library than before.
  uint64_t changes() const { return changes_; }

  uint64_t memory_bytes() const;
  // How often a library's file was read.
  uint64_t reads() const { return reads_; }

 private:
  static constexpr size_t kMaxModules = 2048;
  static constexpr size_t kMaxKnown = 8192;  // a full table starts anew

  // What a library's file says about an address, and up to which address that holds: a sampled
  // function has many addresses, and one lookup in the file costs a hundred microseconds.
  struct Known {
    uintptr_t to = 0;     // its addresses end before this one
    uintptr_t start = 0;  // of the function
    std::string name;
  };

  void Refresh();
  void Add(NativeModule module);
  // By an address in it, or by its base: as the system asks. modules_.size(): not found.
  size_t Find(uintptr_t address) const;
  Known Look(const NativeModule& module, uintptr_t address);

  std::vector<NativeModule> modules_;
  std::map<uintptr_t, Known> known_;  // by first address; for the current changes_
  uint64_t name_bytes_ = 0;           // of these
  uint64_t reads_ = 0;
  uint64_t loads_ = 0, unloads_ = 0;  // as counted by the loader
  uint64_t changes_ = 0;
};

}  // namespace hindsight::recorder
