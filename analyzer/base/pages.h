// Memory from the system, in whole pages, for what is large.
#pragma once

#include <cstddef>

namespace hindsight::analyzer {

size_t PageBytes();
// Zeroed, and taken from the machine only where it is touched. Null: there is none.
void* TakePages(size_t bytes);
void GivePages(void* memory, size_t bytes);  // all that was taken
// Part of what was taken, and not needed again: whole pages.
void DropPages(void* memory, size_t bytes);
// In large pages, if the system has them to spare. Whole pages.
void PreferLargePages(void* memory, size_t bytes);

}  // namespace hindsight::analyzer
