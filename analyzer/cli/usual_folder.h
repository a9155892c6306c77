// Where recordings are by default.
#pragma once

#include <string>

namespace hindsight::cli {

// The recorder's default output folder for this user: $TMPDIR (or /tmp)/hindsight-UID/recordings.
// It need not exist.
std::string UsualFolder();

}  // namespace hindsight::cli
