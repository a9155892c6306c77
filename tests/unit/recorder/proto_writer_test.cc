// What the recorder writes by hand, read by the real protobuf.
#include "proto/proto_writer.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
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

// Whether this compiles: writer.Set(field, value).
template <typename Message, typename Field, typename Value>
concept CanSet = requires(ProtoWriter<Message>& writer, Field field, Value value) {
  writer.Set(field, value);
};
static_assert(CanSet<wire::Loss, decltype(wire::Loss::kCount), uint64_t>);
static_assert(CanSet<wire::Loss, decltype(wire::Loss::kCount), uint32_t>);
static_assert(!CanSet<wire::Loss, decltype(wire::Loss::kThread), uint64_t>);  // of 32 bits
static_assert(!CanSet<wire::Loss, decltype(wire::Loss::kCount), int64_t>);
static_assert(!CanSet<wire::Loss, decltype(wire::Loss::kCount), bool>);
static_assert(!CanSet<wire::Loss, decltype(wire::Loss::kCount), double>);
static_assert(!CanSet<wire::Loss, decltype(wire::Loss::kCount), std::string_view>);
static_assert(!CanSet<wire::Loss, decltype(wire::Loss::kCount), std::vector<uint64_t>>);
static_assert(!CanSet<wire::Loss, decltype(wire::Frame::kMethod), uint32_t>);  // of another message
static_assert(CanSet<wire::Loss, decltype(wire::Loss::kCause), wire::Loss::Cause>);
static_assert(!CanSet<wire::Loss, decltype(wire::Loss::kCause), wire::Outcome::Kind>);
static_assert(!CanSet<wire::Loss, decltype(wire::Loss::kCause), uint32_t>);
static_assert(CanSet<wire::Frame, decltype(wire::Frame::kIlOffset), int32_t>);
static_assert(!CanSet<wire::Frame, decltype(wire::Frame::kIlOffset), uint32_t>);
static_assert(CanSet<wire::String, decltype(wire::String::kValue), std::string_view>);
static_assert(!CanSet<wire::String, decltype(wire::String::kValue), uint64_t>);
static_assert(!CanSet<wire::Type, decltype(wire::Type::kArgument), uint32_t>);  // a column
static_assert(CanSet<wire::Type, decltype(wire::Type::kArgument), std::vector<uint32_t>>);
static_assert(!CanSet<wire::Type, decltype(wire::Type::kArgument), std::vector<int32_t>>);

constexpr std::array<uint32_t, 9> kUints = {0,     1,          127,        128,       16383,
                                            16384, (1u << 21), (1u << 28), UINT32_MAX};

TEST(ProtoWriter, WritesUnsignedNumbersOfEveryLength) {
  for (int bits = 0; bits < 64; ++bits) {
    for (const uint64_t value : {uint64_t{1} << bits, (uint64_t{1} << bits) - 1}) {
      std::string out;
      ProtoWriter<wire::Loss>(out).Set(wire::Loss::kCount, value);
      EXPECT_EQ(Parsed<hindsight::Loss>(out).count(), value);
    }
  }
  std::string out;
  ProtoWriter<wire::Loss>(out).Set(wire::Loss::kCount, UINT64_MAX);
  EXPECT_EQ(Parsed<hindsight::Loss>(out).count(), UINT64_MAX);
}

TEST(ProtoWriter, WritesSignedNumbers) {
  for (const int64_t value : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{63}, int64_t{-64},
                              int64_t{64}, int64_t{-65}, INT64_MAX, INT64_MIN}) {
    std::string out;
    ProtoWriter<wire::Packet>(out).Set(wire::Packet::kTimeDeltaNs, value);
    EXPECT_EQ(Parsed<hindsight::Packet>(out).time_delta_ns(), value);
  }
  for (const int32_t value : {-1, -3, INT32_MAX, INT32_MIN}) {
    std::string out;
    ProtoWriter<wire::Frame>(out).Set(wire::Frame::kIlOffset, value);
    EXPECT_EQ(Parsed<hindsight::Frame>(out).il_offset(), value);
  }
}

TEST(ProtoWriter, WritesFixedNumbersAndDoubles) {
  std::string out;
  ProtoWriter<wire::Process> writer(out);
  writer.Set(writer.kStartedUnixNs, 0x0123'4567'89ab'cdefu);
  writer.Set(writer.kCgroupCpuLimit, -1.5e-300);
  writer.Set(writer.kRecordingStartedUnixNs, UINT64_MAX);
  const auto process = Parsed<hindsight::Process>(out);
  EXPECT_EQ(process.started_unix_ns(), 0x0123'4567'89ab'cdefu);
  EXPECT_EQ(process.cgroup_cpu_limit(), -1.5e-300);
  EXPECT_EQ(process.recording_started_unix_ns(), UINT64_MAX);

  out.clear();
  ProtoWriter<wire::Type>(out).Set(wire::Type::kToken, 0x0200'0017u);
  EXPECT_EQ(Parsed<hindsight::Type>(out).token(), 0x0200'0017u);
}

TEST(ProtoWriter, WritesBools) {
  std::string out;
  ProtoWriter<wire::Module> writer(out);
  writer.Set(writer.kIsDynamic, true);
  writer.Set(writer.kIsInMemory, false);
  const auto module = Parsed<hindsight::Module>(out);
  EXPECT_TRUE(module.is_dynamic());
  EXPECT_FALSE(module.is_in_memory());
}

TEST(ProtoWriter, WritesEnums) {
  std::string out;
  ProtoWriter<wire::HeapRoots> roots(out);
  roots.Set(roots.kKind,
            std::vector{wire::HeapRoots::Kind::kPinnedStack, wire::HeapRoots::Kind::kOther});
  const auto parsed = Parsed<hindsight::HeapRoots>(out);
  ASSERT_EQ(parsed.kind_size(), 2);
  EXPECT_EQ(parsed.kind(0), hindsight::HeapRoots::PINNED_STACK);
  EXPECT_EQ(parsed.kind(1), hindsight::HeapRoots::OTHER);

  out.clear();
  ProtoWriter<wire::Exception>(out).Set(wire::Exception::kHop, wire::Hop::kRestored);
  EXPECT_EQ(Parsed<hindsight::Exception>(out).hop(), hindsight::HOP_RESTORED);
}

TEST(ProtoWriter, WritesColumnsOfFixedNumbersAndBools) {
  std::string out;
  ProtoWriter<wire::HeapAllocations> allocations(out);
  allocations.Set(allocations.kAllocatedNs, std::vector<uint64_t>{7, UINT64_MAX});
  const auto parsed = Parsed<hindsight::HeapAllocations>(out);
  ASSERT_EQ(parsed.allocated_ns_size(), 2);
  EXPECT_EQ(parsed.allocated_ns(0), 7u);
  EXPECT_EQ(parsed.allocated_ns(1), UINT64_MAX);

  out.clear();
  ProtoWriter<wire::HeapMonitors> monitors(out);
  monitors.Set(monitors.kWaitedFor, std::vector<bool>{true, false, true});
  const auto held = Parsed<hindsight::HeapMonitors>(out);
  ASSERT_EQ(held.waited_for_size(), 3);
  EXPECT_TRUE(held.waited_for(0));
  EXPECT_FALSE(held.waited_for(1));
  EXPECT_TRUE(held.waited_for(2));
}

TEST(ProtoWriter, WritesTextsOfEveryLength) {
  using std::string_literals::operator""s;
  for (const std::string& text : {""s, "a"s, "nul\0inside"s, "\xff\xfe"s, std::string(127, 'x'),
                                  std::string(128, 'y'), std::string(70'000, 'z')}) {
    std::string out;
    ProtoWriter<wire::String> writer(out);
    writer.Set(writer.kId, 9u);
    writer.Set(writer.kValue, text);
    const auto parsed = Parsed<hindsight::String>(out);
    EXPECT_EQ(parsed.id(), 9u);
    EXPECT_EQ(parsed.value(), text);
  }
}

TEST(ProtoWriter, WritesRepeatedTexts) {
  std::string out;
  ProtoWriter<wire::Method> writer(out);
  for (const char* parameter : {"int", "", "List<string>"}) {
    writer.Add(writer.kParameter, parameter);
  }
  const auto method = Parsed<hindsight::Method>(out);
  ASSERT_EQ(method.parameter_size(), 3);
  EXPECT_EQ(method.parameter(0), "int");
  EXPECT_EQ(method.parameter(1), "");
  EXPECT_EQ(method.parameter(2), "List<string>");
}

TEST(ProtoWriter, WritesFieldNumbersAboveFifteen) {
  std::string out;
  {
    ProtoWriter<wire::Packet> packet(out);
    ProtoWriter note(packet, packet.kRecorderNote);
    note.Set(note.kText, "two bytes of tag");
  }
  EXPECT_EQ(Parsed<hindsight::Packet>(out).recorder_note().text(), "two bytes of tag");
}

TEST(ProtoWriter, WritesPackedUnsignedNumbers) {
  std::string out;
  ProtoWriter<wire::Type>(out).Set(wire::Type::kArgument, kUints);
  const auto type = Parsed<hindsight::Type>(out);
  EXPECT_EQ(std::vector<uint32_t>(type.argument().begin(), type.argument().end()),
            std::vector<uint32_t>(kUints.begin(), kUints.end()));
}

TEST(ProtoWriter, WritesPackedSignedNumbers) {
  const std::vector<int64_t> deltas = {0, -1, 1, INT64_MIN, INT64_MAX, -4096};
  const std::vector<int32_t> offsets = {0, -3, 2, INT32_MIN, INT32_MAX};
  std::string out;
  ProtoWriter<wire::Code> writer(out);
  writer.Set(writer.kRegionDelta, deltas);
  writer.Set(writer.kIlOffsetDelta, offsets);
  const auto code = Parsed<hindsight::Code>(out);
  EXPECT_EQ(std::vector<int64_t>(code.region_delta().begin(), code.region_delta().end()), deltas);
  EXPECT_EQ(std::vector<int32_t>(code.il_offset_delta().begin(), code.il_offset_delta().end()),
            offsets);
}

TEST(ProtoWriter, WritesNothingForAnEmptyRange) {
  std::string out;
  ProtoWriter<wire::Code> writer(out);
  writer.Set(writer.kRegionSize, std::vector<uint32_t>());
  writer.Set(writer.kRegionDelta, std::vector<int64_t>());
  EXPECT_EQ(out, "");
}

TEST(ProtoWriter, WritesAPackedFieldLongerThanOneByteOfLength) {
  const std::vector<uint32_t> many(50'000, 300);
  std::string out;
  ProtoWriter<wire::Type> writer(out);
  writer.Set(writer.kId, 3u);
  writer.Set(writer.kArgument, many);
  writer.Set(writer.kRank, 2u);
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
      ProtoWriter<wire::Packet> packet(out);
      packet.Set(packet.kTimeDeltaNs, -5);
      ProtoWriter method(packet, packet.kMethod);
      method.Set(method.kId, 77u);
      for (uint64_t start = 1; start <= 2; ++start) {
        ProtoWriter code(method, method.kCode);
        code.Set(code.kStart, start);
        code.Set(code.kRegionSize, sizes);
      }
      method.Set(method.kIsDynamic, true);
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
    ProtoWriter<wire::Packet> packet(out);
    ProtoWriter life(packet, packet.kThreadLifetime);
  }
  EXPECT_TRUE(Parsed<hindsight::Packet>(out).has_thread_lifetime());
}

TEST(ProtoWriter, AppendsToWhatIsThere) {
  std::string out;
  ProtoWriter<wire::Stack>(out).Set(wire::Stack::kId, 1u);
  ProtoWriter<wire::Stack>(out).Set(wire::Stack::kParent, 2u);
  const auto stack = Parsed<hindsight::Stack>(out);
  EXPECT_EQ(stack.id(), 1u);
  EXPECT_EQ(stack.parent(), 2u);
}

}  // namespace
}  // namespace hindsight::recorder
