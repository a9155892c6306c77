#include <algorithm>

#include "analyzer/analyses/requests.h"
#include "analyzer/exports/tables/rows.h"

namespace hindsight::analyzer {
namespace {

void WriteThreads(const Model& model, NameTables& names, TableWriter& writer) {
  if (!writer.Begin("threads")) return;
  for (ThreadIndex i = 1; i < model.threads.size(); ++i) {
    const ThreadInfo& thread = model.threads[i];
    const auto when = [](bool is_known, int64_t ns) {
      return is_known ? std::optional(ns) : std::nullopt;
    };
    writer.Row(i, Known(thread.os_id), KnownText(model.dictionaries.String(thread.name)),
               when(thread.has_start, thread.start_ns), when(thread.has_end, thread.end_ns),
               thread.throws, Known(names.OfStack(thread.creator_stack)));
  }
}

void WriteCpuSamples(const Model& model, NameTables& names, TableWriter& writer) {
  if (!writer.Begin("cpu_samples")) return;
  uint64_t number = 0;
  for (const CpuSample& sample : model.samples.cpu.samples) {
    writer.Row(++number, sample.at_ns, Known(sample.thread), Known(names.OfCall(sample.call)),
               sample.cpu_ns, sample.unrooted);
  }
}

std::string_view HeapName(AllocationHeap heap) {
  switch (heap) {
    case AllocationHeap::kSmall:
      return "small";
    case AllocationHeap::kLarge:
      return "large";
    case AllocationHeap::kPinned:
      return "pinned";
    case AllocationHeap::kUnknown:
      break;
  }
  return "unknown";
}

void WriteAllocationSamples(const Model& model, NameTables& names, TableWriter& writer) {
  if (!writer.Begin("allocation_samples")) return;
  uint64_t number = 0;
  for (const AllocationSample& sample : model.samples.allocations.samples) {
    writer.Row(++number, sample.at_ns, Known(sample.thread), Known(names.OfCall(sample.call)),
               Known(names.OfType(sample.type)), HeapName(sample.heap), sample.size, sample.objects,
               sample.bytes);
  }
}

template <typename Counter>
std::optional<size_t> MostFrequent(const Counter& counter) {
  const auto& entries = counter.entries();
  if (entries.empty()) return {};
  const auto most =
      std::max_element(entries.begin(), entries.end(),
                       [](const auto& a, const auto& b) { return a.count < b.count; });
  return static_cast<size_t>(most - entries.begin());
}

void WriteExceptions(const Model& model, NameTables& names, TableWriter& writer) {
  if (!writer.Begin("exceptions")) return;
  uint64_t number = 0;
  for (const ExceptionGroup& group : model.exceptions.groups) {
    std::optional<std::string_view> message;
    const auto most = MostFrequent(group.messages);
    if (most && *most < group.message_texts.size()) message = group.message_texts[*most];
    const auto handler = MostFrequent(group.handlers);
    const MethodId catcher =
        handler ? model.dictionaries.handler(group.handlers.entries()[*handler].key).method : 0;
    writer.Row(++number, Known(names.OfType(group.type)), Known(names.OfStack(group.stack)),
               group.count, group.Throws(), group.EndedAs(Ending::kUnhandled),
               group.EndedAs(Ending::kInFlight), group.EndedAs(Ending::kSwallowed),
               group.EndedAs(Ending::kWrapped), group.EndedAs(Ending::kReplaced),
               group.EndedAs(Ending::kLostInFilter) + group.EndedAs(Ending::kCaughtNative),
               group.first_ns, group.last_ns, group.total_ns, group.durations.Quantile(0.99),
               message, Known(names.OfMethod(catcher)));
  }
}

std::string_view HopName(Hop hop) {
  switch (hop) {
    case Hop::kRethrow:
      return "rethrow";
    case Hop::kRestored:
      return "restored";
    case Hop::kAgain:
      return "again";
    case Hop::kNone:
      break;
  }
  return "first";
}

void WriteThrows(const Model& model, NameTables& names, TableWriter& writer) {
  if (!writer.Begin("throws")) return;
  uint64_t number = 0;
  for (const ThrowRow& row : model.exceptions.rows) {
    writer.Row(++number, row.at_ns, Known(row.thread), Known(names.OfType(row.type)),
               Known(names.OfStack(row.stack)), HopName(row.hop));
  }
}

void WriteCounters(const Model& model, TableWriter& writer) {
  if (writer.Begin("jit")) {
    uint64_t number = 0;
    for (const JitState& state : model.samples.jit) {
      writer.Row(++number, state.at_ns, state.methods, state.il_bytes, state.time_ns,
                 state.background_ns, state.r2r_rejected);
    }
  }
  if (writer.Begin("requests")) {
    uint64_t number = 0;
    for (const RequestSample& sample : model.requests.samples) {
      writer.Row(++number, sample.at_ns, sample.started, sample.finished, sample.failed,
                 sample.total_ns);
    }
  }
}

void WriteRoutes(const Model& model, TableWriter& writer) {
  const RequestReport report = AnalyzeRequests(model);
  const auto each = [&report](const auto& use) {
    uint64_t number = 0;
    for (const RequestRow& row : report.served) use(++number, "served", row);
    for (const RequestRow& row : report.made) use(++number, "made", row);
  };
  if (writer.Begin("routes")) {
    each([&writer](uint64_t number, std::string_view side, const RequestRow& row) {
      writer.Row(number, side, row.method, row.target, row.count, row.failed, row.total_ns,
                 row.p50_ns, row.p95_ns, row.p99_ns, row.slowest_ns, row.slowest_at_ns);
    });
  }
  if (writer.Begin("request_endings")) {
    each([&writer](uint64_t number, std::string_view, const RequestRow& row) {
      uint64_t ending_number = 0;
      for (const RequestEnding& ending : row.endings) {
        writer.Row(number, ++ending_number, ending.status, ending.error, ending.is_failure ? 1 : 0,
                   ending.count);
      }
    });
  }
}

void WriteRequestParts(const std::vector<RequestPartRow>& rows, std::string_view kind,
                       uint64_t& number, TableWriter& writer) {
  for (const RequestPartRow& row : rows) {
    const RequestPartGroup& group = *row.group;
    writer.Row(++number, kind, KnownText(group.what), KnownText(group.text),
               row.is_outside() ? 0 : 1, KnownText(row.route), KnownText(row.place_name),
               group.count, group.failed, group.total_ns, group.requests, row.per_request,
               row.most_per_request);
  }
}

void WriteRequestDetails(const Model& model, TableWriter& writer) {
  const RequestWork work = AnalyzeRequestWork(model);
  if (writer.Begin("request_work")) {
    uint64_t number = 0;
    for (const RequestWorkRow& row : work.routes) {
      const RequestTimes& times = row.times;
      writer.Row(++number, KnownText(row.route->name), row.route->count, row.route->failed,
                 times.total_ns, row.p50_ns, row.p95_ns, row.p99_ns, row.slowest_ns,
                 row.route->commands, row.route->calls, times.database_ns, times.calls_ns,
                 times.cpu_ns, times.lock_ns, times.pause_ns, times.unknown_ns);
    }
  }
  if (writer.Begin("request_parts")) {
    uint64_t number = 0;
    WriteRequestParts(work.commands, "command", number, writer);
    WriteRequestParts(work.calls, "call", number, writer);
  }
  if (writer.Begin("slow_requests")) {
    const RequestDetails& details = model.requests.details;
    uint64_t number = 0;
    for (const SingleRequest& row : details.slowest) {
      writer.Row(++number, row.at_ns, KnownText(details.routes[row.route].name), row.duration_ns,
                 Known(row.status), row.commands, row.database_ns, row.calls, row.calls_ns);
    }
  }
}

}  // namespace

void WriteEventRows(const Model& model, NameTables& names, TableWriter& writer) {
  WriteThreads(model, names, writer);
  WriteCpuSamples(model, names, writer);
  WriteAllocationSamples(model, names, writer);
  WriteExceptions(model, names, writer);
  WriteThrows(model, names, writer);
  WriteCounters(model, writer);
  WriteRoutes(model, writer);
  WriteRequestDetails(model, writer);
}

}  // namespace hindsight::analyzer
