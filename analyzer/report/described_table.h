// A table of a text report, generated from the description of its rows: the fields that name a
// column (fields/text_column.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/fields/fields.h"
#include "analyzer/report/paragraphs.h"

namespace hindsight::analyzer {

// Indented by two. A column is left out if its key is missing in every row.
std::string DescribedTable(const ObjectShape& object, const std::vector<const void*>& rows,
                           const void* in, const TextStyle& style);

// The surroundings of a table.
struct TableFrame {
  std::string_view title;
  std::string_view noun;  // of a row: "and 3 more places"
  size_t top = 0;         // rows shown; 0: all
};

// Just the table, with the first `shown` rows.
template <typename Row, typename In, typename Rows>
std::string TableOf(const TextStyle& style, const Object<Row, In>& object, const Rows& rows,
                    const In& in, size_t shown = SIZE_MAX) {
  std::vector<const void*> addresses;
  for (size_t i = 0; i < rows.size() && i < shown; ++i) {
    addresses.push_back(&static_cast<const Row&>(rows[i]));
  }
  return DescribedTable(*object.shape(), addresses, &in, style);
}

// Appends the title, the table and the number of omitted rows; nothing if there are no rows.
template <typename Row, typename In, typename Rows>
void AppendTable(std::string& out, const TextStyle& style, const TableFrame& frame,
                 const Object<Row, In>& object, const Rows& rows, const In& in) {
  if (rows.empty()) return;
  const size_t shown = ShownRows(rows.size(), frame.top);
  AppendSection(out, style, frame.title);
  out += TableOf(style, object, rows, in, shown);
  AppendMore(out, rows.size(), shown, frame.noun);
}

}  // namespace hindsight::analyzer
