// Many recordings together: from the catalogue where they are known, else by reading them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/fleet/fleet.h"
#include "analyzer/fleet/recording_row.h"

namespace hindsight::analyzer {

struct ReadFleet {
  Fleet fleet;
  uint64_t read = 0, from_catalogue = 0;
  std::string catalogue_note;  // a sentence, or empty
};

// `paths`: recordings, and folders that contain recordings at any depth, each of which has its
// catalogue. Reads as many at once as there are processors, and keeps of each what FleetBuilder
// keeps. `uses_catalogue`: false neither reads nor writes it. An error: a path does not exist, or
// there is no recording.
Result<ReadFleet> ReadRecordings(const std::vector<std::string>& paths, bool uses_catalogue);

// One recording, by itself.
RecordingRow ReadRow(const std::string& path);

}  // namespace hindsight::analyzer
