// Tables as a folder of CSV files (RFC 4180): one per table, beginning with the names of its
// columns. NULL is nothing between the commas, an empty text is "". Next to them are scripts that
// load them (load_scripts.h).
#pragma once

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "analyzer/base/result.h"
#include "analyzer/exports/tables/table_writer.h"

namespace hindsight::analyzer {

// Writes the files of all tables to FOLDER.part, which becomes FOLDER when it is finished, and is
// removed otherwise. Not thread-safe.
class CsvFolder : public RowSink {
 public:
  // Whether a folder contains nothing, or only files of tables.
  static bool HasNothingElse(const std::string& folder);
  // `folder` must not exist, or be empty.
  static Result<std::unique_ptr<CsvFolder>> Create(const std::string& folder);
  ~CsvFolder() override;

  void Begin(const TableSchema& table) override;
  void Integer(int64_t value) override;
  void Real(double value) override;
  void Text(std::string_view value) override;
  void Null() override;
  void EndRow() override;

  // Gives the folder its name. Returns the first error.
  Result<void> Finish();
  uint64_t rows() const { return rows_; }

 private:
  explicit CsvFolder(std::string folder) : folder_(std::move(folder)) {}
  std::string Part() const { return folder_ + ".part"; }
  void Separate();
  void Keep(int error);

  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string folder_;
  std::map<std::string_view, std::unique_ptr<std::FILE, Closer>> files_;  // by table
  std::FILE* file_ = nullptr;
  std::string line_;
  bool is_first_ = true;
  uint64_t rows_ = 0;
  int error_ = 0;
};

}  // namespace hindsight::analyzer
