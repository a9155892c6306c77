// The first page: what the process was, how well it was recorded, and what all analyses found.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "analyzer/analyses/overview/finding.h"
#include "analyzer/analyses/overview/reports.h"
#include "analyzer/fields/shape.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

struct OverviewPage {
  const Reports* reports = nullptr;
  const Overview* overview = nullptr;
  std::span<const std::string> paths;    // of the recording, as given
  std::span<const std::string> damages;  // sentences on what could not be read
};

inline constexpr size_t kOverviewFindings = 12;

// One screen: at most `top` findings (0: all), each a title, a line of evidence and a command.
std::string OverviewText(const OverviewPage& page, const TextStyle& style,
                         size_t top = kOverviewFindings);

std::string OverviewJson(const OverviewPage& page);
SharedShape OverviewShape();

// The `hindsight ...` command that shows more about a finding, to be pasted into a shell.
std::string CommandOf(const Finding& finding, std::span<const std::string> paths);

}  // namespace hindsight::analyzer
