// What differs between two recordings, signal by signal, and how certain that is.
//
// Rows are aligned by the names that a programmer knows (methods, types, paths of them), never by
// ids or addresses; compiler-generated numbers of lambdas and state machines are ignored if they
// shift. Amounts are normalized, and a difference is reported only if it exceeds what the sampling
// error and the variability of the recordings would produce by chance.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/comparison/comparison_rules.h"
#include "analyzer/analyses/comparison/route_changes.h"
#include "analyzer/analyses/overview/finding.h"
#include "analyzer/analyses/overview/measures.h"

namespace hindsight::analyzer {

struct Difference {
  enum class Direction : uint8_t { kWorse, kBetter, kNew, kGone };
  enum class Level : uint8_t { kWhole, kType, kMethod, kPath, kRoute, kServer };

  Signal signal = Signal::kCpu;
  Level level = Level::kWhole;
  Direction direction = Direction::kWorse;
  std::string measure;            // of MeasureKinds
  std::string subject;            // method, type, route or server, in full; empty: the whole
  std::vector<std::string> path;  // methods that lead there, outermost first; may be empty
  Unit unit = Unit::kCount;       // of both, after normalisation
  double before = 0, after = 0;
  double error = 0;       // 95 %, of after - before
  double confidence = 0;  // 0.5..1: that it differs in this direction
  double impact = 0;      // share of the process that it moved: the order
  std::string amounts;    // "0.23 -> 0.46 cores"
  std::string title;      // one line: "Shop.Cart.Add uses 2.0 times the CPU time: 0.2 -> 0.4 cores"
  std::string evidence;   // one line: samples, spread, where from
  std::string command;    // a command that shows more, without the recording
};

struct Comparison {
  Per per = Per::kSecond;
  std::vector<Difference> differences;          // most impact first, worse before better
  std::vector<Coverage> coverage;               // what could be compared, and what could not
  std::vector<Signal> only_before, only_after;  // recorded in one of them only
  std::optional<RouteChanges> routes;           // nullopt: not reported in both
  std::vector<std::string>
      notes;  // sentences: different runtime, different machine, short recordings, what is possible
  // If fewer requests were served per second: "65.1/s -> 45.2/s".
  std::string fewer_served;
  // The title of the largest change of yours that may be chance; empty: there is none.
  std::string perhaps;

  bool is_empty() const { return differences.empty(); }
  // A change that is no difference, and a sentence why. `may_be_one`: see `perhaps`.
  void Note(const std::string& title, std::string_view why, bool may_be_one) {
    notes.push_back(title + ". " + std::string(why));
    if (may_be_one && perhaps.empty()) perhaps = title;
  }
};

// Whether it got worse: more of it, or new.
bool IsWorse(const Difference& difference);

// "worse", "better", "new", "gone".
std::string_view DirectionName(Difference::Direction direction);

// One line: "1 regression: ...", "No regressions, 2 improvements: ...", "No difference is
// certain. Perhaps: ...", "No difference: 9 signals compared; heap only in the first recording."
std::string VerdictOf(const Comparison& comparison);

Comparison Compare(const Reports& before, const Reports& after, const ComparisonRules& rules = {});

}  // namespace hindsight::analyzer
