// The parts of WriteTables, by what their rows are made from.
#pragma once

#include "analyzer/exports/tables/names.h"
#include "analyzer/exports/tables/table_writer.h"
#include "analyzer/exports/tables/tables.h"

namespace hindsight::analyzer {

// threads, cpu_samples, allocation_samples, exceptions, throws, jit, requests.
void WriteEventRows(const Model& model, NameTables& names, TableWriter& writer);
// wait_places, lock_waits, locks, thread_stacks, pool_samples, memory_samples, gcs, pauses.
void WriteWaitRows(const Model& model, NameTables& names, TableWriter& writer);
// heap_snapshots, heap_types.
void WriteHeapRows(const TableParts& parts, NameTables& names, TableWriter& writer);
// findings, coverage, measures.
void WriteAnalysisRows(const TableParts& parts, TableWriter& writer);

}  // namespace hindsight::analyzer
