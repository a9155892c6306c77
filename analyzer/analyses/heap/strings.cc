#include "analyzer/analyses/heap/strings.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "analyzer/analyses/heap/owners.h"
#include "analyzer/analyses/heap/path_edges.h"

namespace hindsight::analyzer {
namespace {

constexpr uint32_t kNoGroup = UINT32_MAX;

// By class: the field that holds a string's own text.
std::vector<std::optional<uint32_t>> TextFields(const HeapGraph& graph) {
  std::vector<std::optional<uint32_t>> fields;
  for (const HeapClass& type : graph.classes()) {
    std::optional<uint32_t>& field = fields.emplace_back();
    for (uint32_t i = 0; i < type.value_fields.size() && !field; ++i) {
      if (type.kind == HeapClass::Kind::kString &&
          type.value_fields[i].kind == ValueField::Kind::kText) {
        field = i;
      }
    }
  }
  return fields;
}

// Strings with the same text.
struct Group {
  size_t first = 0, end = 0;  // range in Duplicates::strings
  uint64_t wasted = 0;
};

class Duplicates {
 public:
  explicit Duplicates(const HeapGraph& graph) : graph_(graph), fields_(TextFields(graph)) {}

  void Add(ObjectId id) {
    if (const auto text = TextOf(id)) {
      strings_.push_back({std::hash<std::string_view>()(*text), id});
    }
  }

  bool empty() const { return strings_.empty(); }

  // Sets `distinct` and `wasted`; returns the groups with the most waste first.
  std::vector<Group> Find(StringReport& report) {
    std::sort(strings_.begin(), strings_.end(), [this](const Entry& a, const Entry& b) {
      if (a.hash != b.hash) return a.hash < b.hash;
      const auto left = std::pair(*TextOf(a.id), graph_.Length(a.id));
      const auto right = std::pair(*TextOf(b.id), graph_.Length(b.id));
      return left != right ? left < right : a.id < b.id;
    });
    std::vector<Group> groups;
    for (size_t i = 0; i < strings_.size();) {
      size_t end = i + 1;
      while (end < strings_.size() && IsSame(strings_[i], strings_[end])) ++end;
      ++report.distinct;
      if (end - i > 1) {
        groups.push_back({i, end, (end - i - 1) * graph_.Bytes(strings_[i].id)});
        report.wasted += groups.back().wasted;
      }
      i = end;
    }
    std::stable_sort(groups.begin(), groups.end(), [this](const Group& a, const Group& b) {
      if (a.wasted != b.wasted) return a.wasted > b.wasted;
      return *TextOf(At(a.first)) < *TextOf(At(b.first));
    });
    return groups;
  }

  ObjectId At(size_t i) const { return strings_[i].id; }
  std::optional<std::string_view> TextOf(ObjectId id) const {
    const std::optional<uint32_t> field = fields_[graph_.ClassOf(id)];
    return field ? graph_.Text(id, *field) : std::nullopt;
  }

 private:
  struct Entry {
    size_t hash = 0;
    ObjectId id = kNoObject;
  };

  bool IsSame(const Entry& a, const Entry& b) const {
    return a.hash == b.hash && graph_.Length(a.id) == graph_.Length(b.id) &&
           *TextOf(a.id) == *TextOf(b.id);
  }

  const HeapGraph& graph_;
  std::vector<std::optional<uint32_t>> fields_;
  std::vector<Entry> strings_;
};

void CountLength(uint64_t length, uint64_t bytes, std::vector<StringLengthRow>& rows) {
  const auto bucket = static_cast<size_t>(std::bit_width(length));  // 0, 1, 2-3, 4-7, ...
  while (rows.size() <= bucket) {
    const size_t next = rows.size();
    const uint64_t from = next == 0 ? 0 : uint64_t{1} << (next - 1);
    rows.push_back({from, next == 0 ? 0 : from * 2 - 1, 0, 0});
  }
  ++rows[bucket].objects;
  rows[bucket].bytes += bytes;
}

struct OwnerTotals {
  uint64_t objects = 0, bytes = 0, wasted = 0;
};

}  // namespace

StringReport AnalyzeStrings(const HeapModel& model, const SlotNames& names, const RootPaths& paths,
                            size_t top) {
  const HeapGraph& graph = model.graph;
  StringReport report;
  Duplicates duplicates(graph);
  std::vector<bool> wanted(graph.size());
  for (ObjectId id = 0; id < graph.size(); ++id) {
    const HeapClass::Kind kind = graph.classes()[graph.ClassOf(id)].kind;
    if (kind != HeapClass::Kind::kString || !paths.IsReachable(id)) continue;
    wanted[id] = true;
    const uint64_t bytes = graph.Bytes(id);
    ++report.objects;
    report.bytes += bytes;
    report.characters += graph.Length(id);
    CountLength(graph.Length(id), bytes, report.lengths);
    duplicates.Add(id);
  }
  std::erase_if(report.lengths, [](const StringLengthRow& row) { return row.objects == 0; });

  report.has_contents = !duplicates.empty();
  const std::vector<Group> groups = duplicates.Find(report);
  report.duplicate_texts = groups.size();
  // For strings in the largest groups, their group. For all others that equal an earlier one, a
  // bit.
  std::vector<uint32_t> group_of(groups.empty() ? 0 : graph.size(), kNoGroup);
  std::vector<bool> is_waste(groups.empty() ? 0 : graph.size());
  for (size_t g = 0; g < groups.size(); ++g) {
    const Group& group = groups[g];
    for (size_t i = group.first; i < group.end; ++i) {
      if (i > group.first) is_waste[duplicates.At(i)] = true;
      if (g < top) group_of[duplicates.At(i)] = static_cast<uint32_t>(g);
    }
    if (g >= top) continue;
    const ObjectId first = duplicates.At(group.first);
    const uint64_t count = group.end - group.first;
    report.duplicates.push_back({std::string(*duplicates.TextOf(first)),
                                 graph.Length(first),
                                 count,
                                 count * graph.Bytes(first),
                                 group.wasted,
                                 {},
                                 0});
  }

  std::map<SlotKey, OwnerTotals> owners;
  std::vector<std::map<SlotKey, uint64_t>> group_owners(report.duplicates.size());
  ForEachPathEdge<EdgeOrder::kByAddress>(graph, names, paths, wanted,
                                         [&](ObjectId, SlotKey key, ObjectId id) {
                                           OwnerTotals& owner = owners[key];
                                           ++owner.objects;
                                           owner.bytes += graph.Bytes(id);
                                           if (groups.empty()) return;
                                           if (is_waste[id]) owner.wasted += graph.Bytes(id);
                                           if (group_of[id] != kNoGroup) {
                                             ++group_owners[group_of[id]][key];
                                           }
                                         });
  for (const auto& [key, totals] : owners) {
    report.owners.push_back(
        {OwnerName(model, names, key), totals.objects, totals.bytes, totals.wasted});
  }
  std::stable_sort(report.owners.begin(), report.owners.end(),
                   [](const StringOwnerRow& a, const StringOwnerRow& b) {
                     return std::pair(a.wasted, a.bytes) > std::pair(b.wasted, b.bytes);
                   });
  if (report.owners.size() > top) report.owners.resize(top);
  for (size_t g = 0; g < group_owners.size(); ++g) {
    const auto most =
        std::max_element(group_owners[g].begin(), group_owners[g].end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == group_owners[g].end()) continue;
    report.duplicates[g].owner = OwnerName(model, names, most->first);
    report.duplicates[g].owner_objects = most->second;
  }
  return report;
}

}  // namespace hindsight::analyzer
