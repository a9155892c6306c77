#include "recorder/output/file_set.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "recorder/output/system.h"

namespace hindsight::recorder {
namespace {

constexpr uint64_t kFilesPerLimit = 16;
constexpr uint64_t kMinFileBytes = 1u << 20;
constexpr uint64_t kMaxFileBytes = 16u << 20;
constexpr int kMaxTakenNames = 16;  // numbers skipped because such a file exists already

bool HasBeenDeleted(const Descriptor& file) { return file.IsOurs() && IsDeleted(file.get()); }

}  // namespace

std::string FileName(uint32_t number) {
  char name[24];
  std::snprintf(name, sizeof name, "%06u.hsr", number);
  return name;
}

void FileSet::Open(int folder, uint64_t disk_limit_bytes) {
  *this = FileSet();
  folder_ = folder;
  limit_bytes_ = disk_limit_bytes;
  file_bytes_ = std::clamp(disk_limit_bytes / kFilesPerLimit, kMinFileBytes, kMaxFileBytes);
  // Failures end files early, so there can be more than limit / file size. When this ring is full,
  // the oldest file is deleted.
  older_.resize(4 * (limit_bytes_ / file_bytes_) + 64);
  folder_file_ = FileIdentity::Of(folder);
}

void FileSet::Move(int folder) {
  file_.Close();
  folder_ = folder;
  folder_file_ = FileIdentity::Of(folder);
  ended_ = true;
  older_first_ = 0;
  older_count_ = 0;
  current_bytes_ = 0;
  stored_bytes_ = 0;
}

bool FileSet::NeedsNewFile() {
  if (!file_.IsOurs() || current_bytes_ >= file_bytes_ || HasBeenDeleted(file_)) ended_ = true;
  return ended_;
}

int FileSet::EnsureFile() {
  reason_ = nullptr;
  if (!ended_) return 0;
  FinishFile();
  if (older_count_ == older_.size()) {
    if (const int error = DeleteOldest()) return error;
  }
  int error = CreateFile();
  if (IsDiskFull(error) && GiveUpFor(1)) error = CreateFile();
  return error;
}

int FileSet::CreateFile() {
  // As if the folder had been deleted: it cannot be reached any more.
  if (!folder_file_.IsOf(folder_)) return kFolderGone;
  for (int i = 0; i < kMaxTakenNames; ++i) {
    file_ = CreatePrivateFile(folder_, FileName(number_ + 1));
    if (!file_ && errno != EEXIST) return errno;
    ++number_;
    if (file_) {
      const uint64_t usable = UsableBytes(folder_);
      const uint64_t room =
          usable < limit_bytes_ ? std::min(limit_bytes_, stored_bytes_ + usable) : limit_bytes_;
      file_bytes_ = std::clamp(room / kFilesPerLimit, kMinFileBytes, kMaxFileBytes);
      ended_ = false;
      current_bytes_ = 0;
      ++files_created_;
      return 0;
    }
  }
  return EEXIST;
}

int FileSet::Append(std::span<const std::byte> bytes, uint64_t sequence,
                    const std::function<void()>& before_write, bool is_last) {
  reason_ = nullptr;
  int error = MakeRoom(bytes.size(), is_last);
  if (error == 0) error = Write(bytes, before_write);
  if (IsDiskFull(error) && reason_ == nullptr && CutFile(file_.get(), current_bytes_) &&
      GiveUpFor(bytes.size())) {
    error = Write(bytes, before_write);
  }
  if (error != 0) {
    AbandonFile();
    return error;
  }
  end_sequence_ = sequence + 1;
  current_bytes_ += static_cast<uint32_t>(bytes.size());
  stored_bytes_ += bytes.size();
  written_bytes_ += bytes.size();
  return 0;
}

bool FileSet::IsReserveReached(size_t bytes) const { return UsableBytes(folder_) < bytes; }

int FileSet::Write(std::span<const std::byte> bytes, const std::function<void()>& before_write) {
  if (before_write) before_write();
  if (!file_.IsOurs()) {
    reason_ = "something in this process has closed the file";
    return EBADF;
  }
  const WriteSignalsBlocked guard;
  return WriteAll(file_.get(), bytes);
}

int FileSet::Close() {
  FinishFile();
  return close_error_;
}

void FileSet::FinishFile() {
  if (!file_) return;
  if (HasBeenDeleted(file_)) {
    stored_bytes_ -= current_bytes_;
  } else {
    older_[(older_first_ + older_count_++) % older_.size()] = {number_, current_bytes_,
                                                               end_sequence_};
  }
  const int error = file_.Close();
  if (close_error_ == 0) close_error_ = error;
  current_bytes_ = 0;
  ended_ = true;
}

void FileSet::AbandonFile() {
  ended_ = true;
  if (file_.IsOurs() && !CutFile(file_.get(), current_bytes_)) {
    // The torn end stays; nothing is written behind it, and the limit counts it.
    const uint64_t bytes = FileBytes(file_.get()).value_or(0);
    if (bytes > current_bytes_) {
      stored_bytes_ += bytes - current_bytes_;
      current_bytes_ = static_cast<uint32_t>(bytes);
    }
  }
  if (current_bytes_ == 0 && RemoveFile(folder_, FileName(number_)) == 0) {
    file_.Close();
    --number_;
    --files_created_;
  }
}

int FileSet::DeleteOldest() {
  if (!folder_file_.IsOf(folder_)) return kFolderGone;
  const OlderFile oldest = older_[older_first_];
  const int error = RemoveFile(folder_, FileName(oldest.number));
  if (error != 0 && error != ENOENT) return error;
  older_first_ = (older_first_ + 1) % older_.size();
  --older_count_;
  stored_bytes_ -= oldest.bytes;
  ++files_deleted_;
  kept_.oldest_file = oldest.number + 1;
  kept_.oldest_sequence = oldest.end_sequence;
  return 0;
}

bool FileSet::GiveUpFor(size_t bytes) {
  if (written_bytes_ - written_at_give_up_ < given_up_bytes_ / 2) return false;
  const uint64_t before = stored_bytes_;
  while (older_count_ >= 2 && before - stored_bytes_ < bytes && DeleteOldest() == 0) {
  }
  if (stored_bytes_ == before) return false;
  kept_.deleted_for_full_disk = true;
  given_up_bytes_ = before - stored_bytes_;
  written_at_give_up_ = written_bytes_;
  return true;
}

int FileSet::MakeRoom(size_t bytes, bool is_last) {
  while (stored_bytes_ + bytes > limit_bytes_) {
    if (older_count_ == 0) {
      reason_ = "it would be larger than limit.disk allows";
      return EFBIG;
    }
    if (const int error = DeleteOldest()) return error;
  }
  if (!IsReserveReached(bytes)) return 0;
  if (GiveUpFor(bytes) && !IsReserveReached(bytes)) return 0;
  if (is_last) return 0;
  reason_ = "the disk is almost full; its last 1 % (at most 64 MiB) is left to the application";
  return ENOSPC;
}

}  // namespace hindsight::recorder
