#include "analyzer/fleet/catalogue.h"

#include <cerrno>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

#include "analyzer/base/file_error.h"
#include "analyzer/base/path_text.h"
#include "analyzer/base/private_file.h"
#include "analyzer/fleet/catalogue_row.h"

namespace hindsight::analyzer {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMostBytes = 4ull << 30;
constexpr size_t kMostLines = 16u << 20;

// Lines of a file that may contain anything: lines longer than any row are returned empty.
class Lines {
 public:
  explicit Lines(std::istream& file) : file_(file), buffer_(kMostCatalogueLineBytes + 2) {}

  bool Next() {
    if (!file_.good()) return false;
    file_.getline(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    const auto size = static_cast<size_t>(file_.gcount());
    is_whole_ = !file_.eof();
    if (file_.eof()) {
      line_ = std::string_view(buffer_.data(), size);
      return size > 0;
    }
    if (file_.fail()) {  // no end of line within the buffer
      file_.clear();
      file_.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
      line_ = {};
      return true;
    }
    line_ = std::string_view(buffer_.data(), size - 1);  // including the line end
    return true;
  }
  std::string_view line() const { return line_; }
  bool is_whole() const { return is_whole_; }  // it has its line end

 private:
  std::istream& file_;
  std::vector<char> buffer_;
  std::string_view line_;
  bool is_whole_ = true;
};

}  // namespace

Catalogue::Catalogue(std::string folder, std::string made_by)
    : folder_(std::move(folder)),
      made_by_(std::move(made_by)),
      name_(folder_ + "/" + std::string(kCatalogueName)) {}

Catalogue::~Catalogue() {
  if (file_ != nullptr) std::fclose(file_);
}

void Catalogue::Read(const std::function<bool(RecordingRow&&)>& is_of_use) {
  std::error_code error;
  if (fs::symlink_status(PathOf(name_), error).type() != fs::file_type::regular) return;
  const uint64_t bytes = fs::file_size(PathOf(name_), error);
  if (error || bytes > kMostBytes) return;
  old_.open(PathOf(name_), std::ios::binary);
  Lines lines(old_);
  if (!lines.Next() || !IsCatalogueHead(lines.line(), made_by_)) return;
  while (lines.Next()) {
    if (kept_.size() == kMostLines) {
      has_refused_ = true;
      break;
    }
    std::optional<RecordingRow> row = ParseCatalogueRow(lines.line());
    const bool is_kept = lines.is_whole() && row && is_of_use(std::move(*row));
    kept_.push_back(is_kept);
    if (!is_kept) has_refused_ = true;
  }
}

void Catalogue::Add(const RecordingRow& row) {
  if (file_ == nullptr && !failure_) StartOver();
  if (file_ != nullptr && !WriteLine(CatalogueLine(row))) Fail(errno);
}

Result<void> Catalogue::Finish() {
  if (file_ == nullptr && !failure_ && has_refused_) StartOver();
  if (file_ != nullptr && std::fclose(std::exchange(file_, nullptr)) != 0) Fail(errno);
  if (failure_) return *failure_;
  return {};
}

// Under a temporary name until it contains what the old one had.
void Catalogue::StartOver() {
  std::string part = name_ + ".";
  file_ = CreatePrivateFileLike(part);
  if (file_ == nullptr) return Fail(errno);
  bool ok = WriteLine(CatalogueHead(made_by_));
  int error = errno;
  if (!kept_.empty()) {
    old_.clear();
    old_.seekg(0);
    Lines lines(old_);
    lines.Next();
    for (size_t i = 0; ok && i < kept_.size() && lines.Next(); ++i) {
      if (!kept_[i]) continue;
      ok = WriteLine(lines.line());
      error = errno;
    }
  }
  old_.close();
  std::error_code failure;
  if (ok) {
    fs::rename(PathOf(part), PathOf(name_), failure);
    if (!failure) return;
    error = ErrnoOf(failure);
  }
  Fail(error);
  fs::remove(PathOf(part), failure);
}

// Immediately, so that no recording is read again whose line was written.
bool Catalogue::WriteLine(std::string_view line) {
  errno = 0;
  return std::fwrite(line.data(), 1, line.size(), file_) == line.size() &&
         std::fputc('\n', file_) != EOF && std::fflush(file_) == 0;
}

void Catalogue::Fail(int error) {
  if (file_ != nullptr) std::fclose(std::exchange(file_, nullptr));
  failure_ = CannotWrite(name_, error);
}

}  // namespace hindsight::analyzer
