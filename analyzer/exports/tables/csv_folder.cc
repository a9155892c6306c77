#include "analyzer/exports/tables/csv_folder.h"

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

namespace hindsight::analyzer {
namespace {

namespace fs = std::filesystem;

}  // namespace

bool CsvFolder::HasNothingElse(const std::string& name) {
  std::error_code error;
  fs::directory_iterator entry(name, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() != ".csv" || !entry->is_regular_file(error)) return false;
  }
  return !error;
}

Result<std::unique_ptr<CsvFolder>> CsvFolder::Create(const std::string& name) {
  const std::string folder = WithoutLastSeparators(name);
  std::unique_ptr<CsvFolder> made(new CsvFolder(folder));
  std::error_code error;
  fs::remove_all(made->Part(), error);
  if (!fs::create_directory(made->Part(), error)) return CannotWrite(made->Part(), error);
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
  return made;
}

CsvFolder::~CsvFolder() {
  if (files_.empty()) return;
  files_.clear();
  std::error_code error;
  fs::remove_all(Part(), error);
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
  line_ += CsvText(CellText(value));
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
  if (error_ == 0) fs::rename(Part(), folder_, error);
  if (error_ == 0 && !error) return {};
  const int reason = error_ != 0 ? error_ : ErrnoOf(error);
  fs::remove_all(Part(), error);
  return CannotWrite(folder_, reason);
}

}  // namespace hindsight::analyzer
