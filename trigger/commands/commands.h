// The commands: each describes its command line and what it runs.
#pragma once

#include "analyzer/cli/command.h"
#include "analyzer/cli/program.h"
#include "trigger/exit_code.h"

namespace hindsight::trigger {

void DescribeAttach(cli::Command& command);
void DescribeLaunch(cli::Command& command);
void DescribeStop(cli::Command& command);
void DescribeSnapshot(cli::Command& command);
void DescribeKeep(cli::Command& command);
void DescribePull(cli::Command& command);
void DescribeStatus(cli::Command& command);
void DescribeList(cli::Command& command);
void DescribeSources(cli::Command& command);
void DescribeExitCodes(cli::Command& command);
void DescribeCopyLibrary(cli::Command& command);
void DescribeIdle(cli::Command& command);

// Commands that only some systems have: for copies of recordings, in the group `title`, and for
// containers.
void DescribeCopying(cli::Program& program, const char* title);
void DescribeContainers(cli::Program& program);

// Shared by several commands.
void AddJson(cli::Command& command, bool& json);
// In seconds. `help`: what the timeout is for.
void AddTimeout(cli::Command& command, const char* name, double& seconds, const char* help);

}  // namespace hindsight::trigger
