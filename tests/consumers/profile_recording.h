// A recording of a made-up shop with all that exports show: CPU samples, allocations, exceptions,
// waits for locks and collections; or of a busy one with every signal. Pure: the same settings give
// the same bytes.
#pragma once

#include <cstdint>
#include <string>

#include "tests/support/recording_builder.h"

namespace hindsight::testing {

struct ProfileSettings {
  uint32_t threads = 3;
  uint32_t seconds = 10;         // of 100 samples a second and thread
  uint32_t methods = 40;         // that the shop has
  uint32_t slower_checkout = 1;  // times that checkouts take as long
  uint64_t recording_id = 0x1122334455667788;
  std::string host = "till-1";
  // A service under load, with every signal: 40 exceptions, 150 waits for locks, 300 sampled
  // allocations, two collections and 300 requests a second, pool, compiler, deep stacks, and every
  // ten seconds where its threads stand. Otherwise one exception, wait and collection a second.
  bool busy = false;
};

struct ProfileTruth {
  uint64_t cpu_ns = 0;
  uint64_t samples = 0;
  uint64_t exceptions = 0;
  uint64_t lock_ns = 0, lock_waits = 0;
};

// A name that a page would take for markup, and a line of collapsed stacks for two.
inline constexpr char kHostileType[] = "Shop.<script>alert(1)</script>;x";

RecordingBuilder ProfileRecording(const ProfileSettings& settings, ProfileTruth& truth);

}  // namespace hindsight::testing
