#include "trigger/recorder_connection.h"

namespace hindsight::trigger {

Failure NotRecorded(const Process& process) {
  return {TriggerExit::kNotRecorded,
          "Process " + std::to_string(process.pid) + " is not being recorded.",
          "hindsight-trigger attach " + std::to_string(process.pid) + " starts a recording."};
}

}  // namespace hindsight::trigger
