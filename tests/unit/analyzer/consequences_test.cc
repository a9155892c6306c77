#include "analyzer/analyses/comparison/consequences.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzer/analyses/comparison/states.h"

namespace hindsight::analyzer {
namespace {

Difference Of(Signal signal, const std::string& method, double more, double impact) {
  Difference difference;
  difference.signal = signal;
  difference.level = Difference::Level::kMethod;
  difference.subject = method;
  difference.path = {"Shop.Main", method};
  difference.after = more;
  difference.impact = impact;
  difference.title = std::string(SignalName(signal)) + " of " + method;
  return difference;
}

// The titles of those that are left.
std::vector<std::string> Reported(std::vector<Difference> differences,
                                  const ComparisonRules& rules = {}) {
  FoldConsequences(differences, rules);
  std::vector<std::string> titles;
  for (const Difference& difference : differences) titles.push_back(difference.title);
  return titles;
}

using Titles = std::vector<std::string>;

TEST(Consequences, TheCpuTimeOfWhatWaitsIsItsLocks) {
  std::vector<Difference> differences = {Of(Signal::kCpu, "Shop.Add", 2, 0.9),
                                         Of(Signal::kLocks, "Shop.Add", 1, 0.5)};
  FoldConsequences(differences);
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0].signal, Signal::kLocks);
  EXPECT_EQ(differences[0].evidence, "; with it, cpu of Shop.Add");
}

TEST(Consequences, WorkersThatBlockSomewhereWaitThere) {
  EXPECT_EQ(Reported({Of(Signal::kPool, "Shop.Add", 1, 0.1), Of(Signal::kLocks, "Shop.Add", 1, 0.5),
                      Of(Signal::kLocks, "Shop.Count", 1, 0.5)}),
            (Titles{"pool of Shop.Add", "locks of Shop.Count"}));
}

TEST(Consequences, WhatBlocksWorkersDelaysAllRequests) {
  Difference slower = Of(Signal::kRequests, "", 1, 0.9);
  slower.level = Difference::Level::kWhole;
  slower.measure = "requests.time.mean";
  slower.title = "requests take longer";
  Difference blocked = Of(Signal::kPool, "Shop.Add", 1, 0.5);
  blocked.measure = kStateMeasure;
  EXPECT_EQ(Reported({slower, blocked}), Titles{"pool of Shop.Add"});
  Difference fewer = slower;
  fewer.measure = "requests.per_second";
  EXPECT_EQ(Reported({fewer, blocked}).size(), 2u);
  Difference of_a_route = slower;
  of_a_route.level = Difference::Level::kMethod;
  EXPECT_EQ(Reported({of_a_route, blocked}).size(), 2u);
  Difference no_longer = blocked;
  no_longer.direction = Difference::Direction::kGone;
  EXPECT_EQ(Reported({slower, no_longer}).size(), 2u);
}

TEST(Consequences, CollectionsThatSomebodyAsksForAreNotTheAllocations) {
  const auto pauses = [](const std::string& asked_by) {
    Difference difference = Of(Signal::kPauses, asked_by, 1, 0.3);
    difference.level = Difference::Level::kWhole;
    return difference;
  };
  const Difference allocations = Of(Signal::kAllocations, "Shop.Add", 1, 0.5);
  const Difference collector = Of(Signal::kCpu, "runtime: GC", 1, 0.6);
  EXPECT_EQ(Reported({pauses("Shop.Tidy"), allocations, collector}),
            (Titles{"pauses of Shop.Tidy", "allocations of Shop.Add"}));
  EXPECT_EQ(Reported({pauses(""), allocations, collector}), Titles{"allocations of Shop.Add"});
}

TEST(Consequences, LittleWaitingBesideMuchIsHeldUpByIt) {
  EXPECT_EQ(Reported({Of(Signal::kLocks, "Shop.Count", 0.04, 0.04),
                      Of(Signal::kLocks, "Shop.Add", 0.8, 0.44)}),
            Titles{"locks of Shop.Add"});
  EXPECT_EQ(Reported({Of(Signal::kLocks, "Shop.Count", 0.2, 0.17),
                      Of(Signal::kLocks, "Shop.Add", 0.8, 0.44)})
                .size(),
            2u);
  // Less waiting is no consequence of more.
  EXPECT_EQ(Reported({Of(Signal::kLocks, "Shop.Count", 0.04, 0.04),
                      [] {
                        Difference less = Of(Signal::kLocks, "Shop.Add", 0, 0.44);
                        less.before = 0.8;
                        less.direction = Difference::Direction::kBetter;
                        return less;
                      }()})
                .size(),
            2u);
}

TEST(Consequences, TheRulesHoldAtTheirEdges) {
  const std::vector<Difference> waits = {Of(Signal::kLocks, "Shop.Count", 0.2, 0.17),
                                         Of(Signal::kLocks, "Shop.Add", 0.8, 0.44)};
  ComparisonRules rules;
  rules.held_up = 0.249;
  EXPECT_EQ(Reported(waits, rules).size(), 2u);
  rules.held_up = 0.251;
  EXPECT_EQ(Reported(waits, rules), Titles{"locks of Shop.Add"});

  rules.most_consequences = 1;
  std::vector<Difference> differences = waits;
  FoldConsequences(differences, rules);
  EXPECT_EQ(differences.at(0).evidence, "; with it, locks of Shop.Count");
  rules.most_consequences = 0;
  differences = waits;
  FoldConsequences(differences, rules);
  EXPECT_EQ(differences.at(0).evidence, "");
}

TEST(Consequences, OfTwoThatWeighTheSameOneIsReported) {
  EXPECT_EQ(
      Reported({Of(Signal::kAllocations, "Shop.Load", 5, 1), Of(Signal::kCpu, "Shop.Load", 1, 1)}),
      Titles{"cpu of Shop.Load"});
}

}  // namespace
}  // namespace hindsight::analyzer
