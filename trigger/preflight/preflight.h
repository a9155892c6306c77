// What can be known before the runtime is asked. The runtime answers one HRESULT for many causes,
// so each cause is looked for first.
#pragma once

#include <string>

#include "trigger/result.h"
#include "trigger/target/process.h"

namespace hindsight::trigger {

// The process lives, runs, is ours to ask, and /proc shows what the other checks need.
Check CheckProcess(const Process& process);

// What we lack to reach a process of the user `owner`, for a sentence: "the capabilities SYS_PTRACE
// and DAC_OVERRIDE".
std::string MissingCapabilities(uid_t owner);

// The process can load `path` as its profiler, and nobody but its user and root can change what it
// then runs. `path` is as the process sees it.
Check CheckLibrary(const Process& process, const std::string& path);

// Where the process has it mapped already (libraries stay after a detach), its file is still the
// one that was loaded.
Check CheckMapped(const Process& process, const std::string& path);

// Beside our own executable, or in ../lib/; when there is none, where it was looked for.
Result<std::string> FindLibrary();

}  // namespace hindsight::trigger
