// Requests that hold a worker of the thread pool while they wait for a semaphore or an event: room
// in a full queue, a connection of a pool. Background work may wait like that for something to do;
// a request always delays a client.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/analyses/frame_kind.h"
#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/request_work.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

std::string_view WhatFor(BlockingCall::Kind kind) {
  using Kind = BlockingCall::Kind;
  switch (kind) {
    case Kind::kSemaphore:
      return "a semaphore";
    case Kind::kMonitorWait:
      return "a pulse";
    case Kind::kEventSlim:
      return "an event";
    case Kind::kWaitHandle:
    case Kind::kWaitHandles:
      return "a wait handle";
    default:
      return {};
  }
}

bool IsOfRequest(const Dictionaries& dictionaries, const WaitPlace& place) {
  return std::ranges::any_of(place.path,
                             [&](MethodId method) { return ServesRequests(dictionaries, method); });
}

// The innermost method of yours on the way to a wait in code of others; empty: there is none.
std::string CalledFrom(const LockReport& report, const WaitPlace& place, FrameKinds& kinds) {
  const MethodId yours = kinds.InnermostYours(place.path);
  if (yours == 0 || yours == place.site) return {};
  return ", called from " + report.names.Display(yours);
}

}  // namespace

void JudgeBlockedRequests(const LockReport& report, const OverviewRules& rules,
                          std::vector<Finding>& findings) {
  FrameKinds kinds(*report.model);
  const double seconds = SecondsOf(*report.model);
  for (const WaitPlace& place : report.signals) {
    const std::string_view what = WhatFor(place.call.kind);
    const uint64_t count = place.count();
    const double threads = static_cast<double>(place.total_ns()) / 1e9 / seconds;
    if (what.empty() || count < rules.blocking_waits || threads < rules.blocking_workers ||
        !IsOfRequest(report.model->dictionaries, place)) {
      continue;
    }
    const std::string subject = report.names.Display(place.site);
    const auto same = std::ranges::find_if(findings, [&](const Finding& other) {
      return other.kind == "strained" && other.subject == subject;
    });
    if (same != findings.end()) {
      same->evidence += " Requests wait there for " + std::string(what) + ": " +
                        FormatRate(threads) + " threads on average, " +
                        FormatDuration(place.total_ns() / count) + " each time" +
                        CalledFrom(report, place, kinds) + ".";
      continue;
    }
    Finding finding;
    finding.severity =
        threads >= rules.many_blocking_workers ? Severity::kWarning : Severity::kNote;
    finding.kind = "blocked-requests";
    finding.subject = subject;
    finding.title = "Requests wait for " + std::string(what) + " in " + finding.subject + ": " +
                    FormatRate(threads) + " threads on average";
    finding.evidence = Plural(count, "wait") + ", " +
                       FormatRate(static_cast<double>(count) / seconds) + "/s, " +
                       FormatDuration(place.total_ns() / count) + " on average, the longest " +
                       FormatDuration(place.longest_ns());
    finding.evidence +=
        CalledFrom(report, place, kinds) +
        ". Meanwhile each blocks a thread pool worker, which then serves no other request.";
    finding.command = "locks";
    finding.impact = threads / (1 + threads);
    findings.push_back(std::move(finding));
  }
}

}  // namespace hindsight::analyzer
