// Many recordings together: from the catalogue if they are known, otherwise by reading them.
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

// `paths`: recordings, and folders that contain recordings at any depth; each folder has its own
// catalogue. Reads as many at a time as there are processors, and keeps of each what FleetBuilder
// keeps. `uses_catalogue` false: the catalogue is neither read nor written. An error: a path does
// not exist, or there is no recording.
Result<ReadFleet> ReadRecordings(const std::vector<std::string>& paths, bool uses_catalogue);

// A single recording.
RecordingRow ReadRow(const std::string& path);

}  // namespace hindsight::analyzer
