#include <algorithm>

#include "analyzer/base/text.h"
#include "analyzer/model/display_names.h"
#include "analyzer/report/heap/contents_reports.h"
#include "analyzer/report/heap/heap_heading.h"
#include "analyzer/report/table.h"

namespace hindsight::analyzer {
namespace {

std::string BytesOrNothing(uint64_t bytes) { return bytes == 0 ? "" : FormatBytes(bytes); }

std::string Generations(const GenerationReport& report, const TextStyle& style) {
  Table table({{"generation", Table::Align::kLeft},
               {"objects", Table::Align::kRight},
               {"bytes", Table::Align::kRight},
               {"garbage", Table::Align::kRight},
               {"free", Table::Align::kRight},
               {"reserved", Table::Align::kRight},
               {"pinned", Table::Align::kRight}});
  for (size_t g = 0; g < kGenerations; ++g) {
    const GenerationRow& row = report.generations[g];
    if (row.objects == 0 && row.reserved_bytes == 0 && row.used_bytes == 0) continue;
    table.AddRow({GenerationName(static_cast<Generation>(g)), FormatCount(row.objects),
                  FormatBytes(row.bytes), BytesOrNothing(row.unreachable_bytes),
                  BytesOrNothing(row.used_bytes > row.bytes ? row.used_bytes - row.bytes : 0),
                  BytesOrNothing(row.reserved_bytes),
                  row.pinned_objects == 0 ? "" : FormatCount(row.pinned_objects)});
  }
  return table.Render(style, 2) + "\n";
}

std::string Types(const HeapModel& model, const GenerationReport& report, size_t top,
                  const TextStyle& style) {
  std::vector<size_t> shown;  // generations with objects
  for (size_t g = 0; g < kGenerations; ++g) {
    if (report.generations[g].objects > 0) shown.push_back(g);
  }
  std::vector<Table::Column> columns = {{"type", Table::Align::kLeft, true}};
  for (const size_t g : shown) {
    columns.push_back({GenerationName(static_cast<Generation>(g)), Table::Align::kRight});
  }
  Table table(columns);
  for (size_t i = 0; i < std::min(report.types.size(), top); ++i) {
    const GenerationTypeRow& row = report.types[i];
    std::vector<std::string> cells = {TypeCell(model, row.type, style)};
    for (const size_t g : shown) cells.push_back(BytesOrNothing(row.bytes[g]));
    table.AddRow(std::move(cells));
  }
  std::string out = table.Render(style, 2);
  if (report.types.size() > top) {
    out += "  (" + Plural(report.types.size() - top, "more type") + "; --top shows more)\n";
  }
  return out + "\n";
}

std::string Held(const HeapModel& model, const HeldObjects& held, std::string_view title,
                 std::string_view none, size_t top, const TextStyle& style) {
  if (held.objects == 0) return std::string(none) + "\n\n";
  std::string out = Paint(style, Tone::kStrong,
                          std::string(title) + ": " + Plural(held.objects, "object") + ", " +
                              FormatBytes(held.bytes)) +
                    "\n";
  Table table({{"type", Table::Align::kLeft, true},
               {"objects", Table::Align::kRight},
               {"bytes", Table::Align::kRight},
               {"retained", Table::Align::kRight}});
  for (size_t i = 0; i < std::min(held.types.size(), top); ++i) {
    const HeldTypeRow& row = held.types[i];
    table.AddRow({TypeCell(model, row.type, style), FormatCount(row.objects),
                  FormatBytes(row.bytes), FormatBytes(row.retained)});
  }
  out += table.Render(style, 2);
  if (held.types.size() > top) {
    out += "  (" + Plural(held.types.size() - top, "more type") + "; --top shows more)\n";
  }
  return out + "\n";
}

Json JsonHeld(const HeapModel& model, const HeldObjects& held) {
  Json types = Json::array();
  for (const HeldTypeRow& row : held.types) {
    types.push_back({{"type", JsonText(TypeDisplayName(model.dictionaries, row.type))},
                     {"objects", row.objects},
                     {"bytes", row.bytes},
                     {"retained_bytes", row.retained}});
  }
  return {{"objects", held.objects}, {"bytes", held.bytes}, {"types", std::move(types)}};
}

}  // namespace

std::string GenerationsText(const HeapModel& model, const GenerationReport& report, size_t top,
                            const TextStyle& style) {
  std::string out = HeapHead("Generations of the heap", model, style);
  out += Generations(report, style) + Types(model, report, top, style);
  out += Held(model, report.pinned, "Pinned", "No object is pinned.", top, style);
  out += Held(model, report.finalizer_queue, "Waiting for their finalizer",
              "No object is waiting for its finalizer.", top, style);
  out += Held(model, report.finalizable, "Alive, with a finalizer",
              "No live object has a finalizer.", top, style);
  return out + NextHint(
                   "Objects with a finalizer survive one more collection: dispose them. Pinned "
                   "objects in gen0 to gen2 prevent the reuse of free space. `hindsight paths "
                   "TYPE` shows what holds them.",
                   style);
}

std::string GenerationsJson(const HeapModel& model, const GenerationReport& report) {
  Json generations = Json::array();
  for (size_t g = 0; g < kGenerations; ++g) {
    const GenerationRow& row = report.generations[g];
    generations.push_back({{"generation", GenerationName(static_cast<Generation>(g))},
                           {"objects", row.objects},
                           {"bytes", row.bytes},
                           {"unreachable_objects", row.unreachable_objects},
                           {"unreachable_bytes", row.unreachable_bytes},
                           {"pinned_objects", row.pinned_objects},
                           {"pinned_bytes", row.pinned_bytes},
                           {"used_bytes", row.used_bytes},
                           {"reserved_bytes", row.reserved_bytes}});
  }
  Json types = Json::array();
  for (const GenerationTypeRow& row : report.types) {
    Json out = {{"type", JsonText(TypeDisplayName(model.dictionaries, row.type))},
                {"objects", row.all_objects},
                {"bytes", row.all_bytes}};
    Json by_generation = Json::object();
    for (size_t g = 0; g < kGenerations; ++g) {
      if (row.objects[g] == 0) continue;
      by_generation[GenerationName(static_cast<Generation>(g))] = {{"objects", row.objects[g]},
                                                                   {"bytes", row.bytes[g]}};
    }
    out["generations"] = std::move(by_generation);
    types.push_back(std::move(out));
  }
  return JsonDump({{"schema", kJsonSchema},
                   {"command", "generations"},
                   {"heap", JsonHeap(model)},
                   {"generations", std::move(generations)},
                   {"types", std::move(types)},
                   {"pinned", JsonHeld(model, report.pinned)},
                   {"finalizer_queue", JsonHeld(model, report.finalizer_queue)},
                   {"finalizable", JsonHeld(model, report.finalizable)}});
}

}  // namespace hindsight::analyzer
