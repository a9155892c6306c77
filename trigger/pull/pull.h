// Copies recordings out of the folders that a process records into: those of its application,
// including those of earlier processes and of those that crashed. They are usually in a container's
// file system, or in a volume that only the container sees.
//
// Into a folder: a recording keeps its name. Files pulled earlier are completed and never deleted,
// so that repeated pulls collect what the recorder has deleted since (limit.disk). As a tar stream:
// for `kubectl exec`, where no other file system is shared. Files, folders and owners are trusted
// no more than in keep/recording_files.h.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "trigger/keep/recording_files.h"
#include "trigger/result.h"

namespace hindsight::trigger {

// Where the files go. For each file Begin, Write, End; a failure ends the pull.
class PullTarget {
 public:
  virtual ~PullTarget() = default;
  // How many bytes of this file it already has. If that is enough, Begin is not called.
  virtual uint64_t BytesOf(const std::string& folder, const std::string& name) = 0;
  virtual Check Begin(const std::string& folder, const std::string& name, uint64_t size,
                      int64_t modified_s) = 0;
  virtual Check Write(std::span<const std::byte> bytes) = 0;
  virtual Check End() = 0;
  virtual Check EndAll() = 0;
};

// Creates recordings with mode 0700, files with 0600. `folder` exists.
class FolderTarget : public PullTarget {
 public:
  explicit FolderTarget(std::string folder) : folder_(std::move(folder)) {}
  ~FolderTarget() override;
  uint64_t BytesOf(const std::string& folder, const std::string& name) override;
  Check Begin(const std::string& folder, const std::string& name, uint64_t size,
              int64_t modified_s) override;
  Check Write(std::span<const std::byte> bytes) override;
  Check End() override;
  Check EndAll() override { return std::nullopt; }

 private:
  std::string folder_, path_, part_;  // part_: what is being written; empty: nothing
  UniqueFd file_;
};

// A POSIX tar (ustar) stream.
class TarTarget : public PullTarget {
 public:
  explicit TarTarget(int file) : file_(file) {}
  uint64_t BytesOf(const std::string&, const std::string&) override { return 0; }
  Check Begin(const std::string& folder, const std::string& name, uint64_t size,
              int64_t modified_s) override;
  Check Write(std::span<const std::byte> bytes) override;
  Check End() override;
  Check EndAll() override;

 private:
  Check WriteHeader(const std::string& folder, const std::string& name, char type, uint32_t mode,
                    uint64_t size, int64_t modified_s);

  int file_;
  std::string folder_;               // the last one that was begun
  uint64_t size_ = 0, written_ = 0;  // of the current file
};

struct PullRequest {
  int root = -1;                     // an open folder: the root of the process
  std::vector<std::string> folders;  // absolute, as the process sees them
  uid_t owner = 0;                   // of the process
  std::string application;           // as in names of recordings; empty: every application
};

struct PulledRecording {
  std::string name;    // of its folder, with the suffix
  uint32_t files = 0;  // that were copied now
  uint64_t bytes = 0;  // of these
  bool operator==(const PulledRecording&) const = default;
};

struct Pulled {
  std::vector<PulledRecording> recordings;  // all that were found
  uint32_t others = 0;                      // of other applications, which were left alone
};

// A folder that does not exist has no recordings. Each is as complete as a crash would leave it;
// the last second of one that is in progress may be missing.
Expected<Pulled> PullRecordings(const PullRequest& request, PullTarget& target);

}  // namespace hindsight::trigger
