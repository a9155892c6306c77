#include "analyzer/reader/files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "analyzer/base/file_error.h"
#include "analyzer/base/path_text.h"
#include "analyzer/base/text.h"
#include "analyzer/reader/find_recordings.h"
#include "proto/file_names.h"

namespace hindsight::analyzer {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostNamed = 5;  // recordings in a message

Error CannotOpen(const std::string& path, int error) {
  std::string sentence = "Cannot open " + Printable(path) + ": " + std::strerror(error);
  if (error == ENOENT) {
    sentence += "; give a recording's folder (*.hindsight) or one of its files (*.hsr)";
  } else if (error == EACCES || error == EPERM) {
    sentence +=
        "; only the user who ran the process can read its recordings: run as that user or as ";
    sentence += kSuperuser;
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

// Adds the *.hsr files of `folder`, ordered by name.
Result<void> AddFolder(const std::string& folder, std::vector<InputFile>& files) {
  std::vector<std::string> found;
  std::error_code error;
  fs::directory_iterator entry(PathOf(folder), error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const fs::path& path = entry->path();
    if (path.extension() == kFileSuffix) found.push_back(path.string());
  }
  if (error) return CannotOpen(folder, ErrnoOf(error));
  if (found.empty()) return NoRecordingIn(folder);
  std::sort(found.begin(), found.end());
  for (std::string& path : found) files.push_back({std::move(path), false});
  return {};
}

}  // namespace

Result<std::vector<InputFile>> FindFiles(std::span<const std::string> paths) {
  std::vector<InputFile> files;
  for (const std::string& path : paths) {
    std::error_code error;
    const fs::file_status status = fs::status(PathOf(path), error);
    if (!fs::exists(status)) return CannotOpen(path, ErrnoOf(error));
    if (fs::is_directory(status)) {
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
  if (fs::is_directory(PathOf(path), error)) {
    for (fs::directory_iterator entry(PathOf(path), error);
         !error && entry != fs::directory_iterator(); entry.increment(error)) {
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
  int error = 0;
  std::optional<RegularFile> file = RegularFile::Open(path, error);
  if (file) return FileReader(std::move(*file));
  if (error != 0) return CannotOpen(path, error);
  return Error{Printable(path) + " is not a regular file; save the recording to a file first."};
}

HeaderError FileReader::ReadHeader(SegmentHeader& header) const {
  std::array<std::byte, kSegmentHeaderBytes> bytes;
  return DecodeSegmentHeader(std::span(bytes).first(ReadAt(0, bytes)), header);
}

}  // namespace hindsight::analyzer
