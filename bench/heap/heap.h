// Heap snapshots side by side: forked, walked in the pause, from the runtime's callbacks, and the
// heap dump of an EventPipe session.
#pragma once

#include <string>
#include <vector>

namespace hindsight::bench {

struct HeapSettings {
  int rounds = 5;
  std::vector<int> millions = {1, 5, 10, 25};  // objects
  std::string shape = "irregular";             // BigHeap's
};

// Prints its result. Throws std::runtime_error.
void MeasureHeap(const HeapSettings& settings);

}  // namespace hindsight::bench
