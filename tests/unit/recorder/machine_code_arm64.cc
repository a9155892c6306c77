#include <ucontext.h>

#include "machine_code.h"

namespace hindsight::recorder {
namespace {

// Frames as the JIT generates them, without and with room for arguments; each calls the function in
// x0 with the one in x1 as its argument.
const uint32_t kFramedCode[] = {0xa9bd7bfd,             // stp x29, x30, [sp, #-48]!
                                0xf90013f3,             // str x19, [sp, #32]
                                0x910003fd,             // mov x29, sp
                                0xaa0003e9,             // mov x9, x0
                                0xaa0103e0,             // mov x0, x1
                                0xaa0203e1,             // mov x1, x2
                                0xd63f0120,             // blr x9
                                0xf94013f3,             // ldr x19, [sp, #32]
                                0xa8c37bfd,             // ldp x29, x30, [sp], #48
                                0xd65f03c0};            // ret
const uint32_t kFramelessCode[] = {0xd10103ff,          // sub sp, sp, #64
                                   0xa9027bfd,          // stp x29, x30, [sp, #32]
                                   0x910083fd,          // add x29, sp, #32
                                   0xaa0003e9,          // as above
                                   0xaa0103e0,          //
                                   0xaa0203e1,          //
                                   0xd63f0120,          //
                                   0xa9427bfd,          // ldp x29, x30, [sp, #32]
                                   0x910103ff,          // add sp, sp, #64
                                   0xd65f03c0};         // ret
const uint32_t kLeafCode[] = {0xd4200000, 0xd65f03c0};  // brk; ret

template <size_t kSize>
std::span<const uint8_t> BytesOf(const uint32_t (&code)[kSize]) {
  return {reinterpret_cast<const uint8_t*>(code), sizeof(code)};
}

}  // namespace

const std::span<const uint8_t> kFramed = BytesOf(kFramedCode), kFrameless = BytesOf(kFramelessCode),
                               kLeaf = BytesOf(kLeafCode);

void SkipTrap(void* context) { static_cast<ucontext_t*>(context)->uc_mcontext.pc += 4; }

}  // namespace hindsight::recorder
