#include <optional>

#include "analyzer/report/common_fields.h"
#include "analyzer/report/comparison/comparison_report.h"

namespace hindsight::analyzer {
namespace {

constexpr Named<Per> kPers[] = {{Per::kSecond, "second"},
                                {Per::kCpu, "cpu"},
                                {Per::kRequest, "request"},
                                {Per::kNothing, "nothing"}};
constexpr Named<Difference::Level> kLevels[] = {
    {Difference::Level::kWhole, "whole"},   {Difference::Level::kType, "type"},
    {Difference::Level::kMethod, "method"}, {Difference::Level::kPath, "path"},
    {Difference::Level::kRoute, "route"},   {Difference::Level::kServer, "server"}};
constexpr Named<RouteChange::Change> kRouteChanges[] = {{RouteChange::Change::kWorse, "worse"},
                                                        {RouteChange::Change::kBetter, "better"}};

OneOf<Difference::Direction> Directions() {
  using Direction = Difference::Direction;
  return {&DirectionName,
          {Direction::kWorse, Direction::kBetter, Direction::kNew, Direction::kGone}};
}

OneOf<Unit> Units() {
  return {&UnitName,
          {Unit::kCount, Unit::kNanoseconds, Unit::kBytes, Unit::kShare, Unit::kPerSecond,
           Unit::kBytesPerSecond, Unit::kCores}};
}

// One of the recordings.
struct Side {
  const std::string* label;
  const Model* model;
};

Object<Side> SideFields() {
  return {"side",
          "The recording compared",
          {
              {"label", "As the user named it", [](auto& side) { return *side.label; }},
              {RecordingFields(), kItsModel},
          }};
}

std::optional<Side> SideOf(const Reports& reports, const std::string& label) {
  if (!reports.events) return std::nullopt;
  return Side{&label, &reports.events->model};
}

Object<Difference> DifferenceFields() {
  return {
      {"signal", "What it is about", [](auto& one) { return SignalName(one.signal); }},
      {"level", "How much of the signal", kLevels, &Difference::level},
      {"direction", "Which way", Directions(), &Difference::direction},
      {"measure", "Name of the number", &Difference::measure},
      {"subject", "The type, method, path, route or server", &Difference::subject},
      {"path", "Methods, outermost first", &Difference::path},
      {"unit", "Of before, after and error", Units(), &Difference::unit},
      {"before", "On that side", &Difference::before},
      {"after", "On that side", &Difference::after},
      {"error", "Error of the difference (95 %)", &Difference::error},
      {"confidence", "Confidence that it is not chance, 0 to 1", &Difference::confidence},
      {"impact", "Impact, 0 to 1", &Difference::impact},
      {"title", "The difference, in one line", &Difference::title},
      {"evidence", "A line", &Difference::evidence},
      {"command", "The command that shows more", &Difference::command},
  };
}

Object<Coverage> ComparedFields() {
  return {
      {"signal", "Which", [](auto& one) { return SignalName(one.signal); }},
      {"compared", "Whether both sides have it",
       [](auto& one) { return one.state != Coverage::State::kNotRecorded; }},
      {"looked_at", "A clause", &Coverage::looked_at},
      {"note", "What could not be compared; empty: nothing", &Coverage::note},
  };
}

Object<RouteNumbers> RouteNumbersFields() {
  return {"route_numbers",
          "Of one recording",
          {
              {"count", "How many ended", &RouteNumbers::count},
              {"per_second", "Requests per second of the time in which they were recorded",
               &RouteNumbers::per_second},
              {"failed", "A status of 500 and above, or an error", &RouteNumbers::failed},
              {"failed_share", "Of all", &RouteNumbers::failed_share},
              {"mean_ns", "From start to end, on average", &RouteNumbers::mean_ns},
              {"p95_ns", "The 95th percentile, an estimate", &RouteNumbers::p95_ns},
              {"p99_ns", "The 99th percentile, an estimate", &RouteNumbers::p99_ns},
          }};
}

Object<RouteChange> RouteChangeFields() {
  return {"route_change",
          "A route, or a server",
          {
              {"name", "With the method of HTTP", &RouteChange::name},
              {"before", "null: new", RouteNumbersFields(), &RouteChange::before},
              {"after", "null: gone", RouteNumbersFields(), &RouteChange::after},
              {"time", "Of mean_ns; null: no difference, or it may be chance", kRouteChanges,
               &RouteChange::time},
              {"failures", "Change of failed_share", kRouteChanges, &RouteChange::failures},
          }};
}

Object<RouteChanges> RouteChangesFields() {
  return {
      {"served", "By route, those that differ first", RouteChangeFields(), &RouteChanges::served},
      {"made", "With HttpClient, by server, those that differ first", RouteChangeFields(),
       &RouteChanges::made},
  };
}

Object<Comparison, ComparisonView> ComparisonFields() {
  return {
      HeadFields("diff"),
      {"verdict", "A sentence", [](auto& comparison) { return VerdictOf(comparison); }},
      {"per", "What numbers are divided by, to normalize both sides", kPers, &Comparison::per},
      {"before", "null: heap snapshot files only", SideFields(),
       [](auto&, auto& view) { return SideOf(*view.before, view.before_label); }},
      {"after", "null: heap snapshot files only", SideFields(),
       [](auto&, auto& view) { return SideOf(*view.after, view.after_label); }},
      {"differences",
       "Regressions before improvements, by impact; differences that may be chance are omitted",
       DifferenceFields(), &Comparison::differences},
      {"routes", "Requests; null: not both recordings have them by route", RouteChangesFields(),
       &Comparison::routes},
      {"coverage", "What was compared, by signal", ComparedFields(), &Comparison::coverage},
      {"notes", "Sentences", &Comparison::notes},
  };
}

}  // namespace

std::string ComparisonJson(const ComparisonView& view) {
  return JsonOf(ComparisonFields(), *view.comparison, view);
}

SharedShape ComparisonShape() { return ComparisonFields().shape(); }

}  // namespace hindsight::analyzer
