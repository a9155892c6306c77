// Bytes in a gzip stream.
#pragma once

#include <string_view>

#include "analyzer/exports/byte_sink.h"

namespace hindsight::analyzer {

// Writes `bytes`, compressed, into `sink`. Whether all was written.
bool WriteGzip(std::string_view bytes, const ByteSink& sink);

}  // namespace hindsight::analyzer
