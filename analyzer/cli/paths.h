// File names, for programs with a command line from here.
#pragma once

#include "analyzer/base/path_text.h"

namespace hindsight::cli {

using analyzer::PathOf;

}  // namespace hindsight::cli
