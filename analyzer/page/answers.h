// Command output, as the page shows it.
#pragma once

#include <optional>

#include "analyzer/analyses/waits/wall_time.h"
#include "analyzer/page/page.h"
#include "analyzer/report/json.h"

namespace hindsight::analyzer {

// {COMMAND: its --json}. Null is the answer of a command that has no data in this recording. Lists
// end after the rows that matter most; what was cut is counted in `left_out`, if that is not null,
// as {"COMMAND/list": rows}.
Json AnswersOf(const PageRecording& recording, const std::optional<WallReport>& wall,
               const PageLimits& limits, Json* left_out);

}  // namespace hindsight::analyzer
