#include "trigger/keep/keep.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <span>
#include <vector>

#include "proto/file_names.h"
#include "proto/segment.h"
#include "recorder/contract/text.h"
#include "trigger/target/walk.h"
#include "trigger/unique_fd.h"

namespace hindsight::trigger {
namespace {

constexpr size_t kChunkBytes = 256u << 10;
constexpr size_t kMaxNameBytes = 160;
constexpr int kMaxSameNames = 100;

struct Source {
  std::string name;
  UniqueFd file;
  struct stat info = {};
};

Failure SystemFailure(const std::string& what, const std::string& where, int error) {
  return {ExitCode::kInternal,
          what + ' ' + contract::Printable(where) + ": " + std::strerror(error) + '.',
          error == ENOSPC ? "Choose another folder with --output, or keep less with --last." : ""};
}

// What a folder of a recording may be called here: the name comes from a process.
std::string CopyName(const std::string& source) {
  std::string stem = std::filesystem::path(source).filename().string();
  if (stem.ends_with(kFolderSuffix)) stem.resize(stem.size() - kFolderSuffix.size());
  for (char& c : stem) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '_' || c == '-';
    if (!plain) c = '_';
  }
  stem.resize(std::min(stem.size(), kMaxNameBytes));
  if (stem.empty() || stem[0] == '.' || stem[0] == '-') stem = "recording" + stem;
  const time_t now = time(nullptr);
  struct tm utc = {};
  char moment[32];
  gmtime_r(&now, &utc);
  std::strftime(moment, sizeof moment, "-kept-%Y%m%dT%H%M%SZ", &utc);
  return stem + moment;
}

class Copy {
 public:
  explicit Copy(const KeepRequest& request) : request_(request) {}
  ~Copy() {
    if (!done_) Discard();
  }

  Result<Kept> Run() {
    if (Check wrong = OpenSource()) return *wrong;
    if (Check wrong = OpenFiles()) return *wrong;
    if (Check wrong = MakeFolder()) return *wrong;
    SetOldest();
    for (const auto& [number, source] : files_) {
      if (Check wrong = CopySegments(source)) return *wrong;
    }
    for (const auto& [number, source] : snapshots_) {
      if (Check wrong = CopyWhole(source)) return *wrong;
    }
    done_ = true;
    kept_.files = static_cast<uint32_t>(files_.size());
    kept_.snapshots = static_cast<uint32_t>(snapshots_.size());
    return kept_;
  }

 private:
  Check OpenSource() {
    const Walk walk = WalkFrom(request_.root, request_.source);
    if (!walk.target) {
      return SystemFailure("Cannot read the recording's folder at", walk.failed_at, walk.error);
    }
    source_.reset(openat(walk.target.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (source_) return std::nullopt;
    return SystemFailure("Cannot read the recording's folder at", request_.source, errno);
  }

  Check OpenFiles() {
    const int listed = fcntl(source_.get(), F_DUPFD_CLOEXEC, 0);
    DIR* const folder = listed < 0 ? nullptr : fdopendir(listed);
    if (folder == nullptr) {
      const int error = errno;
      if (listed >= 0) close(listed);
      return SystemFailure("Cannot read the recording's folder at", request_.source, error);
    }
    Check wrong;
    while (const dirent* entry = readdir(folder)) {
      const std::string name = entry->d_name;
      if (const auto number = NumberInFileName(name, "")) {
        wrong = Open(name, *number, files_);
      } else if (const auto snapshot = NumberInFileName(name, kSnapshotPrefix)) {
        wrong = Open(name, *snapshot, snapshots_);
      }
      if (wrong) break;
    }
    closedir(folder);
    if (wrong) return wrong;
    LeaveOutOld();
    if (!files_.empty() || !snapshots_.empty()) return std::nullopt;
    return Failure{
        ExitCode::kInternal,
        "There is no recording file in " + contract::Printable(request_.source) + " yet.",
        "Try again in a second."};
  }

  // Opened all at once: from then on they are ours, whatever the recorder deletes.
  Check Open(const std::string& name, uint32_t number, std::map<uint32_t, Source>& into) {
    Source source;
    source.name = name;
    source.file.reset(
        openat(source_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!source.file && errno == ENOENT) return std::nullopt;  // the recorder has just deleted it
    if (!source.file || fstat(source.file.get(), &source.info) != 0) {
      return SystemFailure("Cannot read a file of the recording:", name, errno);
    }
    const bool expected = S_ISREG(source.info.st_mode) &&
                          (source.info.st_uid == request_.owner || source.info.st_uid == geteuid());
    if (!expected) {
      return Failure{ExitCode::kInternal,
                     contract::Printable(name) +
                         " in the recording's folder does not belong to the process's user.",
                     "Nothing was copied."};
    }
    into.emplace(number, std::move(source));
    return std::nullopt;
  }

  // The newest file stays whatever its age: a quiet process writes once in ten seconds.
  void LeaveOutOld() {
    if (request_.last_ns == 0) return;
    timespec now = {};
    clock_gettime(CLOCK_REALTIME, &now);
    const auto nanoseconds = [](const timespec& time) {
      return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
    };
    const int64_t since = nanoseconds(now) - static_cast<int64_t>(request_.last_ns);
    while (files_.size() > 1 && nanoseconds(files_.begin()->second.info.st_mtim) < since) {
      files_.erase(files_.begin());
    }
  }

  Check MakeFolder() {
    const std::string base =
        (std::filesystem::path(request_.destination) / CopyName(request_.source)).string();
    for (int i = 1; i <= kMaxSameNames; ++i) {
      const std::string suffix = i == 1 ? "" : '-' + std::to_string(i);
      kept_.path = base + suffix + std::string(kFolderSuffix);
      if (mkdir(kept_.path.c_str(), 0700) == 0) {
        folder_.reset(open(kept_.path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (folder_) return std::nullopt;
        rmdir(kept_.path.c_str());
        break;
      }
      if (errno != EEXIST) break;
    }
    return SystemFailure("Cannot create the copy's folder:", kept_.path, errno);
  }

  // What comes before the first segment that is kept is not lost.
  void SetOldest() {
    if (files_.empty()) return;
    std::byte bytes[kSegmentHeaderBytes];
    SegmentHeader header;
    const Source& first = files_.begin()->second;
    if (pread(first.file.get(), bytes, sizeof bytes, 0) != sizeof bytes) return;
    if (DecodeSegmentHeader(bytes, header) != HeaderError::kNone) return;
    oldest_file_ = std::min(files_.begin()->first, kMaxOldestFile);
    oldest_sequence_ = static_cast<uint32_t>(std::min<uint64_t>(header.sequence, UINT32_MAX));
  }

  Check CopySegments(const Source& source) {
    UniqueFd out;
    if (Check wrong = Create(source.name, out)) return wrong;
    struct stat now = source.info;
    fstat(source.file.get(), &now);  // it may have grown
    uint64_t offset = 0;
    const auto size = static_cast<uint64_t>(now.st_size);
    std::byte bytes[kSegmentHeaderBytes];
    while (offset < size) {
      SegmentHeader header;
      const bool whole =
          pread(source.file.get(), bytes, sizeof bytes, static_cast<off_t>(offset)) == sizeof bytes;
      if (!whole || DecodeSegmentHeader(bytes, header) != HeaderError::kNone) {
        // Damage stays what it is: whoever reads it says so.
        return CopyBytes(source, offset, size - offset, out.get());
      }
      const uint64_t end = offset + kSegmentHeaderBytes + header.compressed_bytes;
      if (end > size) return std::nullopt;  // it is being written
      header.oldest_file = std::max(header.oldest_file, oldest_file_);
      header.oldest_sequence = std::max(header.oldest_sequence, oldest_sequence_);
      EncodeSegmentHeader(header, bytes);
      if (Check wrong = Write(out.get(), bytes)) return wrong;
      const uint64_t body = offset + kSegmentHeaderBytes;
      if (Check wrong = CopyBytes(source, body, end - body, out.get())) return wrong;
      offset = end;
    }
    return std::nullopt;
  }

  Check CopyWhole(const Source& source) {
    UniqueFd out;
    if (Check wrong = Create(source.name, out)) return wrong;
    return CopyBytes(source, 0, static_cast<uint64_t>(source.info.st_size), out.get());
  }

  Check Create(const std::string& name, UniqueFd& out) {
    out.reset(openat(folder_.get(), name.c_str(),
                     O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!out) return SystemFailure("Cannot write the copy to", kept_.path, errno);
    made_.push_back(name);
    return std::nullopt;
  }

  Check CopyBytes(const Source& source, uint64_t offset, uint64_t count, int out) {
    buffer_.resize(kChunkBytes);
    while (count > 0) {
      const size_t wanted = std::min<uint64_t>(count, buffer_.size());
      const ssize_t got =
          pread(source.file.get(), buffer_.data(), wanted, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return SystemFailure("Cannot read the recording:", source.name, errno);
      if (got == 0) return std::nullopt;  // it became shorter
      if (Check wrong = Write(out, std::span(buffer_).first(static_cast<size_t>(got)))) {
        return wrong;
      }
      offset += static_cast<uint64_t>(got);
      count -= static_cast<uint64_t>(got);
    }
    return std::nullopt;
  }

  Check Write(int out, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t written = write(out, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return SystemFailure("Cannot write the copy to", kept_.path, errno);
      kept_.bytes += static_cast<uint64_t>(written);
      bytes = bytes.subspan(static_cast<size_t>(written));
    }
    return std::nullopt;
  }

  void Discard() {
    if (!folder_) return;
    for (const std::string& name : made_) unlinkat(folder_.get(), name.c_str(), 0);
    rmdir(kept_.path.c_str());
  }

  const KeepRequest& request_;
  UniqueFd source_, folder_;
  std::map<uint32_t, Source> files_, snapshots_;  // by number
  std::vector<std::string> made_;
  std::vector<std::byte> buffer_;
  uint32_t oldest_file_ = 0, oldest_sequence_ = 0;
  Kept kept_;
  bool done_ = false;
};

}  // namespace

Result<Kept> KeepRecording(const KeepRequest& request) { return Copy(request).Run(); }

}  // namespace hindsight::trigger
