#include "bench/verdicts/verdict.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "bench/driver/child.h"
#include "bench/verdicts/recordings.h"

namespace hindsight::bench {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

json Ask(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), HINDSIGHT_BINARY);
  arguments.push_back("--json");
  return json::parse(RunChild(arguments, {}).output, nullptr, false);
}

Said SaidBy(const json& finding) {
  Said said;
  said.severity = finding.value("severity", finding.value("direction", ""));
  finding.at("signal").get_to(said.signal);
  said.title =
      finding.at("title").get<std::string>() + " | " + finding.at("subject").get<std::string>();
  finding.at("evidence").get_to(said.text);
  if (finding.contains("path")) {
    for (const json& step : finding.at("path")) said.text += " > " + step.get<std::string>();
  }
  return said;
}

// Empty: the analyzer failed.
std::optional<std::vector<Said>> Summary(const fs::path& recording) {
  const json summary = Ask({"summary", recording.string()});
  if (summary.is_discarded()) return std::nullopt;
  std::vector<Said> all;
  for (const json& finding : summary.at("findings")) all.push_back(SaidBy(finding));
  return all;
}

std::optional<std::vector<Said>> Diff(const fs::path& before, const fs::path& after) {
  const json diff = Ask({"diff", before.string(), after.string()});
  if (diff.is_discarded()) return std::nullopt;
  std::vector<Said> all;
  if (diff.contains("differences")) {
    for (const json& difference : diff.at("differences")) all.push_back(SaidBy(difference));
  }
  if (diff.contains("growth")) {
    for (const json& growth : diff.at("growth")) {
      std::string text;
      for (const json& step : growth.at("path")) text += " > " + step.get<std::string>();
      all.push_back({"grew", "heap", growth.at("type").get<std::string>(), std::move(text)});
    }
  }
  return all;
}

// The line at which the output of the truth's own command names it.
std::string AskCommand(const Truth& truth, const fs::path& recording) {
  if (truth.command.empty()) return {};
  std::istringstream lines(
      RunChild({HINDSIGHT_BINARY, truth.command, recording.string()}, {}).output);
  const std::vector<std::string>& names = truth.names.empty() ? truth.evidence : truth.names;
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const bool is_named = std::any_of(names.begin(), names.end(),
                                      [&](const std::string& name) { return HasName(line, name); });
    if (is_named) return truth.command + ": line " + std::to_string(number);
  }
  return truth.command + ": not named";
}

Verdict Failed() { return {.kind = Verdict::Kind::kFailed}; }

}  // namespace

Verdict JudgeSummary(const Truth& truth, const std::string& way, const fs::path& recording) {
  const std::optional<std::vector<Said>> all = Summary(recording);
  if (!all) return Failed();
  Verdict verdict = JudgeFindings(truth, way, *all);
  verdict.command = AskCommand(truth, recording);
  return verdict;
}

Verdict JudgeDiff(const Truth& truth, const std::string& way, const fs::path& healthy,
                  const fs::path& ill) {
  const bool is_after = way != kReverse;
  const std::optional<std::vector<Said>> all = is_after ? Diff(healthy, ill) : Diff(ill, healthy);
  return all ? JudgeDifferences(truth, kDiff, is_after, *all) : Failed();
}

Verdict JudgePair(const fs::path& before, const fs::path& after) {
  const std::optional<std::vector<Said>> all = Diff(before, after);
  return all ? JudgeEqual(*all) : Failed();
}

AllVerdicts JudgeAll(std::span<const Truth> truths, const std::string& way,
                     const fs::path& recording) {
  AllVerdicts out;
  const std::optional<std::vector<Said>> all = Summary(recording);
  for (const Truth& truth : truths) {
    out.verdicts.push_back(all ? JudgeFindings(truth, way, *all) : Failed());
  }
  if (all) out.wrong = WrongForAll(truths, *all);
  return out;
}

}  // namespace hindsight::bench
