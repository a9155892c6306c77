// The unwind tables of native code (.eh_frame: DWARF call frame information), as rows.
//
// Read once, on a thread of ours; a signal handler then looks up rows. What a row cannot say (other
// registers than rsp and rbp, rare expressions) becomes kUnknown.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "recorder/stack/unwind_step.h"

namespace hindsight::recorder {

// A copy of a section, and where the original is: addresses in it are relative to that.
struct EhFrame {
  std::span<const uint8_t> bytes;
  uintptr_t address = 0;
};

// Bytes of the section that begins at `bytes`, of at most bytes.size(): it ends with a length of 0.
size_t EhFrameSize(std::span<const uint8_t> bytes);

// Rows of all functions in [code_start, code_end), ascending, as offsets from code_start; between
// functions that are further apart than padding, kUnknown. At most `max_rows`: empty if there are
// more. The section is not trusted.
std::vector<UnwindRow> ReadEhFrame(const EhFrame& section, uintptr_t code_start, uintptr_t code_end,
                                   size_t max_rows);

}  // namespace hindsight::recorder
