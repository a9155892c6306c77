// Exceptions: the unhandled one, storms, and those that no one will ever see.
#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analyzer/analyses/exit_caller.h"
#include "analyzer/analyses/overview/failed_requests.h"
#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/request_ends.h"
#include "analyzer/analyses/request_work.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

double ShareOfThread(uint64_t total_ns, const ExceptionReport& report) {
  return static_cast<double>(total_ns) / 1e9 / SecondsOf(*report.model);
}

// The same without the time for which ready threads waited for a processor, as far as that is
// known: these exceptions are not to blame for it.
double ShareWithProcessors(uint64_t total_ns, uint64_t count, const ExceptionReport& report,
                           const ProcessorWait& processors, const OverviewRules& rules) {
  if (processors.is_short) total_ns = std::min(total_ns, count * rules.storm_ns_of_slowed);
  const double wanted = processors.used + processors.ready_for_work;
  const double got = wanted > 0 ? processors.used / wanted : 1;
  return ShareOfThread(total_ns, report) * got;
}

// Awaits and `throw;` rethrow an exception: that is not another exception, but costs as much. Empty
// if it is rare.
std::string ThrownAgain(const ExceptionFinding& finding) {
  const uint64_t count = finding.group.count, throws = finding.group.Throws();
  if (count == 0 || throws < 2 * count) return {};
  const double again = static_cast<double>(throws - count) / static_cast<double>(count);
  const std::string times = FormatRate(again);
  return " Each is thrown again " + (times == "1.0" ? "once" : times + " times") +
         " on its way, by awaits and handlers; it is counted once.";
}

// The cause of an exception, traced to where it began, as far as that was recorded.
struct RootCause {
  const ExceptionFinding* finding = nullptr;  // null: it has no inner exception
  size_t causes = 0;  // of the finding: if there are several, it is unknown which of them began it
};

// However deep they are nested. An exception that repeatedly wraps one of its own kind and place is
// a single finding that is among its own causes.
RootCause RootCauseOf(const ExceptionReport& report, const ExceptionFinding& found) {
  std::vector<bool> is_seen(report.findings.size() + 1);
  is_seen[static_cast<size_t>(&found - report.findings.data()) + 1] = true;
  RootCause root;
  for (const ExceptionFinding* at = &found;;) {
    std::vector<size_t> causes;
    for (const Relation& relation : at->causes) {
      const size_t rank = relation.finding;
      if (rank != 0 && rank < is_seen.size() && !is_seen[rank]) causes.push_back(rank);
    }
    root.causes = causes.size();
    if (causes.size() != 1) return root;
    is_seen[causes.front()] = true;
    root.finding = at = &report.findings[causes.front() - 1];
  }
}

// The runtime reports any failure to create a thread as a lack of memory.
bool IsThreadNotStarted(const ExceptionReport& report, const ExceptionFinding& found) {
  return report.names.RawType(found.type) == "System.OutOfMemoryException" &&
         std::ranges::any_of(found.path, [&](MethodId method) {
           return report.names.Display(method) == "System.Threading.Thread.StartCore";
         });
}

Finding Unhandled(const ExceptionReport& report, const ExceptionFinding& found) {
  Finding finding;
  finding.severity = Severity::kCritical;
  finding.kind = "unhandled";
  finding.subject = report.names.Type(found.type);
  const bool is_certain = found.group.EndedAs(Ending::kUnhandled) > 0;
  finding.title = finding.subject + (is_certain ? " was unhandled" : " was probably unhandled") +
                  " and ended the process";
  finding.evidence = "Thrown " + ThrownIn(report, found) + ": " + found.unhandled_evidence.text;
  if (!found.messages.empty()) finding.evidence += "; \"" + found.messages.front().text + "\"";
  finding.evidence += ".";
  if (IsThreadNotStarted(report, found)) {
    finding.evidence +=
        " A thread could not be started: look for a limit on threads, open files or memory "
        "mappings, or for too little memory outside the managed heap.";
  }
  const RootCause root = RootCauseOf(report, found);
  if (root.finding != nullptr) {
    finding.evidence += " Caused by " + report.names.Type(root.finding->type) + ", thrown " +
                        ThrownIn(report, *root.finding);
    if (!root.finding->messages.empty()) {
      finding.evidence += ": \"" + root.finding->messages.front().text + "\"";
    }
    finding.evidence += ".";
  }
  if (root.causes > 1) {
    finding.evidence += std::string(root.finding == nullptr ? " It" : " That") + " was caused by " +
                        FormatCount(root.causes) +
                        " different exceptions, so which began it is not known.";
  }
  finding.command = CommandWith("exceptions --type", finding.subject);
  finding.impact = 1;
  return finding;
}

Finding Fatal(const ExceptionReport& report, const FatalErrorRow& row) {
  using Kind = FatalError::Kind;
  const FatalError& error = *row.error;
  Finding finding;
  finding.severity = Severity::kCritical;
  finding.kind = "fatal-error";
  finding.title = FatalErrorTitle(error.kind);
  if (row.place.site != 0) {
    finding.subject = report.names.Display(row.place.site);
    finding.evidence = error.kind == Kind::kFailFast ? "Called in " : "It happened in ";
    finding.evidence += finding.subject;
  } else {
    finding.evidence = "The method is not known";
  }
  // For a stack overflow, the message adds nothing.
  if (error.kind != Kind::kStackOverflow && !error.message.empty()) {
    finding.evidence += ": \"" + error.message + "\"";
  }
  if (error.kind == Kind::kOther || error.kind == Kind::kRuntime) {
    std::array<char, 16> code;
    std::snprintf(code.data(), code.size(), " (0x%08X)", error.code);
    finding.evidence += code.data();
  }
  finding.evidence += ".";
  if (error.kind == Kind::kStackOverflow) {
    finding.evidence += " Its callers are not known; look for endless recursion.";
  }
  finding.command = "exceptions";
  finding.impact = 1;
  return finding;
}

// Tools end like that; a service that does looks like one that crashed.
void JudgeExit(const Model& model, std::vector<Finding>& findings) {
  Finding finding;
  finding.title = ExitCallText(model);
  if (finding.title.empty()) return;
  finding.kind = "exit";
  finding.evidence = "That ended the process, " + FormatMoment(model.exit_call->at_ns) +
                     " after the recording's start.";
  finding.command = "timeline";
  findings.push_back(std::move(finding));
}

// Whether it is an access violation, for which its exception is reported.
bool IsKnownByException(const ExceptionReport& report) {
  return report.fatal_error->error->kind == FatalError::Kind::kAccessViolation &&
         std::ranges::any_of(report.findings, &ExceptionFinding::is_unhandled);
}

// Per request, for those that requests may have thrown: so many per request are of a loop
// elsewhere, unless a server called the code.
std::optional<double> ThrownPerRequest(const ExceptionReport& report, const ExceptionFinding& found,
                                       const OverviewRules& rules) {
  const std::optional<double> each = PerRequest(found.group.count, report);
  const bool is_called = std::ranges::any_of(found.path, [&](MethodId method) {
    return ServesRequests(report.model->dictionaries, method);
  });
  return is_called || each.value_or(0) <= rules.storm_most_per_request ? each : std::nullopt;
}

// Between throw and catch, a thread may have to wait for a processor.
std::string WaitsIncluded(const ProcessorWait& processors) {
  const double ready = processors.ready_for_work, all = ready + processors.used;
  if (all == 0 || ready < processors.used) return {};
  return " That includes waits for a processor: in " + FormatPercent(ready / all) +
         " of the time in which threads could run, they had none.";
}

Finding Storm(const ExceptionReport& report, const ExceptionFinding& found,
              const ProcessorWait& processors, const OverviewRules& rules) {
  const double share = ShareOfThread(found.group.total_ns, report);
  const uint64_t count = found.group.count;
  Finding finding;
  finding.severity = Severity::kWarning;
  finding.kind = "storm";
  finding.subject = report.names.Type(found.type);
  finding.title = finding.subject + ": " +
                  FormatRate(static_cast<double>(count) / SecondsOf(*report.model)) + "/s";
  if (const auto each = ThrownPerRequest(report, found, rules)) {
    finding.title += ", " + FormatRate(*each) + " per request";
  }
  if (share >= rules.storm_share) {
    finding.title += "; " + FormatPercent(share) + " of one thread's time between throw and catch";
  }
  finding.evidence = FormatCount(count);
  if (count < report.count) {
    finding.evidence += " of all " + FormatCount(report.count) + " exceptions";
  }
  finding.evidence += " thrown " + ThrownIn(report, found);
  const MethodId last = found.catchers.empty() ? 0 : found.catchers.front().method;
  if (2 * found.swallowed_async > found.group.count) {
    finding.evidence +=
        last == 0 ? ", and caught in an async method, or left in its task"
                  : ", and caught in " + report.names.Display(last) + ", or left in its task";
  } else if (last != 0) {
    finding.evidence += ", caught in " + report.names.Display(last);
  }
  finding.evidence += "; " + FormatDuration(found.group.total_ns / std::max<uint64_t>(1, count)) +
                      " each." + WaitsIncluded(processors) + ThrownAgain(found) +
                      MessageText("The first message", found);
  if (const RootCause root = RootCauseOf(report, found); root.finding != nullptr) {
    finding.evidence += " Caused by " + report.names.Type(root.finding->type) + ", thrown " +
                        ThrownIn(report, *root.finding) + ".";
  }
  finding.command = CommandWith("exceptions --type", finding.subject);
  finding.impact = std::min(1.0, share);
  return finding;
}

// `is_refused`: it is how requests are refused (FailedRequests): one for each is no storm.
bool IsStorm(const ExceptionReport& report, const ExceptionFinding& found, bool is_refused,
             const ProcessorWait& processors, const OverviewRules& rules) {
  const double rate = static_cast<double>(found.group.count) / SecondsOf(*report.model);
  if (found.group.count < rules.storm_count) return false;
  const bool is_cancellation = IsCancellation(report.names.RawType(found.type));
  const double per_request = ThrownPerRequest(report, found, rules).value_or(0);
  // Asynchronous work that is given up ends like this. In many requests, it is a timeout.
  const bool is_usual = is_cancellation && per_request < rules.storm_per_request;
  const double least = is_usual ? rules.storm_share_of_cancellations : rules.storm_share;
  return (rate >= rules.storm_per_second &&
          ShareWithProcessors(found.group.total_ns, found.group.count, report, processors, rules) >=
              least) ||
         (found.place.is_yours && !is_refused && !IsWithinLibrary(found) && !is_cancellation &&
          per_request >= rules.storm_per_request);
}

// By index in the report: whether it is reported with another storm, which wraps nearly all of it.
std::vector<bool> ReportedByWrappers(const ExceptionReport& report, const ProcessorWait& processors,
                                     const OverviewRules& rules) {
  std::vector<bool> reported(report.findings.size());
  for (const ExceptionFinding& wrapper : report.findings) {
    if (wrapper.is_rest || !IsStorm(report, wrapper, /*is_refused=*/false, processors, rules)) {
      continue;
    }
    for (const Relation& relation : wrapper.causes) {
      if (relation.finding == 0 || relation.finding > reported.size()) continue;
      const ExceptionFinding& cause = report.findings[relation.finding - 1];
      if (&cause == &wrapper) continue;
      reported[relation.finding - 1] = static_cast<double>(cause.group.EndedAs(Ending::kWrapped)) >=
                                       rules.wrapped_share * static_cast<double>(cause.group.count);
    }
  }
  return reported;
}

Finding AllTogether(const ExceptionReport& report) {
  const double share = ShareOfThread(report.total_ns, report);
  Finding finding;
  finding.severity = Severity::kWarning;
  finding.kind = "many-exceptions";
  finding.title = FormatRate(static_cast<double>(report.count) / SecondsOf(*report.model)) +
                  " exceptions/s; " + FormatPercent(share) +
                  " of one thread's time between throw and catch";
  finding.evidence = FormatCount(report.count) + " in " + Plural(report.findings.size(), "place") +
                     "; no single path dominates.";
  finding.command = "exceptions";
  finding.impact = std::min(1.0, share);
  return finding;
}

// What most exceptions are, even if they cost little. Skips those in `reported`.
void JudgeDominant(const ExceptionReport& report, const std::vector<bool>& reported,
                   const OverviewRules& rules, std::vector<Finding>& findings) {
  if (report.count < rules.storm_count) return;
  const auto most =
      std::max_element(report.findings.begin(), report.findings.end(),
                       [](const auto& a, const auto& b) { return a.group.count < b.group.count; });
  if (most == report.findings.end() || most->is_rest) return;
  if (IsCancellation(report.names.RawType(most->type))) return;  // as when a server is stopped
  if (reported[static_cast<size_t>(most - report.findings.begin())]) return;
  const double share = static_cast<double>(most->group.count) / static_cast<double>(report.count);
  if (share < rules.dominant_share) return;
  Finding finding;
  finding.kind = "dominant-exception";
  finding.subject = report.names.Type(most->type);
  const double rate = static_cast<double>(most->group.count) / SecondsOf(*report.model);
  finding.title = finding.subject + ", thrown " + ThrownIn(report, *most) + ": " +
                  FormatRate(rate) + "/s, " + FormatPercent(share) + " of all exceptions";
  finding.evidence = FormatCount(most->group.count) + " of " + FormatCount(report.count) + "." +
                     ThrownAgain(*most) + MessageText("The first message", *most);
  finding.command = CommandWith("exceptions --type", finding.subject);
  finding.impact = std::min(1.0, ShareOfThread(most->group.total_ns, report));
  findings.push_back(std::move(finding));
}

bool AreStorm(const ExceptionReport& report, const ProcessorWait& processors,
              const OverviewRules& rules) {
  const double rate = static_cast<double>(report.count) / SecondsOf(*report.model);
  return report.count >= rules.storm_count && rate >= rules.storms_per_second &&
         ShareWithProcessors(report.total_ns, report.count, report, processors, rules) >=
             rules.storm_share;
}

// A few failed requests are a note, unless another finding says more of their exception.
void DropToldTwice(std::vector<Finding>& findings) {
  std::set<std::string> told;
  for (const Finding& finding : findings) {
    if (finding.kind == "caught-mistake" || finding.severity != Severity::kNote) {
      told.insert(finding.subject);
    }
  }
  std::erase_if(findings, [&told](const Finding& finding) {
    return finding.kind == "failed-requests" && finding.severity == Severity::kNote &&
           told.contains(finding.subject);
  });
}

}  // namespace

std::string ThrownIn(const ExceptionReport& report, const ExceptionFinding& finding) {
  if (finding.place.site == 0) return "at an unknown location";
  const std::string site = report.names.Display(finding.place.site);
  const std::string again = finding.thrown_again_in == 0
                                ? ""
                                : ", and again in " + report.names.Display(finding.thrown_again_in);
  if (finding.place.through == 0) return "in " + site + again;
  return "by " + report.names.Display(finding.place.through) + ", called in " + site + again;
}

bool IsWithinLibrary(const ExceptionFinding& found) {
  const auto site = std::ranges::find(found.path, found.place.site);
  return found.place.through != 0 && !found.catchers.empty() &&
         std::ranges::all_of(found.catchers, [&](const CatchSite& catcher) {
           return std::find(found.path.begin(), site, catcher.method) != site;
         });
}

std::string MessageText(std::string_view label, const ExceptionFinding& found) {
  if (found.messages.empty()) return {};
  return " " + std::string(label) + ": \"" + found.messages.front().text + "\"";
}

Coverage JudgeExceptions(const Reports& reports, const OverviewRules& rules,
                         std::vector<Finding>& findings) {
  if (!reports.events || !reports.events->model.facts.exceptions_on) {
    return NotRecorded("+exceptions");
  }
  const ExceptionReport& report = reports.events->exceptions;
  const ProcessorWait& processors = reports.events->pool.processors;
  if (report.fatal_error && !IsKnownByException(report)) {
    findings.push_back(Fatal(report, *report.fatal_error));
  }
  JudgeExit(*report.model, findings);
  JudgeFaultedBlocks(report, findings);
  uint64_t storms = 0, failures = 0, rare = 0;
  const std::vector<bool> is_reported = ReportedByWrappers(report, processors, rules);
  std::vector<bool> is_work = JudgeFailingWork(report, rules, findings);
  JudgeEndedServices(report, is_work, findings);
  if (const ExceptionFinding* const found = JudgeNeverAwaited(report, rules, findings)) {
    is_work[static_cast<size_t>(found - report.findings.data())] = true;
  }
  const RequestReport& requests = reports.events->requests;
  const std::vector<FailedRequests> all_failed = FailedRequestsOf(report);
  std::vector<const FailedRequests*> failed_of(report.findings.size());
  for (const FailedRequests& failed : all_failed) {
    for (const size_t i : failed.findings) failed_of[i] = &failed;
  }
  for (size_t i = 0; i < report.findings.size(); ++i) {
    const ExceptionFinding& found = report.findings[i];
    if (found.is_unhandled()) {
      findings.push_back(Unhandled(report, found));
      continue;
    }
    const FailedRequests* const failed = failed_of[i];
    std::optional<Severity> failure;
    if (failed != nullptr) failure = SeverityOf(*failed, report, requests, rules);
    const bool is_told = failure && failed->findings.front() != i;
    if (failure == Severity::kWarning) {
      if (!is_told && ++failures <= rules.storm_paths) {
        findings.push_back(FindingOf(*failed, report, requests, *failure));
      }
    } else if (!found.is_rest &&
               IsStorm(report, found, failed != nullptr && failed->is_refused, processors, rules)) {
      if (is_reported[i] || is_work[i]) continue;
      if (++storms <= rules.storm_paths)
        findings.push_back(Storm(report, found, processors, rules));
    } else if (failure) {
      is_work[i] = failed->count >= rules.failed_requests;
      if (!is_told && ++rare <= rules.storm_paths) {
        findings.push_back(FindingOf(*failed, report, requests, *failure));
      }
    }
  }
  JudgeFailingConnects(report, rules, findings);
  JudgeCanceledCalls(report, rules, findings);
  if (storms == 0 && failures == 0) {
    JudgeMistakes(report, rules, is_work, findings);
    JudgeRetryLoops(report, rules, is_work, findings);
    if (AreStorm(report, processors, rules)) {
      findings.push_back(AllTogether(report));
    } else {
      JudgeDominant(report, is_work, rules, findings);
    }
  }
  JudgeKeptExceptions(report, rules, findings);
  DropToldTwice(findings);
  JudgeServerErrors(report, rules, findings);
  JudgeLost(report, findings);

  Coverage coverage;
  if (report.count == 0) {
    coverage.state = Coverage::State::kNothingThere;
    coverage.note = "No exception was thrown.";
    return coverage;
  }
  coverage.looked_at =
      Plural(report.count, "exception") + " in " + Plural(report.findings.size(), "place");
  return coverage;
}

}  // namespace hindsight::analyzer
