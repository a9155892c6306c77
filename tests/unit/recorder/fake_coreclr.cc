// All that is here of the runtime's library: its name, and the words in which it keeps event masks.
#include <cstdint>

namespace {

alignas(8) volatile uint64_t g_masks[3];

}  // namespace

// A function: the linker would move a variable that it exports into the program.
extern "C" __attribute__((visibility("default"))) volatile uint64_t* FakeEventMasks() {
  return g_masks;
}
