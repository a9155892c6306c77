#include <array>
#include <utility>

#include "analyzer/report/allocations/allocation_words.h"
#include "analyzer/report/allocations/allocations_report.h"
#include "analyzer/report/call_paths_report.h"
#include "analyzer/report/json.h"

namespace hindsight::analyzer {
std::string AllocationsJson(const AllocationReport& report, const AllocationQuery& query) {
  static constexpr std::array<const char*, AllocationReport::kHeaps> kHeapNames = {
      "small", "large", "pinned", "unknown"};
  const Model& model = *report.model;
  const AllocationProfile& profile = model.samples.allocations;
  Json heaps = Json::object();
  for (size_t i = 0; i < kHeapNames.size(); ++i) {
    if (report.heaps[i].samples > 0) heaps[kHeapNames[i]] = JsonWeight(report.heaps[i]);
  }
  Json types = Json::array();
  for (const AllocatedType& type : report.types) {
    Json entry = {{"type", JsonText(type.name)}};
    entry.update(JsonWeight(type.weight));
    entry["share"] = ShareOf(type.weight, report.whole).value;
    entry["site"] = JsonText(report.paths.frames[type.site].name);
    entry["site_bytes"] = type.site_weight.amount;
    types.push_back(std::move(entry));
  }
  Json threads = Json::array();
  for (const AllocatingThread& thread : report.threads) {
    Json entry = {{"thread", JsonThread(model, thread.thread)}};
    entry.update(JsonWeight(thread.weight));
    entry["type"] = JsonText(thread.type);
    threads.push_back(std::move(entry));
  }
  Json out = {{"schema", kJsonSchema},
              {"command", "allocations"},
              {"recording", JsonRecording(model)},
              {"sampled", model.facts.allocations_on},
              {"sampling", SamplingName(profile.sampling)},
              {"mean_bytes", profile.mean_bytes},
              {"from_ns", report.from_ns},
              {"to_ns", report.to_ns}};
  out.update(JsonWeight(report.whole));
  out["bytes_per_second"] = report.seconds() > 0 ? report.whole.amount / report.seconds() : 0;
  out["heaps"] = std::move(heaps);
  out["bytes_over_time"] = report.bytes_over_time;
  out["types"] = std::move(types);
  out["methods"] = JsonMethods(report.paths.frames, report.methods, report.whole, "_bytes");
  out["threads"] = std::move(threads);
  out["bottom_up"] = query.bottom_up;
  out["paths"] = JsonPaths(report.paths, report.whole, "_bytes");
  return JsonDump(out);
}

}  // namespace hindsight::analyzer
