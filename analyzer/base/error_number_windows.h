// For files that are only compiled on Windows.
#pragma once

namespace hindsight::analyzer {

// The errno that corresponds to a value of GetLastError(), for errors of files.
int ErrorNumber(unsigned long windows_error);

}  // namespace hindsight::analyzer
