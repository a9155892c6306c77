#include "analyzer/report/losses.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "analyzer/analyses/exit_caller.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {

namespace {

// Appends "3 events" and `what`, if there are any.
void Say(std::vector<std::string>& out, uint64_t count, std::string_view noun,
         std::string_view what) {
  if (count > 0) out.push_back(Plural(count, noun) + std::string(what));
}

}  // namespace

CountedEvents CountedOf(const Model& model) {
  return {.throws = model.exceptions.throws,
          .counted_throws = model.exceptions.counted_throws,
          .waits = model.waits.all,
          .counted_waits = model.waits.counted};
}

std::string CountedSentence(const CountedEvents& events) {
  if (!events.any()) return {};
  const auto of = [](uint64_t all, uint64_t counted, std::string_view noun) {
    const uint64_t detailed = all - std::min(all, counted);
    const std::string in_all = Plural(all, noun);
    if (detailed == 0) return "none of " + in_all;
    char one_in[32];
    std::snprintf(one_in, sizeof(one_in), "1 in %.1f of ",
                  static_cast<double>(all) / static_cast<double>(detailed));
    return one_in + in_all;
  };
  std::string text = "Counts, sums and outcomes are exact; details exist for ";
  if (events.counted_throws > 0) text += of(events.throws, events.counted_throws, "throw");
  if (events.counted_waits > 0) {
    if (events.counted_throws > 0) text += ", and ";
    text += of(events.waits, events.counted_waits, "wait");
  }
  return text +
         ": threads produced events faster than they could be written, so the rest was only "
         "counted.";
}

std::vector<std::string> LossSentences(const RecordingFacts& facts, const Losses& losses) {
  std::vector<std::string> out;
  if (losses.oldest_rotated_away) {
    out.push_back(
        std::string("The oldest files were deleted ") +
        (losses.oldest_given_up ? "because the disk was full" : "to stay within the size limit") +
        ": this recording begins " +
        FormatDuration(facts.first_ns < 0 ? 0 : static_cast<uint64_t>(facts.first_ns)) +
        " after the process was first recorded.");
  }
  const std::string lower = "; counts are lower bounds.";
  Say(out, losses.ring_full, "event",
      losses.ring_full == 1
          ? " was dropped because a thread produced events faster than they could be written" +
                lower
          : " were dropped because threads produced events faster than they could be written" +
                lower);
  Say(out, losses.memory_cap, "event", " not recorded because of the memory limit" + lower);
  Say(out, losses.disk_error, "event", " lost because they could not be written" + lower);
  Say(out, losses.unknown_cause, "event", " lost for an unknown reason" + lower);
  Say(out, losses.segments, "segment", " lost from the files" + lower + " See `hindsight verify`.");
  Say(out, losses.stacks_missing, "event", " recorded without a stack.");
  Say(out, losses.ends_unknown, "end",
      " of exceptions or waits came too late: these are shown as still in progress.");
  Say(out, losses.dangling, "reference",
      " to missing names (shown as ? or [native code]), as after lost segments.");
  Say(out, losses.unknown_packets, "item", " of a newer version skipped.");
  Say(out, losses.refused, "item", " omitted because of this tool's limits.");
  return out;
}

std::vector<std::string> LossSentences(const Model& model) {
  return LossSentences(model.facts, model.losses);
}

std::vector<std::string> ExceptionLossSentences(const RecordingFacts& facts, const Losses& losses,
                                                const CountedEvents& counted) {
  std::vector<std::string> out;
  if (!facts.exceptions_on) out.push_back("Exceptions were not recorded: the source was off.");
  if (!facts.messages_on) out.push_back("Messages were not recorded: the option was off.");
  if (counted.counted_throws > 0) {
    out.push_back(
        CountedSentence({.throws = counted.throws, .counted_throws = counted.counted_throws}));
  }
  for (std::string& sentence : LossSentences(facts, losses)) out.push_back(std::move(sentence));
  return out;
}

std::vector<std::string> ExceptionLossSentences(const Model& model) {
  std::vector<std::string> out =
      ExceptionLossSentences(model.facts, model.losses, CountedOf(model));
  Say(out, model.exceptions.starting_late, "exception",
      " first thrown before the recording: the path shown is that of a later throw.");
  Say(out, model.exceptions.repeated_ids, "exception", " omitted: damaged numbering.");
  return out;
}

namespace {

// ", 42 ms after SIGTERM or SIGINT"; empty: there was none.
std::string AfterSignal(const Model& model) {
  const std::optional<int64_t> at_ns = EndSignalNs(model);
  if (!at_ns) return {};
  return ", " + FormatMoment(std::max<int64_t>(0, model.facts.last_ns - *at_ns)) +
         " after SIGTERM or SIGINT";
}

}  // namespace

std::string EndClause(const Model& model) {
  switch (model.facts.end) {
    case EndReason::kBrokeOff:
      if (HasCrashed(model)) return "ends with the crash of the process";
      return "ends abruptly" + AfterSignal(model) +
             ": the process was killed or crashed, or is still being recorded";
    case EndReason::kProcessExit: {
      const std::string exit = ExitCallText(model);
      return "ended with the process" +
             (exit.empty() ? AfterSignal(model) : ": " + Printable(exit));
    }
    case EndReason::kStopped:
      return "was stopped on request";
    case EndReason::kDurationOver:
      return "ended after its duration";
    case EndReason::kCut:
      return "was cut out of a longer one";
    case EndReason::kFailed:
      return "ended because the recorder failed; see `hindsight info`";
    case EndReason::kUnknown:
      break;
  }
  return "was closed cleanly";
}

std::string RecordingTitle(const RecordingFacts& facts) {
  std::string out = facts.application.empty() ? "an unknown process" : Printable(facts.application);
  std::string details;
  if (facts.pid != 0) details = "pid " + std::to_string(facts.pid);
  if (!facts.runtime_version.empty()) {
    details += (details.empty() ? ".NET " : ", .NET ") + Printable(facts.runtime_version);
  }
  if (!details.empty()) out += " (" + details + ")";
  return out + ", " + FormatDuration(facts.length_ns()) + " recorded";
}

}  // namespace hindsight::analyzer
