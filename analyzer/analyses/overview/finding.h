// Findings of all analyses in a single form: for the summary, budgets and the report.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/overview/overview_rules.h"

namespace hindsight::analyzer {

struct Reports;

// What is analyzed, in the order of the summary.
enum class Signal : uint8_t {
  kDeadlocks,
  kTasks,
  kThreads,
  kPool,
  kExceptions,
  kHeap,
  kPauses,
  kCpu,
  kAllocations,
  kLocks,
  kRequests,  // compared; also judged if recorded by route or individually, or if none ends
};
inline constexpr size_t kSignals = 10;  // by which each recording is judged
inline constexpr size_t kComparedSignals = kSignals + 1;
// "deadlocks", "tasks", ...: the same words in JSON, budgets and tables.
std::string_view SignalName(Signal signal);

enum class Severity : uint8_t {
  kCritical,  // it ends or stops the service, or will: a deadlock, an unhandled exception
  kWarning,   // it is expensive, or grows
  kNote,      // worth knowing; a healthy process may have it
};
// "critical", "warning", "note".
std::string_view SeverityName(Severity severity);

struct Finding {
  Severity severity = Severity::kNote;
  Signal signal = Signal::kDeadlocks;
  std::string kind;      // stable, for machines: "lock-cycle", "unhandled", "event-handlers"
  std::string subject;   // what it is about: a method or type by its full name; may be empty
  std::string title;     // one line: what is wrong, with the most significant number
  std::string evidence;  // one line: what proves it
  std::string
      command;  // a command that shows more, without the recording: "exceptions --type Shop.Lost"
  double impact = 0;  // 0..1, share of the process that is affected: the order within a severity
  // A note that may be a problem, or not: with it, there is no all-clear.
  bool is_doubt = false;

  void WarnUnlessDoubt(bool doubt) {
    is_doubt = doubt;
    severity = doubt ? Severity::kNote : Severity::kWarning;
  }
};

// The outcome of examining a signal.
struct Coverage {
  enum class State : uint8_t {
    kFound,         // there are critical findings or warnings
    kHealthy,       // examined, nothing found
    kPartly,        // nothing found, but something that would show it is missing: `note`
    kNotRecorded,   // its source was off: `note` says which
    kNothingThere,  // recorded, but there is nothing to examine
  };
  Signal signal = Signal::kDeadlocks;
  State state = State::kHealthy;
  std::string looked_at;  // "1,769 samples, 4.3 s of CPU time"; empty if not recorded
  std::string note;       // a sentence, or empty
};
// "found", "healthy", "partly", "not_recorded", "nothing_there".
std::string_view CoverageName(Coverage::State state);

struct Overview {
  std::vector<Finding> findings;  // worst first
  // All signals, in their order; requests only if they were recorded by route or individually.
  std::vector<Coverage> coverage;
  // The length of a recording in which slow growth, of memory for example, does not show; 0: it
  // would show, or the process ended by itself.
  uint64_t growth_unseen_in_ns = 0;
  // Sentences, if hardly anything ran while it was recorded: the process is idle, or hangs.
  // Otherwise empty.
  std::string stillness;

  // No critical finding and no warning.
  bool is_healthy() const;
  // The first finding that prevents an all-clear; null: there is none.
  const Finding* doubt() const;
};

Overview FindAll(const Reports& reports, const OverviewRules& rules = {});

// "deadlocks, tasks, heap": what was not seen, or only partly; a verdict of "no problems" has to be
// qualified then. Empty: everything was seen.
std::string UnseenSignals(const Overview& overview);

}  // namespace hindsight::analyzer
