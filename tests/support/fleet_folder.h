// Recordings of many hosts in a folder, made from golden cases of one process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "tests/support/recording_builder.h"

namespace hindsight::testing {

struct FleetMember {
  std::string host;
  uint32_t pid = 1;
  std::string build;  // 16 characters: the MVID
  uint64_t hour = 0;  // when it was started
};

// `text`: a golden case whose process is `pid: 4242 application: "Shop"` and whose first module is
// its assembly. Throws std::runtime_error if it is anything else.
RecordingBuilder FleetRecording(std::string text, const FleetMember& member);

}  // namespace hindsight::testing
