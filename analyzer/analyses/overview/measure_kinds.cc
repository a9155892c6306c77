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
           {"findings.critical", "", U::kCount,
            "findings of `summary` that end or stop the service"},
           {"findings.warning", "", U::kCount, "findings of `summary` that cost much, or grow"},
           {"findings.note", "", U::kCount, "findings of `summary` that are worth knowing"},
           {"findings.count", "kind", U::kCount, "findings of a kind, as JSON names it"},
       }},
      {{},
       needs::kBaseline,
       {
           {"differences.worse", "", U::kCount, "what `diff` calls worse, or new and costly"},
           {"differences.better", "", U::kCount, "what `diff` calls better, or gone"},
           {"differences.count", "", U::kCount, "all differences that `diff` finds"},
           {"differences.worse", "signal", U::kCount,
            "what `diff` calls worse in a signal: cpu, exceptions, ..."},
       }},
      {S::kDeadlocks,
       needs::kWaitGraph,
       {
           {"deadlocks.count", "", U::kCount, "deadlocks"},
           {"deadlocks.members", "", U::kCount, "threads and tasks that are in deadlocks"},
           {"deadlocks.victims", "", U::kCount,
            "threads and async methods that wait behind deadlocks"},
       }},
      {S::kTasks,
       needs::kHeap,
       {
           {"tasks.unfinished", "", U::kCount, "tasks that are not done"},
           {"tasks.chains", "", U::kCount, "async calls that wait, each with all that awaits it"},
       }},
      {S::kTasks,
       needs::kTwoHeaps,
       {
           {"tasks.stuck", "", U::kCount,
            "async calls that made no progress since the snapshot before"},
       }},
      {S::kTasks,
       needs::kHeap,
       {
           {"tasks.chains", "method", U::kCount, "async calls that wait in a method"},
       }},
      {S::kThreads,
       needs::kThreads,
       {
           {"threads.started", "", U::kCount, "threads that were started"},
           {"threads.ended", "", U::kCount, "threads that ended"},
           {"threads.peak", "", U::kCount, "threads that lived at the same time, at most"},
       }},
      {S::kThreads,
       needs::kThreadSnapshot,
       {
           {"threads.leaked", "", U::kCount,
            "threads of places that start more and more of them which never end"},
           {"threads.dead", "", U::kCount, "threads that will probably never go on"},
       }},
      {S::kPool,
       needs::kPool,
       {
           {"pool.stalled", "", U::kNanoseconds,
            "time in which work waited and the pool completed none"},
           {"pool.stall.longest", "", U::kNanoseconds,
            "the longest time in which the pool completed no work though some waited"},
           {"pool.queue.peak", "", U::kCount, "pieces of work that waited for a worker, at most"},
           {"pool.workers.peak", "", U::kCount, "workers, at most"},
           {"pool.starvations", "", U::kCount,
            "times that the runtime added a worker because work stood still"},
           {"pool.completed_per_second", "", U::kPerSecond, "pieces of work done"},
       }},
      {S::kPool,
       needs::kPoolWorkers,
       {
           {"pool.blocked", "", U::kCount, "workers that were seen to block at the same time"},
       }},
      {S::kExceptions,
       needs::kExceptions,
       {
           {"exceptions.count", "", U::kCount,
            "exceptions, each once, however often it was thrown again"},
           {"exceptions.per_second", "", U::kPerSecond, "exceptions in a second, on average"},
           {"exceptions.per_second.peak", "", U::kPerSecond,
            "exceptions in a second, in the worst sixtieth of the time"},
           {"exceptions.throws", "", U::kCount, "throws, rethrows and awaits included"},
           {"exceptions.unhandled", "", U::kCount,
            "exceptions that ended the process, or probably did"},
           {"exceptions.swallowed", "", U::kCount, "exceptions caught and never seen again"},
           {"exceptions.ended_requests", "", U::kCount,
            "exceptions that went through a web server's whole pipeline and ended a request"},
           {"exceptions.replaced", "", U::kCount,
            "exceptions replaced by another one in a finally block"},
           {"exceptions.lost_in_filters", "", U::kCount,
            "exceptions thrown in a filter, which the runtime drops"},
           {"exceptions.time", "", U::kNanoseconds, "time from throw to catch, of all"},
           {"exceptions.time.p50", "", U::kNanoseconds, "time from throw to catch, the median"},
           {"exceptions.time.p99", "", U::kNanoseconds,
            "time from throw to catch, of all but one in a hundred"},
           {"exceptions.time.max", "", U::kNanoseconds, "time from throw to catch, the longest"},
           {"exceptions.count", "type", U::kCount, "exceptions of a type"},
           {"exceptions.per_second", "type", U::kPerSecond,
            "exceptions of a type in a second, on average"},
           {"exceptions.swallowed", "type", U::kCount,
            "exceptions of a type caught and never seen again"},
           {"exceptions.unhandled", "type", U::kCount,
            "exceptions of a type that ended the process, or probably did"},
           {"exceptions.count", "method", U::kCount, "exceptions that a method threw"},
           {"exceptions.per_second", "method", U::kPerSecond,
            "exceptions that a method threw in a second, on average"},
       }},
      {S::kHeap,
       needs::kHeap,
       {
           {"heap.bytes", "", U::kBytes, "bytes of reachable objects"},
           {"heap.objects", "", U::kCount, "reachable objects"},
           {"heap.unreachable", "", U::kBytes, "bytes of garbage that was not collected yet"},
           {"heap.pinned", "", U::kBytes, "bytes of pinned objects"},
           {"heap.finalizer_queue", "", U::kCount, "objects that wait for their finalizer"},
           {"heap.collections.empty_room", "", U::kBytes,
            "bytes of room in collections that nothing uses"},
           {"heap.strings.bytes", "", U::kBytes, "bytes of strings"},
       }},
      {S::kHeap,
       needs::kStringContents,
       {
           {"heap.strings.duplicates", "", U::kBytes,
            "bytes of strings whose text another one has"},
       }},
      {S::kHeap,
       needs::kHeap,
       {
           {"heap.pause", "", U::kNanoseconds,
            "how long the application stood still for the snapshot"},
           {"heap.retained", "type", U::kBytes,
            "bytes that would be free without the objects of a type"},
           {"heap.bytes", "type", U::kBytes, "bytes of a type's objects themselves"},
           {"heap.objects", "type", U::kCount, "objects of a type"},
           {"leaks.count", "", U::kCount, "what piles up and looks like a leak"},
           {"leaks.sure", "", U::kCount, "likely leaks of high confidence"},
           {"leaks.retained", "", U::kBytes, "bytes that the largest likely leak keeps"},
           {"leaks.share", "", U::kShare, "share of the heap that the largest likely leak keeps"},
           {"leaks.retained", "type", U::kBytes, "bytes that likely leaks of a type keep"},
       }},
      {S::kPauses,
       needs::kPauses,
       {
           {"gc.pause.count", "", U::kCount, "pauses for collections"},
           {"gc.pause.p50", "", U::kNanoseconds, "pause for a collection, the median"},
           {"gc.pause.p90", "", U::kNanoseconds, "pause for a collection, of all but one in ten"},
           {"gc.pause.p99", "", U::kNanoseconds,
            "pause for a collection, of all but one in a hundred"},
           {"gc.pause.max", "", U::kNanoseconds, "the longest pause for a collection"},
           {"gc.pause.total", "", U::kNanoseconds, "all pauses for collections together"},
           {"gc.pause.share", "", U::kShare, "share of the time that pauses for collections took"},
           {"gc.collections", "", U::kCount, "collections"},
           {"gc.collections.gen0", "", U::kCount, "collections of generation 0"},
           {"gc.collections.gen1", "", U::kCount, "collections of generation 1"},
           {"gc.collections.gen2", "", U::kCount, "collections of all generations"},
           {"gc.collections.induced", "", U::kCount,
            "collections that the application or a library asked for"},
       }},
      {S::kPauses,
       needs::kCollectionSizes,
       {
           {"gc.heap.peak", "", U::kBytes, "the heap after a collection, at most"},
           {"gc.heap.last", "", U::kBytes, "the heap after the last collection"},
           {"gc.heap.committed", "", U::kBytes,
            "memory that the collector had from the system, at most"},
       }},
      {S::kPauses,
       needs::kPauses,
       {
           {"pauses.count", "", U::kCount,
            "times that all threads stood still, for whatever reason"},
           {"pauses.p50", "", U::kNanoseconds, "pause for whatever reason, the median"},
           {"pauses.p99", "", U::kNanoseconds,
            "pause for whatever reason, of all but one in a hundred"},
           {"pauses.max", "", U::kNanoseconds, "the longest pause"},
           {"pauses.total", "", U::kNanoseconds, "all pauses together"},
           {"pauses.share", "", U::kShare, "share of the time that pauses took"},
       }},
      {S::kPauses,
       needs::kCompiler,
       {
           {"jit.methods", "", U::kCount, "methods that were compiled while recording"},
           {"jit.time", "", U::kNanoseconds, "time that compiling took"},
       }},
      {S::kCpu,
       needs::kCpu,
       {
           {"cpu.cores", "", U::kCores, "CPU time in the time, on average"},
           {"cpu.cores.peak", "", U::kCores, "CPU time in the time, in the busiest sixtieth"},
           {"cpu.time", "", U::kNanoseconds, "CPU time"},
           {"cpu.share", "method", U::kShare,
            "share of the CPU time, with all that the method calls"},
           {"cpu.cores", "method", U::kCores,
            "CPU time in the time, with all that the method calls"},
           {"cpu.time", "method", U::kNanoseconds, "CPU time, with all that the method calls"},
           {"cpu.self.share", "method", U::kShare, "share of the CPU time, in the method itself"},
           {"cpu.self.cores", "method", U::kCores, "CPU time in the time, in the method itself"},
           {"cpu.self.time", "method", U::kNanoseconds, "CPU time in the method itself"},
           {"cpu.share", "thread", U::kShare, "share of the CPU time that threads of a name took"},
           {"cpu.cores", "thread", U::kCores, "CPU time in the time, of threads of a name"},
       }},
      {S::kAllocations,
       needs::kAllocations,
       {
           {"allocations.bytes", "", U::kBytes, "bytes allocated"},
           {"allocations.bytes_per_second", "", U::kBytesPerSecond,
            "bytes allocated in a second, on average"},
           {"allocations.bytes_per_second.peak", "", U::kBytesPerSecond,
            "bytes allocated in a second, in the busiest sixtieth of the time"},
           {"allocations.objects", "", U::kCount, "objects allocated"},
           {"allocations.large", "", U::kBytes, "bytes allocated on the large object heap"},
           {"allocations.share", "type", U::kShare, "a type's share of the bytes allocated"},
           {"allocations.bytes_per_second", "type", U::kBytesPerSecond,
            "bytes of a type allocated in a second"},
           {"allocations.bytes", "type", U::kBytes, "bytes of a type allocated"},
           {"allocations.share", "method", U::kShare,
            "a method's share of the bytes allocated, with all that it calls"},
           {"allocations.bytes_per_second", "method", U::kBytesPerSecond,
            "bytes that a method allocated in a second, with all that it calls"},
           {"allocations.bytes", "method", U::kBytes,
            "bytes that a method allocated, with all that it calls"},
       }},
      {S::kLocks,
       needs::kLocks,
       {
           {"locks.waits", "", U::kCount, "waits for locks"},
           {"locks.waits_per_second", "", U::kPerSecond, "waits for locks in a second, on average"},
           {"locks.wait_time", "", U::kNanoseconds,
            "time that threads waited for locks, all together"},
           {"locks.waiting", "", U::kCount, "threads that waited for a lock, on average"},
           {"locks.longest", "", U::kNanoseconds, "the longest wait for a lock"},
           {"locks.open", "", U::kCount, "waits for locks that had not ended"},
           {"locks.waits", "method", U::kCount, "waits for locks in a method"},
           {"locks.waits_per_second", "method", U::kPerSecond,
            "waits for locks in a method in a second, on average"},
           {"locks.wait_time", "method", U::kNanoseconds,
            "time that threads waited for locks in a method"},
           {"locks.waiting", "method", U::kCount,
            "threads that waited for a lock in a method, on average"},
           {"locks.longest", "method", U::kNanoseconds, "the longest wait for a lock in a method"},
       }},
      {{},
       needs::kRequests,
       {
           {"requests.count", "", U::kCount, "requests that were served"},
           {"requests.per_second", "", U::kPerSecond,
            "requests that were served in a second, on average"},
           {"requests.failed", "", U::kCount,
            "requests that ended with an exception that nothing handled"},
           {"requests.failed.share", "", U::kShare, "share of the requests that failed"},
           {"requests.time.mean", "", U::kNanoseconds, "how long a request took, on average"},
       }},
      {{},
       needs::kEvents,
       {
           {"recording.duration", "", U::kNanoseconds, "how long was recorded"},
           {"recording.losses", "", U::kCount,
            "events, segments and names that happened and are not in the recording"},
       }},
      {{},
       needs::kRecorderCost,
       {
           {"recorder.cores", "", U::kCores, "CPU time in the time that the recorder took"},
           {"recorder.memory", "", U::kBytes, "memory that the recorder held at the end"},
           {"recorder.written", "", U::kBytes, "bytes that the recorder wrote"},
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
