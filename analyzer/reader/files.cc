#include "analyzer/reader/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include "analyzer/base/text.h"
#include "analyzer/reader/find_recordings.h"
#include "proto/file_names.h"

namespace hindsight::analyzer {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostNamed = 5;  // recordings, in a sentence

Error CannotOpen(const std::string& path, int error) {
  std::string sentence = "Cannot open " + Printable(path) + ": " + strerror(error);
  if (error == ENOENT) {
    sentence += "; give a recording's folder (*.hindsight) or one of its files (*.hsr)";
  } else if (error == EACCES || error == EPERM) {
    sentence +=
        "; only the user who ran the process can read its recordings: run as that user or as root";
  }
  return {sentence + "."};
}

Error NoRecordingIn(const std::string& path) {
  const auto found = FindRecordings(path);
  const std::vector<FoundRecording> recordings = found ? *found : std::vector<FoundRecording>();
  const std::string where = Printable(path);
  if (recordings.empty()) {
    return {where +
            " contains no recording (no *.hsr file); give a folder such as "
            "<app>-<pid>-<time>.hindsight."};
  }
  std::string sentence = where + " contains " + Plural(recordings.size(), "recording") +
                         "; give one of them, or --latest for the newest:";
  const size_t shown = std::min(recordings.size(), kMostNamed);
  for (size_t i = 0; i < shown; ++i) sentence += "\n  " + Printable(recordings[i].path);
  if (shown < recordings.size()) {
    sentence +=
        "\n  and " + FormatCount(recordings.size() - shown) + " more: hindsight list " + where;
  }
  return {sentence};
}

// Adds the *.hsr files of `folder`, by name.
Result<void> AddFolder(const std::string& folder, std::vector<InputFile>& files) {
  std::vector<std::string> found;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const fs::path& path = entry->path();
    if (path.extension() == kFileSuffix) found.push_back(path.string());
  }
  if (error) return CannotOpen(folder, error.value());
  if (found.empty()) return NoRecordingIn(folder);
  std::sort(found.begin(), found.end());
  for (std::string& path : found) files.push_back({std::move(path), false});
  return {};
}

}  // namespace

Result<std::vector<InputFile>> FindFiles(std::span<const std::string> paths) {
  std::vector<InputFile> files;
  for (const std::string& path : paths) {
    struct stat facts {};
    if (stat(path.c_str(), &facts) != 0) return CannotOpen(path, errno);
    if (S_ISDIR(facts.st_mode)) {
      if (Result<void> added = AddFolder(path, files); !added) return added.error();
    } else {
      files.push_back({path, true});
    }
  }
  if (files.empty()) return Error{"No recording is given.", ExitCode::kUsage};
  return files;
}

bool IsRecording(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    for (fs::directory_iterator entry(path, error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
      if (entry->path().extension() == kFileSuffix) return true;
    }
    return false;
  }
  const Result<FileReader> file = FileReader::Open(path);
  SegmentHeader header;
  if (!file) return false;
  const HeaderError wrong = file->ReadHeader(header);
  return wrong != HeaderError::kNoMagic && wrong != HeaderError::kTooShort;
}

Result<FileReader> FileReader::Open(const std::string& path) {
  // O_NONBLOCK: a FIFO must not keep us waiting; it is refused below.
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return CannotOpen(path, errno);
  FileReader file(descriptor, 0);
  struct stat facts {};
  if (fstat(descriptor, &facts) != 0) return CannotOpen(path, errno);
  if (!S_ISREG(facts.st_mode)) {
    return Error{Printable(path) + " is not a regular file; save the recording to a file first."};
  }
  file.size_ = static_cast<uint64_t>(facts.st_size);
  return file;
}

FileReader::FileReader(FileReader&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}

FileReader& FileReader::operator=(FileReader&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_, other.size_);
  return *this;
}

FileReader::~FileReader() {
  if (descriptor_ >= 0) close(descriptor_);
}

size_t FileReader::ReadAt(uint64_t offset, std::span<std::byte> out) const {
  size_t done = 0;
  while (done < out.size()) {
    const ssize_t got =
        pread(descriptor_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

HeaderError FileReader::ReadHeader(SegmentHeader& header) const {
  std::array<std::byte, kSegmentHeaderBytes> bytes;
  return DecodeSegmentHeader(std::span(bytes).first(ReadAt(0, bytes)), header);
}

}  // namespace hindsight::analyzer
