#include "analyzer/analyses/comparison/compare_levels.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/analyses/comparison/change_text.h"
#include "analyzer/analyses/comparison/compared_signal.h"
#include "analyzer/analyses/gc/gc.h"
#include "analyzer/analyses/overview/thirds.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

// The median at the end of each recording.
struct Level {
  std::string_view what;  // "memory"
  std::optional<uint64_t> before, after;
  double least = 0;  // a smaller difference is none
  std::string (*text)(uint64_t) = nullptr;
};

template <typename Row, typename Number>
std::optional<uint64_t> AtEnd(const Model& model, const std::vector<Row>& rows,
                              Number Row::*number) {
  const std::optional<Number> median = MedianOf(rows, number, Thirds(model.facts)[2], 1);
  return median ? std::optional<uint64_t>(*median) : std::nullopt;
}

std::optional<uint64_t> HeapAtEnd(const Model& model) {
  struct Row {
    int64_t at_ns = 0;
    uint64_t bytes = 0;
  };
  std::vector<Row> rows;
  for (const CollectionRow& row : model.collections.rows) {
    rows.push_back({row.at_ns, HeapAfter(row)});
  }
  return AtEnd(model, rows, &Row::bytes);
}

}  // namespace

void CompareLevels(const Model& before, const Model& after, const ComparisonRules& rules,
                   Comparison& comparison) {
  const auto count = [](uint64_t number) { return FormatCount(number); };
  const auto bytes = [](uint64_t number) { return FormatBytes(number); };
  const auto memory = [](const Model& model) {
    return AtEnd(model, model.memory, &MemorySample::anonymous_bytes);
  };
  const auto files = [](const Model& model) {
    return AtEnd(model, model.memory, &MemorySample::open_files);
  };
  const auto handles = [](const Model& model) {
    return AtEnd(model, model.collections.rows, &CollectionRow::handles);
  };
  const Level levels[] = {
      {"managed heap (after collections)", HeapAtEnd(before), HeapAtEnd(after), rules.level_bytes,
       bytes},
      {"memory of its own", memory(before), memory(after), rules.level_bytes, bytes},
      {"GC handles", handles(before), handles(after), rules.level_handles, count},
      {"open files, sockets and pipes", files(before), files(after), rules.level_files, count}};
  for (const Level& level : levels) {
    if (!level.before || !level.after) continue;
    const auto old_value = static_cast<double>(*level.before);
    const auto new_value = static_cast<double>(*level.after);
    if (std::abs(new_value - old_value) < level.least ||
        Away(new_value / old_value) < rules.level_factor) {
      continue;
    }
    std::string title = "At the end the process has " +
                        HowMuch(old_value, new_value, std::string(level.what)) + ": " +
                        level.text(*level.before) + " -> " + level.text(*level.after);
    comparison.notes.push_back(title + ". The load, and what ran before, may be why.");
    if (comparison.perhaps.empty()) comparison.perhaps = std::move(title);
  }
}

}  // namespace hindsight::analyzer
