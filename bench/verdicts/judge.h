// Compares findings with the truth. Nothing here runs the analyzer.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/verdicts/truth.h"

namespace hindsight::bench {

// A finding or a difference.
struct Said {
  std::string severity;  // critical, warning, note; of a difference its direction
  std::string signal;
  std::string title;   // with the subject
  std::string text{};  // everything else that it says
};

struct Verdict {
  enum class Kind : uint8_t {
    kFirst,  // the truth is reported first, by name
    kSecond,
    kLower,
    kNote,   // by name, and only as a note where the data justify a warning
    kVague,  // reported without a name, as a consequence of the truth
    kMissed,
    kCannot,  // missed, and the data cannot show it
    kFailed,  // the analyzer reported nothing at all
  };
  Kind kind = Kind::kMissed;
  size_t place = 0;                     // position of the truth, from 1; 0: not reported
  std::vector<std::string> reported{};  // first lines: severity, title, evidence
  std::vector<std::string> wrong{};  // warnings that are neither the truth nor a consequence of it
  std::string command{};             // result of the truth's own command: "leaks: line 7"
};

std::string NameOf(const Verdict& verdict);

// Whether `name` stands in `text` as a whole: Visit not in Visits, nor Score in Scores. One that
// ends with a dot is the beginning of a name.
bool HasName(std::string_view text, std::string_view name);

// The findings of a summary.
Verdict JudgeFindings(const Truth& truth, const std::string& way, std::span<const Said> all);

// The differences from `before` to `after`, of which one has the problem. `is_after`: the latter,
// so that the truth has become worse; otherwise it has become better. What became better as the
// problem appeared, or worse as it disappeared, is not judged unless it claims the truth.
Verdict JudgeDifferences(const Truth& truth, const std::string& way, bool is_after,
                         std::span<const Said> all);

// For two recordings of the same shop: any reported difference is wrong.
Verdict JudgeEqual(std::span<const Said> all);

// What no truth explains, for a run that has all problems.
std::vector<std::string> WrongForAll(std::span<const Truth> truths, std::span<const Said> all);

}  // namespace hindsight::bench
