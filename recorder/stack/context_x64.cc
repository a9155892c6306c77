#include "recorder/stack/context.h"

#include "recorder/base/load_word.h"

namespace hindsight::recorder {
namespace {

constexpr uintptr_t kRsp = 0x98, kRbp = 0xa0, kRip = 0xf8;

}  // namespace

FrameRegisters ReadContext(const uint8_t* context) {
  const auto at = reinterpret_cast<uintptr_t>(context);
  return {LoadWord(at + kRip), LoadWord(at + kRsp), LoadWord(at + kRbp)};
}

}  // namespace hindsight::recorder
