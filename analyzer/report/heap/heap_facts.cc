#include "analyzer/report/heap/heap_facts.h"

#include "analyzer/base/text.h"

namespace hindsight::analyzer {

std::string_view TriggerKey(HeapFacts::Trigger trigger) {
  switch (trigger) {
    case HeapFacts::Trigger::kRequested:
      return "requested";
    case HeapFacts::Trigger::kPeriodic:
      return "periodic";
    case HeapFacts::Trigger::kGrowth:
      return "growth";
    case HeapFacts::Trigger::kUnknown:
      break;
  }
  return "unknown";
}

std::string_view MethodKey(HeapFacts::Method method) {
  switch (method) {
    case HeapFacts::Method::kFork:
      return "fork";
    case HeapFacts::Method::kForkPassive:
      return "fork_passive";
    case HeapFacts::Method::kInPause:
      return "in_pause";
    case HeapFacts::Method::kCallbacks:
      return "callbacks";
    case HeapFacts::Method::kUnknown:
      break;
  }
  return "unknown";
}

std::string_view RootsKey(HeapFacts::RootsMethod method) {
  switch (method) {
    case HeapFacts::RootsMethod::kDocumented:
      return "documented";
    case HeapFacts::RootsMethod::kCalibrated:
      return "calibrated";
    case HeapFacts::RootsMethod::kUnknown:
      break;
  }
  return "unknown";
}

std::string_view ResultKey(HeapFacts::Result result) {
  switch (result) {
    case HeapFacts::Result::kNoCertificate:
      return "no_certificate";
    case HeapFacts::Result::kComplete:
      return "complete";
    case HeapFacts::Result::kStoppedByTime:
      return "stopped_by_time";
    case HeapFacts::Result::kStoppedByMemory:
      return "stopped_by_memory";
    case HeapFacts::Result::kStoppedByDisk:
      return "stopped_by_disk";
    case HeapFacts::Result::kChildDied:
      return "child_died";
    case HeapFacts::Result::kCheckFailed:
      return "check_failed";
    case HeapFacts::Result::kStoppedByRequest:
      return "stopped_by_request";
  }
  return "unknown";
}

std::string_view ResultClause(HeapFacts::Result result) {
  switch (result) {
    case HeapFacts::Result::kNoCertificate:
      return "ends abruptly: the application, or the process writing it, ended early";
    case HeapFacts::Result::kStoppedByTime:
      return "was stopped at its time limit";
    case HeapFacts::Result::kStoppedByMemory:
      return "was stopped at its memory limit";
    case HeapFacts::Result::kStoppedByDisk:
      return "was stopped because the disk was full or at its limit";
    case HeapFacts::Result::kChildDied:
      return "is cut short: the process that wrote it was killed";
    case HeapFacts::Result::kCheckFailed:
      return "was stopped at an unexpected heap structure; everything before that is valid";
    case HeapFacts::Result::kStoppedByRequest:
      return "was stopped on request";
    case HeapFacts::Result::kComplete:
      break;
  }
  return "is complete";
}

std::string HeapFactsLine(const HeapFacts& facts) {
  std::string line;
  if (facts.certified_objects > 0) {
    line += Plural(facts.certified_objects, "object") + ", " + FormatBytes(facts.certified_bytes) +
            ", ";
  }
  if (facts.threads > 0) {
    line += Plural(facts.threads, "thread") + ", ";
    if (facts.monitors > 0) line += Plural(facts.monitors, "lock") + " in use, ";
  }
  if (facts.pause_ns > 0) {
    line += "pause " + FormatDuration(facts.pause_ns);
    if (facts.method != HeapFacts::Method::kUnknown) {
      std::string method(MethodKey(facts.method));
      for (char& c : method) c = c == '_' ? ' ' : c;
      line += " (" + method + ")";
    }
    line += ", ";
  }
  line += facts.result == HeapFacts::Result::kComplete ? "complete" : ResultClause(facts.result);
  if (!facts.result_reason.empty()) line += ": " + Printable(facts.result_reason);
  if (facts.lost_segments > 0) line += "; " + Plural(facts.lost_segments, "segment") + " lost";
  if (!facts.monitors_unknown_because.empty()) {
    line += "; some locks are unknown: " + Printable(facts.monitors_unknown_because);
  }
  return line;
}

Json JsonHeapFacts(const HeapFacts& facts) {
  Json out = {{"snapshot", facts.number},
              {"unix_ns", facts.unix_ns},
              {"trigger", TriggerKey(facts.trigger)},
              {"method", MethodKey(facts.method)},
              {"roots", RootsKey(facts.roots_method)},
              {"fallback_reason", ValidUtf8(facts.fallback_reason)},
              {"result", ResultKey(facts.result)},
              {"result_reason", ValidUtf8(facts.result_reason)},
              {"certified",
               {{"objects", facts.certified_objects},
                {"bytes", facts.certified_bytes},
                {"slots", facts.certified_slots},
                {"roots", facts.certified_roots}}},
              {"pause",
               {{"suspend_ns", facts.suspend_ns},
                {"collect_ns", facts.collect_ns},
                {"roots_ns", facts.roots_ns},
                {"fork_ns", facts.fork_ns},
                {"pause_ns", facts.pause_ns}}},
              {"child",
               {{"wall_ns", facts.child_wall_ns},
                {"cpu_ns", facts.child_cpu_ns},
                {"private_bytes", facts.child_private_bytes},
                {"written_bytes", facts.written_bytes}}},
              {"lost_segments", facts.lost_segments}};
  if (facts.threads > 0) {
    out["threads"] = facts.threads;
    out["monitors"] = facts.monitors;
    out["monitors_unknown_because"] = ValidUtf8(facts.monitors_unknown_because);
  }
  return out;
}

}  // namespace hindsight::analyzer
