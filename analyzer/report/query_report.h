// The answer to a query, as a table for people, as CSV, or as JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analyzer/report/table.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

using AnswerCell = std::variant<std::monostate, int64_t, double, std::string>;  // first: NULL

// JSON: {"schema", "columns": [names], "rows": [[values]]}. CSV and JSON go out row by row, a table
// when it is whole, and its first kMaxTableRows only.
class QueryPrinter {
 public:
  enum class Form { kTable, kCsv, kJson };
  static constexpr size_t kMaxTableRows = 10'000;

  using Output = std::function<void(std::string_view)>;
  QueryPrinter(Form form, const TextStyle& style, std::vector<std::string> columns, Output output);

  void Add(const std::vector<AnswerCell>& row);
  void Finish();

 private:
  void AddCsv(const std::vector<AnswerCell>& row);
  void AddJson(const std::vector<AnswerCell>& row);
  void FinishTable();

  const Form form_;
  const TextStyle style_;
  const std::vector<std::string> columns_;
  const Output output_;
  std::vector<std::vector<AnswerCell>> rows_;  // of a table
  uint64_t count_ = 0;
};

}  // namespace hindsight::analyzer
