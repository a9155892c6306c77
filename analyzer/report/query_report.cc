#include "analyzer/report/query_report.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <utility>

#include "analyzer/base/text.h"
#include "analyzer/fields/fields.h"
#include "analyzer/report/common_fields.h"
#include "analyzer/report/json.h"

namespace hindsight::analyzer {
namespace {

std::string RealText(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), std::abs(value) >= 1e15 ? "%g" : "%.6g", value);
  if (std::abs(value) >= 1e6 && std::abs(value) < 1e15) {
    std::snprintf(text, sizeof(text), "%.0f", value);
  }
  return text;
}

std::string CellText(const AnswerCell& cell) {
  if (const auto* number = std::get_if<int64_t>(&cell)) return std::to_string(*number);
  if (const auto* real = std::get_if<double>(&cell)) return RealText(*real);
  if (const auto* text = std::get_if<std::string>(&cell)) return Printable(*text);
  return {};
}

std::string CsvCell(const AnswerCell& cell) {
  if (const auto* real = std::get_if<double>(&cell)) return Json(*real).dump();
  const auto* text = std::get_if<std::string>(&cell);
  if (text == nullptr) return CellText(cell);
  return CsvText(*text);
}

bool IsNumber(const AnswerCell& cell) {
  return std::holds_alternative<int64_t>(cell) || std::holds_alternative<double>(cell);
}

// The rows of an answer as they arrive, up to the last one or an error.
class RowReader {
 public:
  explicit RowReader(const QueryAnswer& answer) : answer_(answer) {}

  bool Next() {
    const Result<bool> more = answer_.next(row_);
    if (!more) status_ = more.error();
    return more && *more;
  }
  const std::vector<AnswerCell>& row() const { return row_; }
  const Result<void>& status() const { return status_; }
  const QueryAnswer& answer() const { return answer_; }

 private:
  const QueryAnswer& answer_;
  std::vector<AnswerCell> row_;
  Result<void> status_;
};

// A range that can be read once, as needed by a description.
class ComingRows {
 public:
  class Iterator {
   public:
    using value_type = std::vector<AnswerCell>;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    explicit Iterator(RowReader* reader) : reader_(reader) { ++*this; }
    const value_type& operator*() const { return reader_->row(); }
    Iterator& operator++() {
      if (!reader_->Next()) reader_ = nullptr;
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return reader_ == nullptr; }

   private:
    RowReader* reader_ = nullptr;  // null: there are no more
  };

  explicit ComingRows(RowReader* reader) : reader_(reader) {}
  Iterator begin() const { return Iterator(reader_); }
  std::default_sentinel_t end() const { return {}; }

 private:
  RowReader* reader_;
};

Object<RowReader*> AnswerFields() {
  return {
      HeadFields("sql"),
      {"columns", "Names, in order",
       [](auto& reader) -> const std::vector<std::string>& { return reader->answer().columns; }},
      {"rows", "In the order of the query; one value per column",
       [](auto& reader) { return ComingRows(reader); }},
  };
}

std::string CsvLine(const std::vector<AnswerCell>& row) {
  std::string line;
  for (size_t i = 0; i < row.size(); ++i) line += (i == 0 ? "" : ",") + CsvCell(row[i]);
  return line + "\r\n";
}

void PrintTable(RowReader& reader, const TextStyle& style, const AnswerOutput& output) {
  std::vector<std::vector<AnswerCell>> rows;
  uint64_t count = 0;
  while (reader.Next()) {
    if (++count <= kMaxTableRows) rows.push_back(reader.row());
  }
  if (!reader.status()) return;
  const std::vector<std::string>& names = reader.answer().columns;
  std::vector<Table::Column> columns;
  for (size_t i = 0; i < names.size(); ++i) {
    const bool is_number =
        std::any_of(rows.begin(), rows.end(), [i](const auto& row) { return IsNumber(row[i]); });
    columns.push_back(
        {Printable(names[i]), is_number ? Table::Align::kRight : Table::Align::kLeft, !is_number});
  }
  Table table(std::move(columns));
  for (const auto& row : rows) {
    std::vector<std::string> cells;
    for (const AnswerCell& cell : row) cells.push_back(CellText(cell));
    table.AddRow(std::move(cells));
  }
  output(table.Render(style));
  if (count > rows.size()) {
    output("and " + FormatCount(count - rows.size()) + " more rows; --csv prints all.\n");
  }
}

}  // namespace

Result<void> PrintAnswer(const QueryAnswer& answer, AnswerForm form, const TextStyle& style,
                         const AnswerOutput& output) {
  RowReader reader(answer);
  if (form == AnswerForm::kTable) {
    PrintTable(reader, style, output);
  } else if (form == AnswerForm::kCsv) {
    output(CsvLine({answer.columns.begin(), answer.columns.end()}));
    while (reader.Next()) output(CsvLine(reader.row()));
  } else {
    JsonWriter json(output);
    RowReader* const row = &reader;
    WriteObject(*AnswerFields().shape(), &row, nullptr, json);
    if (reader.status()) json.Finish();
  }
  return reader.status();
}

SharedShape AnswerShape() { return AnswerFields().shape(); }

}  // namespace hindsight::analyzer
