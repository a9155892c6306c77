// The part of `hindsight requests` about single requests: what they did, and the slowest of them.
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/analyses/requests.h"
#include "analyzer/fields/fields.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

// `top`: rows of each table; 0: all. Nothing if single requests were not recorded.
void AppendRequestWork(std::string& out, const TextStyle& style, const RequestReport& report,
                       size_t top);

// Of a report whose `details` are there.
Object<RequestReport, RequestReport> RequestWorkFields();

}  // namespace hindsight::analyzer
