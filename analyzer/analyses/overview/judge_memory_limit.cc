// How close the process's memory is to what its container or the machine has. At the limit, the
// kernel kills it without a word.
#include <algorithm>
#include <string>
#include <utility>

#include "analyzer/analyses/overview/judges.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {

void JudgeMemoryLimit(const EventReports& events, const OverviewRules& rules,
                      std::vector<Finding>& findings) {
  const Model& model = events.model;
  const auto limit = static_cast<double>(model.facts.memory_limit);
  if (limit == 0 || model.memory.empty()) return;
  const auto own = [](const MemorySample& sample) {
    return static_cast<double>(sample.anonymous_bytes);
  };
  const bool is_end = model.facts.end == EndReason::kBrokeOff &&
                      own(model.memory.back()) >= rules.memory_near_limit_at_end * limit;
  const MemorySample& most =
      is_end ? model.memory.back() : *std::ranges::max_element(model.memory, {}, own);
  if (!is_end && own(most) < rules.memory_near_limit * limit) return;
  const std::string whose = model.facts.is_memory_of_container ? "container" : "machine";
  Finding finding;
  finding.severity = is_end ? Severity::kCritical : Severity::kWarning;
  finding.kind = kMemoryLimit;
  finding.title = "Memory is close to the " + whose + "'s limit: the process has " +
                  FormatBytes(most.anonymous_bytes) + " of " +
                  FormatBytes(model.facts.memory_limit);
  finding.evidence =
      is_end
          ? "There, the recording ends abruptly. If the process is gone, the kernel has probably "
            "killed it: then `dmesg` says so, or the container's state is OOMKilled, with exit "
            "code 137."
          : "That was at " + FormatMoment(most.at_ns) +
                ". At the limit, the kernel kills the process.";
  if (events.gc.last_committed_bytes != 0) {
    finding.evidence += " The collector held " + FormatBytes(events.gc.last_committed_bytes) +
                        " at the last collection.";
  }
  finding.evidence += " A heap snapshot shows which objects hold memory.";
  finding.command = "timeline";
  finding.impact = std::min(1.0, own(most) / limit);
  findings.push_back(std::move(finding));
}

}  // namespace hindsight::analyzer
