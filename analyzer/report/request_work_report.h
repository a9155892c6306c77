// The part of `hindsight requests` about individual requests: what they did, and the slowest of
// them.
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/analyses/requests.h"
#include "analyzer/fields/fields.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

// `top`: rows of each table; 0: all. Appends nothing if individual requests were not recorded.
void AppendRequestWork(std::string& out, const TextStyle& style, const RequestReport& report,
                       size_t top);

// For a report that has `details`.
Object<RequestReport, RequestReport> RequestWorkFields();

}  // namespace hindsight::analyzer
