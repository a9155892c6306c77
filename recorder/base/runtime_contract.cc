#include "recorder/base/runtime_contract.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "recorder/base/runtime_library.h"

namespace hindsight::recorder {
namespace {

// struct ContractDescriptor, src/coreclr/debug/runtimeinfo/contractdescriptor.h of dotnet/runtime.
struct ContractDescriptor {
  uint64_t magic;
  uint32_t flags;
  uint32_t text_bytes;
  const char* text;
};
constexpr uint64_t kMagic = 0x0043414443434e44;  // "DNCCDAC\0" on a little-endian machine
constexpr uint32_t kMostTextBytes = 1u << 20;
constexpr int kDeepest = 16;

// A reader of the runtime's compact JSON: objects, arrays, strings without escapes, numbers. Each
// function leaves the position after what it has read.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  // Moves to the value of the member `name` of the object that begins here. False: there is none.
  bool EnterMember(std::string_view name) {
    if (!Take('{')) return false;
    while (!bad_ && !Take('}')) {
      const std::string_view key = String();
      if (!Take(':')) return false;
      if (key == name) return true;
      SkipValue(0);
      Take(',');
    }
    return false;
  }

  // A number, or the first element of an array.
  std::optional<uint32_t> Number() {
    Take('[');
    SkipBlanks();
    uint32_t value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc{}) return std::nullopt;
    at_ += static_cast<size_t>(end - begin);
    return value;
  }

 private:
  void SkipBlanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  bool Take(char expected) {
    SkipBlanks();
    if (at_ >= text_.size() || text_[at_] != expected) return false;
    ++at_;
    return true;
  }
  std::string_view String() {
    const size_t end = Take('"') ? text_.find('"', at_) : std::string_view::npos;
    if (end == std::string_view::npos) {
      bad_ = true;
      return {};
    }
    const std::string_view string = text_.substr(at_, end - at_);
    at_ = end + 1;
    return string;
  }
  void SkipValue(int depth) {
    SkipBlanks();
    if (at_ >= text_.size() || depth > kDeepest) {
      bad_ = true;
    } else if (text_[at_] == '"') {
      String();
    } else if (text_[at_] == '{' || text_[at_] == '[') {
      const bool object = text_[at_] == '{';
      ++at_;
      while (!bad_ && !Take(object ? '}' : ']')) {
        if (object) {
          String();
          bad_ = bad_ || !Take(':');
        }
        if (!bad_) SkipValue(depth + 1);
        Take(',');
      }
    } else {
      const size_t end = text_.find_first_of(",]} \t\r\n", at_);
      bad_ = end == std::string_view::npos || end == at_;
      at_ = bad_ ? at_ : end;
    }
  }

  std::string_view text_;
  size_t at_ = 0;
  bool bad_ = false;
};

}  // namespace

std::string_view RuntimeContract() {
  const auto* descriptor =
      static_cast<const ContractDescriptor*>(RuntimeSymbol("DotNetRuntimeContractDescriptor"));
  if (descriptor == nullptr || descriptor->magic != kMagic || descriptor->text == nullptr ||
      descriptor->text_bytes > kMostTextBytes) {
    return {};
  }
  return {descriptor->text, descriptor->text_bytes};
}

std::optional<uint32_t> FieldOffset(std::string_view contract, std::string_view type,
                                    std::string_view field) {
  Reader reader(contract);
  if (!reader.EnterMember("types") || !reader.EnterMember(type) || !reader.EnterMember(field)) {
    return std::nullopt;
  }
  return reader.Number();
}

std::optional<uint32_t> ContractVersion(std::string_view contract, std::string_view name) {
  Reader reader(contract);
  if (!reader.EnterMember("contracts") || !reader.EnterMember(name)) return std::nullopt;
  return reader.Number();
}

}  // namespace hindsight::recorder
