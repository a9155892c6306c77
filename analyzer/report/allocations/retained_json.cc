#include <utility>

#include "analyzer/report/allocations/allocation_words.h"
#include "analyzer/report/allocations/retained_report.h"
#include "analyzer/report/call_paths_report.h"
#include "analyzer/report/heap/heap_heading.h"
#include "analyzer/report/json.h"

namespace hindsight::analyzer {

std::string RetainedAllocationsJson(const HeapModel& model, const RetainedAllocations& report,
                                    const AllocationQuery& query) {
  const Survivors& survivors = model.survivors;
  Json types = Json::array();
  for (const RetainedType& type : report.types) {
    Json entry = {{"type", JsonText(type.name)}};
    entry.update(JsonWeight(type.weight));
    entry["share"] = ShareOf(type.weight, report.whole).value;
    entry["youngest_ns"] = type.youngest_ns;
    entry["median_age_ns"] = type.median_age_ns;
    entry["oldest_ns"] = type.oldest_ns;
    entry["site"] = JsonText(report.paths.frames[type.site].name);
    entry["site_bytes"] = type.site_weight.amount;
    types.push_back(std::move(entry));
  }
  Json out = {{"schema", kJsonSchema},
              {"command", "allocations"},
              {"retained", true},
              {"heap", JsonHeap(model)},
              {"recorded", survivors.recorded},
              {"sampling", SamplingName(survivors.sampling)},
              {"mean_bytes", survivors.mean_bytes},
              {"stride", survivors.stride},
              {"followed_ns", survivors.followed_ns}};
  out.update(JsonWeight(report.whole));
  out["median_age_ns"] = report.median_age_ns;
  out["unreachable"] = JsonWeight(report.unreachable);
  out["misplaced_samples"] = survivors.misplaced;
  out["types"] = std::move(types);
  out["methods"] = JsonMethods(report.paths.frames, report.methods, report.whole, "_bytes");
  out["bottom_up"] = query.bottom_up;
  out["paths"] = JsonPaths(report.paths, report.whole, "_bytes");
  return JsonDump(out);
}

}  // namespace hindsight::analyzer
