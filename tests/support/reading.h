// Reads recordings the way the analyzer does, and compares what comes out with the truth.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/model/model.h"
#include "analyzer/model/integrity.h"
#include "tests/support/recording_builder.h"

namespace hindsight::testing {

// Everything that a reader delivered from a recording.
struct ReadOutcome {
  std::optional<analyzer::Error> error;
  analyzer::Integrity integrity;
  // By sequence of the segment: each packet, with its context, as one string.
  std::map<uint64_t, std::vector<std::string>> segments;
  uint64_t undefined_references = 0;
  uint64_t exceptions = 0;
};

// The model of a recording in text format (see RecordingBuilder::AddText). Throws
// std::runtime_error if it cannot be read.
std::unique_ptr<analyzer::Model> ModelOf(std::string_view text);

ReadOutcome ReadAll(const std::vector<std::string>& paths);

// Empty if `outcome` is honest about a damaged copy of a recording whose intact reading is `truth`:
// every delivered segment is the true one, every other one is in a gap or after an end reported as
// abrupt, and nothing refers to a lost name without the reader reporting that. Otherwise what is
// wrong.
std::string FindLie(const ReadOutcome& truth, const ReadOutcome& outcome);

}  // namespace hindsight::testing
