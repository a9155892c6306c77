// A heap snapshot shows where AllocationHot's surviving objects were allocated, and no others; and
// no handle is left once the recorder has gone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include "tests/live/harness/application.h"
#include "tests/live/harness/raw_recording.h"
#include "tests/live/harness/sample.h"

namespace hindsight::live {
namespace {

constexpr uint64_t kMegabytes = 256;  // along each path
constexpr uint64_t kPortions = 64;
constexpr uint64_t kKeep = 15'000;  // objects of each path's last portion
constexpr double kMeanBytes = 102'400;
constexpr double kSigmas = 4;

// From AllocationHot; a portion's bytes include what a path allocates in addition.
struct Path {
  const char* method;
  uint64_t size;             // of an object
  uint64_t bytes_of_object;  // with all that is allocated for it
};
constexpr Path kPaths[] = {
    {"Strings", 224, 224}, {"SmallArrays", 280, 280}, {"LargeArrays", 100'024, 100'024},
    {"Boxes", 24, 24},     {"Closures", 64, 24 + 64}, {"AsyncCalls", 72, 72},
};

uint64_t BytesKept(const Path& path) {
  const uint64_t count = kMegabytes * 1'000'000 / (kPortions * path.bytes_of_object);
  return std::min(count, kKeep) * path.size;
}

bool IsOf(const RawSurvivor& survivor, const char* method) {
  return std::ranges::find(survivor.stack, std::string("AllocationHot.Program.") + method) !=
         survivor.stack.end();
}

struct Estimate {
  double bytes = 0, variance = 0;

  void Add(const RawSurvivor& survivor, const RawSnapshot& snapshot) {
    const auto size = static_cast<double>(survivor.size);
    const double p = snapshot.sampling == AllocationSamples::TICK
                         ? size / static_cast<double>(survivor.amount)
                         : 1 - std::pow(1 - 1 / kMeanBytes, size);
    const double stands_for = snapshot.stride / std::min(p, 1.0);
    bytes += stands_for * size;
    variance += stands_for * size * stands_for * size * (1 - 1 / stands_for);
  }
};

std::vector<std::string> AllocationHot(int runtime) {
  if (runtime == 8) return {HINDSIGHT_ALLOCATION_HOT_8};
  if (runtime == 9) return {HINDSIGHT_ALLOCATION_HOT_9};
  return {HINDSIGHT_DOTNET, HINDSIGHT_ALLOCATION_HOT_10};
}

SampleApplication::Start Sample(int runtime) {
  return {.command = AllocationHot(runtime),
          .arguments = {"--megabytes", std::to_string(kMegabytes), "--keep", std::to_string(kKeep)},
          .waits_to_go = true};
}

void ExpectWhatIsKept(const RawSnapshot& snapshot, pid_t pid) {
  ASSERT_TRUE(snapshot.has_survivors);
  EXPECT_GE(snapshot.stride, 1u);
  EXPECT_TRUE(std::ranges::is_sorted(snapshot.survivors, {}, &RawSurvivor::address));
  for (const Path& path : kPaths) {
    Estimate estimate;
    uint64_t samples = 0;
    for (const RawSurvivor& survivor : snapshot.survivors) {
      // Before .NET 10 large objects are reported with their padding.
      const bool fits = survivor.size >= path.size && survivor.size <= path.size + 32;
      if (!fits || !IsOf(survivor, path.method)) continue;
      ++samples;
      EXPECT_EQ(survivor.thread_os_id, static_cast<uint32_t>(pid));
      estimate.Add(survivor, snapshot);
    }
    const auto truth = static_cast<double>(BytesKept(path));
    // If there are few samples, their own variance says little.
    const double expected = truth * kMeanBytes * snapshot.stride;
    EXPECT_NEAR(estimate.bytes, truth,
                kSigmas * std::sqrt(std::max(estimate.variance, expected)) + truth / 10)
        << path.method << ": " << samples << " samples, stride " << snapshot.stride;
  }
  EXPECT_EQ(std::ranges::count_if(
                snapshot.survivors,
                [](const RawSurvivor& survivor) { return IsOf(survivor, "GrowLists"); }),
            0);
}

class SurvivorsTest : public testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(SurvivorsTest, AreWhatIsKeptByItsPath) {
  const auto [runtime, attached] = GetParam();
  const Workspace out;
  SampleApplication::Start start = Sample(runtime);
  if (!attached) start.environment = StartUp(out.path(), "sources=allocations,heap,gc");
  SampleApplication application(start);
  if (attached) application.Attach("allocations,heap,gc");
  ASSERT_FALSE(WhenListening(attached ? application.output() : out.path()).empty());
  application.Go();
  ExpectWhatIsKept(RawSnapshot(application.SnapshotFile()), application.pid());
  application.Trigger("stop");
  EXPECT_EQ(application.End(), "done\n");
}

INSTANTIATE_TEST_SUITE_P(Net, SurvivorsTest,
                         testing::Combine(testing::ValuesIn(kRuntimes), testing::Bool()),
                         [](const auto& info) {
                           return std::to_string(std::get<0>(info.param)) +
                                  (std::get<1>(info.param) ? "Attach" : "StartUp");
                         });

class SurvivorHandlesTest : public testing::TestWithParam<int> {};

TEST_P(SurvivorHandlesTest, NoneIsLeftAfterTheDetach) {
  SampleApplication application(Sample(GetParam()));
  application.Attach("allocations,heap,gc");
  ASSERT_FALSE(WhenListening(application.output()).empty());
  application.Go();
  const RawSnapshot followed(application.SnapshotFile());
  application.Trigger("stop");
  EXPECT_GT(followed.survivors.size(), 100u);
  application.Attach("heap");
  const RawSnapshot after(application.SnapshotFile());
  application.Trigger("stop");
  EXPECT_FALSE(after.has_survivors);
  EXPECT_GE(followed.weak_handles, followed.survivors.size());
  EXPECT_LT(after.weak_handles, followed.weak_handles - followed.survivors.size() + 50);
  EXPECT_EQ(application.End(), "done\n");
}

INSTANTIATE_TEST_SUITE_P(Net, SurvivorHandlesTest, testing::ValuesIn(kRuntimes),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace hindsight::live
