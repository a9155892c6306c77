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

}  // namespace
}  // namespace hindsight::analyzer
