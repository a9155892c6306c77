#include "tests/live/harness/allocation_truth.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace hindsight::live {
namespace {

constexpr double kMegabytes = 128;  // along each path: AllocationHot's default
constexpr double kMeanBytes = 102'400;
constexpr double kSigmas = 4;
constexpr uint64_t kLeastSamples = 300;

// From the sample's own table, which the sample checks against the runtime's count.
struct Path {
  const char* method;
  const char* type;
  double share;   // of the path's bytes that are of this type
  uint64_t size;  // of an object; 0: of several sizes
};
constexpr Path kPaths[] = {
    {"Strings", "System.String", 1, 224},
    {"SmallArrays", "System.Byte[]", 1, 280},
    {"LargeArrays", "System.Byte[]", 1, 100024},
    {"Boxes", "System.Int32", 1, 24},
    {"GrowLists", "System.Int64[]", 1, 0},
    {"Closures", "System.Func`1", 64.0 / 88, 64},
    {"AsyncCalls", "System.Threading.Tasks.Task`1", 1, 72},
};

struct Estimate {
  double bytes = 0, variance = 0;
  uint64_t samples = 0;
};

// Horvitz-Thompson: an object sampled with probability p stands for 1/p of its kind.
void Add(const RawAllocation& allocation, Estimate& estimate) {
  ++estimate.samples;
  if (allocation.sampling == AllocationSamples::TICK) {
    const auto amount = static_cast<double>(allocation.amount);
    estimate.bytes += amount;
    estimate.variance += amount * amount;
    return;
  }
  const auto size = static_cast<double>(allocation.size);
  const double p = 1 - std::pow(1 - 1 / kMeanBytes, size);
  estimate.bytes += size / p;
  estimate.variance += size / p * size / p * (1 - p);
}

bool IsOf(const Path& path, const RawAllocation& allocation) {
  const std::string method = std::string("AllocationHot.Program.") + path.method;
  return allocation.type == path.type &&
         std::ranges::find(allocation.stack, method) != allocation.stack.end();
}

bool IsLarge(const Path& path) { return path.size > 85'000; }

// Large ones are padded, before .NET 10.
bool IsSizeOf(const Path& path, uint64_t size) {
  if (path.size == 0) return true;
  return IsLarge(path) ? size >= path.size && size <= path.size + 32 : size == path.size;
}

}  // namespace

std::string AllocationDifferences(const RawRecording& recording, int runtime) {
  std::string differences;
  const auto expect = [&](bool holds, const std::string& what) {
    if (!holds) differences += what + '\n';
  };
  expect(recording.lost == 0, std::to_string(recording.lost) + " lost");
  const auto sampling = runtime >= 10 ? AllocationSamples::BYTES : AllocationSamples::TICK;
  for (const Path& path : kPaths) {
    const std::string name = std::string(path.method) + ": ";
    const auto heap = IsLarge(path) ? AllocationSamples::LARGE : AllocationSamples::SMALL;
    Estimate estimate;
    uint64_t of_another_size = 0, elsewhere = 0;
    for (const RawAllocation& allocation : recording.allocations) {
      if (!IsOf(path, allocation)) continue;
      of_another_size += IsSizeOf(path, allocation.size) ? 0 : 1;
      elsewhere += allocation.heap == heap ? 0 : 1;
      Add(allocation, estimate);
    }
    expect(of_another_size == 0, name + std::to_string(of_another_size) + " of another size");
    expect(elsewhere == 0, name + std::to_string(elsewhere) + " in another heap");
    const double truth = kMegabytes * 1e6 * path.share;
    // A portion's last budget is reported with the next portion, and .NET 10 misses up to 8 KiB of
    // each large object: see allocations.h.
    const double bias = IsLarge(path) && runtime >= 10
                            ? truth * 8192 / static_cast<double>(path.size)
                            : truth / 100;
    const double allowed = kSigmas * std::sqrt(estimate.variance) + bias;
    expect(std::abs(estimate.bytes - truth) <= allowed,
           name + std::to_string(estimate.bytes) + " bytes instead of " + std::to_string(truth) +
               ", give or take " + std::to_string(allowed));
    expect(estimate.samples > kLeastSamples,
           name + std::to_string(estimate.samples) + " samples are too few");
  }
  const auto others =
      std::ranges::count_if(recording.allocations, [&](const RawAllocation& allocation) {
        return allocation.type.empty() || allocation.sampling != sampling;
      });
  expect(others == 0, std::to_string(others) + " without a type, or sampled in another way, of " +
                          std::to_string(recording.allocations.size()));
  return differences;
}

}  // namespace hindsight::live
