// Many recordings together: counts, hosts that deviate, and the first build with a finding.
#include "analyzer/fleet/fleet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analyzer/fleet/outliers.h"

namespace hindsight::analyzer {
namespace {

constexpr uint64_t kHour = 3'600'000'000'000;

RowFinding Deadlock(const std::string& subject = "Shop.Accounts.Transfer") {
  return {
      Severity::kCritical, Signal::kDeadlocks, "lock-cycle", subject, "a deadlock", "deadlocks", 1};
}

class Rows {
 public:
  RecordingRow& Add(const std::string& host, const std::string& build, uint64_t hour,
                    const std::string& application = "Shop") {
    RecordingRow& row = rows_.emplace_back();
    row.recording_id = rows_.size();
    row.path = "r" + std::to_string(rows_.size());
    row.application = application;
    row.host = host;
    row.build = build;
    row.pid = static_cast<uint32_t>(100 + rows_.size());
    row.process_started_unix_ns = row.started_unix_ns = 1'795'000'000'000'000'000 + hour * kHour;
    row.duration_ns = 60'000'000'000;
    row.covered = (1u << kSignals) - 1;
    return row;
  }
  Fleet Judge() const { return FleetOf(rows_); }
  std::vector<RecordingRow>& all() { return rows_; }

 private:
  std::vector<RecordingRow> rows_;
};

TEST(Fleet, CountsProcessesAndHostsOfAFinding) {
  Rows rows;
  rows.Add("web-1", "a", 0).findings = {Deadlock()};
  // The same process, recorded once more.
  RecordingRow again = rows.all().front();
  again.recording_id = 77;
  again.path = "r1-again";
  rows.all().push_back(again);
  rows.Add("web-1", "a", 1).findings = {Deadlock()};
  rows.Add("web-2", "a", 0).findings = {Deadlock("Shop.Other.Place")};
  rows.Add("web-3", "a", 0);
  const Fleet fleet = rows.Judge();
  EXPECT_EQ(fleet.recordings, 5u);
  EXPECT_EQ(fleet.count.processes, 4u);
  EXPECT_EQ(fleet.count.hosts, 3u);
  EXPECT_EQ(fleet.ill.processes, 3u);
  EXPECT_EQ(fleet.ill.hosts, 2u);
  ASSERT_EQ(fleet.findings.size(), 2u);
  EXPECT_EQ(fleet.findings[0].has.processes, 2u);
  EXPECT_EQ(fleet.findings[0].has.hosts, 1u);
  EXPECT_EQ(fleet.findings[0].of.processes, 4u);
  EXPECT_EQ(fleet.findings[1].worst.subject, "Shop.Other.Place");
}

TEST(Fleet, ACopyOfARecordingIsCountedOnce) {
  Rows rows;
  rows.Add("web-1", "a", 0);
  RecordingRow copy = rows.all().front();
  copy.path = "elsewhere";
  rows.all().push_back(copy);
  const Fleet fleet = rows.Judge();
  EXPECT_EQ(fleet.recordings, 1u);
  EXPECT_EQ(fleet.copies, 1u);
}

// As of a copy each day of a recording that goes on, or of one that was cut off on the way.
TEST(Fleet, OfCopiesTheOneThatReachesFurthestCounts) {
  Rows rows;
  rows.Add("web-1", "a", 0).findings = {Deadlock()};
  RecordingRow early = rows.all().front();
  early.path = "a-comes-first";
  early.duration_ns /= 2;
  early.findings.clear();
  rows.all().push_back(early);
  RecordingRow without_heap = rows.all().front();
  without_heap.path = "b-comes-next";
  without_heap.covered &= 1;
  without_heap.findings.clear();
  rows.all().push_back(without_heap);
  const Fleet fleet = rows.Judge();
  EXPECT_EQ(fleet.recordings, 1u);
  EXPECT_EQ(fleet.copies, 2u);
  ASSERT_EQ(fleet.findings.size(), 1u);
  EXPECT_EQ(fleet.findings[0].path, "r1");
}

// Kept or cut out: the process and its findings count once, from the whole recording.
TEST(Fleet, APartIsLeftOutIfTheWholeIsThereAndHasAllOfIt) {
  Rows rows;
  rows.Add("web-1", "a", 0).findings = {Deadlock()};
  const auto part = [&](uint64_t id, uint64_t begin_ns, uint64_t end_ns) {
    RecordingRow row = rows.all().front();
    row.path = "part-" + std::to_string(id);
    row.part_of = row.recording_id;
    row.recording_id = id;
    row.started_unix_ns += begin_ns;
    row.duration_ns = end_ns - begin_ns;
    return row;
  };
  constexpr uint64_t kSecond = 1'000'000'000;
  const RecordingRow inside = part(100, 10 * kSecond, 20 * kSecond);
  rows.all().push_back(inside);
  Fleet fleet = rows.Judge();
  EXPECT_EQ(fleet.recordings, 1u);
  EXPECT_EQ(fleet.parts, 1u);
  EXPECT_EQ(fleet.copies, 0u);
  // What the whole recording no longer has, or not yet, is only in the part.
  rows.all().push_back(part(101, 50 * kSecond, 61 * kSecond));
  fleet = rows.Judge();
  EXPECT_EQ(fleet.recordings, 2u);
  EXPECT_EQ(fleet.count.processes, 1u);
  ASSERT_EQ(fleet.findings.size(), 1u);
  EXPECT_EQ(fleet.findings[0].has.processes, 1u);
  // Without the whole recording, only the parts are there.
  rows.all().erase(rows.all().begin());
  fleet = rows.Judge();
  EXPECT_EQ(fleet.recordings, 2u);
  EXPECT_EQ(fleet.parts, 0u);
}

// The text shown for a finding always comes from a recording that counts, whatever their order.
TEST(Fleet, TextsAreOfTheWorstThatCounts) {
  Rows rows;
  const auto with = [&](const std::string& title, double impact) {
    RowFinding finding = Deadlock();
    finding.title = title;
    finding.command = "command of " + title;
    finding.impact = impact;
    return std::vector{finding};
  };
  constexpr uint64_t kSecond = 1'000'000'000;
  rows.Add("web-1", "a", 0).findings = with("whole", 2);
  RecordingRow part = rows.all()[0];
  part.path = "part";
  part.part_of = part.recording_id;
  part.recording_id = 100;
  part.started_unix_ns += kSecond;
  part.duration_ns = kSecond;
  part.findings = with("part", 9);
  RecordingRow copy = rows.all()[0];  // and more of it: its path comes later
  copy.path = "r1-copy";
  copy.findings = with("copy", 8);
  RecordingRow lost = part;  // whose whole recording is missing
  lost.path = "lost";
  lost.part_of = 555;
  lost.recording_id = 101;
  lost.findings = with("lost", 1);
  rows.Add("web-2", "a", 0).findings = with("other", 1);
  rows.all().insert(rows.all().end(), {part, copy, lost});
  std::sort(rows.all().begin(), rows.all().end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  const auto shown = [&] {
    const Fleet fleet = rows.Judge();
    EXPECT_EQ(fleet.findings.size(), 1u);
    const RowFinding& worst = fleet.findings[0].worst;
    EXPECT_EQ(worst.command, "command of " + worst.title);
    return worst.title + " in " + fleet.findings[0].path;
  };
  do {
    EXPECT_EQ(shown(), "whole in r1");
  } while (std::next_permutation(rows.all().begin(), rows.all().end(),
                                 [](const auto& a, const auto& b) { return a.path < b.path; }));
  // A part without its whole recording counts like any other, also where a worse one does not.
  for (RecordingRow& row : rows.all()) {
    if (row.path == "lost") row.findings = with("lost", 7);
  }
  EXPECT_EQ(shown(), "lost in lost");
}

TEST(Fleet, OnlyWhatIsNotHeldIsReadAgain) {
  Rows rows;
  rows.Add("web-1", "a", 0).findings = {Deadlock("one"), Deadlock("other")};
  RecordingRow copy = rows.all()[0];
  copy.path = "r1-copy";
  copy.findings[1].impact = 5;
  rows.all().push_back(copy);
  FleetBuilder builder;
  for (const RecordingRow& row : rows.all()) builder.Add(row);
  std::vector<std::string> again;
  const Fleet fleet = builder.Finish([&](const std::string& path) {
    again.push_back(path);
    RecordingRow row;
    row.error = "gone meanwhile";
    return row;
  });
  EXPECT_EQ(again, std::vector<std::string>{"r1"});
  ASSERT_EQ(fleet.findings.size(), 2u);
  for (const FleetFinding& finding : fleet.findings) {
    EXPECT_EQ(finding.worst.title, "a deadlock");
    EXPECT_EQ(finding.worst.impact, 1);
  }
}

TEST(Fleet, HostsAndBuildsAreKnownByTheirFindings) {
  Rows rows;
  rows.Add("web-1", "old", 0);
  rows.Add("web-2", "old", 1).findings = {Deadlock("Shop.Old")};
  rows.Add("web-2", "new", 2).findings = {Deadlock("Shop.Old"), Deadlock("Shop.New")};
  RowFinding note = Deadlock("Shop.Note");
  note.severity = Severity::kNote;
  rows.Add("web-3", "new", 3).findings = {note};
  const Fleet fleet = rows.Judge();
  ASSERT_EQ(fleet.hosts.size(), 3u);
  EXPECT_EQ(fleet.hosts[0].name, "web-2");
  EXPECT_EQ(fleet.hosts[0].critical, 2u);
  EXPECT_EQ(fleet.hosts[0].processes, 2u);
  EXPECT_EQ(fleet.hosts[1].critical, 0u);
  ASSERT_EQ(fleet.builds.size(), 2u);
  EXPECT_EQ(fleet.builds[0].build, "new");
  EXPECT_EQ(fleet.builds[0].critical, 2u);
  EXPECT_EQ(fleet.builds[0].new_findings, 1u);
  EXPECT_EQ(fleet.builds[0].count.hosts, 2u);
  EXPECT_EQ(fleet.builds[1].new_findings, 1u);
}

TEST(Fleet, TheWorstComesFirstThenThatOnMostHosts) {
  Rows rows;
  RowFinding warning = Deadlock("common");
  warning.severity = Severity::kWarning;
  rows.Add("web-1", "a", 0).findings = {warning, Deadlock("rare")};
  rows.Add("web-2", "a", 0).findings = {warning, Deadlock("frequent")};
  rows.Add("web-3", "a", 0).findings = {warning, Deadlock("frequent")};
  const Fleet fleet = rows.Judge();
  ASSERT_EQ(fleet.findings.size(), 3u);
  EXPECT_EQ(fleet.findings[0].worst.subject, "frequent");
  EXPECT_EQ(fleet.findings[1].worst.subject, "rare");
  EXPECT_EQ(fleet.findings[2].worst.subject, "common");
}

TEST(Fleet, FindsTheFirstBuildThatShowsIt) {
  Rows rows;
  rows.Add("web-1", "c", 30).findings = {Deadlock()};
  rows.Add("web-1", "a", 0);
  rows.Add("web-2", "a", 1);
  rows.Add("web-1", "b", 20).findings = {Deadlock()};
  rows.Add("web-2", "b", 10);  // the build is as old as this one
  const Fleet fleet = rows.Judge();
  ASSERT_EQ(fleet.findings.size(), 1u);
  const FirstBuild& first = fleet.findings[0].first;
  EXPECT_EQ(first.state, FirstBuild::State::kSince);
  EXPECT_EQ(first.build, "b");
  EXPECT_EQ(first.first_seen_unix_ns, 1'795'000'000'000'000'000 + 10 * kHour);
  EXPECT_EQ(first.builds_before, 1u);
  EXPECT_EQ(first.processes_before, 2u);
}

TEST(Fleet, ABuildThatDidNotRecordTheSignalProvesNothing) {
  Rows rows;
  rows.Add("web-1", "a", 0).covered = 0;
  rows.Add("web-1", "b", 10).findings = {Deadlock()};
  EXPECT_EQ(rows.Judge().findings[0].first.state, FirstBuild::State::kFromTheStart);
  EXPECT_EQ(rows.Judge().findings[0].of.processes, 1u);
  rows.all()[0].build = "b";
  EXPECT_EQ(rows.Judge().findings[0].first.state, FirstBuild::State::kOnlyOne);
  rows.all()[1].build = "";
  EXPECT_EQ(rows.Judge().findings[0].first.state, FirstBuild::State::kUnknown);
}

// Else the newest build would be the oldest, and what is wrong in all others would be new in them.
TEST(Fleet, AClockThatWasNotSetOrdersNoBuilds) {
  Rows rows;
  rows.Add("web-1", "a", 0).findings = {Deadlock()};
  rows.Add("web-1", "b", 10).findings = {Deadlock()};
  RecordingRow& unset = rows.Add("web-2", "c", 20);
  unset.started_unix_ns = unset.process_started_unix_ns = kHour;
  Fleet fleet = rows.Judge();
  EXPECT_EQ(fleet.without_time, 1u);
  EXPECT_EQ(fleet.first_unix_ns, 1'795'000'000'000'000'000);
  ASSERT_EQ(fleet.findings.size(), 1u);
  EXPECT_EQ(fleet.findings[0].first.state, FirstBuild::State::kUnknown);
  ASSERT_EQ(fleet.builds.size(), 3u);
  EXPECT_EQ(fleet.builds.back().build, "c");
  EXPECT_EQ(fleet.builds.back().first_unix_ns, 0u);
  EXPECT_EQ(fleet.builds.back().last_unix_ns, 0u);
  // The same build on a host whose clock is right gives it its time.
  rows.Add("web-3", "c", 20);
  fleet = rows.Judge();
  EXPECT_EQ(fleet.findings[0].first.state, FirstBuild::State::kFromTheStart);
  EXPECT_EQ(fleet.findings[0].first.build, "a");
}

TEST(Fleet, ApplicationsAreJudgedApart) {
  Rows rows;
  rows.Add("web-1", "a", 0, "Shop").findings = {Deadlock()};
  rows.Add("web-1", "x", 0, "Admin").findings = {Deadlock()};
  const Fleet fleet = rows.Judge();
  EXPECT_EQ(fleet.findings.size(), 2u);
  EXPECT_EQ(fleet.count.hosts, 1u);
  EXPECT_EQ(fleet.applications.size(), 2u);
}

TEST(Fleet, AHostThatDiffersIsFoundByItsMedian) {
  Rows rows;
  for (int host = 0; host < 6; ++host) {
    for (int i = 0; i < 3; ++i) {
      RecordingRow& row = rows.Add("web-" + std::to_string(host), "a", 0);
      row.numbers[0] = 0.5 + 0.01 * host;
      if (host == 4) row.numbers[0] = 3.0;
      // One odd recording does not characterize the host.
      if (host == 2 && i == 0) row.numbers[0] = 9.0;
    }
  }
  const Fleet fleet = rows.Judge();
  ASSERT_EQ(fleet.outliers.size(), 1u);
  EXPECT_EQ(fleet.outliers[0].host, "web-4");
  EXPECT_EQ(fleet.outliers[0].number, 0u);
  EXPECT_EQ(fleet.outliers[0].hosts, 6u);
  EXPECT_DOUBLE_EQ(fleet.outliers[0].outlier.value, 3.0);
  EXPECT_TRUE(fleet.applications[0].is_compared);
}

TEST(Fleet, RecordingsWithoutAHostCountAsProcesses) {
  Rows rows;
  for (int i = 0; i < 6; ++i) rows.Add("", "a", 0).findings = {Deadlock()};
  const Fleet fleet = rows.Judge();
  EXPECT_EQ(fleet.count.hosts, 0u);
  EXPECT_EQ(fleet.count.processes, 6u);
  EXPECT_EQ(fleet.without_host, 6u);
  EXPECT_EQ(fleet.findings[0].has.processes, 6u);
}

TEST(Fleet, WhatCannotBeReadIsNamedAndLosesNothing) {
  Rows rows;
  rows.Add("web-1", "a", 0).findings = {Deadlock()};
  RecordingRow& broken = rows.all().emplace_back();
  broken.path = "broken";
  broken.error = "broken is no recording.";
  const Fleet fleet = rows.Judge();
  EXPECT_EQ(fleet.recordings, 1u);
  ASSERT_EQ(fleet.unreadable.size(), 1u);
  EXPECT_EQ(fleet.unreadable[0].first, "broken");
  EXPECT_EQ(fleet.findings.size(), 1u);
}

TEST(Outliers, TooFewHaveNone) {
  const std::vector<double> four = {1, 1, 1, 100};
  EXPECT_TRUE(FindOutliers(four, 0.1).empty());
  const std::vector<double> five = {1, 1, 1, 1, 100};
  ASSERT_EQ(FindOutliers(five, 0.1).size(), 1u);
  EXPECT_EQ(FindOutliers(five, 0.1)[0].host, 4u);
}

TEST(Outliers, HostsThatAreAllButEqualDifferByNothing) {
  const std::vector<double> equal = {1, 1, 1, 1, 1.3};
  EXPECT_TRUE(FindOutliers(equal, 0.01).empty());  // 3 tenths of the median
  const std::vector<double> little = {0, 0, 0, 0, 0.04};
  EXPECT_TRUE(FindOutliers(little, 0.05).empty());
  const std::vector<double> wide = {1, 2, 3, 4, 5, 6, 7};
  EXPECT_TRUE(FindOutliers(wide, 0.1).empty());
}

TEST(Outliers, TheRulesHoldAtTheirEdges) {
  const auto found = [](const std::vector<double>& values, double notable,
                        const OutlierRules& rules) {
    return FindOutliers(values, notable, rules).size();
  };
  OutlierRules rules;
  rules.fewest_siblings = 4;
  EXPECT_EQ(found({1, 1, 1, 9}, 0.1, rules), 1u);
  rules.fewest_siblings = 5;
  EXPECT_EQ(found({1, 1, 1, 9}, 0.1, rules), 0u);
  // Half of the median away, and a deviation is an eighth of it: 4.
  const std::vector<double> equal = {8, 8, 8, 8, 12};
  rules.least_of_median = 0.125;
  rules.far = 3.9;
  EXPECT_EQ(found(equal, 0.1, rules), 1u);
  rules.far = 4;
  EXPECT_EQ(found(equal, 0.1, rules), 0u);
  rules.least_of_median = 0.12;
  EXPECT_EQ(found(equal, 0.1, rules), 1u);
}

TEST(Outliers, LessThanTheOthersIsDifferentToo) {
  const std::vector<double> values = {10, 10.5, 9.5, 10, 10.2, 0};
  const std::vector<Outlier> found = FindOutliers(values, 0.1);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_LT(found[0].distance, 0);
  EXPECT_DOUBLE_EQ(found[0].median, 10);
}

}  // namespace
}  // namespace hindsight::analyzer
