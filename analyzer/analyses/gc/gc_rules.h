// Thresholds of GC findings: limits at which operators of services act, not properties of the
// runtime.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hindsight::analyzer {

struct GcRules {
  // Share of the time in pauses; and length of a pause.
  double bad_share = 0.10;
  double notable_share = 0.02;
  uint64_t bad_pause_ns = 200'000'000;
  uint64_t notable_pause_ns = 50'000'000;
  // With fewer pauses, it is a note.
  uint64_t min_pauses = 2;
  // If the process used less CPU time in a pause than this share of it, the pause was long because
  // there was no free processor, or memory had to be paged in: then the CPU time counts. At least
  // min_cpu_samples are needed to tell.
  double min_cpu_share = 0.5;
  uint64_t min_cpu_samples = 5;
  uint64_t slow_stop_ns = 10'000'000;

  // Full collections induced by the code: number, and number per second, from which on they are
  // more than a note, even if the machine's load hides their cost.
  uint64_t induced_collections = 5;
  double induced_collections_per_second = 0.5;
  // Full collections not caused by large objects: at least this many, and at least one of this many
  // collections.
  uint64_t mid_life_collections = 10;
  uint64_t mid_life_one_of = 3;
  // Background collections for large objects: at least this many; and this many per second are a
  // warning.
  uint64_t large_object_collections = 3;
  double large_object_collections_per_second = 1;

  uint64_t much_memory = uint64_t{64} << 20;
  double fragmented_share = 0.4;

  // Growth of the heap after full collections: by this much; this share of it in the second half of
  // the time, when warm-up is over; and in this many of three steps from one to the next.
  uint64_t min_growth = uint64_t{32} << 20;
  double min_growth_share = 0.2;
  double min_late_growth = 0.25;
  size_t min_full_collections = 3;
  size_t rises_of_three = 2;
  // In a younger process, which is still filling its caches, growth is a note.
  int64_t grown_up_ns = 300'000'000'000;

  uint64_t many_pinned = 1000;       // found by a single collection
  uint64_t many_finalizable = 1000;  // kept alive by a single collection
  // All kinds together: those of a ConditionalWeakTable, which are not leaks, cannot be
  // distinguished here. So it is a note; a heap snapshot distinguishes them.
  uint64_t many_handles = 10'000;
  uint64_t handles_factor = 2;     // more than this many times those of the first collection
  uint32_t high_memory_load = 90;  // percent: the collector compacts from there on
};

}  // namespace hindsight::analyzer
