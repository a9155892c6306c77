// One signal of two recordings, prepared for comparison.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/comparison/change_text.h"
#include "analyzer/analyses/comparison/changes.h"
#include "analyzer/analyses/comparison/comparison.h"
#include "analyzer/analyses/overview/reports.h"

namespace hindsight::analyzer {

// What amounts are divided by, and their time range.
struct Work {
  Per per = Per::kSecond;
  TimeSlices slices{0, 0};
  double cpu_seconds = 0;
  double requests = 0;

  // The factor to amounts per second, CPU second or request; 0: there is nothing to divide by.
  double Scale() const;
  // 0: not known.
  double RequestsPerSecond() const;
};

// How far a factor is from 1, up or down.
inline double Away(double factor) { return std::max(factor, 1 / factor); }

struct ComparedSignal {
  SignalChanges changes;
  // Fills in `measure`, `unit`, `path`, `title`, `evidence`, `command` and `impact` for a change in
  // `changes`; the rest is already set. Refers to the compared reports.
  std::function<void(const SignalChanges& changes, const Change& change, Difference& difference)>
      describe;
  std::string looked_at;                 // "385 and 402 samples"
  bool is_empty = false;                 // neither recording has any
  std::vector<std::string> notes;        // sentences, for Comparison::notes
  std::optional<Difference> difference;  // that is in no row
  std::string common;  // what changed uniformly: "CPU time"; empty: its rows cannot show that
};

ComparedSignal CompareCpu(const EventReports& before, const Work& before_work,
                          const EventReports& after, const Work& after_work,
                          const ComparisonRules& rules);
ComparedSignal CompareAllocations(const EventReports& before, const Work& before_work,
                                  const EventReports& after, const Work& after_work,
                                  const ComparisonRules& rules);
// Locks, and tasks on which threads block.
ComparedSignal CompareLocks(const EventReports& before, const Work& before_work,
                            const EventReports& after, const Work& after_work,
                            const ComparisonRules& rules);
ComparedSignal ComparePauses(const EventReports& before, const Work& before_work,
                             const EventReports& after, const Work& after_work,
                             const ComparisonRules& rules);
// Started threads.
ComparedSignal CompareThreads(const EventReports& before, const Work& before_work,
                              const EventReports& after, const Work& after_work,
                              const ComparisonRules& rules);
ComparedSignal CompareExceptions(const EventReports& before, const Work& before_work,
                                 const EventReports& after, const Work& after_work,
                                 const ComparisonRules& rules);

// By route and server, whatever `per` is: the duration of requests, and the share that fails.
ComparedSignal CompareRequestTimes(const EventReports& before, const Work& before_work,
                                   const EventReports& after, const Work& after_work,
                                   const ComparisonRules& rules);
ComparedSignal CompareRequestFailures(const EventReports& before, const Work& before_work,
                                      const EventReports& after, const Work& after_work,
                                      const ComparisonRules& rules);
// What is measured of them, after "requests" or "calls".
inline constexpr std::string_view kTimeOfRequests = ".time.mean";

// Requests of all routes that ended, on average over the recording.
double ServedPerSecond(const Model& model);
// Of all requests, whatever their route.
Difference OfAllRequests(std::string_view measure, AmountKind kind, double before, double after,
                         const ComparisonRules& rules);
// For recordings of which not both have routes: whether requests take many times as long.
// Not where connections stay open: their lives count as durations.
std::optional<Difference> CompareMeanRequests(const Model& before, const Model& after,
                                              const ComparisonRules& rules);
// If these rules cannot tell, but requests take very many times as long: a note.
void NoteMeanRequests(const Model& before, const Model& after, const ComparisonRules& rules,
                      Comparison& comparison);
// Whether fewer requests were served: a note, and comparison.fewer_served.
void NoteFewerServed(const Model& before, const Model& after, const ComparisonRules& rules,
                     Comparison& comparison);
// Likewise, where the recordings do not tell how long requests took, because too many had not
// ended: a title if, at much the same load, many times as many were in progress. These take longer,
// or some stay open.
std::optional<std::string> CompareRequestsInProgress(const Model& before, const Model& after,
                                                     const ComparisonRules& rules);
// Routes whose requests take many times as long, by the same rules: their means may vary too much
// within a recording for a test to say so. Needs, and marks them in, comparison.routes. Where the
// rules cannot tell, but other routes stayed the same, it is a note.
void CompareLongerRoutes(const Model& before, const Model& after, const ComparisonRules& rules,
                         Comparison& comparison);
// Whether one recording served next to none.
std::optional<Difference> CompareServed(const Model& before, const Model& after,
                                        const ComparisonRules& rules);
// If it did: what the process used more of while it served requests, or less of while it did not,
// is a note.
void NoteWhatFollowsLoad(Comparison& comparison);
// As CompareMeanRequests: whether more fail with an exception that nothing handles, or fewer; or
// else, whether more are answered with a server error.
std::optional<Difference> CompareFailingRequests(const Model& before, const Model& after,
                                                 const ComparisonRules& rules);
// Whether requests of a route make more database commands or calls each, or fewer; where both
// recordings have single requests (requests.details).
std::vector<Difference> CompareRequestWork(const Model& before, const Model& after,
                                           const ComparisonRules& rules);
// Times and failures as numbers, showing which of them are in `differences`: those first, then
// ordered by time.
RouteChanges PairRoutes(const EventReports& before, const EventReports& after,
                        const std::vector<Difference>& differences);

}  // namespace hindsight::analyzer
