#include "analyzer/commands/output_file.h"

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "analyzer/base/file_error.h"
#include "analyzer/base/path_text.h"
#include "analyzer/base/private_file.h"
#include "analyzer/base/text.h"
#include "analyzer/reader/files.h"

namespace hindsight::analyzer {

Result<void> RefuseRecording(const std::string& name) {
  if (!IsRecording(name)) return {};
  return Error{Printable(name) + " is a recording; choose another output path.", ExitCode::kUsage};
}

Result<OutputFile> OutputFile::Create(const std::string& name) {
  if (const Result<void> allowed = RefuseRecording(name); !allowed) return allowed.error();
  const OutputPlace place = PlaceOf(name);
  if (place == OutputPlace::kFolder) return CannotWrite(name, EISDIR);
  OutputFile file(name, place == OutputPlace::kWrittenThrough);
  const std::string made = file.through_ ? name : file.Part();
  file.file_ = file.through_ ? OpenToWriteThrough(made) : CreatePrivateFile(made);
  if (file.file_ == nullptr) return CannotWrite(made, errno);
  return file;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : name_(std::move(other.name_)),
      through_(other.through_),
      file_(std::exchange(other.file_, nullptr)),
      error_(other.error_),
      bytes_(other.bytes_) {}

OutputFile::~OutputFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  if (!through_) RemovePart();
}

void OutputFile::RemovePart() const {
  std::error_code ignored;
  std::filesystem::remove(PathOf(Part()), ignored);
}

bool OutputFile::Write(std::string_view bytes) {
  if (error_ == 0 && std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) {
    error_ = errno;
  }
  bytes_ += bytes.size();
  return error_ == 0;
}

Result<void> OutputFile::Finish() {
  if (std::fclose(std::exchange(file_, nullptr)) != 0 && error_ == 0) error_ = errno;
  if (error_ == 0 && !through_) {
    std::error_code error;
    std::filesystem::rename(PathOf(Part()), PathOf(name_), error);
    if (error) error_ = ErrnoOf(error);
  }
  if (error_ == 0) return {};
  if (!through_) RemovePart();
  return CannotWrite(name_, error_);
}

}  // namespace hindsight::analyzer
