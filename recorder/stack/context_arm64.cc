#include "recorder/stack/context.h"

#include <cstddef>
#include <cstring>

namespace hindsight::recorder {
namespace {

constexpr size_t kFp = 0xf0, kSp = 0x100, kPc = 0x108;

uintptr_t WordAt(const uint8_t* context, size_t offset) {
  uintptr_t word;
  std::memcpy(&word, context + offset, sizeof(word));
  return word;
}

}  // namespace

FrameRegisters ReadContext(const uint8_t* context) {
  return {WordAt(context, kPc), WordAt(context, kSp), WordAt(context, kFp)};
}

}  // namespace hindsight::recorder
