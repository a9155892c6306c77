// A table whose columns are as wide as their contents, except those that shrink if the table is too
// wide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

class Table {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kLeft;
    bool shrinks = false;  // shortened in the middle if the table is too wide, widest first
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // One cell per column, without escape sequences.
  void AddRow(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string Render(const TextStyle& style, size_t indent = 0) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Cells that are blank for zero.
std::string CountOrBlank(uint64_t count);
std::string BytesOrBlank(uint64_t bytes);
std::string DurationOrBlank(uint64_t ns);

}  // namespace hindsight::analyzer
