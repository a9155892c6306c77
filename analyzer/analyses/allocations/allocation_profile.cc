#include "analyzer/analyses/allocations/allocation_profile.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "analyzer/analyses/pair_table.h"
#include "analyzer/analyses/pattern.h"
#include "analyzer/analyses/places/own_methods.h"
#include "analyzer/analyses/thread_filter.h"

namespace hindsight::analyzer {
namespace {

bool IsHeavier(const PathWeight& a, const PathWeight& b) { return a.amount > b.amount; }

// Weights by a number, and for each of these by a second number.
class Sums {
 public:
  void Add(uint32_t key, uint32_t part, const PathWeight& weight) {
    if (key >= weights_.size()) weights_.resize(size_t{key} + 1);
    weights_[key] += weight;
    SampledAmount& sum = parts_.At(key, part);
    sum.amount += weight.amount;
    sum.samples += weight.samples;
  }

  // Calls make(key, weight, heaviest part, its weight) for each row.
  template <typename Row, typename Make>
  std::vector<Row> Take(const Make& make) const {
    std::vector<std::pair<uint32_t, SampledAmount>> most(weights_.size());
    parts_.ForEach([&](uint32_t key, uint32_t part, const SampledAmount& sum) {
      const auto& [best, heaviest] = most[key];
      const bool is_first = heaviest.samples == 0;
      const bool is_equal = sum.amount == heaviest.amount && part < best;
      if (is_first || is_equal || sum.amount > heaviest.amount) most[key] = {part, sum};
    });
    std::vector<Row> rows;
    for (uint32_t key = 0; key < weights_.size(); ++key) {
      if (weights_[key].samples == 0) continue;
      rows.push_back(make(key, weights_[key], most[key].first, most[key].second));
    }
    return rows;
  }

 private:
  std::vector<PathWeight> weights_;  // indexed by key
  PairTable<SampledAmount> parts_;
};

class Analysis {
 public:
  Analysis(AllocationReport& report, const AllocationQuery& query)
      : report_(report),
        query_(query),
        model_(*report.model),
        builder_(model_, WithPlaces(query.paths)) {}

  void Run() {
    SetWindow();
    is_wanted_thread_.resize(model_.threads.size());
    for (ThreadIndex i = 0; i < is_wanted_thread_.size(); ++i) {
      is_wanted_thread_[i] = MatchesThread(model_, i, query_.thread);
    }
    const AllocationProfile& profile = model_.samples.allocations;
    for (const AllocationSample& sample : profile.samples) {
      if (!IsWanted(sample)) continue;
      Add(sample, WeightOf(sample.size, sample.objects, sample.bytes, profile.sampling));
    }
    Finish();
  }

 private:
  static CallPathOptions WithPlaces(CallPathOptions options) {
    options.places = true;
    return options;
  }

  void SetWindow() {
    int64_t last_ns = model_.facts.last_ns;
    for (const AllocationSample& sample : model_.samples.allocations.samples) {
      last_ns = std::max(last_ns, sample.at_ns);
    }
    report_.from_ns = std::max(query_.from_ns, model_.facts.begin_ns());
    report_.to_ns = std::max(report_.from_ns, std::min(query_.to_ns, last_ns));
    if (report_.to_ns > report_.from_ns) report_.bytes_over_time.resize(AllocationReport::kParts);
  }

  bool IsWanted(const AllocationSample& sample) {
    if (sample.at_ns < query_.from_ns || sample.at_ns >= query_.to_ns) return false;
    if (!is_wanted_thread_[sample.thread]) return false;
    if (query_.heap && sample.heap != *query_.heap) return false;
    if (query_.type.empty()) return true;
    const auto [at, is_new] = is_wanted_type_.try_emplace(sample.type, false);
    if (is_new) at->second = MatchesPattern(query_.type, report_.names.Type(sample.type));
    return at->second;
  }

  // Types with the same name are merged.
  uint32_t TypeOf(TypeId type) {
    const auto [at, is_new] = type_of_.try_emplace(type, 0);
    if (is_new) {
      const std::string& name = report_.names.Type(type);
      const auto [known, is_new_name] =
          type_by_name_.try_emplace(name, static_cast<uint32_t>(type_names_.size()));
      if (is_new_name) type_names_.push_back(name);
      at->second = known->second;
    }
    return at->second;
  }

  void Add(const AllocationSample& sample, const PathWeight& weight) {
    builder_.Add(sample.call, weight);
    const uint32_t type = TypeOf(sample.type);
    type_of_sample_.push_back(type);
    threads_.Add(sample.thread, type, weight);
    report_.whole += weight;
    report_.heaps[static_cast<size_t>(sample.heap)] += weight;
    if (report_.bytes_over_time.empty()) return;
    const double at = static_cast<double>(sample.at_ns - report_.from_ns) /
                      static_cast<double>(report_.to_ns - report_.from_ns);
    const auto part = static_cast<size_t>(std::clamp(at, 0.0, 1.0) * AllocationReport::kParts);
    report_.bytes_over_time[std::min(part, AllocationReport::kParts - 1)] += weight.amount;
  }

  // Adds each type by where it was allocated: by the method of yours, otherwise by the one that
  // ran. Stacks lack code that was generated at run time, such as what calls the handlers of a web
  // server: if only the server's pipeline is left, the place is unknown.
  void AddTypes(const CallPaths& all) {
    Places places(model_);
    const std::vector<uint32_t> owners = OwnersOf(all, places);
    const AllocationProfile& profile = model_.samples.allocations;
    size_t at = 0;
    for (const AllocationSample& sample : profile.samples) {
      if (!IsWanted(sample)) continue;
      const uint32_t node = all.places[at];
      FrameId site = all.nodes[owners[node] != 0 ? owners[node] : node].frame;
      const MethodId method = all.frames[site].method;
      if (owners[node] == 0 && method != 0 && places.IsPipeline(method)) site = 0;
      types_.Add(type_of_sample_[at++], site,
                 WeightOf(sample.size, sample.objects, sample.bytes, profile.sampling));
    }
  }

  void Finish() {
    CallPaths all = builder_.Build();
    AddTypes(all);
    report_.types = types_.Take<AllocatedType>(
        [this](uint32_t type, const PathWeight& weight, uint32_t site, const SampledAmount& part) {
          return AllocatedType{type_names_[type], weight, site, part};
        });
    std::sort(report_.types.begin(), report_.types.end(),
              [](const AllocatedType& a, const AllocatedType& b) {
                return a.weight.amount != b.weight.amount ? IsHeavier(a.weight, b.weight)
                                                          : a.name < b.name;
              });
    report_.threads = threads_.Take<AllocatingThread>(
        [this](ThreadIndex thread, const PathWeight& weight, uint32_t type, const SampledAmount&) {
          return AllocatingThread{thread, weight, type_names_[type]};
        });
    std::sort(report_.threads.begin(), report_.threads.end(),
              [](const AllocatingThread& a, const AllocatingThread& b) {
                return a.weight.amount != b.weight.amount ? IsHeavier(a.weight, b.weight)
                                                          : a.thread < b.thread;
              });
    FrameFilter filter;
    if (!query_.focus.empty()) {
      filter = [this](const PathFrame& frame) { return MatchesPattern(query_.focus, frame.name); };
    }
    CallPaths below = filter ? BelowFrames(all, filter) : CallPaths();
    report_.methods = MethodsOf(filter ? below : all);
    if (query_.bottom_up) {
      report_.paths = Callers(all, filter);
    } else {
      report_.paths = filter ? std::move(below) : std::move(all);
    }
  }

  AllocationReport& report_;
  const AllocationQuery& query_;
  const Model& model_;
  CallPathsBuilder builder_;
  std::vector<bool> is_wanted_thread_;
  std::unordered_map<TypeId, bool> is_wanted_type_;
  std::unordered_map<TypeId, uint32_t> type_of_;
  std::unordered_map<std::string, uint32_t> type_by_name_;
  std::vector<std::string> type_names_;
  std::vector<uint32_t> type_of_sample_;  // only samples that pass the filters
  Sums types_, threads_;
};

}  // namespace

AllocationReport AnalyzeAllocations(const Model& model, const AllocationQuery& query) {
  AllocationReport report(model);
  Analysis(report, query).Run();
  return report;
}

PathWeight WeightOf(uint64_t size, double objects, double bytes,
                    AllocationProfile::Sampling sampling) {
  const double misses = std::max(0.0, objects - 1);  // (1 - q) / q
  const auto each = static_cast<double>(size);
  return {.amount = bytes,
          .count = objects,
          .variance = sampling == AllocationProfile::Sampling::kBytes
                          ? objects * misses * each * each
                          : bytes * bytes,
          .samples = 1};
}

double ErrorOf(const PathWeight& weight) { return 1.96 * std::sqrt(weight.variance); }

}  // namespace hindsight::analyzer
