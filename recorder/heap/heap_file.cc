#include "recorder/heap/heap_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
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

// Snapshot files in the folder, oldest first.
std::vector<FileInFolder> OlderFiles(int folder) {
  std::vector<FileInFolder> files = FilesIn(folder, "heap-", ".hsr");
  std::sort(files.begin(), files.end(),
            [](const FileInFolder& a, const FileInFolder& b) { return a.name < b.name; });
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
  std::vector<FileInFolder> older = OlderFiles(folder_.get());
  uint64_t stored = 0;
  for (const FileInFolder& file : older) stored += file.bytes;
  const uint64_t wanted = limit_bytes / 8;
  for (size_t i = 0; i < older.size() && stored + wanted > limit_bytes; ++i) {
    if (RemoveFile(folder_.get(), older[i].name) != 0) continue;
    stored -= older[i].bytes;
    std::erase_if(kept_, [&](uint32_t kept) { return FileName(kept) == older[i].name; });
  }
  name_ = FileName(number);
  path_ = PathIn(folder.path, name_);
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
      if (folder_.IsOurs()) RemoveFile(folder_.get(), name_);
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
  return file_.IsOurs() ? FileBytes(file_.get()).value_or(0) : 0;
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
  (void)CutFile(file(), before);
  if (error_.empty()) error_ = "cannot write " + path_ + ": " + ErrorText(error);
  return false;
}

}  // namespace hindsight::recorder
