// Waits for a word to change, with a time in nanoseconds. On Windows only.
#pragma once

#include <atomic>
#include <cstdint>

namespace hindsight::recorder {

// Returns when the word is no longer `expected`, when it is woken, when MonotonicNs reaches
// `end_ns`, or for no reason.
void WaitWhile(const std::atomic<uint32_t>& word, uint32_t expected, uint64_t end_ns);
void WakeAll(std::atomic<uint32_t>& word);

}  // namespace hindsight::recorder
