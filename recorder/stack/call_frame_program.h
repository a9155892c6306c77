// Runs the instructions of one function's call frame information.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "recorder/stack/unwind_step.h"

namespace hindsight::recorder {

// What all functions of a CIE have in common.
struct CallFrameRules {
  uint64_t code_factor = 1;
  int64_t data_factor = 1;
  uint8_t pointer_encoding = 0;
  bool has_augmentation_size = false;
  bool is_signal_frame = false;
  std::span<const uint8_t> instructions;
};

// Appends the rows of a function: [start, end) as offsets. A row equal to the previous one is left
// out.
void RunCallFrameProgram(const CallFrameRules& rules, std::span<const uint8_t> instructions,
                         uint32_t start, uint32_t end, std::vector<UnwindRow>& rows);

}  // namespace hindsight::recorder
