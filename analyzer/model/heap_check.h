// The result of checking a heap snapshot.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/model/heap_types.h"

namespace hindsight::analyzer {

// A snapshot whose segments were all decoded.
struct HeapCheck {
  HeapFacts facts;
  uint64_t objects = 0, object_bytes = 0, slots = 0;  // that are present
  // Clauses: what is damaged, missing, or not as its certificate says. Empty: everything that was
  // written is present.
  std::vector<std::string> faults;
};

}  // namespace hindsight::analyzer
