// Accumulations that are held in the same way: what may be a leak.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/analyses/heap/accumulation_contents.h"
#include "analyzer/analyses/heap/accumulations.h"
#include "analyzer/analyses/heap/leak_kinds.h"
#include "analyzer/analyses/references/owner_path.h"

namespace hindsight::analyzer {

struct LeakCandidate {
  Accumulation first;  // the largest; count, bytes and retained are those of all
  AccumulationContents contents;
  OwnerPath path;
  size_t place = 0;  // step of path that leads to the accumulation's own object
  AccumulationTraits traits;
  CollectionPast past;
  uint64_t owners = 1;
  std::set<ObjectId> owner_ids;  // of the accumulations: kSuperRoot, or objects
  bool is_scattered = false;     // no single object holds all, and no single path leads to most
  std::vector<std::pair<TypeId, uint64_t>> beside;  // other accumulations below the same object

  // The signature of the path up to the accumulation's own object.
  std::string AccumulationSignature() const {
    OwnerPath part;
    part.steps.assign(path.steps.begin(), path.steps.begin() + static_cast<long>(place) + 1);
    return part.Signature();
  }
};

}  // namespace hindsight::analyzer
