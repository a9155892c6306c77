// The value of a described field as a cell of a text report's table.
#pragma once

#include <optional>
#include <string>

#include "analyzer/fields/shape.h"
#include "analyzer/fields/text_column.h"

namespace hindsight::analyzer {

// The column for `field`, which must have a plain value.
ColumnShape ColumnOf(const FieldShape& field, const TextColumn& column);

}  // namespace hindsight::analyzer
