// A field as a column of a text report's table. The field's name decides how its values are shown:
// `at_ns` as a moment, `_ns` as a duration, `bytes` and `_bytes` as a size, `share` as a
// percentage, other whole numbers with separators. Numbers are aligned right, text left.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace hindsight::analyzer {

class TextColumn {
 public:
  constexpr explicit TextColumn(std::string_view title) : title_(title) {}

  // Before the columns of other fields, whatever the order in JSON.
  constexpr TextColumn First() const { return With(&TextColumn::is_first_); }
  // Shortened if the table is too wide: for names.
  constexpr TextColumn Shrinks() const { return With(&TextColumn::shrinks_); }
  // For a text that is a number.
  constexpr TextColumn AlignsRight() const { return With(&TextColumn::aligns_right_); }
  // Zero is left blank.
  constexpr TextColumn BlankZero() const { return With(&TextColumn::blank_zero_); }

  constexpr std::string_view title() const { return title_; }
  constexpr bool is_first() const { return is_first_; }
  constexpr bool shrinks() const { return shrinks_; }
  constexpr bool aligns_right() const { return aligns_right_; }
  constexpr bool blank_zero() const { return blank_zero_; }

 private:
  constexpr TextColumn With(bool TextColumn::*flag) const {
    TextColumn column = *this;
    column.*flag = true;
    return column;
  }

  std::string_view title_;
  bool is_first_ = false;
  bool shrinks_ = false;
  bool aligns_right_ = false;
  bool blank_zero_ = false;
};

struct ColumnShape {
  TextColumn column;
  bool is_number = false;
  // Printable; null if the key is missing. `row` and `in` are what the object says.
  std::function<std::optional<std::string>(const void* row, const void* in)> cell;
};

}  // namespace hindsight::analyzer
