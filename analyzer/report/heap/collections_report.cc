#include "analyzer/base/text.h"
#include "analyzer/model/display_names.h"
#include "analyzer/report/common_fields.h"
#include "analyzer/report/described_table.h"
#include "analyzer/report/heap/contents_reports.h"
#include "analyzer/report/heap/heap_fields.h"
#include "analyzer/report/heap/heap_heading.h"

namespace hindsight::analyzer {
namespace {

Object<CollectionTotals> CollectionTotalFields() {
  return {
      {"objects", "Collections", &CollectionTotals::objects, TextColumn("objects")},
      {"empty", "Part of them: without an element", &CollectionTotals::empty,
       TextColumn("empty").BlankZero()},
      {"unknown", "Part of them: not understood, and not in what follows",
       &CollectionTotals::unknown},
      {"used", "Elements used", &CollectionTotals::used},
      {"capacity", "Elements that there is room for", &CollectionTotals::capacity},
      {TextColumn("filled").AlignsRight(),
       [](auto& totals) {
         return totals.capacity == 0 ? std::string() : PercentOf(totals.used, totals.capacity);
       }},
      {"bytes", "Shallow size, arrays included", &CollectionTotals::bytes},
      {"wasted_bytes", "Part of it: unused capacity", &CollectionTotals::wasted,
       TextColumn("wasted").BlankZero()},
  };
}

Object<CollectionTypeRow, HeapContext> CollectionTypeFields() {
  return {
      {"type", "A type, as C# writes it", TypeAt(&CollectionTypeRow::type)},
      {TextColumn("type").Shrinks(),
       [](auto& row, auto& heap, auto& style) { return TypeCell(*heap.model, row.type, style); }},
      {CollectionTotalFields(), &CollectionTypeRow::totals},
  };
}

Object<CollectionOwnerRow, HeapContext> CollectionOwnerFields() {
  return {
      {"owner", "The field that holds them", &CollectionOwnerRow::owner,
       TextColumn("owner").Shrinks()},
      {"type", "A type, as C# writes it", TypeAt(&CollectionOwnerRow::type)},
      {TextColumn("type").Shrinks(),
       [](auto& row, auto& heap) {
         return Printable(TypeBriefName(heap.model->dictionaries, row.type));
       }},
      {CollectionTotalFields(), &CollectionOwnerRow::totals},
  };
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

  const HeapContext in{&model};
  out += TableOf(style, CollectionTypeFields(), report.types, in, top) +
         Rest(report.types.size(), top, "more type") + "\n";
  out += TableOf(style, CollectionOwnerFields(), report.owners, in, top) +
         Rest(report.owners.size(), top, "more owner") + "\n";
  return out + NextHint(
                   "Create collections with the right capacity, or only when needed; `hindsight "
                   "paths TYPE` shows what holds those of a type.",
                   style);
}

namespace {

Object<CollectionReport, HeapContext> CollectionsFields() {
  return {
      HeadFields("collections"),
      {"heap", "", HeapFields(), kItsHeap},
      {"estimate", "Whether some counts are estimates", &CollectionReport::is_estimate},
      {"totals", "All collections", CollectionTotalFields(), &CollectionReport::totals},
      {"types", "By type, the most waste first", CollectionTypeFields(), &CollectionReport::types},
      {"owners", "By field that holds them, the most waste first", CollectionOwnerFields(),
       &CollectionReport::owners},
  };
}

}  // namespace

std::string CollectionsJson(const HeapModel& model, const CollectionReport& report) {
  return JsonOf(CollectionsFields(), report, {&model});
}

SharedShape CollectionsShape() { return CollectionsFields().shape(); }

}  // namespace hindsight::analyzer
