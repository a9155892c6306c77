// CPU time and allocations: amounts by call path.
#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "analyzer/analyses/comparison/call_union.h"
#include "analyzer/analyses/comparison/change_text.h"
#include "analyzer/analyses/comparison/compare_compiling.h"
#include "analyzer/analyses/comparison/compared_signal.h"
#include "analyzer/analyses/comparison/recording_facts.h"
#include "analyzer/base/shell.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

using Samples = std::vector<CallUnion::Sample>;

Samples CpuSamplesOf(const Model& model, const Work& work) {
  Samples samples;
  for (const CpuSample& sample : model.samples.cpu.samples) {
    const auto ns = static_cast<double>(sample.cpu_ns);
    samples.push_back({.call = sample.call,
                       .slice = work.slices.Of(sample.at_ns),
                       .weight = {.amount = ns, .count = 1, .variance = ns * ns, .samples = 1}});
  }
  return samples;
}

Samples AllocationsOf(const EventReports& reports, const Work& work) {
  const AllocationProfile& profile = reports.model.samples.allocations;
  Samples samples;
  for (const AllocationSample& sample : profile.samples) {
    samples.push_back(
        {.call = sample.call,
         .type = reports.allocations.names.Type(sample.type),
         .slice = work.slices.Of(sample.at_ns),
         .weight = WeightOf(sample.size, sample.objects, sample.bytes, profile.sampling)});
  }
  return samples;
}

double Most(const ChangeCell& whole, const SignalChanges& changes) {
  return std::max(whole.before.total * changes.before_scale,
                  whole.after.total * changes.after_scale);
}

std::string SamplesText(const Change& change, AmountKind kind, Per per) {
  return FormatCount(change.before.samples) + " -> " + Plural(change.after.samples, "sample") +
         ", +-" + AmountText(kind, per, change.test.error);
}

// The subject of a change, or the whole process.
std::string Subject(const ChangeRow& row) { return row.subject.empty() ? "It" : row.subject; }

std::string Title(const Change& change, AmountKind kind, Per per, std::string_view verb,
                  std::string_view what) {
  const double before = change.test.before, after = change.test.after;
  const std::string subject = Subject(*change.row);
  switch (DirectionOf(before, after)) {
    case Difference::Direction::kNew:
      return subject + " is new: it " + std::string(verb) + " " + AmountText(kind, per, after);
    case Difference::Direction::kGone:
      return subject + " is gone: " + FromTo(kind, per, before, after);
    default:
      return subject + " " + std::string(verb) + " " + HowMuch(before, after, what) + ": " +
             FromTo(kind, per, before, after);
  }
}

// The path to the place that changed most, if it says more than the subject.
std::string Below(const std::vector<std::string>& path) {
  if (path.size() < 2) return "";
  return ", below " + path[path.size() - 2];
}

// The code of others in which a method of yours spends most of its CPU time.
std::string Inside(const EventReports& reports, const std::string& subject, double part) {
  const CallPaths& paths = reports.cpu.paths;
  const auto own = std::find_if(
      reports.cpu.own.methods.begin(), reports.cpu.own.methods.end(),
      [&](const OwnMethod& method) { return paths.frames[method.frame].name == subject; });
  if (own == reports.cpu.own.methods.end()) return "";
  const OthersMethod callee =
      DeepestCallee(paths, reports.cpu.own, own->frame, part * own->total.amount);
  return callee.frame == 0 ? "" : ", mostly in " + paths.frames[callee.frame].name;
}

struct Busy {
  double before = 0, after = 0;  // per second
};

// The share of the process that a change moved.
double Impact(const Change& change, double most, const Busy& busy, double full) {
  if (!(most > 0)) return 0;
  const double weight = std::min(1.0, std::max(busy.before, busy.after) / full);
  return std::min(1.0, std::abs(change.test.after - change.test.before) / most) * weight;
}

// What chance may do to the whole: "; up to 38 % more or less may be chance".
std::string ChanceText(const ChangeCell& whole, const SignalChanges& changes,
                       const ComparisonRules& rules) {
  const ChangeTest test = TestChange({whole.before, changes.before_scale},
                                     {whole.after, changes.after_scale}, 0, rules.changes.chance);
  const double more = std::max(test.before, test.after);
  if (!(more > 0)) return {};
  if (test.error >= more) return "; too few to tell anything but large changes";
  return "; up to " + FormatPercent(test.error / more) + " more or less may be chance";
}

Busy RatesOf(const ChangeCell& whole, const Work& before, const Work& after) {
  const auto rate = [](double total, const Work& work) {
    return work.slices.seconds() > 0 ? total / work.slices.seconds() : 0;
  };
  return {rate(whole.before.total, before), rate(whole.after.total, after)};
}

// What `name_of` says of the cells with most of the change, if their share is large enough; empty:
// no name has that.
template <typename NameOf>
std::string NameOfMost(const Change& change, const SignalChanges& changes, double share,
                       NameOf name_of) {
  std::unordered_map<std::string, double> by_name;
  double all = 0;
  for (const uint32_t i : change.cells) {
    const double more = ChangeOf(changes, changes.cells[i]);
    by_name[name_of(i)] += more;
    all += more;
  }
  for (const auto& [name, more] : by_name) {
    if (!name.empty() && more / all > share) return name;
  }
  return "";
}

// The method that the subject calls and in which most of the change is: the JIT may have inlined it
// in one recording, so it is not compared itself.
std::string MostlyIn(const Change& change, const CallUnion& calls, const SignalChanges& changes,
                     double share) {
  const std::string place =
      NameOfMost(change, changes, share, [&](uint32_t cell) { return calls.PlaceOf(cell); });
  return place.empty() || place == change.row->subject ? "" : ", mostly in " + place;
}

}  // namespace

double Work::Scale() const {
  double divisor = 1;
  if (per == Per::kSecond) divisor = slices.seconds();
  if (per == Per::kCpu) divisor = cpu_seconds;
  if (per == Per::kRequest) divisor = requests;
  return divisor > 0 ? 1 / divisor : 0;
}

double Work::RequestsPerSecond() const {
  return slices.seconds() > 0 ? requests / slices.seconds() : 0;
}

ComparedSignal CompareCpu(const EventReports& before, const Work& before_work,
                          const EventReports& after, const Work& after_work,
                          const ComparisonRules& rules) {
  const Per per = before_work.per;
  const auto calls =
      std::make_shared<CallUnion>(before.model, CpuSamplesOf(before.model, before_work),
                                  after.model, CpuSamplesOf(after.model, after_work));
  ComparedSignal signal;
  SignalChanges& changes = signal.changes;
  changes.signal = Signal::kCpu;
  changes.is_one_build = AreOfOneBuild(before.model, after.model);
  // Nanoseconds, except for cores.
  const double unit = per == Per::kSecond ? 1e-9 : 1;
  changes.before_scale = before_work.Scale() * unit;
  changes.after_scale = after_work.Scale() * unit;
  changes.margin = rules.min_change;
  calls->Fill(changes, rules);
  const ChangeCell whole = WholeOf(changes);
  const double most = Most(whole, changes);
  Busy busy = RatesOf(whole, before_work, after_work);
  busy.before /= 1e9;
  busy.after /= 1e9;
  changes.least = rules.min_share * most;
  signal.is_empty = whole.is_empty();
  CompilingChange compiling =
      CompareCompiling(calls->compiling(), before, before_work, after, after_work, rules);
  if (!compiling.note.empty()) signal.notes.push_back(std::move(compiling.note));
  signal.difference = std::move(compiling.difference);
  signal.common = "CPU time";
  signal.looked_at = FormatCount(whole.before.samples) + " and " +
                     Plural(whole.after.samples, "sample") + " of CPU time" +
                     ChanceText(whole, changes, rules);
  const double full = rules.weights.busy_cores;
  const double inside = rules.much_of_callee;
  signal.describe = [calls, most, busy, full, per, inside, &before, &after](
                        const SignalChanges&, const Change& change, Difference& difference) {
    difference.measure = "cpu.cores";
    difference.unit = UnitOf(AmountKind::kCpuTime, per);
    difference.amounts = FromTo(AmountKind::kCpuTime, per, change.test.before, change.test.after);
    difference.path = calls->PathTo(change.cells.front(), change.row->subject);
    difference.title = Title(change, AmountKind::kCpuTime, per, "uses", "CPU time");
    const bool is_more = change.test.after >= change.test.before;
    difference.evidence = SamplesText(change, AmountKind::kCpuTime, per) + Below(difference.path) +
                          Inside(is_more ? after : before, change.row->subject, inside);
    if (change.row->subject.empty()) {
      difference.evidence += "; without what the runtime does for itself, such as compiling";
    }
    difference.command =
        change.row->subject.empty() ? "cpu" : "cpu --focus " + ShellWord(change.row->subject);
    difference.impact = Impact(change, most, busy, full);
  };
  return signal;
}

ComparedSignal CompareAllocations(const EventReports& before, const Work& before_work,
                                  const EventReports& after, const Work& after_work,
                                  const ComparisonRules& rules) {
  const Per per = before_work.per;
  const auto calls = std::make_shared<CallUnion>(before.model, AllocationsOf(before, before_work),
                                                 after.model, AllocationsOf(after, after_work));
  ComparedSignal signal;
  SignalChanges& changes = signal.changes;
  changes.signal = Signal::kAllocations;
  changes.is_one_build = AreOfOneBuild(before.model, after.model);
  changes.before_scale = before_work.Scale();
  changes.after_scale = after_work.Scale();
  changes.margin = rules.min_change;
  calls->Fill(changes, rules);
  const ChangeCell whole = WholeOf(changes);
  const double most = Most(whole, changes);
  const Busy busy = RatesOf(whole, before_work, after_work);
  changes.least = std::max(rules.min_share, rules.min_share_of_allocations) * most;
  signal.is_empty = whole.is_empty();
  signal.common = "allocations";
  signal.looked_at = FormatCount(whole.before.samples) + " and " +
                     Plural(whole.after.samples, "sample") + " of allocated objects" +
                     ChanceText(whole, changes, rules);
  const double full = rules.weights.busy_bytes, most_of_change = rules.most_of_change;
  signal.describe = [=](const SignalChanges& all, const Change& change, Difference& difference) {
    const ChangeRow& row = *change.row;
    const bool is_type = row.level == Difference::Level::kType;
    difference.measure = "allocations.bytes_per_second";
    difference.unit = UnitOf(AmountKind::kBytes, per);
    difference.amounts = FromTo(AmountKind::kBytes, per, change.test.before, change.test.after);
    difference.path = calls->PathTo(change.cells.front(), row.subject);
    difference.title = is_type ? Title(change, AmountKind::kBytes, per, "takes", "allocated bytes")
                               : Title(change, AmountKind::kBytes, per, "allocates", "bytes");
    difference.evidence = SamplesText(change, AmountKind::kBytes, per);
    if (is_type) {
      difference.evidence += ", in " + calls->PlaceOf(change.cells.front());
    } else {
      const std::string type =
          NameOfMost(change, all, most_of_change, [&](uint32_t i) { return calls->TypeOf(i); });
      if (!type.empty()) difference.evidence += ", of " + type;
      difference.evidence += MostlyIn(change, *calls, all, most_of_change);
    }
    difference.command = row.subject.empty()
                             ? "allocations"
                             : std::string("allocations --") + (is_type ? "type " : "focus ") +
                                   ShellWord(row.subject);
    difference.impact = Impact(change, most, busy, full);
  };
  return signal;
}

}  // namespace hindsight::analyzer
