// Native bodies that were looked up recently: a method contains many calls, and each of them would
// query the same map again.
//
// Bounded: when the newer half is full, the older one is dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "recorder/names/descriptions.h"

namespace hindsight::recorder {

class KnownBodies {
 public:
  static constexpr size_t kMaxBytes = 256u << 10;  // of each half

  // The body whose code contains the instruction at `address`; null: unknown. Valid until the next
  // call that is not const.
  const CodeDescription* Find(uintptr_t address) const {
    const CodeDescription* const found = FindIn(newer_, address);
    return found != nullptr ? found : FindIn(older_, address);
  }
  // Keeps only bodies of one region; split ones are rare.
  void Add(const CodeDescription& code) {
    if (code.regions.size() != 1) return;
    if (newer_bytes_ >= kMaxBytes) {
      older_ = std::move(newer_);
      older_bytes_ = std::exchange(newer_bytes_, 0);
      newer_.clear();
    }
    if (newer_.insert_or_assign(code.start(), code).second) newer_bytes_ += BytesOf(code);
  }
  void Clear() {
    newer_.clear();
    older_.clear();
    newer_bytes_ = older_bytes_ = 0;
  }
  size_t memory_bytes() const { return newer_bytes_ + older_bytes_; }

 private:
  using Bodies = std::map<uintptr_t, CodeDescription>;  // by start

  static size_t BytesOf(const CodeDescription& code) {
    constexpr size_t kNode = 4 * sizeof(void*);
    return sizeof(Bodies::value_type) + kNode + sizeof(CodeRegion) +
           code.il_map.size() * sizeof(IlMapEntry);
  }
  static const CodeDescription* FindIn(const Bodies& bodies, uintptr_t address) {
    auto next = bodies.upper_bound(address);
    if (next == bodies.begin()) return nullptr;
    --next;
    return address - next->first < next->second.regions.front().size ? &next->second : nullptr;
  }

  Bodies newer_, older_;
  size_t newer_bytes_ = 0, older_bytes_ = 0;
};

}  // namespace hindsight::recorder
