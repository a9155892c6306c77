// Locks that threads wait for: how many, how long, and what the owner does meanwhile.
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/analyses/overview/explained_waits.h"
#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/waits/deadlock_verdict.h"
#include "analyzer/analyses/waits/lock_names.h"
#include "analyzer/base/name_list.h"
#include "analyzer/base/text.h"
#include "analyzer/model/process_age.h"

namespace hindsight::analyzer {
namespace {

// A process that was this old when the recording began was attached to.
constexpr uint64_t kAttachedAge = 1'000'000'000;

// A lock without the waits that a deadlock explains.
ContendedLock Unexplained(const LockReport& report, ContendedLock lock,
                          const ExplainedWaits& explained) {
  lock.longest_ns = 0;
  bool is_whole = true;
  for (const size_t index : lock.places) {
    const WaitPlace& place = report.locks[index];
    lock.longest_ns = std::max(lock.longest_ns, place.group.longest_ns);
    for (const OpenWait* wait : place.open) {
      const uint64_t age_ns = AgeOf(*wait, place.end_ns);
      if (!explained.Has(*wait)) {
        lock.longest_ns = std::max(lock.longest_ns, age_ns);
        continue;
      }
      is_whole = false;
      --lock.count;
      lock.total_ns -= age_ns;
    }
  }
  // The threads that waited at the same time may be the explained ones.
  if (!is_whole) lock.waiters_at_most = 0;
  return lock;
}

// Where a deadlock explains most of the time that threads waited for a lock, it explains the rest:
// waits that a timeout has ended.
bool IsExplained(const ContendedLock& whole, const ContendedLock& unexplained) {
  return unexplained.count == 0 || 2 * unexplained.total_ns < whole.total_ns;
}

// One lock, and what was observed about it.
class LockJudge {
 public:
  // `name`: the lock's, from its field; may be empty.
  LockJudge(const LockReport& report, const ContendedLock& lock, std::string name,
            const ExplainedWaits& explained, const OverviewRules& rules)
      : report_(report),
        lock_(Unexplained(report, lock, explained)),
        name_(std::move(name)),
        is_explained_(IsExplained(lock, lock_)),
        rules_(rules),
        seconds_(SecondsOf(*report.model)) {
    for (const size_t place : lock.places) {
      FindHolder(report.locks[place]);
      seen_at_once_ = std::max(seen_at_once_, report.locks[place].seen_at_once);
      idle_owner_ns_ += report.locks[place].idle_owner_ns;
      open_ += static_cast<uint64_t>(std::ranges::count_if(
          report.locks[place].open,
          [&explained](const OpenWait* wait) { return !explained.Has(*wait); }));
    }
    waiting_ = static_cast<double>(lock_.total_ns) / 1e9 / seconds_;
    // If simultaneous waiters were not counted, there were at least as many as on average.
    waiters_ = std::max(lock_.waiters_at_most, static_cast<uint32_t>(std::ceil(waiting_)));
    if (lock_.waiters_at_most == 0 && IsReaderWriter()) {
      waiters_ = std::max(waiters_, seen_at_once_);
    }
  }

  // By a deadlock, which has a finding of its own.
  bool is_explained() const { return is_explained_; }
  // If threads have no processor, an owner that does not sleep is waiting for one.
  std::optional<Finding> Judge(bool lacks_processors) const;

 private:
  // Ignores holders that wait for this lock, since they do not own it.
  void FindHolder(const WaitPlace& place) {
    if (!place.holder || (holder_ != nullptr && holder_->waited_ns >= place.holder->waited_ns)) {
      return;
    }
    const bool waits_for_it =
        place.holder->call.is_lock() && std::ranges::any_of(lock_.places, [&](size_t other) {
          return report_.locks[other].site == place.holder->site;
        });
    if (!waits_for_it) holder_ = &*place.holder;
  }

  bool IsConvoy() const {
    const double cpus = report_.model->facts.cpus;
    const double threads = AreSlow() ? rules_.slow_convoy_threads : rules_.convoy_threads;
    return lock_.count >= rules_.lock_waits && waiters_ >= rules_.convoy_waiters &&
           waiting_ >= std::max(threads, cpus * rules_.convoy_threads_per_cpu);
  }
  bool AreSlow() const { return MeanNs() >= rules_.slow_wait_ns; }
  bool AreVerySlow() const {
    return lock_.count >= rules_.few_lock_waits && MeanNs() >= rules_.very_slow_wait_ns;
  }
  uint64_t MeanNs() const { return lock_.count > 0 ? lock_.total_ns / lock_.count : 0; }
  bool IsHeldLong() const { return MeanNs() >= rules_.hot_lock_mean_ns; }
  bool IsLong() const { return lock_.longest_ns >= rules_.long_wait_ns; }
  bool IsLongForShort() const {
    return lock_.longest_ns >= rules_.long_wait_of_short_ns &&
           static_cast<double>(lock_.longest_ns) >= rules_.long_wait_share * seconds_ * 1e9;
  }
  bool IsHot(bool lacks_processors) const {
    const double least =
        lacks_processors ? rules_.hot_lock_threads_of_slowed : rules_.hot_lock_threads;
    return (lock_.count >= rules_.lock_waits || AreVerySlow()) && waiting_ >= least &&
           (IsHeldLong() || waiting_ >= rules_.busy_lock_threads);
  }

  // Nobody gets it any more, and its owner has nothing to do.
  bool IsNeverReleased() const {
    return holder_ == nullptr && idle_owner_ns_ > 0 && lock_.longest_ns >= rules_.long_wait_ns &&
           2 * open_ >= lock_.count;
  }

  bool IsReaderWriter() const {
    return report_.locks[lock_.places[0]].call.kind == BlockingCall::Kind::kReaderWriter;
  }

  std::string Site(size_t place) const {
    return report_.names.Display(report_.locks[lock_.places[place]].site);
  }
  // The places, beginning with the one with the most time.
  std::string In() const;
  std::string Title(bool by_longest) const;
  std::string Evidence() const;

  const LockReport& report_;
  const ContendedLock lock_;
  const std::string name_;
  const bool is_explained_;
  const OverviewRules& rules_;
  const double seconds_;
  const SeenHolder* holder_ = nullptr;  // with most observed waiting; null: none
  double waiting_ = 0;                  // threads, on average
  uint32_t waiters_ = 0;                // the most at the same time
  uint32_t seen_at_once_ = 0;           // in one of the places, in a thread snapshot
  uint64_t idle_owner_ns_ = 0;          // see WaitPlace
  uint64_t open_ = 0;                   // waits that had not ended
};

std::string LockJudge::In() const {
  std::vector<std::string> sites;
  for (size_t i = 0; i < lock_.places.size(); ++i) sites.push_back(Site(i));
  return MethodList(sites);
}

std::string LockJudge::Title(bool by_longest) const {
  const std::string lock = !name_.empty()            ? "the lock " + name_ + " in "
                           : IsReaderWriter()        ? "a reader-writer lock in "
                           : lock_.places.size() > 1 ? "one lock in "
                                                     : "a lock in ";
  if (IsNeverReleased()) {
    return "Never released: " + lock + In() + "; " + Plural(open_, "thread") +
           (open_ == 1 ? " waits for it" : " wait for it");
  }
  return by_longest ? "A wait of " + FormatDuration(lock_.longest_ns) + " for " + lock + In()
                    : "On average " + FormatRate(waiting_) + " threads wait for " + lock + In();
}

std::string LockJudge::Evidence() const {
  std::string out = Plural(lock_.count, "wait") + ", " + FormatDuration(lock_.total_ns) +
                    " in total, " + FormatDuration(lock_.total_ns / lock_.count) +
                    " on average, the longest " + FormatDuration(lock_.longest_ns);
  if (lock_.waiters_at_most > 1) {
    out += "; at most " + FormatCount(lock_.waiters_at_most) + " at the same time";
  }
  // Those that waited before it have no event.
  if (seen_at_once_ > std::max(1u, lock_.waiters_at_most) &&
      AgeAtStart(report_.model->facts).value_or(0) >= kAttachedAge) {
    out += "; a thread snapshot shows " + FormatCount(seen_at_once_) +
           ", of which some waited before the recording began";
  }
  if (open_ > 0) out += "; " + FormatCount(open_) + " had not ended when the recording did";
  out += ".";
  if (IsNeverReleased()) {
    out +=
        " The thread that took it is a thread pool worker and has no work any more: it did not "
        "release the lock, as happens if an await is between Monitor.Enter and Monitor.Exit.";
  }
  if (holder_ == nullptr) return out;
  out += " Meanwhile the owner was in " + report_.names.Display(holder_->site);
  const std::string_view does = HolderDoes(holder_->call.kind);
  if (!does.empty()) out += ", where it " + std::string(does);
  return out + ".";
}

std::optional<Finding> LockJudge::Judge(bool lacks_processors) const {
  if (is_explained_) return std::nullopt;
  const bool is_convoy = IsConvoy();
  const bool is_long = IsLong();
  const bool is_hot = IsHot(lacks_processors);
  const bool is_asleep = is_hot && AreSlow() && lock_.count >= rules_.asleep_waits &&
                         holder_ != nullptr && !HolderDoes(holder_->call.kind).empty() &&
                         !holder_->call.is_lock();
  const bool by_longest = !is_convoy && (is_long || (!is_hot && IsLongForShort()));
  if (!is_convoy && !is_hot && !by_longest) return std::nullopt;
  Finding finding;
  const bool is_ill = (is_convoy || is_long) && !lacks_processors;
  finding.severity = is_ill || is_asleep ? Severity::kWarning : Severity::kNote;
  const bool stands_in_line =
      lock_.count >= rules_.lock_waits && IsHeldLong() && waiting_ >= rules_.doubted_lock_threads;
  const bool may_be_ill = AreVerySlow() || stands_in_line;
  finding.is_doubt = finding.severity == Severity::kNote && may_be_ill && !lacks_processors;
  finding.kind = IsNeverReleased() ? "never-released-lock"
                 : is_convoy       ? "convoy"
                 : by_longest      ? "long-wait"
                 : is_asleep       ? "held-asleep"
                                   : "hot-lock";
  finding.subject = Site(0);
  finding.title = Title(by_longest);
  finding.evidence = Evidence();
  finding.command = "locks";
  finding.impact = waiting_ / (1 + waiting_);
  return finding;
}

// They wait for locks and have not run for long.
Finding BlockedOnLocks(const LockReport& report, const std::vector<SeenLockWaits::Standing>& places,
                       bool lacks_processors, const OverviewRules& rules) {
  const SeenLockWaits::Standing& most = places.front();
  uint64_t threads = 0, least_ns = UINT64_MAX;
  const SeenLockWaits::Standing* owned = nullptr;
  for (const SeenLockWaits::Standing& place : places) {
    threads += place.threads;
    least_ns = std::min(least_ns, place.least_ns);
    if (owned == nullptr && !place.owner_site.empty()) owned = &place;
  }
  Finding finding;
  const bool owner_stands = owned != nullptr && owned->owner_stands;
  const bool is_sure =
      least_ns >= rules.standing_ns && (threads >= rules.standing_threads || owner_stands);
  finding.severity = is_sure && !lacks_processors ? Severity::kWarning : Severity::kNote;
  finding.is_doubt = !is_sure && !lacks_processors;
  finding.kind = "standing-still";
  finding.subject = most.site;
  finding.title =
      Plural(threads, "thread") + (threads == 1 ? " has" : " have") + " waited for " +
      (places.size() == 1 ? "a lock" : "locks") + " for " + FormatDuration(least_ns) + " or more" +
      (places.size() == 1 ? " in " + most.site
                          : ", " + FormatCount(most.threads) + " of them in " + most.site);
  for (size_t i = 1; i < places.size(); ++i) {
    finding.evidence += (i == 1 ? "The others: " : ", ") + places[i].site;
    if (places[i].threads > 1) finding.evidence += " (" + FormatCount(places[i].threads) + ")";
  }
  if (places.size() > 1) finding.evidence += ". ";
  finding.evidence += "According to the kernel, ";
  finding.evidence += threads == 1 ? "it did not run" : "none of them ran";
  finding.evidence += " between the thread snapshots";
  if (owned == nullptr) {
    finding.evidence += "; whether the lock's owner can proceed is unknown.";
  } else {
    const std::string_view does = HolderDoes(owned->owner_call);
    finding.evidence += owner_stands ? ", nor did the owner of the monitor"
                                     : "; in the last one, the owner of the monitor";
    if (places.size() > 1) finding.evidence += " in " + owned->site;
    finding.evidence += ", \"" + owned->owner + "\", " + (owner_stands ? "which is" : "was") +
                        " in " + owned->owner_site;
    if (!does.empty()) finding.evidence += ", where it " + std::string(does);
    finding.evidence += '.';
  }
  finding.command = "deadlocks";
  const double all = static_cast<double>(report.model->waits.snapshots.back().threads.size());
  finding.impact = std::min(1.0, static_cast<double>(threads) / std::max(1.0, all));
  return finding;
}

// Unless they are already reported, as lost threads or as waiting for a lock whose places are in
// `reported`.
void JudgeSeenLockWaits(const LockReport& report, SeenLockWaits seen, bool lacks_processors,
                        const std::set<std::string>& reported, const OverviewRules& rules,
                        std::vector<Finding>& findings) {
  std::erase_if(seen.standing, [&](const SeenLockWaits::Standing& place) {
    return reported.contains(place.site) ||
           std::ranges::any_of(
               findings, [&](const Finding& finding) { return finding.subject == place.site; });
  });
  if (seen.standing.empty()) return;
  findings.push_back(BlockedOnLocks(report, seen.standing, lacks_processors, rules));
}

}  // namespace

Coverage JudgeLocks(const Reports& reports, const OverviewRules& rules,
                    std::vector<Finding>& findings) {
  if (!reports.events || !reports.events->model.facts.locks_on) {
    if (reports.heap) JudgeQueue(reports, rules, findings);
    return NotRecorded("+locks");
  }
  const LockReport& report = reports.events->locks;
  const bool lacks_processors = reports.events->pool.processors.is_short;
  Coverage coverage;
  // Those that wait in a deadlock, or behind one, are reported there.
  const ExplainedWaits explained(*report.model, reports.deadlocks.deadlocks);
  const SeenLockWaits seen = LockWaitsSeen(*report.model, {}, explained.threads());
  if (report.lock_waits == 0) {
    const uint64_t waiting = LockWaitsSeen(*report.model).threads;
    coverage.state = Coverage::State::kNothingThere;
    coverage.note = "No thread had to wait for a lock.";
    JudgeSeenLockWaits(report, seen, lacks_processors, {}, rules, findings);
    if (waiting > 0) {
      coverage.state = Coverage::State::kPartly;
      coverage.note =
          Plural(waiting, "thread") +
          " waited for locks in the last thread snapshot, since before the recording began.";
    } else if (report.model->waits.snapshots.empty()) {
      coverage.state = Coverage::State::kPartly;
      coverage.note = "No wait for a lock began during the recording; there is no thread snapshot.";
    }
    return coverage;
  }
  coverage.looked_at = Plural(report.lock_waits, "wait") + " for locks, " +
                       FormatDuration(report.lock_ns) + " in total";
  std::set<std::string> reported;
  std::unordered_map<uint64_t, std::string> names;
  if (reports.heap) names = NamesByLockId(*report.model, reports.heap->model);
  // Without managed frames: a new thread waits for its creator.
  const auto is_runtimes = [&report](const ContendedLock& lock) {
    return std::ranges::all_of(
        lock.places, [&report](size_t place) { return report.locks[place].path.empty(); });
  };
  for (const ContendedLock& lock : report.contended) {
    if (is_runtimes(lock)) continue;
    const auto name = names.find(lock.lock);
    const LockJudge judge(report, lock, name == names.end() ? std::string() : name->second,
                          explained, rules);
    if (judge.is_explained()) coverage.state = Coverage::State::kFound;
    std::optional<Finding> finding = judge.Judge(lacks_processors);
    if (!finding) continue;
    findings.push_back(*std::move(finding));
    for (const size_t place : lock.places) {
      reported.insert(report.names.Display(report.locks[place].site));
    }
  }
  JudgeSeenLockWaits(report, seen, lacks_processors, reported, rules, findings);
  return coverage;
}

}  // namespace hindsight::analyzer
