#include "analyzer/analyses/gc/gc.h"
#include "analyzer/analyses/gc/gc_descriptions.h"
#include "analyzer/exports/tables/rows.h"

namespace hindsight::analyzer {
namespace {

std::optional<std::string_view> TypeName(CollectionType type) {
  switch (type) {
    case CollectionType::kBlocking:
      return "blocking";
    case CollectionType::kBackground:
      return "background";
    case CollectionType::kBlockingDuringBackground:
      return "blocking_during_background";
    case CollectionType::kUnknown:
      break;
  }
  return {};
}

uint64_t HeapBefore(const CollectionRow& row) {
  uint64_t bytes = 0;
  for (const GenerationChange& change : row.generations) bytes += change.before_bytes;
  return bytes;
}

// Beyond what every collection reports: NULL if the runtime's events about it are missing.
template <typename How>
auto Detail(How how) {
  return [how](const CollectionRow& row) {
    using Value = std::remove_cvref_t<decltype(std::invoke(how, row))>;
    return row.detailed ? std::optional<Value>(std::invoke(how, row)) : std::nullopt;
  };
}

SqlTable<CollectionRow> Collections() {
  using Row = CollectionRow;
  return {
      "gcs",
      "Collections",
      TableSource::kEvents,
      1,
      {Numbered<Row>("gc"),
       {"at_ns", kAt, &Row::at_ns},
       {"duration_ns", "from start to end", &Row::duration_ns},
       {"pause_ns", "stop-the-world part of it", &Row::pause_ns},
       {"generation", "the oldest collected", &Row::generation},
       {"type", "blocking, background, blocking_during_background; NULL: unknown",
        [](auto& row) { return TypeName(row.type); }},
       {"reason", "why it ran", [](auto& row) { return GcReasonLabel(row.reason, row.induced); }},
       {"is_induced", "1: induced by GC.Collect or the like", &Row::induced},
       {"is_compacting", "", Detail(&Row::compacting)},
       {"before_bytes", "of the heap", Detail(HeapBefore)},
       {"after_bytes", "", Detail(HeapAfter)},
       {"promoted_bytes", "", Detail(&Row::promoted_bytes)},
       {"committed_bytes", "", Detail(&Row::committed_bytes)},
       {"pinned_objects", "", Detail(&Row::pinned_objects)},
       {"memory_load_percent", "of the machine or container", Detail(&Row::memory_load_percent)}}};
}

// The number of the collection that it served, in gcs.
std::optional<int64_t> CollectionOf(const Pause& pause, const RowContext& in) {
  if (pause.collection == nullptr) return {};
  return pause.collection - in.model->collections.rows.data() + 1;
}

SqlTable<Pause> Pauses() {
  return {"pauses",
          "Stop-the-world pauses",
          TableSource::kEvents,
          1,
          {Numbered<Pause>("pause"),
           {"at_ns", kAt, [](auto& pause) { return pause.suspension->at_ns; }},
           {"duration_ns", "", [](auto& pause) { return pause.suspension->total_ns; }},
           {"stopping_ns", "part of it: until all threads had stopped",
            [](auto& pause) { return pause.suspension->stopping_ns; }},
           {"kind",
            "gen0, gen1, gen2_blocking, gen2_background, unknown_collection, upkeep, code_change, "
            "thread_snapshot, debugger, shutdown",
            [](auto& pause) { return PauseKindKey(pause.kind); }},
           {"gc", "that it served", CollectionOf}}};
}

}  // namespace

std::vector<TableSchema> CollectionTables() { return {Collections(), Pauses()}; }

void WriteCollections(const RowContext& context, TableWriter& writer) {
  const GarbageCollections& collections = context.model->collections;
  WriteRows(Collections(), collections.rows, context, writer);
  if (writer.Wants("pauses")) {
    WriteRows(Pauses(), FindPauses(collections, INT64_MIN, INT64_MAX), context, writer);
  }
}

}  // namespace hindsight::analyzer
