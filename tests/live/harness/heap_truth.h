// What is in the heap of a sample, and what is found there.
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hindsight::live {

// A reference, with names as reports write them: ".items_", "[]", "[].value"; for a static field,
// `from` is "static" or "thread static", and `field` begins with the type.
struct HeapEdge {
  std::string from;
  std::string field;
  std::string to;

  auto operator<=>(const HeapEdge&) const = default;
};

// The part of a heap that belongs to a sample: objects of its types, references from them or to
// them, and its static fields.
struct HeapContents {
  std::map<std::string, uint64_t> types;
  std::map<HeapEdge, uint64_t> edges;

  void Add(const std::string& type, uint64_t objects) { types[type] += objects; }
  void Add(const HeapEdge& edge, uint64_t references) { edges[edge] += references; }
};

// A line for each difference; empty if there is none.
std::string Differences(const HeapContents& found, const HeapContents& expected);

// The truth.json of a sample.
class HeapTruth {
 public:
  explicit HeapTruth(const std::string& sample);

  const std::vector<std::string>& arguments() const { return arguments_; }
  const HeapContents& contents() const { return contents_; }
  HeapContents SeenByReflection() const;
  // The kind of its leak as `hindsight leaks` names it; empty: it has none.
  const std::string& leak() const { return leak_; }
  // From a root or a static to what accumulates: one path for each place. Empty for handles.
  const std::vector<std::vector<HeapEdge>>& owners() const { return owners_; }
  // By kind and type.
  const std::map<std::pair<std::string, std::string>, uint64_t>& roots() const { return roots_; }

 private:
  std::vector<std::string> arguments_;
  HeapContents contents_;
  std::map<HeapEdge, uint64_t> unseen_by_reflection_;
  std::map<HeapEdge, uint64_t> unnamed_;  // in a snapshot
  std::string leak_;
  std::vector<std::vector<HeapEdge>> owners_;
  std::map<std::pair<std::string, std::string>, uint64_t> roots_;
};

// Whether this is the sample's own.
bool IsOwn(std::string_view sample, std::string_view type);
bool IsOwn(std::string_view sample, const HeapEdge& edge);

// What the sample itself saw through reflection: --self-log.
HeapContents ReadGraphLog(const std::filesystem::path& file, std::string_view sample);
std::map<HeapEdge, uint64_t> AllEdgesOfLog(const std::filesystem::path& file);

}  // namespace hindsight::live
