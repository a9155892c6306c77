#include "analyzer/exports/tables/csv_folder.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "analyzer/base/file_error.h"
#include "analyzer/base/path_text.h"
#include "analyzer/base/private_file.h"
#include "analyzer/base/text.h"
#include "analyzer/exports/tables/cell_text.h"
#include "analyzer/exports/tables/load_scripts.h"

namespace hindsight::analyzer {
namespace {

namespace fs = std::filesystem;

// psql before version 17 takes a line that consists of `\.` for the end of a file, in quotes or
// not: such a line gets a space.
std::string WithoutEndOfCopy(std::string text) {
  for (size_t at = text.find("\n\\."); at != text.npos; at = text.find("\n\\.", at + 1)) {
    const size_t end = at + 3;
    const std::string_view rest = std::string_view(text).substr(end);
    if (rest.starts_with('\n') || rest.starts_with("\r\n")) text.insert(end, 1, ' ');
  }
  return text;
}

bool IsLoadScript(const fs::path& file) {
  return std::ranges::any_of(LoadScripts(), [&](const LoadScript& script) {
    return file.filename() == fs::path(script.file);
  });
}

Result<void> WriteLoadScripts(const std::string& folder) {
  for (const LoadScript& script : LoadScripts()) {
    const std::string name = folder + "/" + std::string(script.file);
    const std::string text = script.text();
    std::FILE* const file = CreatePrivateFile(name);
    if (file == nullptr) return CannotWrite(name, errno);
    const bool is_whole = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    const int error = errno;
    if (std::fclose(file) != 0) return CannotWrite(name, errno);
    if (!is_whole) return CannotWrite(name, error);
  }
  return {};
}

}  // namespace

bool CsvFolder::HasNothingElse(const std::string& name) {
  std::error_code error;
  fs::directory_iterator entry(PathOf(name), error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const bool is_ours = entry->path().extension() == ".csv" || IsLoadScript(entry->path());
    if (!is_ours || !entry->is_regular_file(error)) return false;
  }
  return !error;
}

Result<std::unique_ptr<CsvFolder>> CsvFolder::Create(const std::string& name) {
  const std::string folder = WithoutLastSeparators(name);
  std::unique_ptr<CsvFolder> made(new CsvFolder(folder));
  std::error_code error;
  fs::remove_all(PathOf(made->Part()), error);
  if (!fs::create_directory(PathOf(made->Part()), error)) return CannotWrite(made->Part(), error);
  MakeFolderPrivate(made->Part());
  for (const TableSchema& table : Tables()) {
    const std::string file = made->Part() + "/" + std::string(table.name) + ".csv";
    std::FILE* const stream = CreatePrivateFile(file);
    if (stream == nullptr) return CannotWrite(file, errno);
    made->files_[table.name].reset(stream);
    std::string head = "recording";
    for (const ColumnSchema& column : table.columns) head += "," + std::string(column.name);
    std::fputs((head + "\r\n").c_str(), stream);
  }
  if (const Result<void> written = WriteLoadScripts(made->Part()); !written) {
    return written.error();
  }
  return made;
}

CsvFolder::~CsvFolder() {
  if (files_.empty()) return;
  files_.clear();
  std::error_code error;
  fs::remove_all(PathOf(Part()), error);
}

void CsvFolder::Keep(int error) {
  if (error_ == 0) error_ = error == 0 ? EIO : error;
}

void CsvFolder::Begin(const TableSchema& table) { file_ = files_.at(table.name).get(); }

void CsvFolder::Separate() {
  if (!is_first_) line_ += ',';
  is_first_ = false;
}

void CsvFolder::Integer(int64_t value) {
  Separate();
  line_ += std::to_string(value);
}

void CsvFolder::Real(double value) {
  Separate();
  if (!std::isfinite(value)) return;  // NULL, as in SQLite
  char text[32];
  const auto end = std::to_chars(text, text + sizeof(text), value).ptr;
  line_.append(text, end);
}

void CsvFolder::Text(std::string_view value) {
  Separate();
  line_ += CsvText(WithoutEndOfCopy(CellText(value)));
}

void CsvFolder::Null() { Separate(); }

void CsvFolder::EndRow() {
  line_ += "\r\n";
  if (error_ == 0 && std::fwrite(line_.data(), 1, line_.size(), file_) != line_.size()) {
    Keep(errno);
  }
  line_.clear();
  is_first_ = true;
  ++rows_;
}

Result<void> CsvFolder::Finish() {
  for (auto& [table, file] : files_) {
    if (std::fclose(file.release()) != 0) Keep(errno);
  }
  files_.clear();
  std::error_code error;
  if (error_ == 0) fs::rename(PathOf(Part()), PathOf(folder_), error);
  if (error_ == 0 && !error) return {};
  const int reason = error_ != 0 ? error_ : ErrnoOf(error);
  fs::remove_all(PathOf(Part()), error);
  return CannotWrite(folder_, reason);
}

}  // namespace hindsight::analyzer
