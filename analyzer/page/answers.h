// Command output as shown on the page.
#pragma once

#include <optional>

#include "analyzer/analyses/waits/wall_time.h"
#include "analyzer/page/page.h"
#include "analyzer/report/json.h"

namespace hindsight::analyzer {

// {COMMAND: its --json}, null for a command without data in this recording. Lists are cut after the
// most significant rows; the number of rows cut is added to `left_out`, if that is not null, as
// {"COMMAND/list": rows}.
Json AnswersOf(const PageRecording& recording, const std::optional<WallReport>& wall,
               const PageLimits& limits, Json* left_out);

}  // namespace hindsight::analyzer
