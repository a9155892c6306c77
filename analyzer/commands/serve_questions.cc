// What `hindsight serve` queries like other commands: SQL, and differences between heaps.
#include <chrono>
#include <string>
#include <vector>

#include "analyzer/commands/diff_heaps.h"
#include "analyzer/commands/load_tables.h"
#include "analyzer/commands/serve_source.h"
#include "analyzer/exports/tables/object_tables.h"
#include "analyzer/exports/tables/query.h"
#include "analyzer/report/heap/diff_report.h"
#include "analyzer/report/query_report.h"

namespace hindsight::analyzer {
namespace {

constexpr std::chrono::seconds kQueryTime{10};
constexpr size_t kMostAnswerRows = 2000;
constexpr size_t kMostAnswerBytes = 8 << 20;

}  // namespace

Result<std::string> ServedRecordings::Sql(const std::string& path, const std::string& sql,
                                          const HeapAsker& ask_heap) {
  ObjectTables objects;
  Result<Database> database = Database::OpenMemory();
  if (!database) return database.error();
  if (const auto added = objects.AddTo(*database); !added) return added.error();
  Result<Query> query = Query::Prepare(*database, sql);
  if (!query) return query.error();
  std::shared_ptr<const HeapView> heap;
  if (query->heap().any) {
    const auto asked = ask_heap();
    if (!asked) return asked.error();
    heap = *asked;
    objects.Show(heap->Tables(query->heap().dominators));
  }
  const std::vector<std::vector<std::string>> groups = {{path}};
  const Result<void> filled = FillTables(*database, groups, query->tables(), symbols_);
  if (!filled) return filled.error();
  query->LimitTime(kQueryTime);
  std::string json;
  size_t rows = 0;
  bool is_cut = false;
  const QueryAnswer answer = {query->columns(), [&](std::vector<AnswerCell>& row) -> Result<bool> {
                                const Result<bool> more = query->Next(row);
                                if (!more || !*more) return more;
                                is_cut = rows == kMostAnswerRows || json.size() > kMostAnswerBytes;
                                ++rows;
                                return !is_cut;
                              }};
  const Result<void> printed =
      PrintAnswer(answer, AnswerForm::kJson, {}, [&json](std::string_view text) { json += text; });
  if (!printed) return printed.error();
  return "{\"is_cut\": " + std::string(is_cut ? "true" : "false") + ", \"answer\": " + json + "}\n";
}

Result<std::string> ServedRecordings::HeapDiff(const std::string& path,
                                               std::optional<uint32_t> snapshot,
                                               const std::string& later,
                                               std::optional<uint32_t> later_snapshot) {
  const std::vector<HeapSource> sources = {{path, snapshot}, {later, later_snapshot}};
  OpenRecordings recordings(false);
  return WithHeapDiff(sources, recordings, {}, [](DiffView& view) { return DiffJson(view); });
}

}  // namespace hindsight::analyzer
