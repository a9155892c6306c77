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
  // For what may be large: everything goes to `output` in parts, the last when Finish is called.
  explicit JsonWriter(Output output) : output_(std::move(output)) {}

  void Null() override { Raw("null"); }
  void Bool(bool value) override { Raw(value ? "true" : "false"); }
  void Integer(int64_t value) override { Raw(std::to_string(value)); }
  void Unsigned(uint64_t value) override { Raw(std::to_string(value)); }
  void Real(double value) override;  // null where it is not finite
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
  // What comes before a value: comma, line, key.
  void Advance();

  // Where the next value begins.
  void NewLine();

  Output output_;
  std::string out_;
  std::string key_;
  bool has_key_ = false;
  bool in_row_ = false;
  std::vector<bool> is_empty_;  // the objects and lists that are open
};

}  // namespace hindsight::analyzer
