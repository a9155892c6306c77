// A Windows handle that closes itself, and texts for errors. Only for files that are built for
// Windows alone.
#pragma once

#include <memory>
#include <string>

namespace hindsight::trigger {

struct HandleCloser {
  void operator()(void* handle) const;
};
using UniqueHandle = std::unique_ptr<void, HandleCloser>;

// Null for INVALID_HANDLE_VALUE.
UniqueHandle Owned(void* handle);

// The text for a value of GetLastError(), without a final dot.
std::string ErrorText(unsigned long error);

// The user that a process runs as: the security identifier, as text; empty if it cannot be
// determined.
std::string UserIdOf(void* process);
// Whether we have an administrator's rights.
bool IsElevated();

}  // namespace hindsight::trigger
