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

struct Level {
  std::string_view what;
  std::optional<uint64_t> (*at_end)(const Model& model);
  double least = 0;  // a smaller difference is none
  std::string (*text)(uint64_t) = nullptr;
};

template <typename Row, typename Number>
std::optional<uint64_t> AtEnd(const Model& model, const std::vector<Row>& rows,
                              const Number& number) {
  return MedianOf(rows, number, Thirds(model.facts)[2], 1);
}

}  // namespace

void CompareLevels(const Model& before, const Model& after, const ComparisonRules& rules,
                   Comparison& comparison) {
  const auto count = [](uint64_t number) { return FormatCount(number); };
  const auto bytes = [](uint64_t number) { return FormatBytes(number); };
  const Level levels[] = {
      {"managed heap (after collections)",
       [](const Model& model) { return AtEnd(model, model.collections.rows, HeapAfter); },
       rules.level_bytes, bytes},
      {"memory of its own",
       [](const Model& model) {
         return AtEnd(model, model.memory, &MemorySample::anonymous_bytes);
       },
       rules.level_bytes, bytes},
      {"GC handles",
       [](const Model& model) {
         return AtEnd(model, model.collections.rows, &CollectionRow::handles);
       },
       rules.level_handles, count},
      {"open files, sockets and pipes",
       [](const Model& model) { return AtEnd(model, model.memory, &MemorySample::open_files); },
       rules.level_files, count}};
  for (const Level& level : levels) {
    const std::optional<uint64_t> first = level.at_end(before), last = level.at_end(after);
    if (!first || !last) continue;
    const auto old_value = static_cast<double>(*first), new_value = static_cast<double>(*last);
    if (std::abs(new_value - old_value) < level.least ||
        Away(new_value / old_value) < rules.level_factor) {
      continue;
    }
    const std::string title = "At the end the process has " +
                              HowMuch(old_value, new_value, level.what) + ": " +
                              level.text(*first) + " -> " + level.text(*last);
    comparison.Note(title, "The load, and what ran before, may be why.", true);
  }
}

}  // namespace hindsight::analyzer
