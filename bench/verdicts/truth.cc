#include "bench/verdicts/truth.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace hindsight::bench {

std::vector<Truth> ReadTruths(const std::filesystem::path& file) {
  std::ifstream stream(file);
  const nlohmann::json all = nlohmann::json::parse(stream, nullptr, false);
  if (all.is_discarded()) throw std::runtime_error(file.string() + " is no JSON");
  std::vector<Truth> truths;
  truths.push_back({.problem = kHealthy, .says = "Nothing is wrong."});
  for (const nlohmann::json& one : all.at("problems")) {
    Truth truth;
    one.at("problem").get_to(truth.problem);
    one.at("says").get_to(truth.says);
    one.at("command").get_to(truth.command);
    one.at("signals").get_to(truth.signals);
    one.at("names").get_to(truth.names);
    one.at("evidence").get_to(truth.evidence);
    one.at("also").get_to(truth.also);
    one.at("tells").get_to(truth.reports);
    one.at("notes").get_to(truth.notes);
    one.at("once").get_to(truth.once);
    one.at("why_not").get_to(truth.why_not);
    truths.push_back(std::move(truth));
  }
  return truths;
}

}  // namespace hindsight::bench
