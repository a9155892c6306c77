#include "analyzer/report/waits/pool_report.h"

#include <algorithm>
#include <vector>

#include "analyzer/analyses/waits/lock_contention.h"
#include "analyzer/base/text.h"
#include "analyzer/report/losses.h"
#include "analyzer/report/waits/labelled_rows.h"

namespace hindsight::analyzer {
namespace {

using Verdict = PoolReport::Verdict;

std::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kStarved:
      return "starved";
    case Verdict::kStrained:
      return "strained";
    case Verdict::kHealthy:
      return "healthy";
    case Verdict::kUnknown:
      break;
  }
  return "unknown";
}

std::string MomentText(int64_t ns) {
  return FormatDuration(static_cast<uint64_t>(std::max<int64_t>(0, ns)));
}

std::vector<std::string> Evidence(const PoolReport& report) {
  const Waits& waits = report.model->waits;
  std::vector<std::string> out;
  if (waits.samples.empty()) {
    out.push_back(report.model->facts.locks_on
                      ? "The pool's counters are unknown: the runtime did not provide them."
                      : "The pool was not recorded: record with `sources=locks,waits`.");
  } else {
    out.push_back(Plural(report.completed, "work item") + " completed in " +
                  MomentText(report.sampled_ns) + "; at most " + FormatCount(report.longest_queue) +
                  " queued; " + FormatCount(report.fewest_workers) + " to " +
                  FormatCount(report.most_workers) + " workers.");
    out.push_back(report.stalled_ns == 0 ? "Queued work always made progress."
                                         : "Queued work made no progress for " +
                                               FormatDuration(report.longest_stall_ns) + " from " +
                                               MomentText(report.longest_stall_at_ns) + " on; " +
                                               FormatDuration(report.stalled_ns) + " in total.");
  }
  if (report.mean_wait_ns >= PoolRules().long_wait_ns) {
    out.push_back("A work item waited " + FormatDuration(report.mean_wait_ns) +
                  " for a worker on average.");
  }
  if (report.starvations > 0) {
    out.push_back("The pool detected starvation and added a worker " +
                  Plural(report.starvations, "time") + ".");
  }
  if (report.cooperative > 0) {
    out.push_back("It added a worker because another one was blocked on a task " +
                  Plural(report.cooperative, "time") + ".");
  }
  if (!report.has_thread_stacks) {
    out.push_back("The workers' stacks were not recorded: record with `sources=waits`.");
  } else {
    const std::string seen = report.from_snapshot
                                 ? " in the thread snapshot at " + MomentText(report.seen_at_ns)
                                 : " that had not ended when the recording did";
    out.push_back(FormatCount(report.blocked) + " of " + Plural(report.busy, "busy worker") +
                  " blocked" + (report.from_snapshot ? seen : ", in waits" + seen) + ".");
  }
  return out;
}

std::string_view NameOf(BlockingCall::Kind call) {
  switch (call) {
    case BlockingCall::Kind::kMonitor:
      return "monitor";
    case BlockingCall::Kind::kLock:
      return "lock";
    case BlockingCall::Kind::kMonitorWait:
      return "pulse";
    case BlockingCall::Kind::kSleep:
      return "a delay";
    default:
      return WaitName(WaitKind::kWaitHandle, call);
  }
}

std::string Advice(const PoolReport& report) {
  if (report.verdict != Verdict::kStarved || report.blocking.empty()) return {};
  const bool tasks = report.blocking.front().call == BlockingCall::Kind::kTask ||
                     report.blocking.front().call == BlockingCall::Kind::kTasks;
  return tasks ? "Completing the tasks may itself need a worker: await them instead of blocking."
               : "Work that has to block belongs on dedicated threads, or should wait "
                 "asynchronously. More workers (ThreadPool.SetMinThreads) only help for a while.";
}

}  // namespace

std::string PoolText(const PoolReport& report, const PoolTextOptions& options) {
  const TextStyle& style = options.style;
  const Model& model = *report.model;
  std::string out =
      Paint(style, Tone::kStrong, "Thread pool of " + RecordingTitle(model.facts)) + "\n\n";
  const auto say = [&](Tone tone, const std::string& text) {
    out += "    " + Paint(style, tone, Wrap(text, style.width - 4, 4)) + "\n";
  };
  switch (report.verdict) {
    case Verdict::kStarved:
      say(Tone::kBad, "STARVED: work is queued and the workers are blocked.");
      break;
    case Verdict::kStrained:
      say(Tone::kWarning, "STRAINED: the pool was short of workers at times.");
      break;
    case Verdict::kHealthy:
      if (report.starvations > 0 || report.cooperative > 0) {
        say(Tone::kStrong,
            "Not starved: the pool was briefly short of workers, but work progressed.");
      } else if (model.waits.samples.empty()) {
        say(Tone::kWarning, "No starvation was seen, but the pool's counters are unknown.");
      } else {
        say(Tone::kStrong, "Healthy: no starvation.");
      }
      break;
    case Verdict::kUnknown:
      say(Tone::kWarning, "Unknown: too little was recorded for a verdict.");
  }
  for (const std::string& sentence : Evidence(report)) say(Tone::kStrong, sentence);
  if (const std::string advice = Advice(report); !advice.empty()) say(Tone::kStrong, advice);

  const size_t shown =
      options.top == 0 ? report.blocking.size() : std::min(options.top, report.blocking.size());
  for (size_t i = 0; i < shown; ++i) {
    const BlockingSite& site = report.blocking[i];
    const std::string left = PadRight("#" + std::to_string(i + 1), 4);
    const std::string right = Plural(site.count, "worker");
    const size_t room = style.width - left.size() - right.size() - 2;
    const std::string name = ShortenMiddle(style, Printable(report.names.Display(site.site)), room);
    out += "\n" + left + Paint(style, Tone::kStrong, name) +
           PadLeft("", room - std::min(room, TextColumns(name)) + 2) + right + "\n";
    AppendStack(out, style, "blocks in", report.names, site.path, options.frames);
    AppendRow(out, style, "for a", NameOf(site.call));
  }
  if (shown < report.blocking.size()) {
    out += "  and " + Plural(report.blocking.size() - shown, "more place") + "\n";
  }
  const std::vector<std::string> losses = LossSentences(model);
  if (!losses.empty()) out += "\n";
  for (const std::string& sentence : losses) {
    out += Paint(style, Tone::kWarning, Wrap("Note: " + sentence, style.width, 6)) + "\n";
  }
  return out;
}

std::string PoolJson(const PoolReport& report) {
  Json evidence = Json::array();
  for (const std::string& sentence : Evidence(report)) evidence.push_back(sentence);
  Json blocking = Json::array();
  for (const BlockingSite& site : report.blocking) {
    blocking.push_back({{"count", site.count},
                        {"kind", NameOf(site.call)},
                        {"site", JsonText(report.names.Display(site.site))},
                        {"frames", JsonStack(report.names, site.path)}});
  }
  return JsonDump({{"schema", kJsonSchema},
                   {"command", "pool"},
                   {"recording", JsonRecording(*report.model)},
                   {"verdict", VerdictName(report.verdict)},
                   {"evidence", std::move(evidence)},
                   {"blocking", std::move(blocking)},
                   {"busy", report.busy},
                   {"blocked", report.blocked},
                   {"stalled_ns", report.stalled_ns},
                   {"longest_stall_ns", report.longest_stall_ns},
                   {"longest_queue", report.longest_queue},
                   {"workers", {{"fewest", report.fewest_workers}, {"most", report.most_workers}}},
                   {"completed", report.completed},
                   {"starvations", report.starvations},
                   {"cooperative_blockings", report.cooperative}});
}

}  // namespace hindsight::analyzer
