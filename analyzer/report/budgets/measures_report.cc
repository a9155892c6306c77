// The list of everything that budgets can refer to.
#include <utility>

#include "analyzer/budgets/measure_phrases.h"
#include "analyzer/report/budgets/budgets_report.h"
#include "analyzer/report/common_fields.h"
#include "analyzer/report/table.h"

namespace hindsight::analyzer {
namespace {

// "p99 gc pause", and other phrases for the measure.
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

// The value for the whole process; null: unknown, or there are many.
const Measure* ValueOf(const Measured& measured, const MeasureKind& kind) {
  const std::span<const Measure> values = measured.Of(kind);
  return kind.subject.empty() && !values.empty() ? &values.front() : nullptr;
}

std::string ValueText(const Measured& measured, const MeasureKind& kind, const TextStyle& style) {
  if (!measured.Knows(kind)) return "-";
  const Measure* const value = ValueOf(measured, kind);
  if (value == nullptr) return std::to_string(measured.Of(kind).size()) + " of them";
  std::string text = FormatMeasure(value->value, kind.unit);
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
  wide.width = 1000;  // for grep: each on one full line
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

namespace {

// The context of the rows.
struct MeasuresContext {
  const Measured* measured;  // null: there is no recording
};

std::optional<double> ValueIn(const MeasuresContext& in, const MeasureKind& kind,
                              double Measure::*number) {
  const Measure* const value = in.measured != nullptr ? ValueOf(*in.measured, kind) : nullptr;
  return value != nullptr ? std::optional(value->*number) : std::nullopt;
}

Object<MeasureKind, MeasuresContext> MeasureFields() {
  return {
      {"name", "Name of the number", &MeasureKind::name},
      {"of", "type, method, ...; null: the whole process",
       [](auto& kind) { return IfKnown(!kind.subject.empty(), kind.subject); }},
      {"unit", "Of value and error", [](auto& kind) { return UnitName(kind.unit); }},
      {"meaning", "A clause", &MeasureKind::meaning},
      {"needs", "What has to be recorded for it", [](auto& kind) { return kind.needs->what; }},
      {"phrases", "Other names for it", &PhrasesOf},
      {"known", "Whether it was recorded",
       [](auto& kind, auto& in) {
         return If{in.measured != nullptr, in.measured != nullptr && in.measured->Knows(kind)};
       }},
      {"value", "null: unknown",
       [](auto& kind, auto& in) {
         return If{in.measured != nullptr, ValueIn(in, kind, &Measure::value)};
       }},
      {"error", "Sampling error (95 %); null: unknown",
       [](auto& kind, auto& in) {
         return If{in.measured != nullptr, ValueIn(in, kind, &Measure::error)};
       }},
  };
}

Object<MeasuresContext, MeasuresContext> MeasureListFields() {
  return {
      HeadFields("check"),
      {"measures", "With --list: all measures", MeasureFields(),
       [](auto&) { return MeasureKinds(); }},
  };
}

}  // namespace

std::string MeasuresJson(const Measured* measured) {
  return JsonOf(MeasureListFields(), MeasuresContext{measured});
}

SharedShape MeasuresShape() { return MeasureListFields().shape(); }

}  // namespace hindsight::analyzer
