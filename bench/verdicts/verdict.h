// Compares what the analyzer reports about a recording with the truth.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/verdicts/truth.h"

namespace hindsight::bench {

struct Verdict {
  enum class Kind : uint8_t {
    kFirst,  // the truth is reported first, by name
    kSecond,
    kLower,
    kVague,  // reported without a name, as a consequence of the truth
    kMissed,
    kCannot,  // missed, and the data cannot show it
    kFailed,  // the analyzer reported nothing at all
  };
  Kind kind = Kind::kMissed;
  size_t place = 0;                  // position of the truth, from 1; 0: not reported
  bool is_note = false;              // reported as a note
  std::vector<std::string> told{};   // first lines: severity, title, evidence
  std::vector<std::string> wrong{};  // warnings that are neither the truth nor a consequence of it
  std::string command{};             // result of the truth's own command: "leaks: line 7"
};

std::string NameOf(const Verdict& verdict);

// `hindsight summary` of a recording made in `way`, and the truth's command.
Verdict JudgeSummary(const Truth& truth, const std::string& way,
                     const std::filesystem::path& recording);
// `hindsight diff`; what got worse must be the truth. For a healthy shop, any difference is wrong.
Verdict JudgeDiff(const Truth& truth, const std::filesystem::path& before,
                  const std::filesystem::path& after);

}  // namespace hindsight::bench
