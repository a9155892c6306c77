// Large memory from the system, in whole pages.
#pragma once

#include <cstddef>

namespace hindsight::analyzer {

size_t PageBytes();
// Zeroed, and only backed by the machine's memory where it is touched. Null: there is none.
void* TakePages(size_t bytes);
void GivePages(void* memory, size_t bytes);  // everything that was taken
// A part that is not needed again: whole pages.
void DropPages(void* memory, size_t bytes);
// Uses large pages, if the system has any to spare. Whole pages.
void PreferLargePages(void* memory, size_t bytes);
// The same for what `new` and malloc give from now on, up to a limit. Call it at the program's
// start, before there are other threads. The memory then remains the program's until it ends.
void AllocateInLargePages();

}  // namespace hindsight::analyzer
