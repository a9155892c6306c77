// Standard streams, for programs with a command line from here.
#pragma once

#include "analyzer/base/console.h"

namespace hindsight::cli {

using analyzer::IsTerminal;
using analyzer::kStandardError;
using analyzer::PrepareStandardStreams;

}  // namespace hindsight::cli
