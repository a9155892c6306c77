// A field as a column of a text report's table. The field's name decides how its values are shown:
// `at_ns` as a moment, `_ns` as a duration, `bytes` and `_bytes` as a size, `share` as a
// percentage, other whole numbers with separators. Numbers are right-aligned, text is left-aligned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace hindsight::analyzer {

struct TextStyle;  // of the report: report/text_style.h

class TextColumn {
 public:
  constexpr explicit TextColumn(std::string_view title) : title_(title) {}

  // Before or after the columns of other fields, regardless of the order in JSON.
  constexpr TextColumn First() const { return With(&TextColumn::position_, -1); }
  constexpr TextColumn Last() const { return With(&TextColumn::position_, 1); }
  // Omitted if a line has fewer columns of text.
  constexpr TextColumn WhenWide(size_t width) const {
    return With(&TextColumn::least_width_, width);
  }
  // Shortened if the table is too wide: for names.
  constexpr TextColumn Shrinks() const { return With(&TextColumn::shrinks_, true); }
  // For a text that contains a number.
  constexpr TextColumn AlignsRight() const { return With(&TextColumn::aligns_right_, true); }
  // Zero is left blank.
  constexpr TextColumn BlankZero() const { return With(&TextColumn::blank_zero_, true); }

  constexpr std::string_view title() const { return title_; }
  constexpr int position() const { return position_; }
  constexpr size_t least_width() const { return least_width_; }
  constexpr bool shrinks() const { return shrinks_; }
  constexpr bool aligns_right() const { return aligns_right_; }
  constexpr bool blank_zero() const { return blank_zero_; }

 private:
  template <typename Value>
  constexpr TextColumn With(Value TextColumn::*member, Value value) const {
    TextColumn column = *this;
    column.*member = value;
    return column;
  }

  std::string_view title_;
  int position_ = 0;
  size_t least_width_ = 0;
  bool shrinks_ = false;
  bool aligns_right_ = false;
  bool blank_zero_ = false;
};

struct ColumnShape {
  TextColumn column;
  bool is_number = false;
  // Printable; nullopt if the key is missing. `row` and `in` have the types in the object's
  // declaration.
  std::function<std::optional<std::string>(const void* row, const void* in, const TextStyle& style)>
      cell;
};

}  // namespace hindsight::analyzer
