// Assemblies that are generated for each piece of work, and stay: code that should be generated
// once.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/analyses/overview/judges.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

// Only a full collection unloads assemblies.
bool HadFullCollection(const Model& model, int64_t from_ns) {
  return std::ranges::any_of(model.collections.rows, [from_ns](const CollectionRow& row) {
    return row.generation == 2 && row.at_ns >= from_ns;
  });
}

}  // namespace

void JudgeGeneratedAssemblies(const Model& model, const OverviewRules& rules,
                              std::vector<Finding>& findings) {
  const int64_t began_ns = model.facts.begin_ns();
  const int64_t from_ns = began_ns + (model.facts.last_ns - began_ns) / 4;
  const int64_t third_ns = (model.facts.last_ns - from_ns) / 3;
  if (third_ns <= 0) return;
  std::array<uint64_t, 3> loaded = {};
  uint64_t all = 0, unloaded = 0;
  for (const AssemblyChange& change : model.assemblies) {
    if (!change.is_generated || change.at_ns < from_ns) continue;
    if (!change.is_load) {
      ++unloaded;
      continue;
    }
    ++all;
    ++loaded[static_cast<size_t>(std::min<int64_t>(2, (change.at_ns - from_ns) / third_ns))];
  }
  const double least = rules.generated_in_each_third * static_cast<double>(all);
  if (all < unloaded + rules.generated_assemblies ||
      std::ranges::any_of(loaded, [&](uint64_t n) { return static_cast<double>(n) < least; })) {
    return;
  }
  // That memory grows is the worse news, and it names them.
  if (IsReported(findings, kNativeMemory)) return;
  const bool could_unload = HadFullCollection(model, from_ns);
  const double seconds = static_cast<double>(model.facts.last_ns - from_ns) / 1e9;
  const double rate = static_cast<double>(all) / seconds;
  Finding finding;
  finding.WarnUnlessDoubt(!could_unload);
  finding.kind = kGeneratedAssemblies;
  finding.title = FormatRate(rate) + " assemblies are generated a second, and " +
                  (unloaded == 0 ? "none is unloaded" : "few are unloaded");
  finding.evidence =
      FormatCount(all) + " were generated, or loaded from memory, in the last " +
      FormatDuration(static_cast<uint64_t>(model.facts.last_ns - from_ns)) + ", and " +
      (unloaded == 0 ? "none" : FormatCount(unloaded)) +
      " unloaded: serializers, proxies, compiled scripts or templates, for example. Each keeps its "
      "code and metadata; create them once, and keep them.";
  if (!could_unload) {
    finding.evidence +=
        " No full collection ran meanwhile, which would unload those that are collectible.";
  }
  finding.command = "cpu";
  finding.impact = rate / (1 + rate) / 2;
  findings.push_back(std::move(finding));
}

}  // namespace hindsight::analyzer
