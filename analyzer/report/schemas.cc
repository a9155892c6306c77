#include "analyzer/report/schemas.h"

#include "analyzer/fields/json_schema.h"
#include "analyzer/report/allocations/retained_report.h"
#include "analyzer/report/budgets/budgets_report.h"
#include "analyzer/report/comparison/comparison_report.h"
#include "analyzer/report/cpu/cpu_report.h"
#include "analyzer/report/exceptions_json.h"
#include "analyzer/report/fleet/fleet_report.h"
#include "analyzer/report/gc/gc_report.h"
#include "analyzer/report/heap/contents_reports.h"
#include "analyzer/report/heap/diff_report.h"
#include "analyzer/report/heap/heap_tree_report.h"
#include "analyzer/report/heap/histogram_report.h"
#include "analyzer/report/heap/leaks_report.h"
#include "analyzer/report/heap/object_reports.h"
#include "analyzer/report/overview/overview_report.h"
#include "analyzer/report/query_report.h"
#include "analyzer/report/recording/info_report.h"
#include "analyzer/report/recording/list_report.h"
#include "analyzer/report/recording/verify_report.h"
#include "analyzer/report/requests_report.h"
#include "analyzer/report/threads_report.h"
#include "analyzer/report/timeline_report.h"
#include "analyzer/report/waits/deadlocks_report.h"
#include "analyzer/report/waits/locks_report.h"
#include "analyzer/report/waits/pool_report.h"
#include "analyzer/report/waits/tasks_report.h"
#include "analyzer/report/waits/wall_report.h"

namespace hindsight::analyzer {

std::span<const ReportSchema> ReportSchemas() {
  static const std::vector<ReportSchema> kReports = {
      {"allocations", {AllocationsShape, RetainedAllocationsShape}},
      {"check", {BudgetsShape, MeasuresShape}},
      {"collections", {CollectionsShape}},
      {"cpu", {CpuShape}},
      {"deadlocks", {DeadlocksShape}},
      {"diff", {ComparisonShape, DiffShape}},
      {"dominators", {DominatorsShape}},
      {"exceptions", {ExceptionsShape, ExceptionTreeShape}},
      {"fleet", {FleetShape}},
      {"gc", {GcShape}},
      {"generations", {GenerationsShape}},
      {"heap", {HistogramShape}},
      {"info", {InfoShape}},
      {"leaks", {LeaksShape}},
      {"list", {ListShape}},
      {"locks", {LocksShape}},
      {"object", {SingleObjectShape}},
      {"paths", {PathsShape}},
      {"pool", {PoolShape}},
      {"requests", {RequestsShape}},
      {"retained", {RetainedShape}},
      {"sql", {AnswerShape}},
      {"strings", {StringsShape}},
      {"summary", {OverviewShape}},
      {"tasks", {TasksShape}},
      {"threads", {ThreadsShape}},
      {"timeline", {TimelineShape}},
      {"verify", {VerifyShape}},
      {"wall", {WallShape}},
  };
  return kReports;
}

std::string ReportSchemaOf(std::string_view command) {
  for (const ReportSchema& report : ReportSchemas()) {
    if (report.command != command) continue;
    std::vector<SharedShape> forms;
    for (const auto form : report.forms) forms.push_back(form());
    return JsonSchema("hindsight " + std::string(command) + " --json",
                      "Times are nanoseconds from the start of the recording, unix times since "
                      "1970, durations nanoseconds, sizes bytes.",
                      forms);
  }
  return {};
}

}  // namespace hindsight::analyzer
