#include "trigger/commands/commands.h"

namespace hindsight::trigger {

void DescribeCopying(cli::Program& program, const char* title) {
  DescribeKeep(program.Add(
      title, "keep", "Copy what is recorded so far, or the last minutes, while it continues"));
  DescribePull(program.Add(title, "pull", "Copy a process's recordings out of its container"));
}

void DescribeContainers(cli::Program& program) {
  constexpr char kContainers[] = "In containers";
  DescribeCopyLibrary(program.Add(kContainers, "copy-library",
                                  "Copy the library into a folder, for an init container"));
  DescribeIdle(program.Add(kContainers, "idle", "Do nothing until SIGTERM, for a sidecar"));
}

}  // namespace hindsight::trigger
