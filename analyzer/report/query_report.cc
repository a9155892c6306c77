#include "analyzer/report/query_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "analyzer/base/text.h"
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

Json JsonCell(const AnswerCell& cell) {
  if (const auto* number = std::get_if<int64_t>(&cell)) return *number;
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  if (const auto* text = std::get_if<std::string>(&cell)) return JsonText(*text);
  return nullptr;
}

bool IsNumber(const AnswerCell& cell) {
  return std::holds_alternative<int64_t>(cell) || std::holds_alternative<double>(cell);
}

}  // namespace

QueryPrinter::QueryPrinter(Form form, const TextStyle& style, std::vector<std::string> columns,
                           Output output)
    : form_(form), style_(style), columns_(std::move(columns)), output_(std::move(output)) {
  if (form_ == Form::kCsv) {
    AddCsv({columns_.begin(), columns_.end()});
  } else if (form_ == Form::kJson) {
    Json names = Json::array();
    for (const std::string& column : columns_) names.push_back(JsonText(column));
    output_("{\n  \"schema\": " + std::to_string(kJsonSchema) +
            ",\n  \"columns\": " + EscapedJson(names.dump()) + ",\n  \"rows\": [");
  }
}

void QueryPrinter::AddCsv(const std::vector<AnswerCell>& row) {
  std::string line;
  for (size_t i = 0; i < row.size(); ++i) line += (i == 0 ? "" : ",") + CsvCell(row[i]);
  output_(line + "\r\n");
}

void QueryPrinter::AddJson(const std::vector<AnswerCell>& row) {
  Json cells = Json::array();
  for (const AnswerCell& cell : row) cells.push_back(JsonCell(cell));
  output_((count_ == 1 ? "\n    " : ",\n    ") + EscapedJson(cells.dump()));
}

void QueryPrinter::Add(const std::vector<AnswerCell>& row) {
  ++count_;
  if (form_ == Form::kCsv) return AddCsv(row);
  if (form_ == Form::kJson) return AddJson(row);
  if (count_ <= kMaxTableRows) rows_.push_back(row);
}

void QueryPrinter::FinishTable() {
  std::vector<Table::Column> columns;
  for (size_t i = 0; i < columns_.size(); ++i) {
    const bool is_number =
        std::any_of(rows_.begin(), rows_.end(), [i](const auto& row) { return IsNumber(row[i]); });
    columns.push_back({Printable(columns_[i]),
                       is_number ? Table::Align::kRight : Table::Align::kLeft, !is_number});
  }
  Table table(std::move(columns));
  for (const auto& row : rows_) {
    std::vector<std::string> cells;
    for (const AnswerCell& cell : row) cells.push_back(CellText(cell));
    table.AddRow(std::move(cells));
  }
  output_(table.Render(style_));
  if (count_ > rows_.size()) {
    output_("and " + FormatCount(count_ - rows_.size()) + " more rows; --csv prints all.\n");
  }
}

void QueryPrinter::Finish() {
  if (form_ == Form::kTable) FinishTable();
  if (form_ == Form::kJson) output_(count_ == 0 ? "]\n}\n" : "\n  ]\n}\n");
}

}  // namespace hindsight::analyzer
