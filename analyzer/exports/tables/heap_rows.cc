#include <map>
#include <string>

#include "analyzer/analyses/heap/histogram.h"
#include "analyzer/analyses/method_names.h"
#include "analyzer/exports/tables/rows.h"

namespace hindsight::analyzer {
namespace {

SqlTable<HeapFacts> Snapshots() {
  return {"heap_snapshots",
          "Heap snapshots; heap_types has the newest one",
          TableSource::kHeap,
          1,
          {{"snapshot", "its number", &HeapFacts::number},
           {"at_unix_ns", "time of the snapshot, since 1970, UTC", &HeapFacts::unix_ns},
           {"is_complete", "0 or 1", &HeapFacts::complete},
           {"objects", "", &HeapFacts::certified_objects},
           {"bytes", "", &HeapFacts::certified_bytes},
           {"pause_ns", "pause of the application", &HeapFacts::pause_ns}}};
}

struct HeapTypeRow {
  uint32_t snapshot = 0;
  uint32_t type = 0;
  TypeRow objects;
};

SqlTable<HeapTypeRow> Types() {
  return {"heap_types",
          "Objects of the newest heap snapshot, by type",
          TableSource::kHeap,
          2,
          {{"snapshot", "", &HeapTypeRow::snapshot},
           {"type", "", &HeapTypeRow::type},
           {"objects", "reachable from a root", Of(&HeapTypeRow::objects, &TypeRow::objects)},
           {"bytes", "of these objects", Of(&HeapTypeRow::objects, &TypeRow::bytes)},
           {"retained_bytes", "bytes freed if they went away",
            Of(&HeapTypeRow::objects, &TypeRow::retained)},
           {"garbage_objects", "not reachable",
            Of(&HeapTypeRow::objects, &TypeRow::unreachable_objects)},
           {"garbage_bytes", "", Of(&HeapTypeRow::objects, &TypeRow::unreachable_bytes)}}};
}

void WriteTypes(const TableParts& parts, const RowContext& context, TableWriter& writer) {
  if (parts.heap == nullptr || parts.dominators == nullptr || parts.tree == nullptr) return;
  TableRows<HeapTypeRow> out(Types(), context, writer);
  if (!out) return;
  const HeapModel& heap = *parts.heap;
  const MethodNames display(heap.dictionaries);
  // Types with the same name, in different assemblies, are one row.
  std::map<uint32_t, TypeRow> rows;
  for (const TypeRow& row : MakeTypeHistogram(heap, *parts.dominators, *parts.tree).rows) {
    const std::string name = row.type == 0 ? "?" : std::string(display.Type(row.type));
    TypeRow& sum = rows[context.names->OfTypeName(name)];
    sum.objects += row.objects;
    sum.bytes += row.bytes;
    sum.retained += row.retained;
    sum.unreachable_objects += row.unreachable_objects;
    sum.unreachable_bytes += row.unreachable_bytes;
  }
  for (const auto& [type, row] : rows) out.Add({heap.graph.facts.number, type, row});
}

}  // namespace

std::vector<TableSchema> HeapTables() { return {Snapshots(), Types()}; }

void WriteHeaps(const TableParts& parts, const RowContext& context, TableWriter& writer) {
  WriteRows(Snapshots(), parts.snapshots, context, writer);
  WriteTypes(parts, context, writer);
}

}  // namespace hindsight::analyzer
