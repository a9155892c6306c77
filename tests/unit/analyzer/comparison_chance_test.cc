// Random recordings of one program that does not change: no difference is reported; and of one that
// does: it is found.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>

#include "analyzer/analyses/comparison/comparison.h"
#include "analyzer/analyses/overview/reports.h"
#include "tests/support/profile_scene.h"

namespace hindsight::analyzer {
namespace {

using testing::ProfileScene;

constexpr int kMethods = 30;
constexpr double kSeconds = 10;

// CPU samples of `kMethods` methods of very different weights, each drawn at random; the first is
// heavier by `factor`. `jitter`: of the machine, independent for each method.
std::unique_ptr<ProfileScene> Draw(std::mt19937& chance, double factor, double jitter) {
  auto scene = std::make_unique<ProfileScene>();
  scene->model().facts.last_ns = static_cast<int64_t>(kSeconds * 1e9);
  std::uniform_real_distribution<double> when(0, kSeconds * 1e9);
  std::normal_distribution<double> machine(0, jitter);
  for (int i = 0; i < kMethods; ++i) {
    const CallId call = scene->Call(
        {"Shop.Main", "Shop.Part" + std::to_string(i % 5), "Shop.M" + std::to_string(i)});
    const double rate = 30.0 / (1 + i / 3) * (i == 0 ? factor : 1) * std::exp(machine(chance));
    std::poisson_distribution<int> count(rate * kSeconds);
    for (int k = count(chance); k > 0; --k) {
      scene->Cpu(call, 1, 1, static_cast<int64_t>(when(chance)));
    }
  }
  scene->model().facts.last_ns = static_cast<int64_t>(kSeconds * 1e9);
  return scene;
}

Comparison CompareOf(ProfileScene& before, ProfileScene& after) {
  const Reports old_reports = MakeReports(std::make_unique<EventReports>(before.model()), nullptr);
  const Reports new_reports = MakeReports(std::make_unique<EventReports>(after.model()), nullptr);
  return Compare(old_reports, new_reports);
}

TEST(ComparisonChance, ReportsNoDifferenceWhereThereIsNone) {
  std::mt19937 chance(20261122);
  constexpr int kPairs = 400;
  int reported = 0;
  size_t notes = 0;
  for (int i = 0; i < kPairs; ++i) {
    const auto before = Draw(chance, 1, 0.02), after = Draw(chance, 1, 0.02);
    const Comparison comparison = CompareOf(*before, *after);
    reported += comparison.is_empty() ? 0 : 1;
    notes += comparison.notes.size();
  }
  EXPECT_LE(reported, kPairs / 100);  // the promise is 99 %
  EXPECT_LE(notes, static_cast<size_t>(kPairs / 100));
}

TEST(ComparisonChance, FindsAMethodThatIsTwiceAsSlow) {
  std::mt19937 chance(3);
  constexpr int kPairs = 50;
  int found = 0;
  for (int i = 0; i < kPairs; ++i) {
    const auto before = Draw(chance, 1, 0.02), after = Draw(chance, 2, 0.02);
    const Comparison comparison = CompareOf(*before, *after);
    found += comparison.differences.size() == 1 && comparison.differences[0].subject == "Shop.M0";
  }
  EXPECT_GE(found, kPairs * 9 / 10);
}

}  // namespace
}  // namespace hindsight::analyzer
