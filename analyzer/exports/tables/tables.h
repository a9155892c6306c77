// A recording as the rows of schema.h.
#pragma once

#include <cstdint>
#include <span>

#include "analyzer/analyses/overview/finding.h"
#include "analyzer/analyses/overview/measures.h"
#include "analyzer/exports/tables/table_writer.h"
#include "analyzer/model/heap_graph.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

struct Dominators;
class DominatorTree;

// What rows are made from. What is missing has no rows.
struct TableParts {
  uint64_t recording_id = 0;
  uint64_t lost_segments = 0;
  const Model* events = nullptr;
  const HeapModel* heap = nullptr;  // the newest snapshot; comes with the next two
  const Dominators* dominators = nullptr;
  const DominatorTree* tree = nullptr;
  std::span<const HeapFacts> snapshots;  // all of the recording
  const Overview* overview = nullptr;
  std::span<const Measure> measures;
};

// The key of a recording: those 53 bits of its id that every engine and JSON can represent exactly.
int64_t RecordingKey(uint64_t recording_id);

// Writes the rows of all tables in `wanted` (empty: all), table by table.
void WriteTables(const TableParts& parts, const TableNames& wanted, RowSink& sink);

}  // namespace hindsight::analyzer
