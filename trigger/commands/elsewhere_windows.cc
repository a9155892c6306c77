#include "trigger/commands/commands.h"

namespace hindsight::trigger {

// Their files are walked from the roots of processes, which Windows does not have.
void DescribeCopying(cli::Program&, const char*) {}
void DescribeContainers(cli::Program&) {}

}  // namespace hindsight::trigger
