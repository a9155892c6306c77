// The nodes of recent stacks. Consecutive stacks of a thread share most of their outer frames,
// which then need not be looked up one by one.
//
// Keeps the last stack of each thread, from the outermost frame; threads that share a slot replace
// each other's. Bounded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hindsight::recorder {

class RecentStacks {
 public:
  static constexpr size_t kMaxFrames = 512;  // of one stack, the outermost

  struct Place {
    uintptr_t ip;
    uint32_t node;  // of the stack that ends with it
  };
  std::vector<Place>& Of(uint32_t thread) { return stacks_[thread % kStacks]; }
  // Empties all of them, including those that are being filled.
  void Clear() {
    for (auto& stack : stacks_) stack.clear();
  }
  size_t memory_bytes() const {
    size_t bytes = 0;
    for (const auto& stack : stacks_) bytes += stack.capacity() * sizeof(Place);
    return bytes;
  }

 private:
  static constexpr size_t kStacks = 16;

  std::array<std::vector<Place>, kStacks> stacks_;
};

}  // namespace hindsight::recorder
