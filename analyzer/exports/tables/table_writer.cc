#include "analyzer/exports/tables/table_writer.h"

#include <algorithm>

namespace hindsight::analyzer {
namespace {

// The values of described columns as cells.
class Cells final : public ValueWriter {
 public:
  // Null: they are only read.
  explicit Cells(RowSink* sink) : sink_(sink) {}

  void Null() override {
    if (sink_ != nullptr) sink_->Null();
  }
  void Bool(bool value) override { Integer(value ? 1 : 0); }
  void Integer(int64_t value) override {
    if (sink_ != nullptr) sink_->Integer(value);
  }
  void Unsigned(uint64_t value) override {
    Integer(static_cast<int64_t>(std::min<uint64_t>(value, INT64_MAX)));
  }
  void Real(double value) override {
    if (sink_ != nullptr) sink_->Real(value);
  }
  void Text(std::string_view value) override {
    if (sink_ != nullptr) sink_->Text(value);
  }

  // Columns have plain values.
  void BeginObject() override {}
  void EndObject() override {}
  void BeginList() override {}
  void EndList() override {}
  void Key(std::string_view) override {}

 private:
  RowSink* const sink_;
};

}  // namespace

TableWriter::TableWriter(RowSink& sink, int64_t recording, const TableNames& wanted)
    : sink_(sink), wanted_(wanted), recording_(recording) {
  // Rows show which names are needed, so they are visited even if only names are wanted.
  for (const char* name : {"methods", "types", "stacks", "frames"}) {
    wants_names_ = wants_names_ || Wants(name);
  }
}

bool TableWriter::Begin(std::string_view table) {
  is_on_ = Wants(table);
  if (is_on_) sink_.Begin(*FindTable(table));
  return is_on_ || wants_names_;
}

void TableWriter::Row(const ObjectShape& columns, const void* row, const void* in) {
  Cells cells(is_on_ ? &sink_ : nullptr);
  if (is_on_) sink_.Integer(recording_);
  for (const FieldShape& column : columns.fields) column.write(row, in, cells);
  if (is_on_) sink_.EndRow();
}

}  // namespace hindsight::analyzer
