// Writes protobuf's wire format, as far as the recorder needs it.
//
// The real libprotobuf cannot be linked into this library (Debian's is not position independent),
// and packaged header-only encoders need exceptions, which the recorder is built without. Tests
// check the output against the real protobuf.
//
// A writer appends to a string owned by the caller. A nested message has a writer of its own; the
// outer one must not be used while the inner one exists.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "recorder/encode/varint.h"

namespace hindsight::recorder {

class ProtoWriter {
 public:
  explicit ProtoWriter(std::string& out) : out_(out) {}

  // A nested message, as field `field` of `outer`.
  ProtoWriter(ProtoWriter& outer, uint32_t field) : out_(outer.out_) {
    Tag(field, kLengthDelimited);
    out_.push_back(0);  // its length; one byte is nearly always enough
    start_ = out_.size();
    nested_ = true;
  }
  ~ProtoWriter() {
    if (nested_) SetLength();
  }
  ProtoWriter(const ProtoWriter&) = delete;
  ProtoWriter& operator=(const ProtoWriter&) = delete;

  void Uint(uint32_t field, uint64_t value) {
    Tag(field, kVarint);
    Varint(value);
  }
  void Bool(uint32_t field, bool value) { Uint(field, value ? 1 : 0); }
  void Sint(uint32_t field, int64_t value) { Uint(field, ZigZag(value)); }
  void Fixed32(uint32_t field, uint32_t value) {
    Tag(field, kFixed32);
    Raw(&value, sizeof(value));
  }
  void Fixed64(uint32_t field, uint64_t value) {
    Tag(field, kFixed64);
    Raw(&value, sizeof(value));
  }
  void Double(uint32_t field, double value) {
    Tag(field, kFixed64);
    Raw(&value, sizeof(value));
  }
  void Bytes(uint32_t field, std::string_view value) {
    Tag(field, kLengthDelimited);
    Varint(value.size());
    out_.append(value);
  }
  void Bytes(uint32_t field, std::span<const uint8_t> value) {
    Bytes(field, std::string_view(reinterpret_cast<const char*>(value.data()), value.size()));
  }

  // Packed repeated fields; an empty range writes nothing.
  template <typename Range>
  void PackedUint(uint32_t field, const Range& values) {
    if (std::empty(values)) return;
    ProtoWriter packed(*this, field);
    for (const auto value : values) packed.Varint(value);
  }
  void PackedFixed64(uint32_t field, std::span<const uint64_t> values) {
    if (values.empty()) return;
    Bytes(field, {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }
  template <typename Range>
  void PackedSint(uint32_t field, const Range& values) {
    if (std::empty(values)) return;
    ProtoWriter packed(*this, field);
    for (const auto value : values) packed.Varint(ZigZag(value));
  }

 private:
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
  enum WireType : uint32_t { kVarint = 0, kFixed64 = 1, kLengthDelimited = 2, kFixed32 = 5 };

  void Varint(uint64_t value) {
    char bytes[kMaxVarintBytes];
    out_.append(bytes, PutVarint(value, bytes));
  }
  void Tag(uint32_t field, WireType type) { Varint(field << 3 | type); }
  void Raw(const void* bytes, size_t size) { out_.append(static_cast<const char*>(bytes), size); }

  // A length of more than one byte shifts the message.
  void SetLength() {
    char bytes[kMaxVarintBytes];
    char* const end = PutVarint(out_.size() - start_, bytes);
    out_[start_ - 1] = bytes[0];
    if (end != bytes + 1) out_.insert(start_, bytes + 1, static_cast<size_t>(end - bytes - 1));
  }

  std::string& out_;
  size_t start_ = 0;
  bool nested_ = false;
};

}  // namespace hindsight::recorder
