// What the reports' descriptions of their rows say about the page's columns, so that a title, a
// unit and a meaning are written once, in the report.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "analyzer/report/json.h"

namespace hindsight::analyzer {

// {"cpu/methods": {"self_ns": ["self", "ns", "CPU time in the method itself"]}}: the lists of rows
// in the answers of `commands`; of each plain field of a row, by its path, the title of its column,
// the kind of its values (script/table.js) and its meaning.
Json Descriptions(std::span<const std::string_view> commands);

// The same for all tables of the report's page, and for those of a fleet's: the constant that the
// pages' scripts read, to be written before them.
std::string ReportDescriptions();
std::string FleetDescriptions();

}  // namespace hindsight::analyzer
