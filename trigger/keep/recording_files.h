// The files of a recording that another process owns, perhaps still writes, and may delete.
//
// Folder and files were named by that process, which is not trusted: only regular files with the
// names of a recording's are opened, and only those that belong to the expected user or to ours.
// All are opened at once: from then on they are ours to read, whatever their owner deletes.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "proto/segment.h"
#include "trigger/result.h"
#include "trigger/unique_fd.h"

namespace hindsight::trigger {

struct RecordingFile {
  std::string name;
  UniqueFd file;
  struct stat info = {};
};

struct RecordingFiles {
  std::map<uint32_t, RecordingFile> files, snapshots;  // by number; snapshots of the heap
  bool empty() const { return files.empty() && snapshots.empty(); }
};

// `folder` is open for reading, `path` is for sentences.
Expected<RecordingFiles> OpenRecordingFiles(int folder, const std::string& path, uid_t owner);

// What differs in the headers of a copy from those of the recording.
struct CopiedHeader {
  std::optional<uint64_t> recording_id;  // of the copy, if it has one of its own
  // Of a numbered file: the first segment that is kept. What comes before it is not lost
  // (proto/FORMAT.md).
  uint32_t oldest_file = 0;
  uint32_t oldest_sequence = 0;
};
// For a copy of all these files.
CopiedHeader HeaderFrom(const RecordingFiles& files);

// Bytes of the whole segments at the beginning of a numbered file: less than its size while a
// segment is being written. Damaged segments count as whole: the reader reports them.
uint64_t WholeBytes(const RecordingFile& source);

using WriteBytes = std::function<Check(std::span<const std::byte>)>;

// The last header in the first `size` bytes; empty if none can be read.
std::optional<SegmentHeader> LastHeader(const RecordingFile& source, uint64_t size);

// The first `size` bytes of a file, with `header` in the headers of its segments. What is damaged
// is copied as it is.
Check CopySegments(const RecordingFile& source, uint64_t size, const CopiedHeader& header,
                   const WriteBytes& write);
// Ends early, without a failure, if the file has become shorter.
Check CopyBytes(const RecordingFile& source, uint64_t offset, uint64_t size,
                const WriteBytes& write);

// Makes a name from another process a safe file name: letters, digits, '.', '_' and '-', and
// neither hidden nor an option.
std::string SafeName(std::string name);

Failure SystemFailure(const std::string& what, const std::string& where, int error,
                      const std::string& no_space);

}  // namespace hindsight::trigger
