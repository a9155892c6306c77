// Threads that are started again and again, however long they live: one for each request or job, or
// those of an object that is created for each and never disposed, such as a FileSystemWatcher.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/analyses/frame_kind.h"
#include "analyzer/analyses/overview/judges.h"
#include "analyzer/base/text.h"
#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kParts = 10;  // of the recording

struct Started {
  uint64_t count = 0, alive = 0;
  std::array<uint64_t, kParts> in_part{};
  std::map<MethodId, uint64_t> by;  // your method that started them; 0: unknown
};

// "Worker 17" and "Worker 18" are alike.
std::string NameWithoutNumber(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789 #-_";
  const size_t end = name.find_last_not_of(kDigits);
  return std::string(name.substr(0, end == name.npos ? 0 : end + 1));
}

size_t PartOf(const Model& model, int64_t at_ns) {
  const double part = static_cast<double>(at_ns) / 1e9 / SecondsOf(model) * kParts;
  return static_cast<size_t>(std::clamp(part, 0.0, kParts - 1.0));
}

// In most parts of the time: not a batch of work, or the start of the process.
bool AgainAndAgain(const Started& started) { return std::ranges::count(started.in_part, 0u) <= 4; }

// The pool starts and ends its workers as it likes.
bool IsOfPool(std::string_view name) {
  return name.starts_with(".NET TP") || name.starts_with(".NET ThreadPool");
}

}  // namespace

void JudgeThreadChurn(const Model& model, const OverviewRules& rules,
                      std::vector<Finding>& findings) {
  if (SecondsOf(model) < rules.churn_seconds) return;
  FrameKinds kinds(model);
  std::map<std::string, Started> names;
  for (const ThreadInfo& thread : model.threads) {
    const std::string_view name = model.dictionaries.String(thread.name);
    if (!thread.has_start || thread.seen_alive || IsOfPool(name)) continue;
    Started& started = names[NameWithoutNumber(name)];
    ++started.count;
    if (!thread.has_end) ++started.alive;
    ++started.in_part[PartOf(model, thread.start_ns)];
    ++started.by[kinds.InnermostYours(model.dictionaries.Path(thread.creator_stack))];
  }
  for (const auto& [name, started] : names) {
    const double rate = static_cast<double>(started.count) / SecondsOf(model);
    if (started.count < rules.churned_threads || rate < rules.churned_threads_per_second ||
        !AgainAndAgain(started)) {
      continue;
    }
    const auto most = std::ranges::max_element(
        started.by, [](const auto& a, const auto& b) { return a.second < b.second; });
    Finding finding;
    const bool they_stay = static_cast<double>(started.alive) >=
                           rules.churned_threads_alive * static_cast<double>(started.count);
    const bool are_many = rate >= rules.many_churned_threads_per_second;
    // What a library does by itself is its own business, as long as the threads end.
    const bool is_yours = most->first != 0;
    finding.severity = they_stay || (are_many && is_yours) ? Severity::kWarning : Severity::kNote;
    finding.kind = "thread-churn";
    finding.title = FormatRate(rate) + " threads are started a second";
    if (they_stay) finding.title += " and do not end";
    if (!name.empty()) finding.title += ", all named " + name;
    if (is_yours) {
      finding.subject = MethodDisplayName(model.dictionaries, most->first);
      finding.title += ", in " + finding.subject;
    } else {
      finding.subject = name;
    }
    finding.evidence = Plural(started.count, "thread") + " in " +
                       FormatDuration(static_cast<uint64_t>(SecondsOf(model) * 1e9)) + ", " +
                       FormatCount(started.alive) + " of them alive at its end. ";
    if (is_yours && most->second < started.count) {
      finding.evidence += FormatCount(most->second) + " of them were started there. ";
    }
    finding.evidence +=
        they_stay ? "Each keeps its stack, and what that and its ThreadLocals refer to. "
                  : "Starting a thread takes much longer than queuing work to the pool, and each "
                    "has a stack of its own. ";
    finding.evidence += "If they belong to timers or clients, keep and dispose these.";
    finding.command = "threads";
    finding.impact = rate / (1 + rate) / 2;
    findings.push_back(std::move(finding));
  }
}

}  // namespace hindsight::analyzer
