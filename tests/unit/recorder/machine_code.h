// Code as the JIT generates it, for managed_code_test: one file for each processor.
#pragma once

#include <cstdint>
#include <span>

namespace hindsight::recorder {

// Two that call the function in their first argument with the second one as its argument; x64: the
// second one has no frame pointer.
extern const std::span<const uint8_t> kFramed, kFrameless;
// Raises SIGTRAP and returns.
extern const std::span<const uint8_t> kLeaf;

// In the handler of that signal: lets the function continue.
void SkipTrap(void* context);

}  // namespace hindsight::recorder
