#include "recorder/heap/readable.h"

#include "recorder/base/own_memory.h"

namespace hindsight::recorder {

bool IsReadable(uint64_t address) {
  uintptr_t word = 0;
  return ReadOwnWord(address, word);
}

}  // namespace hindsight::recorder
