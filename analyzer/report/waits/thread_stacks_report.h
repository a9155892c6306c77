// Where threads are, as part of the output of `hindsight threads`: as text and as JSON.
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/analyses/threads.h"
#include "analyzer/analyses/waits/thread_stacks.h"
#include "analyzer/fields/fields.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

struct ThreadStacksTextOptions {
  size_t top = 10;    // stacks shown; 0: all
  size_t frames = 8;  // of a stack; 0: all
};

// The problems, or what was examined if there are none; then the stacks.
std::string ThreadStacksText(const ThreadStackReport& report, const Model& model,
                             const ThreadStacksTextOptions& options, const TextStyle& style);

// Its part of the JSON.
Object<ThreadStackReport, ThreadReport> ThreadStackReportFields();

}  // namespace hindsight::analyzer
