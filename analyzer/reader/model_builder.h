// Packets -> model. The only place where the schema and the model meet.
#pragma once

#include <cstdint>
#include <memory>

#include "analyzer/base/result.h"
#include "analyzer/model/exception_tracker.h"
#include "analyzer/model/model.h"
#include "analyzer/reader/file_dictionary.h"
#include "analyzer/reader/recording_reader.h"

namespace hindsight::analyzer {

// Reads the whole recording once. Memory does not grow with the number of events: see
// ExceptionTracker, and kMaxFileTextBytes for the texts of one file. `progress` may be null.
// `native_names` may be empty.
Result<std::unique_ptr<Model>> BuildModel(Recording& recording, const ExceptionScope& scope,
                                          Progress* progress = nullptr,
                                          const NativeNamer& native_names = {});

// Texts of one file that are kept until the next one begins; those beyond are lost and counted.
inline constexpr uint64_t kMaxFileTextBytes = 256u << 20;

}  // namespace hindsight::analyzer
