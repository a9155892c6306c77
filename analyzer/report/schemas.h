// The JSON Schemas of all reports: what `hindsight schema` prints.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/fields/shape.h"

namespace hindsight::analyzer {

struct ReportSchema {
  std::string_view command;
  // What `--json` prints, in each of the command's forms.
  std::vector<SharedShape (*)()> forms;
};
std::span<const ReportSchema> ReportSchemas();  // by command

// Empty if there is none.
std::string ReportSchemaOf(std::string_view command);

}  // namespace hindsight::analyzer
