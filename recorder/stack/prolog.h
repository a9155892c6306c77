// The effect of the JIT's prologs and epilogs on the stack, read from their instructions.
//
// The JIT writes prologs and epilogs in a few fixed forms, so a handful of patterns is enough; an
// instruction that matches none ends the prolog. They are in prolog_<processor>.cc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "recorder/stack/unwind_step.h"

namespace hindsight::recorder {

inline constexpr size_t kPrologBytes = 96;  // upper limit for the length of a prolog
inline constexpr size_t kEpilogBytes = 48;

// The rows of a method's body: after each instruction of the prolog, and for the rest of the body.
struct PrologRows {
  static constexpr size_t kMax = 16;
  std::array<UnwindRow, kMax> rows;
  size_t count = 0;

  std::span<const UnwindRow> span() const { return {rows.data(), count}; }
  UnwindStep body() const { return rows[count - 1].step; }
};

// `code` starts at the start of the method; kPrologBytes of it are enough.
PrologRows ReadProlog(std::span<const uint8_t> code);

// If `code` is the rest of an epilog, the step to the caller from there. `body` is the code's own
// region, which a tail jump leaves; `at` the address of `code`. Async-signal-safe.
std::optional<UnwindStep> ReadEpilog(std::span<const uint8_t> code, uintptr_t at,
                                     uintptr_t body_start, uintptr_t body_end);

}  // namespace hindsight::recorder
