// Writes messages of the schema in protobuf's wire format, for programs without protobuf's library:
// the recorder and the trigger.
//
// The real libprotobuf cannot be linked into the recorder (Debian's is not position independent),
// and packaged header-only encoders need exceptions, which the recorder is built without. Numbers
// and types of fields come from the schema (proto/field.h); tests check the output against the real
// protobuf.
//
//     packets.Write(wire::Packet::kLoss, now_ns, [&](auto& loss) { loss.Set(loss.kCount, count);
//     });
#pragma once

#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "proto/recording_fields.h"
#include "proto/wire_format.h"

namespace hindsight {

// The bytes of a message, appended to a string owned by the caller.
class MessageBytes {
 public:
  explicit MessageBytes(std::string& out) : out_(out) {}
  // Those of a length-delimited field of `outer`. Its length is written by the destructor.
  MessageBytes(MessageBytes& outer, uint32_t tag) : out_(outer.out_), is_nested_(true) {
    char bytes[kMaxVarintBytes];
    Append(bytes, PutVarint(tag, bytes));
    out_.push_back(0);  // its length; one byte is nearly always enough
    start_ = out_.size();
  }
  ~MessageBytes() {
    if (is_nested_) SetLength();
  }
  MessageBytes(const MessageBytes&) = delete;
  MessageBytes& operator=(const MessageBytes&) = delete;

  void Append(const char* begin, const char* end) { out_.append(begin, end); }
  void Append(std::string_view bytes) { out_.append(bytes); }

 private:
  // A length of more than one byte shifts the message.
  void SetLength() {
    char bytes[kMaxVarintBytes];
    char* const end = PutVarint(out_.size() - start_, bytes);
    out_[start_ - 1] = bytes[0];
    if (end != bytes + 1) out_.insert(start_, bytes + 1, static_cast<size_t>(end - bytes - 1));
  }

  std::string& out_;
  size_t start_ = 0;
  bool is_nested_ = false;
};

// Writes one message; its fields are members of the writer (kCount). The writer of a nested message
// appends to the outer one, which must not be used in the meantime.
template <typename Message>
class ProtoWriter : public Message {
 public:
  explicit ProtoWriter(std::string& out) : bytes_(out) {}

  template <typename Outer, uint32_t number>
  ProtoWriter(ProtoWriter<Outer>& outer,
              wire::FieldNumber<Outer, wire::Nested<Message>, number> field)
      : bytes_(outer.bytes_, field.kTag) {}
  // Appends an element to a repeated field.
  template <typename Outer, uint32_t number>
  ProtoWriter(ProtoWriter<Outer>& outer,
              wire::FieldNumber<Outer, wire::Repeated<wire::Nested<Message>>, number> field)
      : bytes_(outer.bytes_, field.kTag) {}

  template <typename Type, uint32_t number, wire::Fits<Type> V>
  void Set(wire::FieldNumber<Message, Type, number> field, V value) {
    char bytes[kMaxNumberFieldBytes];
    bytes_.Append(bytes, PutField(field, value, bytes));
  }
  template <uint32_t number>
  void Set(wire::FieldNumber<Message, wire::Bytes, number> field, std::string_view value) {
    AppendBytes(field, value);
  }
  template <uint32_t number>
  void Set(wire::FieldNumber<Message, wire::Bytes, number> field, std::span<const uint8_t> value) {
    AppendBytes(field, {reinterpret_cast<const char*>(value.data()), value.size()});
  }

  // A column of numbers; an empty range writes nothing.
  template <typename Type, uint32_t number, typename Range>
  requires wire::Fits<typename Range::value_type, Type>
  void Set(wire::FieldNumber<Message, wire::Repeated<Type>, number> field, const Range& values) {
    if (std::empty(values)) return;
    MessageBytes packed(bytes_, field.kTag);
    for (const typename Range::value_type value : values) {
      char bytes[kMaxVarintBytes];
      packed.Append(bytes, PutNumber<Type>(value, bytes));
    }
  }

  // Appends a string.
  template <uint32_t number>
  void Add(wire::FieldNumber<Message, wire::Repeated<wire::Bytes>, number> field,
           std::string_view value) {
    AppendBytes(field, value);
  }
  // Appends a message that has been encoded before.
  template <typename Inner, uint32_t number>
  void Add(wire::FieldNumber<Message, wire::Repeated<wire::Nested<Inner>>, number> field,
           std::string_view encoded) {
    AppendBytes(field, encoded);
  }

 private:
  template <typename Other>
  friend class ProtoWriter;

  template <typename Type, uint32_t number>
  void AppendBytes(wire::FieldNumber<Message, Type, number> field, std::string_view value) {
    char bytes[kMaxNumberFieldBytes];
    bytes_.Append(bytes, PutLength(field, value.size(), bytes));
    bytes_.Append(value);
  }

  MessageBytes bytes_;
};

}  // namespace hindsight
