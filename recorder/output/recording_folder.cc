#include "recorder/output/recording_folder.h"

#include <time.h>

#include "proto/file_names.h"
#include "recorder/output/system.h"

namespace hindsight::recorder {
namespace {

constexpr int kMaxNames = 100;  // the name itself, then -2 to -100

}  // namespace

OpenedFolder RecordingFolder::Open() const {
  return {folder_.IsOurs() ? OpenAgain(folder_.get()) : Descriptor(), path_};
}

std::string RecordingName(const FolderRequest& request) {
  const tm utc = UtcOf(static_cast<time_t>(request.started_unix_ns / 1'000'000'000u));
  char stamp[32];
  strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", &utc);
  return SanitizedApplication(request.application) + "-" + std::to_string(request.pid) + "-" +
         stamp;
}

std::string FolderNames::Next() {
  if (++tried_ > kMaxNames) return {};
  return (tried_ == 1 ? base_ : base_ + "-" + std::to_string(tried_)) + ".hindsight";
}

std::string FolderNames::WhyNot(const std::string& name, const std::string& what) const {
  return "cannot create the recording's folder " + name + " in " + request_.output + ": " + what +
         "; set output= to a folder with free space that this process may write to";
}

std::string FolderNames::WhyAllAreTaken() const {
  return WhyNot(base_ + ".hindsight", "that name is taken, up to -" + std::to_string(kMaxNames));
}

}  // namespace hindsight::recorder
