// Where the recorder puts what is given no other place. Any thread; allocates.
#pragma once

#include <string>
#include <string_view>

namespace hindsight::recorder {

// Of temporary files, as the process has it (contract/control.h).
std::string TemporaryFolder();
// Of recordings, for a process with that folder of temporary files.
std::string UsualOutput(std::string_view tmp);

// A variable of the environment, in UTF-8. False: there is none of this name.
bool ReadVariable(const char* name, std::string& value);

}  // namespace hindsight::recorder
