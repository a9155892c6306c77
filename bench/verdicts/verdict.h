// What the analyzer says of a recording, held against the truth.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/verdicts/truth.h"

namespace hindsight::bench {

struct Verdict {
  enum class Kind : uint8_t {
    kFirst,  // the truth is the first thing that is said, by its name
    kSecond,
    kLower,
    kVague,  // said without a name, as something that follows from the truth
    kMissed,
    kCannot,  // missed, and the data cannot tell
    kFailed,  // the analyzer has said nothing at all
  };
  Kind kind = Kind::kMissed;
  size_t place = 0;                  // of the truth, from 1; 0: nowhere
  bool is_note = false;              // it is told, as a note
  std::vector<std::string> told{};   // the first lines: severity, title, evidence
  std::vector<std::string> wrong{};  // warnings that are neither the truth nor follow from it
  std::string command{};             // what the truth's own command says: "leaks: line 7"
};

std::string NameOf(const Verdict& verdict);

// `hindsight summary` of a recording that was made in `way`, and the truth's command.
Verdict JudgeSummary(const Truth& truth, const std::string& way,
                     const std::filesystem::path& recording);
// `hindsight diff`; what got worse has to be the truth. Of a healthy one all differences are wrong.
Verdict JudgeDiff(const Truth& truth, const std::filesystem::path& before,
                  const std::filesystem::path& after);

}  // namespace hindsight::bench
