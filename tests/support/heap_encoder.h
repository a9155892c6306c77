// Heaps that HeapBuilder made, as files of a recording.
#pragma once

#include <cstddef>

#include "analyzer/model/heap_graph.h"
#include "tests/support/heap_file.h"

namespace hindsight::testing {

struct HeapEncoding {
  size_t objects_per_batch = 100;
  size_t slots_per_batch = 1000;  // an object with more is written in parts
  bool tables_last = false;       // as when the process itself walks its heap
  bool chained = false;
  bool has_end = true;
};

HeapFile EncodeHeap(const analyzer::HeapModel& model, const HeapEncoding& encoding = {});

}  // namespace hindsight::testing
