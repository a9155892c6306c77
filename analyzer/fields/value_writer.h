// What the values of described fields are written to: JSON, or a cell in a text report's table.
#pragma once

#include <cstdint>
#include <string_view>

namespace hindsight::analyzer {

class ValueWriter {
 public:
  virtual ~ValueWriter() = default;

  virtual void Null() = 0;
  virtual void Bool(bool value) = 0;
  virtual void Integer(int64_t value) = 0;
  virtual void Unsigned(uint64_t value) = 0;
  virtual void Real(double value) = 0;
  virtual void Text(std::string_view value) = 0;

  virtual void BeginObject() = 0;
  virtual void EndObject() = 0;
  virtual void BeginList() = 0;
  virtual void BeginRow() { BeginList(); }  // a list of plain values, preferably on one line
  virtual void EndList() = 0;
  // The key of the next value. If another key or the object's end follows instead of a value, this
  // key is omitted.
  virtual void Key(std::string_view key) = 0;
};

}  // namespace hindsight::analyzer
