// The numbered files of a recording (`000001.hsr`, `000002.hsr`, ...) and the limit on their total
// size.
//
// The total size of all files, including the one being written, never exceeds the limit: before
// bytes are written, the oldest files are deleted as a whole until the bytes fit. A file ends when
// it reaches a sixteenth of the limit (1 to 16 MiB), or of the available disk space if that is
// less: so there are about 16 files, and about a sixteenth is deleted at a time.
//
// The last 64 MiB of a file system, or the last 1 % of a smaller one, are never used: they are
// reserved for the application. When the reserve is reached, or the disk is full, the oldest files
// are deleted for the newest segment. But not while something else takes the space that this frees
// (less than half of the last files given up could be written since): then the segment is lost, and
// the older files stay. The newest finished file is never given up. Only the last segment, which
// says how the recording ended and what was lost, may use the reserve.
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
  // `folder` remains the caller's and must stay open.
  void Open(int folder, uint64_t disk_limit_bytes);
  // Changes the limit, from the next write on, to at most the one of Open.
  void LimitTo(uint64_t disk_limit_bytes) { limit_bytes_ = disk_limit_bytes; }
  // Continues in another folder, because the first one was deleted with all its files. The
  // numbering continues.
  void Move(int folder);

  // Whether the next bytes must go to a new file: there is none yet, it is full, it was ended, or
  // it was deleted or its descriptor closed by something else. This call ends such a file, so the
  // answer stays the same until EnsureFile.
  bool NeedsNewFile();
  // Ends the current file: the next bytes go to a new one.
  void EndFile() { ended_ = true; }
  // Creates the next file when the current one was ended.
  int EnsureFile();
  // Writes all bytes or none: after a failure the file is truncated to its previous size and ended
  // (an empty file is removed). Makes room first, see above. Requires a file. `sequence`: that of
  // the segment in `bytes`. `before_write` is called before each attempt, once there is room: what
  // it writes into `bytes` about kept() is then true for the file. `is_last`: of the last segment.
  int Append(std::span<const std::byte> bytes, uint64_t sequence = 0,
             const std::function<void()>& before_write = {}, bool is_last = false);
  // Returns the first error that a close has reported during the life of this set.
  int Close();

  uint32_t file_number() const { return number_; }  // of the current file, from 1
  // Why the last operation failed, where errno alone would mislead (the reserve); else null.
  const char* reason() const { return reason_; }

  // What this set has not deleted; others may have.
  struct Kept {
    uint32_t oldest_file = 1;
    uint64_t oldest_sequence = 0;
    bool deleted_for_full_disk = false;  // some of what was deleted
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
    uint64_t end_sequence;  // one after its last segment
  };

  void FinishFile();
  void AbandonFile();
  int CreateFile();
  int DeleteOldest();
  // Deletes the oldest files to free this much disk space; false: none was deleted.
  bool GiveUpFor(size_t bytes);
  int MakeRoom(size_t bytes, bool is_last);
  bool IsReserveReached(size_t bytes) const;
  int Write(std::span<const std::byte> bytes, const std::function<void()>& before_write);

  int folder_ = -1;
  FileIdentity folder_file_;
  uint64_t limit_bytes_ = 0;
  uint64_t file_bytes_ = 0;  // a file ends at this size

  Descriptor file_;
  uint32_t number_ = 0;  // of the last file that was created
  uint32_t current_bytes_ = 0;
  uint64_t end_sequence_ = 0;
  Kept kept_;
  bool ended_ = true;
  // The finished files that still exist: a ring of older_.size() slots.
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
