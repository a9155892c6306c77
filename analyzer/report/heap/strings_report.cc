#include "analyzer/base/text.h"
#include "analyzer/report/common_fields.h"
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

std::string Duplicates(const StringReport& report, const TextStyle& style) {
  Table table({{"text", Table::Align::kLeft, true},
               {"objects", Table::Align::kRight},
               {"bytes", Table::Align::kRight},
               {"wasted", Table::Align::kRight},
               {"mostly held by", Table::Align::kLeft, true}});
  for (const DuplicateString& string : report.duplicates) {
    table.AddRow({"\"" + ShortenEnd(style, Printable(string.text), kMostTextColumns) + "\"",
                  FormatCount(string.objects), FormatBytes(string.bytes),
                  FormatBytes(string.wasted), Printable(string.owner)});
  }
  std::string out = table.Render(style, 2);
  if (report.duplicate_texts > report.duplicates.size()) {
    out += "  (" + Plural(report.duplicate_texts - report.duplicates.size(), "more string") +
           "; --top shows more)\n";
  }
  return out + "\n";
}

std::string Lengths(const StringReport& report, const TextStyle& style) {
  Table table({{"characters", Table::Align::kRight},
               {"objects", Table::Align::kRight},
               {"bytes", Table::Align::kRight},
               {"share", Table::Align::kRight}});
  for (const StringLengthRow& row : report.lengths) {
    table.AddRow({LengthText(row), FormatCount(row.objects), FormatBytes(row.bytes),
                  PercentOf(row.bytes, report.bytes)});
  }
  return table.Render(style, 2) + "\n";
}

std::string Owners(const StringReport& report, const TextStyle& style) {
  std::vector<Table::Column> columns = {{"held by", Table::Align::kLeft, true},
                                        {"objects", Table::Align::kRight},
                                        {"bytes", Table::Align::kRight}};
  if (report.has_contents) columns.push_back({"duplicates", Table::Align::kRight});
  Table table(columns);
  for (const StringOwnerRow& row : report.owners) {
    std::vector<std::string> cells = {Printable(row.owner), FormatCount(row.objects),
                                      FormatBytes(row.bytes)};
    if (report.has_contents) cells.push_back(BytesOrBlank(row.wasted));
    table.AddRow(std::move(cells));
  }
  return table.Render(style, 2) + "\n";
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
  out += Lengths(report, style);
  if (!report.owners.empty()) out += Owners(report, style);
  return out + NextHint(report.has_contents
                            ? "Share duplicates (string.Intern, your own table, or an enum); "
                              "`hindsight paths string` shows all paths to strings."
                            : "`hindsight paths string` shows all paths to strings.",
                        style);
}

namespace {

Object<DuplicateString> DuplicateFields() {
  return {
      {"text", "The text", &DuplicateString::text},
      {"length", "Characters", &DuplicateString::length},
      {"objects", "Strings with this text", &DuplicateString::objects},
      {"bytes", "Bytes of all", &DuplicateString::bytes},
      {"wasted_bytes", "Bytes of all but one", &DuplicateString::wasted},
      {"owner", "The field that holds most of them", &DuplicateString::owner},
      {"owner_objects", "How many it holds", &DuplicateString::owner_objects},
  };
}

Object<StringLengthRow> StringLengthFields() {
  return {
      {"from", "Shortest, in characters", &StringLengthRow::from},
      {"to", "Longest, in characters", &StringLengthRow::to},
      {"objects", "Strings", &StringLengthRow::objects},
      {"bytes", "Bytes", &StringLengthRow::bytes},
  };
}

Object<StringOwnerRow> StringOwnerFields() {
  return {
      {"owner", "The field that holds them", &StringOwnerRow::owner},
      {"objects", "Strings", &StringOwnerRow::objects},
      {"bytes", "Bytes", &StringOwnerRow::bytes},
      {"wasted_bytes", "Bytes of texts that another string has too", &StringOwnerRow::wasted},
  };
}

Object<StringReport, HeapContext> StringsFields() {
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
  return JsonOf(StringsFields(), report, {&model});
}

SharedShape StringsShape() { return StringsFields().shape(); }

}  // namespace hindsight::analyzer
