// The sentences of the exceptions report: what became of them, and how certain that is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/exceptions.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

struct Verdict {
  Tone tone = Tone::kStrong;
  std::string text;
};

// What became of a finding's exceptions, the worst first.
std::vector<Verdict> Verdicts(const ExceptionReport& report, const ExceptionFinding& finding);

// The same over all findings, in one line.
std::string EndingsSentence(const ExceptionReport& report);

// If there is no finding: none thrown, none recorded, or none that the filters accept.
std::string NothingFoundSentence(const ExceptionReport& report);

// One hop of a route, with its number (from 0), in lines of at most `columns`.
std::vector<std::string> HopLines(const ExceptionReport& report, const RouteHop& hop, size_t number,
                                  const TextStyle& style, size_t columns);

// ThreadTitle, made safe for a terminal: "Main (4242)", "thread 4250", "an unknown thread".
std::string ThreadLabel(const Model& model, ThreadIndex thread);

std::string_view ConfidenceName(Confidence confidence);

}  // namespace hindsight::analyzer
