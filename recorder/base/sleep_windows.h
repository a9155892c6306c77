// Waits for a word to change, with a deadline in nanoseconds. Windows only.
#pragma once

#include <atomic>
#include <cstdint>

namespace hindsight::recorder {

// Returns when the word is no longer `expected`, on WakeAll, when MonotonicNs reaches `end_ns`, or
// spuriously.
void WaitWhile(const std::atomic<uint32_t>& word, uint32_t expected, uint64_t end_ns);
void WakeAll(std::atomic<uint32_t>& word);

}  // namespace hindsight::recorder
