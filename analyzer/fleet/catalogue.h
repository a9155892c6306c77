// What was found in the recordings of a folder, stored next to them, so that only new ones have to
// be read.
//
// JSON lines: the first says what made it, each other line is a recording. It is a cache: if
// anything is wrong with a line, its recording is read again; rows made by another version of the
// analyzer are not used, since its judgement may differ. Only one row at a time is in memory.
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

// Read once, then appended to. If two runs overlap, each of which examines all recordings, the file
// of one remains.
class Catalogue {
 public:
  Catalogue(std::string folder, std::string made_by);
  ~Catalogue();
  Catalogue(const Catalogue&) = delete;
  Catalogue& operator=(const Catalogue&) = delete;

  // Passes each row, with its path relative to the folder, to `is_of_use`; rows for which that
  // returns false are not kept. There are none if there is no catalogue, or if something other than
  // `made_by` made it.
  void Read(const std::function<bool(RecordingRow&&)>& is_of_use);
  // The row is stored from now on, however this process ends. Does nothing after a failed write.
  void Add(const RecordingRow& row);
  // Removes the rows that were refused. An error: the catalogue could not be written.
  Result<void> Finish();

 private:
  void StartOver();
  bool WriteLine(std::string_view line);
  void Fail(int error);

  const std::string folder_, made_by_, name_;
  std::ifstream old_;
  std::vector<bool> kept_;  // indexed by line of the old one, without the first line
  bool has_refused_ = false;
  std::FILE* file_ = nullptr;  // the new one
  std::optional<Error> failure_;
};

}  // namespace hindsight::analyzer
