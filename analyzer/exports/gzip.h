// Compresses bytes with gzip.
#pragma once

#include <string_view>

#include "analyzer/exports/byte_sink.h"

namespace hindsight::analyzer {

// Writes `bytes`, compressed, to `sink`. Returns whether everything was written.
bool WriteGzip(std::string_view bytes, const ByteSink& sink);

}  // namespace hindsight::analyzer
