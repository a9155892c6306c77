// Measures of what waits: deadlocks, tasks, locks, the thread pool.
#include <algorithm>

#include "analyzer/analyses/overview/measure_list.h"
#include "analyzer/analyses/overview/reports.h"

namespace hindsight::analyzer {
namespace {

void MeasureDeadlocks(const DeadlockReport& report, MeasureList& list) {
  uint64_t members = 0;
  uint64_t victims = 0;
  for (const Deadlock& deadlock : report.deadlocks) {
    members += deadlock.members.size();
    victims += deadlock.victims;
  }
  list.Add("deadlocks.count", Of(report.deadlocks.size()));
  list.Add("deadlocks.members", Of(members));
  list.Add("deadlocks.victims", Of(victims));
}

void MeasureTasks(const TaskReport& report, MeasureList& list) {
  uint64_t stuck = 0;
  for (const TaskGroup& group : report.groups) {
    stuck += group.unchanged;
    if (!group.place.empty()) {
      list.AddOf("tasks.chains", "method", group.place, Of(group.count));
    }
  }
  list.Add("tasks.unfinished", Of(report.unfinished));
  list.Add("tasks.chains", Of(report.chains));
  list.Add("tasks.stuck", Of(stuck));
}

void MeasureLocks(const LockReport& report, MeasureList& list) {
  const RecordingFacts& facts = report.model->facts;
  const auto elapsed_ns = static_cast<double>(facts.length_ns());
  const auto over = [elapsed_ns](double amount) {
    return elapsed_ns > 0 ? amount / elapsed_ns : 0;
  };
  uint64_t longest_ns = 0;
  for (const WaitPlace& place : report.locks) {
    longest_ns = std::max(longest_ns, place.longest_ns());
    const std::string& method = report.names.Display(place.site);
    list.AddOf("locks.waits", "method", method, Of(place.count()));
    list.AddOf("locks.waits_per_second", "method", method, over(Of(place.count()) * 1e9));
    list.AddOf("locks.wait_time", "method", method, Of(place.total_ns()));
    list.AddOf("locks.waiting", "method", method, over(Of(place.total_ns())));
    list.AddLargestOf("locks.longest", "method", method, Of(place.longest_ns()));
  }
  list.Add("locks.waits", Of(report.lock_waits));
  list.Add("locks.waits_per_second", over(Of(report.lock_waits) * 1e9));
  list.Add("locks.wait_time", Of(report.lock_ns));
  list.Add("locks.waiting", over(Of(report.lock_ns)));
  list.Add("locks.longest", Of(longest_ns));
  list.Add("locks.open", Of(report.lock_open));
}

void MeasurePool(const PoolReport& report, MeasureList& list) {
  const double seconds = static_cast<double>(report.sampled_ns) / 1e9;
  list.Add("pool.stalled", Of(report.stalled_ns));
  list.Add("pool.stall.longest", Of(report.longest_stall_ns));
  list.Add("pool.queue.peak", Of(report.longest_queue));
  list.Add("pool.workers.peak", report.most_workers);
  list.Add("pool.blocked", Of(report.blocked));
  list.Add("pool.starvations", Of(report.starvations));
  list.Add("pool.completed_per_second", seconds > 0 ? Of(report.completed) / seconds : 0);
}

}  // namespace

void MeasureWaits(const Reports& reports, MeasureList& list) {
  MeasureDeadlocks(reports.deadlocks, list);
  if (reports.heap) MeasureTasks(reports.heap->tasks, list);
  if (reports.events) {
    MeasureLocks(reports.events->locks, list);
    MeasurePool(reports.events->pool, list);
  }
}

}  // namespace hindsight::analyzer
