// Unwind tables and machine code, as a library or the JIT might have them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <vector>

#include "recorder/stack/eh_frame.h"
#include "recorder/stack/prolog.h"
#include "recorder/stack/unwind_info.h"

namespace {

using hindsight::recorder::UnwindRow;

void Check(bool holds) {
  if (!holds) std::abort();
}

void CheckAscending(std::span<const UnwindRow> rows) {
  for (size_t i = 1; i < rows.size(); ++i) Check(rows[i - 1].offset <= rows[i].offset);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace recorder = hindsight::recorder;
  const std::span<const uint8_t> bytes(data, size);
  constexpr uintptr_t kSection = 0x10000, kCode = 0x20000, kCodeEnd = 0x40000;
  constexpr size_t kMaxRows = 4096;
  Check(recorder::EhFrameSize(bytes) <= size);
  const std::vector<UnwindRow> rows =
      recorder::ReadEhFrame({bytes, kSection}, kCode, kCodeEnd, kMaxRows);
  CheckAscending(rows);
  for (const UnwindRow& row : rows) Check(row.offset <= kCodeEnd - kCode);

  const recorder::PrologRows prolog = recorder::ReadProlog(bytes);
  Check(prolog.count > 0 && prolog.count <= recorder::PrologRows::kMax);
  CheckAscending(prolog.span());
  Check(prolog.span().back().offset <= size);
  recorder::ReadEpilog(bytes, kCode, kCode, kCode + size);

  recorder::UnwindFunction function{kCode, kCodeEnd, 0, 0, {}};
  std::optional<recorder::FunctionEntry> continued;
  if (recorder::AddUnwindInfo(bytes, false, function, continued)) {
    const std::vector<uintptr_t> words(64, kSection + size);
    recorder::X64Registers registers;
    registers.ip = kCode + size % 256;
    registers.general.fill(kSection + 64);
    const uintptr_t before = registers.sp();
    bool interrupted = false;
    if (recorder::StepToCaller(function, bytes.last(size / 2), {kSection, words}, registers,
                               interrupted)) {
      Check(registers.sp() > before);
    }
  }
  return 0;
}
