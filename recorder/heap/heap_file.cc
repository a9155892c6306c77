#include "recorder/heap/heap_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string_view>
#include <vector>

#include "recorder/output/system.h"

namespace hindsight::recorder {
namespace {

constexpr uint64_t kReserveBytes = 64u << 20;  // of the file system: the application's

std::string FileName(uint32_t number) {
  char name[32];
  snprintf(name, sizeof name, "heap-%06u.hsr", number);
  return name;
}

struct Older {
  std::string name;
  uint64_t bytes;
};

// Of the snapshots in the folder, oldest first.
std::vector<Older> OlderFiles(const std::string& folder) {
  std::vector<Older> files;
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(opendir(folder.c_str()), closedir);
  if (!listing) return files;
  while (const dirent* entry = readdir(listing.get())) {
    const std::string_view name = entry->d_name;
    if (!name.starts_with("heap-") || !name.ends_with(".hsr")) continue;
    struct stat status;
    if (fstatat(dirfd(listing.get()), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    files.push_back({std::string(name), static_cast<uint64_t>(status.st_size)});
  }
  std::sort(files.begin(), files.end(),
            [](const Older& a, const Older& b) { return a.name < b.name; });
  return files;
}

// What may still be written to `folder`'s file system.
uint64_t UsableBytes(const std::string& folder) {
  struct statvfs status;
  if (statvfs(folder.c_str(), &status) != 0) return UINT64_MAX;
  const uint64_t free = uint64_t{status.f_bavail} * status.f_frsize;
  const uint64_t reserve =
      std::min<uint64_t>(kReserveBytes, uint64_t{status.f_blocks} * status.f_frsize / 100);
  return free > reserve ? free - reserve : 0;
}

}  // namespace

bool HeapFile::Create(const std::string& folder, uint64_t recording_id, uint32_t number,
                      uint64_t limit_bytes, std::string* why) {
  Close(true);
  error_.clear();
  if (!buffer_.Map()) {
    *why = "cannot get memory for the snapshot's buffers: " + ErrorText(errno);
    return false;
  }
  std::vector<Older> older = OlderFiles(folder);
  uint64_t stored = 0;
  for (const Older& file : older) stored += file.bytes;
  const uint64_t wanted = limit_bytes / 8;
  for (size_t i = 0; i < older.size() && stored + wanted > limit_bytes; ++i) {
    if (unlink((folder + "/" + older[i].name).c_str()) == 0) stored -= older[i].bytes;
  }
  room_bytes_ = std::min(limit_bytes - std::min(stored, limit_bytes), UsableBytes(folder));

  path_ = folder + "/" + FileName(number);
  file_ = Descriptor(
      open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_APPEND | O_CLOEXEC, 0600));
  if (!file_) {
    *why = "cannot create " + path_ + ": " + ErrorText(errno);
    buffer_.Unmap();
    return false;
  }
  recording_id_ = recording_id;
  number_ = number;
  sequence_ = 0;
  return true;
}

void HeapFile::Close(bool keep) {
  if (file_) {
    if (!keep) unlink(path_.c_str());
    file_.Close();
  }
  buffer_.Unmap();
}

uint64_t HeapFile::written_bytes() const {
  struct stat status;
  return file_ && fstat(file_.get(), &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
}

void HeapFile::BeginSegment(bool* new_file) {
  buffer_.Clear();
  *new_file = sequence_ == 0;
}

bool HeapFile::EndSegment(SegmentKind kind) {
  SegmentHeader header;
  header.kind = kind;
  header.file_number = number_;
  header.recording_id = recording_id_;
  header.sequence = sequence_;
  const std::span<const std::byte> segment = buffer_.Seal(header);
  const uint64_t before = written_bytes();
  int error = segment.empty() ? EIO : 0;
  const WriteSignalsBlocked guard;
  for (size_t done = 0; error == 0 && done < segment.size();) {
    const ssize_t written = write(file_.get(), segment.data() + done, segment.size() - done);
    if (written > 0) {
      done += static_cast<size_t>(written);
    } else if (written == 0 || errno != EINTR) {
      error = written == 0 ? EIO : errno;
    }
  }
  if (error == 0) {
    ++sequence_;
    return true;
  }
  (void)!ftruncate(file_.get(), static_cast<off_t>(before));
  if (error_.empty()) error_ = "cannot write " + path_ + ": " + ErrorText(error);
  return false;
}

}  // namespace hindsight::recorder
