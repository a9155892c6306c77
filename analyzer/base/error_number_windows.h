// For files that are chosen on Windows only.
#pragma once

namespace hindsight::analyzer {

// The errno of what GetLastError() tells, for what happens to files.
int ErrorNumber(unsigned long windows_error);

}  // namespace hindsight::analyzer
