// Shared code of the commands on events.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "analyzer/base/result.h"
#include "analyzer/model/model.h"
#include "analyzer/reader/model_builder.h"

namespace hindsight::analyzer {

// Reads the recording (Recording::Open) into a model, and shows how far it is.
Result<std::unique_ptr<Model>> LoadModel(std::span<const std::string> paths,
                                         const ExceptionScope& scope = {});

}  // namespace hindsight::analyzer
