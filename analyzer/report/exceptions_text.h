// The text output of `hindsight exceptions`. Pure functions.
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/analyses/exception_tree.h"
#include "analyzer/analyses/exceptions.h"
#include "analyzer/report/text_style.h"
#include "analyzer/symbols/lines.h"

namespace hindsight::analyzer {

struct ExceptionTextOptions {
  size_t top = 10;      // findings; 0: all
  size_t messages = 3;  // of each finding; 0: none
  size_t frames = 8;    // of each path, before its middle is left out; 0: all
  TextStyle style;
  const Lines* lines = nullptr;  // null: no lines are shown
};

std::string ExceptionsText(const ExceptionReport& report, const ExceptionTextOptions& options);
std::string ExceptionTreeText(const ExceptionReport& report, const ExceptionTree& tree,
                              const TextStyle& style);

}  // namespace hindsight::analyzer
