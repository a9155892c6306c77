// One line of a catalogue: what was found in one recording, as JSON. Input as any other: never
// trusted.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "analyzer/fleet/recording_row.h"

namespace hindsight::analyzer {

// More than a row with the longest texts takes, all of them escaped.
inline constexpr size_t kMostCatalogueLineBytes = 1u << 20;

// The first line says what made the others. Without line ends, as all that follows.
std::string CatalogueHead(std::string_view made_by);
bool IsCatalogueHead(std::string_view line, std::string_view made_by);

// Nothing: the line is not a row of a catalogue.
std::optional<RecordingRow> ParseCatalogueRow(std::string_view line);
std::string CatalogueLine(const RecordingRow& row);

}  // namespace hindsight::analyzer
