// Many recordings, one row each: from the catalogue where they are known, else by reading them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/fleet/recording_row.h"

namespace hindsight::analyzer {

struct ReadFleet {
  std::vector<RecordingRow> rows;  // one a recording, those that cannot be read among them
  uint64_t read = 0, from_catalogue = 0;
  std::string catalogue_note;  // a sentence, or empty
};

// `paths`: recordings, and folders that contain recordings at any depth, each of which has its
// catalogue. Reads as many at once as there are processors, and keeps of each no more than its row.
// `uses_catalogue`: false neither reads nor writes it. An error: a path does not exist, or there is
// no recording.
Result<ReadFleet> ReadRecordings(const std::vector<std::string>& paths, bool uses_catalogue);

}  // namespace hindsight::analyzer
