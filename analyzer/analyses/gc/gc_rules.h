// Thresholds of GC findings. The limits are what operators of services act upon, not properties of
// the runtime.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hindsight::analyzer {

struct GcRules {
  // Of the time, in pauses; and of a pause.
  double bad_share = 0.10;
  double notable_share = 0.02;
  uint64_t bad_pause_ns = 200'000'000;
  uint64_t notable_pause_ns = 50'000'000;
  // With fewer pauses it is a note: one happens to everybody.
  uint64_t min_pauses = 2;
  // A pause in which the process used less CPU time than this share of it was long because the
  // machine had no processor to give, or had to read memory back: then the CPU time counts. Of
  // less than so many samples nobody can tell.
  double min_cpu_share = 0.5;
  uint64_t min_cpu_samples = 5;
  uint64_t slow_stop_ns = 10'000'000;

  // Full collections that the code asked for: so many, and so many a second. Then they are more than
  // a note, even where the machine's load hides what they cost.
  uint64_t induced_collections = 5;
  double induced_collections_per_second = 0.5;
  // Full collections that nothing large asked for: so many, and one of so many collections.
  uint64_t mid_life_collections = 10;
  uint64_t mid_life_one_of = 3;
  // Background collections for large objects: so many; and so many a second are a warning.
  uint64_t large_object_collections = 3;
  double large_object_collections_per_second = 1;

  uint64_t much_memory = uint64_t{64} << 20;
  double fragmented_share = 0.4;

  // What full collections leave grows: by so much, and so much of the whole in the later half of
  // the time, in which no process warms up any more; and from one to the next so many times of
  // three.
  uint64_t min_growth = uint64_t{32} << 20;
  double min_growth_share = 0.2;
  double min_late_growth = 0.25;
  size_t min_full_collections = 3;
  size_t rises_of_three = 2;
  // A process that is younger fills its caches, or does its work and ends: it is a note.
  int64_t grown_up_ns = 300'000'000'000;

  uint64_t many_pinned = 1000;       // found by one collection
  uint64_t many_finalizable = 1000;  // kept alive by one collection
  // All kinds together: those of a ConditionalWeakTable, which leak nothing, cannot be told from
  // others here. So it is a note; a heap snapshot tells them apart.
  uint64_t many_handles = 10'000;
  uint64_t handles_factor = 2;     // more than so many times those of the first collection
  uint32_t high_memory_load = 90;  // per cent: from there on the collector compacts
};

}  // namespace hindsight::analyzer
