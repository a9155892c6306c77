// Everything about one object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/analyses/heap/dominators.h"
#include "analyzer/analyses/heap/referrers.h"
#include "analyzer/analyses/references/root_paths.h"

namespace hindsight::analyzer {

struct ObjectReference {
  std::string slot;             // as in SlotNames
  ObjectId target = kNoObject;  // kNoObject: null
};

struct ObjectValue {
  std::string field;
  std::string text;  // a number, true, 'c', a quoted text, null
};

struct ObjectReferrer {
  ObjectId holder = kNoObject;
  std::string slot;  // of the first of its references to the object; .(dependent)
};

struct ObjectDetails {
  ObjectId id = kNoObject;
  std::optional<uint64_t> length;           // elements or characters
  std::vector<HeapRoot> roots;              // that hold it directly, including weak handles
  std::vector<ObjectReference> references;  // at most `rows`; for arrays, without nulls
  uint64_t reference_count = 0;             // including null fields of classes
  std::vector<ObjectValue> values;
  std::vector<ObjectReferrer> referrers;  // at most `rows`
  uint64_t referrer_count = 0;            // objects
  // From the object's immediate dominator upwards, without the runtime's arrays of statics.
  std::vector<ObjectId> dominators;  // at most `rows`
  uint64_t dominator_count = 0;
  std::vector<std::string> path;  // as in PathParts
};

// The requested part of the lists.
struct DetailRange {
  size_t rows = 20;
  uint64_t references_from = 0, referrers_from = 0;  // skipped before the first row
};

// Visits every reference of the heap once, unless `referrers` is given.
ObjectDetails DescribeObject(const HeapModel& model, const Dominators& dominators,
                             const SlotNames& names, const RootPaths& paths, ObjectId id,
                             const DetailRange& range = {}, const Referrers* referrers = nullptr);

}  // namespace hindsight::analyzer
