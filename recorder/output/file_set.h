// The numbered files of a recording (`000001.hsr`, `000002.hsr`, ...) and the bound on their sum.
//
// The sum of all files, the one being written included, never exceeds the limit: before bytes are
// written the oldest whole files are deleted until they fit. A file ends when it has reached a
// sixteenth of the limit (1 to 16 MiB), or of the room that the disk has if that is less: a ring
// holds about 16 files and forgets about a sixteenth at a time.
//
// The last 64 MiB of a file system, or the last 1 % of a smaller one, are never used: they are the
// application's. Where they begin, or where the disk is full, the ring shrinks: the oldest files
// are given up for the newest segment. Not so while somebody else takes what is freed (less than
// half of the last files given up could be written since): then the segment is lost, and history
// stays. The newest finished file is never given up.
//
// Errors are errno values; 0 is success. One thread. Allocates in Open only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "recorder/base/descriptor.h"

namespace hindsight::recorder {

class FileSet {
 public:
  // `folder` stays the caller's and has to stay open.
  void Open(int folder, uint64_t disk_limit_bytes);
  // Another limit from the next bytes on, not above the one of Open.
  void LimitTo(uint64_t disk_limit_bytes) { limit_bytes_ = disk_limit_bytes; }
  // Goes on in another folder, because the first one was deleted with all files in it. Numbers go
  // on.
  void Move(int folder);

  // Whether the next bytes have to go to a new file: there is none yet, it is full, it was ended,
  // or somebody deleted it or closed its descriptor. Such a file is ended by the question, so the
  // answer stays until EnsureFile.
  bool NeedsNewFile();
  // Ends the current file: the next bytes go to a new one.
  void EndFile() { ended_ = true; }
  // Creates the next file when the current one was ended.
  int EnsureFile();
  // All bytes or none: after a failure the file is cut back to what it held and ended (a file
  // without content is removed). Makes room first, see above. Needs a file.
  // `sequence`: of the segment that these are. `before_write` is called before each attempt, once
  // there is room: what it writes into `bytes` about kept() is true of the file.
  int Append(std::span<const std::byte> bytes, uint64_t sequence = 0,
             const std::function<void()>& before_write = {});
  // Returns the first error that a close reported in the life of this set.
  int Close();

  uint32_t file_number() const { return number_; }  // of the current file, from 1
  // Why the last operation failed, where errno alone would mislead (the reserve); else null.
  const char* reason() const { return reason_; }

  // What was not deleted by this set, whatever others have deleted.
  struct Kept {
    uint32_t oldest_file = 1;
    uint64_t oldest_sequence = 0;
    bool deleted_for_full_disk = false;  // some of what is gone
  };
  const Kept& kept() const { return kept_; }

  uint64_t stored_bytes() const { return stored_bytes_; }    // in the files now
  uint64_t written_bytes() const { return written_bytes_; }  // ever
  uint32_t files_created() const { return files_created_; }
  uint32_t files_deleted() const { return files_deleted_; }  // by rotation
  size_t memory_bytes() const { return older_.capacity() * sizeof(OlderFile); }

 private:
  struct OlderFile {
    uint32_t number;
    uint32_t bytes;
    uint64_t end_sequence;  // behind its last segment
  };

  void FinishFile();
  void AbandonFile();
  int CreateFile();
  int DeleteOldest();
  // Deletes the oldest files for want of this much space on the disk; false: none was.
  bool GiveUpFor(size_t bytes);
  int MakeRoom(size_t bytes);
  bool IsReserveReached(size_t bytes) const;
  int Write(std::span<const std::byte> bytes, const std::function<void()>& before_write);

  int folder_ = -1;
  FileIdentity folder_file_;
  uint64_t limit_bytes_ = 0;
  uint64_t file_bytes_ = 0;  // a file ends here

  Descriptor file_;
  uint32_t number_ = 0;  // of the last file that was created
  uint32_t current_bytes_ = 0;
  uint64_t end_sequence_ = 0;
  Kept kept_;
  bool ended_ = true;
  // The finished files that are still there: a ring of older_.size() places.
  std::vector<OlderFile> older_;
  size_t older_first_ = 0;
  size_t older_count_ = 0;

  uint64_t given_up_bytes_ = 0;      // by the last GiveUpFor
  uint64_t written_at_give_up_ = 0;  // written_bytes_ at that time
  const char* reason_ = nullptr;
  int close_error_ = 0;
  uint64_t stored_bytes_ = 0;
  uint64_t written_bytes_ = 0;
  uint32_t files_created_ = 0;
  uint32_t files_deleted_ = 0;
};

// `000001.hsr`.
std::string FileName(uint32_t number);

}  // namespace hindsight::recorder
