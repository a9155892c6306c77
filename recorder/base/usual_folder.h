// The recorder's default folders. Any thread; allocates.
#pragma once

#include <string>
#include <string_view>

namespace hindsight::recorder {

// The process's folder for temporary files (contract/control.h).
std::string TemporaryFolder();
// The default folder for recordings of a process with this folder for temporary files.
std::string UsualOutput(std::string_view tmp);

// An environment variable, in UTF-8. False: it is not set.
bool ReadVariable(const char* name, std::string& value);

}  // namespace hindsight::recorder
