#include "bench/verdicts/verdict.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "bench/driver/child.h"
#include "bench/verdicts/recordings.h"

namespace hindsight::bench {
namespace {

using nlohmann::json;

constexpr size_t kToldLines = 3;

// A finding or a difference.
struct Said {
  std::string severity, signal, text;
};

json Ask(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), HINDSIGHT_BINARY);
  arguments.push_back("--json");
  return json::parse(RunChild(arguments, {}).output, nullptr, false);
}

bool Names(const Truth& truth, const std::string& text) {
  return std::any_of(truth.names.begin(), truth.names.end(),
                     [&](const std::string& name) { return text.find(name) != std::string::npos; });
}

Said SaidBy(const json& finding) {
  Said said;
  said.severity = finding.value("severity", finding.value("direction", ""));
  finding.at("signal").get_to(said.signal);
  said.text = finding.at("title").get<std::string>() + " | " +
              finding.at("subject").get<std::string>() + " | " +
              finding.at("evidence").get<std::string>();
  if (finding.contains("path")) {
    for (const json& step : finding.at("path")) said.text += " > " + step.get<std::string>();
  }
  return said;
}

Verdict Judge(const Truth& truth, const std::string& way, const std::vector<Said>& all) {
  Verdict verdict;
  bool is_vague = false;
  for (size_t i = 0; i < all.size(); ++i) {
    const Said& said = all[i];
    const bool is_named = truth.signals.contains(said.signal) && Names(truth, said.text);
    if (is_named && verdict.place == 0) {
      verdict.place = i + 1;
      verdict.is_note = said.severity == "note";
    }
    const bool may_be = truth.also.contains(said.signal) || Names(truth, said.text);
    is_vague |= truth.signals.contains(said.signal) && may_be && said.severity != "note";
    if (!is_named && !may_be && said.severity != "note" && said.severity != "better" &&
        said.severity != "gone") {
      verdict.wrong.push_back(said.severity + " " + said.signal + ": " + said.text);
    }
    if (i < kToldLines) {
      verdict.told.push_back(said.severity + " " + said.signal + ": " + said.text);
    }
  }
  using Kind = Verdict::Kind;
  verdict.kind = verdict.place == 1          ? Kind::kFirst
                 : verdict.place == 2        ? Kind::kSecond
                 : verdict.place != 0        ? Kind::kLower
                 : is_vague                  ? Kind::kVague
                 : truth.tells.contains(way) ? Kind::kMissed
                                             : Kind::kCannot;
  return verdict;
}

// The line at which the output of the truth's own command names it.
std::string AskCommand(const Truth& truth, const std::filesystem::path& recording) {
  if (truth.command.empty()) return {};
  std::istringstream lines(
      RunChild({HINDSIGHT_BINARY, truth.command, recording.string()}, {}).output);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (Names(truth, line)) return truth.command + ": line " + std::to_string(number);
  }
  return truth.command + ": not named";
}

Verdict Failed() { return {.kind = Verdict::Kind::kFailed}; }

}  // namespace

std::string NameOf(const Verdict& verdict) {
  using Kind = Verdict::Kind;
  const std::string note = verdict.is_note ? ", a note" : "";
  switch (verdict.kind) {
    case Kind::kFirst:
      return "first" + note;
    case Kind::kSecond:
      return "second" + note;
    case Kind::kLower:
      return "place " + std::to_string(verdict.place) + note;
    case Kind::kVague:
      return "not named";
    case Kind::kMissed:
      return "MISSED";
    case Kind::kCannot:
      return "cannot";
    case Kind::kFailed:
      break;
  }
  return "FAILED";
}

Verdict JudgeSummary(const Truth& truth, const std::string& way,
                     const std::filesystem::path& recording) {
  const json summary = Ask({"summary", recording.string()});
  if (summary.is_discarded()) return Failed();
  std::vector<Said> all;
  for (const json& finding : summary.at("findings")) all.push_back(SaidBy(finding));
  Verdict verdict = Judge(truth, way, all);
  verdict.command = AskCommand(truth, recording);
  return verdict;
}

Verdict JudgeDiff(const Truth& truth, const std::filesystem::path& before,
                  const std::filesystem::path& after) {
  const json diff = Ask({"diff", before.string(), after.string()});
  if (diff.is_discarded()) return Failed();
  std::vector<Said> all;
  if (diff.contains("differences")) {
    for (const json& difference : diff.at("differences")) all.push_back(SaidBy(difference));
  }
  if (diff.contains("growth")) {
    for (const json& growth : diff.at("growth")) {
      std::string text = growth.at("type").get<std::string>();
      for (const json& step : growth.at("path")) text += " > " + step.get<std::string>();
      all.push_back({"grew", "heap", std::move(text)});
    }
  }
  return Judge(truth, kDiff, all);
}

}  // namespace hindsight::bench
