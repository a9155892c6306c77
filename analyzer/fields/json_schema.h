// JSON Schema of what is described.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "analyzer/fields/shape.h"

namespace hindsight::analyzer {

// Of one of `forms`, or of a list of the only one; complete in itself, indented, with a final
// newline.
std::string JsonSchema(std::string_view title, std::string_view description,
                       std::span<const SharedShape> forms, bool is_list = false);

}  // namespace hindsight::analyzer
