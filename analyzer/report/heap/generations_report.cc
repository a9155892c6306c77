#include <algorithm>

#include "analyzer/base/text.h"
#include "analyzer/model/display_names.h"
#include "analyzer/report/common_fields.h"
#include "analyzer/report/described_table.h"
#include "analyzer/report/heap/contents_reports.h"
#include "analyzer/report/heap/heap_fields.h"
#include "analyzer/report/heap/heap_heading.h"
#include "analyzer/report/table.h"

namespace hindsight::analyzer {
namespace {

struct NamedGeneration : GenerationRow {
  std::string name;
};

Object<NamedGeneration> GenerationFields() {
  return {
      {"generation", "gen0, gen1, gen2, large, pinned, frozen, unknown", &NamedGeneration::name,
       TextColumn("generation")},
      {"objects", "Objects, unreachable ones included", &NamedGeneration::objects,
       TextColumn("objects")},
      {"bytes", "Bytes of them", &NamedGeneration::bytes, TextColumn("bytes")},
      {"unreachable_objects", "Part of objects: unreachable",
       &NamedGeneration::unreachable_objects},
      {"unreachable_bytes", "Bytes of them", &NamedGeneration::unreachable_bytes,
       TextColumn("garbage").BlankZero()},
      {TextColumn("free").AlignsRight(),
       [](auto& row) {
         return BytesOrBlank(row.used_bytes - std::min(row.used_bytes, row.bytes));
       }},
      {"pinned_objects", "Part of objects: pinned", &NamedGeneration::pinned_objects,
       TextColumn("pinned").BlankZero().Last()},
      {"pinned_bytes", "Bytes of them", &NamedGeneration::pinned_bytes},
      {"used_bytes", "Bytes of its ranges: objects, and free space between them",
       &NamedGeneration::used_bytes},
      {"reserved_bytes", "Reserved address space", &NamedGeneration::reserved_bytes,
       TextColumn("reserved").BlankZero()},
  };
}

std::vector<NamedGeneration> NamedGenerations(const GenerationReport& report) {
  std::vector<NamedGeneration> rows;
  for (size_t g = 0; g < kGenerations; ++g) {
    rows.push_back({report.generations[g], GenerationName(static_cast<Generation>(g))});
  }
  return rows;
}

std::string Generations(const GenerationReport& report, const TextStyle& style) {
  std::vector<NamedGeneration> rows = NamedGenerations(report);
  std::erase_if(rows, [](const NamedGeneration& row) {
    return row.objects == 0 && row.reserved_bytes == 0 && row.used_bytes == 0;
  });
  return TableOf(style, GenerationFields(), rows, Nothing()) + "\n";
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
    for (const size_t g : shown) cells.push_back(BytesOrBlank(row.bytes[g]));
    table.AddRow(std::move(cells));
  }
  std::string out = table.Render(style, 2);
  if (report.types.size() > top) {
    out += "  (" + Plural(report.types.size() - top, "more type") + "; --top shows more)\n";
  }
  return out + "\n";
}

Object<HeldTypeRow, HeapContext> HeldTypeFields() {
  return {
      {"type", "A type, as C# writes it", TypeAt(&HeldTypeRow::type)},
      {TextColumn("type").Shrinks(),
       [](auto& row, auto& heap, auto& style) { return TypeCell(*heap.model, row.type, style); }},
      {"objects", "Objects", &HeldTypeRow::objects, TextColumn("objects")},
      {"bytes", "Bytes", &HeldTypeRow::bytes, TextColumn("bytes")},
      {"retained_bytes", "Retained size", &HeldTypeRow::retained, TextColumn("retained")},
  };
}

std::string Held(const HeapModel& model, const HeldObjects& held, std::string_view title,
                 std::string_view none, size_t top, const TextStyle& style) {
  if (held.objects == 0) return std::string(none) + "\n\n";
  std::string out = Paint(style, Tone::kStrong,
                          std::string(title) + ": " + Plural(held.objects, "object") + ", " +
                              FormatBytes(held.bytes)) +
                    "\n";
  out += TableOf(style, HeldTypeFields(), held.types, HeapContext{&model}, top);
  if (held.types.size() > top) {
    out += "  (" + Plural(held.types.size() - top, "more type") + "; --top shows more)\n";
  }
  return out + "\n";
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

namespace {

Object<GenerationTypeRow, HeapContext> GenerationTypeFields() {
  return {
      {"type", "A type, as C# writes it", TypeAt(&GenerationTypeRow::type)},
      {"objects", "Objects", &GenerationTypeRow::all_objects},
      {"bytes", "Bytes", &GenerationTypeRow::all_bytes},
      {"generations", "By generation, those with objects", ObjectsAndBytesFields(),
       [](auto& row) {
         std::vector<std::pair<std::string, ObjectsAndBytes>> parts;
         for (size_t g = 0; g < kGenerations; ++g) {
           if (row.objects[g] == 0) continue;
           parts.push_back(
               {GenerationName(static_cast<Generation>(g)), {row.objects[g], row.bytes[g]}});
         }
         return parts;
       }},
  };
}

Object<HeldObjects, HeapContext> HeldFields() {
  return {
      {"objects", "Objects", &HeldObjects::objects},
      {"bytes", "Bytes", &HeldObjects::bytes},
      {"types", "By type, the most bytes first", HeldTypeFields(), &HeldObjects::types},
  };
}

Object<GenerationReport, HeapContext> GenerationsFields() {
  return {
      HeadFields("generations"),
      {"heap", "", HeapFields(), kItsHeap},
      {"generations", "All generations", GenerationFields(), &NamedGenerations},
      {"types", "By type, the most bytes first", GenerationTypeFields(), &GenerationReport::types},
      {"pinned", "Pinned by handles or stacks", HeldFields(), &GenerationReport::pinned},
      {"finalizer_queue", "Waiting for their finalizer", HeldFields(),
       &GenerationReport::finalizer_queue},
      {"finalizable", "Alive, with a finalizer", HeldFields(), &GenerationReport::finalizable},
  };
}

}  // namespace

std::string GenerationsJson(const HeapModel& model, const GenerationReport& report) {
  return JsonOf(GenerationsFields(), report, {&model});
}

SharedShape GenerationsShape() { return GenerationsFields().shape(); }

}  // namespace hindsight::analyzer
