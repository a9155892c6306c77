#include "analyzer/analyses/waits/processor_wait.h"

#include <algorithm>
#include <cstdio>

#include "analyzer/analyses/waits/yielding_threads.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

std::string Number(double number) {
  if (number >= 10) return FormatCount(static_cast<uint64_t>(number + 0.5));
  char text[32];
  std::snprintf(text, sizeof(text), number >= 0.1 ? "%.1f" : "%.2f", number);
  return text;
}

double ReadyWithoutWork(const Model& model) {
  YieldingThreads yielding(model);
  double ns = 0;
  for (const ThreadInterval& interval : model.waits.intervals) {
    if (interval.ready_ns == 0) continue;
    if (yielding.IsIdleWorker(interval) || yielding.BlocksOnTask(interval)) {
      ns += static_cast<double>(interval.ready_ns);
    }
  }
  return ns;
}

}  // namespace

ProcessorWait ProcessorWaitOf(const Model& model, const ProcessorWaitRules& rules) {
  const Waits& waits = model.waits;
  ProcessorWait wait{.cpus = model.facts.cpus, .limit = model.facts.cpu_limit};
  if (waits.ready_over_ns < rules.least_ns) return wait;
  wait.ready = waits.ready_ns / waits.ready_over_ns;
  wait.used = waits.ran_ns / waits.ready_over_ns;
  const double all = wait.ready + wait.used;
  wait.wanted = wait.cpus > 0 ? std::min(wait.cpus, all) : all;
  wait.is_at_limit = wait.limit > 0 && wait.ready >= rules.least_ready &&
                     wait.used >= rules.limit_used * wait.limit;
  wait.is_short = wait.ready >= rules.least_ready && wait.used <= rules.most_used * wait.wanted;
  wait.ready_for_work =
      std::max(0.0, waits.ready_ns - ReadyWithoutWork(model)) / waits.ready_over_ns;
  return wait;
}

std::string ProcessorWaitText(const ProcessorWait& wait) {
  return "on average " + Number(wait.ready) + " threads were ready to run, and the process got " +
         Number(wait.used) + (wait.cpus > 0 ? " of " + Number(wait.cpus) : std::string()) + " CPUs";
}

}  // namespace hindsight::analyzer
