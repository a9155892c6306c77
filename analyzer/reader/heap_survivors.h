// Sampled allocations in a snapshot.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/model/heap_columns.h"
#include "analyzer/model/survivors.h"
#include "analyzer/reader/file_dictionary.h"
#include "analyzer/reader/sample_builder.h"
#include "proto/recording.pb.h"

namespace hindsight::analyzer {

// Takes packets that CheckPacket has accepted. Not thread-safe.
class HeapSurvivors {
 public:
  // Call paths are added to the tree of `names`.
  explicit HeapSurvivors(FileDictionary& names) : names_(names) {}

  void Add(const HeapAllocations& packet);

  // Once `columns` has its objects. `snapshot_ns`: CLOCK_MONOTONIC of the moment that they show.
  void Resolve(const HeapColumns& columns, uint64_t snapshot_ns, Survivors& out) const;

 private:
  struct Sample {
    uint64_t address = 0;
    uint64_t allocated_ns = 0;
    Survivor survivor;
  };

  FileDictionary& names_;
  SampleWeights weights_;
  std::vector<Sample> samples_;
  bool recorded_ = false;
  AllocationProfile::Sampling sampling_ = AllocationProfile::Sampling::kUnknown;
  uint64_t mean_bytes_ = 0;
  uint32_t stride_ = 1;
  uint64_t followed_since_ns_ = 0;  // the earliest; 0: unknown
};

}  // namespace hindsight::analyzer
