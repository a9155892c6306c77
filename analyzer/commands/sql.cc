// `hindsight sql`: queries on recordings, in SQL.
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/base/terminal.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/heap_command.h"
#include "analyzer/commands/load_tables.h"
#include "analyzer/commands/options.h"
#include "analyzer/exports/tables/object_tables.h"
#include "analyzer/exports/tables/query.h"
#include "analyzer/reader/recording_groups.h"
#include "analyzer/report/query_report.h"

namespace hindsight::analyzer {
namespace {

struct SqlOptions {
  std::vector<std::string> paths;
  std::string query;
  std::optional<uint32_t> snapshot;
  SymbolPaths symbols;
  bool tables = false;
  bool json = false;
  bool csv = false;
};

ExitCode Print(const SqlOptions& options, Query& query) {
  const AnswerForm form = options.json  ? AnswerForm::kJson
                          : options.csv ? AnswerForm::kCsv
                                        : AnswerForm::kTable;
  const QueryAnswer answer = {query.columns(),
                              [&query](std::vector<AnswerCell>& row) { return query.Next(row); }};
  const Result<void> printed =
      PrintAnswer(answer, form, StdoutStyle(), [](std::string_view text) { std::cout << text; });
  return printed ? ExitCode::kOk : Fail(printed.error());
}

// Queries a database that was made by an export.
ExitCode AskDatabase(const SqlOptions& options) {
  Result<Database> database = Database::Open(options.paths.front(), false);
  if (!database) return Fail(database.error());
  Result<Query> query = Query::Prepare(*database, options.query);
  return query ? Print(options, *query) : Fail(query.error());
}

// The snapshot for the tables of objects, with what they refer to.
struct AskedHeap {
  Heap heap;
  std::optional<DominatorTree> tree;
  std::optional<SlotNames> names;
  std::optional<Referrers> referrers;

  ObjectTableSource Source() {
    const HeapModel& model = *heap.model;
    names.emplace(model);
    if (heap.dominators) tree.emplace(*heap.dominators);
    return {.model = &model,
            .names = &*names,
            .dominators = heap.dominators ? &*heap.dominators : nullptr,
            .tree = tree ? &*tree : nullptr,
            .referrers = [this]() -> const Referrers& {
              if (!referrers) referrers.emplace(heap.model->graph);
              return *referrers;
            }};
  }
};

ExitCode AskRecordings(const SqlOptions& options) {
  ObjectTables objects;
  Result<Database> database = Database::OpenMemory();
  if (!database) return Fail(database.error());
  if (const auto added = objects.AddTo(*database); !added) return Fail(added.error());
  // Before anything is read: it shows what has to be read, and whether the query is valid.
  Result<Query> query = Query::Prepare(*database, options.query);
  if (!query) return Fail(query.error());
  const auto groups = GroupByRecording(options.paths);
  if (!groups) return Fail(groups.error());
  AskedHeap asked;
  if (query->heap().any) {
    if (groups->size() > 1) {
      return Fail({"The tables objects, refs and object_types are of one recording; give one.",
                   ExitCode::kUsage});
    }
    Result<Heap> heap =
        LoadHeap(groups->front(), options.snapshot,
                 query->heap().dominators ? HeapNeeds::kDominators : HeapNeeds::kGraph);
    if (!heap) return Fail(heap.error());
    asked.heap = std::move(*heap);
    objects.Show(asked.Source());
  }
  const Result<void> done = FillTables(*database, *groups, query->tables(), options.symbols);
  return done ? Print(options, *query) : Fail(done.error());
}

ExitCode Run(const SqlOptions& options) {
  if (options.tables) {
    std::cout << DescribeTables();
    return ExitCode::kOk;
  }
  if (options.query.empty()) {
    return Fail(
        {"Give recordings and then a query: hindsight sql REC \"SELECT ...\". `hindsight sql "
         "--tables` shows all tables and columns.",
         ExitCode::kUsage});
  }
  if (!Database::IsDatabase(options.paths.front())) return AskRecordings(options);
  if (options.paths.size() > 1) {
    return Fail({"Query one database at a time; `hindsight export` puts many recordings into one.",
                 ExitCode::kUsage});
  }
  return AskDatabase(options);
}

}  // namespace

void DescribeSql(cli::Command& command) {
  const auto options = std::make_shared<SqlOptions>();
  command.Argument("RECORDING", options->paths, "Recordings, or a database written by `export`")
      .Required(false)
      .Offers(cli::Offer::kRecording);
  command.Argument("QUERY", options->query, "One SELECT statement, quoted").Required(false);
  AddLatest(command, [options] {
    // A single argument is the query.
    if (options->query.empty() && options->paths.size() == 1) {
      options->query = std::move(options->paths.front());
      options->paths.clear();
    }
    return UseNewest(options->paths);
  });
  AcceptFolders(command, options->paths);
  AddSnapshot(command, options->snapshot);
  AddSymbols(command, options->symbols);
  command.Flag("--tables", options->tables, "Show all tables, columns and views, and exit");
  AddJson(command, options->json);
  command.Flag("--csv", options->csv, "Print CSV").Excludes("--json");
  command.Example(
      "hindsight sql shop.hindsight \"SELECT * FROM cpu_by_method ORDER BY self_ns DESC LIMIT 10\"",
      "the ten hottest methods");
  command.Example(
      "hindsight sql shop.hindsight \"SELECT type, count(*), sum(size) FROM objects GROUP BY "
      "type\"",
      "a heap snapshot, over its objects");
  command.Example("hindsight sql fleet.db \"SELECT host, count(*) FROM recordings GROUP BY host\"",
                  "the recordings in a database, by host");
  command.SeeAlso({"hindsight export", "hindsight summary"});
  command.Runs([options] { return Run(*options); });
}

}  // namespace hindsight::analyzer
