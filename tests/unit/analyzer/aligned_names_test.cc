#include "analyzer/analyses/comparison/aligned_names.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace hindsight::analyzer {
namespace {

using Things = std::vector<NamedRow>;

// Whether before[i] and after[k] are one.
bool IsOne(const AlignedNames& aligned, size_t i, size_t k) {
  return aligned.before[i] == aligned.after[k];
}

TEST(AlignedNames, EqualNamesAreOne) {
  const Things before = {{"A.F", {}, {}}, {"A.G", {}, {}}},
               after = {{"A.G", {}, {}}, {"A.H", {}, {}}};
  const AlignedNames aligned = AlignNames(before, after);
  EXPECT_TRUE(IsOne(aligned, 1, 0));
  EXPECT_FALSE(IsOne(aligned, 0, 1));
  EXPECT_EQ(aligned.names[aligned.before[0]], "A.F");
  EXPECT_EQ(aligned.names[aligned.after[1]], "A.H");
}

TEST(AlignedNames, AMethodAndItsAsynchronousCounterpartAreOneIfEachIsInOneRecording) {
  const Things plain = {{"A.Load", {}, {}}}, async = {{"A.LoadAsync", {}, {}}},
               both = {{"A.Load", {}, {}}, {"A.LoadAsync", {}, {}}};
  EXPECT_TRUE(IsOne(AlignNames(plain, async), 0, 0));
  EXPECT_TRUE(IsOne(AlignNames(async, plain), 0, 0));
  EXPECT_FALSE(IsOne(AlignNames(plain, both), 0, 1));
  EXPECT_FALSE(IsOne(AlignNames(both, async), 0, 0));
}

TEST(AlignedNames, LambdasOfOneMethodKeepTheirOrder) {
  const Things before = {{"A.F.lambda#0", {}, {}}, {"A.F.lambda#1", {}, {}}};
  const Things after = {{"A.F.lambda#5", {}, {}}, {"A.F.lambda#10", {}, {}}};
  const AlignedNames aligned = AlignNames(before, after);
  EXPECT_TRUE(IsOne(aligned, 0, 0));
  EXPECT_TRUE(IsOne(aligned, 1, 1));
  EXPECT_EQ(aligned.names[aligned.before[1]], "A.F.lambda#10");
}

TEST(AlignedNames, ANewLambdaShiftsTheOthers) {
  const Things before = {{"A.F.lambda#0", {"A.Parse"}, {}}, {"A.F.lambda#1", {"A.Store"}, {}}};
  const Things after = {{"A.F.lambda#0", {"A.Check"}, {}},
                        {"A.F.lambda#1", {"A.Parse"}, {}},
                        {"A.F.lambda#2", {"A.Store"}, {}}};
  const AlignedNames aligned = AlignNames(before, after);
  EXPECT_TRUE(IsOne(aligned, 0, 1));
  EXPECT_TRUE(IsOne(aligned, 1, 2));
  EXPECT_EQ(std::count(aligned.before.begin(), aligned.before.end(), aligned.after[0]), 0);
}

// Handlers of one server resemble one another; and not each one is seen in each recording.
TEST(AlignedNames, WhatLambdasCallSaysMoreThanTheirNumbers) {
  const Things before = {{"Main.lambda#3", {"Server.Run", "A.Find"}, {}},
                         {"Main.lambda#4", {"Server.Run", "A.List"}, {}},
                         {"Main.lambda#5", {"Server.Run", "A.Count"}, {}},
                         {"Main.lambda#6", {"Server.Run", "A.Save"}, {}},
                         {"Main.lambda#7", {"Server.Run", "A.Price"}, {}}};
  const Things after = {{"Main.lambda#2", {"Server.Run", "A.Gate"}, {}},
                        {"Main.lambda#4", {"Server.Run", "A.Find"}, {}},
                        {"Main.lambda#5", {"Server.Run", "A.List"}, {}},
                        {"Main.lambda#6", {"Server.Run", "A.Count"}, {}},
                        {"Main.lambda#7", {"Server.Run", "A.Save"}, {}}};
  const AlignedNames aligned = AlignNames(before, after);
  for (size_t i = 0; i < 4; ++i) EXPECT_TRUE(IsOne(aligned, i, i + 1)) << i;
  EXPECT_EQ(std::count(aligned.after.begin(), aligned.after.end(), aligned.before[4]), 0);
}

TEST(AlignedNames, ALambdaThatIsGoneLeavesTheOthers) {
  const Things before = {{"A.F.lambda#0", {"A.Check"}, {}}, {"A.F.lambda#1", {"A.Parse"}, {}}};
  const Things after = {{"A.F.lambda#0", {"A.Parse"}, {}}};
  const AlignedNames aligned = AlignNames(before, after);
  EXPECT_TRUE(IsOne(aligned, 1, 0));
  EXPECT_EQ(aligned.names[aligned.before[0]], "A.F.lambda#0");
  EXPECT_NE(aligned.before[0], aligned.after[0]);
}

TEST(AlignedNames, OfOneBuildOnlyTheSameNumberIsTheSame) {
  const auto are_one = [](const char* before_build, const char* after_build) {
    const Things before = {{"A.F.lambda#3", {"A.Parse"}, before_build}};
    const Things after = {{"A.F.lambda#2", {"A.Parse"}, after_build}};
    return IsOne(AlignNames(before, after), 0, 0);
  };
  EXPECT_FALSE(are_one("build 1", "build 1"));
  EXPECT_TRUE(are_one("build 1", "build 2"));
  EXPECT_TRUE(are_one("", ""));
  const Things before = {{"A.F.lambda#3", {}, "build 1"}, {"A.F.lambda#4", {}, "build 1"}};
  const Things after = {{"A.F.lambda#2", {}, "build 1"}, {"A.F.lambda#4", {}, "build 1"}};
  EXPECT_TRUE(IsOne(AlignNames(before, after), 1, 1));
}

TEST(AlignedNames, WithoutNeighboursTheSameNumberIsTheSame) {
  const Things before = {{"A.F.lambda#1", {}, {}}};
  const Things after = {{"A.F.lambda#0", {}, {}}, {"A.F.lambda#1", {}, {}}};
  EXPECT_TRUE(IsOne(AlignNames(before, after), 0, 1));
}

TEST(AlignedNames, NumbersOfOtherMethodsAreOthers) {
  const Things before = {{"A.F.lambda#0", {}, {}}}, after = {{"A.G.lambda#0", {}, {}}};
  EXPECT_FALSE(IsOne(AlignNames(before, after), 0, 0));
}

TEST(AlignedNames, KnowsNumbersOfTheCompiler) {
  EXPECT_TRUE(IsNumbered("A.F.lambda#12.lambda#0"));
  EXPECT_FALSE(IsNumbered("A.F#"));
  EXPECT_EQ(WithoutNumbers("A.F.lambda#12.lambda#0"), "A.F.lambda#.lambda#");
  EXPECT_EQ(WithoutNumbers("AnonymousType#3<int>"), "AnonymousType#<int>");
}

}  // namespace
}  // namespace hindsight::analyzer
