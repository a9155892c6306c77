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

// What rows are made of. What is not there has no rows.
struct TableParts {
  uint64_t recording_id = 0;
  uint64_t lost_segments = 0;
  const Model* events = nullptr;
  const HeapModel* heap = nullptr;  // the newest snapshot; the next two with it
  const Dominators* dominators = nullptr;
  const DominatorTree* tree = nullptr;
  std::span<const HeapFacts> snapshots;  // all of the recording
  const Overview* overview = nullptr;
  std::span<const Measure> measures;
};

// The key of a recording: its id as far as every engine and JSON read it exactly, 53 bits.
int64_t RecordingKey(uint64_t recording_id);

// Rows of all tables in `wanted` (empty: all), table by table.
void WriteTables(const TableParts& parts, const TableNames& wanted, RowSink& sink);

}  // namespace hindsight::analyzer
