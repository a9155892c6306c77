// What the threads of a heap snapshot show where nothing was recorded over time: one moment.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "analyzer/analyses/method_names.h"
#include "analyzer/analyses/overview/judges.h"
#include "analyzer/base/text.h"
#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {
namespace {

using Thread = WaitModel::Thread;

// The first method of the path that is neither the framework's nor the runtime's: by its name,
// since a snapshot does not tell whose a module is. Empty: there is none.
std::string OwnMethodOf(const MethodNames& names, const Thread& thread) {
  for (const MethodId method : thread.path) {
    const std::string& name = names.Display(method);
    if (!name.starts_with("System.") && !name.starts_with("Microsoft.") &&
        !name.starts_with("Internal.") && !name.starts_with("Interop") && !name.starts_with('[')) {
      return name;
    }
  }
  return {};
}

// Threads that a deadlock names, or counts among those that wait behind it.
class ToldThreads {
 public:
  explicit ToldThreads(const Reports& reports)
      : dictionaries_(reports.heap->model.dictionaries), calls_(dictionaries_) {
    if (!reports.deadlocks_from_heap) return;
    for (const Deadlock& deadlock : reports.deadlocks.deadlocks) {
      for (const DeadlockMember& member : deadlock.members) {
        if (member.os_id) members_.insert(*member.os_id);
      }
      for (const DeadlockVictims& victims : deadlock.crowd) victims_[victims.at] += victims.count;
    }
  }

  // Once for each thread: of those at the place of victims so many are told.
  bool Take(const Thread& thread) {
    if (members_.contains(thread.os_id)) return true;
    if (victims_.empty()) return false;
    const MethodId site = calls_.Site(thread.path, thread.call.frames);
    const auto place = victims_.find(MethodDisplayName(dictionaries_, site));
    if (place == victims_.end() || place->second == 0) return false;
    --place->second;
    return true;
  }

 private:
  const Dictionaries& dictionaries_;
  const BlockingCalls calls_;
  std::set<uint32_t> members_;
  std::map<std::string, uint64_t> victims_;  // by place
};

// Threads that wait, for anything, in one place.
std::map<std::string, uint64_t> WaitingPlaces(const Reports& reports, bool workers) {
  const HeapReports& heap = *reports.heap;
  const MethodNames names(heap.model.dictionaries);
  ToldThreads told(reports);
  std::map<std::string, uint64_t> places;
  for (const Thread& thread : heap.waits.waits().threads) {
    if (thread.call.kind == BlockingCall::Kind::kNone || told.Take(thread)) continue;
    if (thread.is_pool_worker != workers) continue;
    if (std::string place = OwnMethodOf(names, thread); !place.empty()) ++places[place];
  }
  return places;
}

using PlaceCount = std::pair<const std::string, uint64_t>;

const PlaceCount* Most(const std::map<std::string, uint64_t>& places) {
  const auto most = std::max_element(
      places.begin(), places.end(),
      [](const PlaceCount& a, const PlaceCount& b) { return a.second < b.second; });
  return most == places.end() ? nullptr : &*most;
}

constexpr std::string_view kOnlyAMoment =
    "A single snapshot does not show whether they are stuck or only slow: record for a while, or "
    "take a second one.";

}  // namespace

void JudgeCrowd(const Reports& reports, const OverviewRules& rules,
                std::vector<Finding>& findings) {
  const std::map<std::string, uint64_t> places = WaitingPlaces(reports, false);
  const PlaceCount* const most = Most(places);
  if (most == nullptr || most->second < rules.crowd_threads) return;
  Finding finding;
  finding.kind = "crowd";
  finding.subject = most->first;
  finding.title = Plural(most->second, "thread") + " wait in " + most->first;
  finding.evidence = "Of " + Plural(reports.heap->waits.waits().threads.size(), "thread") +
                     " in the snapshot. " + std::string(kOnlyAMoment);
  finding.command = "deadlocks";
  finding.impact = static_cast<double>(most->second) /
                   static_cast<double>(reports.heap->waits.waits().threads.size());
  findings.push_back(std::move(finding));
}

void JudgeWorkers(const Reports& reports, const OverviewRules& rules,
                  std::vector<Finding>& findings) {
  uint64_t workers = 0;
  for (const Thread& thread : reports.heap->waits.waits().threads) workers += thread.is_pool_worker;
  const std::map<std::string, uint64_t> places = WaitingPlaces(reports, true);
  const PlaceCount* const most = Most(places);
  if (most == nullptr || most->second < rules.blocked_workers ||
      static_cast<double>(most->second) <
          rules.blocked_workers_share * static_cast<double>(workers)) {
    return;
  }
  Finding finding;
  finding.severity = Severity::kWarning;
  finding.kind = "blocked-workers";
  finding.subject = most->first;
  finding.title = FormatCount(most->second) + " of " + FormatCount(workers) +
                  " workers of the thread pool block in " + most->first;
  finding.evidence = std::string(kOnlyAMoment);
  finding.command = "deadlocks";
  finding.impact = static_cast<double>(most->second) / static_cast<double>(workers);
  findings.push_back(std::move(finding));
}

}  // namespace hindsight::analyzer
