#include "analyzer/report/heap/heap_facts.h"

#include "analyzer/base/text.h"

namespace hindsight::analyzer {

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
      std::string method(NameOf(kHeapMethods, facts.method));
      for (char& c : method) c = c == '_' ? ' ' : c;
      line += " (" + method + ")";
    }
    if (facts.pauses > 1) {
      line += ", with " + Plural(facts.pauses - 1, "pause") + " to prepare it " +
              FormatDuration(facts.all_pauses_ns);
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

}  // namespace hindsight::analyzer
