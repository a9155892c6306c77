#include "analyzer/cut/new_recording.h"

#include <zstd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "analyzer/base/file_error.h"
#include "analyzer/base/path_text.h"
#include "analyzer/base/private_file.h"
#include "analyzer/base/text.h"
#include "proto/file_names.h"

namespace hindsight::analyzer {
namespace {

namespace fs = std::filesystem;

constexpr int kLevel = 3;  // for zstd, as in the recorder

bool Exists(const std::string& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(PathOf(path), error));
}

Error IsThere(const std::string& path) {
  return {Printable(path) + " exists already; choose another name for the new recording.",
          ExitCode::kUsage};
}

bool IsHeapSegment(SegmentKind kind) {
  return kind == SegmentKind::kHeapTables || kind == SegmentKind::kHeapObjects;
}

}  // namespace

Result<NewRecording> NewRecording::Create(const std::string& path) {
  std::string name = WithoutLastSeparators(path);
  if (Exists(name)) return IsThere(name);
  std::string part = name + ".part-";
  if (!CreatePrivateFolderLike(part)) return CannotWrite(name, errno);
  return NewRecording(std::move(name), std::move(part));
}

NewRecording::NewRecording(NewRecording&& other) noexcept
    : path_(std::move(other.path_)),
      part_(std::exchange(other.part_, {})),
      files_(std::move(other.files_)),
      file_(std::exchange(other.file_, nullptr)),
      bytes_(other.bytes_) {}

NewRecording::~NewRecording() {
  if (file_ != nullptr) std::fclose(file_);
  if (part_.empty()) return;
  std::error_code ignored;
  for (const std::string& file : files_) fs::remove(PathOf(part_ + "/" + file), ignored);
  fs::remove(PathOf(part_), ignored);
}

Error NewRecording::Failed(int error) const {
  Error failure = CannotWrite(path_, error);
  if (IsForLackOfRoom(error)) {
    failure.sentence +=
        " Nothing was kept of it: choose a place with more room, or a shorter span.";
  }
  return failure;
}

Result<void> NewRecording::CloseFile() {
  if (file_ == nullptr) return {};
  errno = 0;
  if (std::fclose(std::exchange(file_, nullptr)) != 0) return Failed(errno);
  return {};
}

Result<void> NewRecording::OpenFileOf(const SegmentHeader& header) {
  std::string name =
      FileNameOf(header.file_number, IsHeapSegment(header.kind) ? kSnapshotPrefix : "");
  if (file_ != nullptr && files_.back() == name) return {};
  if (Result<void> closed = CloseFile(); !closed) return closed;
  file_ = CreatePrivateFile(part_ + "/" + name);
  if (file_ == nullptr) return Failed(errno);
  files_.push_back(std::move(name));
  return {};
}

Result<void> NewRecording::Append(const SegmentHeader& header, std::span<const std::byte> frame) {
  if (Result<void> open = OpenFileOf(header); !open) return open;
  std::array<std::byte, kSegmentHeaderBytes> bytes;
  EncodeSegmentHeader(header, bytes);
  errno = 0;
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size() ||
      std::fwrite(frame.data(), 1, frame.size(), file_) != frame.size()) {
    return Failed(errno);
  }
  bytes_ += bytes.size() + frame.size();
  return {};
}

Result<void> NewRecording::AppendBody(SegmentHeader header, std::string_view body) {
  frame_.resize(ZSTD_compressBound(body.size()));
  const size_t size = ZSTD_compress(frame_.data(), frame_.size(), body.data(), body.size(), kLevel);
  if (ZSTD_isError(size)) return Failed(ENOMEM);
  const std::span<const std::byte> frame = std::span(frame_).first(size);
  header.compressed_bytes = static_cast<uint32_t>(size);
  header.raw_bytes = static_cast<uint32_t>(body.size());
  header.body_crc32c = Crc32c(frame);
  return Append(header, frame);
}

Result<void> NewRecording::Finish() {
  if (Result<void> closed = CloseFile(); !closed) return closed;
  // rename() replaces an empty folder. If one appears between the two calls, it is being created by
  // two users at once.
  if (Exists(path_)) return IsThere(path_);
  std::error_code error;
  fs::rename(PathOf(part_), PathOf(path_), error);
  if (error) return Failed(ErrnoOf(error));
  part_.clear();
  return {};
}

}  // namespace hindsight::analyzer
