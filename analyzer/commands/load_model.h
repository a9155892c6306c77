// Opens recordings for commands, and reads their events.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analyzer/base/progress.h"
#include "analyzer/base/result.h"
#include "analyzer/model/model.h"
#include "analyzer/reader/model_builder.h"
#include "analyzer/reader/recording_reader.h"

namespace hindsight::analyzer {

// A progress bar on stderr, or none.
Progress ProgressOf(const char* label, bool shows);

// Recording::Open, with a progress bar.
Result<Recording> OpenRecording(std::span<const std::string> paths, bool shows_progress = true);

// Folders with symbols (`--symbols`), in which unnamed native functions are looked up. Empty: they
// are not looked up.
using SymbolPaths = std::vector<std::string>;

// Reads the events into a model (BuildModel), with a progress bar.
Result<std::unique_ptr<Model>> LoadModel(Recording& recording, const ExceptionScope& scope = {},
                                         bool shows_progress = true,
                                         const SymbolPaths& symbols = {});
// The same if nothing else is read.
Result<std::unique_ptr<Model>> LoadModel(std::span<const std::string> paths,
                                         const ExceptionScope& scope = {},
                                         const SymbolPaths& symbols = {});

}  // namespace hindsight::analyzer
