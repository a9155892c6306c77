// The list of all that budgets can be about.
#include <utility>

#include "analyzer/budgets/measure_words.h"
#include "analyzer/report/budgets/budgets_report.h"
#include "analyzer/report/json.h"
#include "analyzer/report/table.h"

namespace hindsight::analyzer {
namespace {

// "p99 gc pause", and what else stands for the measure.
std::vector<std::string> PhrasesOf(const MeasureKind& kind) {
  std::vector<std::string> phrases;
  for (const MeasurePhrase& phrase : MeasurePhrases()) {
    if (phrase.subject != kind.subject) continue;
    for (const std::string_view name : phrase.names) {
      if (name == kind.name) phrases.emplace_back(phrase.phrase);
    }
  }
  return phrases;
}

// Of the whole process; null: unknown, or of many.
const Measure* ValueOf(const Measured& measured, const MeasureKind& kind) {
  const std::span<const Measure> values = measured.Of(kind);
  return kind.subject.empty() && !values.empty() ? &values.front() : nullptr;
}

std::string ValueText(const Measured& measured, const MeasureKind& kind, const TextStyle& style) {
  if (!measured.Knows(kind)) return "-";
  const Measure* const value = ValueOf(measured, kind);
  if (value == nullptr) return std::to_string(measured.Of(kind).size()) + " of them";
  const std::string text = FormatMeasure(value->value, kind.unit);
  if (!(value->error > 0)) return text;
  return JoinError(text, FormatMeasure(value->error, kind.unit), style.unicode);
}

}  // namespace

std::string MeasuresText(const Measured* measured, const TextStyle& style) {
  using Align = Table::Align;
  std::vector<Table::Column> columns = {{"measure", Align::kLeft}, {"unit", Align::kLeft}};
  if (measured != nullptr) columns.push_back({"value", Align::kRight});
  columns.push_back({"meaning", Align::kLeft});
  TextStyle wide = style;
  wide.width = 1000;  // for grep: a line each, whole
  Table table(std::move(columns));
  for (const MeasureKind& kind : MeasureKinds()) {
    std::string name(kind.name);
    if (!kind.subject.empty()) name.append(" of ").append(kind.subject);
    std::vector<std::string> row = {std::move(name), std::string(UnitName(kind.unit))};
    if (measured != nullptr) row.push_back(ValueText(*measured, kind, style));
    std::string meaning(kind.meaning);
    std::string phrases;
    for (const std::string& phrase : PhrasesOf(kind)) {
      phrases += (phrases.empty() ? " (\"" : ", \"") + phrase + "\"";
    }
    if (!phrases.empty()) meaning += phrases + ")";
    row.push_back(std::move(meaning));
    table.AddRow(std::move(row));
  }
  return Paint(style, Tone::kStrong, "Measures for budgets") + "\n\n" + table.Render(wide, 2) +
         "\n    A budget is a line such as \"p99 GC pause < 20 ms\" or \"heap.retained of type "
         "Shop.Order < 50 MB\".\n";
}

std::string MeasuresJson(const Measured* measured) {
  Json measures = Json::array();
  for (const MeasureKind& kind : MeasureKinds()) {
    Json row = {
        {"name", kind.name},           {"of", kind.subject.empty() ? Json() : Json(kind.subject)},
        {"unit", UnitName(kind.unit)}, {"meaning", kind.meaning},
        {"needs", kind.needs->what},   {"phrases", PhrasesOf(kind)}};
    if (measured != nullptr) {
      const Measure* const value = ValueOf(*measured, kind);
      row["known"] = measured->Knows(kind);
      row["value"] = value != nullptr ? Json(value->value) : Json();
      row["error"] = value != nullptr ? Json(value->error) : Json();
    }
    measures.push_back(std::move(row));
  }
  return JsonDump({{"schema", kJsonSchema}, {"measures", std::move(measures)}});
}

}  // namespace hindsight::analyzer
