// The output of `hindsight tasks`, as text and as JSON. Pure functions.
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/analyses/waits/stuck_tasks.h"
#include "analyzer/fields/shape.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

// `top`: number of groups shown.
std::string TasksText(const HeapModel& model, const TaskReport& report, size_t top,
                      const TextStyle& style);
std::string TasksJson(const HeapModel& model, const TaskReport& report);
SharedShape TasksShape();

}  // namespace hindsight::analyzer
