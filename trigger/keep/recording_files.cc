#include "trigger/keep/recording_files.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "proto/file_names.h"
#include "proto/segment.h"
#include "recorder/contract/text.h"
#include "trigger/folder.h"

namespace hindsight::trigger {
namespace {

constexpr size_t kChunkBytes = 256u << 10;
constexpr size_t kMaxNameBytes = 160;

Check OpenFile(int folder, const std::string& name, uint32_t number, uid_t owner,
               std::map<uint32_t, RecordingFile>& into) {
  RecordingFile source;
  source.name = name;
  source.file.reset(openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!source.file && errno == ENOENT) return std::nullopt;  // the recorder has just deleted it
  if (!source.file || fstat(source.file.get(), &source.info) != 0) {
    return SystemFailure("Cannot read a file of the recording:", name, errno, "");
  }
  const bool expected = S_ISREG(source.info.st_mode) &&
                        (source.info.st_uid == owner || source.info.st_uid == geteuid());
  if (!expected) {
    return Failure{TriggerExit::kInternal,
                   contract::Printable(name) +
                       " in the recording's folder does not belong to the process's user.",
                   "Nothing was copied."};
  }
  into.emplace(number, std::move(source));
  return std::nullopt;
}

bool ReadHeader(const RecordingFile& source, uint64_t offset, SegmentHeader& header) {
  std::byte bytes[kSegmentHeaderBytes];
  return pread(source.file.get(), bytes, sizeof bytes, static_cast<off_t>(offset)) ==
             sizeof bytes &&
         DecodeSegmentHeader(bytes, header) == HeaderError::kNone;
}

// Where the next segment begins, behind damage at `from`; `size`: there is none.
uint64_t NextSegment(const RecordingFile& source, uint64_t from, uint64_t size) {
  std::vector<std::byte> buffer(kChunkBytes);
  while (from < size) {
    const ssize_t got =
        pread(source.file.get(), buffer.data(), buffer.size(), static_cast<off_t>(from));
    if (got < static_cast<ssize_t>(kSegmentHeaderBytes)) return size;
    const std::span<const std::byte> read(buffer.data(), static_cast<size_t>(got));
    for (size_t at = FindSegment(read, 0); at < read.size(); at = FindSegment(read, at + 1)) {
      SegmentHeader header;
      if (ReadHeader(source, from + at, header)) return std::min(from + at, size);
    }
    // A header may begin at the end of what was read.
    from += read.size() - kSegmentHeaderBytes + 1;
  }
  return size;
}

}  // namespace

Failure SystemFailure(const std::string& what, const std::string& where, int error,
                      const std::string& no_space) {
  return {TriggerExit::kInternal,
          what + ' ' + contract::Printable(where) + ": " + std::strerror(error) + '.',
          error == ENOSPC ? no_space : ""};
}

Expected<RecordingFiles> OpenRecordingFiles(int folder, const std::string& path, uid_t owner) {
  RecordingFiles found;
  Check wrong;
  const bool is_listed = ForEachName(folder, [&](std::string_view entry) {
    const std::string name(entry);
    if (const auto number = NumberInFileName(name, "")) {
      wrong = OpenFile(folder, name, *number, owner, found.files);
    } else if (const auto snapshot = NumberInFileName(name, kSnapshotPrefix)) {
      wrong = OpenFile(folder, name, *snapshot, owner, found.snapshots);
    }
    return !wrong;
  });
  if (!is_listed) {
    return SystemFailure("Cannot read the recording's folder at", path, errno, "");
  }
  if (wrong) return *wrong;
  return found;
}

CopiedHeader HeaderFrom(const RecordingFiles& files) {
  CopiedHeader copied;
  SegmentHeader header;
  if (files.files.empty() || !ReadHeader(files.files.begin()->second, 0, header)) return copied;
  copied.oldest_file = std::min(files.files.begin()->first, kMaxOldestFile);
  copied.oldest_sequence = static_cast<uint32_t>(std::min<uint64_t>(header.sequence, UINT32_MAX));
  return copied;
}

std::optional<SegmentHeader> LastHeader(const RecordingFile& source, uint64_t size) {
  std::optional<SegmentHeader> last;
  for (uint64_t offset = 0; offset < size;) {
    SegmentHeader header;
    if (!ReadHeader(source, offset, header)) {
      offset = NextSegment(source, offset + 1, size);
      continue;
    }
    last = header;
    offset += kSegmentHeaderBytes + header.compressed_bytes;
  }
  return last;
}

uint64_t WholeBytes(const RecordingFile& source) {
  struct stat now = source.info;
  fstat(source.file.get(), &now);  // it may have grown
  const auto size = static_cast<uint64_t>(now.st_size);
  uint64_t offset = 0;
  while (offset < size) {
    SegmentHeader header;
    if (!ReadHeader(source, offset, header)) return size;
    const uint64_t end = offset + kSegmentHeaderBytes + header.compressed_bytes;
    if (end > size) return offset;  // it is being written
    offset = end;
  }
  return offset;
}

Check CopySegments(const RecordingFile& source, uint64_t size, const CopiedHeader& copied,
                   const WriteBytes& write) {
  uint64_t offset = 0;
  while (offset < size) {
    SegmentHeader header;
    if (!ReadHeader(source, offset, header)) {
      const uint64_t next = NextSegment(source, offset + 1, size);
      if (Check wrong = CopyBytes(source, offset, next - offset, write)) return wrong;
      offset = next;
      continue;
    }
    if (copied.recording_id) header.recording_id = *copied.recording_id;
    header.oldest_file = std::max(header.oldest_file, copied.oldest_file);
    header.oldest_sequence = std::max(header.oldest_sequence, copied.oldest_sequence);
    std::byte bytes[kSegmentHeaderBytes];
    EncodeSegmentHeader(header, bytes);
    if (Check wrong = write(bytes)) return wrong;
    const uint64_t body = offset + kSegmentHeaderBytes;
    if (Check wrong = CopyBytes(source, body, header.compressed_bytes, write)) return wrong;
    offset = body + header.compressed_bytes;
  }
  return std::nullopt;
}

Check CopyBytes(const RecordingFile& source, uint64_t offset, uint64_t size,
                const WriteBytes& write) {
  std::vector<std::byte> buffer(std::min<uint64_t>(size, kChunkBytes));
  while (size > 0) {
    const size_t wanted = std::min<uint64_t>(size, buffer.size());
    const ssize_t got = pread(source.file.get(), buffer.data(), wanted, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemFailure("Cannot read the recording:", source.name, errno, "");
    if (got == 0) return std::nullopt;  // it became shorter
    if (Check wrong = write(std::span(buffer).first(static_cast<size_t>(got)))) return wrong;
    offset += static_cast<uint64_t>(got);
    size -= static_cast<uint64_t>(got);
  }
  return std::nullopt;
}

std::string SafeName(std::string name) {
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '_' || c == '-';
    if (!plain) c = '_';
  }
  name.resize(std::min(name.size(), kMaxNameBytes));
  if (name.empty() || name[0] == '.' || name[0] == '-') name = "recording" + name;
  return name;
}

}  // namespace hindsight::trigger
