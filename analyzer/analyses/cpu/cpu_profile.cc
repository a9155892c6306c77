#include "analyzer/analyses/cpu/cpu_profile.h"

#include <algorithm>
#include <utility>

#include "analyzer/analyses/pair_table.h"
#include "analyzer/analyses/pattern.h"
#include "analyzer/analyses/thread_filter.h"

namespace hindsight::analyzer {
namespace {

// The samples of each thread, by the frame that ran.
class ThreadSums {
 public:
  explicit ThreadSums(size_t threads) : weights_(threads) {}

  void Add(ThreadIndex thread, FrameId frame, const PathWeight& weight) {
    weights_[thread] += weight;
    frames_.At(thread, frame) += weight;
  }

  std::vector<CpuThread> Take() {
    std::vector<CpuThread> threads;
    std::vector<size_t> place(weights_.size());
    for (ThreadIndex index = 0; index < weights_.size(); ++index) {
      if (weights_[index].samples == 0) continue;
      place[index] = threads.size();
      threads.push_back({index, weights_[index], {}});
    }
    frames_.ForEach([&](ThreadIndex index, FrameId frame, const PathWeight& weight) {
      threads[place[index]].hottest.push_back({frame, weight, {}});
    });
    for (CpuThread& thread : threads) {
      std::sort(thread.hottest.begin(), thread.hottest.end(), [](const auto& a, const auto& b) {
        return a.self.amount != b.self.amount ? a.self.amount > b.self.amount : a.frame < b.frame;
      });
      if (thread.hottest.size() > CpuThread::kHottest) thread.hottest.resize(CpuThread::kHottest);
    }
    std::sort(threads.begin(), threads.end(), [](const CpuThread& a, const CpuThread& b) {
      return a.weight.amount != b.weight.amount ? a.weight.amount > b.weight.amount
                                                : a.thread < b.thread;
    });
    return threads;
  }

 private:
  std::vector<PathWeight> weights_;  // indexed by thread
  PairTable<PathWeight> frames_;
};

// Whether the query includes each thread.
std::vector<bool> ThreadsOf(const Model& model, const std::string& wanted) {
  std::vector<bool> threads(model.threads.size());
  for (ThreadIndex i = 0; i < threads.size(); ++i) threads[i] = MatchesThread(model, i, wanted);
  return threads;
}

void SetWindow(const Model& model, const CpuQuery& query, CpuProfileReport& report) {
  int64_t last_ns = model.facts.last_ns;
  for (const CpuSample& sample : model.samples.cpu.samples) {
    last_ns = std::max(last_ns, sample.at_ns);
  }
  report.from_ns = std::max(query.from_ns, model.facts.begin_ns());
  report.to_ns = std::max(report.from_ns, std::min(query.to_ns, last_ns));
  report.is_filtered =
      !query.thread.empty() || query.from_ns != INT64_MIN || query.to_ns != INT64_MAX;
}

void Sort(MethodOrder order, CpuProfileReport& report) {
  if (order == MethodOrder::kTotal) {
    std::stable_sort(report.methods.begin(), report.methods.end(),
                     [](const auto& a, const auto& b) { return a.total.amount > b.total.amount; });
  } else if (order == MethodOrder::kSelf) {
    std::stable_sort(report.own.methods.begin(), report.own.methods.end(),
                     [](const auto& a, const auto& b) { return a.self.amount > b.self.amount; });
  }
}

}  // namespace

CpuProfileReport AnalyzeCpu(const Model& model, const CpuQuery& query) {
  CpuProfileReport report;
  report.model = &model;
  SetWindow(model, query, report);
  const double window_ns = static_cast<double>(report.to_ns - report.from_ns);
  if (window_ns > 0) report.cores_over_time.resize(CpuProfileReport::kParts);

  CallPathsBuilder builder(model, query.paths);
  const std::vector<bool> is_wanted = ThreadsOf(model, query.thread);
  ThreadSums threads(is_wanted.size());
  for (const CpuSample& sample : model.samples.cpu.samples) {
    if (!is_wanted[sample.thread]) continue;
    if (sample.at_ns < query.from_ns || sample.at_ns >= query.to_ns) continue;
    const double ns = static_cast<double>(sample.cpu_ns);
    const PathWeight weight{.amount = ns, .count = 1, .variance = ns * ns, .samples = 1};
    const FrameId ran = builder.Add(sample.call, weight);
    threads.Add(sample.thread, ran, weight);
    report.whole += weight;
    report.unrooted += sample.unrooted ? 1 : 0;
    if (window_ns > 0) {
      const double at = static_cast<double>(sample.at_ns - report.from_ns) / window_ns;
      const auto part = static_cast<size_t>(std::clamp(at, 0.0, 1.0) * CpuProfileReport::kParts);
      report.cores_over_time[std::min(part, CpuProfileReport::kParts - 1)] +=
          ns / (window_ns / CpuProfileReport::kParts);
    }
  }
  if (window_ns > 0) report.cores = report.whole.amount / window_ns;
  report.threads = threads.Take();

  CallPaths all = builder.Build();
  FrameFilter filter;
  if (!query.focus.empty()) {
    filter = [&query](const PathFrame& frame) { return MatchesPattern(query.focus, frame.name); };
    for (FrameId id = 1; id < all.frames.size(); ++id) {
      if (filter(all.frames[id])) ++report.focus_matches;
    }
  }
  CallPaths below = filter ? BelowFrames(all, filter) : CallPaths();
  report.methods = MethodsOf(filter ? below : all);
  Places places(model);
  report.own = OwnCodeOf(filter ? below : all, places);
  for (const MethodWeight& method : report.methods) {
    const bool is_native = all.frames[method.frame].kind == PathFrame::Kind::kNative;
    if (is_native && method.self.samples > 0) report.native.push_back(method);
  }
  Sort(query.order, report);
  if (query.bottom_up) {
    report.paths = Callers(all, filter);
  } else {
    report.paths = filter ? std::move(below) : std::move(all);
  }
  return report;
}

}  // namespace hindsight::analyzer
