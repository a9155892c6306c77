// The output of `hindsight exceptions --json`.
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/analyses/exception_tree.h"
#include "analyzer/analyses/exceptions.h"
#include "analyzer/fields/shape.h"
#include "analyzer/symbols/lines.h"

namespace hindsight::analyzer {

// `top` groups and `messages` of each; 0: all. `lines` null: no lines.
std::string ExceptionsJson(const ExceptionReport& report, size_t top, size_t messages,
                           const Lines* lines = nullptr);
SharedShape ExceptionsShape();

std::string ExceptionTreeJson(const ExceptionReport& report, const ExceptionTree& tree);
SharedShape ExceptionTreeShape();

}  // namespace hindsight::analyzer
