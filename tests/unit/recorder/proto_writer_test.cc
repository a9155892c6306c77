// What the recorder writes by hand, read by the real protobuf.
#include "recorder/encode/proto_writer.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "proto/recording.pb.h"

namespace hindsight::recorder {
namespace {

template <typename Message>
Message Parsed(const std::string& bytes) {
  Message message;
  EXPECT_TRUE(message.ParseFromString(bytes));
  EXPECT_TRUE(message.GetReflection()->GetUnknownFields(message).empty());
  return message;
}

constexpr std::array<uint32_t, 9> kUints = {0,     1,          127,        128,       16383,
                                            16384, (1u << 21), (1u << 28), UINT32_MAX};

TEST(ProtoWriter, WritesUnsignedNumbersOfEveryLength) {
  for (int bits = 0; bits < 64; ++bits) {
    for (const uint64_t value : {uint64_t{1} << bits, (uint64_t{1} << bits) - 1}) {
      std::string out;
      ProtoWriter(out).Uint(2, value);
      EXPECT_EQ(Parsed<hindsight::Loss>(out).count(), value);
    }
  }
  std::string out;
  ProtoWriter(out).Uint(2, UINT64_MAX);
  EXPECT_EQ(Parsed<hindsight::Loss>(out).count(), UINT64_MAX);
}

TEST(ProtoWriter, WritesSignedNumbers) {
  for (const int64_t value : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{63}, int64_t{-64},
                              int64_t{64}, int64_t{-65}, INT64_MAX, INT64_MIN}) {
    std::string out;
    ProtoWriter(out).Sint(1, value);
    EXPECT_EQ(Parsed<hindsight::Packet>(out).time_delta_ns(), value);
  }
  for (const int32_t value : {-1, -3, INT32_MAX, INT32_MIN}) {
    std::string out;
    ProtoWriter(out).Sint(5, value);
    EXPECT_EQ(Parsed<hindsight::Frame>(out).il_offset(), value);
  }
}

TEST(ProtoWriter, WritesFixedNumbersAndDoubles) {
  std::string out;
  ProtoWriter writer(out);
  writer.Fixed64(12, 0x0123'4567'89ab'cdefu);
  writer.Double(10, -1.5e-300);
  writer.Fixed64(13, UINT64_MAX);
  const auto process = Parsed<hindsight::Process>(out);
  EXPECT_EQ(process.started_unix_ns(), 0x0123'4567'89ab'cdefu);
  EXPECT_EQ(process.cgroup_cpu_limit(), -1.5e-300);
  EXPECT_EQ(process.recording_started_unix_ns(), UINT64_MAX);

  out.clear();
  ProtoWriter(out).Fixed32(4, 0x0200'0017u);
  EXPECT_EQ(Parsed<hindsight::Type>(out).token(), 0x0200'0017u);
}

TEST(ProtoWriter, WritesBools) {
  std::string out;
  ProtoWriter writer(out);
  writer.Bool(5, true);
  writer.Bool(6, false);
  const auto module = Parsed<hindsight::Module>(out);
  EXPECT_TRUE(module.is_dynamic());
  EXPECT_FALSE(module.is_in_memory());
}

TEST(ProtoWriter, WritesTextsOfEveryLength) {
  using std::string_literals::operator""s;
  for (const std::string& text : {""s, "a"s, "nul\0inside"s, "\xff\xfe"s, std::string(127, 'x'),
                                  std::string(128, 'y'), std::string(70'000, 'z')}) {
    std::string out;
    ProtoWriter writer(out);
    writer.Uint(1, 9);
    writer.Bytes(2, text);
    const auto parsed = Parsed<hindsight::String>(out);
    EXPECT_EQ(parsed.id(), 9u);
    EXPECT_EQ(parsed.value(), text);
  }
}

TEST(ProtoWriter, WritesRepeatedTexts) {
  std::string out;
  ProtoWriter writer(out);
  for (const char* parameter : {"int", "", "List<string>"}) writer.Bytes(8, parameter);
  const auto method = Parsed<hindsight::Method>(out);
  ASSERT_EQ(method.parameter_size(), 3);
  EXPECT_EQ(method.parameter(0), "int");
  EXPECT_EQ(method.parameter(1), "");
  EXPECT_EQ(method.parameter(2), "List<string>");
}

TEST(ProtoWriter, WritesFieldNumbersAboveFifteen) {
  std::string out;
  {
    ProtoWriter packet(out);
    ProtoWriter note(packet, 19);
    note.Bytes(1, "two bytes of tag");
  }
  EXPECT_EQ(Parsed<hindsight::Packet>(out).recorder_note().text(), "two bytes of tag");
}

TEST(ProtoWriter, WritesPackedUnsignedNumbers) {
  std::string out;
  ProtoWriter(out).PackedUint(5, kUints);
  const auto type = Parsed<hindsight::Type>(out);
  EXPECT_EQ(std::vector<uint32_t>(type.argument().begin(), type.argument().end()),
            std::vector<uint32_t>(kUints.begin(), kUints.end()));
}

TEST(ProtoWriter, WritesPackedSignedNumbers) {
  const std::vector<int64_t> deltas = {0, -1, 1, INT64_MIN, INT64_MAX, -4096};
  const std::vector<int32_t> offsets = {0, -3, 2, INT32_MIN, INT32_MAX};
  std::string out;
  ProtoWriter writer(out);
  writer.PackedSint(3, deltas);
  writer.PackedSint(4, offsets);
  const auto code = Parsed<hindsight::Code>(out);
  EXPECT_EQ(std::vector<int64_t>(code.region_delta().begin(), code.region_delta().end()), deltas);
  EXPECT_EQ(std::vector<int32_t>(code.il_offset_delta().begin(), code.il_offset_delta().end()),
            offsets);
}

TEST(ProtoWriter, WritesNothingForAnEmptyRange) {
  std::string out;
  ProtoWriter writer(out);
  writer.PackedUint(2, std::vector<uint32_t>());
  writer.PackedSint(3, std::vector<int64_t>());
  EXPECT_EQ(out, "");
}

TEST(ProtoWriter, WritesAPackedFieldLongerThanOneByteOfLength) {
  const std::vector<uint32_t> many(50'000, 300);
  std::string out;
  ProtoWriter writer(out);
  writer.Uint(1, 3);
  writer.PackedUint(5, many);
  writer.Uint(7, 2);
  const auto type = Parsed<hindsight::Type>(out);
  EXPECT_EQ(type.id(), 3u);
  EXPECT_EQ(type.argument_size(), 50'000);
  EXPECT_EQ(type.argument(49'999), 300u);
  EXPECT_EQ(type.rank(), 2u);
}

// Three levels, with fields before and after each; every length is written after the fact.
TEST(ProtoWriter, NestsMessages) {
  for (const size_t length : {size_t{0}, size_t{1}, size_t{100}, size_t{200}, size_t{20'000}}) {
    const std::vector<uint32_t> sizes(length, 5);
    std::string out = "";
    {
      ProtoWriter packet(out);
      packet.Sint(1, -5);
      ProtoWriter method(packet, 5);
      method.Uint(1, 77);
      for (uint64_t start = 1; start <= 2; ++start) {
        ProtoWriter code(method, 9);
        code.Fixed64(1, start);
        code.PackedUint(2, sizes);
      }
      method.Bool(7, true);
    }
    const auto packet = Parsed<hindsight::Packet>(out);
    EXPECT_EQ(packet.time_delta_ns(), -5);
    EXPECT_EQ(packet.method().id(), 77u);
    EXPECT_TRUE(packet.method().is_dynamic());
    ASSERT_EQ(packet.method().code_size(), 2);
    EXPECT_EQ(packet.method().code(1).start(), 2u);
    EXPECT_EQ(packet.method().code(0).region_size_size(), static_cast<int>(length));
    EXPECT_EQ(packet.method().code(1).region_size_size(), static_cast<int>(length));
  }
}

TEST(ProtoWriter, KeepsAnEmptyMessage) {
  std::string out;
  {
    ProtoWriter packet(out);
    ProtoWriter life(packet, 14);
  }
  EXPECT_TRUE(Parsed<hindsight::Packet>(out).has_thread_lifetime());
}

TEST(ProtoWriter, AppendsToWhatIsThere) {
  std::string out;
  ProtoWriter(out).Uint(1, 1);
  ProtoWriter(out).Uint(2, 2);
  const auto stack = Parsed<hindsight::Stack>(out);
  EXPECT_EQ(stack.id(), 1u);
  EXPECT_EQ(stack.parent(), 2u);
}

}  // namespace
}  // namespace hindsight::recorder
