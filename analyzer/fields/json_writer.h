// JSON as text, indented by two. Keys keep their order; bytes that are not UTF-8 become U+FFFD.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/fields/value_writer.h"

namespace hindsight::analyzer {

class JsonWriter : public ValueWriter {
 public:
  using Output = std::function<void(std::string_view)>;

  JsonWriter() = default;
  // For output that may be large: everything is passed to `output` in parts, the last one when
  // Finish is called.
  explicit JsonWriter(Output output) : output_(std::move(output)) {}

  void Null() override { Raw("null"); }
  void Bool(bool value) override { Raw(value ? "true" : "false"); }
  void Integer(int64_t value) override { Raw(std::to_string(value)); }
  void Unsigned(uint64_t value) override { Raw(std::to_string(value)); }
  void Real(double value) override;  // null if it is not finite
  void Text(std::string_view value) override;

  void BeginObject() override { Begin('{'); }
  void EndObject() override { End('}'); }
  void BeginList() override { Begin('['); }
  void BeginRow() override {
    Begin('[');
    in_row_ = true;
  }
  void EndList() override { End(']'); }
  void Key(std::string_view key) override {
    key_ = key;
    has_key_ = true;
  }

  // All of it, with a final newline; safe on a terminal (EscapedJson).
  std::string Take();
  void Finish();

 private:
  void Raw(std::string_view value);
  void Begin(char bracket);
  void End(char bracket);
  // Writes what comes before a value: comma, line, key.
  void Advance();

  // Begins the line of the next value.
  void NewLine();

  Output output_;
  std::string out_;
  std::string key_;
  bool has_key_ = false;
  bool in_row_ = false;
  std::vector<bool> is_empty_;  // for each open object and list
};

}  // namespace hindsight::analyzer
