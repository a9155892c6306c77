// What threads were stopped for (locks, tasks, pauses), and the threads that were started.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "analyzer/analyses/comparison/change_text.h"
#include "analyzer/analyses/comparison/compared_signal.h"
#include "analyzer/analyses/comparison/inlined_sites.h"
#include "analyzer/analyses/frame_kind.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

// Rows with one cell each, by a key that both recordings share.
struct Groups {
  struct Group {
    std::string subject;
    std::string what;  // "waiting for a monitor"
    std::vector<std::string> path;
  };
  std::vector<Group> groups;  // parallel to the cells
  std::map<std::string, size_t> index;

  Amounts& Of(SignalChanges& changes, const Group& group, Amounts ChangeCell::*amounts) {
    const auto [place, is_new] =
        index.try_emplace(group.what + '\n' + group.subject, groups.size());
    if (is_new) {
      groups.push_back(group);
      changes.cells.emplace_back();
    }
    return changes.cells[place->second].*amounts;
  }

  void AddRows(SignalChanges& changes, Difference::Level level) const {
    for (uint32_t i = 0; i < groups.size(); ++i) {
      ChangeRow row;
      row.level = level;
      row.subject = groups[i].subject;
      row.cells = {i};
      changes.rows.push_back(std::move(row));
    }
  }
};

// `least` is per second, and scaled accordingly for amounts that are divided by something else.
void Prepare(SignalChanges& changes, const Work& before, const Work& after, double unit,
             double least, const ComparisonRules& rules) {
  const double scale = after.per == Per::kSecond ? unit : 1;
  changes.before_scale = before.Scale() * scale;
  changes.after_scale = after.Scale() * scale;
  changes.margin = rules.min_change_of_waits;
  changes.least = least / unit * scale * after.Scale() * after.slices.seconds();
}

std::string Title(const std::string& name, std::string_view what, AmountKind kind, Per per,
                  const ChangeTest& test) {
  const std::string subject = name.empty() ? "" : name + ": ";
  switch (DirectionOf(test.before, test.after)) {
    case Difference::Direction::kNew:
      return subject + "new " + std::string(what) + ": " + AmountText(kind, per, test.after);
    case Difference::Direction::kGone:
      return subject + "no " + std::string(what) +
             " anymore: " + FromTo(kind, per, test.before, test.after);
    default:
      return subject + HowMuch(test.before, test.after, what) + ": " +
             FromTo(kind, per, test.before, test.after);
  }
}

void Describe(const Groups& groups, AmountKind kind, Per per, const Change& change,
              std::string_view noun, Difference& difference) {
  const Groups::Group& group = groups.groups[change.cells.front()];
  difference.unit = UnitOf(kind, per);
  difference.path = group.path;
  difference.amounts = FromTo(kind, per, change.test.before, change.test.after);
  difference.title = Title(group.subject, group.what, kind, per, change.test);
  difference.evidence = FormatCount(change.before.samples) + " -> " +
                        Plural(change.after.samples, noun) + ", +-" +
                        AmountText(kind, per, change.test.error);
}

// The waits of a place, in slices; its rows may be thinned out, and then represent all waits.
struct PlaceSlices {
  double total = 0, squares = 0;
  uint64_t rows = 0;
  std::array<double, Amounts::kSlices> slices{};

  PlaceSlices& operator+=(const PlaceSlices& other) {
    total += other.total;
    squares += other.squares;
    rows += other.rows;
    for (size_t i = 0; i < slices.size(); ++i) slices[i] += other.slices[i];
    return *this;
  }
};

void AddWaits(const EventReports& reports, const Work& work, const InlinedSites& inlined,
              InlinedSites::Side side, Groups& groups, SignalChanges& changes) {
  Amounts ChangeCell::*const amounts =
      side == InlinedSites::Side::kBefore ? &ChangeCell::before : &ChangeCell::after;
  const Model& model = reports.model;
  std::map<std::pair<WaitKind, StackId>, PlaceSlices> rows;
  for (const WaitRow& row : model.waits.rows) {
    PlaceSlices& place = rows[{row.kind, row.stack}];
    const auto ns = static_cast<double>(row.duration_ns);
    place.total += ns;
    place.squares += ns * ns;
    ++place.rows;
    place.slices[work.slices.Of(row.at_ns)] += ns;
  }
  const auto add = [&](const WaitPlace& wait) {
    // A thread that is being created waits for its creator before it has a frame, which is the
    // runtime's doing.
    if (wait.path.empty()) return;
    const std::string kind(WaitName(wait.group.kind, wait.call.kind));
    Groups::Group group{.subject = inlined.Of(side, kind, reports.locks.names.Display(wait.site)),
                        .what = "waiting for a " + kind,
                        .path = {}};
    for (const MethodId method : wait.path) {
      group.path.insert(group.path.begin(), reports.locks.names.Display(method));
    }
    Amounts added;
    added.total = static_cast<double>(wait.total_ns());
    added.samples = wait.count();
    PlaceSlices place;
    for (const WaitVariant& variant : wait.variants) {
      const auto found = rows.find({wait.group.kind, variant.stack});
      if (found != rows.end()) place += found->second;
    }
    if (place.total > 0) {
      const double scale = static_cast<double>(wait.group.total_ns) / place.total;
      added.variance = place.squares * scale * scale * static_cast<double>(place.rows) /
                       std::max(1.0, static_cast<double>(wait.group.count));
      for (size_t i = 0; i < Amounts::kSlices; ++i) {
        added.slices[i] = static_cast<float>(place.slices[i] * scale);
      }
    }
    for (const OpenWait* open : wait.open) {
      const double ns = static_cast<double>(work.slices.to_ns() - open->start_ns);
      added.variance += ns * ns;
      added.slices[work.slices.Of(open->start_ns)] += static_cast<float>(ns);
    }
    groups.Of(changes, group, amounts) += added;
  };
  for (const WaitPlace& wait : reports.locks.locks) add(wait);
  for (const WaitPlace& wait : reports.locks.signals) {
    if (WaitName(wait.group.kind, wait.call.kind) == "task") add(wait);
  }
}

std::string_view PauseName(PauseKind kind) {
  switch (kind) {
    case PauseKind::kGen0:
      return "pauses for gen0 collections";
    case PauseKind::kGen1:
      return "pauses for gen1 collections";
    case PauseKind::kGen2Blocking:
      return "pauses for blocking gen2 collections";
    case PauseKind::kGen2Background:
      return "pauses for background gen2 collections";
    case PauseKind::kUnknownCollection:
      return "pauses for collections";
    case PauseKind::kRuntimeMaintenance:
      return "pauses for runtime maintenance";
    case PauseKind::kCodeChange:
      return "pauses for code changes";
    case PauseKind::kThreadSnapshot:
    case PauseKind::kDebugger:
    case PauseKind::kShutdown:
      break;
  }
  return "";  // not the application's
}

void AddPauses(const EventReports& reports, const Work& work, Groups& groups,
               SignalChanges& changes, Amounts ChangeCell::*amounts) {
  for (const Pause& pause : reports.gc.pauses) {
    const std::string_view name = PauseName(pause.kind);
    if (name.empty()) continue;
    const auto ns = static_cast<double>(pause.suspension->total_ns);
    Groups::Group group;
    group.what = name;
    groups.Of(changes, group, amounts).Add(work.slices.Of(pause.suspension->at_ns), ns, ns * ns);
  }
}

void AddThreads(const EventReports& reports, const Work& work, Groups& groups,
                SignalChanges& changes, Amounts ChangeCell::*amounts) {
  const Dictionaries& dictionaries = reports.model.dictionaries;
  FrameKinds kinds(reports.model);
  for (const ThreadInfo& thread : reports.model.threads) {
    if (!thread.has_start || thread.creator_stack == 0) continue;
    // The pool starts threads as it sees fit.
    for (const MethodId method : dictionaries.Path(thread.creator_stack)) {
      if (kinds.Of(method) != FrameKind::kApplication) continue;
      Groups::Group group;
      group.subject = reports.exceptions.names.Display(method);
      group.what = "threads started";
      groups.Of(changes, group, amounts).Add(work.slices.Of(thread.start_ns), 1, 1);
      break;
    }
  }
}

// What requests collections: in the second recording or, if unknown, in the first. Empty: unknown.
std::string AskedBy(const EventReports& before, const EventReports& after) {
  for (const EventReports* reports : {&after, &before}) {
    const GcReport& gc = reports->gc;
    if (!gc.collect_callers.empty()) return gc.names.Display(gc.collect_callers.front().method);
  }
  return {};
}

}  // namespace

ComparedSignal CompareLocks(const EventReports& before, const Work& before_work,
                            const EventReports& after, const Work& after_work,
                            const ComparisonRules& rules) {
  ComparedSignal signal;
  const auto groups = std::make_shared<Groups>();
  signal.changes.signal = Signal::kLocks;
  const InlinedSites inlined(before, after);
  AddWaits(before, before_work, inlined, InlinedSites::Side::kBefore, *groups, signal.changes);
  AddWaits(after, after_work, inlined, InlinedSites::Side::kAfter, *groups, signal.changes);
  groups->AddRows(signal.changes, Difference::Level::kMethod);
  Prepare(signal.changes, before_work, after_work, 1e-9, rules.min_waiting, rules);
  const ChangeCell whole = WholeOf(signal.changes);
  signal.looked_at = FormatCount(whole.before.samples) + " and " +
                     Plural(whole.after.samples, "wait") + " for locks and tasks";
  signal.is_empty = whole.is_empty();
  const Per per = after_work.per;
  const double before_seconds = before_work.slices.seconds();
  const double after_seconds = after_work.slices.seconds();
  signal.describe = [=](const SignalChanges&, const Change& change, Difference& difference) {
    Describe(*groups, AmountKind::kWaiting, per, change, "wait", difference);
    difference.measure = "locks.waiting";
    difference.command = "locks";
    const double threads = std::abs(change.after.total / 1e9 / after_seconds -
                                    change.before.total / 1e9 / before_seconds);
    difference.impact = threads / (1 + threads);
  };
  return signal;
}

ComparedSignal ComparePauses(const EventReports& before, const Work& before_work,
                             const EventReports& after, const Work& after_work,
                             const ComparisonRules& rules) {
  ComparedSignal signal;
  const std::string asked_by = AskedBy(before, after);
  const auto groups = std::make_shared<Groups>();
  signal.changes.signal = Signal::kPauses;
  AddPauses(before, before_work, *groups, signal.changes, &ChangeCell::before);
  AddPauses(after, after_work, *groups, signal.changes, &ChangeCell::after);
  groups->AddRows(signal.changes, Difference::Level::kWhole);
  Prepare(signal.changes, before_work, after_work, 1e-9, rules.min_pauses, rules);
  const ChangeCell whole = WholeOf(signal.changes);
  signal.looked_at =
      FormatCount(whole.before.samples) + " and " + Plural(whole.after.samples, "pause");
  signal.is_empty = whole.is_empty();
  const Per per = after_work.per;
  const double before_seconds = before_work.slices.seconds();
  const double after_seconds = after_work.slices.seconds();
  signal.describe = [=](const SignalChanges&, const Change& change, Difference& difference) {
    Describe(*groups, AmountKind::kPauses, per, change, "pause", difference);
    difference.measure = "pauses.share";
    const Groups::Group& group = groups->groups[change.cells.front()];
    if (!asked_by.empty() && group.what == PauseName(PauseKind::kGen2Blocking)) {
      difference.subject = asked_by;
      difference.evidence += "; according to CPU samples, called by " + asked_by;
    }
    difference.command = "gc";
    difference.impact = std::min(1.0, std::abs(change.after.total / 1e9 / after_seconds -
                                               change.before.total / 1e9 / before_seconds));
  };
  return signal;
}

ComparedSignal CompareThreads(const EventReports& before, const Work& before_work,
                              const EventReports& after, const Work& after_work,
                              const ComparisonRules& rules) {
  ComparedSignal signal;
  const auto groups = std::make_shared<Groups>();
  signal.changes.signal = Signal::kThreads;
  AddThreads(before, before_work, *groups, signal.changes, &ChangeCell::before);
  AddThreads(after, after_work, *groups, signal.changes, &ChangeCell::after);
  groups->AddRows(signal.changes, Difference::Level::kMethod);
  Prepare(signal.changes, before_work, after_work, 1, rules.min_started_threads, rules);
  const auto threads = [](const EventReports& reports) {
    return static_cast<uint64_t>(reports.threads.findings.size());
  };
  signal.looked_at = FormatCount(threads(before)) + " and " + Plural(threads(after), "thread");
  signal.is_empty = threads(before) + threads(after) == 0;
  const Per per = after_work.per;
  const double half = rules.weights.half_the_threads;
  signal.describe = [groups, half, per](const SignalChanges&, const Change& change,
                                        Difference& difference) {
    Describe(*groups, AmountKind::kCount, per, change, "thread", difference);
    difference.measure = "threads.started";
    difference.command = "threads";
    const double started =
        static_cast<double>(std::max(change.before.samples, change.after.samples));
    difference.impact = started / (half + started);
  };
  return signal;
}

}  // namespace hindsight::analyzer
