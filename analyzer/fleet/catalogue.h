// What was found in the recordings of a folder, kept beside them, so that only new ones are read.
//
// JSON lines: the first says what made it, each other one is a recording. It is a cache: whatever
// is wrong with a line, its recording is read again; and one that another version of the analyzer
// made is of no use, since its judgement may differ. Lines are input as any other: never trusted.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "analyzer/base/result.h"
#include "analyzer/fleet/recording_row.h"

namespace hindsight::analyzer {

inline constexpr std::string_view kCatalogueName = "hindsight-fleet.jsonl";

// By path, relative to the catalogue's folder.
using CatalogueRows = std::map<std::string, RecordingRow>;

// Nothing: the line is not a row of a catalogue.
std::optional<RecordingRow> ParseCatalogueRow(std::string_view line);
std::string CatalogueLine(const RecordingRow& row);  // without a line end

// Of the folder; empty where there is none, or it was made by something other than `made_by`.
CatalogueRows ReadCatalogue(const std::string& folder, std::string_view made_by);
// Under a name of its own until it is whole: of two at once the later one stays.
Result<void> WriteCatalogue(const std::string& folder, std::string_view made_by,
                            const CatalogueRows& rows);

}  // namespace hindsight::analyzer
