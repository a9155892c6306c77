#include <dirent.h>

#include <memory>

#include "recorder/contract/control.h"
#include "trigger/recorder_threads.h"
#include "trigger/target/proc_linux.h"

namespace hindsight::trigger {

std::set<std::string> RecorderThreads(const Process& process) {
  const std::string folder = "/proc/" + std::to_string(process.pid) + "/task/";
  const std::unique_ptr<DIR, int (*)(DIR*)> threads(opendir(folder.c_str()), closedir);
  std::set<std::string> ids;
  while (threads != nullptr) {
    const dirent* entry = readdir(threads.get());
    if (entry == nullptr) break;
    std::string name;
    if (entry->d_name[0] != '.' && ReadProcFile(folder + entry->d_name + "/comm", name) &&
        name.starts_with("hindsight-")) {
      ids.insert(entry->d_name);
    }
  }
  return ids;
}

Failure RecorderLeft(const Process& process) {
  return Failure{
      TriggerExit::kRecorderSilent,
      "The recorder was attached to process " + std::to_string(process.pid) +
          ", but could not be reached, so it ended its recording and left.",
      "The process needs a folder for its control socket: check that its user can write to " +
          contract::TemporaryFolder(process.environment) +
          " there. The process's stderr and the recording have details."};
}

}  // namespace hindsight::trigger
