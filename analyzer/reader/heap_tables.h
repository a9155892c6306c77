// A snapshot's tables: names, classes, roots, ranges, certificate.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "analyzer/model/heap_graph.h"
#include "analyzer/reader/file_dictionary.h"
#include "analyzer/reader/heap_survivors.h"
#include "analyzer/reader/heap_threads.h"
#include "analyzer/reader/recording_reader.h"

namespace hindsight::analyzer {

// Takes the packets of a snapshot's table segments. Not thread-safe.
class HeapTables {
 public:
  HeapTables()
      : names_(model_.dictionaries, &model_.survivors.calls),
        threads_(names_),
        survivors_(names_) {}
  HeapTables(const HeapTables&) = delete;
  HeapTables& operator=(const HeapTables&) = delete;

  void Take(const PacketContext& context, const Packet& packet);
  // After the last packet: makes classes consistent and puts ranges in order.
  void Finish();

  const HeapFacts& facts() const { return facts_; }
  const std::vector<HeapShape>& shapes() const { return shapes_; }  // indexed by class id

  // The model without its objects, and those of `columns` that do not depend on them.
  HeapModel TakeModel(HeapColumns& columns);
  // Fills roots, statics, dependents, monitors and threads of `columns`, which has its objects by
  // now.
  void Resolve(HeapColumns& columns) const;
  // Likewise the samples of what TakeModel returned.
  void Resolve(const HeapColumns& columns, Survivors& survivors) const {
    survivors_.Resolve(columns, snapshot_ns_, survivors);
  }

 private:
  struct Root {
    uint64_t address = 0;
    RootKind kind = RootKind::kOther;
    MethodId method = 0;
  };
  struct Static {
    TypeId type = 0;
    StringId field = 0;
    uint64_t slot_address = 0;
    uint32_t thread = 0;
  };

  void OnSnapshot(const PacketContext& context, const HeapSnapshot& snapshot);
  void OnClass(const hindsight::HeapClass& entry);
  void OnRoots(const HeapRoots& roots);
  void OnDependents(const HeapDependents& dependents);
  void OnEnd(const HeapSnapshotEnd& end);
  void CutCycles();

  HeapModel model_;
  FileDictionary names_;
  HeapThreads threads_;
  HeapSurvivors survivors_;
  uint64_t snapshot_ns_ = 0;  // CLOCK_MONOTONIC
  HeapFacts facts_;
  std::vector<HeapClass> classes_{1};
  std::vector<HeapShape> shapes_;
  std::vector<HeapRange> ranges_;
  std::vector<Root> roots_;
  std::vector<Static> statics_;
  std::vector<std::pair<uint64_t, uint64_t>> dependents_;
};

}  // namespace hindsight::analyzer
