#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "analyzer/analyses/comparison/change_text.h"
#include "analyzer/base/shell.h"
#include "analyzer/base/text.h"
#include "analyzer/report/comparison/comparison_report.h"
#include "analyzer/report/comparison/routes_text.h"
#include "analyzer/report/heap/heap_heading.h"
#include "analyzer/report/losses.h"
#include "analyzer/report/paragraphs.h"
#include "analyzer/report/table.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kLabel = 12;  // columns of the labels on the left

std::string_view PerText(Per per) {
  switch (per) {
    case Per::kSecond:
      return "per second of the recordings";
    case Per::kCpu:
      return "per second of CPU time";
    case Per::kRequest:
      return "per request";
    case Per::kNothing:
      break;
  }
  return "in total";
}

// "almost certain (over 99.9 %)".
std::string ConfidenceText(double confidence) {
  if (confidence >= 0.9999) return "certain (over 99.99 %)";
  std::array<char, 32> number{};
  std::snprintf(number.data(), number.size(), " (%.*f %%)", confidence >= 0.99 ? 2 : 0,
                100 * confidence);
  return std::string(confidence >= 0.99  ? "almost certain"
                     : confidence >= 0.9 ? "likely"
                                         : "possible") +
         number.data();
}

std::string ChangeText(const Difference& difference) {
  switch (difference.direction) {
    case Difference::Direction::kNew:
      return "new";
    case Difference::Direction::kGone:
      return "gone";
    default:
      break;
  }
  std::array<char, 32> text{};
  const double ratio = difference.after / difference.before;
  if (ratio >= kTimesFrom) {
    std::snprintf(text.data(), text.size(), ratio < 99.5 ? "x %.1f" : "x %.0f", ratio);
  } else {
    const bool is_none = ratio < 0.01;
    std::snprintf(text.data(), text.size(), "%s%+.0f %%", is_none ? "over " : "",
                  is_none ? -99.0 : 100 * (ratio - 1));
  }
  return text.data();
}

std::string SubjectText(const Difference& difference) {
  return difference.subject.empty() ? "(the whole process)" : Printable(difference.subject);
}

class Writer {
 public:
  Writer(const ComparisonView& view, const TextStyle& style)
      : view_(view), comparison_(*view.comparison), style_(style) {}

  std::string Write() {
    const bool is_worse = !comparison_.is_empty() && IsWorse(comparison_.differences.front());
    // On one line, whatever the width, because scripts read it, too.
    out_ +=
        Paint(style_, is_worse ? Tone::kBad : Tone::kStrong, Printable(VerdictOf(comparison_))) +
        "\n\n";
    Recordings();
    for (const std::string& note : comparison_.notes) {
      Row("note", Printable(note), Tone::kWarning);
    }
    if (!comparison_.is_empty()) {
      Overview();
      Details();
    }
    if (comparison_.routes) AppendRoutes(out_, style_, *comparison_.routes, view_.top);
    Covered();
    return std::move(out_);
  }

 private:
  void Row(std::string_view label, std::string_view text, Tone tone = Tone::kFaint) {
    const std::string lines = Wrap(text, style_.width - kLabel - 2, 0);
    for (size_t begin = 0; begin <= lines.size();) {
      const size_t end = std::min(lines.find('\n', begin), lines.size());
      const std::string line = lines.substr(begin, end - begin);
      out_ += "  " + PadRight(begin == 0 ? label : std::string_view(), kLabel) +
              (tone == Tone::kFaint ? line : Paint(style_, tone, line)) + "\n";
      begin = end + 1;
    }
  }

  static std::string TitleOf(const Reports& reports) {
    if (reports.events) return RecordingTitle(reports.events->model.facts);
    return HeapTitle(reports.heap->model);
  }

  void Recordings() {
    Row("before", TitleOf(*view_.before) + "; " + Printable(view_.before_label));
    Row("after", TitleOf(*view_.after) + "; " + Printable(view_.after_label));
    Row("amounts", PerText(comparison_.per));
  }

  void Overview() {
    out_ += "\n";
    Table table({{"#", Table::Align::kRight},
                 {"signal", Table::Align::kLeft},
                 {"change", Table::Align::kRight},
                 {"before -> after", Table::Align::kRight},
                 {"what", Table::Align::kLeft, true}});
    const size_t shown = ShownRows(comparison_.differences.size(), view_.top);
    for (size_t i = 0; i < shown; ++i) {
      const Difference& difference = comparison_.differences[i];
      table.AddRow({FormatCount(i + 1), std::string(SignalName(difference.signal)),
                    ChangeText(difference), AmountsOf(difference), SubjectText(difference)});
    }
    out_ += table.Render(style_, 2);
    AppendMore(out_, comparison_.differences.size(), shown, "difference");
  }

  // What follows the colon of a title: the amounts in their unit.
  static std::string AmountsOf(const Difference& difference) {
    return Printable(difference.amounts);
  }

  void Details() {
    const size_t shown = ShownRows(comparison_.differences.size(), view_.top);
    for (size_t i = 0; i < shown; ++i) {
      const Difference& difference = comparison_.differences[i];
      out_ += "\n";
      const std::string number = "#" + std::to_string(i + 1) + "  ";
      const std::string lines =
          Wrap(Printable(difference.title), style_.width - number.size(), number.size());
      out_ +=
          Paint(style_, IsWorse(difference) ? Tone::kBad : Tone::kStrong, number + lines) + "\n";
      Row("confidence", ConfidenceText(difference.confidence));
      Row("evidence", Printable(difference.evidence));
      if (difference.path.size() > 1) {
        std::vector<std::string> path;
        for (const std::string& part : difference.path) path.push_back(Printable(part));
        Row("path", PathText(path));
      }
      const std::string& recording = difference.direction == Difference::Direction::kGone
                                         ? view_.before_label
                                         : view_.after_label;
      Row("next", "hindsight " + Printable(difference.command) + " " + ShellWord(recording));
    }
  }

  void Covered() {
    out_ += "\n";
    std::string compared, empty;
    std::vector<std::pair<std::string, std::string>> missing;  // the reason, and the signals
    for (const Coverage& coverage : comparison_.coverage) {
      const bool is_missing = coverage.state == Coverage::State::kNotRecorded;
      const bool is_empty = coverage.state == Coverage::State::kNothingThere;
      const std::string signal(SignalName(coverage.signal));
      if (is_missing) {
        const auto same = std::find_if(missing.begin(), missing.end(), [&](const auto& group) {
          return group.first == coverage.note;
        });
        if (same == missing.end()) {
          missing.emplace_back(coverage.note, signal);
        } else {
          same->second += ", " + signal;
        }
        continue;
      }
      std::string& list = is_empty ? empty : compared;
      const std::string says = is_empty ? "" : coverage.looked_at;
      if (!list.empty()) list += "; ";
      list += signal;
      if (!says.empty()) list += " (" + says + ")";
    }
    if (!compared.empty()) Row("compared", compared);
    if (!empty.empty()) Row("no events", empty);
    std::string unrecorded;
    for (const auto& [why, signals] : missing) {
      const std::string_view reason =
          std::string_view(why).substr(0, why.find_last_not_of('.') + 1);
      unrecorded += (unrecorded.empty() ? "" : "; ") + std::string(reason) + ": " + signals;
    }
    if (!unrecorded.empty()) Row("missing", unrecorded);
  }

  const ComparisonView& view_;
  const Comparison& comparison_;
  const TextStyle& style_;
  std::string out_;
};

}  // namespace

std::string ComparisonText(const ComparisonView& view, const TextStyle& style) {
  return Writer(view, style).Write();
}

}  // namespace hindsight::analyzer
