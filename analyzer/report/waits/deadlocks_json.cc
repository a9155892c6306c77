#include <optional>

#include "analyzer/analyses/heap/targets.h"
#include "analyzer/analyses/waits/deadlock_verdict.h"
#include "analyzer/report/common_fields.h"
#include "analyzer/report/heap/heap_fields.h"
#include "analyzer/report/waits/deadlocks_report.h"

namespace hindsight::analyzer {
namespace {

constexpr Named<bool> kSources[] = {{true, "heap"}, {false, "events"}};

std::optional<std::string> TextOrNull(const std::string& text) {
  return IfKnown(!text.empty(), text);
}

Object<WaitTarget> TargetFields() {
  return {
      {"kind", "monitor, lock, semaphore, task, event, ...", &WaitTarget::kind},
      {"type", "Its type, as C# writes it; null: unknown",
       [](auto& target) { return TextOrNull(target.type); }},
      {"field", "The field that refers to it, if that says more than the type; null: none",
       [](auto& target) { return TextOrNull(target.field); }},
      {"object", "Its address, or the runtime's id; null: unknown",
       [](auto& target) {
         const uint64_t id = target.address != 0 ? target.address : target.lock;
         return IfKnown(id != 0, AddressText(id));
       }},
  };
}

// Null: unknown.
auto TargetAt(auto target) {
  return [target](auto& row) { return (row.*target).kind.empty() ? nullptr : &(row.*target); };
}

Object<DeadlockMember> MemberThreadFields() {
  return {
      {"os_id", "The kernel's id", [](auto& member) { return member.os_id.value_or(0); }},
      {"name", "Name", &DeadlockMember::name},
  };
}

Object<DeadlockMember> MemberTaskFields() {
  return {
      {"id", "Task.Id; null: unknown",
       [](auto& member) { return IfKnown(member.task != 0, member.task); }},
      {"type", "Its type", &DeadlockMember::task_type},
  };
}

Object<DeadlockMember> MemberFields() {
  return {
      {"thread", "A thread; null: it is a task", MemberThreadFields(),
       [](auto& member) { return member.os_id ? &member : nullptr; }},
      {"task", "A task; null: it is a thread", MemberTaskFields(),
       [](auto& member) { return member.task_type.empty() ? nullptr : &member; }},
      {"waits_for", "What it waits for; null: unknown", TargetFields(),
       TargetAt(&DeadlockMember::waits_for)},
      {"holds", "What it holds", TargetFields(), &DeadlockMember::holds},
      {"since_ns", "Since when; null: unknown", &DeadlockMember::since_ns},
      {"taken_at", "Where it acquired what others wait for; null: unknown",
       [](auto& member) { return TextOrNull(member.taken_at); }},
      {"stack", "Methods, innermost first", &DeadlockMember::stack},
  };
}

Object<DeadlockVictims> VictimFields() {
  return {
      {"count", "How many threads", &DeadlockVictims::count},
      {"waits_for", "What they wait for; null: unknown", TargetFields(),
       TargetAt(&DeadlockVictims::waits_for)},
      {"at", "Where: a method", &DeadlockVictims::at},
  };
}

Object<Deadlock> DeadlockFields() {
  return {
      {"kind", "lock cycle, sync over async, task cycle, never released, ...", &Deadlock::kind},
      {"confidence", "How sure it is", kProofs, &Deadlock::proof},
      {"members", "Members of the cycle", MemberFields(), &Deadlock::members},
      {"cause", "What is never provided, if there are no members; else null", TargetFields(),
       TargetAt(&Deadlock::cause)},
      {"victims", "Threads and tasks waiting behind it", &Deadlock::victims},
      {"crowd", "Waiting threads, by what they wait for and where", VictimFields(),
       &Deadlock::crowd},
      {"evidence", "Evidence, as sentences", &Deadlock::evidence},
  };
}

Object<WaitQueue> QueueFields() {
  return {
      {"lock", "What is waited for", TargetFields(),
       [](auto& queue) { return &queue.nodes.front().target; }},
      {"waiters", "How many wait for it", &WaitQueue::waiters},
      {"owners", "Its owner, the owner of what that one waits for, and so on", MemberFields(),
       &WaitQueue::members},
      {"crowd", "Who waits for one of these locks, by where", VictimFields(), &WaitQueue::crowd},
  };
}

constexpr Named<SignalWait::For> kSignals[] = {
    {SignalWait::For::kEvent, "event"},         {SignalWait::For::kCountdown, "countdown"},
    {SignalWait::For::kBarrier, "barrier"},     {SignalWait::For::kPulse, "pulse"},
    {SignalWait::For::kSemaphore, "semaphore"}, {SignalWait::For::kHandle, "wait handle"},
    {SignalWait::For::kMutex, "mutex"},         {SignalWait::For::kThread, "thread"},
    {SignalWait::For::kProcess, "process"}};

Object<SignalWait> SignalFields() {
  return {
      {"kind", "What is waited for", kSignals, &SignalWait::what},
      {"name", "The field that refers to it, or its type; of a thread, its name; null: unknown",
       [](auto& wait) { return TextOrNull(wait.object); }},
      {"object", "Its address; null: unknown",
       [](auto& wait) { return IfKnown(wait.address != 0, AddressText(wait.address)); }},
      {"at", "Where: a method", &SignalWait::at},
      {"threads", "How many threads wait", &SignalWait::threads},
      {"main", "Whether the main thread is one of them", &SignalWait::is_main},
      {"missing",
       "Signals of a countdown, or participants of a barrier, that are missing; else null",
       &SignalWait::missing},
      {"of", "Of how many; null: unknown", &SignalWait::of},
  };
}

// The context in which the report is printed.
struct DeadlockView : DeadlockOrigin {
  std::optional<DeadlockVerdict> verdict;  // nullopt: a deadlock was found
};

Object<WaitModel::Counts, DeadlockView> ExaminedFields() {
  using Counts = WaitModel::Counts;
  return {
      {"threads", "Threads", &Counts::threads},
      {"blocked_threads", "Threads that wait", &Counts::blocked_threads},
      {"threads_without_stack", "Threads without a stack", &Counts::threads_without_stack},
      {"locks", "Locks in use", &Counts::locks},
      {"unknown_owners", "Locks with an unknown owner", &Counts::unknown_owners},
      {"tasks", "Tasks", &Counts::tasks},
      {"unfinished_tasks", "Unfinished tasks", &Counts::unfinished_tasks},
      {"unknown_tasks", "Tasks that may be unfinished: their state was not recorded",
       &Counts::unknown_tasks},
      {"contexts", "Synchronization contexts", &Counts::contexts},
      {"looks", "For events: number of thread snapshots",
       [](auto& counts, auto& from) {
         return If{from.heap == nullptr, counts.looks};
       }},
      {"unjudged_threads", "For events: threads waiting for an unknown lock or task",
       [](auto& counts, auto& from) {
         return If{from.heap == nullptr, counts.unjudged_threads};
       }},
  };
}

Object<DeadlockReport, DeadlockView> DeadlocksFields() {
  return {
      HeadFields("deadlocks"),
      {"source", "heap: a snapshot; events: what was recorded over time", kSources,
       [](auto&, auto& origin) { return origin.heap != nullptr; }},
      {"heap", "If source is heap", HeapFields(),
       [](auto&, auto& origin) {
         return If{origin.heap != nullptr, origin.heap};
       }},
      {"recording", "If source is events", RecordingFields(),
       [](auto&, auto& origin) {
         return If{origin.heap == nullptr, origin.events};
       }},
      {"deadlocks", "Most certain first", DeadlockFields(), &DeadlockReport::deadlocks},
      {"queues", "Locks that are waited for and whose owner can proceed, if source is heap",
       QueueFields(),
       [](auto&, auto& origin) -> const std::vector<WaitQueue>& { return origin.queues; }},
      {"signals", "Waits for signals of other threads, if source is heap", SignalFields(),
       [](auto&, auto& origin) -> const std::vector<SignalWait>& { return origin.signals; }},
      {"looked_at", "What was examined", ExaminedFields(), &DeadlockReport::looked_at},
      {"all_clear", "No deadlock, and everything that could show one was examined",
       [](auto&, auto& view) { return view.verdict && view.verdict->is_all_clear; }},
      {"headline", "If none was found: what was examined, or what was not; else null",
       [](auto&, auto& view) {
         return IfKnown(view.verdict.has_value(),
                        view.verdict ? view.verdict->headline : std::string());
       }},
      {"notes", "Notes, as sentences", &DeadlockReport::notes},
  };
}

}  // namespace

std::string DeadlocksJson(const DeadlockOrigin& origin, const DeadlockReport& report) {
  DeadlockView view{origin, {}};
  if (report.deadlocks.empty()) view.verdict = VerdictOf(report, origin.heap != nullptr);
  return JsonOf(DeadlocksFields(), report, view);
}

SharedShape DeadlocksShape() { return DeadlocksFields().shape(); }

}  // namespace hindsight::analyzer
