// The output of `hindsight threads`, as text and as JSON. Pure functions.
#pragma once

#include <string>

#include "analyzer/analyses/threads.h"
#include "analyzer/fields/shape.h"
#include "analyzer/report/text_style.h"
#include "analyzer/report/waits/thread_stacks_report.h"

namespace hindsight::analyzer {

std::string ThreadsText(const ThreadReport& report, const ThreadStacksTextOptions& options,
                        const TextStyle& style);
std::string ThreadsJson(const ThreadReport& report);
SharedShape ThreadsShape();

}  // namespace hindsight::analyzer
