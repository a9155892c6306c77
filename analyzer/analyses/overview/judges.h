// The parts of FindAll: one function per signal. Each appends its findings to `findings`, and
// returns what it covered. FindAll decides whether the findings make the signal unhealthy.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/overview/finding.h"
#include "analyzer/analyses/overview/overview_rules.h"
#include "analyzer/analyses/overview/reports.h"

namespace hindsight::analyzer {

using Judge = Coverage(const Reports& reports, const OverviewRules& rules,
                       std::vector<Finding>& findings);

// Those of different recordings cannot be compared in that way.
inline constexpr std::string_view kOneSnapshot =
    "A single snapshot does not show how long they wait: take two during one recording.";

// Whether another judge has reported such a problem.
inline bool IsReported(const std::vector<Finding>& findings, std::string_view kind) {
  return std::ranges::find(findings, kind, &Finding::kind) != findings.end();
}

Judge JudgeDeadlocks;              // judge_deadlocks.cc
Judge JudgeTasks;                  // judge_tasks.cc
Judge JudgeThreads;                // judge_threads.cc
Judge JudgePool;                   // judge_pool.cc
Judge JudgeLocks;                  // judge_locks.cc
Judge JudgeExceptions;             // judge_exceptions.cc
Judge JudgeHeap;                   // judge_heap.cc
Judge JudgePauses;                 // judge_pauses.cc
Judge JudgeCpu, JudgeAllocations;  // judge_code.cc

// Whether a deadlock, at least this well proved, has the method among those that wait behind it. In
// judge_deadlocks.cc.
bool IsInDeadlock(std::string_view place, const DeadlockReport& report, Proof least);

// Exceptions of your code that a package catches: jobs and messages that fail. Returns, for each
// index in `report`, whether that exception is reported. In judge_failing_work.cc.
std::vector<bool> JudgeFailingWork(const ExceptionReport& report, const OverviewRules& rules,
                                   std::vector<Finding>& findings);

// Whether it may be the reason why requests take long. In judge_stalled_requests.cc.
bool StopsService(const Finding& finding);
// A time without the end of a request; requests that begin faster than they end. Unless `findings`
// explain it. Likewise, and in judge_piled_up_requests.cc.
void JudgeStalledRequests(const Model& model, const OverviewRules& rules,
                          std::vector<Finding>& findings);
void JudgePiledUpRequests(const Reports& reports, const OverviewRules& rules,
                          std::vector<Finding>& findings);

// Parts of JudgeTasks. In judge_lost_requests.cc, judge_shutdown.cc, and judge_crowded_requests.cc:
// the last one reports no place that another finding names.
void JudgeLostRequests(const TaskReport& report, const DeadlockReport& deadlocks,
                       const OverviewRules& rules, std::vector<Finding>& findings);
void JudgeShutdown(const Reports& reports, const OverviewRules& rules,
                   std::vector<Finding>& findings);
void JudgeCrowdedRequests(const TaskReport& report, const OverviewRules& rules,
                          std::vector<Finding>& findings);

// The same from the stacks of threads, for a service that blocks; part of JudgeThreads.
void JudgeBlockedShutdown(const ThreadReport& report, const OverviewRules& rules,
                          std::vector<Finding>& findings);
// Likewise: a signal told the host to end, but it runs on.
void JudgeSlowEnd(const Model& model, const OverviewRules& rules, std::vector<Finding>& findings);

// Hosted services that ended with an exception. Sets in `reported`, by index in `report`, for which
// exceptions that is all that they did. In judge_ended_services.cc.
void JudgeEndedServices(const ExceptionReport& report, std::vector<bool>& reported,
                        std::vector<Finding>& findings);
// Those of a heap snapshot, except what the above has found.
void JudgeEndedServices(const TaskReport& report, std::vector<Finding>& findings);

// Your code that fails and tries again, at a steady rate; sets in `reported`, by index in `report`,
// which these are. In judge_retry_loops.cc.
void JudgeRetryLoops(const ExceptionReport& report, const OverviewRules& rules,
                     std::vector<bool>& reported, std::vector<Finding>& findings);
// Mistakes of the program, such as a null reference, that your code catches; sets in `reported`
// likewise. In judge_mistakes.cc.
void JudgeMistakes(const ExceptionReport& report, const OverviewRules& rules,
                   std::vector<bool>& reported, std::vector<Finding>& findings);
// In judge_failing_connects.cc.
void JudgeFailingConnects(const ExceptionReport& report, const OverviewRules& rules,
                          std::vector<Finding>& findings);
// Requests that a canceled call of HttpClient ended, which may have been their clients' doing.
void JudgeCanceledCalls(const ExceptionReport& report, const OverviewRules& rules,
                        std::vector<Finding>& findings);
// Errors that nobody notices. In judge_unseen_exceptions.cc.
void JudgeLost(const ExceptionReport& report, std::vector<Finding>& findings);
void JudgeFaultedBlocks(const ExceptionReport& report, std::vector<Finding>& findings);
const ExceptionFinding* JudgeNeverAwaited(const ExceptionReport& report, const OverviewRules& rules,
                                          std::vector<Finding>& findings);

// "in Shop.Cart.Pay", "by int.Parse, called in Shop.Cart.Pay": where it was thrown.
std::string ThrownIn(const ExceptionReport& report, const ExceptionFinding& finding);
// Whether all handlers are further in than your code that called a library: it throws and catches
// them by itself, as parsers do at the end of their input.
bool IsWithinLibrary(const ExceptionFinding& finding);
// " The first message: "no room"": the most frequent one, as a sentence; empty if there is none.
std::string MessageText(std::string_view label, const ExceptionFinding& found);

// Requests that fail with an exception that was thrown before them. In judge_kept_exceptions.cc.
void JudgeKeptExceptions(const ExceptionReport& report, const OverviewRules& rules,
                         std::vector<Finding>& findings);

// Requests that are answered with a server error, though no exception reaches the server; where
// routes are recorded, these are told instead. In judge_server_errors.cc.
void JudgeServerErrors(const ExceptionReport& report, const OverviewRules& rules,
                       std::vector<Finding>& findings);

// Code that is compiled again and again, long after the start; part of JudgeCpu. Returns whether
// there is any. In judge_compiling.cc.
bool JudgeCompiling(const EventReports& events, const OverviewRules& rules,
                    std::vector<Finding>& findings);
// As after a start: the last third of the time after `from_ns` has less of it than the first. Reads
// all samples.
bool CompilingFadesOut(const Model& model, int64_t from_ns, const OverviewRules& rules);
// Loops that run while they wait; part of JudgeCpu. Returns the method that is reported; empty:
// none. In judge_polling.cc.
std::string JudgePolling(const EventReports& events, const OverviewRules& rules,
                         std::vector<Finding>& findings);
// Whether the process used so few cores that what it did with them does not matter. False if it
// could get no more.
bool IsIdle(const EventReports& events, double cores, const OverviewRules& rules);
// From when on most code has been compiled, in nanoseconds from the recording's start.
int64_t WarmFrom(const RecordingFacts& facts, const OverviewRules& rules);

// Likewise: finalizers that take all of their thread's time. In judge_finalizer.cc.
void JudgeBusyFinalizer(const ThreadReport& report, const OverviewRules& rules,
                        std::vector<Finding>& findings);

// Part of JudgeThreads. In judge_thread_churn.cc.
void JudgeThreadChurn(const Model& model, const OverviewRules& rules,
                      std::vector<Finding>& findings);

// Part of JudgePool. In judge_blocked_requests.cc.
void JudgeBlockedRequests(const LockReport& report, const OverviewRules& rules,
                          std::vector<Finding>& findings);

// Only if requests were recorded by route or individually. In judge_requests.cc.
Judge JudgeRequests;
// "GET /orders/{id}"; "Requests without a route" if it is empty.
std::string RouteName(const std::string& route);
// If most of the time of all requests was spent in calls or database commands: a sentence about the
// route with most of it; otherwise, or if single requests were not recorded, nothing. In
// judge_slow_requests.cc.
std::string WhereRequestsWait(const RequestWork& work, const OverviewRules& rules);
// Routes that are slow because of calls, database commands, or what was not recorded. Likewise.
void JudgeSlowRequests(const EventReports& events, const OverviewRules& rules,
                       std::vector<Finding>& findings);
bool SeesRequests(const Model& model);

// For heap snapshots without a recording over time: many threads that wait in one place, and pool
// workers that do. Excludes the threads of a reported deadlock. `reports` must have a heap. In
// judge_moment.cc.
void JudgeCrowd(const Reports& reports, const OverviewRules& rules, std::vector<Finding>& findings);
void JudgeWorkers(const Reports& reports, const OverviewRules& rules,
                  std::vector<Finding>& findings);
// Likewise: the longest queue for a lock whose owner can proceed, wherever its threads wait.
void JudgeQueue(const Reports& reports, const OverviewRules& rules, std::vector<Finding>& findings);

// Part of JudgeHeap, and the only one that needs no snapshot. In judge_native_memory.cc.
inline constexpr std::string_view kNativeMemory = "native-memory";
void JudgeNativeMemory(const EventReports& events, const OverviewRules& rules,
                       std::vector<Finding>& findings);

// Likewise: files, sockets and pipes that are opened and not closed. In judge_open_files.cc.
void JudgeOpenFiles(const Reports& reports, const OverviewRules& rules,
                    std::vector<Finding>& findings);

// Likewise: memory that is about to reach the limit of the container or machine. In
// judge_memory_limit.cc.
inline constexpr std::string_view kMemoryLimit = "memory-limit";
void JudgeMemoryLimit(const EventReports& events, const OverviewRules& rules,
                      std::vector<Finding>& findings);

// Likewise: memory that climbs so fast that it is used up soon; or that climbs, and nothing tells
// whether it is garbage. In judge_climbing_memory.cc.
inline constexpr std::string_view kClimbingMemory = "climbing-memory";
void JudgeClimbingMemory(const Reports& reports, const OverviewRules& rules,
                         std::vector<Finding>& findings);

// Likewise: assemblies that are generated again and again. In judge_generated_assemblies.cc.
inline constexpr std::string_view kGeneratedAssemblies = "generated-assemblies";
void JudgeGeneratedAssemblies(const Model& model, const OverviewRules& rules,
                              std::vector<Finding>& findings);

// Whether they await a connection of HttpClient; the answer to a call. In judge_http_clients.cc.
bool AwaitsHttpConnection(const TaskGroup& group);
bool AwaitsHttpAnswer(const TaskGroup& group);
// Part of JudgeTasks, and of JudgeHeap. Likewise.
void JudgeHttpQueue(const HeapReports& heap, const OverviewRules& rules,
                    std::vector<Finding>& findings);
void JudgeHttpClients(const HeapReports& heap, const OverviewRules& rules,
                      std::vector<Finding>& findings);
// Part of JudgeHeap, in judge_finalizable_garbage.cc.
void JudgeFinalizableGarbage(const HeapReports& heap, const OverviewRules& rules,
                             std::vector<Finding>& findings);
// Part of JudgeAllocations: new clients again and again. `findings` are also those of the heap.
void JudgeNewHttpClients(const AllocationReport& report, const OverviewRules& rules,
                         std::vector<Finding>& findings);

// The coverage of a signal that was not recorded. `source`: the recorder's name for it.
Coverage NotRecorded(std::string_view source);
Coverage NoSnapshot(const Reports& reports);
// Sentences about what threads of yours wait for in the snapshot, Main first: see signal_waits.h.
// Empty: there is no snapshot, or none waits so.
std::string WaitsForSignals(const Reports& reports);

// "exceptions --type Shop.Lost": `value` is quoted for a shell.
std::string CommandWith(std::string_view command, std::string_view value);

// "78 ±4 %"
std::string ShareText(const Share& share);

// Seconds of the recording, never 0.
double SecondsOf(const Model& model);
// Whether it is of a program that soon ended by itself: what grew until then is its work.
bool IsShortRun(const Model& model, const OverviewRules& rules);

// "9,384", "31", "0.4": an amount per second, or a number of threads.
std::string FormatRate(double rate);

}  // namespace hindsight::analyzer
