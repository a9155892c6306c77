// Small pieces of the operating system that the disk side needs. Any thread.
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

// Writes `text` to descriptor 2 as far as that neither waits (a full pipe) nor raises SIGPIPE (a
// closed one). False: nothing was written.
bool WriteToStderr(std::string_view text);

// Writes all of it, whatever parts the system takes. 0 or errno; async-signal-safe. Signals of a
// failing write are the caller's: WriteSignalsBlocked.
int WriteAll(int file, std::span<const std::byte> bytes);

// A new file of `folder` for appending, its owner's alone (0600) whatever the process's umask.
// None, and errno: it is there already, or cannot be made.
Descriptor CreatePrivateFile(int folder, const std::string& name);

// Gives back to a folder that was just made (0700) what the process's umask took from its owner.
void MakePrivateFolder(int folder);

// Of an open file: how long it is, cuts it to that, and whether it has been deleted. False or none:
// it does not say, or that failed.
std::optional<uint64_t> FileBytes(int file);
bool CutFile(int file, uint64_t bytes);
bool IsDeleted(int file);

// In an open folder: deletes a file, not what a link leads to; and another descriptor for it. 0 or
// errno.
int RemoveFile(int folder, const std::string& name);
Descriptor OpenAgain(int folder);

struct FileInFolder {
  std::string name;
  uint64_t bytes;
};
// Whose names begin and end so; no links. Allocates.
std::vector<FileInFolder> FilesIn(int folder, std::string_view begin, std::string_view end);

// The path of what is in a folder, for messages.
std::string PathIn(std::string_view folder, std::string_view name);

// What an errno says.
bool IsDiskFull(int error);
bool IsFolderGone(int error);
extern const int kFolderGone;  // of a folder that was closed under us

// What may still be written to the file system of `file`, which keeps a hundredth, at most 64 MiB,
// for the application. UINT64_MAX where it does not say.
uint64_t UsableBytes(int file);

tm UtcOf(time_t seconds);

// Unpredictable bits; from the clocks where the system has none to give.
uint64_t RandomId();

// While it lives, the calling thread's SIGXFSZ and SIGPIPE are blocked, so that a write beyond
// RLIMIT_FSIZE or to a closed pipe fails with EFBIG or EPIPE instead of ending the process. Those
// that came up meanwhile are taken away; those that were pending before stay.
class WriteSignalsBlocked {
 public:
  WriteSignalsBlocked();
  WriteSignalsBlocked(const WriteSignalsBlocked&) = delete;
  WriteSignalsBlocked& operator=(const WriteSignalsBlocked&) = delete;
  ~WriteSignalsBlocked();

 private:
  // The thread's mask, and of our signals those that were not pending; where there are signals.
  alignas(8) std::byte before_[128];
  alignas(8) std::byte to_take_[128];
};

}  // namespace hindsight::recorder
