// How to step from a return address to its caller, learned from the runtime's own stack walks.
//
// The JIT gives most methods a frame pointer, but not small ones: a walk along the frame-pointer
// chain alone silently loses the callers of frameless methods. So when a return address is first
// seen, the runtime walks the stack (exact, about 10 us); comparing the registers of neighboring
// frames shows whether the step follows the chain or is at a fixed distance from the stack pointer.
// From then on the step costs one lookup. A step that fits neither is opaque: stacks through it are
// always walked by the runtime.
//
// A direct-mapped table of atomic words: any thread reads and writes; a lost entry is learned
// again.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace hindsight::recorder {

struct UnwindRule {
  enum class Kind : uint8_t { kUnknown, kFramed, kFrameless, kOpaque };
  Kind kind = Kind::kUnknown;
  bool managed = false;  // the address is in managed code: it is a frame of the stack
  uint32_t frame_bytes =
      0;  // kFrameless: from the stack pointer to the return address; a multiple of 8

  bool operator==(const UnwindRule&) const = default;
};

class UnwindRules {
 public:
  UnwindRule Find(uintptr_t ip) const {
    const uint64_t entry = entries_[Index(ip)].load(std::memory_order_relaxed);
    if (entry >> kRuleBits != (ip & kIpMask)) return {};
    return Decode(static_cast<uint32_t>(entry & ((1u << kRuleBits) - 1)));
  }

  void Learn(uintptr_t ip, UnwindRule rule) {
    entries_[Index(ip)].store((ip & kIpMask) << kRuleBits | Encode(rule),
                              std::memory_order_relaxed);
  }

  // Code was unloaded: its addresses may be reused.
  void Forget();
  // Only those in [start, start + size); a microsecond per KiB, and never more than for all.
  void Forget(uintptr_t start, uint32_t size);

 private:
  static constexpr size_t kEntries = 1u << 16;
  static constexpr uint32_t kRuleBits = 16;  // kind:2 managed:1 frame bytes / 8: 13
  static constexpr uint64_t kIpMask = (uint64_t{1} << 48) - 1;

  static size_t Index(uintptr_t ip) { return (ip * 0x9e3779b97f4a7c15u) >> 48; }

  static uint32_t Encode(UnwindRule rule) {
    return static_cast<uint32_t>(rule.kind) | (rule.managed ? 4u : 0u) | rule.frame_bytes;
  }
  static UnwindRule Decode(uint32_t bits) {
    return {static_cast<UnwindRule::Kind>(bits & 3), (bits & 4) != 0, bits & 0xfff8u};
  }

  std::array<std::atomic<uint64_t>, kEntries> entries_{};
};

}  // namespace hindsight::recorder
