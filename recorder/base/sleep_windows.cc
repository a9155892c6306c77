#include <windows.h>

#include <algorithm>

#include "recorder/base/clock.h"
#include "recorder/base/sleep_windows.h"

namespace hindsight::recorder {

void WaitWhile(const std::atomic<uint32_t>& word, uint32_t expected, uint64_t end_ns) {
  constexpr uint64_t kMillisecondNs = 1'000'000;
  constexpr uint64_t kLongestMs = 3'600'000;
  const uint64_t now = MonotonicNs();
  if (now >= end_ns) return;
  // Rounded up: a wait that ends too early would cause a busy loop.
  const uint64_t ms = std::min((end_ns - now - 1) / kMillisecondNs + 1, kLongestMs);
  WaitOnAddress(const_cast<std::atomic<uint32_t>*>(&word), &expected, sizeof expected,
                static_cast<DWORD>(ms));
}

void WakeAll(std::atomic<uint32_t>& word) { WakeByAddressAll(&word); }

}  // namespace hindsight::recorder
