#include "analyzer/report/waits/tasks_report.h"

#include <algorithm>
#include <string_view>

#include "analyzer/analyses/heap/targets.h"
#include "analyzer/base/text.h"
#include "analyzer/report/heap/heap_heading.h"
#include "analyzer/report/json.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kMostMethods = 16;

std::string_view KindName(TaskGroup::Awaits kind) {
  switch (kind) {
    case TaskGroup::Awaits::kPromise:
      return "promise";
    case TaskGroup::Awaits::kTimer:
      return "timer";
    case TaskGroup::Awaits::kSemaphore:
      return "semaphore";
    case TaskGroup::Awaits::kTasks:
      return "tasks";
    case TaskGroup::Awaits::kDelegate:
      return "delegate";
    case TaskGroup::Awaits::kSource:
      return "source";
    case TaskGroup::Awaits::kNothing:
      return "nothing";
    case TaskGroup::Awaits::kUnknown:
      break;
  }
  return "unknown";
}

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
  std::string out = Paint(style, Tone::kStrong, Wrap(title, style.width, 4)) + "\n";
  for (size_t i = 0; i < std::min(group.stack.size(), kMostMethods); ++i) {
    out += (i == 0 ? "    in " : "    awaited by ") +
           ShortenMiddle(style, Printable(group.stack[i]), style.width - 15) + "\n";
  }
  if (group.stack.size() > kMostMethods) {
    out += "    (" + Plural(group.stack.size() - kMostMethods, "more method") + ")\n";
  } else if (group.is_stack_cut) {
    out += "    (and more)\n";
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
    if (group.unchanged == 0) {
      facts += "none was here in snapshot " + std::to_string(report.before);
    } else {
      facts += FormatCount(group.unchanged) + " of them were already here in snapshot " +
               std::to_string(report.before) + ", " + FormatDuration(report.between_ns) + " before";
      if (group.kind != TaskGroup::Awaits::kTimer) facts += ": no progress in between";
    }
  }
  if (!facts.empty()) out += Lines(4, facts, style);
  return out + "\n";
}

}  // namespace

std::string TasksText(const HeapModel& model, const TaskReport& report, size_t top,
                      const TextStyle& style) {
  std::string out = HeapHead("Unfinished async work", model, style);
  const size_t shown = std::min(report.groups.size(), top);
  for (size_t i = 0; i < shown; ++i) out += GroupText(report, report.groups[i], style);
  if (report.groups.size() > shown) {
    out += "(" + Plural(report.groups.size() - shown, "more group") + "; --top shows more)\n\n";
  }
  if (report.groups.empty()) out += "    No async method is at an await.\n\n";
  out += Wrap("Examined " + Plural(report.tasks, "task") + ", " + FormatCount(report.unfinished) +
                  " of them unfinished; " + Plural(report.chains, "chain") + " of async calls.",
              style.width, 0) +
         "\n";
  for (const std::string& note : report.notes) {
    out += Paint(style, Tone::kWarning, Wrap("Note: " + Printable(note), style.width, 6)) + "\n";
  }
  return out + NextHint(report.before == 0
                            ? "One snapshot cannot tell slow from stuck; take a second one, and "
                              "this command compares them."
                            : "`hindsight deadlocks` shows which of them wait for each other; "
                              "`hindsight object ADDRESS` shows one of them.",
                        style);
}

std::string TasksJson(const HeapModel& model, const TaskReport& report) {
  Json groups = Json::array();
  for (const TaskGroup& group : report.groups) {
    groups.push_back({{"awaits", JsonText(group.awaits)},
                      {"kind", KindName(group.kind)},
                      {"count", group.count},
                      {"oldest_task_id", group.oldest ? Json(*group.oldest) : Json()},
                      {"holder", group.holder.empty() ? Json() : JsonText(group.holder)},
                      {"stack", JsonTexts(group.stack)},
                      {"blocked_threads", group.blocked_threads},
                      {"unchanged", report.before == 0 ? Json() : Json(group.unchanged)},
                      {"example", AddressText(model.graph.Address(group.example))}});
  }
  Json before;
  if (report.before != 0) {
    before = {{"snapshot", report.before}, {"ns", report.between_ns}};
  }
  return JsonDump({{"schema", kJsonSchema},
                   {"command", "tasks"},
                   {"heap", JsonHeap(model)},
                   {"groups", std::move(groups)},
                   {"tasks", report.tasks},
                   {"unfinished", report.unfinished},
                   {"chains", report.chains},
                   {"before", std::move(before)},
                   {"notes", JsonTexts(report.notes)}});
}

}  // namespace hindsight::analyzer
