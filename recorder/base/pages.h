// Memory from the system, in whole zeroed pages. No malloc, so callbacks may use it, except for
// MapSharedPages and ReservePages.
#pragma once

#include <cstddef>

namespace hindsight::recorder {

// Null: the system refused, and errno says why. Pages are backed by memory on first use.
void* MapPages(size_t bytes);
// The same for memory that will mostly stay unused: where the system can, it does not reserve any
// for it.
void* MapSparsePages(size_t bytes);
// The same, but a forked copy of the process (clone) shares it instead of having its own. Pages
// that are not used are not backed by memory even in a process that locks all of its memory.
void* MapSharedPages(size_t bytes);
// Frees the result of any of these; null: does nothing.
void UnmapPages(void* memory, size_t bytes);

// Reserves more address space than will be used: UsePages makes a part usable before its first use.
// A forked copy of the process does not have it. As with MapSharedPages, what is not used is not
// backed by memory. Null or false: refused.
void* ReservePages(size_t bytes);
bool UsePages(void* part, size_t bytes);

}  // namespace hindsight::recorder
