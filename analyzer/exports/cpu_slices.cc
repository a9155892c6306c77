#include "analyzer/exports/cpu_slices.h"

#include <algorithm>
#include <cstddef>

namespace hindsight::analyzer {
namespace {

// Handles one thread.
class Slicer {
 public:
  Slicer(const Model& model, ThreadIndex thread, const std::vector<Standstill>& standstills,
         const std::function<void(const CpuSlice&)>& on_slice)
      : model_(model),
        thread_(thread),
        standstills_(standstills),
        on_slice_(on_slice),
        most_gap_ns_(static_cast<int64_t>(
            std::min<uint64_t>(model.samples.cpu.period_ns / 2, INT64_MAX / 4))) {}

  void Add(const CpuSample& sample) {
    const int64_t to = sample.at_ns;
    const auto cpu = static_cast<int64_t>(std::min<uint64_t>(sample.cpu_ns, INT64_MAX / 4));
    int64_t from = std::max(to - cpu, end_ns_);
    // The first that ends at or after the sample.
    while (next_ < standstills_.size() && standstills_[next_].to_ns < to) ++next_;
    if (next_ > 0) from = std::max(from, standstills_[next_ - 1].to_ns);
    const bool is_inside = next_ < standstills_.size() && standstills_[next_].from_ns < to;
    if (is_inside) from = std::max(from, standstills_[next_].from_ns);
    if (from >= to) return;

    std::vector<CallId> path = model_.samples.calls.Path(sample.call);
    if (path.empty()) path.push_back(0);  // an unknown method
    const size_t region = 2 * next_ + (is_inside ? 1 : 0);
    const bool goes_on = region == region_ && from - end_ns_ <= most_gap_ns_;
    size_t same = 0;
    while (goes_on && same < open_.size() && same < path.size() &&
           open_[same].method == MethodAt(path, same)) {
      ++same;
    }
    Close(same);
    // A bridged gap belongs to the calls that continue.
    const int64_t start = goes_on ? end_ns_ : from;
    for (size_t depth = same; depth < path.size(); ++depth) {
      open_.push_back({thread_, MethodAt(path, depth), start, 0});
    }
    end_ns_ = to;
    region_ = region;
  }

  void Finish() { Close(0); }

 private:
  MethodId MethodAt(const std::vector<CallId>& path, size_t depth) const {
    return model_.samples.calls.node(path[path.size() - 1 - depth]).method;
  }

  // Ends all calls from `depth` on where the last sample did. Callers are reported before their
  // callees.
  void Close(size_t depth) {
    for (size_t i = depth; i < open_.size(); ++i) {
      open_[i].to_ns = end_ns_;
      on_slice_(open_[i]);
    }
    open_.resize(depth);
  }

  const Model& model_;
  const ThreadIndex thread_;
  const std::vector<Standstill>& standstills_;
  const std::function<void(const CpuSlice&)>& on_slice_;
  const int64_t most_gap_ns_;
  std::vector<CpuSlice> open_;
  size_t next_ = 0;  // index of a standstill
  int64_t end_ns_ = INT64_MIN / 4;
  size_t region_ = SIZE_MAX;
};

}  // namespace

void ForEachCpuSlice(const Model& model, const std::function<bool(const CpuSample&)>& is_asked_for,
                     const std::vector<std::vector<Standstill>>& standstills,
                     const std::function<void(const CpuSlice&)>& on_slice) {
  std::vector<CpuSample> samples;
  for (const CpuSample& sample : model.samples.cpu.samples) {
    if (is_asked_for(sample)) samples.push_back(sample);
  }
  std::stable_sort(samples.begin(), samples.end(), [](const CpuSample& a, const CpuSample& b) {
    return a.thread != b.thread ? a.thread < b.thread : a.at_ns < b.at_ns;
  });
  static const std::vector<Standstill> kNone;
  for (size_t i = 0; i < samples.size();) {
    const ThreadIndex thread = samples[i].thread;
    Slicer slicer(model, thread, thread < standstills.size() ? standstills[thread] : kNone,
                  on_slice);
    for (; i < samples.size() && samples[i].thread == thread; ++i) slicer.Add(samples[i]);
    slicer.Finish();
  }
}

}  // namespace hindsight::analyzer
