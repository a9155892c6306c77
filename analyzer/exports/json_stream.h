// JSON written piece by piece into a sink, through a buffer.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace hindsight::analyzer {

// After the sink has failed, pieces are dropped. Not thread-safe.
class JsonStream {
 public:
  // `sink` must outlive this; false: the bytes could not be written.
  explicit JsonStream(const std::function<bool(std::string_view)>& sink) : sink_(sink) {}

  void Raw(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= kFlushAt) Flush();
  }
  void Number(uint64_t number);
  // In quotation marks and escaped; bytes that are not UTF-8 become U+FFFD.
  void Text(std::string_view text);
  // Returns whether everything was written.
  bool Finish();

 private:
  static constexpr size_t kFlushAt = 1 << 18;

  void Flush();

  const std::function<bool(std::string_view)>& sink_;
  std::string buffer_;
  bool is_ok_ = true;
};

}  // namespace hindsight::analyzer
