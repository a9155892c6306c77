#include "analyzer/fields/json_writer.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

std::string QuotedJson(std::string_view text) {
  return nlohmann::json(ValidUtf8(text))
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

void JsonWriter::Real(double value) { Raw(nlohmann::json(value).dump()); }

void JsonWriter::Text(std::string_view value) { Raw(QuotedJson(value)); }

void JsonWriter::NewLine() {
  constexpr size_t kPartBytes = 16 << 10;
  if (output_ && out_.size() > kPartBytes) output_(EscapedJson(std::exchange(out_, {})));
  out_ += '\n';
  out_.append(2 * is_empty_.size(), ' ');
}

void JsonWriter::Advance() {
  if (!is_empty_.empty()) {
    if (!is_empty_.back()) out_ += ',';
    is_empty_.back() = false;
    if (!in_row_) NewLine();
  }
  if (!std::exchange(has_key_, false)) return;
  out_ += QuotedJson(key_);
  out_ += ": ";
}

void JsonWriter::Raw(std::string_view value) {
  Advance();
  out_ += value;
}

void JsonWriter::Begin(char bracket) {
  Advance();
  out_ += bracket;
  is_empty_.push_back(true);
}

void JsonWriter::End(char bracket) {
  has_key_ = false;
  const bool was_empty = is_empty_.back();
  is_empty_.pop_back();
  if (!was_empty && !in_row_) NewLine();
  in_row_ = false;
  out_ += bracket;
}

std::string JsonWriter::Take() {
  const std::string json = std::exchange(out_, {});
  return EscapedJson(json) + "\n";
}

void JsonWriter::Finish() { output_(Take()); }

}  // namespace hindsight::analyzer
