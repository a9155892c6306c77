// The loaded runtime: libcoreclr, or the program itself in a single-file application. All functions
// here take the loader's lock: not during a pause.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hindsight::recorder {

// Null: the runtime does not export it. Valid for the life of the process, as the runtime is.
void* RuntimeSymbol(const char* name);

// The memory that holds the runtime's variables: its writable data.
std::vector<std::span<const uint32_t>> RuntimeData();

// Keeps this library mapped until the process ends, even after a detach: destructors that run when
// a thread ends point into it.
void StayMapped();

}  // namespace hindsight::recorder
