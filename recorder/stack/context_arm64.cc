#include "recorder/stack/context.h"

#include "recorder/base/load_word.h"

namespace hindsight::recorder {
namespace {

constexpr uintptr_t kFp = 0xf0, kSp = 0x100, kPc = 0x108;

}  // namespace

FrameRegisters ReadContext(const uint8_t* context) {
  const auto at = reinterpret_cast<uintptr_t>(context);
  return {LoadWord(at + kPc), LoadWord(at + kSp), LoadWord(at + kFp)};
}

}  // namespace hindsight::recorder
