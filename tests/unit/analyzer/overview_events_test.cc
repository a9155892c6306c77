// What a recording covers, and what is reported about an idle or a lossy one.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/unit/analyzer/overview_events.h"

namespace hindsight::analyzer {
namespace {

using State = Coverage::State;

// The cause of the process's end may be among what was no longer written.
TEST_F(OverviewOfEvents, ARecordingThatEndsAbruptlyClearsNoExceptions) {
  model().facts.exceptions_on = true;
  for (const bool has_some : {false, true}) {
    if (has_some) Exceptions("Shop.Odd", 1, 10);
    model().facts.end = EndReason::kProcessExit;
    EXPECT_EQ(Of(Find(), Signal::kExceptions).state,
              has_some ? State::kHealthy : State::kNothingThere);
    model().facts.end = EndReason::kBrokeOff;
    EXPECT_EQ(Of(Find(), Signal::kExceptions).state, State::kPartly);
  }
}

TEST_F(OverviewOfEvents, AnIdleProcessIsHealthyAndEverythingIsAccountedFor) {
  const Overview overview = Find();
  EXPECT_TRUE(overview.is_healthy());
  EXPECT_TRUE(overview.findings.empty());
  ASSERT_EQ(overview.coverage.size(), kSignals);
  for (size_t i = 0; i < kSignals; ++i) {
    EXPECT_EQ(overview.coverage[i].signal, static_cast<Signal>(i));
    EXPECT_NE(overview.coverage[i].state, State::kFound);
    EXPECT_NE(overview.coverage[i].looked_at + overview.coverage[i].note, "");
  }
  EXPECT_EQ(Of(overview, Signal::kExceptions).state, State::kNothingThere);
  EXPECT_EQ(Of(overview, Signal::kHeap).state, State::kNotRecorded);
  EXPECT_EQ(Of(overview, Signal::kTasks).state, State::kNotRecorded);
  EXPECT_EQ(Of(overview, Signal::kDeadlocks).state, State::kPartly);
}

TEST_F(OverviewOfEvents, ASnapshotCanBeTakenWhileTheProcessLives) {
  const auto note = [this] { return Of(Find(), Signal::kHeap).note; };
  EXPECT_EQ(note().find("hindsight-trigger"), std::string::npos);
  model().facts.end = EndReason::kStopped;
  EXPECT_NE(note().find("`hindsight-trigger snapshot 4242`"), std::string::npos);
}

TEST_F(OverviewOfEvents, ASourceThatWasOffIsNamed) {
  RecordingFacts& facts = model().facts;
  facts.exceptions_on = facts.cpu_on = facts.allocations_on = facts.gc_on = false;
  facts.locks_on = facts.waits_on = false;
  const Overview overview = Find();
  const auto source = [&](Signal signal, const char* name) {
    EXPECT_EQ(Of(overview, signal).state, State::kNotRecorded) << name;
    EXPECT_NE(Of(overview, signal).note.find(std::string("sources=+") + name), std::string::npos);
  };
  source(Signal::kExceptions, "exceptions");
  source(Signal::kCpu, "cpu");
  source(Signal::kAllocations, "allocations");
  source(Signal::kLocks, "locks");
  source(Signal::kPool, "locks,+waits");
  source(Signal::kDeadlocks, "locks,+waits");
  source(Signal::kPauses, "gc");
}

// They were on: the remedy is to begin sooner.
TEST_F(OverviewOfEvents, OfAProcessThatEndedInItsStartSourcesWereNotOff) {
  RecordingFacts& facts = model().facts;
  facts.ended_in_start = true;
  facts.allocations_on = facts.locks_on = false;
  facts.sources = {"locks"};
  const Overview overview = Find();
  for (const Signal signal : {Signal::kPool, Signal::kLocks}) {
    EXPECT_EQ(Of(overview, signal).state, State::kNotRecorded);
    EXPECT_EQ(Of(overview, signal).note,
              "The process ended too soon; `events.from=start` records its start.");
  }
  EXPECT_EQ(Of(overview, Signal::kAllocations).note, "Record with `sources=+allocations`.");
}

TEST_F(OverviewOfEvents, WhateverLosesEventsLeavesNoAllClear) {
  model().facts.exceptions_on = true;
  Losses& losses = model().losses;
  for (const bool has_some : {false, true}) {
    if (has_some) Exceptions("Shop.Lost", 3, 1000);
    const State before = Of(Find(), Signal::kExceptions).state;
    EXPECT_EQ(before, has_some ? State::kHealthy : State::kNothingThere);
    for (uint64_t* loss : {&losses.ring_full, &losses.memory_cap, &losses.disk_error,
                           &losses.segments, &losses.damaged_bytes, &losses.refused}) {
      *loss = 1;
      const Coverage coverage = Of(Find(), Signal::kExceptions);
      EXPECT_EQ(coverage.state, State::kPartly);
      EXPECT_NE(coverage.note.find("events were lost"), std::string::npos) << coverage.note;
      *loss = 0;
    }
    // Those are here.
    losses.stacks_missing = 1;
    EXPECT_EQ(Of(Find(), Signal::kExceptions).state, before);
    losses.stacks_missing = 0;
  }
}

// Tools end like that, so it is a note.
TEST_F(OverviewOfEvents, WhoCalledEnvironmentExitIsNamed) {
  EXPECT_TRUE(Find().findings.empty());
  model().exit_call = ExitCall{
      .at_ns = 3 * kSecond,
      .stack = Stack({"Shop.Program.Main", "Shop.Watchdog.Check", "System.Environment.Exit"})};
  const std::vector<Finding> found = Find().findings;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "exit");
  EXPECT_EQ(found[0].severity, Severity::kNote);
  EXPECT_FALSE(found[0].is_doubt);
  EXPECT_EQ(found[0].title, "Shop.Watchdog.Check called Environment.Exit");
}

class OverviewOfTheFinalizer : public OverviewOfEvents {
 protected:
  OverviewOfTheFinalizer() {
    model().facts.end = EndReason::kStopped;
    ThreadInfo thread;
    thread.name = model().dictionaries.AddString(".NET Finalizer");
    model().threads.push_back(thread);
  }

  void Look(StackId stack) {
    ThreadSnapshot& look = model().waits.snapshots.emplace_back();
    look.at_ns = static_cast<int64_t>(model().waits.snapshots.size()) * kSecond;
    const auto finalizer = static_cast<ThreadIndex>(model().threads.size() - 1);
    look.threads.push_back({.thread = finalizer, .stack = stack, .unchanged_since_ns = look.at_ns});
  }
  std::vector<Finding> Busy() {
    std::vector<Finding> found = Find().findings;
    std::erase_if(found, [](const Finding& other) { return other.kind != "busy-finalizer"; });
    return found;
  }

  const StackId waits_ = Stack({"System.GC.WaitForWork"});
  const StackId finalizes_ = Stack({"System.GC.RunFinalizers", "Shop.Scan.Finalize"});
  const StackId releases_ =
      Stack({"System.GC.RunFinalizers", "Shop.Scan.Finalize", "Shop.Scan.Release"});
};

TEST_F(OverviewOfTheFinalizer, ItIsBusyIfItHasNoRest) {
  const OverviewRules rules;
  Look(finalizes_);
  EXPECT_TRUE(Busy().empty());
  Look(releases_);
  ASSERT_EQ(Busy().size(), 1u);
  EXPECT_TRUE(Busy()[0].is_doubt);
  EXPECT_EQ(
      Busy()[0].title,
      "The finalizer thread has no rest: it was in Shop.Scan.Finalize in 2 of 2 thread snapshots");
  while (model().waits.snapshots.size() < rules.finalizer_sure_looks) Look(finalizes_);
  EXPECT_EQ(Busy().at(0).severity, Severity::kWarning);
  EXPECT_FALSE(Busy()[0].is_doubt);
  Look(waits_);
  EXPECT_EQ(Busy().size(), 1u);  // 5 of 6
  Look(waits_);
  EXPECT_TRUE(Busy().empty());
}

TEST_F(OverviewOfTheFinalizer, OneThatDoesNotRunWaits) {
  Look(finalizes_);
  Look(finalizes_);
  ThreadSnapshot& last = model().waits.snapshots.back();
  const auto waits = [&](uint64_t still_ns) {
    last.threads[0].unchanged_since_ns = last.at_ns - static_cast<int64_t>(still_ns);
    return Busy().at(0).title;
  };
  const uint64_t least = OverviewRules().finalizer_still_ns;
  last.at_ns = 10 * kSecond;
  EXPECT_EQ(waits(least),
            "The finalizer thread has been in Shop.Scan.Finalize for 4.50 s without running");
  EXPECT_TRUE(waits(least - 1).starts_with("The finalizer thread has no rest: "));
}

TEST_F(OverviewOfTheFinalizer, TheLookAtAProcessThatHasEndedDoesNotCount) {
  Look(finalizes_);
  Look(finalizes_);
  Look(waits_);
  EXPECT_TRUE(Busy().empty());
  model().facts.end = EndReason::kProcessExit;
  EXPECT_EQ(Busy().size(), 1u);
}

}  // namespace
}  // namespace hindsight::analyzer
