// The unwind tables of native code (.eh_frame: DWARF call frame information), converted to rows.
//
// Converted once, on a recorder thread; a signal handler then looks up rows. What a row cannot
// express (registers other than the stack and the frame pointer, rare expressions) becomes
// kUnknown.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "recorder/stack/unwind_step.h"

namespace hindsight::recorder {

// A copy of a section, and the address of the original, to which its addresses are relative.
struct EhFrame {
  std::span<const uint8_t> bytes;
  uintptr_t address = 0;
};

// Size of the section that begins at `bytes`, at most bytes.size(): a length of 0 ends it.
size_t EhFrameSize(std::span<const uint8_t> bytes);

// Rows of all functions in [code_start, code_end), ascending, as offsets from code_start; kUnknown
// for gaps between functions that are larger than padding. Empty if there are more than `max_rows`.
// The section is not trusted.
std::vector<UnwindRow> ReadEhFrame(const EhFrame& section, uintptr_t code_start, uintptr_t code_end,
                                   size_t max_rows);

}  // namespace hindsight::recorder
