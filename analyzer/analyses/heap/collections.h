// How full the framework's collections are, and the cost of unused capacity.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/analyses/references/root_paths.h"

namespace hindsight::analyzer {

struct CollectionTotals {
  uint64_t objects = 0;
  uint64_t empty = 0;  // without elements
  // Whose count was not recorded and cannot be determined; not included in the following.
  uint64_t unknown = 0;
  uint64_t used = 0;      // elements; for a ConcurrentDictionary, buckets in use
  uint64_t capacity = 0;  // elements for which there is room
  uint64_t bytes = 0;     // of the collections and their arrays, shallow
  uint64_t wasted = 0;    // part of that: room for missing elements
};

struct CollectionTypeRow {
  TypeId type = 0;
  CollectionTotals totals;
};

struct CollectionOwnerRow {
  std::string owner;  // Shop.Order._lines
  TypeId type = 0;
  CollectionTotals totals;
};

struct CollectionReport {
  CollectionTotals totals;
  // Some counts were not recorded: non-null elements were counted instead.
  bool is_estimate = false;
  std::vector<CollectionTypeRow> types;    // the most waste first
  std::vector<CollectionOwnerRow> owners;  // likewise
};

// Covers reachable List, Dictionary, HashSet, Queue, Stack, PriorityQueue, SortedList,
// ConcurrentDictionary, ArrayList, Hashtable, StringBuilder and MemoryStream, and classes derived
// from them.
CollectionReport AnalyzeCollections(const HeapModel& model, const SlotNames& names,
                                    const RootPaths& paths);

}  // namespace hindsight::analyzer
