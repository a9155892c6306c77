// The first page: what a process was, how well it was recorded, and what all analyses found.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "analyzer/analyses/overview/finding.h"
#include "analyzer/analyses/overview/reports.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

struct OverviewPage {
  const Reports* reports = nullptr;
  const Overview* overview = nullptr;
  std::span<const std::string> paths;    // of the recording, as they were given
  std::span<const std::string> damages;  // sentences on what could not be read
};

inline constexpr size_t kOverviewFindings = 12;

// One screen: at most `top` findings (0: all), each a title, a line of evidence and a command.
std::string OverviewText(const OverviewPage& page, const TextStyle& style,
                         size_t top = kOverviewFindings);

// {"schema", "process": {"application", "pid", "host", "runtime", "cpus", "sources"},
//  "recording": see JsonRecording, "snapshot": see JsonHeapFacts (null: there is none),
//  "health": {"complete", "damages": [sentences],
//  "recorder": {"cores", "memory_bytes", "written_bytes"}},
//  "healthy", "findings": [{"severity", "signal", "kind", "subject", "title", "evidence",
//  "command", "impact"}], "coverage": [{"signal", "state", "looked_at", "note"}]}
// `severity`: "critical" | "warning" | "note". `state`: "found" | "healthy" | "partly" |
// "not_recorded" | "nothing_there". `impact` is 0..1.
std::string OverviewJson(const OverviewPage& page);

// `hindsight ...` that shows more of a finding, to be pasted into a shell.
std::string CommandOf(const Finding& finding, std::span<const std::string> paths);

}  // namespace hindsight::analyzer
