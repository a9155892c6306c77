// From where on something is told: all thresholds that the overview adds to those of the analyses
// (GcFinding::Severity, PoolReport::Verdict, LeakConfidence, StandingRules), which hold as they
// are.
//
// A busy program is not ill: what it does much of is a note at most, unless it takes what others
// need.
#pragma once

#include <cstdint>

namespace hindsight::analyzer {

struct OverviewRules {
  // Tasks that stood at one await in two snapshots this far apart are stuck; fewer may serve as
  // the end of the process, for which a host waits all its life.
  uint64_t stuck_ns = 10'000'000'000;
  uint64_t stuck_tasks = 10;
  // With one snapshot nobody knows: so many that await what somebody has to complete are a note.
  uint64_t waiting_tasks = 100;

  // Exceptions along one path, or all: a storm is frequent and takes time, from throw to catch, of
  // one thread.
  double storm_per_second = 10;
  double storms_per_second = 100;  // of all paths together
  double storm_share = 0.01;
  uint64_t storm_count = 100;  // fewer are no storm, however short the recording
  uint64_t storm_paths = 3;    // told one by one

  // Threads that wait for one lock, on average over the time; and one wait for it.
  double convoy_threads = 4;
  uint64_t convoy_waits = 100;
  uint64_t long_wait_ns = 10'000'000'000;
  double hot_lock_threads = 0.5;  // a note

  // Of the process's CPUs, and of its CPU time on one path: both at once are a warning. A note
  // needs no more than a fraction of one CPU. Where threads begin is on all paths, so such a method
  // counts only if it does the work itself.
  double busy_cpus = 0.8;
  double hot_share = 0.5;
  double hot_cores = 0.1;
  double hot_self = 0.25;
  uint64_t cpu_samples = 100;  // fewer say little

  // Bytes of one type, a second, and their share of all: a note; with pauses that the analysis of
  // collections finds notable, a warning.
  double much_allocated_per_second = 50.0 * (1 << 20);
  double much_of_allocations = 0.25;

  // Of the time: pauses of less are a note, unless one of them is bad by itself.
  double notable_pauses = 0.02;
};

}  // namespace hindsight::analyzer
