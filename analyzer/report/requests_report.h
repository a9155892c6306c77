// The output of `hindsight requests`, as text and as JSON. Pure functions.
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/analyses/mean_request.h"
#include "analyzer/analyses/requests.h"
#include "analyzer/fields/shape.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

struct RequestsTextOptions {
  size_t top = 20;  // 0: all
};

std::string RequestsText(const RequestReport& report, const RequestsTextOptions& options,
                         const TextStyle& style);
std::string RequestsJson(const RequestReport& report);
// "34.9 ms on average"; "about" so much, or both bounds, if requests that did not end make that
// uncertain.
std::string MeanRequestText(const MeanRequest& mean);
// "1,040 requests served, about 515 ms on average, 74 per second; 2 failed with an exception".
std::string ServedText(const Model& model);
SharedShape RequestsShape();

}  // namespace hindsight::analyzer
