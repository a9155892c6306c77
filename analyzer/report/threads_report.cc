#include "analyzer/report/threads_report.h"

#include <algorithm>
#include <span>

#include "analyzer/base/text.h"
#include "analyzer/report/json.h"
#include "analyzer/report/losses.h"
#include "analyzer/report/table.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kThreadsShown = 40;

std::string StateText(ThreadFinding::State state) {
  switch (state) {
    case ThreadFinding::State::kEnded:
      return "ended";
    case ThreadFinding::State::kAlive:
      return "alive";
    case ThreadFinding::State::kUnknown:
      return "unknown";
    case ThreadFinding::State::kInFlight:
      return "exception in flight";
  }
  return "unknown";
}

std::string StateName(ThreadFinding::State state) {
  switch (state) {
    case ThreadFinding::State::kEnded:
      return "ended";
    case ThreadFinding::State::kAlive:
      return "alive";
    case ThreadFinding::State::kUnknown:
      return "unknown";
    case ThreadFinding::State::kInFlight:
      return "exception_in_flight";
  }
  return "unknown";
}

std::string At(int64_t ns) { return FormatDuration(ns < 0 ? 0 : static_cast<uint64_t>(ns)); }

std::string Foot(const Model& model) {
  const CollectionFacts& gc = model.collections;
  const uint64_t all = gc.collections[0] + gc.collections[1] + gc.collections[2];
  if (all == 0 && gc.suspensions == 0) {
    return "No garbage collection or suspension was recorded.";
  }
  std::string out = "Meanwhile " + Plural(all, "garbage collection");
  if (all > 0) {
    out += " (gen0 " + FormatCount(gc.collections[0]) + ", gen1 " + FormatCount(gc.collections[1]) +
           ", gen2 " + FormatCount(gc.collections[2]);
    if (gc.induced > 0) out += "; " + FormatCount(gc.induced) + " induced";
    out += ")";
  }
  out += "; all threads were paused " + Plural(gc.suspensions, "time");
  if (gc.suspensions > 0) {
    out += ", " + FormatDuration(gc.suspended_ns) + " in total, " + FormatDuration(gc.longest_ns) +
           " at most";
  }
  return out + ".";
}

}  // namespace

std::string ThreadsText(const ThreadReport& report, const ThreadStacksTextOptions& options,
                        const TextStyle& style) {
  const Model& model = *report.model;
  std::string out =
      Paint(style, Tone::kStrong, "Threads of " + RecordingTitle(model.facts)) + "\n\n";
  out += ThreadStacksText(report.thread_stacks, model, options, style) + "\n";
  const size_t shown =
      options.top == 0 ? report.findings.size() : std::min(kThreadsShown, report.findings.size());
  if (report.findings.empty()) {
    out += model.facts.threads_on
               ? "    No thread was recorded.\n"
               : "    Threads were not recorded: record with `sources=threads`.\n";
  } else {
    Table table({{"thread", Table::Align::kRight},
                 {"name", Table::Align::kLeft, true},
                 {"start", Table::Align::kRight},
                 {"end", Table::Align::kRight},
                 {"lifetime", Table::Align::kRight},
                 {"throws", Table::Align::kRight},
                 {"at the end", Table::Align::kLeft}});
    for (const ThreadFinding& finding : std::span(report.findings).first(shown)) {
      const ThreadInfo& thread = model.threads[finding.thread];
      table.AddRow(
          {thread.os_id == 0 ? "#" + std::to_string(thread.id) : std::to_string(thread.os_id),
           Printable(model.dictionaries.String(thread.name)),
           finding.has_start ? At(finding.start_ns) : "before",
           finding.has_end ? At(finding.end_ns) : "",
           (finding.has_start ? "" : "over ") + FormatDuration(finding.lifetime_ns),
           finding.throws == 0 ? "" : FormatCount(finding.throws), StateText(finding.state)});
    }
    out += table.Render(style, 2);
    if (shown < report.findings.size()) {
      out += "  " +
             Paint(style, Tone::kFaint,
                   Plural(report.findings.size() - shown, "more thread") + ": --top 0 shows all") +
             "\n";
    }
  }
  out += "\n";
  if (report.unknown_throws > 0) {
    out += Plural(report.unknown_throws, "throw") + " on unknown threads.\n";
  }
  out += Wrap(Foot(model), style.width, 0) + "\n";
  for (const std::string& sentence : ExceptionLossSentences(model)) {
    out += Paint(style, Tone::kWarning, Wrap("Note: " + sentence, style.width, 6)) + "\n";
  }
  if (model.facts.end == RecordingFacts::End::kBrokeOff) {
    out +=
        Wrap("Note: The recording " + EndClause(model.facts) + ". Up to one second may be missing.",
             style.width, 6) +
        "\n";
  }
  if (!report.findings.empty()) {
    out += Paint(style, Tone::kFaint,
                 "`hindsight exceptions --thread ID` shows what a thread threw.") +
           "\n";
  }
  return out;
}

std::string ThreadsJson(const ThreadReport& report) {
  const Model& model = *report.model;
  Json threads = Json::array();
  for (const ThreadFinding& finding : report.findings) {
    Json thread = JsonThread(model, finding.thread);
    thread["state"] = StateName(finding.state);
    thread["start_ns"] = finding.has_start ? Json(finding.start_ns) : Json();
    thread["end_ns"] = finding.has_end ? Json(finding.end_ns) : Json();
    thread["lifetime_ns"] = finding.lifetime_ns;
    thread["throws"] = finding.throws;
    threads.push_back(std::move(thread));
  }
  const CollectionFacts& gc = model.collections;
  Json json = {
      {"schema", kJsonSchema},
      {"command", "threads"},
      {"recording", JsonRecording(model)},
      {"threads", std::move(threads)},
      {"unknown_throws", report.unknown_throws},
      {"gc",
       {{"gen0", gc.collections[0]},
        {"gen1", gc.collections[1]},
        {"gen2", gc.collections[2]},
        {"induced", gc.induced}}},
      {"suspensions",
       {{"count", gc.suspensions}, {"total_ns", gc.suspended_ns}, {"longest_ns", gc.longest_ns}}}};
  AddThreadStacks(report.thread_stacks, model, json);
  return JsonDump(json);
}

}  // namespace hindsight::analyzer
