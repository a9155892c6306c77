#include "analyzer/report/exception_sentences.h"

#include <utility>

#include "analyzer/analyses/request_ends.h"
#include "analyzer/analyses/stack_profile.h"
#include "analyzer/base/text.h"
#include "analyzer/report/losses.h"

namespace hindsight::analyzer {
namespace {

// "Each was ", "It was ", "12 of them were ".
std::string Subject(uint64_t part, uint64_t all) {
  if (all == 1) return "It was ";
  if (part == all) return "All were ";
  return FormatCount(part) + (part == 1 ? " was " : " were ");
}

std::string_view HopVerb(Hop hop) {
  switch (hop) {
    case Hop::kNone:
      return "thrown in ";
    case Hop::kRethrow:
      return "rethrown (throw;) in ";
    case Hop::kRestored:
      return "rethrown (await or similar) in ";
    case Hop::kAgain:
      return "rethrown (throw ex;) in ";
  }
  return "thrown in ";
}

}  // namespace

std::string_view ConfidenceName(Confidence confidence) {
  switch (confidence) {
    case Confidence::kLow:
      return "low";
    case Confidence::kMedium:
      return "medium";
    case Confidence::kHigh:
      break;
  }
  return "high";
}

std::vector<Verdict> Verdicts(const ExceptionReport& report, const ExceptionFinding& finding) {
  const ExceptionGroup& group = finding.group;
  const uint64_t all = group.count;
  const std::string in_single =
      finding.catchers.size() == 1
          ? " in " + Printable(report.names.Display(finding.catchers.front().method))
          : std::string();
  std::vector<Verdict> out;
  const std::string evidence =
      finding.unhandled_evidence.text +
      ". Confidence: " + std::string(ConfidenceName(finding.unhandled_evidence.confidence)) + ".";
  if (const uint64_t n = group.EndedAs(Ending::kUnhandled); n > 0) {
    out.push_back({Tone::kBad, Subject(n, all) + "unhandled and ended the process: " + evidence});
  }
  if (finding.probably_unhandled > 0 && group.EndedAs(Ending::kUnhandled) == 0) {
    out.push_back({Tone::kBad, Subject(finding.probably_unhandled, all) +
                                   "probably unhandled and ended the process: " + evidence});
  } else if (const uint64_t n = group.EndedAs(Ending::kInFlight); n > 0) {
    out.push_back(
        {Tone::kStrong, Subject(n, all) +
                            "still in flight, or its end was not recorded: the recording " +
                            EndClause(*report.model) + "."});
  }
  if (finding.faulted_blocks > 0) {
    out.push_back({Tone::kBad, Subject(finding.faulted_blocks, all) + "thrown in a dataflow block" +
                                   in_single + ", which takes no more messages."});
  }
  if (const uint64_t n = finding.never_awaited - finding.faulted_blocks; n > 0) {
    out.push_back({Tone::kWarning, Subject(n, all) + "swallowed: stored in its task" + in_single +
                                       ", which was never awaited."});
  }
  if (const uint64_t n = finding.ended_requests; n > 0) {
    const std::string how = all == 1   ? "It ended a request"
                            : n == all ? "Each ended a request"
                            : n == 1   ? "1 ended a request"
                                       : FormatCount(n) + " ended a request each";
    const std::string handler = finding.request_handlers.empty()
                                    ? std::string()
                                    : " of " + Printable(RouteHandlerNames(report.names, finding));
    out.push_back(
        {Tone::kBad, how + handler + ": not caught by the application, but by" +
                         (in_single.empty() ? " the server" : " the last handler," + in_single) +
                         "."});
  }
  if (const uint64_t n = finding.ended_by_client; n > 0) {
    const std::string_view type = report.names.RawType(finding.type);
    const bool is_call = IsCanceledCall(report.model->dictionaries, type, finding.path);
    out.push_back({Tone::kFaint,
                   Subject(n, all) +
                       (is_call ? "caught by the server: a call to another server was canceled, "
                                  "by a timeout or because the client went away."
                        : IsCancellation(type)
                            ? "caught by the server: canceled, by a timeout or because the client "
                              "went away."
                            : "caught by the server: the client closed its connection, or sent an "
                              "invalid request.")});
  }
  if (const uint64_t n = group.EndedAs(Ending::kCaught); n > 0) {
    out.push_back({Tone::kFaint, Subject(n, all) + "caught, and only counted: what happened to " +
                                     (n == 1 ? "it" : "them") + " afterwards was not recorded."});
  }
  if (finding.swallowed > 0) {
    out.push_back({Tone::kWarning, Subject(finding.swallowed, all) + "swallowed: caught" +
                                       in_single + ", and neither rethrown nor used as a cause."});
  }
  if (finding.swallowed_async > 0) {
    out.push_back(
        {Tone::kWarning, Subject(finding.swallowed_async, all) +
                             "swallowed in an async method: caught there, or stored in a task that "
                             "was never awaited (the recording cannot tell which)."});
  }
  if (const uint64_t n = group.EndedAs(Ending::kWrapped); n > 0) {
    out.push_back({Tone::kStrong, Subject(n, all) + "caught and became the cause of another."});
  }
  if (const uint64_t n = group.EndedAs(Ending::kReplaced); n > 0) {
    out.push_back(
        {Tone::kWarning,
         Subject(n, all) + "replaced: a finally block on the way threw another exception."});
  }
  if (const uint64_t n = group.EndedAs(Ending::kLostInFilter); n > 0) {
    out.push_back({Tone::kWarning, Subject(n, all) +
                                       "thrown in an exception filter: the runtime discards it "
                                       "and treats the filter as false."});
  }
  if (const uint64_t n = group.EndedAs(Ending::kCaughtNative); n > 0) {
    out.push_back({Tone::kStrong, Subject(n, all) + "ended by the runtime or native code."});
  }
  if (finding.starts_late) {
    out.push_back({Tone::kFaint,
                   "First thrown before the recording began: the path is that of a later throw."});
  }
  return out;
}

std::string EndingsSentence(const ExceptionReport& report) {
  uint64_t never_awaited = 0;
  for (const ExceptionFinding& finding : report.findings) never_awaited += finding.never_awaited;
  std::string out;
  const auto add = [&out](uint64_t count, std::string_view what) {
    if (count == 0) return;
    if (!out.empty()) out += ", ";
    out += FormatCount(count) + " " + std::string(what);
  };
  const auto ended = [&report](Ending ending) {
    return report.endings[static_cast<size_t>(ending)];
  };
  add(ended(Ending::kUnhandled), "unhandled");
  add(report.probably_unhandled, "probably unhandled");
  add(report.ended_requests, "ended a request");
  add(report.ended_by_client, "canceled, or caused by a client");
  add(ended(Ending::kSwallowed) - report.ended_requests - report.ended_by_client - never_awaited,
      "swallowed");
  add(never_awaited, "never awaited");
  add(ended(Ending::kCaught), "caught and only counted");
  add(ended(Ending::kWrapped), "the cause of another");
  add(ended(Ending::kReplaced), "replaced in a finally block");
  add(ended(Ending::kLostInFilter), "lost in a filter");
  add(ended(Ending::kCaughtNative), "ended by the runtime");
  add(ended(Ending::kInFlight) - report.probably_unhandled, "end not recorded");
  return out + ".";
}

std::string NothingFoundSentence(const ExceptionReport& report) {
  if (report.model->exceptions.throws == 0) {
    if (report.model->facts.exceptions_on && report.model->losses.MayHideEvents()) {
      return "The recording contains no exceptions, but some may be among the lost events.";
    }
    return report.model->facts.exceptions_on
               ? "No exception was thrown during the recording."
               : "Exceptions were not recorded: record with `sources=+exceptions`.";
  }
  return "None of the " + FormatCount(report.model->exceptions.throws) +
         " recorded throws matches the filters. `hindsight exceptions` without filters shows all.";
}

std::vector<std::string> HopLines(const ExceptionReport& report, const RouteHop& hop, size_t number,
                                  const TextStyle& style, size_t columns) {
  const std::string lead = std::to_string(number + 1) + ". ";
  const auto name = [&](MethodId method) { return Printable(report.names.Display(method)); };
  const std::string start = lead + std::string(HopVerb(hop.hop));
  std::string verb;
  std::string catcher;
  switch (hop.outcome) {
    case Outcome::kInFlight:
      verb = "its end was not recorded";
      break;
    case Outcome::kCaught:
      verb = "caught in ";
      catcher = name(hop.catcher);
      break;
    case Outcome::kReplaced:
      verb = "replaced by another in a finally block";
      break;
    case Outcome::kLostInFilter:
      verb = "lost in a filter";
      break;
    case Outcome::kUnhandled:
      verb = "unhandled";
      break;
    case Outcome::kCaughtNative:
      verb = "ended by the runtime or native code";
      break;
  }
  std::string thrower = name(hop.thrower);
  const std::string line = start + thrower + ", " + verb + catcher;
  if (TextColumns(line) <= columns) return {line};
  return {start + ShortenMiddle(style, thrower, columns - start.size() - 1) + ",",
          std::string(lead.size(), ' ') + verb +
              ShortenMiddle(style, catcher, columns - lead.size() - verb.size())};
}

std::string ThreadLabel(const Model& model, ThreadIndex thread) {
  return Printable(ThreadTitle(model, thread));
}

}  // namespace hindsight::analyzer
