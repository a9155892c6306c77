// How `--thread` selects threads.
#pragma once

#include <string_view>

#include "analyzer/model/model.h"

namespace hindsight::analyzer {

// A number is a thread's OS id, or its id in the recording; anything else is a pattern for its name
// (see MatchesPattern), which threads without a name never match. Empty: every thread.
bool MatchesThread(const Model& model, ThreadIndex thread, std::string_view wanted);

}  // namespace hindsight::analyzer
