// The build of the recorded application.
#pragma once

#include <string>

#include "analyzer/model/model.h"

namespace hindsight::analyzer {

// The MVID of the application's own assembly, 32 hexadecimal digits; empty if it was not seen.
std::string ApplicationBuild(const Model& model);

}  // namespace hindsight::analyzer
