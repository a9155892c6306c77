#include "analyzer/report/waits/tasks_report.h"

#include <algorithm>
#include <string_view>

#include "analyzer/base/text.h"
#include "analyzer/report/common_fields.h"
#include "analyzer/report/heap/heap_fields.h"
#include "analyzer/report/heap/heap_heading.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kMostMethods = 16;

using Awaits = TaskGroup::Awaits;

constexpr Named<Awaits> kAwaits[] = {
    {Awaits::kPromise, "promise"},     {Awaits::kTimer, "timer"},
    {Awaits::kSemaphore, "semaphore"}, {Awaits::kTasks, "tasks"},
    {Awaits::kDelegate, "delegate"},   {Awaits::kSource, "source"},
    {Awaits::kNothing, "nothing"},     {Awaits::kUnknown, "unknown"}};

std::string Lines(size_t indent, std::string_view text, const TextStyle& style) {
  return std::string(indent, ' ') + Wrap(text, style.width - indent, indent + 2) + "\n";
}

std::string GroupText(const TaskReport& report, const TaskGroup& group, const TextStyle& style) {
  std::string title = Plural(group.count, group.stack.empty() ? "task" : "chain");
  if (group.stack.empty()) {
    title += " not awaited by an async method: ";
  } else {
    title += group.count == 1 ? " awaits " : " await ";
  }
  title += Printable(group.awaits);
  std::string out = Paint(style, Tone::kStrong, Wrap(title, style.width - 4, 4)) + "\n";
  for (size_t i = 0; i < std::min(group.stack.size(), kMostMethods); ++i) {
    out += (i == 0 ? "    in " : "    awaited by ") +
           ShortenMiddle(style, Printable(group.stack[i]), style.width - 15) + "\n";
  }
  if (group.stack.size() > kMostMethods) {
    out += "    (" + Plural(group.stack.size() - kMostMethods, "more method") + ")\n";
  } else if (group.is_stack_cut) {
    out += "    (and more)\n";
  }
  if (group.stacks > 1) {
    out += Lines(4,
                 FormatCount(group.count - group.of_stack) + " of them in " +
                     Plural(group.stacks - 1, "other chain") + " of methods",
                 style);
  }
  if (!group.holder.empty()) {
    out += Lines(4, "held by " + Printable(group.holder), style);
  }
  if (group.blocked_threads > 0) {
    out += Lines(4,
                 Plural(group.blocked_threads, "thread") +
                     (group.blocked_threads == 1 ? " blocks" : " block") + " until this is done",
                 style);
  }
  std::string facts;
  if (group.oldest) facts += "oldest task " + std::to_string(*group.oldest);
  if (report.before != 0 && !group.stack.empty()) {
    facts += facts.empty() ? "" : "; ";
    if (group.unchanged == 0 && group.lost_sight > 0) {
      facts +=
          FormatCount(group.lost_sight) + (group.lost_sight == 1 ? " was" : " were") +
          " at this await in snapshot " + std::to_string(report.before) +
          "; a collection may have moved their objects, so whether they are these is not known";
    } else if (group.unchanged == 0) {
      facts += group.count == 1 ? "it was not" : "none of them was";
      facts += " at this await in snapshot " + std::to_string(report.before);
    } else {
      const std::string which = group.count == 1 ? "it was"
                                : group.unchanged == 1
                                    ? "1 of them was"
                                    : FormatCount(group.unchanged) + " of them were";
      facts += which + " already at this await in snapshot " + std::to_string(report.before) +
               ", " + FormatDuration(report.between_ns) + " before";
      // A timer completes by itself, and an object that is awaited repeatedly may always be the
      // same.
      const bool is_used_once =
          group.kind != TaskGroup::Awaits::kTimer && group.kind != TaskGroup::Awaits::kSource;
      if (is_used_once) facts += ": no progress in between";
    }
  }
  if (!facts.empty()) out += Lines(4, facts, style);
  return out + "\n";
}

std::string LostText(const LostRequests& lost, const TextStyle& style) {
  const std::string title =
      Plural(lost.count, "request") +
      " that nothing can complete any more: " + (lost.count == 1 ? "awaits " : "await ") +
      Printable(lost.awaits) + ", which nothing references";
  return Paint(style, Tone::kStrong, Wrap(title, style.width - 4, 4)) + "\n    in " +
         ShortenMiddle(style, Printable(lost.place), style.width - 15) + "\n\n";
}

std::string EndedServiceText(const EndedService& service, const TextStyle& style) {
  const std::string_view how = service.end == EndedService::End::kFaulted ? "an exception ended it"
                               : service.end == EndedService::End::kCanceled
                                   ? "it was canceled"
                                   : "its ExecuteAsync returned";
  const std::string name =
      ShortenMiddle(style, Printable(service.type), style.width - 30 - how.size());
  return Paint(style, Tone::kStrong, "Background service " + name + ": " + std::string(how)) +
         "\n\n";
}

std::string OrphanedText(const OrphanedWait& wait, const TextStyle& style) {
  const std::string title = Plural(wait.count, "chain") +
                            (wait.count == 1 ? " awaits " : " await ") + Printable(wait.awaits) +
                            ", to which only what awaits it refers: nothing can complete it";
  std::string out = Paint(style, Tone::kStrong, Wrap(title, style.width - 4, 4)) + "\n    in " +
                    ShortenMiddle(style, Printable(wait.place), style.width - 15) + "\n";
  if (!wait.service.empty()) {
    out += "    of the background service " +
           ShortenMiddle(style, Printable(wait.service), style.width - 34) + "\n";
  }
  return out + "\n";
}

}  // namespace

std::string TasksText(const HeapModel& model, const TaskReport& report, size_t top,
                      const TextStyle& style) {
  std::string out = HeapHead("Unfinished async work", model, style);
  for (const LostRequests& lost : report.lost) out += LostText(lost, style);
  for (const EndedService& service : report.ended_services) {
    out += EndedServiceText(service, style);
  }
  for (const OrphanedWait& wait : report.orphaned) {
    if (wait.is_yours || !wait.service.empty()) out += OrphanedText(wait, style);
  }
  const size_t shown = std::min(report.groups.size(), top);
  for (size_t i = 0; i < shown; ++i) out += GroupText(report, report.groups[i], style);
  if (report.groups.size() > shown) {
    out += "(" + Plural(report.groups.size() - shown, "more group") + "; --top shows more)\n\n";
  }
  if (report.groups.empty()) {
    out += report.unknown == 0 ? "    No async method is at an await.\n\n"
                               : "    Whether an async method is at an await is unknown: the "
                                 "snapshot has no states.\n\n";
  }
  out += Wrap("Examined " + Plural(report.tasks, "task") + ", " + FormatCount(report.unfinished) +
                  " of them unfinished; " + Plural(report.chains, "chain") + " of async calls.",
              style.width, 0) +
         "\n";
  for (const std::string& note : report.notes) {
    out +=
        Paint(style, Tone::kWarning, Wrap("Note: " + Printable(note), style.width - 6, 6)) + "\n";
  }
  return out +
         NextHint(report.moved_since != 0 ? "Take another snapshot; this command compares them."
                  : report.before == 0
                      ? "One snapshot cannot distinguish slow from stuck; take two during one "
                        "recording (`hindsight-trigger attach`), and this command compares them."
                      : "`hindsight deadlocks` shows which of them wait for each other; "
                        "`hindsight object ADDRESS` shows one of them.",
                  style);
}

namespace {

struct TasksContext : HeapContext {
  const TaskReport* report;
};

Object<TaskGroup, TasksContext> TaskGroupFields() {
  return {
      {"awaits", "What they await, in words", &TaskGroup::awaits},
      {"kind", "What kind that is", kAwaits, &TaskGroup::kind},
      {"count", "How many", &TaskGroup::count},
      {"oldest_task_id", "The smallest Task.Id; null: unknown", &TaskGroup::oldest},
      {"holder", "What holds it; null: unknown",
       [](auto& group) { return IfKnown(!group.holder.empty(), group.holder); }},
      {"site",
       "The place: the innermost async method of your assemblies, or else of others; null: not "
       "awaited by an async method",
       [](auto& group) { return IfKnown(!group.place.empty(), group.place); }},
      {"stack", "Async methods of most of them, innermost first", &TaskGroup::stack},
      {"stacks", "Number of different stacks at this place", &TaskGroup::stacks},
      {"blocked_threads", "Threads blocked until it completes", &TaskGroup::blocked_threads},
      {"unchanged", "Part of count that was already in the previous snapshot; null: there is none",
       [](auto& group, auto& in) { return IfKnown(in.report->before != 0, group.unchanged); }},
      {"example", "Address of one such object", AddressAt(&TaskGroup::example)},
  };
}

Object<LostRequests, TasksContext> LostRequestsFields() {
  return {
      {"site", "The place: the innermost async method of your assemblies, or else of others",
       &LostRequests::place},
      {"awaits", "The type of what they await", &LostRequests::awaits},
      {"count", "How many", &LostRequests::count},
      {"example", "Address of one such object", AddressAt(&LostRequests::example)},
  };
}

Object<EndedService> EndedServiceFields() {
  using End = EndedService::End;
  return {
      {"type", "The class", &EndedService::type},
      {"is_yours", "Whether it is of your assemblies", &EndedService::is_yours},
      {"end", "How its ExecuteAsync ended",
       OneOf<End>{&EndName, {End::kFaulted, End::kCanceled, End::kReturned}}, &EndedService::end},
  };
}

Object<OrphanedWait, TasksContext> OrphanedWaitFields() {
  return {
      {"service", "The type of the BackgroundService that it belongs to; null: none",
       [](auto& wait) { return IfKnown(!wait.service.empty(), wait.service); }},
      {"site", "The place: the innermost async method of your assemblies, or else of others",
       &OrphanedWait::place},
      {"awaits", "The type of what is awaited", &OrphanedWait::awaits},
      {"count", "How many", &OrphanedWait::count},
      {"example", "Address of one such object", AddressAt(&OrphanedWait::example)},
  };
}

Object<TaskReport> TasksBeforeFields() {
  return {
      {"snapshot", "Its number", &TaskReport::before},
      {"ns", "How long before", &TaskReport::between_ns},
  };
}

Object<TaskReport, TasksContext> TasksFields() {
  return {
      HeadFields("tasks"),
      {"heap", "", HeapFields(), kItsHeap},
      {"groups", "Unfinished tasks by what they await, the oldest first", TaskGroupFields(),
       &TaskReport::groups},
      {"ended_services",
       "Background services whose ExecuteAsync has ended, although the host is not being stopped",
       EndedServiceFields(), &TaskReport::ended_services},
      {"orphaned",
       "Chains that await a task to which only what awaits it refers, so that nothing can complete "
       "it: part of the groups",
       OrphanedWaitFields(), &TaskReport::orphaned},
      {"lost",
       "Requests that nothing can complete any more, as no reference leads to them or to what they "
       "await; not part of the following numbers",
       LostRequestsFields(), &TaskReport::lost},
      {"tasks", "Tasks in the snapshot", &TaskReport::tasks},
      {"unfinished", "Part of them: unfinished", &TaskReport::unfinished},
      {"unknown", "Part of them: without a recorded state, counted as finished",
       &TaskReport::unknown},
      {"chains", "Chains of tasks that await each other", &TaskReport::chains},
      {"before", "The snapshot that it was compared with; null: none", TasksBeforeFields(),
       [](auto& report) { return report.before == 0 ? nullptr : &report; }},
      {"notes", "Notes, as sentences", &TaskReport::notes},
  };
}

}  // namespace

std::string TasksJson(const HeapModel& model, const TaskReport& report) {
  return JsonOf(TasksFields(), report, {{&model}, &report});
}

SharedShape TasksShape() { return TasksFields().shape(); }

}  // namespace hindsight::analyzer
