// Asks the analyzer about a recording, and compares what it reports with the truth.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "bench/verdicts/judge.h"
#include "bench/verdicts/truth.h"

namespace hindsight::bench {

// `hindsight summary` of a recording made in `way`, and the truth's command.
Verdict JudgeSummary(const Truth& truth, const std::string& way,
                     const std::filesystem::path& recording);

// `hindsight diff` of a healthy shop and one with the problem, in either order: see
// JudgeDifferences.
Verdict JudgeDiff(const Truth& truth, const std::string& way, const std::filesystem::path& healthy,
                  const std::filesystem::path& ill);

// `hindsight diff` of two recordings of the same shop under the same load.
Verdict JudgePair(const std::filesystem::path& before, const std::filesystem::path& after);

// One summary, judged by each of `truths`, which the verdicts are parallel to; and what none of
// them explains.
struct AllVerdicts {
  std::vector<Verdict> verdicts;
  std::vector<std::string> wrong;
};
AllVerdicts JudgeAll(std::span<const Truth> truths, const std::string& way,
                     const std::filesystem::path& recording);

}  // namespace hindsight::bench
