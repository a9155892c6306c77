// The few operating system functions that the disk side needs. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "recorder/base/descriptor.h"
#include "recorder/base/error_text.h"

namespace hindsight::recorder {

// Writes `text` to descriptor 2, as far as possible without blocking (a full pipe) or raising
// SIGPIPE (a closed one), unless that is not stderr but another file of the application. False:
// nothing was written.
bool WriteToStderr(std::string_view text);

// Writes all bytes, even if the system takes them in parts. 0 or errno; async-signal-safe. The
// caller handles signals that a failing write raises: WriteSignalsBlocked.
int WriteAll(int file, std::span<const std::byte> bytes);

// Creates a file in `folder` for appending, accessible to its owner alone (0600) whatever the
// process's umask. On failure, none and an errno: it exists already, or cannot be created.
Descriptor CreatePrivateFile(int folder, const std::string& name);

// Restores what the process's umask took from the owner of a folder that was just created (0700).
void MakePrivateFolder(int folder);

// For an open file: its size, truncation to a size, and whether it has been deleted. False or none:
// unknown, or failed.
std::optional<uint64_t> FileBytes(int file);
bool CutFile(int file, uint64_t bytes);
bool IsDeleted(int file);

// RemoveFile deletes a file in an open folder, and not the target of a link: 0 or errno. OpenAgain
// returns another descriptor for a folder.
int RemoveFile(int folder, const std::string& name);
Descriptor OpenAgain(int folder);

struct FileInFolder {
  std::string name;
  uint64_t bytes;
};
// The files whose names begin with `begin` and end with `end`; no links. Allocates.
std::vector<FileInFolder> FilesIn(int folder, std::string_view begin, std::string_view end);

// The path of a file in a folder, for messages.
std::string PathIn(std::string_view folder, std::string_view name);

// What an errno means.
bool IsDiskFull(int error);
bool IsFolderGone(int error);
extern const int kFolderGone;  // the errno if the application closed the folder

// How many bytes may still be written to the file system of `file`, of which one hundredth, at most
// 64 MiB, is reserved for the application. UINT64_MAX if unknown.
uint64_t UsableBytes(int file);

tm UtcOf(time_t seconds);

// Unpredictable bits; derived from the clocks if the system provides none.
uint64_t RandomId();

// While it lives, the calling thread's SIGXFSZ and SIGPIPE are blocked, so that a write beyond
// RLIMIT_FSIZE or to a closed pipe fails with EFBIG or EPIPE instead of ending the process. Signals
// raised in the meantime are discarded; those that were pending before stay pending.
class WriteSignalsBlocked {
 public:
  WriteSignalsBlocked();
  WriteSignalsBlocked(const WriteSignalsBlocked&) = delete;
  WriteSignalsBlocked& operator=(const WriteSignalsBlocked&) = delete;
  ~WriteSignalsBlocked();

 private:
  // The thread's mask, and which of the two signals were not pending before; only where there are
  // signals.
  alignas(8) std::byte before_[128];
  alignas(8) std::byte to_take_[128];
};

}  // namespace hindsight::recorder
