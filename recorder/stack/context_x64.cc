#include "recorder/stack/context.h"

#include <cstddef>
#include <cstring>

namespace hindsight::recorder {
namespace {

constexpr size_t kRsp = 0x98, kRbp = 0xa0, kRip = 0xf8;

uintptr_t WordAt(const uint8_t* context, size_t offset) {
  uintptr_t word;
  std::memcpy(&word, context + offset, sizeof(word));
  return word;
}

}  // namespace

FrameRegisters ReadContext(const uint8_t* context) {
  return {WordAt(context, kRip), WordAt(context, kRsp), WordAt(context, kRbp)};
}

}  // namespace hindsight::recorder
