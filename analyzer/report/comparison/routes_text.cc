#include "analyzer/report/comparison/routes_text.h"

#include <string_view>
#include <vector>

#include "analyzer/analyses/comparison/change_text.h"
#include "analyzer/base/text.h"
#include "analyzer/report/paragraphs.h"
#include "analyzer/report/table.h"

namespace hindsight::analyzer {
namespace {

using Change = RouteChange::Change;

// "slower, fails more often"; empty: nothing is reported.
std::string JudgementOf(const RouteChange& route) {
  std::string text;
  if (route.time) text = *route.time == Change::kWorse ? "slower" : "faster";
  if (route.failures) {
    text += text.empty() ? "" : ", ";
    text += *route.failures == Change::kWorse ? "fails more often" : "fails less often";
  }
  return text;
}

void AddNumbers(Table& table, std::string_view when, const RouteNumbers& numbers,
                const std::string& text) {
  table.AddRow({std::string(when), AmountText(AmountKind::kCount, Per::kSecond, numbers.per_second),
                numbers.failed == 0 ? "" : FormatPercent(numbers.failed_share),
                FormatDuration(numbers.mean_ns), FormatDuration(numbers.p95_ns),
                FormatDuration(numbers.p99_ns), text});
}

void AppendSide(std::string& out, const TextStyle& style, const std::vector<RouteChange>& routes,
                size_t top, std::string_view title, std::string_view noun) {
  if (routes.empty()) return;
  AppendSection(out, style, title);
  Table table({{"", Table::Align::kLeft},
               {"requests", Table::Align::kRight},
               {"failed", Table::Align::kRight},
               {"mean", Table::Align::kRight},
               {"p95", Table::Align::kRight},
               {"p99", Table::Align::kRight},
               {std::string(noun), Table::Align::kLeft, true}});
  const size_t shown = ShownRows(routes.size(), top);
  for (size_t i = 0; i < shown; ++i) {
    const RouteChange& route = routes[i];
    const std::string name = Printable(route.name);
    const bool in_both = route.before && route.after;
    if (route.before) AddNumbers(table, in_both ? "before" : "gone", *route.before, name);
    if (route.after) {
      const std::string judgement = JudgementOf(route);
      AddNumbers(table, in_both ? "after" : "new", *route.after,
                 !in_both            ? name
                 : judgement.empty() ? ""
                                     : "  " + judgement);
    }
  }
  out += table.Render(style, 2);
  AppendMore(out, routes.size(), shown, noun);
}

}  // namespace

void AppendRoutes(std::string& out, const TextStyle& style, const RouteChanges& routes,
                  size_t top) {
  AppendSide(out, style, routes.served, top, "Requests served, by route", "route");
  AppendSide(out, style, routes.made, top, "Requests made, by server", "server");
  if (routes.served.empty() && routes.made.empty()) return;
  out += "\n";
  AppendSentence(out, style, Tone::kFaint,
                 "p95 and p99 are estimates, and not judged. More or fewer requests are no "
                 "difference; nor is a new route.");
}

}  // namespace hindsight::analyzer
