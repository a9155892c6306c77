// What the JIT's prologs and epilogs do to the stack, read from the instructions.
//
// On x64 the JIT gives a method a frame pointer unless it is small, and pushes, moves and adds
// nothing in a prolog but in a few fixed forms (dotnet/runtime, src/coreclr/jit/codegencommon.cpp
// and codegenxarch.cpp: genFnProlog, genFnEpilog). So a handful of patterns is all there is; what
// matches none ends the prolog.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "recorder/stack/unwind_step.h"

namespace hindsight::recorder {

inline constexpr size_t kPrologBytes = 96;  // a prolog is no longer
inline constexpr size_t kEpilogBytes = 48;

// The rows of a method's body: what holds in its prolog, after each instruction, and from then on.
struct PrologRows {
  static constexpr size_t kMax = 16;
  std::array<UnwindRow, kMax> rows;
  size_t count = 0;

  std::span<const UnwindRow> span() const { return {rows.data(), count}; }
  UnwindStep body() const { return rows[count - 1].step; }
};

// `code` begins where the method does; kPrologBytes of it are enough.
PrologRows ReadProlog(std::span<const uint8_t> code);

// If what begins with `code` is the rest of an epilog, how it leaves: the step in its place. `body`
// is the code's own region, which a jump out of it leaves; `at` the address of `code`.
// Async-signal-safe.
std::optional<UnwindStep> ReadEpilog(std::span<const uint8_t> code, uintptr_t at,
                                     uintptr_t body_start, uintptr_t body_end);

}  // namespace hindsight::recorder
