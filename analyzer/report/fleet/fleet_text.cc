#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "analyzer/analyses/overview/judges.h"
#include "analyzer/base/shell.h"
#include "analyzer/base/text.h"
#include "analyzer/report/fleet/fleet_report.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kMostColumns = 80;
constexpr size_t kMargin = 2, kSeverityColumns = 10;
constexpr size_t kBuildDigits = 8;       // of a build, enough to distinguish it from others
constexpr size_t kUnreadableShown = 10;  // shown with their sentences

std::string ShortBuild(const std::string& build) {
  return Printable(build.substr(0, kBuildDigits));
}

// 2026-11-21 10:15
std::string Minute(uint64_t unix_ns) {
  const std::string time = FormatUnixTime(unix_ns);
  return time.size() < 16 ? time : time.substr(0, 10) + " " + time.substr(11, 5);
}

std::string NameOf(const std::string& application) {
  return application.empty() ? "an unknown application" : Printable(application);
}

std::string ValueText(double value, Unit unit) {
  switch (unit) {
    case Unit::kBytes:
      return FormatBytes(static_cast<uint64_t>(std::max(0.0, value)));
    case Unit::kBytesPerSecond:
      return FormatBytes(static_cast<uint64_t>(std::max(0.0, value))) + "/s";
    case Unit::kShare:
      return FormatPercent(value);
    case Unit::kPerSecond:
      return FormatRate(value) + "/s";
    default:
      return FormatRate(value);
  }
}

// Larger numbers add nothing: the deviation may be almost zero.
std::string DistanceText(double distance) {
  constexpr double kMost = 100;
  const double far = std::abs(distance);
  return far > kMost ? "over 100 deviations" : FormatRate(far) + " deviations";
}

// "on 12 of 40 hosts, in 35 of 120 processes"
std::string WhereText(const FleetFinding& finding) {
  std::string text;
  if (finding.of.hosts > 0) {
    text =
        "on " + FormatCount(finding.has.hosts) + " of " + Plural(finding.of.hosts, "host") + ", ";
  }
  return text + "in " + FormatCount(finding.has.processes) + " of " +
         (finding.of.processes == 1 ? "1 process"
                                    : FormatCount(finding.of.processes) + " processes");
}

std::string SinceText(const FirstBuild& first) {
  using State = FirstBuild::State;
  switch (first.state) {
    case State::kSince:
      return "since build " + ShortBuild(first.build) + " (first recorded " +
             Minute(first.first_seen_unix_ns) + "), not in " +
             (first.builds_before == 1 ? "the build"
                                       : "the " + FormatCount(first.builds_before) + " builds") +
             " before";
    case State::kFromTheStart:
      return "already in the oldest build here, " + ShortBuild(first.build);
    case State::kOnlyOne:
      return "all of build " + ShortBuild(first.build);
    case State::kUnknown:
      break;
  }
  if (first.build.empty()) return "build not recorded";
  return "first build unknown, because a build has no usable time";
}

class FleetWriter {
 public:
  FleetWriter(const FleetPage& page, TextStyle style, size_t top)
      : page_(page), fleet_(*page.fleet), style_(style), top_(top == 0 ? SIZE_MAX : top) {
    style_.width = std::min(style_.width, kMostColumns);
  }

  std::string Write() {
    Head();
    Findings();
    Outliers();
    Unreadable();
    Notes();
    return std::move(out_);
  }

 private:
  void Line(Tone tone, std::string_view text) {
    out_ += Paint(style_, tone, Wrap(text, style_.width, 0)) + "\n";
  }

  // Next to a label, or below it.
  void Row(Tone tone, std::string_view label, std::string_view text) {
    const std::string lines = Wrap(text, style_.width - kMargin - kSeverityColumns, 0);
    size_t begin = 0;
    for (bool first = true; begin <= lines.size(); first = false) {
      const size_t end = std::min(lines.find('\n', begin), lines.size());
      out_ += std::string(kMargin, ' ') +
              PadRight(first ? label : std::string_view(), kSeverityColumns) +
              Paint(style_, tone, std::string_view(lines).substr(begin, end - begin)) + "\n";
      begin = end + 1;
    }
  }

  uint64_t Count(Severity severity) const {
    return static_cast<uint64_t>(std::count_if(
        fleet_.findings.begin(), fleet_.findings.end(),
        [severity](const FleetFinding& finding) { return finding.worst.severity == severity; }));
  }

  void Head() {
    std::string title =
        Plural(fleet_.recordings, "recording") + " of " +
        (fleet_.count.processes == 1 ? "1 process"
                                     : FormatCount(fleet_.count.processes) + " processes");
    if (fleet_.count.hosts > 0) title += " on " + Plural(fleet_.count.hosts, "host");
    if (fleet_.first_unix_ns != 0) {
      title += ", " + Minute(fleet_.first_unix_ns) + " to " + Minute(fleet_.last_unix_ns) + " UTC";
    }
    Line(Tone::kStrong, title);
    const uint64_t critical = Count(Severity::kCritical), warnings = Count(Severity::kWarning);
    if (fleet_.recordings == 0) return;
    if (critical + warnings == 0) return Line(Tone::kStrong, "No problems found.");
    std::string verdict = critical > 0 ? Plural(critical, "critical finding") : "";
    if (warnings > 0) verdict += (critical > 0 ? ", " : "") + Plural(warnings, "warning");
    verdict += ": ";
    if (fleet_.count.hosts > 0) {
      verdict += FormatCount(fleet_.ill.hosts) + " of " + Plural(fleet_.count.hosts, "host") + ", ";
    }
    verdict += FormatCount(fleet_.ill.processes) + " of " +
               (fleet_.count.processes == 1 ? "1 process"
                                            : FormatCount(fleet_.count.processes) + " processes") +
               ".";
    Line(critical > 0 ? Tone::kBad : Tone::kWarning, verdict);
  }

  void Findings() {
    const size_t shown = std::min(top_, fleet_.findings.size());
    if (shown > 0) out_ += "\n";
    for (size_t i = 0; i < shown; ++i) {
      const FleetFinding& finding = fleet_.findings[i];
      const RowFinding& worst = finding.worst;
      const Tone tone = worst.severity == Severity::kCritical  ? Tone::kBad
                        : worst.severity == Severity::kWarning ? Tone::kWarning
                                                               : Tone::kStrong;
      Row(tone, SeverityName(worst.severity),
          NameOf(finding.application) + ": " + Printable(worst.title));
      Row(Tone::kStrong, "", WhereText(finding) + "; " + SinceText(finding.first));
      // Never shortened, because it is meant to be pasted.
      out_ += std::string(kMargin + kSeverityColumns, ' ') +
              Paint(style_, Tone::kFaint,
                    Printable("hindsight " + worst.command + " " + ShellWord(finding.path))) +
              "\n";
    }
    if (const size_t rest = fleet_.findings.size() - shown; rest > 0) {
      Row(Tone::kFaint, "", "and " + Plural(rest, "more finding") + ": --all shows them");
    }
  }

  void Outliers() {
    if (!fleet_.outliers.empty()) out_ += "\nHosts that differ from the others\n";
    const size_t shown = std::min(top_, fleet_.outliers.size());
    for (size_t i = 0; i < shown; ++i) {
      const FleetOutlier& one = fleet_.outliers[i];
      const FleetNumber& number = kFleetNumbers[one.number];
      const std::string text = Printable(one.host) + ": " + std::string(number.label) + " of " +
                               NameOf(one.application) + " " +
                               ValueText(one.outlier.value, number.unit) + "; the median of " +
                               FormatCount(one.hosts) + " hosts is " +
                               ValueText(one.outlier.median, number.unit) + " (" +
                               DistanceText(one.outlier.distance) + ")";
      out_ += std::string(kMargin, ' ') + Wrap(text, style_.width - kMargin, 2 * kMargin) + "\n";
    }
    if (const size_t rest = fleet_.outliers.size() - shown; rest > 0) {
      out_ += std::string(kMargin, ' ') + "and " + FormatCount(rest) + " more: --all shows them\n";
    }
    std::string few;
    for (const FleetApplication& application : fleet_.applications) {
      if (application.is_compared) continue;
      if (!few.empty()) few += ", ";
      few += NameOf(application.name) + " (" + Plural(application.count.hosts, "host") + ")";
    }
    if (few.empty()) return;
    out_ += "\n";
    Line(Tone::kFaint, "Hosts not compared, because it takes " +
                           FormatCount(OutlierRules{}.fewest_siblings) +
                           " of one application: " + few + ".");
  }

  void Unreadable() {
    if (fleet_.unreadable.empty()) return;
    out_ += "\n";
    Line(Tone::kWarning, Plural(fleet_.unreadable.size(), "recording") + " could not be read and " +
                             (fleet_.unreadable.size() == 1 ? "is" : "are") + " not included:");
    const size_t shown = top_ == SIZE_MAX ? fleet_.unreadable.size()
                                          : std::min(kUnreadableShown, fleet_.unreadable.size());
    for (size_t i = 0; i < shown; ++i) {
      const auto& [path, sentence] = fleet_.unreadable[i];
      // Most sentences name the path.
      const bool names_it = sentence.find(path) != std::string::npos;
      const std::string text = Printable(names_it ? sentence : path + ": " + sentence);
      out_ += std::string(kMargin, ' ') + Wrap(text, style_.width - kMargin, 2 * kMargin) + "\n";
    }
    if (const size_t rest = fleet_.unreadable.size() - shown; rest > 0) {
      out_ += std::string(kMargin, ' ') + "and " + FormatCount(rest) + " more: --all shows them\n";
    }
  }

  void Notes() {
    std::string notes;
    const auto say = [&notes](const std::string& sentence) {
      if (!notes.empty()) notes += " ";
      notes += sentence;
    };
    if (fleet_.without_host > 0) {
      say(Plural(fleet_.without_host, "recording") + " without a host name.");
    }
    if (fleet_.without_time > 0) {
      say(Plural(fleet_.without_time, "recording") +
          " without a usable time: the host's clock was not set.");
    }
    if (fleet_.copies > 0) {
      say(Plural(fleet_.copies, "recording") + " left out: the same as another one.");
    }
    if (fleet_.parts > 0) {
      say(Plural(fleet_.parts, "recording") + " left out: a part of another one.");
    }
    if (page_.from_catalogue > 0) {
      say(FormatCount(page_.from_catalogue) + " known from an earlier run, " +
          FormatCount(page_.read) + " read now.");
    }
    if (!page_.catalogue_note.empty()) say(Printable(page_.catalogue_note));
    if (notes.empty()) return;
    out_ += "\n";
    Line(Tone::kFaint, notes);
  }

  const FleetPage& page_;
  const Fleet& fleet_;
  TextStyle style_;
  const size_t top_;
  std::string out_;
};

}  // namespace

std::string FleetText(const FleetPage& page, const TextStyle& style, size_t top) {
  return FleetWriter(page, style, top).Write();
}

}  // namespace hindsight::analyzer
