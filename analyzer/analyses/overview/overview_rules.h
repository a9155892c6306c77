// Thresholds that the overview adds to those of the analyses (GcFinding::Severity,
// PoolReport::Verdict, LeakConfidence, ThreadStackRules, DeadlockRules).
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
  double one_moment = 0.05;  // what such a note weighs, of what it would otherwise

  // Requests that fail: so many with one exception, of all that were served or of one route's. Of
  // fewer, so many a minute are a note where nobody knows of which route. The same of a route's,
  // with whatever exceptions, or without one.
  uint64_t failed_requests = 5;
  double failed_share = 0.005;
  double failed_route_share = 0.05;
  double failed_per_minute = 6;
  uint64_t failed_routes_told = 3;  // one by one

  // Exceptions of your code that end in a package's, which called it for a job or a message: so
  // many of one place, and so many a minute, are a note; so many, and so many a second, a warning.
  uint64_t failed_work = 5;
  double failed_work_per_minute = 6;
  uint64_t failing_work = 100;
  double failing_work_per_second = 1;
  uint64_t failing_work_told = 3;  // one by one

  // Exceptions of one place, or all: a storm is frequent and takes time, from throw to catch, of
  // one thread, waits for a processor left out; or it is thrown by your code with so many of the
  // requests that a server serves.
  double storm_per_second = 10;
  double storms_per_second = 100;  // of all paths together
  double storm_share = 0.01;
  uint64_t storm_count = 100;  // fewer are no storm, however short the recording
  uint64_t storm_paths = 3;    // told one by one
  double storm_per_request = 0.25;
  double wrapped_share = 0.9;  // of what another storm wraps: then it is told there
  // What most exceptions are: a note, if there are storm_count of all.
  double dominant_share = 0.8;

  // All waits for one lock, in whatever methods; where each object has its own, those of one place.
  // Fewer waits say little, unless one of them is long.
  uint64_t lock_waits = 10;
  // Threads that wait for it, on average over the time and at the same time: a warning. Fewer are
  // one where a wait takes slow_wait_ns on average: short ones are what busy programs have.
  // Where the process has many CPUs, so many of each are little.
  double convoy_threads = 4;
  double slow_convoy_threads = 1;
  uint64_t slow_wait_ns = 10'000'000;
  double convoy_threads_per_cpu = 0.1;
  uint32_t convoy_waiters = 3;
  // One wait for it: a warning. In a shorter recording, one that takes such a part is a note.
  uint64_t long_wait_ns = 10'000'000'000;
  uint64_t long_wait_of_short_ns = 2'000'000'000;
  double long_wait_share = 0.5;
  // Threads that stand at one lock and have not run for DeadlockRules::unchanged_ns.
  uint64_t standing_threads = 2;
  // Threads that wait for it on average, and the mean wait: a note. Where few wait at the same
  // time, a wait takes half as long as the lock is held. A warning where the owner was seen to
  // sleep, or to wait, with the lock, if there were so many waits, and slow ones.
  uint64_t asleep_waits = 20;
  double hot_lock_threads = 0.02;
  uint64_t hot_lock_mean_ns = 5'000'000;

  // Workers of the pool that block until a task is done, in one place: on average over the time, a
  // note and a warning.
  uint64_t blocking_waits = 20;
  double blocking_workers = 0.05;
  double many_blocking_workers = 0.25;
  // Where no event tells of the waits, by the thread snapshots: so many have to show it for a
  // warning.
  uint64_t blocking_looks = 3;

  // In the one moment of a heap snapshot: threads that wait in one place, a note; and workers of
  // the pool that do, a note, and a warning if they are such a share of all workers.
  uint64_t crowd_threads = 20;
  // Likewise of threads that wait for one lock: a note, and of as many workers as below a warning.
  uint64_t queued_threads = 4;
  uint64_t blocked_workers = 8;
  double blocked_workers_share = 0.5;
  // In a starved pool: a further place that blocks so many of those that block is told.
  double blocked_place_share = 0.1;
  uint64_t blocked_places_told = 4;
  // Where workers block in the framework's methods, into which yours were inlined: so many tasks
  // that run or are queued, and so many of all, are of one class of yours, which is named.
  uint64_t work_tasks = 4;
  double work_share = 0.5;

  // Of the process's CPUs, and of its CPU time on one path, without the compiler's: both at once
  // are a warning. A note needs less of a path, and no more than a fraction of one CPU. Where
  // threads begin is on all paths, so such a method counts only if it does the work itself.
  double busy_cpus = 0.8;
  double hot_share = 0.5;
  double hot_note_share = 0.35;
  double hot_part = 0.6;  // of what the largest of your methods has: a deeper one has the share
  double much_compiling = 0.1;
  double hot_cores = 0.1;
  double hot_self = 0.25;
  // Of a hot method's time: with less of its own, those that it calls are told, if few of them have
  // most of it, and each has enough of it.
  double hot_own = 0.3;
  double hot_through = 0.6;
  double hot_through_each = 0.15;
  uint64_t hot_through_told = 3;
  // Of a hot method's time: the method of others' code that has so much of it is told.
  double hot_callee = 0.7;
  double begins_share = 0.5;   // of a method's time, on paths that it begins: threads begin there
  uint64_t cpu_samples = 100;  // fewer say little

  // Bytes of one type, a second, and their share of all: a note; with pauses that the analysis of
  // collections finds notable, a warning.
  double much_allocated_per_second = 50.0 * (1 << 20);
  double much_of_allocations = 0.25;

  // One command, asked again and again for one request: in one of ten requests so often or more, of
  // so many requests that ask it at all, and one soon after the other. A loop that waits in between
  // looks for something new; and what fails is tried again.
  uint64_t repeated_commands = 10;
  uint64_t repeating_requests = 10;
  uint64_t repeated_idle_ns = 50'000'000;
  double repeated_failed = 0.5;
  // Of these requests' time, from the first to the last: less is a note.
  double repeated_stretch = 0.2;
  uint64_t repeated_told = 3;  // one by one

  // Of the time: pauses of less are a note, unless one of them is bad by itself.
  double notable_pauses = 0.02;
  // In a recording of fewer seconds a collection or two are much of the time: a note, unless pauses
  // of one cause take so much, or the code called for them.
  double short_seconds = 10;
  double much_of_short = 0.25;
  // Of the bytes of large objects: the place that has so many is told with what they cost.
  double most_of_large = 0.5;
  // Collections that a heap snapshot asks for and that come with them, two of each; and how much
  // longer than the snapshot's one of them may pause.
  uint64_t collections_of_snapshot = 4;
  uint64_t pauses_of_snapshot = 2;
};

// When the report on one signal says what to look at next. Of the CPU time, and of the bytes
// allocated.
struct HintRules {
  double idle_cores = 0.1;  // fewer used on average: what threads wait for says more
  double collecting_share = 0.1;
  double compiling_share = 0.1;
  double inlined_share = 0.1;  // of a method: what was inlined into it may be most of that
  double large_share = 0.2;    // of the bytes: more are large objects
};
inline constexpr HintRules kHintRules;

}  // namespace hindsight::analyzer
