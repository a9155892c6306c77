#include "analyzer/report/described_table.h"

#include <optional>
#include <utility>

#include "analyzer/report/table.h"

namespace hindsight::analyzer {

std::string DescribedTable(const ObjectShape& object, const std::vector<const void*>& rows,
                           const void* in, const TextStyle& style) {
  std::vector<Table::Column> columns;
  std::vector<std::vector<std::string>> cells(rows.size());
  for (const ColumnShape& shape : object.columns) {
    if (style.width < shape.column.least_width()) continue;
    std::vector<std::optional<std::string>> values;
    bool is_there = false;
    for (const void* row : rows) {
      values.push_back(shape.cell(row, in, style));
      is_there = is_there || values.back().has_value();
    }
    if (!is_there) continue;
    columns.push_back({std::string(shape.column.title()),
                       shape.is_number ? Table::Align::kRight : Table::Align::kLeft,
                       shape.column.shrinks()});
    for (size_t i = 0; i < rows.size(); ++i) {
      cells[i].push_back(std::move(values[i]).value_or(std::string()));
    }
  }
  Table table(std::move(columns));
  for (std::vector<std::string>& row : cells) table.AddRow(std::move(row));
  return table.Render(style, 2);
}

}  // namespace hindsight::analyzer
