// Names of files, for programs that have their command line from here.
#pragma once

#include "analyzer/base/path_text.h"

namespace hindsight::cli {

using analyzer::PathOf;

}  // namespace hindsight::cli
