// The list of all measures. Names never change their meaning: budgets are written against them.
#include <algorithm>
#include <initializer_list>

#include "analyzer/analyses/overview/measure_needs.h"
#include "analyzer/analyses/overview/measures.h"

namespace hindsight::analyzer {
namespace {

struct Row {
  std::string_view name, subject;
  Unit unit;
  std::string_view meaning;
};

struct Section {
  std::optional<Signal> signal;
  const MeasureNeeds& needs;
  std::initializer_list<Row> rows;
};

std::vector<MeasureKind> MakeKinds() {
  using S = Signal;
  using U = Unit;
  const Section sections[] = {
      {{},
       needs::kAnything,
       {
           {"findings.critical", "", U::kCount, "findings that end or stop the service"},
           {"findings.warning", "", U::kCount, "findings that cost much, or grow"},
           {"findings.note", "", U::kCount, "findings worth knowing"},
           {"findings.count", "kind", U::kCount, "findings of one kind, by its name in JSON"},
       }},
      {{},
       needs::kBaseline,
       {
           {"differences.worse", "", U::kCount,
            "regressions found by `diff`, costly new rows included"},
           {"differences.better", "", U::kCount,
            "improvements found by `diff`, vanished rows included"},
           {"differences.count", "", U::kCount, "all differences found by `diff`"},
           {"differences.worse", "signal", U::kCount,
            "regressions found by `diff` in one signal: cpu, exceptions, ..."},
       }},
      {S::kDeadlocks,
       needs::kWaitGraph,
       {
           {"deadlocks.count", "", U::kCount, "deadlocks"},
           {"deadlocks.members", "", U::kCount, "threads and tasks in deadlocks"},
           {"deadlocks.victims", "", U::kCount,
            "threads and async methods waiting behind deadlocks"},
       }},
      {S::kTasks,
       needs::kTaskStates,
       {
           {"tasks.unfinished", "", U::kCount, "unfinished tasks"},
       }},
      {S::kTasks,
       needs::kHeap,
       {
           {"tasks.chains", "", U::kCount,
            "waiting async calls, each with everything that awaits it"},
       }},
      {S::kTasks,
       needs::kTwoHeaps,
       {
           {"tasks.stuck", "", U::kCount,
            "async calls without progress since the previous snapshot"},
       }},
      {S::kTasks,
       needs::kHeap,
       {
           {"tasks.chains", "method", U::kCount, "async calls waiting in a method"},
       }},
      {S::kThreads,
       needs::kThreads,
       {
           {"threads.started", "", U::kCount, "threads started"},
           {"threads.ended", "", U::kCount, "threads ended"},
           {"threads.peak", "", U::kCount, "most threads alive at once"},
       }},
      {S::kThreads,
       needs::kThreadSnapshot,
       {
           {"threads.leaked", "", U::kCount,
            "threads started at places that keep starting threads that never end"},
           {"threads.dead", "", U::kCount, "threads idle or stuck forever for a minute or more"},
       }},
      {S::kPool,
       needs::kPool,
       {
           {"pool.stalled", "", U::kNanoseconds,
            "time in which work was queued and the pool completed none"},
           {"pool.stall.longest", "", U::kNanoseconds,
            "longest time in which work was queued and the pool completed none"},
           {"pool.queue.peak", "", U::kCount, "most work items queued at once"},
           {"pool.workers.peak", "", U::kCount, "most workers"},
           {"pool.starvations", "", U::kCount,
            "times that the runtime added a worker because of starvation"},
           {"pool.completed_per_second", "", U::kPerSecond, "work items completed"},
       }},
      {S::kPool,
       needs::kPoolWorkers,
       {
           {"pool.blocked", "", U::kCount, "most workers blocked at once"},
       }},
      {S::kExceptions,
       needs::kExceptions,
       {
           {"exceptions.count", "", U::kCount, "exceptions; rethrows are not counted again"},
           {"exceptions.per_second", "", U::kPerSecond, "exceptions per second"},
           {"exceptions.per_second.peak", "", U::kPerSecond,
            "exceptions per second in the worst 1/60 of the recording"},
           {"exceptions.throws", "", U::kCount, "throws, rethrows and awaits included"},
           {"exceptions.unhandled", "", U::kCount, "exceptions that (probably) ended the process"},
           {"exceptions.swallowed", "", U::kCount, "swallowed exceptions"},
           {"exceptions.ended_requests", "", U::kCount,
            "exceptions that left the web server's pipeline and ended a request"},
           {"exceptions.replaced", "", U::kCount,
            "exceptions replaced by another one in a finally block"},
           {"exceptions.lost_in_filters", "", U::kCount,
            "exceptions thrown in a filter, which the runtime discards"},
           {"exceptions.time", "", U::kNanoseconds, "time from throw to catch, total"},
           {"exceptions.time.p50", "", U::kNanoseconds, "time from throw to catch, median"},
           {"exceptions.time.p99", "", U::kNanoseconds,
            "time from throw to catch, 99th percentile"},
           {"exceptions.time.max", "", U::kNanoseconds, "time from throw to catch, maximum"},
           {"exceptions.count", "type", U::kCount, "exceptions of a type"},
           {"exceptions.per_second", "type", U::kPerSecond, "exceptions of a type per second"},
           {"exceptions.swallowed", "type", U::kCount, "swallowed exceptions of a type"},
           {"exceptions.unhandled", "type", U::kCount,
            "exceptions of a type that (probably) ended the process"},
           {"exceptions.count", "method", U::kCount, "exceptions thrown by a method"},
           {"exceptions.per_second", "method", U::kPerSecond,
            "exceptions thrown by a method per second"},
       }},
      {S::kHeap,
       needs::kHeap,
       {
           {"heap.bytes", "", U::kBytes, "bytes of reachable objects"},
           {"heap.objects", "", U::kCount, "reachable objects"},
           {"heap.unreachable", "", U::kBytes, "bytes of garbage not collected yet"},
           {"heap.pinned", "", U::kBytes, "bytes of pinned objects"},
           {"heap.finalizer_queue", "", U::kCount, "objects waiting for their finalizer"},
           {"heap.collections.empty_room", "", U::kBytes, "unused bytes in collections"},
           {"heap.strings.bytes", "", U::kBytes, "bytes of strings"},
       }},
      {S::kHeap,
       needs::kStringContents,
       {
           {"heap.strings.duplicates", "", U::kBytes, "bytes of duplicate strings"},
       }},
      {S::kHeap,
       needs::kHeap,
       {
           {"heap.pause", "", U::kNanoseconds, "pause for the snapshot"},
           {"heap.retained", "type", U::kBytes, "bytes retained by the objects of a type"},
           {"heap.bytes", "type", U::kBytes, "shallow bytes of a type's objects"},
           {"heap.objects", "type", U::kCount, "objects of a type"},
           {"leaks.count", "", U::kCount, "leak suspects"},
           {"leaks.sure", "", U::kCount, "leak suspects of high confidence"},
           {"leaks.retained", "", U::kBytes, "bytes retained by the largest leak suspect"},
           {"leaks.share", "", U::kShare, "share of the heap retained by the largest leak suspect"},
           {"leaks.retained", "type", U::kBytes, "bytes retained by leak suspects of a type"},
       }},
      {S::kPauses,
       needs::kPauses,
       {
           {"gc.pause.count", "", U::kCount, "GC pauses"},
           {"gc.pause.p50", "", U::kNanoseconds, "GC pause, median"},
           {"gc.pause.p90", "", U::kNanoseconds, "GC pause, 90th percentile"},
           {"gc.pause.p99", "", U::kNanoseconds, "GC pause, 99th percentile"},
           {"gc.pause.max", "", U::kNanoseconds, "longest GC pause"},
           {"gc.pause.total", "", U::kNanoseconds, "total GC pause time"},
           {"gc.pause.share", "", U::kShare, "share of the time spent in GC pauses"},
           {"gc.collections", "", U::kCount, "collections"},
           {"gc.collections.gen0", "", U::kCount, "gen0 collections"},
           {"gc.collections.gen1", "", U::kCount, "gen1 collections"},
           {"gc.collections.gen2", "", U::kCount, "gen2 (full) collections"},
           {"gc.collections.induced", "", U::kCount, "collections induced by GC.Collect"},
       }},
      {S::kPauses,
       needs::kCollectionSizes,
       {
           {"gc.heap.peak", "", U::kBytes, "largest heap after a collection"},
           {"gc.heap.last", "", U::kBytes, "heap after the last collection"},
           {"gc.heap.committed", "", U::kBytes, "most memory committed by the collector"},
       }},
      {S::kPauses,
       needs::kPauses,
       {
           {"pauses.count", "", U::kCount, "stop-the-world pauses, for any reason"},
           {"pauses.p50", "", U::kNanoseconds, "pause for any reason, median"},
           {"pauses.p99", "", U::kNanoseconds, "pause for any reason, 99th percentile"},
           {"pauses.max", "", U::kNanoseconds, "longest pause"},
           {"pauses.total", "", U::kNanoseconds, "total pause time"},
           {"pauses.share", "", U::kShare, "share of the time spent in pauses"},
       }},
      {S::kPauses,
       needs::kCompiler,
       {
           {"jit.methods", "", U::kCount, "methods compiled during the recording"},
           {"jit.time", "", U::kNanoseconds, "time spent compiling"},
       }},
      {S::kCpu,
       needs::kCpu,
       {
           {"cpu.cores", "", U::kCores, "average cores used"},
           {"cpu.cores.peak", "", U::kCores,
            "average cores used in the busiest 1/60 of the recording"},
           {"cpu.time", "", U::kNanoseconds, "CPU time"},
           {"cpu.share", "method", U::kShare, "share of the CPU time, total of a method"},
           {"cpu.cores", "method", U::kCores, "average cores used, total of a method"},
           {"cpu.time", "method", U::kNanoseconds, "CPU time, total of a method"},
           {"cpu.self.share", "method", U::kShare, "share of the CPU time, self of a method"},
           {"cpu.self.cores", "method", U::kCores, "average cores used, self of a method"},
           {"cpu.self.time", "method", U::kNanoseconds, "CPU time, self of a method"},
           {"cpu.share", "thread", U::kShare, "share of the CPU time used by threads of a name"},
           {"cpu.cores", "thread", U::kCores, "average cores used by threads of a name"},
       }},
      {S::kAllocations,
       needs::kAllocations,
       {
           {"allocations.bytes", "", U::kBytes, "bytes allocated"},
           {"allocations.bytes_per_second", "", U::kBytesPerSecond, "bytes allocated per second"},
           {"allocations.bytes_per_second.peak", "", U::kBytesPerSecond,
            "bytes allocated per second in the busiest 1/60 of the recording"},
           {"allocations.objects", "", U::kCount, "objects allocated"},
           {"allocations.large", "", U::kBytes, "bytes allocated on the large object heap"},
           {"allocations.share", "type", U::kShare, "a type's share of the bytes allocated"},
           {"allocations.bytes_per_second", "type", U::kBytesPerSecond,
            "bytes of a type allocated per second"},
           {"allocations.bytes", "type", U::kBytes, "bytes of a type allocated"},
           {"allocations.share", "method", U::kShare,
            "a method's share of the bytes allocated, callees included"},
           {"allocations.bytes_per_second", "method", U::kBytesPerSecond,
            "bytes allocated by a method per second, callees included"},
           {"allocations.bytes", "method", U::kBytes,
            "bytes allocated by a method, callees included"},
       }},
      {S::kLocks,
       needs::kLocks,
       {
           {"locks.waits", "", U::kCount, "waits for locks"},
           {"locks.waits_per_second", "", U::kPerSecond, "waits for locks per second"},
           {"locks.wait_time", "", U::kNanoseconds, "total time that threads waited for locks"},
           {"locks.waiting", "", U::kCount, "threads waiting for a lock, on average"},
           {"locks.longest", "", U::kNanoseconds, "longest wait for a lock"},
           {"locks.open", "", U::kCount, "waits for locks not over at the end"},
           {"locks.waits", "method", U::kCount, "waits for locks in a method"},
           {"locks.waits_per_second", "method", U::kPerSecond,
            "waits for locks in a method per second"},
           {"locks.wait_time", "method", U::kNanoseconds,
            "time that threads waited for locks in a method"},
           {"locks.waiting", "method", U::kCount,
            "threads waiting for a lock in a method, on average"},
           {"locks.longest", "method", U::kNanoseconds, "longest wait for a lock in a method"},
       }},
      {{},
       needs::kRequests,
       {
           {"requests.count", "", U::kCount, "requests served"},
           {"requests.per_second", "", U::kPerSecond, "requests served per second"},
           {"requests.failed", "", U::kCount, "requests that ended with an unhandled exception"},
           {"requests.failed.share", "", U::kShare, "share of the requests that failed"},
           {"requests.server_errors", "", U::kCount,
            "requests answered with a status of 500 or more"},
           {"requests.server_errors.share", "", U::kShare, "share of the requests so answered"},
           {"requests.time.mean", "", U::kNanoseconds, "mean duration of a request"},
       }},
      {{},
       needs::kRoutes,
       {
           {"requests.count", "route", U::kCount, "requests served by a route"},
           {"requests.failed", "route", U::kCount,
            "requests of a route that ended with a status of 500 and above, or an exception"},
           {"requests.failed.share", "route", U::kShare, "share of a route's requests that failed"},
           {"requests.time.mean", "route", U::kNanoseconds, "mean duration of a route's requests"},
           {"requests.time.p50", "route", U::kNanoseconds, "their median, estimated"},
           {"requests.time.p95", "route", U::kNanoseconds, "their 95th percentile, estimated"},
           {"requests.time.p99", "route", U::kNanoseconds, "their 99th percentile, estimated"},
           {"calls.count", "server", U::kCount, "requests made to a server with HttpClient"},
           {"calls.failed", "server", U::kCount, "those that failed"},
           {"calls.failed.share", "server", U::kShare, "share of them that failed"},
           {"calls.time.mean", "server", U::kNanoseconds, "their mean duration"},
           {"calls.time.p95", "server", U::kNanoseconds, "their 95th percentile, estimated"},
           {"calls.time.p99", "server", U::kNanoseconds, "their 99th percentile, estimated"},
       }},
      {{},
       needs::kSingleRequests,
       {
           {"requests.commands.mean", "route", U::kCount,
            "database commands that a request of a route makes, on average"},
           {"requests.calls.mean", "route", U::kCount,
            "calls with HttpClient that it makes, on average"},
       }},
      {{},
       needs::kEvents,
       {
           {"recording.duration", "", U::kNanoseconds, "duration of the recording"},
           {"recording.losses", "", U::kCount, "events, segments and names lost"},
       }},
      {{},
       needs::kRecorderCost,
       {
           {"recorder.cores", "", U::kCores, "average cores used by the recorder"},
           {"recorder.memory", "", U::kBytes, "memory used by the recorder at the end"},
           {"recorder.written", "", U::kBytes, "bytes written by the recorder"},
       }},
  };
  std::vector<MeasureKind> kinds;
  for (const Section& section : sections) {
    for (const Row& row : section.rows) {
      kinds.push_back(
          {row.name, section.signal, row.unit, row.subject, &section.needs, row.meaning});
    }
  }
  return kinds;
}

}  // namespace

std::string_view UnitName(Unit unit) {
  switch (unit) {
    case Unit::kCount:
      return "count";
    case Unit::kNanoseconds:
      return "nanoseconds";
    case Unit::kBytes:
      return "bytes";
    case Unit::kShare:
      return "share";
    case Unit::kPerSecond:
      return "per_second";
    case Unit::kBytesPerSecond:
      return "bytes_per_second";
    case Unit::kCores:
      break;
  }
  return "cores";
}

std::span<const MeasureKind> MeasureKinds() {
  static const std::vector<MeasureKind> kKinds = MakeKinds();
  return kKinds;
}

const MeasureKind* FindMeasureKind(std::string_view name, std::string_view subject) {
  const std::span<const MeasureKind> kinds = MeasureKinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const MeasureKind& kind) {
    return kind.name == name && kind.subject == subject;
  });
  return found == kinds.end() ? nullptr : &*found;
}

}  // namespace hindsight::analyzer
