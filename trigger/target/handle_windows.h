// A handle of Windows that closes itself, and words for what went wrong. For files that are chosen
// on Windows only.
#pragma once

#include <memory>
#include <string>

namespace hindsight::trigger {

struct HandleCloser {
  void operator()(void* handle) const;
};
using UniqueHandle = std::unique_ptr<void, HandleCloser>;

// Null where Windows has INVALID_HANDLE_VALUE.
UniqueHandle Owned(void* handle);

// Of GetLastError(), without a final dot.
std::string ErrorText(unsigned long error);

// The user that a process runs as: the security identifier, as text; empty if it cannot be
// determined.
std::string UserIdOf(void* process);
// Whether we may do what administrators may.
bool IsElevated();

}  // namespace hindsight::trigger
