#include "analyzer/analyses/overview/measure_needs.h"

#include <algorithm>

#include "analyzer/analyses/overview/reports.h"
#include "analyzer/analyses/pattern.h"

namespace hindsight::analyzer::needs {
namespace {

// Whether there are events, and `fn` is true for them.
template <typename Fn>
bool Events(const Reports& reports, const Fn& fn) {
  return reports.events && fn(*reports.events, reports.events->model);
}

}  // namespace

// Older recordings do not say which sources were enabled, so what happened also proves its source.

const MeasureNeeds kAnything = {"a recording", [](const Reports&) { return true; }};

const MeasureNeeds kEvents = {"a recording of events, not just a heap snapshot",
                              [](const Reports& reports) { return reports.events != nullptr; }};

const MeasureNeeds kRecorderCost = {
    "a recording that contains the recorder's cost", [](const Reports& reports) {
      return Events(reports, [](auto&, auto& model) { return model.recorder.elapsed_ns > 0; });
    }};

const MeasureNeeds kBaseline = {"a baseline: --baseline RECORDING",
                                [](const Reports&) { return false; }};

const MeasureNeeds kWaitGraph = {
    "a heap snapshot with its threads, or the source `locks`", [](const Reports& reports) {
      return !reports.deadlocks.deadlocks.empty() ||
             (reports.deadlocks_from_heap && reports.deadlocks.looked_at.threads > 0) ||
             Events(reports, [](auto&, auto& model) { return model.facts.locks_on; });
    }};

const MeasureNeeds kThreads = {
    "the source `threads`", [](const Reports& reports) {
      return Events(reports, [](auto&, auto& model) { return model.facts.threads_on; });
    }};

const MeasureNeeds kThreadSnapshot = {"the source `waits`, and a thread snapshot",
                                      [](const Reports& reports) {
                                        return Events(reports, [](auto& events, auto&) {
                                          return events.threads.thread_stacks.snapshot != nullptr;
                                        });
                                      }};

const MeasureNeeds kPool = {"the source `locks`", [](const Reports& reports) {
                              return Events(reports, [](auto&, auto& model) {
                                return !model.waits.samples.empty() ||
                                       !model.waits.adjustments.empty();
                              });
                            }};

const MeasureNeeds kPoolWorkers = {
    "the source `locks` or `waits`, and waiting workers", [](const Reports& reports) {
      return Events(reports, [](auto& events, auto&) { return events.pool.has_thread_stacks; });
    }};

const MeasureNeeds kExceptions = {
    "the source `exceptions`", [](const Reports& reports) {
      return Events(reports, [](auto&, auto& model) { return model.facts.exceptions_on; });
    }};

const MeasureNeeds kPauses = {"the source `gc`", [](const Reports& reports) {
                                return Events(reports, [](auto&, auto& model) {
                                  return model.facts.gc_on || model.collections.suspensions > 0;
                                });
                              }};

const MeasureNeeds kCollectionSizes = {
    "the source `gc`, and a collection", [](const Reports& reports) {
      return Events(reports, [](auto& events, auto&) { return events.gc.peak_heap_bytes > 0; });
    }};

const MeasureNeeds kCompiler = {
    "the source `gc`", [](const Reports& reports) {
      return Events(reports, [](auto& events, auto&) { return events.gc.has_jit; });
    }};

const MeasureNeeds kCpu = {"the source `cpu`", [](const Reports& reports) {
                             return Events(reports, [](auto&, auto& model) {
                               return model.facts.cpu_on || model.samples.cpu.count > 0;
                             });
                           }};

const MeasureNeeds kAllocations = {"the source `allocations`", [](const Reports& reports) {
                                     return Events(reports, [](auto&, auto& model) {
                                       return model.facts.allocations_on ||
                                              model.samples.allocations.count > 0;
                                     });
                                   }};

const MeasureNeeds kLocks = {"the source `locks`", [](const Reports& reports) {
                               return Events(reports, [](auto& events, auto& model) {
                                 return model.facts.locks_on || events.locks.lock_waits > 0;
                               });
                             }};

const MeasureNeeds kRequests = {"the source `requests`", [](const Reports& reports) {
                                  return Events(reports, [](auto&, auto& model) {
                                    return model.facts.requests_on || model.requests.started > 0 ||
                                           model.requests.finished > 0;
                                  });
                                }};

const MeasureNeeds kRoutes = {
    "the option `requests.routes=on`", [](const Reports& reports) {
      return Events(reports, [](auto&, auto& model) { return model.requests.has_kinds(); });
    }};

const MeasureNeeds kSingleRequests = {
    "the option `requests.details=on`", [](const Reports& reports) {
      return Events(reports,
                    [](auto&, auto& model) { return !model.requests.details.routes.empty(); });
    }};

const MeasureNeeds kHeap = {"a heap snapshot",
                            [](const Reports& reports) { return reports.heap != nullptr; }};

const MeasureNeeds kTaskStates = {
    "a heap snapshot with the states of all tasks", [](const Reports& reports) {
      return reports.heap != nullptr && reports.heap->tasks.unknown == 0;
    }};

const MeasureNeeds kTwoHeaps = {"two heap snapshots of one process", [](const Reports& reports) {
                                  return reports.heap && reports.heap->tasks.before != 0;
                                }};

const MeasureNeeds kStringContents = {
    "a heap snapshot with the contents of strings: heap.values=System.String",
    [](const Reports& reports) {
      if (!reports.heap) return false;
      const auto& rules = reports.heap->model.graph.facts.value_rules;
      return std::any_of(rules.begin(), rules.end(), [](const std::string& rule) {
        return MatchesPattern(rule, "System.String");
      });
    }};

}  // namespace hindsight::analyzer::needs
