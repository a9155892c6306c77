#include "analyzer/report/threads_report.h"

#include <algorithm>

#include "analyzer/base/text.h"
#include "analyzer/report/common_fields.h"
#include "analyzer/report/described_table.h"
#include "analyzer/report/losses.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kThreadsShown = 40;

using ThreadState = ThreadFinding::State;

constexpr Named<ThreadState> kThreadStates[] = {{ThreadState::kEnded, "ended"},
                                                {ThreadState::kAlive, "alive"},
                                                {ThreadState::kInFlight, "exception_in_flight"},
                                                {ThreadState::kUnknown, "unknown"}};

std::string StateText(ThreadState state) {
  std::string text(NameOf(kThreadStates, state));
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string At(int64_t ns) { return FormatDuration(ns < 0 ? 0 : static_cast<uint64_t>(ns)); }

const ThreadInfo& InfoOf(const ThreadFinding& finding, const ThreadReport& report) {
  return report.model->threads[finding.thread];
}

Object<ThreadFinding, ThreadReport> ThreadFindingFields() {
  return {
      {TextColumn("thread").AlignsRight(),
       [](auto& finding, auto& report) {
         const ThreadInfo& thread = InfoOf(finding, report);
         return thread.os_id == 0 ? "#" + std::to_string(thread.id) : std::to_string(thread.os_id);
       }},
      {TextColumn("name").Shrinks(),
       [](auto& finding, auto& report) {
         return Printable(report.model->dictionaries.String(InfoOf(finding, report).name));
       }},
      {ThreadFields(),
       [](auto& finding, auto& report) {
         return ThreadRow{report.model, finding.thread};
       }},
      {"state", "How it ended, or that it is alive", kThreadStates, &ThreadFinding::state},
      {TextColumn("start").AlignsRight(),
       [](auto& finding) { return finding.has_start ? At(finding.start_ns) : "before"; }},
      {"start_ns", "null: before the recording",
       [](auto& finding) { return IfKnown(finding.has_start, finding.start_ns); }},
      {TextColumn("end").AlignsRight(),
       [](auto& finding) { return finding.has_end ? At(finding.end_ns) : ""; }},
      {"end_ns", "null: still alive",
       [](auto& finding) { return IfKnown(finding.has_end, finding.end_ns); }},
      {TextColumn("lifetime").AlignsRight(),
       [](auto& finding) {
         return (finding.has_start ? "" : "over ") + FormatDuration(finding.lifetime_ns);
       }},
      {"lifetime_ns", "As far as recorded", &ThreadFinding::lifetime_ns},
      {"throws", "Exceptions thrown on it, rethrows included", &ThreadFinding::throws,
       TextColumn("throws").BlankZero()},
      {TextColumn("at the end"), [](auto& finding) { return StateText(finding.state); }},
  };
}

std::string Foot(const Model& model) {
  const GarbageCollections& gc = model.collections;
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
               : "    Threads were not recorded: record with `sources=+threads`.\n";
  } else {
    out += TableOf(style, ThreadFindingFields(), report.findings, report, shown);
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
  if (const CountedThreads& counted = model.counted_threads; counted.started + counted.ended > 0) {
    out += Wrap("Besides these, " + Plural(counted.started, "start") + " and " +
                    Plural(counted.ended, "end") +
                    " of threads were counted: there was no memory for more (limit.memory).",
                style.width, 0) +
           "\n";
  }
  out += Wrap(Foot(model), style.width, 0) + "\n";
  for (const std::string& sentence : ExceptionLossSentences(model)) {
    out += Paint(style, Tone::kWarning, Wrap("Note: " + sentence, style.width - 6, 6)) + "\n";
  }
  if (model.facts.end == EndReason::kBrokeOff) {
    out += Wrap("Note: The recording " + EndClause(model) + ". Up to one second may be missing.",
                style.width - 6, 6) +
           "\n";
  }
  if (!report.findings.empty()) {
    out += Paint(style, Tone::kFaint,
                 "`hindsight exceptions --thread ID` shows what a thread threw.") +
           "\n";
  }
  return out;
}

namespace {

Object<GarbageCollections> CollectionCountFields() {
  return {
      {"gen0", "Generation 0", [](auto& gc) { return gc.collections[0]; }},
      {"gen1", "Generation 1", [](auto& gc) { return gc.collections[1]; }},
      {"gen2", "Generation 2", [](auto& gc) { return gc.collections[2]; }},
      {"induced", "Part of them: induced by GC.Collect or the like", &GarbageCollections::induced},
  };
}

Object<GarbageCollections> SuspensionFields() {
  return {
      {"count", "How many", &GarbageCollections::suspensions},
      {"total_ns", "In total", &GarbageCollections::suspended_ns},
      {"longest_ns", "The longest", &GarbageCollections::longest_ns},
  };
}

Object<ThreadReport, ThreadReport> ThreadReportFields() {
  constexpr auto kCollections = [](auto& report) -> auto& { return report.model->collections; };
  return {
      HeadFields("threads"),
      {"recording", "", RecordingFields(), kItsModel},
      {"threads", "By start", ThreadFindingFields(), &ThreadReport::findings},
      {"unknown_throws", "Throws on unknown threads", &ThreadReport::unknown_throws},
      {"gc", "Collections by the oldest generation collected", CollectionCountFields(),
       kCollections},
      {"suspensions", "Stop-the-world pauses", SuspensionFields(), kCollections},
      {ThreadStackReportFields(), &ThreadReport::thread_stacks},
  };
}

}  // namespace

std::string ThreadsJson(const ThreadReport& report) { return JsonOf(ThreadReportFields(), report); }

SharedShape ThreadsShape() { return ThreadReportFields().shape(); }

}  // namespace hindsight::analyzer
