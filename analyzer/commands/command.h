// A command of `hindsight`: one file that describes itself, and a row in catalogue.cc.
#pragma once

#include "analyzer/base/result.h"
#include "analyzer/cli/command.h"
#include "analyzer/cli/program.h"

namespace hindsight::analyzer {

// Describes the whole program; see catalogue.cc. `program` must be empty, and outlive what runs.
void DescribeHindsight(cli::Program& program);

// Each adds options and examples to its command, and says what it runs.
void DescribeAllocations(cli::Command& command);
void DescribeCheck(cli::Command& command);
void DescribeCollections(cli::Command& command);
void DescribeCpu(cli::Command& command);
void DescribeCut(cli::Command& command);
void DescribeDeadlocks(cli::Command& command);
void DescribeDiff(cli::Command& command);
void DescribeDominators(cli::Command& command);
void DescribeExceptions(cli::Command& command);
void DescribeExport(cli::Command& command);
void DescribeFleet(cli::Command& command);
void DescribeGc(cli::Command& command);
void DescribeGenerations(cli::Command& command);
void DescribeHeap(cli::Command& command);
void DescribeInfo(cli::Command& command);
void DescribeLeaks(cli::Command& command);
void DescribeList(cli::Command& command);
void DescribeLocks(cli::Command& command);
void DescribeObject(cli::Command& command);
void DescribePaths(cli::Command& command);
void DescribePool(cli::Command& command);
void DescribeReport(cli::Command& command);
void DescribeRequests(cli::Command& command);
void DescribeRetained(cli::Command& command);
void DescribeServe(cli::Command& command);
void DescribeSql(cli::Command& command);
void DescribeStrings(cli::Command& command);
void DescribeSummary(cli::Command& command);
void DescribeTasks(cli::Command& command);
void DescribeThreads(cli::Command& command);
void DescribeTimeline(cli::Command& command);
void DescribeVerify(cli::Command& command);
void DescribeWall(cli::Command& command);

// Prints `error` to stderr as `hindsight: ...`; returns its exit code.
ExitCode Fail(const Error& error);

}  // namespace hindsight::analyzer
