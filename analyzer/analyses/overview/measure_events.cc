// Measures of what is counted, not sampled: exceptions, threads, pauses, requests, the recording.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/mean_request.h"
#include "analyzer/analyses/overview/measure_list.h"
#include "analyzer/analyses/overview/reports.h"

namespace hindsight::analyzer {
namespace {

double Peak(const Timeline& timeline, TimelineSeries::Kind kind) {
  for (const TimelineSeries& series : timeline.series) {
    if (series.kind == kind) return series.peak;
  }
  return 0;
}

double Rate(double amount, double seconds) { return seconds > 0 ? amount / seconds : 0; }

void MeasureRecording(const Model& model, MeasureList& list) {
  const RecordingFacts& facts = model.facts;
  const Losses& losses = model.losses;
  list.Add("recording.duration", Of(facts.length_ns()));
  list.Add("recording.losses",
           Of(losses.DroppedEvents() + losses.segments + losses.stacks_missing + losses.dangling));
  const RecorderFacts& recorder = model.recorder;
  list.Add("recorder.cores", Rate(Of(recorder.cpu_ns), static_cast<double>(recorder.elapsed_ns)));
  list.Add("recorder.memory", Of(recorder.memory_bytes));
  list.Add("recorder.written", Of(recorder.written_bytes));
}

void MeasureExceptions(const ExceptionReport& report, const Timeline& timeline, MeasureList& list) {
  const double seconds = static_cast<double>(report.to_ns - report.from_ns) / 1e9;
  const auto ended = [&report](Ending ending) {
    return Of(report.endings[static_cast<size_t>(ending)]);
  };
  list.Add("exceptions.count", Of(report.count));
  list.Add("exceptions.per_second", Rate(Of(report.count), seconds));
  list.Add("exceptions.per_second.peak", Peak(timeline, TimelineSeries::Kind::kExceptions));
  list.Add("exceptions.throws", Of(report.throws));
  list.Add("exceptions.unhandled", ended(Ending::kUnhandled) + Of(report.probably_unhandled));
  list.Add("exceptions.swallowed",
           ended(Ending::kSwallowed) - Of(report.ended_requests + report.ended_by_client));
  list.Add("exceptions.ended_requests", Of(report.ended_requests));
  list.Add("exceptions.replaced", ended(Ending::kReplaced));
  list.Add("exceptions.lost_in_filters", ended(Ending::kLostInFilter));
  list.Add("exceptions.time", Of(report.total_ns));
  Histogram durations;
  for (const ExceptionFinding& finding : report.findings) {
    const ExceptionGroup& group = finding.group;
    durations.Merge(group.durations);
    const std::string& type = report.names.Type(finding.type);
    list.AddOf("exceptions.count", "type", type, Of(group.count));
    list.AddOf("exceptions.per_second", "type", type, Rate(Of(group.count), seconds));
    list.AddOf("exceptions.swallowed", "type", type,
               Of(finding.swallowed + finding.never_awaited + finding.swallowed_async));
    list.AddOf("exceptions.unhandled", "type", type,
               Of(group.EndedAs(Ending::kUnhandled) + finding.probably_unhandled));
    const MethodId site = finding.place.site;
    if (site == 0) continue;
    const std::string& method = report.names.Display(site);
    list.AddOf("exceptions.count", "method", method, Of(group.count));
    list.AddOf("exceptions.per_second", "method", method, Rate(Of(group.count), seconds));
  }
  list.Add("exceptions.time.p50", Of(durations.Quantile(0.5)));
  list.Add("exceptions.time.p99", Of(durations.Quantile(0.99)));
  list.Add("exceptions.time.max", Of(durations.max()));
}

void MeasureThreads(const ThreadReport& report, const Timeline& timeline, MeasureList& list) {
  uint64_t started = report.model->counted_threads.started;
  uint64_t ended = report.model->counted_threads.ended;
  for (const ThreadFinding& thread : report.findings) {
    started += thread.has_start ? 1 : 0;
    ended += thread.has_end ? 1 : 0;
  }
  list.Add("threads.started", Of(started));
  list.Add("threads.ended", Of(ended));
  list.Add("threads.peak", Peak(timeline, TimelineSeries::Kind::kThreads));
  uint64_t leaked = 0;
  uint64_t dead = 0;
  for (const ThreadProblem& problem : report.thread_stacks.problems) {
    (problem.kind == ThreadProblem::Kind::kLeak ? leaked : dead) += problem.threads.size();
  }
  list.Add("threads.leaked", Of(leaked));
  list.Add("threads.dead", Of(leaked + dead));
}

void MeasurePauses(const GcReport& report, MeasureList& list) {
  const PauseSums& gc = report.collecting;
  list.Add("gc.pause.count", Of(gc.count));
  list.Add("gc.pause.p50", Of(gc.lengths.Quantile(0.5)));
  list.Add("gc.pause.p90", Of(gc.lengths.Quantile(0.9)));
  list.Add("gc.pause.p99", Of(gc.lengths.Quantile(0.99)));
  list.Add("gc.pause.max", Of(gc.lengths.max()));
  list.Add("gc.pause.total", Of(gc.total_ns));
  list.Add("gc.pause.share", report.ShareOfTime(gc.total_ns));
  const PauseSums& all = report.all;
  list.Add("pauses.count", Of(all.count));
  list.Add("pauses.p50", Of(all.lengths.Quantile(0.5)));
  list.Add("pauses.p99", Of(all.lengths.Quantile(0.99)));
  list.Add("pauses.max", Of(all.lengths.max()));
  list.Add("pauses.total", Of(all.total_ns));
  list.Add("pauses.share", report.ShareOfTime(all.total_ns));

  list.Add("gc.collections", Of(report.collections));
  list.Add("gc.collections.gen0", Of(report.counts[0]));
  list.Add("gc.collections.gen1", Of(report.counts[1]));
  list.Add("gc.collections.gen2", Of(report.counts[2]));
  list.Add("gc.collections.induced", Of(report.induced));
  list.Add("gc.heap.peak", Of(report.peak_heap_bytes));
  list.Add("gc.heap.last", Of(report.last_heap_bytes));
  list.Add("gc.heap.committed", Of(report.peak_committed_bytes));
  list.Add("jit.methods", Of(report.jit_methods));
  list.Add("jit.time", Of(report.jit_ns));
}

void MeasureRequests(const Model& model, MeasureList& list) {
  const Requests& requests = model.requests;
  const double finished = Of(requests.finished);
  const double seconds = Of(model.facts.length_ns()) / 1e9;
  list.Add("requests.count", finished);
  list.Add("requests.per_second", Rate(finished, seconds));
  list.Add("requests.failed", Of(requests.failed));
  list.Add("requests.failed.share", finished > 0 ? Of(requests.failed) / finished : 0);
  if (requests.server_errors) {
    const double errors = Of(*requests.server_errors);
    list.Add("requests.server_errors", errors);
    list.Add("requests.server_errors.share", finished > 0 ? std::min(1.0, errors / finished) : 0);
  }
  const std::optional<MeanRequest> mean = MeanRequestOf(requests);
  if (!mean || mean->is_known()) list.Add("requests.time.mean", mean ? Of(mean->most_ns) : 0);
}

// `of`: "requests", "calls".
void MeasureRows(const std::vector<RequestRow>& rows, const std::string& of, std::string_view kind,
                 std::string_view without_target, MeasureList& list) {
  for (const RequestRow& row : rows) {
    const std::string name = row.Name(without_target);
    list.AddOf(of + ".count", kind, name, Of(row.count));
    list.AddOf(of + ".failed", kind, name, Of(row.failed));
    list.AddOf(of + ".failed.share", kind, name, Rate(Of(row.failed), Of(row.count)));
    list.AddOf(of + ".time.mean", kind, name, Of(row.mean_ns()));
    list.AddOf(of + ".time.p95", kind, name, Of(row.p95_ns));
    list.AddOf(of + ".time.p99", kind, name, Of(row.p99_ns));
  }
}

void MeasureRoutes(const RequestReport& report, MeasureList& list) {
  constexpr std::string_view kNoRoute = "(no route)";
  MeasureRows(report.served, "requests", "route", kNoRoute, list);
  for (const RequestRow& row : report.served) {
    list.AddOf("requests.time.p50", "route", row.Name(kNoRoute), Of(row.p50_ns));
  }
  MeasureRows(report.made, "calls", "server", "", list);
  for (const RequestWorkRow& row : report.work.routes) {
    const RequestRoute& route = *row.route;
    const std::string name = route.name.empty() ? std::string(kNoRoute) : route.name;
    list.AddOf("requests.commands.mean", "route", name, Rate(Of(route.commands), Of(route.count)));
    list.AddOf("requests.calls.mean", "route", name, Rate(Of(route.calls), Of(route.count)));
  }
}

}  // namespace

void MeasureEvents(const EventReports& events, MeasureList& list) {
  MeasureRecording(events.model, list);
  MeasureExceptions(events.exceptions, events.timeline, list);
  MeasureThreads(events.threads, events.timeline, list);
  MeasurePauses(events.gc, list);
  MeasureRequests(events.model, list);
  MeasureRoutes(events.requests, list);
}

}  // namespace hindsight::analyzer
