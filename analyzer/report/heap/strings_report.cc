#include "analyzer/base/text.h"
#include "analyzer/report/common_fields.h"
#include "analyzer/report/described_table.h"
#include "analyzer/report/heap/contents_reports.h"
#include "analyzer/report/heap/heap_fields.h"
#include "analyzer/report/heap/heap_heading.h"
#include "analyzer/report/table.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kMostTextColumns = 60;

std::string LengthText(const StringLengthRow& row) {
  std::string out = FormatCount(row.from);
  if (row.to != row.from) out += " to " + FormatCount(row.to);
  return out;
}

Object<DuplicateString> DuplicateFields() {
  return {
      {TextColumn("text").Shrinks(),
       [](auto& string, auto&, auto& style) {
         return "\"" + ShortenEnd(style, Printable(string.text), kMostTextColumns) + "\"";
       }},
      {"text", "The text", &DuplicateString::text},
      {"length", "Characters", &DuplicateString::length},
      {"objects", "Strings with this text", &DuplicateString::objects, TextColumn("objects")},
      {"bytes", "Bytes of all", &DuplicateString::bytes, TextColumn("bytes")},
      {"wasted_bytes", "Bytes of all but one", &DuplicateString::wasted, TextColumn("wasted")},
      {"owner", "The field that holds most of them", &DuplicateString::owner,
       TextColumn("mostly held by").Shrinks()},
      {"owner_objects", "How many it holds", &DuplicateString::owner_objects},
  };
}

// What rows belong to.
struct StringContext : HeapContext {
  const StringReport* report;
};

Object<StringLengthRow, StringContext> StringLengthFields() {
  return {
      {TextColumn("characters").AlignsRight(), &LengthText},
      {"from", "Shortest, in characters", &StringLengthRow::from},
      {"to", "Longest, in characters", &StringLengthRow::to},
      {"objects", "Strings", &StringLengthRow::objects, TextColumn("objects")},
      {"bytes", "Bytes", &StringLengthRow::bytes, TextColumn("bytes")},
      {TextColumn("share").AlignsRight(),
       [](auto& row, auto& in) { return PercentOf(row.bytes, in.report->bytes); }},
  };
}

Object<StringOwnerRow, StringContext> StringOwnerFields() {
  return {
      {"owner", "The field that holds them", &StringOwnerRow::owner,
       TextColumn("held by").Shrinks()},
      {"objects", "Strings", &StringOwnerRow::objects, TextColumn("objects")},
      {"bytes", "Bytes", &StringOwnerRow::bytes, TextColumn("bytes")},
      {"wasted_bytes", "Bytes of texts that another string has too", &StringOwnerRow::wasted},
      {TextColumn("duplicates").AlignsRight(),
       [](auto& row, auto& in) {
         return IfKnown(in.report->has_contents, BytesOrBlank(row.wasted));
       }},
  };
}

std::string Duplicates(const StringReport& report, const TextStyle& style) {
  std::string out = TableOf(style, DuplicateFields(), report.duplicates, Nothing());
  if (report.duplicate_texts > report.duplicates.size()) {
    out += "  (" + Plural(report.duplicate_texts - report.duplicates.size(), "more string") +
           "; --top shows more)\n";
  }
  return out + "\n";
}

}  // namespace

std::string StringsText(const HeapModel& model, const StringReport& report,
                        const TextStyle& style) {
  std::string out = HeapHead("Strings in the heap", model, style);
  if (report.objects == 0) return out + "    No string is alive.\n";
  std::string sentence = Plural(report.objects, "string") + " with " +
                         Plural(report.characters, "character") + ", " + FormatBytes(report.bytes) +
                         " alive.";
  if (report.has_contents) {
    sentence += " " + Plural(report.distinct, "distinct string") + "; duplicates take " +
                FormatBytes(report.wasted) + ", " + PercentOf(report.wasted, report.bytes) + ".";
  } else {
    sentence += " Contents are not recorded by default: only lengths and holders are known.";
  }
  out += Paragraph(sentence, style) + "\n";
  if (!report.duplicates.empty()) out += Duplicates(report, style);
  out +=
      TableOf(style, StringLengthFields(), report.lengths, StringContext{{&model}, &report}) + "\n";
  if (!report.owners.empty()) {
    out +=
        TableOf(style, StringOwnerFields(), report.owners, StringContext{{&model}, &report}) + "\n";
  }
  return out + NextHint(report.has_contents
                            ? "Share duplicates (string.Intern, your own table, or an enum); "
                              "`hindsight paths string` shows all paths to strings."
                            : "`hindsight paths string` shows all paths to strings.",
                        style);
}

namespace {

Object<StringReport, StringContext> StringsFields() {
  return {
      HeadFields("strings"),
      {"heap", "", HeapFields(), kItsHeap},
      {"has_contents", "Whether contents were recorded", &StringReport::has_contents},
      {"objects", "Strings", &StringReport::objects},
      {"bytes", "Bytes", &StringReport::bytes},
      {"characters", "Characters of all", &StringReport::characters},
      {"distinct", "Distinct texts; null: contents were not recorded",
       [](auto& report) { return IfKnown(report.has_contents, report.distinct); }},
      {"wasted_bytes", "Bytes of duplicates; null: contents were not recorded",
       [](auto& report) { return IfKnown(report.has_contents, report.wasted); }},
      {"duplicate_texts", "Texts that several strings have", &StringReport::duplicate_texts},
      {"duplicates", "Such texts, the most waste first", DuplicateFields(),
       &StringReport::duplicates},
      {"lengths", "By length", StringLengthFields(), &StringReport::lengths},
      {"owners", "By field that holds them, the most waste first", StringOwnerFields(),
       &StringReport::owners},
  };
}

}  // namespace

std::string StringsJson(const HeapModel& model, const StringReport& report) {
  return JsonOf(StringsFields(), report, {{&model}, &report});
}

SharedShape StringsShape() { return StringsFields().shape(); }

}  // namespace hindsight::analyzer
