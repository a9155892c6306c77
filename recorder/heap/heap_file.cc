#include "recorder/heap/heap_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "recorder/output/system.h"

namespace hindsight::recorder {
namespace {

constexpr size_t kMaxKept = 4096;

std::string FileName(uint32_t number) {
  char name[32];
  snprintf(name, sizeof name, "heap-%06u.hsr", number);
  return name;
}

struct Older {
  std::string name;
  uint64_t bytes;
};

// Snapshot files in the folder, oldest first.
std::vector<Older> OlderFiles(int folder) {
  std::vector<Older> files;
  const int own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(own >= 0 ? fdopendir(own) : nullptr, closedir);
  if (!listing) {
    if (own >= 0) close(own);
    return files;
  }
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

}  // namespace

bool HeapFile::Create(OpenedFolder folder, uint64_t recording_id, uint32_t number,
                      uint64_t limit_bytes, std::string* why) {
  Close(true);
  error_.clear();
  if (!buffer_.Map()) {
    *why = "cannot get memory for the snapshot's buffers: " + ErrorText(errno);
    return false;
  }
  folder_ = std::move(folder.folder);
  std::vector<Older> older = OlderFiles(folder_.get());
  uint64_t stored = 0;
  for (const Older& file : older) stored += file.bytes;
  const uint64_t wanted = limit_bytes / 8;
  for (size_t i = 0; i < older.size() && stored + wanted > limit_bytes; ++i) {
    if (unlinkat(folder_.get(), older[i].name.c_str(), 0) != 0) continue;
    stored -= older[i].bytes;
    std::erase_if(kept_, [&](uint32_t kept) { return FileName(kept) == older[i].name; });
  }
  name_ = FileName(number);
  path_ = folder.path + "/" + name_;
  file_ = CreatePrivateFile(folder_.get(), name_);
  if (!file_) {
    *why = "cannot create " + path_ + ": " + ErrorText(errno);
    buffer_.Unmap();
    return false;
  }
  room_bytes_ = std::min(limit_bytes - std::min(stored, limit_bytes), UsableBytes(file_.get()));
  recording_id_ = recording_id;
  number_ = number;
  sequence_ = 0;
  return true;
}

void HeapFile::Close(bool keep) {
  if (file_) {
    if (!keep) {
      if (folder_.IsOurs()) unlinkat(folder_.get(), name_.c_str(), 0);
    } else {
      if (kept_.size() == kMaxKept) kept_.erase(kept_.begin());
      kept_.push_back(number_);
    }
    file_.Close();
  }
  folder_.Close();
  buffer_.Unmap();
}

uint64_t HeapFile::written_bytes() const {
  struct stat status;
  return file_.IsOurs() && fstat(file_.get(), &status) == 0 ? static_cast<uint64_t>(status.st_size)
                                                            : 0;
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
  if (error == 0) error = WriteAll(file(), segment);
  if (error == 0) {
    ++sequence_;
    return true;
  }
  (void)!ftruncate(file(), static_cast<off_t>(before));
  if (error_.empty()) error_ = "cannot write " + path_ + ": " + ErrorText(error);
  return false;
}

}  // namespace hindsight::recorder
