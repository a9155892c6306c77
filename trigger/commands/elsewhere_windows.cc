#include "trigger/commands/commands.h"

namespace hindsight::trigger {

// These commands find files from the root folder of a process, which Windows does not have.
void DescribeCopying(cli::Program&, const char*) {}
void DescribeContainers(cli::Program&) {}

}  // namespace hindsight::trigger
