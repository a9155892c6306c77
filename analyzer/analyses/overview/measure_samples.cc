// Measures of what is sampled, with their errors: CPU time and allocations.
#include <cmath>

#include "analyzer/analyses/overview/measure_list.h"
#include "analyzer/analyses/overview/reports.h"

namespace hindsight::analyzer {
namespace {

double Peak(const std::vector<double>& values) {
  double peak = 0;
  for (const double value : values) peak = std::max(peak, value);
  return peak;
}

// The measures that report an amount: itself, as a share of all, per time.
struct Names {
  std::string_view amount, share, rate;
};

class Sampled {
 public:
  // `unit`: units of the rate per unit of the amount.
  Sampled(const PathWeight& whole, double seconds, double unit, MeasureList& list)
      : whole_(whole), per_rate_(seconds * unit), list_(list) {}

  void Add(const Names& names, std::string_view subject_kind, const std::string& subject,
           const PathWeight& weight) {
    const double error = ErrorOf(weight);
    if (!names.amount.empty()) {
      list_.AddOf(names.amount, subject_kind, subject, weight.amount, error);
    }
    if (!names.share.empty()) {
      const Share share = ShareOf(weight, whole_);
      list_.AddOf(names.share, subject_kind, subject, share.value, share.error);
    }
    if (per_rate_ > 0) {
      list_.AddOf(names.rate, subject_kind, subject, weight.amount / per_rate_, error / per_rate_);
    }
  }

 private:
  const PathWeight& whole_;
  double per_rate_;
  MeasureList& list_;
};

// Notes, which replace methods, are not for budgets.
bool IsMethod(const PathFrame& frame) { return frame.kind != PathFrame::Kind::kNote; }

void MeasureCpu(const CpuProfileReport& report, MeasureList& list) {
  const double seconds = static_cast<double>(report.to_ns - report.from_ns) / 1e9;
  Sampled sampled(report.whole, seconds, 1e9, list);
  sampled.Add({"cpu.time", "", "cpu.cores"}, "", "", report.whole);
  list.Add("cpu.cores.peak", Peak(report.cores_over_time));
  for (const MethodWeight& method : report.methods) {
    const PathFrame& frame = report.paths.frames[method.frame];
    if (!IsMethod(frame)) continue;
    sampled.Add({"cpu.time", "cpu.share", "cpu.cores"}, "method", frame.name, method.total);
    if (method.self.samples == 0) continue;
    sampled.Add({"cpu.self.time", "cpu.self.share", "cpu.self.cores"}, "method", frame.name,
                method.self);
  }
  const Model& model = *report.model;
  for (const CpuThread& thread : report.threads) {
    const std::string name(model.dictionaries.String(model.threads[thread.thread].name));
    if (!name.empty()) sampled.Add({"", "cpu.share", "cpu.cores"}, "thread", name, thread.weight);
  }
}

void MeasureAllocations(const AllocationReport& report, MeasureList& list) {
  constexpr Names kNames = {"allocations.bytes", "allocations.share",
                            "allocations.bytes_per_second"};
  const double seconds = report.seconds();
  Sampled sampled(report.whole, seconds, 1, list);
  sampled.Add({kNames.amount, "", kNames.rate}, "", "", report.whole);
  list.Add("allocations.objects", report.whole.count);
  const PathWeight& large = report.heaps[static_cast<size_t>(AllocationHeap::kLarge)];
  list.Add("allocations.large", large.amount, ErrorOf(large));
  const double part_seconds = seconds / AllocationReport::kParts;
  if (part_seconds > 0) {
    list.Add("allocations.bytes_per_second.peak", Peak(report.bytes_over_time) / part_seconds);
  }
  for (const AllocatedType& type : report.types) {
    sampled.Add(kNames, "type", type.name, type.weight);
  }
  for (const MethodWeight& method : report.methods) {
    const PathFrame& frame = report.paths.frames[method.frame];
    if (IsMethod(frame)) sampled.Add(kNames, "method", frame.name, method.total);
  }
}

}  // namespace

void MeasureSamples(const EventReports& events, MeasureList& list) {
  MeasureCpu(events.cpu, list);
  MeasureAllocations(events.allocations, list);
}

}  // namespace hindsight::analyzer
