#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/base/text.h"
#include "analyzer/report/exception_sentences.h"
#include "analyzer/report/losses.h"
#include "analyzer/report/table.h"
#include "analyzer/report/waits/wall_report.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kLabelWidth = 24;

// One character per state, in the order of the states.
constexpr std::array<std::string_view, kWallStates> kSigns = {"#", "=", "L", "T", "S",
                                                              "z", "n", "P", ".", "?"};

class LanesWriter {
 public:
  LanesWriter(const WallReport& report, const WallTextOptions& options)
      : report_(report), lanes_(*report.lanes), options_(options), style_(options.style) {}

  std::string Write() {
    const uint64_t part_ns =
        static_cast<uint64_t>(lanes_.to_ns - lanes_.from_ns) / std::max(1u, lanes_.parts);
    out_ += "\n" + Paint(style_, Tone::kStrong, "Threads over time") + "\n\n";
    out_ += "    " +
            Wrap("Each column is " + FormatDuration(part_ns) +
                     ", and shows the state that has most of it:",
                 style_.width - 4, 4) +
            "\n    " + Wrap(Legend(), style_.width - 4, 4) + "\n\n";
    out_ += std::string(2 + kLabelWidth + 1, ' ') + Paint(style_, Tone::kFaint, Axis()) + "\n";
    const size_t shown = Shown(lanes_.lanes.size());
    for (size_t i = 0; i < shown; ++i) Lane(lanes_.lanes[i]);
    if (shown < lanes_.lanes.size()) {
      out_ += Paint(style_, Tone::kFaint,
                    "  and " + FormatCount(lanes_.lanes.size() - shown) +
                        " more threads; --top 0 shows all") +
              "\n";
    }
    Longest();
    return std::move(out_);
  }

 private:
  size_t Shown(size_t rows) const {
    return options_.top == 0 ? rows : std::min(options_.top, rows);
  }

  std::string Legend() const {
    std::string legend;
    for (size_t i = 0; i < kWallStates; ++i) {
      if (report_.times.ns[i] == 0) continue;
      if (!legend.empty()) legend += "  ";
      legend +=
          std::string(kSigns[i]) + " " + std::string(WallStateName(static_cast<WallState>(i)));
    }
    return legend;
  }

  std::string Axis() const {
    const std::string middle = FormatMoment(lanes_.from_ns + (lanes_.to_ns - lanes_.from_ns) / 2);
    std::string axis = PadRight(FormatMoment(lanes_.from_ns), lanes_.parts / 2) + middle;
    const size_t columns = TextColumns(axis);
    if (lanes_.parts > columns) axis += PadLeft(FormatMoment(lanes_.to_ns), lanes_.parts - columns);
    return axis;
  }

  void Lane(const ThreadLane& lane) {
    std::string signs(lanes_.parts, ' ');
    for (const LaneRun& run : lane.runs) {
      std::fill_n(signs.begin() + run.first_part, run.parts,
                  kSigns[static_cast<size_t>(run.state)].front());
    }
    const std::string label =
        ShortenMiddle(style_, ThreadLabel(*report_.model, lane.thread), kLabelWidth);
    out_ += "  " + PadRight(label, kLabelWidth) + "|" +
            (lane.is_idle ? Paint(style_, Tone::kFaint, signs) : signs) + "|\n";
  }

  // What threads waited for longest without interruption.
  void Longest() {
    struct Row {
      const ThreadLane* lane;
      const LaneRun* run;
      uint64_t ns() const { return run->times[run->state]; }
    };
    std::vector<Row> rows;
    for (const ThreadLane& lane : lanes_.lanes) {
      for (const LaneRun& run : lane.runs) {
        if (run.site != 0 && run.state != WallState::kIdle) rows.push_back({&lane, &run});
      }
    }
    if (rows.empty()) return;
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.ns() > b.ns(); });
    out_ += "\n" + Paint(style_, Tone::kStrong, "Longest stretches of waiting") + "\n\n";
    Table table({{"from", Table::Align::kRight},
                 {"for", Table::Align::kRight},
                 {"state"},
                 {"thread", Table::Align::kLeft, true},
                 {"place", Table::Align::kLeft, true},
                 {"held by", Table::Align::kLeft, true}});
    for (size_t i = 0; i < Shown(rows.size()); ++i) {
      const LaneRun& run = *rows[i].run;
      std::string place = Printable(report_.names.Display(run.site));
      if (run.through != 0) place += ", in " + Printable(report_.names.Display(run.through));
      table.AddRow({FormatMoment(lanes_.At(run.first_part)), FormatDuration(rows[i].ns()),
                    std::string(WallStateName(run.state)),
                    ThreadLabel(*report_.model, rows[i].lane->thread), place,
                    run.owner == 0 ? std::string("-") : ThreadLabel(*report_.model, run.owner)});
    }
    out_ += table.Render(style_, 2);
  }

  const WallReport& report_;
  const ThreadLanes& lanes_;
  const WallTextOptions& options_;
  const TextStyle& style_;
  std::string out_;
};

}  // namespace

uint32_t WallLaneParts(const TextStyle& style) {
  const size_t taken = 2 + kLabelWidth + 2;
  return static_cast<uint32_t>(std::max<size_t>(20, style.width > taken ? style.width - taken : 0));
}

std::string WallLanesText(const WallReport& report, const WallTextOptions& options) {
  return LanesWriter(report, options).Write();
}

}  // namespace hindsight::analyzer
