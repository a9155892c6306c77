#include "machine_code.h"

namespace hindsight::recorder {
namespace {

// Each calls the function in rdi with the one in rsi as its argument.
const uint8_t kFramedCode[] = {0x55,                                   // push rbp
                               0x41, 0x57,                             // push r15
                               0x48, 0x83, 0xec, 0x18,                 // sub rsp, 24
                               0x48, 0x8d, 0x6c, 0x24, 0x20,           // lea rbp, [rsp + 32]
                               0x48, 0x89, 0xf8,                       // mov rax, rdi
                               0x48, 0x89, 0xf7,                       // mov rdi, rsi
                               0x48, 0x89, 0xd6,                       // mov rsi, rdx
                               0xff, 0xd0,                             // call rax
                               0x48, 0x83, 0xc4, 0x18, 0x41, 0x5f,     // add rsp, 24; pop r15
                               0x5d, 0xc3};                            // pop rbp; ret
const uint8_t kFramelessCode[] = {0x50,                                // push rax
                                  0x48, 0x89, 0xf8, 0x48, 0x89, 0xf7,  // as above
                                  0x48, 0x89, 0xd6, 0xff, 0xd0,        //
                                  0x48, 0x83, 0xc4, 0x08, 0xc3};       // add rsp, 8; ret
const uint8_t kLeafCode[] = {0xcc, 0xc3};                              // int3; ret

}  // namespace

const std::span<const uint8_t> kFramed = kFramedCode, kFrameless = kFramelessCode,
                               kLeaf = kLeafCode;

// The trap is reported after its instruction.
void SkipTrap(void*) {}

}  // namespace hindsight::recorder
