#include "analyzer/report/waits/pool_report.h"

#include <algorithm>
#include <vector>

#include "analyzer/analyses/waits/lock_contention.h"
#include "analyzer/base/text.h"
#include "analyzer/model/how_to_record.h"
#include "analyzer/report/common_fields.h"
#include "analyzer/report/losses.h"
#include "analyzer/report/waits/labelled_rows.h"

namespace hindsight::analyzer {
namespace {

using Verdict = PoolReport::Verdict;

constexpr Named<Verdict> kVerdicts[] = {{Verdict::kStarved, "starved"},
                                        {Verdict::kStrained, "strained"},
                                        {Verdict::kHealthy, "healthy"},
                                        {Verdict::kUnknown, "unknown"}};

// A queue with more work items for each worker than that is not called healthy.
constexpr uint64_t kLongQueue = 10;

std::vector<std::string> Evidence(const PoolReport& report) {
  const Waits& waits = report.model->waits;
  std::vector<std::string> out;
  if (waits.samples.empty()) {
    out.push_back(report.model->facts.locks_on
                      ? "The pool's counters are unknown: the runtime did not provide them."
                      : "The pool was not recorded: " +
                            HowToRecord(report.model->facts, "locks", ",+waits"));
  } else {
    out.push_back(Plural(report.completed, "work item") + " completed in " +
                  FormatMoment(report.sampled_ns) + "; at most " +
                  FormatCount(report.longest_queue) + " queued; " +
                  FormatCount(report.fewest_workers) + " to " + FormatCount(report.most_workers) +
                  " workers.");
    out.push_back(report.stalled_ns == 0 ? "Queued work always made progress."
                                         : "Queued work made no progress for " +
                                               FormatDuration(report.longest_stall_ns) + " from " +
                                               FormatMoment(report.longest_stall_at_ns) + " on; " +
                                               FormatDuration(report.stalled_ns) + " in total.");
  }
  if (report.waits_long || report.waits_blocked) {
    out.push_back("A work item waited " + report.MeanWaitText() + " for a worker on average.");
  }
  if (report.starvations > 0) {
    out.push_back("The pool detected starvation and added a worker " +
                  Plural(report.starvations, "time") + ".");
  }
  if (report.cooperative > 0) {
    out.push_back("It made up for a worker that was blocked on a task " +
                  Plural(report.cooperative, "time") + ".");
  }
  if (report.processors.delays_work()) {
    std::string sentence = ProcessorWaitText(report.processors) + '.';
    sentence[0] = 'O';
    out.push_back(std::move(sentence));
  }
  if (!report.has_thread_stacks) {
    out.push_back("The workers' stacks were not recorded: record with `sources=+waits`.");
  } else if (report.from_snapshot && report.blocked == 0) {
    const uint64_t looks = report.model->waits.snapshots.size();
    out.push_back("No busy worker was blocked in " +
                  (looks == 1 ? "the thread snapshot." : Plural(looks, "thread snapshot") + "."));
  } else {
    const std::string seen = report.from_snapshot
                                 ? " in the thread snapshot at " + FormatMoment(report.seen_at_ns)
                                 : " that had not ended when the recording did";
    out.push_back(FormatCount(report.blocked) + " of " + Plural(report.busy, "busy worker") +
                  " blocked" + (report.from_snapshot ? seen : ", in waits" + seen) + ".");
  }
  return out;
}

std::string_view CallName(BlockingCall::Kind call) {
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
      if (report.cooperative > 0) {
        say(Tone::kStrong,
            "Not starved: the pool was briefly short of workers, but work progressed.");
      } else if (model.waits.samples.empty()) {
        say(Tone::kWarning, "No starvation was seen, but the pool's counters are unknown.");
      } else if (report.is_occupied) {
        say(Tone::kWarning, "Not starved: work progressed, although most workers were blocked.");
      } else if (report.longest_queue > kLongQueue * report.most_workers) {
        say(Tone::kWarning,
            "Not starved: work progressed, although much of it was queued at times.");
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
  FrameKinds kinds(*report.model);
  for (size_t i = 0; i < shown; ++i) {
    const BlockingSite& site = report.blocking[i];
    const std::string left = PadRight("#" + std::to_string(i + 1), 4);
    const std::string right = Plural(site.count, "worker");
    const size_t room = style.width - left.size() - right.size() - 2;
    const std::string name = ShortenMiddle(style, Printable(report.names.Display(site.site)), room);
    out += "\n" + left + Paint(style, Tone::kStrong, name) +
           PadLeft("", room - std::min(room, TextColumns(name)) + 2) + right + "\n";
    AppendStack(out, style, "blocks in", report.names, kinds, site.path, options.frames);
    AppendRow(out, style, "for a", CallName(site.call));
  }
  if (shown < report.blocking.size()) {
    out += "  and " + Plural(report.blocking.size() - shown, "more place") + "\n";
  }
  const std::vector<std::string> losses = LossSentences(model);
  if (!losses.empty()) out += "\n";
  for (const std::string& sentence : losses) {
    out += Paint(style, Tone::kWarning, Wrap("Note: " + sentence, style.width - 6, 6)) + "\n";
  }
  return out;
}

namespace {

Object<BlockingSite, PoolReport> BlockingSiteFields() {
  return {
      {"count", "Workers", &BlockingSite::count},
      {"kind", "What they wait for: task, monitor, a delay, ...",
       [](auto& site) { return CallName(site.call); }},
      {"site", "The innermost method that is not infrastructure", MethodAt(&BlockingSite::site)},
      {"frames", "Methods, innermost first", StackAt(&BlockingSite::path)},
  };
}

Object<PoolReport> WorkerFields() {
  return {
      {"fewest", "At least", &PoolReport::fewest_workers},
      {"most", "At most", &PoolReport::most_workers},
  };
}

Object<PoolReport, PoolReport> PoolFields() {
  return {
      HeadFields("pool"),
      {"recording", "", RecordingFields(), kItsModel},
      {"verdict", "Whether work is queued for workers", kVerdicts, &PoolReport::verdict},
      {"evidence", "Evidence, as sentences", &Evidence},
      {"blocking", "Where workers block, most frequent first", BlockingSiteFields(),
       &PoolReport::blocking},
      {"busy", "Busy workers", &PoolReport::busy},
      {"blocked", "Of these, blocked", &PoolReport::blocked},
      {"stalled_ns", "Time in which work was queued and none completed", &PoolReport::stalled_ns},
      {"longest_stall_ns", "The longest such time", &PoolReport::longest_stall_ns},
      {"longest_queue", "Most queued work items", &PoolReport::longest_queue},
      {"mean_wait_ns", "Mean wait of a work item for a worker; 0: unknown",
       &PoolReport::mean_wait_ns},
      {"workers", "At one time", WorkerFields()},
      {"completed", "Work items, during the recording", &PoolReport::completed},
      {"starvations", "Workers added because of starvation", &PoolReport::starvations},
      {"cooperative_blockings", "Workers added because others were blocked on tasks",
       &PoolReport::cooperative},
  };
}

}  // namespace

std::string PoolJson(const PoolReport& report) { return JsonOf(PoolFields(), report); }

SharedShape PoolShape() { return PoolFields().shape(); }

}  // namespace hindsight::analyzer
