#include <utility>

#include "analyzer/report/comparison/comparison_report.h"
#include "analyzer/report/heap/heap_heading.h"
#include "analyzer/report/json.h"

namespace hindsight::analyzer {
namespace {

std::string_view PerName(Per per) {
  switch (per) {
    case Per::kSecond:
      return "second";
    case Per::kCpu:
      return "cpu";
    case Per::kRequest:
      return "request";
    case Per::kNothing:
      break;
  }
  return "nothing";
}

std::string_view LevelName(Difference::Level level) {
  switch (level) {
    case Difference::Level::kWhole:
      return "whole";
    case Difference::Level::kType:
      return "type";
    case Difference::Level::kMethod:
      return "method";
    case Difference::Level::kPath:
      break;
  }
  return "path";
}

Json Side(const Reports& reports, const std::string& label) {
  if (!reports.events) return nullptr;
  Json side{{"label", JsonText(label)}};
  side.update(JsonRecording(reports.events->model));
  return side;
}

}  // namespace

std::string ComparisonJson(const ComparisonView& view) {
  const Comparison& comparison = *view.comparison;
  Json differences = Json::array();
  for (const Difference& difference : comparison.differences) {
    differences.push_back({{"signal", SignalName(difference.signal)},
                           {"level", LevelName(difference.level)},
                           {"direction", DirectionName(difference.direction)},
                           {"measure", difference.measure},
                           {"subject", JsonText(difference.subject)},
                           {"path", JsonTexts(difference.path)},
                           {"unit", UnitName(difference.unit)},
                           {"before", difference.before},
                           {"after", difference.after},
                           {"error", difference.error},
                           {"confidence", difference.confidence},
                           {"impact", difference.impact},
                           {"title", JsonText(difference.title)},
                           {"evidence", JsonText(difference.evidence)},
                           {"command", JsonText(difference.command)}});
  }
  Json coverage = Json::array();
  for (const Coverage& one : comparison.coverage) {
    coverage.push_back({{"signal", SignalName(one.signal)},
                        {"compared", one.state != Coverage::State::kNotRecorded},
                        {"looked_at", one.looked_at},
                        {"note", one.note}});
  }
  Json notes = Json::array();
  for (const std::string& note : comparison.notes) notes.push_back(JsonText(note));
  return JsonDump({{"schema", kJsonSchema},
                   {"command", "diff"},
                   {"verdict", JsonText(VerdictOf(comparison))},
                   {"per", PerName(comparison.per)},
                   {"before", Side(*view.before, view.before_label)},
                   {"after", Side(*view.after, view.after_label)},
                   {"differences", std::move(differences)},
                   {"coverage", std::move(coverage)},
                   {"notes", std::move(notes)}});
}

}  // namespace hindsight::analyzer
