// JSON Schema of what is described.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "analyzer/fields/shape.h"

namespace hindsight::analyzer {

// Of one of `forms`; complete in itself, indented, with a final newline.
std::string JsonSchema(std::string_view title, std::string_view description,
                       std::span<const SharedShape> forms);

}  // namespace hindsight::analyzer
