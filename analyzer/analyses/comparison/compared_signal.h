// One signal of two recordings, prepared for comparison.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analyzer/analyses/comparison/changes.h"
#include "analyzer/analyses/comparison/comparison.h"
#include "analyzer/analyses/overview/reports.h"

namespace hindsight::analyzer {

// What amounts are divided by, and the time that they are of.
struct Work {
  Per per = Per::kSecond;
  TimeSlices slices{0, 0};
  double cpu_seconds = 0;
  double requests = 0;

  // To amounts for each second, CPU second or request; 0: there is nothing to divide by.
  double Scale() const;
};

struct ComparedSignal {
  SignalChanges changes;
  // Fills in `measure`, `unit`, `path`, `title`, `evidence`, `command` and `impact` of a change of
  // `changes`; the rest is there already. Refers to the reports that were compared.
  std::function<void(const SignalChanges& changes, const Change& change, Difference& difference)>
      describe;
  std::string looked_at;           // "385 and 402 samples"
  bool is_empty = false;           // neither recording has any
  std::vector<std::string> notes;  // sentences, for Comparison::notes
  std::string common;              // what changed alike: "CPU time"; empty: its rows do not show
};

ComparedSignal CompareCpu(const EventReports& before, const Work& before_work,
                          const EventReports& after, const Work& after_work,
                          const ComparisonRules& rules);
ComparedSignal CompareAllocations(const EventReports& before, const Work& before_work,
                                  const EventReports& after, const Work& after_work,
                                  const ComparisonRules& rules);
// Locks, and tasks that threads block for.
ComparedSignal CompareLocks(const EventReports& before, const Work& before_work,
                            const EventReports& after, const Work& after_work,
                            const ComparisonRules& rules);
ComparedSignal ComparePauses(const EventReports& before, const Work& before_work,
                             const EventReports& after, const Work& after_work,
                             const ComparisonRules& rules);
// Those that were started.
ComparedSignal CompareThreads(const EventReports& before, const Work& before_work,
                              const EventReports& after, const Work& after_work,
                              const ComparisonRules& rules);
ComparedSignal CompareExceptions(const EventReports& before, const Work& before_work,
                                 const EventReports& after, const Work& after_work,
                                 const ComparisonRules& rules);

// By route and server, whatever `per` is: how long a request takes, and what share of them fails.
ComparedSignal CompareRequestTimes(const EventReports& before, const Work& before_work,
                                   const EventReports& after, const Work& after_work,
                                   const ComparisonRules& rules);
ComparedSignal CompareRequestFailures(const EventReports& before, const Work& before_work,
                                      const EventReports& after, const Work& after_work,
                                      const ComparisonRules& rules);
// The same as numbers, and what of it is one of `differences`: that first, then by their time.
RouteChanges PairRoutes(const EventReports& before, const EventReports& after,
                        const std::vector<Difference>& differences);

}  // namespace hindsight::analyzer
