// The SQL that a document shows.
#pragma once

#include <string>
#include <vector>

namespace hindsight::testing {

// The blocks of a Markdown file that are marked as sql, in their order. Throws std::runtime_error
// if it cannot be read.
std::vector<std::string> DocumentedQueries(const std::string& file);

}  // namespace hindsight::testing
