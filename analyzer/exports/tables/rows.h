// The parts of WriteTables, by what their rows are made from, and the tables of each.
#pragma once

#include <vector>

#include "analyzer/exports/tables/table.h"
#include "analyzer/exports/tables/tables.h"

namespace hindsight::analyzer {

// recordings.
std::vector<TableSchema> RecordingTables();
void WriteRecording(const TableParts& parts, TableWriter& writer);
// threads.
std::vector<TableSchema> ThreadTables();
void WriteThreads(const RowContext& context, TableWriter& writer);
// cpu_samples, allocation_samples, jit.
std::vector<TableSchema> SampleTables();
void WriteSamples(const RowContext& context, TableWriter& writer);
// exceptions, throws.
std::vector<TableSchema> ExceptionTables();
void WriteExceptions(const RowContext& context, TableWriter& writer);
// requests, routes, request_endings, request_work, request_parts, slow_requests.
std::vector<TableSchema> RequestTables();
void WriteRequests(const RowContext& context, TableWriter& writer);
// wait_places, lock_waits, locks, thread_stacks, pool_samples, memory_samples.
std::vector<TableSchema> WaitTables();
void WriteWaits(const RowContext& context, TableWriter& writer);
// gcs, pauses.
std::vector<TableSchema> CollectionTables();
void WriteCollections(const RowContext& context, TableWriter& writer);
// heap_snapshots, heap_types.
std::vector<TableSchema> HeapTables();
void WriteHeaps(const TableParts& parts, const RowContext& context, TableWriter& writer);
// findings, coverage, measures.
std::vector<TableSchema> AnalysisTables();
void WriteAnalyses(const TableParts& parts, TableWriter& writer);

}  // namespace hindsight::analyzer
