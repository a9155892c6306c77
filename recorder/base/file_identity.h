// Which file a descriptor refers to, to notice when it no longer does.
//
// An application may close descriptors that are not its own: all from a number on (closefrom), or
// one too many. Then the next file that it opens gets our number. So before a descriptor that lives
// long is written to, read or closed, it is compared with what it was opened for. A call that comes
// in between is possible, but only for microseconds, not for the life of a recording.
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
