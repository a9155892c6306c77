// JSON Schema of described results.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "analyzer/fields/shape.h"

namespace hindsight::analyzer {

// For one of `forms`, or for a list of the only one; self-contained, indented, with a final
// newline.
std::string JsonSchema(std::string_view title, std::string_view description,
                       std::span<const SharedShape> forms, bool is_list = false);

}  // namespace hindsight::analyzer
