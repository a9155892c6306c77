#include "tests/live/harness/heap_truth.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

namespace hindsight::live {
namespace {

using nlohmann::json;

// Where the runtime keeps static fields.
constexpr char kStaticsArray[] = "object[]";

json Read(const std::filesystem::path& file) {
  std::ifstream stream(file);
  json content = json::parse(stream, nullptr, /*allow_exceptions=*/false);
  if (content.is_discarded()) throw std::runtime_error(file.string() + " is no JSON");
  return content;
}

HeapEdge Edge(const json& edge) { return {edge.at(0), edge.at(1), edge.at(2)}; }

std::map<HeapEdge, uint64_t> Edges(const json& list) {
  std::map<HeapEdge, uint64_t> edges;
  for (const json& edge : list) edges[Edge(edge)] += edge.at(3).get<uint64_t>();
  return edges;
}

std::string Describe(const std::string& type) { return type; }
std::string Describe(const HeapEdge& edge) {
  return edge.from + (edge.field.starts_with('.') || edge.field.starts_with('[') ? "" : " ") +
         edge.field + " -> " + edge.to;
}

template <typename Key>
void Compare(const std::map<Key, uint64_t>& found, const std::map<Key, uint64_t>& expected,
             std::ostream& differences) {
  for (const auto& [key, count] : expected) {
    const auto match = found.find(key);
    const uint64_t found_count = match == found.end() ? 0 : match->second;
    if (found_count == count) continue;
    differences << Describe(key) << ": " << found_count << " instead of " << count << "\n";
  }
  for (const auto& [key, count] : found) {
    if (!expected.contains(key)) {
      differences << Describe(key) << ": " << count << " that should not be there\n";
    }
  }
}

}  // namespace

std::string Differences(const HeapContents& found, const HeapContents& expected) {
  std::ostringstream differences;
  Compare(found.types, expected.types, differences);
  Compare(found.edges, expected.edges, differences);
  return differences.str();
}

HeapTruth::HeapTruth(const std::string& sample) {
  const json truth =
      Read(std::filesystem::path(HINDSIGHT_SOURCE_DIR) / "samples" / sample / "truth.json");
  arguments_ = truth.value("arguments", std::vector<std::string>{});
  leak_ = truth.value("leak", "");
  contents_.types = truth.at("types").get<std::map<std::string, uint64_t>>();
  contents_.edges = Edges(truth.at("edges"));
  unseen_by_reflection_ = Edges(truth.value("unseen_by_reflection", json::array()));
  for (const auto& [edge, count] : unseen_by_reflection_) contents_.Add(edge, count);
  unnamed_ = Edges(truth.value("unnamed", json::array()));
  for (const auto& [edge, count] : unnamed_) contents_.Add({kStaticsArray, "[]", edge.to}, count);
  for (const char* path : {"owner", "also"}) {
    if (!truth.contains(path)) continue;
    owners_.emplace_back();
    for (const json& edge : truth.at(path)) owners_.back().push_back(Edge(edge));
  }
  for (const json& root : truth.value("roots", json::array())) {
    roots_[{root.at(0), root.at(1)}] = root.at(2);
  }
}

HeapContents HeapTruth::SeenByReflection() const {
  HeapContents seen = contents_;
  for (const auto& [edge, count] : unnamed_) {
    seen.edges.erase({kStaticsArray, "[]", edge.to});
    seen.Add(edge, count);
  }
  for (const auto& [edge, count] : unseen_by_reflection_) {
    seen.edges.erase(edge);
    if (const auto type = seen.types.find(edge.to); type != seen.types.end()) type->second -= count;
  }
  return seen;
}

bool IsOwn(std::string_view sample, std::string_view type) {
  return type.starts_with(sample) && type.substr(sample.size()).starts_with('.');
}

bool IsOwn(std::string_view sample, const HeapEdge& edge) {
  const bool is_static = edge.from == "static" || edge.from == "thread static";
  return IsOwn(sample, is_static ? edge.field : edge.from) || IsOwn(sample, edge.to);
}

std::map<HeapEdge, uint64_t> AllEdgesOfLog(const std::filesystem::path& file) {
  return Edges(Read(file).at("edges"));
}

HeapContents ReadGraphLog(const std::filesystem::path& file, std::string_view sample) {
  HeapContents contents;
  const json log = Read(file);
  for (const auto& [type, count] : log.at("types").items()) {
    if (IsOwn(sample, type)) contents.Add(type, count.get<uint64_t>());
  }
  for (const auto& [edge, count] : Edges(log.at("edges"))) {
    if (IsOwn(sample, edge)) contents.Add(edge, count);
  }
  return contents;
}

}  // namespace hindsight::live
