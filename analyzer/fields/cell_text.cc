#include "analyzer/fields/cell_text.h"

#include <cstdio>
#include <utility>

#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

class CellWriter : public ValueWriter {
 public:
  CellWriter(std::string_view field, const TextColumn& column) : field_(field), column_(column) {}

  void Null() override { text_ = ""; }
  void Bool(bool value) override { text_ = value ? "yes" : "no"; }
  void Integer(int64_t value) override {
    if (value == 0 && column_.blank_zero()) {
      text_ = "";
    } else if (Ends("at_ns")) {
      text_ = FormatMoment(value);
    } else if (value < 0) {
      text_ = "-" + Quantity(0 - static_cast<uint64_t>(value));
    } else {
      text_ = Quantity(static_cast<uint64_t>(value));
    }
  }
  void Unsigned(uint64_t value) override {
    text_ = value == 0 && column_.blank_zero() ? "" : Quantity(value);
  }
  void Real(double value) override {
    if (value == 0 && column_.blank_zero()) {
      text_ = "";
    } else if (Ends("share")) {
      text_ = FormatPercent(value);
    } else if (Ends("_ns") || Ends("bytes")) {  // an estimate
      text_ = Quantity(value < 0 ? 0 : static_cast<uint64_t>(value + 0.5));
    } else {
      char text[32];
      std::snprintf(text, sizeof(text), "%.4g", value);
      text_ = text;
    }
  }
  void Text(std::string_view value) override { text_ = Printable(value); }

  // Lists and objects have no cell.
  void BeginObject() override {}
  void EndObject() override {}
  void BeginList() override {}
  void EndList() override {}
  void Key(std::string_view) override {}

  std::optional<std::string> Take() { return std::move(text_); }

 private:
  bool Ends(std::string_view unit) const { return field_.ends_with(unit); }
  std::string Quantity(uint64_t value) const {
    if (Ends("_ns")) return FormatDuration(value);
    if (Ends("bytes")) return FormatBytes(value);
    return FormatCount(value);
  }

  std::string_view field_;
  const TextColumn& column_;
  std::optional<std::string> text_;
};

}  // namespace

ColumnShape ColumnOf(const FieldShape& field, const TextColumn& column) {
  const Shape::Type type = field.shape.type;
  return {column, type == Shape::Type::kInteger || type == Shape::Type::kNumber,
          [name = field.name, write = field.write, column](const void* row, const void* in,
                                                           const TextStyle&) {
            CellWriter out(name, column);
            write(row, in, out);
            return out.Take();
          }};
}

}  // namespace hindsight::analyzer
