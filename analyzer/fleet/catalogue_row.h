// One line of a catalogue: what was found in one recording, as JSON. Untrusted input like any
// other.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "analyzer/fleet/recording_row.h"

namespace hindsight::analyzer {

// More than a row of the longest texts takes, if all are escaped.
inline constexpr size_t kMostCatalogueLineBytes = 1u << 20;

// The first line says what made the others. Without line ends, like the functions below.
std::string CatalogueHead(std::string_view made_by);
bool IsCatalogueHead(std::string_view line, std::string_view made_by);

// nullopt: the line is not a row of a catalogue.
std::optional<RecordingRow> ParseCatalogueRow(std::string_view line);
std::string CatalogueLine(const RecordingRow& row);

}  // namespace hindsight::analyzer
