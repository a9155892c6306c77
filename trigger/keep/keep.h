// Copies a recording that is still in progress: what its folder contains now, or the end of it.
//
// A recorder deletes its oldest files to keep to its limit, so what led up to an incident is gone
// hours later. The copy is a recording of its own: whole files and whole segments under an id of
// its own, and a last segment that says what it is a part of. The headers say that what came before
// was left out on purpose (proto/FORMAT.md).
//
// The folder is named by the process, which is not trusted: only regular files with the names of a
// recording's are read, and only those that belong to the process's user or to ours.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "trigger/result.h"

namespace hindsight::trigger {

struct KeepRequest {
  int root = -1;            // an open folder: the root of the process
  std::string source;       // the recording's folder, absolute, as the process sees it
  uid_t owner = 0;          // of the process
  std::string destination;  // a folder that exists, ours; receives the copy's folder
  uint64_t last_ns = 0;     // files that were written to within this time; 0: all
};

struct Kept {
  std::string path;
  uint32_t files = 0;      // numbered ones
  uint32_t snapshots = 0;  // heap snapshots, always all of them
  uint64_t bytes = 0;
};

// After a failure nothing is left of the copy.
Expected<Kept> KeepRecording(const KeepRequest& request);

}  // namespace hindsight::trigger
