// The overview's own thresholds, in addition to those of the analyses (GcFinding::Severity,
// PoolReport::Verdict, LeakConfidence, ThreadStackRules, DeadlockRules).
//
// A busy program is not unhealthy: what it does often is a note at most, unless it uses up what
// other programs need.
#pragma once

#include <cstdint>

namespace hindsight::analyzer {

struct OverviewRules {
  // Tasks at the same await in two snapshots at least `stuck_ns` apart are stuck, if there are
  // `stuck_tasks`. A few are normal: a host waits for the end of the process in this way.
  uint64_t stuck_ns = 10'000'000'000;
  uint64_t stuck_tasks = 10;
  uint64_t few_stuck_requests = 3;  // of which none has got on: a doubt
  // With one snapshot it is not known whether tasks are stuck. This many tasks that await something
  // that other code must complete are a note, and so are this many of your methods that await an
  // uncompleted TaskCompletionSource, or that answer a request.
  uint64_t waiting_tasks = 100;
  uint64_t waiting_tasks_of_yours = 10;
  uint64_t waiting_requests = 10;
  // As many requests, and this share of those in progress, that await the same are a note; a doubt
  // if they queue for what a library hands out.
  double crowded_share = 0.5;
  // In the newest snapshot, this many async methods that wait for one semaphore, which lets in one
  // at a time, are a note. If nothing shows how many it lets in, it may be a signal for workers who
  // have nothing to do: then only requests count.
  uint64_t queued_tasks = 4;
  double one_moment = 0.05;  // factor for the impact of such a note

  // Failed requests: this many with one exception, and this share of all requests or of one
  // route's; fewer are a note. `failed_route_share` applies to a route's failures of all kinds,
  // with or without exceptions.
  uint64_t failed_requests = 5;
  double failed_share = 0.005;
  double failed_route_share = 0.05;
  uint64_t failed_routes_reported = 3;  // individually

  // Failed requests without an exception of their own are not reported below this share of all
  // that fail.
  double missed_ends = 0.05;

  // Requests that the application answers with a server error, with the above limits: exceptions of
  // one place explain them if there are about as many, within this share.
  double caused_errors = 0.25;

  // Of the calls to one server, that many and this share fail. Some always do. With so many calls
  // of a request to it, on average, the request tries again.
  uint64_t failed_calls = 10;
  double failed_calls_share = 0.2;
  double calls_of_retries = 1.5;
  // Calls to one server by one request in ten or more, in `repeating_requests`: a note. They cost
  // a round trip each, even if they are made at the same time.
  uint64_t repeated_calls = 20;

  // Of so many requests to a route, the mean takes this long, and this share of that are calls or
  // database commands: a note.
  uint64_t slow_requests = 20;
  uint64_t slow_request_ns = 200'000'000;
  double slow_request_share = 0.8;
  // If their times differ by at most this share, and about as many timeouts are caught (each of the
  // two is at least this share of the other), they wait for something in vain: a warning.
  double timeout_unevenness = 0.1;
  double timeout_share = 0.8;

  // Of so many requests to a route, the slowest take `outlier_ns` and that many times as long as 99
  // % of them, and most of the time of all: a note.
  uint64_t many_requests = 100;
  uint64_t outlier_ns = 5'000'000'000;
  double outlier_factor = 100;

  // Exceptions thrown by your code and caught by a package that called it for a job or a message.
  // By place: `failed_work` and that many per minute are a note, `failing_work` and that many per
  // second are a warning. The latter also applies to exceptions that stay in tasks.
  uint64_t failed_work = 5;
  double failed_work_per_minute = 6;
  uint64_t failing_work = 100;
  double failing_work_per_second = 1;
  uint64_t failing_work_reported = 3;  // individually

  // Connections of HttpClient that fail, and that many a second: a note. As a warning, see
  // `failing_work`.
  uint64_t failing_connects = 20;
  double failing_connects_per_second = 0.5;
  // Exceptions that your code catches, and that occur at a steady rate: that many, in a recording
  // of so many seconds, are a note.
  uint64_t retries = 20;
  double retry_seconds = 15;
  double retry_steady_seconds = 8;  // from the first one on

  // Null references and the like that your code catches: that many of one place, and that many a
  // minute.
  uint64_t mistakes = 10;
  double mistakes_per_minute = 10;
  uint64_t mistakes_reported = 3;  // individually

  // A storm of exceptions, of one place or of all together. It is frequent, and takes this share of
  // one thread's time from throw to catch, without waits for a processor (if these are many, as if
  // each took `storm_ns_of_slowed` at most); or your code throws it
  // in this share of a server's requests.
  double storm_per_second = 10;
  double storms_per_second = 100;  // all paths together
  double storm_share = 0.01;
  double storm_share_of_cancellations = 0.05;
  uint64_t storm_ns_of_slowed = 100'000;
  uint64_t storm_count = 100;  // fewer are not a storm, even in a short recording
  uint64_t storm_paths = 3;    // that are reported individually
  double storm_per_request = 0.25;
  double storm_most_per_request = 3;  // more are not of requests, unless a server is on the stack
  double wrapped_share = 0.9;         // if another storm wraps this share, it is reported there
  // Exceptions that are this share of all: a note, if there are storm_count in total.
  double dominant_share = 0.8;

  // Waits for one lock, in all methods; if each object has its own lock, waits in one place. Fewer
  // waits are not significant, unless one of them is long.
  uint64_t lock_waits = 10;
  // A warning if this many threads wait for it, on average over time (`convoy_threads`) and at the
  // same time (`convoy_waiters`). If a wait takes slow_wait_ns on average, `slow_convoy_threads`
  // are enough: busy programs have short waits. With many CPUs, the average must also exceed
  // `convoy_threads_per_cpu`.
  double convoy_threads = 4;
  double slow_convoy_threads = 1;
  uint64_t slow_wait_ns = 10'000'000;
  double convoy_threads_per_cpu = 0.1;
  uint32_t convoy_waiters = 3;
  // A single wait this long is a warning. In a short recording, one of `long_wait_of_short_ns` that
  // takes `long_wait_share` of the time is a note.
  uint64_t long_wait_ns = 10'000'000'000;
  uint64_t long_wait_of_short_ns = 2'000'000'000;
  double long_wait_share = 0.5;
  // A recording this long in which less than so many cores were used, and fewer work items ran a
  // second, is of a process that is idle or hangs. An attach by itself, and the timers of an idle
  // server, take half of the cores.
  uint64_t still_ns = 4'500'000'000;
  double still_cores = 0.02;
  double still_work_items = 2;
  // Threads that wait for locks and have not run for DeadlockRules::unchanged_ns are a doubt, and a
  // warning if there are that many, or if the owner waits as well, for `standing_ns`.
  uint64_t standing_threads = 2;
  uint64_t standing_ns = 9'500'000'000;
  // A note: `hot_lock_threads` wait for it on average, and the mean wait is `hot_lock_mean_ns`. If
  // few threads wait at the same time, a wait takes about half the time for which the lock is held.
  // If the process lacks processors, all waits take longer: `hot_lock_threads_of_slowed`.
  // However short the waits are, `busy_lock_threads` on average are also a note. A doubt from
  // `doubted_lock_threads` on, if the mean wait is that long.
  // A warning if the owner was seen sleeping or waiting while it held the lock, and there were
  // `asleep_waits` waits that were slow.
  uint64_t asleep_waits = 20;
  double hot_lock_threads = 0.02;
  double hot_lock_threads_of_slowed = 0.2;
  uint64_t hot_lock_mean_ns = 5'000'000;
  double busy_lock_threads = 1;
  double doubted_lock_threads = 0.5;
  // Fewer than `lock_waits` are enough, for a doubt, if they take `very_slow_wait_ns` on average.
  uint64_t few_lock_waits = 3;
  uint64_t very_slow_wait_ns = 1'000'000'000;

  // Workers of the pool that block until a task is done, in one place, or in requests for anything
  // but a lock. `blocking_workers` on average over time are a note, `many_blocking_workers` a
  // warning. In a package's code, `blocking_workers_of_package` are a doubt.
  uint64_t blocking_waits = 20;
  double blocking_workers = 0.05;
  double many_blocking_workers = 0.25;
  double blocking_workers_of_package = 1.5;
  // From this many on, waits that never overlap are those of one loop: a note.
  double looping_worker = 0.5;
  // If no events report the waits, this many thread snapshots must show them for a warning.
  uint64_t blocking_looks = 3;
  // That many threads of one name are started, and that many a second, all the time, in a recording
  // of at least so many seconds; not the pool's: a note. If they are many, or that share of them is
  // alive in the end, a warning.
  double churn_seconds = 10;
  uint64_t churned_threads = 50;
  double churned_threads_per_second = 1;
  double many_churned_threads_per_second = 5;
  double churned_threads_alive = 0.25;
  // Workers that sleep in one place, on average over all thread snapshots, at least half of which
  // show them: this many, or any that `sleeping_looks` of them show, are a note, and as many as
  // below (`blocked_workers`) a warning.
  uint64_t sleeping_workers = 4;
  double sleeping_looks = 0.8;

  // In a single heap snapshot: `crowd_threads` threads that wait in one place are a note;
  // `blocked_workers` workers of the pool are a note, and a warning if they are this share of all
  // workers.
  uint64_t crowd_threads = 20;
  // Likewise, this many threads that wait for one lock are a note, and as many workers as below are
  // a warning.
  uint64_t queued_threads = 4;
  // Fewer are a note if the lock's owner waits as well, or sleeps.
  uint64_t queued_behind_waiting = 3;
  uint64_t blocked_workers = 8;
  double blocked_workers_share = 0.5;
  // Fewer are a warning if at least this many work items are queued, and as many as there are
  // workers with work, of which that share blocks.
  uint64_t blocked_before_queue = 2;
  uint64_t queued_work = 20;
  // In a starved pool: a further place is reported if it blocks this share of the blocked workers.
  double blocked_place_share = 0.1;
  uint64_t blocked_places_reported = 4;
  // If workers block in framework methods into which yours were inlined, a class of yours is named
  // if this many tasks that run or are queued, and this share of all, belong to it.
  uint64_t work_tasks = 4;
  double work_share = 0.5;

  // This many calls of HttpClient that wait for a connection, if they are this share of the
  // connections, are a note; a warning if so many waited in the previous snapshot, too.
  uint64_t queued_calls = 10;
  double queued_calls_share = 0.25;

  // What grows with each snapshot, but is too little or too short to be called a leak: with this
  // share of the heap, there is no all-clear.
  double doubted_growth_share = 0.2;

  // Snapshots within this time do not show whether a MemoryCache removes expired entries.
  uint64_t cache_scan_ns = 60'000'000'000;

  // A warning: this many more handlers of HttpClient than clients.
  uint64_t unused_http_handlers = 50;
  // Bytes per second that are allocated to set up new ones, some 1,400 each: more than one a
  // second.
  double new_http_handlers_per_second = 2000;
  // So many samples, and this share of all bytes, are for new connections, in the last third of the
  // recording as well: a doubt.
  uint64_t new_connections_samples = 9;
  double new_connections_share = 0.25;

  // Growth by less than the limits below in a recording that is shorter than this may be a leak,
  // unless it is of a program that ended when its work was done.
  uint64_t growth_shows_ns = 60'000'000'000;
  // Memory outside of the managed heap that grows all the time: this much more in the last third of
  // the recording after its first quarter than in the first third, and this share of all the
  // process's own memory, is a warning. While the process starts, code and caches of libraries grow
  // too. Less is a doubt if it grows at the same pace all the time. With that many more assemblies
  // loaded than unloaded, they are named as a cause.
  uint64_t native_growth_bytes = uint64_t{64} << 20;
  uint64_t native_growth_at_start_bytes = uint64_t{128} << 20;
  uint64_t native_even_growth_bytes = uint64_t{20} << 20;
  double native_growth_share = 0.2;
  uint64_t kept_assemblies = 20;
  // So much garbage of one type with a finalizer, none of the framework's, is a note.
  uint64_t finalizable_garbage = 100;
  // All of the process's own memory, in the same thirds, at the same pace all the time: this much
  // more, and this share of all, or as much per minute, is a warning if what the container or
  // machine has is used up so soon at this pace; sooner in a process that starts, which may load its
  // data. Else it is a doubt if the collector has run meanwhile, and no snapshot shows what it is.
  uint64_t climbing_bytes = uint64_t{48} << 20;
  uint64_t attached_after_ns = 2'000'000'000;  // of the process's start
  double climbing_share = 0.3;
  double climbing_share_per_minute = 1;
  uint64_t used_up_ns = 600'000'000'000;
  uint64_t used_up_at_start_ns = 240'000'000'000;
  // Open files, sockets and pipes, in the same thirds: so many more, and this share of all;
  // fewer if they grow at the same pace all the time. That is a warning if the limit is reached
  // soon at this pace, unless so many times the requests per second ended in the last third; else
  // a doubt. Critical is this share of what the process may open.
  uint64_t open_files_growth = 100;
  uint64_t open_files_even_growth = 40;
  double open_files_growth_share = 0.3;
  double open_files_even_share = 0.05;
  uint64_t open_files_left_ns = 6'000'000'000'000;
  double open_files_load_growth = 1.2;
  double open_files_near_limit = 0.9;
  // The process's own memory is this share of what its container or the machine has, at some
  // moment: a warning. Critical at the end of a recording that ends abruptly, from `..._at_end` on.
  double memory_near_limit = 0.9;
  double memory_near_limit_at_end = 0.75;
  // A host that runs for so long after a signal asked it to end; a shorter time if it is then
  // killed (after 10 s by `docker stop`, 30 s in Kubernetes; some are less patient).
  uint64_t slow_end_ns = 10'000'000'000;
  uint64_t killed_slow_end_ns = 5'000'000'000;
  // The finalizer thread runs code of yours in this share of its thread snapshots, at least so
  // many: a doubt, and from so many on a warning.
  double finalizer_busy = 0.8;
  uint64_t finalizer_looks = 2;
  uint64_t finalizer_sure_looks = 5;
  uint64_t finalizer_still_ns = 4'500'000'000;  // without running: it waits
  // After the last full collection there are so many times the GC handles of the first: a doubt.
  double handles_growth = 1.2;
  // Assemblies that are generated, or loaded from memory, and stay: so many in the recording after
  // its first quarter, and of these this share in each third of that time, are a warning.
  uint64_t generated_assemblies = 20;
  double generated_in_each_third = 0.2;

  // Where threads lack processors, a pool with at most so many work items in its queue is not
  // mentioned as well, if it would be a note.
  uint64_t few_queued = 4;

  // A warning if the process uses `busy_cpus` of its CPUs, and one path has `hot_share` of its CPU
  // time without JIT compilation; `hot_share_through` if its method only leads to several others of
  // yours, as what takes messages does. `hot_note_share` of a path and `hot_cores` are a note; if
  // the process lacks processors, any number of cores. The methods in which threads begin are on
  // all paths, so they count only if they do the work themselves (`hot_self`).
  // `wanted_cpus` of them are as good as `busy_cpus` where others have the processors.
  double busy_cpus = 0.8;
  double wanted_cpus = 2;
  // A process that gets this share of the processors that it could use, or less, has a problem.
  double far_too_few_cpus = 0.2;
  double others_impact = 0.1;
  double hot_share = 0.5;
  double hot_share_through = 0.7;
  double hot_note_share = 0.35;
  // So many cores in a regular expression may be a pattern that backtracks.
  double regex_cores = 0.3;
  // Of the CPU time, in pauses of a loop that does not wait: a warning. With so many work items a
  // second, these are mentioned.
  double polling_share = 0.1;
  double polling_items = 100'000;
  // While requests are in progress, even in the end: workers of the pool with a hot method in all
  // of `endless_samples`, for `endless_ns`, until `endless_to_end_ns` before the end. Thread
  // snapshots show, for at least `endless_seen_ns` of that, that they were busy for this share of
  // it. In the same time, that many requests ended for each of them.
  uint64_t endless_samples = 50;
  uint64_t endless_ns = 10'000'000'000;
  uint64_t endless_cpu_ns = 3'000'000'000;  // in all of these samples
  uint64_t endless_to_end_ns = 3'000'000'000;
  uint64_t endless_seen_ns = 4'000'000'000;
  double endless_busy = 0.9;
  uint64_t endless_others = 10;
  double hot_part = 0.6;  // a deeper method is reported if it has this part of your largest one
  double much_compiling = 0.1;  // a part of the CPU time
  double hot_cores = 0.1;
  double hot_self = 0.25;
  // If a hot method's self time is less than `hot_own` of its time, its callees are reported, at
  // most `hot_through_reported`, if these have `hot_through` of its time and each has
  // `hot_through_each`.
  double hot_own = 0.3;
  double hot_through = 0.6;
  double hot_through_each = 0.15;
  uint64_t hot_through_reported = 3;
  // Most code is compiled within `warm_ns` of the process's start. If the compiler still takes
  // `much_compiling` in the second half of the time after that, which is at least `late_ns` long,
  // and `compiling_below` of its work is below one method of yours, that is a note, and from
  // `too_much_compiling` on a warning.
  uint64_t warm_ns = 60'000'000'000;
  uint64_t late_ns = 15'000'000'000;
  double compiling_below = 0.5;
  double too_much_compiling = 0.25;
  // Earlier than that, from `young_ns` on, it takes `mostly_compiling` of the CPU time, in at least
  // `young_late_ns`, in whose last third the compiler takes at least `still_compiling` of what it
  // takes in the first: what a start needs becomes less.
  uint64_t young_ns = 10'000'000'000;
  uint64_t young_late_ns = 8'000'000'000;
  uint64_t young_briefly_ns = 4'000'000'000;  // a doubt
  double mostly_compiling = 0.5;
  double still_compiling = 0.75;
  // `much_compiling` is enough for a doubt if at least so many methods a second are compiled in
  // each third of so long a time, and in none fewer than this share of the most.
  uint64_t even_compiling_ns = 9'000'000'000;
  double even_compiling_methods = 50;
  double even_compiling = 0.8;
  // A method of a package or the framework is reported if it has this share of a hot method's time.
  double hot_callee = 0.7;
  // Threads begin in a method if this share of its time is on paths that it begins.
  double begins_share = 0.5;
  uint64_t cpu_samples = 100;  // fewer are not significant

  // Bytes of one type per second, and their share of all: a note. A warning if that share of the
  // time in collections is `notable_pauses` of all time; in a recording of fewer than
  // `short_seconds`, if collections take this share of it.
  double much_allocated_per_second = 50.0 * (1 << 20);
  double much_of_allocations = 0.25;
  double collections_of_short = 0.1;

  // One command, executed repeatedly within a request: `repeated_commands` times or more in one of
  // ten requests, among at least `repeating_requests` that execute it. At most `repeated_idle_ns`
  // lie between two executions, because a loop that waits longer polls for something new. And
  // fewer than `repeated_failed` fail, because failed commands are retried.
  uint64_t repeated_commands = 10;
  uint64_t repeating_requests = 10;
  uint64_t repeated_idle_ns = 50'000'000;
  double repeated_failed = 0.5;
  // Share of these requests' time from the first execution to the last: less is a note.
  double repeated_stretch = 0.2;
  uint64_t repeated_reported = 3;  // individually

  // No request ended for `stalled_ns`, while `few_stalled_requests` were in progress on average,
  // and `stalled_missing` would have ended at the usual rate: a doubt. If `stalled_requests` began
  // in the time, a warning. Unless a finding says what stops the service.
  uint64_t stalled_ns = 10'000'000'000;
  uint64_t stalled_requests = 10;
  uint64_t few_stalled_requests = 3;
  uint64_t stalled_missing = 100;
  // None ended in the whole recording, but so many began, the first one that long before its end: a
  // doubt.
  uint64_t none_ended_requests = 3;
  uint64_t none_ended_ns = 8'000'000'000;

  // Requests that nothing can complete any more, in a snapshot.
  uint64_t lost_requests = 10;

  // Over a time of at least `piled_up_ns`, there are more requests in progress in each third of it:
  // in the last one, that many more than in the first, and that many times as many. So does the
  // time that each takes, from then on at least `piled_up_seconds`, or `..._of_same_load` if at
  // most `piled_up_load` times as many begin. When the last one began, this share of the most was
  // in progress.
  uint64_t piled_up_ns = 15'000'000'000;
  uint64_t piled_up_briefly_ns = 8'000'000'000;  // a doubt
  uint64_t piled_up_requests = 20;
  double piled_up_growth = 2;
  double piled_up_seconds = 1;
  double piled_up_load = 1.2;
  double piled_up_seconds_of_same_load = 0.25;
  double piled_up_still = 0.7;
  // They stay as many if, for `piled_up_briefly_ns` after this share of the most was reached, there
  // were never fewer than the share above; half of that time is enough to get there.
  double piled_up_peak = 0.95;

  // Share of the time: if pauses take less, they are a note, unless one of them is bad by itself.
  double notable_pauses = 0.02;
  // Where threads lack processors, so does the collector: pauses for young generations are a note up
  // to this share.
  double slowed_young_pauses = 0.1;
  // One of them is bad for a process without requests only if it is this long.
  uint64_t long_pause_ns = 1'000'000'000;
  // In a recording of fewer seconds, one or two collections take a large share of the time: a note,
  // unless pauses of one cause take `much_of_short`, or the code called GC.Collect.
  double short_seconds = 10;
  double much_of_short = 0.25;
  // So many full collections for large objects, and so many a second, are a doubt, however short
  // they are.
  uint64_t large_collections = 10;
  double large_collections_per_second = 1;
  // A place that allocates this share of the bytes of large objects is reported with their cost.
  // Otherwise the method of yours that allocates most of them, if it has this share.
  double most_of_large = 0.5;
  double many_of_large = 0.25;
  // A heap snapshot requests collections, and others come with them: up to two of each. One of
  // these may pause up to `pauses_of_snapshot` times as long as the snapshot.
  uint64_t collections_of_snapshot = 4;
  uint64_t pauses_of_snapshot = 2;
};

// When the report on one signal suggests what to look at next. Shares of the CPU time, and of the
// bytes allocated.
struct HintRules {
  double idle_cores = 0.1;  // if fewer cores are used on average, the waits say more
  double collecting_share = 0.1;
  double compiling_share = 0.1;
  double inlined_share = 0.1;  // of a method: inlined methods may be most of it
  double large_share = 0.2;    // of the bytes are large objects
};
inline constexpr HintRules kHintRules;

}  // namespace hindsight::analyzer
