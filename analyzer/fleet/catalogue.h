// What was found in the recordings of a folder, kept beside them, so that only new ones are read.
//
// JSON lines: the first says what made it, each other one is a recording. It is a cache: whatever
// is wrong with a line, its recording is read again; and one that another version of the analyzer
// made is of no use, since its judgement may differ. Only one row at a time is in memory.
#pragma once

#include <cstdio>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/fleet/recording_row.h"

namespace hindsight::analyzer {

inline constexpr std::string_view kCatalogueName = "hindsight-fleet.jsonl";

// Read once, then added to. Of two runs at once, each of which looks at all recordings, the file of
// one stays.
class Catalogue {
 public:
  Catalogue(std::string folder, std::string made_by);
  ~Catalogue();
  Catalogue(const Catalogue&) = delete;
  Catalogue& operator=(const Catalogue&) = delete;

  // Each row, its path relative to the folder, as long as `is_of_use` returns true; what it refuses
  // is not kept. None where there is no catalogue, or something other than `made_by` made it.
  void Read(const std::function<bool(RecordingRow&&)>& is_of_use);
  // Is there from now on, however this process ends. Does nothing once writing has failed.
  void Add(const RecordingRow& row);
  // Removes what was refused. An error: the catalogue could not be written.
  Result<void> Finish();

 private:
  void StartOver();
  bool WriteLine(std::string_view line);
  void Fail(int error);

  const std::string folder_, made_by_, name_;
  std::ifstream old_;
  std::vector<bool> kept_;  // by line of the old one, the first aside
  bool has_refused_ = false;
  std::FILE* file_ = nullptr;  // the new one
  std::optional<Error> failure_;
};

}  // namespace hindsight::analyzer
