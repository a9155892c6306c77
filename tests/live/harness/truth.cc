#include "tests/live/harness/truth.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace hindsight::live {
namespace {

std::vector<std::string> Path(const nlohmann::json& frames) {
  std::vector<std::string> path;
  for (const nlohmann::json& frame : frames) {
    if (frame.is_string()) {
      path.push_back(frame.get<std::string>());
    } else {
      path.insert(path.end(), frame.at("times").get<size_t>(),
                  frame.at("frame").get<std::string>());
    }
  }
  return path;
}

TruthEntry Entry(const nlohmann::json& json) {
  TruthEntry entry;
  entry.name = json.at("name").get<std::string>();
  entry.type = json.at("type").get<std::string>();
  entry.message = json.at("message").get<std::string>();
  entry.path = Path(json.at("path"));
  entry.outcome = json.at("outcome").get<std::string>();
  entry.catcher = json.value("catcher", "");
  entry.cause = json.value("cause", "");
  entry.hop = json.value("hop", "");
  entry.count = json.value("count", int64_t{0});
  entry.first_round = json.value("first_round", int64_t{0});
  entry.hops = json.value("hops", uint64_t{0});
  entry.runtimes = json.value("runtimes", std::vector<int>{});
  return entry;
}

std::string Counts(const std::map<std::string, uint64_t>& counts) {
  std::string text;
  for (const auto& [name, count] : counts) {
    text += (text.empty() ? "" : ", ") + name + " x" + std::to_string(count);
  }
  return text;
}

}  // namespace

std::string ReportedGroup::Describe() const {
  std::ostringstream text;
  text << count << " x " << type << " [" << Counts(messages) << "] " << outcome;
  if (!catcher.empty()) text << " in " << catcher;
  text << ", " << hops << " hops (" << Counts(hop_kinds) << ")";
  if (!cause.empty()) text << ", caused by " << cause;
  for (const std::string& frame : path) text << "\n      at " << frame;
  return text.str();
}

bool MatchesName(std::string_view pattern, std::string_view name) {
  if (pattern.ends_with('*')) return name.starts_with(pattern.substr(0, pattern.size() - 1));
  return pattern == name;
}

Truth::Truth(const std::filesystem::path& file) {
  std::ifstream stream(file);
  const nlohmann::json json = nlohmann::json::parse(stream);
  framework_ = json.at("framework").get<std::vector<std::string>>();
  for (const nlohmann::json& entry : json.at("exceptions")) entries_.push_back(Entry(entry));
}

uint64_t Truth::Expected(const TruthEntry& entry, const Workload& workload) const {
  const auto& runtimes = entry.runtimes;
  if (!runtimes.empty() && std::ranges::find(runtimes, workload.runtime) == runtimes.end()) {
    return 0;
  }
  const int64_t once = workload.has_first_round ? entry.first_round : 0;
  return static_cast<uint64_t>(entry.count * workload.scale * workload.rounds + once);
}

bool Truth::IsFramework(std::string_view frame) const {
  return std::ranges::any_of(framework_,
                             [&](const std::string& prefix) { return frame.starts_with(prefix); });
}

bool Truth::MatchesFrom(const std::vector<std::string>& path, size_t at,
                        const std::vector<std::string>& frames, size_t frame) const {
  for (; at < path.size(); ++at, ++frame) {
    if (path[at] == "*") {
      while (true) {
        if (MatchesFrom(path, at + 1, frames, frame)) return true;
        if (frame == frames.size() || !IsFramework(frames[frame])) return false;
        ++frame;
      }
    }
    if (frame == frames.size() || path[at] != frames[frame]) return false;
  }
  return true;
}

bool Truth::Matches(const std::vector<std::string>& path,
                    const std::vector<std::string>& frames) const {
  return MatchesFrom(path, 0, frames, 0);
}

const TruthEntry* Truth::Find(const ReportedGroup& group, const Workload& workload) const {
  for (const TruthEntry& entry : entries_) {
    if (Expected(entry, workload) > 0 && entry.type == group.type &&
        entry.outcome == group.outcome && entry.hops == group.hops &&
        MatchesName(entry.catcher, group.catcher) && Matches(entry.path, group.path)) {
      return &entry;
    }
  }
  return nullptr;
}

std::string Truth::Differences(const std::vector<ReportedGroup>& groups,
                               const Workload& workload) const {
  std::ostringstream differences;
  std::map<const TruthEntry*, uint64_t> seen;
  for (const ReportedGroup& group : groups) {
    const TruthEntry* entry = Find(group, workload);
    if (entry == nullptr) {
      differences << "not in the truth: " << group.Describe() << "\n";
      continue;
    }
    seen[entry] += group.count;
    if (group.messages != std::map<std::string, uint64_t>{{entry->message, group.count}}) {
      differences << entry->name << ": messages are [" << Counts(group.messages) << "] instead of "
                  << entry->message << "\n";
    }
    if (!entry->hop.empty() && group.hop_kinds != std::map<std::string, uint64_t>{
                                                      {entry->hop, group.count * group.hops}}) {
      differences << entry->name << ": hops are [" << Counts(group.hop_kinds) << "] instead of "
                  << entry->hop << "\n";
    }
    if (group.cause != entry->cause) {
      differences << entry->name << ": cause is '" << group.cause << "' instead of '"
                  << entry->cause << "'\n";
    }
  }
  for (const TruthEntry& entry : entries_) {
    const uint64_t expected = Expected(entry, workload);
    if (seen[&entry] != expected) {
      differences << entry.name << " (" << entry.type << "): " << seen[&entry] << " instead of "
                  << expected << "\n";
    }
  }
  return differences.str();
}

}  // namespace hindsight::live
