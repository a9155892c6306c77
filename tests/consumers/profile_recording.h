// A recording of a made-up shop with everything that exports show: CPU samples, allocations,
// exceptions, waits for locks and collections; or of a busy one with every signal. Pure: the same
// settings give the same bytes.
#pragma once

#include <cstdint>
#include <string>

#include "tests/support/recording_builder.h"

namespace hindsight::testing {

struct ProfileSettings {
  uint32_t threads = 3;
  uint32_t seconds = 10;         // with 100 samples per second and thread
  uint32_t methods = 40;         // that the shop has
  uint32_t slower_checkout = 1;  // factor by which checkouts take longer
  uint64_t recording_id = 0x1122334455667788;
  std::string host = "till-1";
  // A service under load, with every signal: 40 exceptions, 150 waits for locks, 300 sampled
  // allocations, two collections and 300 requests per second, pool, compiler, deep stacks, and
  // every ten seconds a snapshot of its threads. Otherwise one exception, wait and collection per
  // second.
  bool busy = false;
};

struct ProfileTruth {
  uint64_t cpu_ns = 0;
  uint64_t samples = 0;
  uint64_t exceptions = 0;
  uint64_t lock_ns = 0, lock_waits = 0;
};

// A name that a page would treat as markup, and collapsed stacks as two lines.
inline constexpr char kHostileType[] = "Shop.<script>alert(1)</script>;x";

RecordingBuilder ProfileRecording(const ProfileSettings& settings, ProfileTruth& truth);

}  // namespace hindsight::testing
