// What is stuck and why; what frames reveal about a wait.
#include "analyzer/analyses/waits/wait_graph.h"

#include <gtest/gtest.h>

#include <vector>

#include "analyzer/analyses/waits/blocking_calls.h"

namespace hindsight::analyzer {
namespace {

using Needs = WaitNode::Needs;

WaitGraph Graph(const std::vector<Needs>& nodes,
                const std::vector<std::pair<uint32_t, uint32_t>>& edges) {
  WaitGraph graph;
  for (const Needs needs : nodes) graph.Add({.needs = needs});
  for (const auto& [from, to] : edges) graph.Connect({.from = from, .to = to});
  graph.Finish();
  return graph;
}

TEST(WaitGraph, WhatNeedsNothingBringsOnThoseWhoWaitForIt) {
  const WaitGraph graph = Graph({Needs::kAll, Needs::kAll, Needs::kNothing}, {{0, 1}, {1, 2}});
  EXPECT_EQ(graph.Stuck(true), std::vector<bool>({false, false, false}));
}

TEST(WaitGraph, AllNeedsEachAndAnyNeedsOne) {
  // 0 and 1 wait for each other; 2 can proceed.
  const std::vector<std::pair<uint32_t, uint32_t>> edges = {{0, 1}, {1, 0}, {3, 0}, {3, 2}};
  const WaitGraph all = Graph({Needs::kAll, Needs::kAll, Needs::kNothing, Needs::kAll}, edges);
  EXPECT_EQ(all.Stuck(true), std::vector<bool>({true, true, false, true}));
  const WaitGraph any = Graph({Needs::kAll, Needs::kAll, Needs::kNothing, Needs::kAny}, edges);
  EXPECT_EQ(any.Stuck(true), std::vector<bool>({true, true, false, false}));
}

TEST(WaitGraph, ACircleIsACoreAndWhatWaitsForItIsNot) {
  const WaitGraph graph =
      Graph(std::vector<Needs>(5, Needs::kAll), {{0, 2}, {2, 4}, {4, 0}, {1, 0}, {3, 1}});
  const auto stuck = graph.Stuck(true);
  const auto cores = graph.Cores(stuck);
  ASSERT_EQ(cores.size(), 1u);
  EXPECT_TRUE(cores[0].is_circle);
  EXPECT_EQ(cores[0].nodes, std::vector<uint32_t>({0, 2, 4}));
  EXPECT_EQ(graph.Behind(cores[0], stuck), std::vector<uint32_t>({1, 3}));
}

TEST(WaitGraph, WhoWaitsForItselfIsACircle) {
  const WaitGraph graph = Graph({Needs::kAll}, {{0, 0}});
  const auto cores = graph.Cores(graph.Stuck(true));
  ASSERT_EQ(cores.size(), 1u);
  EXPECT_TRUE(cores[0].is_circle);
}

TEST(WaitGraph, WhatMayBeHelpedIsStuckOnlyIfItIsAbandonedOrItsHelpersAre) {
  WaitGraph graph;
  graph.Add({.needs = Needs::kAny, .may_be_helped = true});
  graph.Add({.needs = Needs::kAny, .may_be_helped = true, .is_abandoned = true});
  graph.Add({.needs = Needs::kAny, .may_be_helped = true});
  graph.Add({.needs = Needs::kAll});
  graph.Connect({.from = 2, .to = 3});
  graph.Connect({.from = 3, .to = 2});
  graph.Finish();
  EXPECT_EQ(graph.Stuck(true), std::vector<bool>({false, false, false, false}));
  EXPECT_EQ(graph.Stuck(false), std::vector<bool>({false, true, true, true}));
  const auto cores = graph.Cores(graph.Stuck(false));
  ASSERT_EQ(cores.size(), 2u);
  EXPECT_NE(cores[0].is_circle, cores[1].is_circle);
}

TEST(WaitGraph, TheWeakestEdgeIsTheProof) {
  WaitGraph graph;
  graph.Add({.needs = Needs::kAll});
  graph.Add({.needs = Needs::kAll});
  graph.Connect({.from = 0, .to = 1, .proof = Proof::kLikely});
  graph.Connect({.from = 1, .to = 0, .proof = Proof::kCertain});
  graph.Finish();
  EXPECT_EQ(graph.Cores(graph.Stuck(true)).at(0).proof, Proof::kLikely);
}

TEST(WaitGraph, ALongChainNeedsNoDeepStack) {
  constexpr uint32_t kNodes = 300'000;
  WaitGraph graph;
  for (uint32_t i = 0; i < kNodes; ++i) graph.Add({.needs = Needs::kAll});
  for (uint32_t i = 0; i < kNodes; ++i) graph.Connect({.from = i, .to = (i + 1) % kNodes});
  graph.Finish();
  const auto cores = graph.Cores(graph.Stuck(true));
  ASSERT_EQ(cores.size(), 1u);
  EXPECT_EQ(cores[0].nodes.size(), kNodes);
}

// ---- Frames -----------------------------------------------------------------------------------

class Frames : public ::testing::Test {
 protected:
  MethodId Add(std::string_view type, std::string_view name,
               std::vector<std::string> parameters = {}) {
    Type owner;
    owner.name = dictionaries_.AddString(type);
    Method method;
    method.type = dictionaries_.AddType(owner);
    method.name = dictionaries_.AddString(name);
    method.parameters = std::move(parameters);
    return dictionaries_.AddMethod(method);
  }

  Dictionaries dictionaries_;
};

TEST_F(Frames, TheOutermostCallOfTheFrameworkSaysWhatAThreadWaitsFor) {
  const std::vector<MethodId> path = {
      0,
      Add("System.Threading.Monitor", "Wait", {"System.Object", "System.Int32"}),
      Add("System.Threading.ManualResetEventSlim", "Wait", {"System.Int32"}),
      Add("System.Threading.Tasks.Task", "InternalWaitCore", {"System.Int32"}),
      Add("System.Threading.Tasks.Task`1", "get_Result"),
      Add("Shop.Cart", "Pay"),
      Add("System.Threading.Monitor", "Enter"),
  };
  const BlockingCalls calls(dictionaries_);
  const BlockingCall call = calls.Find(path);
  EXPECT_EQ(call.kind, BlockingCall::Kind::kTask);
  EXPECT_EQ(call.frames, 5u);
  EXPECT_TRUE(call.endless);
  EXPECT_EQ(calls.Site(path, call.frames), path[5]);
}

TEST_F(Frames, AParameterThatIsATimeMayEndAWait) {
  const BlockingCalls calls(dictionaries_);
  const std::vector<MethodId> endless = {Add("System.Threading.Thread", "Join")};
  const std::vector<MethodId> timed = {Add("System.Threading.Thread", "Join", {"System.Int32"})};
  EXPECT_TRUE(calls.Find(endless).endless);
  EXPECT_FALSE(calls.Find(timed).endless);
  EXPECT_EQ(calls.Find(timed).kind, BlockingCall::Kind::kJoin);
}

TEST_F(Frames, CodeThatRunsWaitsForNothing) {
  const BlockingCalls calls(dictionaries_);
  const std::vector<MethodId> path = {Add("Shop.Cart", "Pay"),
                                      Add("System.Threading.Monitor", "Enter")};
  EXPECT_EQ(calls.Find(path).kind, BlockingCall::Kind::kNone);
  EXPECT_EQ(calls.Find({}).kind, BlockingCall::Kind::kNone);
}

TEST_F(Frames, AWriterWantsMoreThanAReader) {
  const BlockingCalls calls(dictionaries_);
  constexpr std::string_view kLock = "System.Threading.ReaderWriterLockSlim";
  const std::vector<MethodId> write = {Add(kLock, "TryEnterWriteLockCore"),
                                       Add(kLock, "EnterWriteLock")};
  const std::vector<MethodId> read = {Add(kLock, "TryEnterReadLockCore")};
  EXPECT_TRUE(calls.Find(write).writes);
  EXPECT_TRUE(calls.Find(write).endless);
  EXPECT_FALSE(calls.Find(read).writes);
  EXPECT_FALSE(calls.Find(read).endless);
}

}  // namespace
}  // namespace hindsight::analyzer
