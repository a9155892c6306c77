// Memory from the system, in whole pages that are zero at first. No malloc: also for callbacks.
#pragma once

#include <cstddef>

namespace hindsight::recorder {

// Null: the system refuses, and errno says why. Backed by memory as it is used.
void* MapPages(size_t bytes);
// The same, for much of which most will never be used: where the system can, it does not set memory
// aside for that.
void* MapSparsePages(size_t bytes);
// The same, but a copy of the process (clone) shares it instead of having its own.
void* MapSharedPages(size_t bytes);
// Of any of these; null: nothing.
void UnmapPages(void* memory, size_t bytes);

// Addresses for more than will be used: UsePages makes a part usable before its first use, and a
// copy of the process has none of it. Null or false: refused.
void* ReservePages(size_t bytes);
bool UsePages(void* part, size_t bytes);

}  // namespace hindsight::recorder
