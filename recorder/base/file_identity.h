// Which file a descriptor refers to, to detect when it no longer does.
//
// An application may close descriptors that are not its own: all from some number on (closefrom),
// or one of its own twice. The next file that it opens then gets our number. So before a long-lived
// descriptor is written to, read or closed, it is compared with the file that it was opened for.
// The application can still close it between the check and the call, but that window is
// microseconds, not the life of a recording.
//
// Pipes, sockets and files each have their own identity; all eventfds, epolls and timerfds share
// one. Any thread; async-signal-safe; one system call.
#pragma once

#include <cstdint>

namespace hindsight::recorder {

struct FileIdentity {
  bool is_known = false;
  uint64_t device = 0, inode = 0;

  static FileIdentity Of(int fd);
  // Whether `fd` is open and refers to this file.
  bool IsOf(int fd) const { return is_known && Of(fd) == *this; }
  bool operator==(const FileIdentity&) const = default;
};

}  // namespace hindsight::recorder
