#include "analyzer/base/text.h"
#include "analyzer/model/display_names.h"
#include "analyzer/report/heap/contents_reports.h"
#include "analyzer/report/heap/heap_heading.h"
#include "analyzer/report/table.h"

namespace hindsight::analyzer {
namespace {

std::vector<std::string> Cells(const CollectionTotals& totals) {
  return {FormatCount(totals.objects), totals.empty == 0 ? "" : FormatCount(totals.empty),
          totals.capacity == 0 ? "" : PercentOf(totals.used, totals.capacity),
          totals.wasted == 0 ? "" : FormatBytes(totals.wasted)};
}

void AddColumns(std::vector<Table::Column>& columns) {
  for (const char* title : {"objects", "empty", "filled", "wasted"}) {
    columns.push_back({title, Table::Align::kRight});
  }
}

Json JsonTotals(const CollectionTotals& totals) {
  return {{"objects", totals.objects},    {"empty", totals.empty},
          {"unknown", totals.unknown},    {"used", totals.used},
          {"capacity", totals.capacity},  {"bytes", totals.bytes},
          {"wasted_bytes", totals.wasted}};
}

std::string Rest(size_t all, size_t top, std::string_view noun) {
  if (all <= top) return {};
  return "  (" + Plural(all - top, noun) + "; --top shows more)\n";
}

}  // namespace

std::string CollectionsText(const HeapModel& model, const CollectionReport& report, size_t top,
                            const TextStyle& style) {
  std::string out = HeapHead("Collections in the heap", model, style);
  const CollectionTotals& totals = report.totals;
  if (totals.objects == 0) return out + "    No framework collection is alive.\n";
  std::string sentence = Plural(totals.objects, "collection") + " with " +
                         FormatBytes(totals.bytes) + "; " + FormatCount(totals.empty) +
                         (totals.empty == 1 ? " is" : " are") + " empty, " +
                         FormatBytes(totals.wasted) + " are unused capacity.";
  if (totals.unknown > 0) {
    sentence += " Of " + FormatCount(totals.unknown) + " the count was not recorded.";
  }
  if (report.is_estimate) {
    sentence += " Where a count was not recorded, non-null elements were counted instead.";
  }
  out += Paragraph(sentence, style) + "\n";

  std::vector<Table::Column> columns = {{"type", Table::Align::kLeft, true}};
  AddColumns(columns);
  Table types(columns);
  for (size_t i = 0; i < std::min(report.types.size(), top); ++i) {
    const CollectionTypeRow& row = report.types[i];
    std::vector<std::string> cells = Cells(row.totals);
    cells.insert(cells.begin(), TypeCell(model, row.type, style));
    types.AddRow(std::move(cells));
  }
  out += types.Render(style, 2) + Rest(report.types.size(), top, "more type") + "\n";

  columns = {{"owner", Table::Align::kLeft, true}, {"type", Table::Align::kLeft, true}};
  AddColumns(columns);
  Table owners(columns);
  for (size_t i = 0; i < std::min(report.owners.size(), top); ++i) {
    const CollectionOwnerRow& row = report.owners[i];
    std::vector<std::string> cells = Cells(row.totals);
    cells.insert(cells.begin(), Printable(TypeBriefName(model.dictionaries, row.type)));
    cells.insert(cells.begin(), Printable(row.owner));
    owners.AddRow(std::move(cells));
  }
  out += owners.Render(style, 2) + Rest(report.owners.size(), top, "more owner") + "\n";
  return out + NextHint(
                   "Create collections with the right capacity, or only when needed; `hindsight "
                   "paths TYPE` shows what holds those of a type.",
                   style);
}

std::string CollectionsJson(const HeapModel& model, const CollectionReport& report) {
  Json types = Json::array();
  for (const CollectionTypeRow& row : report.types) {
    Json out = {{"type", JsonText(TypeDisplayName(model.dictionaries, row.type))}};
    out.update(JsonTotals(row.totals));
    types.push_back(std::move(out));
  }
  Json owners = Json::array();
  for (const CollectionOwnerRow& row : report.owners) {
    Json out = {{"owner", JsonText(row.owner)},
                {"type", JsonText(TypeDisplayName(model.dictionaries, row.type))}};
    out.update(JsonTotals(row.totals));
    owners.push_back(std::move(out));
  }
  return JsonDump({{"schema", kJsonSchema},
                   {"command", "collections"},
                   {"heap", JsonHeap(model)},
                   {"estimate", report.is_estimate},
                   {"totals", JsonTotals(report.totals)},
                   {"types", std::move(types)},
                   {"owners", std::move(owners)}});
}

}  // namespace hindsight::analyzer
