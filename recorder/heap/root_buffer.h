// The roots of a snapshot, as the runtime reports them at the end of a collection.
//
// Filled by the collecting thread while the application is paused, read afterwards by the recorder.
// No malloc: the address space is reserved once, and memory is committed as it fills.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "recorder/base/pages.h"
#include "recorder/clr/types.h"

namespace hindsight::recorder {

struct HeapRootEntry {
  uint64_t address;
  uint64_t id;   // FunctionID of a stack root, handle of a handle
  uint8_t kind;  // COR_PRF_GC_ROOT_KIND
  uint8_t flags;
};

struct DependentEntry {
  uint64_t key, value;
};

// COR_PRF_GC_ROOT_FLAGS
inline constexpr uint32_t kRootPinning = 1, kRootWeak = 2, kRootInterior = 4, kRootRefcounted = 8;

// Address space for a fixed number of entries; memory is committed as they are added.
template <typename Entry>
class ReservedArray {
 public:
  ReservedArray() = default;
  ReservedArray(const ReservedArray&) = delete;
  ReservedArray& operator=(const ReservedArray&) = delete;
  ~ReservedArray() { Release(); }

  bool Reserve(size_t capacity) {
    size_ = 0;
    if (data_ != nullptr) return true;
    void* memory = ReservePages(capacity * sizeof(Entry));
    if (memory == nullptr) return false;
    data_ = static_cast<Entry*>(memory);
    capacity_ = capacity;
    return true;
  }
  // Releases memory and address space.
  void Release() {
    UnmapPages(data_, capacity_ * sizeof(Entry));
    data_ = nullptr;
    capacity_ = usable_ = 0;
    size_ = 0;
  }
  void Clear() { size_ = 0; }
  // False: full, or the system has no more memory.
  bool Add(const Entry& entry) {
    if (size_ == usable_ && !UseMore()) return false;
    data_[size_++] = entry;
    return true;
  }
  std::span<Entry> entries() { return {data_, size_}; }

 private:
  static constexpr size_t kPiece = 1u << 16;  // entries

  bool UseMore() {
    const size_t more = std::min(kPiece, capacity_ - usable_);
    if (more == 0 || !UsePages(data_ + usable_, more * sizeof(Entry))) return false;
    usable_ += more;
    return true;
  }

  Entry* data_ = nullptr;
  size_t capacity_ = 0;
  size_t usable_ = 0;
  size_t size_ = 0;
};

class RootBuffer {
 public:
  static constexpr size_t kMaxRoots = 16u << 20;
  static constexpr size_t kMaxDependents = 4u << 20;

  bool Reserve() { return roots_.Reserve(kMaxRoots) && dependents_.Reserve(kMaxDependents); }
  void Release();

  // Callbacks of the runtime.
  void Add(uint32_t count, const clr::ObjectID* objects, const clr::COR_PRF_GC_ROOT_KIND* kinds,
           const clr::COR_PRF_GC_ROOT_FLAGS* flags, const uintptr_t* ids);
  void AddDependents(uint32_t count, const clr::ObjectID* keys, const clr::ObjectID* values);

  std::span<HeapRootEntry> roots() { return roots_.entries(); }
  std::span<DependentEntry> dependents() { return dependents_.entries(); }
  uint64_t lost() const { return lost_; }  // there was no room

 private:
  ReservedArray<HeapRootEntry> roots_;
  ReservedArray<DependentEntry> dependents_;
  uint64_t lost_ = 0;
};

}  // namespace hindsight::recorder
