#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "trigger/pull/pull.h"
#include "trigger/write_all.h"

namespace hindsight::trigger {
namespace {

constexpr size_t kTarBlock = 512;

Check WriteTo(int file, std::span<const std::byte> bytes, const std::string& where) {
  if (WriteAll(file, bytes)) return std::nullopt;
  return SystemFailure("Cannot write the copy to", where, errno,
                       "Choose another folder with --output.");
}

// A field of a tar header: octal digits and a NUL.
void Octal(char* field, size_t bytes, uint64_t value) {
  field[bytes - 1] = '\0';
  for (size_t i = bytes - 1; i-- > 0; value >>= 3) field[i] = static_cast<char>('0' + (value & 7));
}

// As specified by POSIX.
struct TarHeader {
  char name[100];
  char mode[8], uid[8], gid[8];
  char size[12], modified[12];
  char checksum[8];
  char type;
  char link[100];
  char magic[6];
  char version[2];
  char user[32], group[32];
  char device_major[8], device_minor[8];
  char prefix[155];
  char unused[12];
};
static_assert(sizeof(TarHeader) == kTarBlock);

}  // namespace

FolderTarget::~FolderTarget() {
  if (!part_.empty()) unlink(part_.c_str());
}

uint64_t FolderTarget::BytesOf(const std::string& folder, const std::string& name) {
  struct stat info = {};
  const std::string path = folder_ + '/' + folder + '/' + name;
  const bool is_there = lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
  return is_there ? static_cast<uint64_t>(info.st_size) : 0;
}

Check FolderTarget::Begin(const std::string& folder, const std::string& name, uint64_t, int64_t) {
  const std::string recording = folder_ + '/' + folder;
  if (mkdir(recording.c_str(), 0700) != 0 && errno != EEXIST) {
    return SystemFailure("Cannot create the copy's folder:", recording, errno,
                         "Choose another folder with --output.");
  }
  path_ = recording + '/' + name;
  part_ = path_ + ".part";
  file_.reset(open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file_) return std::nullopt;
  const int error = errno;
  part_.clear();
  return SystemFailure("Cannot write the copy to", path_, error, "");
}

Check FolderTarget::Write(std::span<const std::byte> bytes) {
  return WriteTo(file_.get(), bytes, path_);
}

Check FolderTarget::End() {
  file_.reset();
  if (rename(part_.c_str(), path_.c_str()) != 0) {
    return SystemFailure("Cannot write the copy to", path_, errno, "");
  }
  part_.clear();
  return std::nullopt;
}

Check TarTarget::Begin(const std::string& folder, const std::string& name, uint64_t size,
                       int64_t modified_s) {
  if (folder != folder_) {
    folder_ = folder;
    // A longer name does not fit into a header of its own; tar then creates the folder implicitly.
    const bool fits = folder.size() + 1 <= sizeof TarHeader::name;
    Check wrong = fits ? WriteHeader("", folder + '/', '5', 0700, 0, modified_s) : std::nullopt;
    if (wrong) return wrong;
  }
  size_ = size;
  written_ = 0;
  return WriteHeader(folder, name, '0', 0600, size, modified_s);
}

Check TarTarget::WriteHeader(const std::string& folder, const std::string& name, char type,
                             uint32_t mode, uint64_t size, int64_t modified_s) {
  TarHeader header = {};
  constexpr uint64_t kMaxSize = (uint64_t{1} << 33) - 1;  // 11 octal digits
  if (size > kMaxSize || folder.size() > sizeof header.prefix || name.size() > sizeof header.name) {
    return Failure{TriggerExit::kInternal, folder + '/' + name + " does not fit into a tar stream.",
                   "Pull into a folder."};
  }
  std::copy(folder.begin(), folder.end(), header.prefix);
  std::copy(name.begin(), name.end(), header.name);
  Octal(header.mode, sizeof header.mode, mode);
  Octal(header.uid, sizeof header.uid, 0);
  Octal(header.gid, sizeof header.gid, 0);
  Octal(header.size, sizeof header.size, size);
  Octal(header.modified, sizeof header.modified,
        static_cast<uint64_t>(std::max<int64_t>(modified_s, 0)));
  header.type = type;
  std::memcpy(header.magic, "ustar", sizeof header.magic);
  std::memcpy(header.version, "00", sizeof header.version);
  std::memset(header.checksum, ' ', sizeof header.checksum);
  uint64_t sum = 0;
  for (const std::byte byte : std::as_bytes(std::span(&header, 1))) {
    sum += std::to_integer<uint64_t>(byte);
  }
  Octal(header.checksum, sizeof header.checksum - 1, sum);  // a blank follows
  return WriteTo(file_, std::as_bytes(std::span(&header, 1)), "the stream");
}

Check TarTarget::Write(std::span<const std::byte> bytes) {
  written_ += bytes.size();
  return WriteTo(file_, bytes, "the stream");
}

// If the file has become shorter, the rest is filled with zeros, because the header has promised
// its size.
Check TarTarget::End() {
  static constexpr std::array<std::byte, kTarBlock> kZeros{};
  const uint64_t end = (size_ + kTarBlock - 1) / kTarBlock * kTarBlock;
  while (written_ < end) {
    const size_t count = std::min<uint64_t>(end - written_, kTarBlock);
    if (Check wrong = WriteTo(file_, std::span(kZeros).first(count), "the stream")) return wrong;
    written_ += count;
  }
  return std::nullopt;
}

Check TarTarget::EndAll() {
  constexpr std::array<std::byte, 2 * kTarBlock> kEnd{};
  return WriteTo(file_, kEnd, "the stream");
}

}  // namespace hindsight::trigger
