// The parts of FindAll: one function per signal. Each appends what it found to `findings`, and
// tells what it looked at; whether that makes the signal ill is FindAll's to say.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/overview/finding.h"
#include "analyzer/analyses/overview/overview_rules.h"
#include "analyzer/analyses/overview/reports.h"

namespace hindsight::analyzer {

using Judge = Coverage(const Reports& reports, const OverviewRules& rules,
                       std::vector<Finding>& findings);

Judge JudgeDeadlocks, JudgeTasks;  // judge_waits.cc
Judge JudgeThreads, JudgePool;     // judge_threads.cc
Judge JudgeLocks;                  // judge_locks.cc
Judge JudgeExceptions;             // judge_exceptions.cc
Judge JudgeHeap;                   // judge_heap.cc
Judge JudgePauses;                 // judge_pauses.cc
Judge JudgeCpu, JudgeAllocations;  // judge_code.cc

// Exceptions of your code that end in a package's: jobs and messages that fail. Whether by index in
// `report` they are told. In judge_failing_work.cc.
std::vector<bool> JudgeFailingWork(const ExceptionReport& report, const OverviewRules& rules,
                                   std::vector<Finding>& findings);

// Only where requests were recorded by route, or one by one. In judge_requests.cc.
Judge JudgeRequests;
bool SeesRequests(const Model& model);

// Of the threads of a heap snapshot, where nothing was recorded over time: many that wait in one
// place, and workers of the pool that do; not those that a deadlock tells of. In judge_moment.cc.
// `reports` has a heap.
void JudgeCrowd(const Reports& reports, const OverviewRules& rules, std::vector<Finding>& findings);
void JudgeWorkers(const Reports& reports, const OverviewRules& rules,
                  std::vector<Finding>& findings);
// Likewise: the longest queue for a lock, whose owner can proceed, wherever its threads stand.
void JudgeQueue(const Reports& reports, const OverviewRules& rules, std::vector<Finding>& findings);

// What is said of a signal of which nothing is here. `source`: its name among the recorder's.
Coverage NotRecorded(std::string_view source);
Coverage NoSnapshot(const Reports& reports);

// "exceptions --type Shop.Lost": `value` so that a shell takes it for one word.
std::string CommandWith(std::string_view command, std::string_view value);

// Seconds of the recording, never 0.
double SecondsOf(const Model& model);

// 9,384; 31; 0.4: an amount a second, or of threads.
std::string FormatRate(double rate);

}  // namespace hindsight::analyzer
