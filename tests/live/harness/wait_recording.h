// Samples about waits, recorded: from their start, from before they hang, or from after that.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "tests/live/harness/application.h"
#include "tests/live/harness/wait_truth.h"

namespace hindsight::live {

enum class Mode { kFromStart, kAttachedBefore, kAttachedAfter };
inline constexpr Mode kModes[] = {Mode::kFromStart, Mode::kAttachedBefore, Mode::kAttachedAfter};
const char* NameOf(Mode mode);

inline constexpr char kAllSources[] = "exceptions,threads,modules,gc,locks,waits,heap";

class WaitRecording {
 public:
  // Runs the cases in one process and records it with all sources and these further options, as
  // `name=value`. Returns when the process is in its state, and is recorded.
  WaitRecording(int runtime, Mode mode, const std::vector<WaitCase>& cases,
                const std::vector<std::string>& options = {});

  SampleApplication& application() { return *application_; }
  // Where the recording's folder is.
  const std::filesystem::path& output() const { return output_; }
  // Ends the recording, and the process, which must not have been disturbed. Returns the
  // recording's folder.
  std::filesystem::path End();

 private:
  Workspace workspace_;
  std::filesystem::path output_;
  std::optional<SampleApplication> application_;
};

}  // namespace hindsight::live
