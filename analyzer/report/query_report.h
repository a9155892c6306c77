// The result of a query, as a table, as CSV, or as JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/fields/shape.h"
#include "analyzer/report/table.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

using AnswerCell = std::variant<std::monostate, int64_t, double, std::string>;  // first: NULL

struct QueryAnswer {
  std::vector<std::string> columns;
  // Gets the next row; false: there is none.
  std::function<Result<bool>(std::vector<AnswerCell>& row)> next;
};

enum class AnswerForm { kTable, kCsv, kJson };

inline constexpr size_t kMaxTableRows = 10'000;  // in a table; CSV and JSON have all

// CSV and JSON are written in parts, a table when it is complete. What comes before an error is
// written, but JSON is not completed then.
using AnswerOutput = std::function<void(std::string_view)>;
Result<void> PrintAnswer(const QueryAnswer& answer, AnswerForm form, const TextStyle& style,
                         const AnswerOutput& output);
SharedShape AnswerShape();

}  // namespace hindsight::analyzer
