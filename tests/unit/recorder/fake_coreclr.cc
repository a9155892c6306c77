// All that is here of the runtime's library: its name, the words in which it keeps event masks, and
// tables of functions by name.
#include <cstdint>

namespace {

alignas(8) volatile uint64_t g_masks[3];

void First() {}
void Second() {}
void Third() {}

struct Entry {
  const char* name;
  void (*function)();
};
// Twice is in both, Lonely has no neighbors.
const Entry kTable[] = {{"First", First}, {"Second", Second}, {"Twice", Third}, {"Third", Third}};
const Entry kOther[] = {{"First", First}, {"Twice", Second}, {"Fourth", Third}};
const struct {
  uint64_t before;
  Entry entry;
  uint64_t after[2];
} kLonely = {1, {"Lonely", First}, {2, 3}};

}  // namespace

// Keeps them, and says where.
extern "C" __attribute__((visibility("default"))) void* FakeFunction(int i) {
  const void* volatile kept[] = {kTable, kOther, &kLonely};
  if (kept[0] == nullptr || kept[1] == nullptr || kept[2] == nullptr) return nullptr;
  return reinterpret_cast<void*>(kTable[i].function);
}

// A function: the linker would move a variable that it exports into the program.
extern "C" __attribute__((visibility("default"))) volatile uint64_t* FakeEventMasks() {
  return g_masks;
}
