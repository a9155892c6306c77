#include <map>
#include <string>

#include "analyzer/analyses/heap/histogram.h"
#include "analyzer/analyses/method_names.h"
#include "analyzer/exports/tables/rows.h"

namespace hindsight::analyzer {
namespace {

void WriteTypes(const TableParts& parts, NameTables& names, TableWriter& writer) {
  if (parts.heap == nullptr || parts.dominators == nullptr || parts.tree == nullptr) return;
  const HeapModel& heap = *parts.heap;
  const MethodNames display(heap.dictionaries);
  // Types with the same name, in different assemblies, are one row.
  std::map<uint32_t, TypeRow> rows;
  for (const TypeRow& row : MakeTypeHistogram(heap, *parts.dominators, *parts.tree).rows) {
    TypeRow& sum = rows[names.OfTypeName(row.type == 0 ? "?" : display.Type(row.type))];
    sum.objects += row.objects;
    sum.bytes += row.bytes;
    sum.retained += row.retained;
    sum.unreachable_objects += row.unreachable_objects;
    sum.unreachable_bytes += row.unreachable_bytes;
  }
  for (const auto& [type, row] : rows) {
    writer.Row(heap.graph.facts.number, type, row.objects, row.bytes, row.retained,
               row.unreachable_objects, row.unreachable_bytes);
  }
}

}  // namespace

void WriteHeapRows(const TableParts& parts, NameTables& names, TableWriter& writer) {
  if (writer.Begin("heap_snapshots")) {
    for (const HeapFacts& heap : parts.snapshots) {
      writer.Row(heap.number, heap.unix_ns, heap.complete(), heap.certified_objects,
                 heap.certified_bytes, heap.pause_ns);
    }
  }
  if (writer.Begin("heap_types")) WriteTypes(parts, names, writer);
}

}  // namespace hindsight::analyzer
