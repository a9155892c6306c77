// How long requests took, from how many were in progress.
#pragma once

#include <cstdint>
#include <optional>

#include "analyzer/model/requests.h"

namespace hindsight::analyzer {

// The mean duration of the requests that finished. What the recorder counted contains the time of
// those that did not, which is known within bounds.
struct MeanRequest {
  uint64_t least_ns = 0, most_ns = 0;
  // What it most likely was, if the bounds are far apart, and as many came and went all the time.
  std::optional<uint64_t> about_ns = std::nullopt;

  // As good as one number.
  bool is_known() const;
};
// nullopt: none finished that began during the recording.
std::optional<MeanRequest> MeanRequestOf(const Requests& requests);

}  // namespace hindsight::analyzer
