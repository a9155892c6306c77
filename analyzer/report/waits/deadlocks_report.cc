#include "analyzer/report/waits/deadlocks_report.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "analyzer/analyses/heap/targets.h"
#include "analyzer/analyses/waits/deadlock_verdict.h"
#include "analyzer/base/text.h"
#include "analyzer/report/heap/heap_heading.h"
#include "analyzer/report/losses.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kMostMembers = 20;  // that are shown in full
constexpr size_t kMostFrames = 12;   // of each member
constexpr size_t kMostCrowds = 10;
constexpr size_t kMostSignals = 20;

// monitor Shop.Account 0x7f3a00001234; monitor Shop.StockBook.gate_ (System.Object 0x7f3a00001234)
std::string TargetText(const WaitTarget& target) {
  if (target.kind.empty()) return "something unknown";
  std::string out = target.kind;
  std::string object = Printable(target.type);
  if (target.address != 0) object += (object.empty() ? "" : " ") + AddressText(target.address);
  if (!target.field.empty()) {
    out += " " + Printable(target.field) + " (" + object + ")";
  } else if (!object.empty()) {
    out += " " + object;
  }
  if (target.lock != 0) out += " (runtime lock " + AddressText(target.lock) + ")";
  return out;
}

std::string MemberTitle(const DeadlockMember& member) {
  if (member.os_id) {
    std::string out = "thread " + std::to_string(*member.os_id);
    if (!member.name.empty()) out += " \"" + Printable(member.name) + "\"";
    return out;
  }
  std::string out = "async " + Printable(member.task_type);
  if (member.task != 0) out += " (task " + std::to_string(member.task) + ")";
  return out;
}

std::string Line(size_t indent, std::string_view text, const TextStyle& style) {
  return std::string(indent, ' ') + Wrap(text, style.width - indent, indent + 2) + "\n";
}

std::string MemberText(const DeadlockMember& member, const TextStyle& style) {
  std::string out = "  " + Paint(style, Tone::kStrong, MemberTitle(member));
  if (member.since_ns) {
    out += ", waiting since " + FormatMoment(*member.since_ns) + " after the start";
  }
  out += "\n";
  if (!member.waits_for.kind.empty()) {
    out += Line(4, "waits for " + TargetText(member.waits_for), style);
  }
  for (const WaitTarget& held : member.holds) out += Line(4, "holds " + TargetText(held), style);
  if (!member.taken_at.empty() && !member.holds.empty()) {
    out += Line(4, "taken in " + Printable(member.taken_at), style);
  }
  const size_t shown = std::min(member.stack.size(), kMostFrames);
  for (size_t i = 0; i < shown; ++i) {
    out += "      at " + ShortenMiddle(style, Printable(member.stack[i]), style.width - 9) + "\n";
  }
  if (member.stack.size() > shown) {
    out += "      (" + Plural(member.stack.size() - shown, "more frame") + ")\n";
  }
  return out;
}

std::string CrowdText(const std::vector<DeadlockVictims>& crowd, const TextStyle& style) {
  std::string out;
  const size_t shown = std::min(crowd.size(), kMostCrowds);
  uint64_t rest = 0;
  for (size_t i = 0; i < crowd.size(); ++i) {
    const DeadlockVictims& victims = crowd[i];
    if (i >= shown) {
      rest += victims.count;
      continue;
    }
    out += Line(4,
                FormatCount(victims.count) + " in " + Printable(victims.at) + " for " +
                    TargetText(victims.waits_for),
                style);
  }
  if (rest > 0) out += Line(4, FormatCount(rest) + " elsewhere", style);
  return out;
}

std::string DeadlockText(const Deadlock& deadlock, size_t number, const TextStyle& style) {
  std::string title = deadlock.kind;
  title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  if (!deadlock.members.empty()) title += " of " + FormatCount(deadlock.members.size());
  const std::string_view confidence = NameOf(kProofs, deadlock.proof);
  std::string out = Paint(style, deadlock.proof == Proof::kPossible ? Tone::kWarning : Tone::kBad,
                          std::to_string(number) + ". " + title + ", " + std::string(confidence)) +
                    "\n";
  if (deadlock.members.empty()) out += Line(2, TargetText(deadlock.cause), style);
  const size_t shown = std::min(deadlock.members.size(), kMostMembers);
  for (size_t i = 0; i < shown; ++i) out += MemberText(deadlock.members[i], style);
  if (deadlock.members.size() > shown) {
    out += "  (" + Plural(deadlock.members.size() - shown, "more member") + "; --json has all)\n";
  }
  if (deadlock.victims > 0) {
    const char* const wait =
        deadlock.victims == 1 ? " more waits behind it:" : " more wait behind it:";
    out += "  " + Paint(style, Tone::kStrong, FormatCount(deadlock.victims) + wait) + "\n" +
           CrowdText(deadlock.crowd, style);
  }
  out += "  Evidence:\n";
  for (const std::string& sentence : deadlock.evidence) {
    out += "    - " + Wrap(Printable(sentence), style.width - 6, 6) + "\n";
  }
  return out + "\n";
}

// Who waits for a lock, and who has it.
std::string QueueText(const WaitQueue& queue, const TextStyle& style) {
  const std::string title = FormatCount(queue.waiters) + (queue.waiters == 1 ? " waits" : " wait") +
                            " for " + TargetText(queue.nodes.front().target) + "; its owner:";
  std::string out = Paint(style, Tone::kStrong, Wrap(title, style.width, 2)) + "\n";
  for (const DeadlockMember& member : queue.members) out += MemberText(member, style);
  out += "  " + Paint(style, Tone::kStrong, "waiting:") + "\n" + CrowdText(queue.crowd, style);
  return out + "\n";
}

// Who waits for another thread, but not for one that can be told.
std::string SignalsText(const std::vector<SignalWait>& signals, const TextStyle& style) {
  if (signals.empty()) return {};
  const char* const title = "Waits for signals. Whether they come, a snapshot cannot tell:";
  std::string out = Paint(style, Tone::kStrong, Wrap(title, style.width, 2)) + "\n";
  const size_t shown = std::min(signals.size(), kMostSignals);
  for (size_t i = 0; i < shown; ++i) out += Line(2, Printable(SignalWaitText(signals[i])), style);
  if (signals.size() > shown) {
    out += "  (" + FormatCount(signals.size() - shown) + " more; --json has all)\n";
  }
  return out + "\n";
}

std::string LookedAt(const WaitModel::Counts& counts) {
  const uint64_t waiting = counts.waiting_threads();
  return "Examined " + Plural(counts.threads, "thread") + ", " + FormatCount(waiting) +
         " of which " + (waiting == 1 ? "waits" : "wait") + "; " + Plural(counts.locks, "lock") +
         " in use; " + Plural(counts.unfinished_tasks, "unfinished task") + " of " +
         FormatCount(counts.tasks) + ".";
}

}  // namespace

DeadlockOrigin OriginOf(const HeapWaits& heap) {
  return {.heap = &heap.model(),
          .events = nullptr,
          .queues = QueuesToShow(heap),
          .signals = FindSignalWaits(heap)};
}

std::string DeadlocksText(const DeadlockOrigin& origin, const DeadlockReport& report,
                          const TextStyle& style) {
  std::string out;
  if (origin.heap != nullptr) {
    out = HeapHead("Deadlocks", *origin.heap, style);
  } else {
    out = Paint(style, Tone::kStrong, "Deadlocks of " + RecordingTitle(origin.events->facts)) +
          "\n\n";
  }
  size_t number = 0;
  for (const Deadlock& deadlock : report.deadlocks) {
    out += DeadlockText(deadlock, ++number, style);
  }
  if (report.deadlocks.empty()) {
    const DeadlockVerdict verdict = VerdictOf(report, origin.heap != nullptr);
    out += "    " +
           Paint(style, verdict.is_all_clear ? Tone::kStrong : Tone::kWarning,
                 Wrap(verdict.headline, style.width - 4, 4)) +
           "\n\n";
  }
  for (const WaitQueue& queue : origin.queues) {
    if (!queue.members.empty()) out += QueueText(queue, style);
  }
  out += SignalsText(origin.signals, style);
  out += Wrap(LookedAt(report.looked_at), style.width, 0) + "\n";
  for (const std::string& note : report.notes) {
    out +=
        Paint(style, Tone::kWarning, Wrap("Note: " + Printable(note), style.width - 6, 6)) + "\n";
  }
  if (origin.events != nullptr) {
    for (const std::string& sentence : LossSentences(*origin.events)) {
      out += Paint(style, Tone::kWarning, Wrap("Note: " + sentence, style.width - 6, 6)) + "\n";
    }
    return out + NextHint(HowToLook(origin.events), style);
  }
  const bool has_cycle = std::ranges::any_of(report.deadlocks, [](const Deadlock& deadlock) {
    return deadlock.kind != "never released" && deadlock.kind != "never completed";
  });
  const bool has_semaphore = std::ranges::any_of(report.deadlocks, [](const Deadlock& deadlock) {
    return deadlock.kind.starts_with("semaphore");
  });
  return out +
         NextHint(report.deadlocks.empty()
                      ? "`hindsight tasks` shows what unfinished async methods await; `hindsight "
                        "pool`, whether the thread pool keeps up."
                  : has_semaphore
                      ? "A SemaphoreSlim cannot be entered again by the flow that holds it, nor by "
                        "what that awaits: release it before, or pass on that it is held. "
                        "`hindsight tasks` shows the async methods behind it."
                  : has_cycle
                      ? "Acquire the locks of a cycle in the same order everywhere; await instead "
                        "of blocking. `hindsight tasks` shows the async methods behind it."
                      : "Look for a path on which it is not released or completed, after an "
                        "exception for example. `hindsight tasks` shows the async methods behind "
                        "it.",
                  style);
}

}  // namespace hindsight::analyzer
