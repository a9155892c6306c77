// Checks before the runtime is contacted. The runtime returns the same HRESULT for many causes, so
// each cause is checked first.
#pragma once

#include <string>

#include "trigger/result.h"
#include "trigger/target/process.h"

namespace hindsight::trigger {

// The process is alive and not stopped, we may contact it, and the system shows what the other
// checks need.
Check CheckProcess(const Process& process);

// The process can load `path` as its profiler, and only its user and root can change the code that
// then runs. `path` is as the process sees it.
Check CheckLibrary(const Process& process, const std::string& path);

// If the process already has it mapped (libraries stay after a detach), its file is still the one
// that was loaded.
Check CheckMapped(const Process& process, const std::string& path);

// Next to our own executable, or in ../lib/; if there is none, the places searched.
Expected<std::string> FindLibrary();

}  // namespace hindsight::trigger
