#include "trigger/ipc/message.h"

#include <gtest/gtest.h>

#include "recorder/contract/control.h"

namespace hindsight::trigger::ipc {
namespace {

Bytes Answer20(uint8_t id, const Bytes& payload) {
  Bytes message = {'D', 'O', 'T', 'N', 'E', 'T', '_', 'I', 'P', 'C', '_', 'V', '1', 0};
  const size_t size = kHeaderBytes + payload.size();
  message.push_back(static_cast<uint8_t>(size));
  message.push_back(static_cast<uint8_t>(size >> 8));
  message.insert(message.end(), {0xff, id, 0, 0});
  message.insert(message.end(), payload.begin(), payload.end());
  return message;
}

void PutText(Bytes& out, std::u16string_view text) {
  const auto count = static_cast<uint32_t>(text.size() + 1);
  for (int i = 0; i < 4; ++i) out.push_back(static_cast<uint8_t>(count >> (8 * i)));
  for (const char16_t unit : text) {
    out.push_back(static_cast<uint8_t>(unit));
    out.push_back(static_cast<uint8_t>(unit >> 8));
  }
  out.insert(out.end(), {0, 0});
}

TEST(Guid, TextAndWireOrder) {
  const std::optional<Guid> guid = ParseGuid("{00112233-4455-6677-8899-aAbBcCdDeEfF}");
  ASSERT_TRUE(guid);
  const Guid wire = {0x33, 0x22, 0x11, 0x00, 0x55, 0x44, 0x77, 0x66,
                     0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
  EXPECT_EQ(*guid, wire);
  EXPECT_EQ(FormatGuid(*guid), "{00112233-4455-6677-8899-AABBCCDDEEFF}");
  EXPECT_EQ(ParseGuid("00112233-4455-6677-8899-aabbccddeeff"), guid);
  EXPECT_EQ(FormatGuid(*ParseGuid(contract::kProfilerGuid)), contract::kProfilerGuid);
  for (const std::string_view text :
       {"", "{}", "{00112233-4455-6677-8899-aabbccddeef}", "00112233-4455-6677-8899-aabbccddeefg",
        "0011223344556677-8899-aabb-ccdd-eeff", "{00112233-4455-6677-8899-aabbccddeeff",
        "00112233+4455-6677-8899-aabbccddeeff"}) {
    EXPECT_FALSE(ParseGuid(text)) << text;
  }
}

TEST(Encode, AttachIsThisByteForByte) {
  AttachRequest request;
  request.timeout_ms = 0x01020304;
  request.profiler.fill(0xab);
  request.path = "/\xc3\xa9\xf0\x9f\x98\x80";  // é and an emoji: one unit and two
  request.client_data = "a;b";
  const std::optional<Bytes> message = EncodeAttach(request);
  ASSERT_TRUE(message);
  Bytes expected = {'D', 'O', 'T', 'N', 'E', 'T', '_', 'I', 'P', 'C', '_', 'V',
                    '1', 0,   61,  0,   3,   1,   0,   0,   4,   3,   2,   1};
  expected.insert(expected.end(), 16, 0xab);
  const Bytes path = {5, 0, 0, 0, '/', 0, 0xe9, 0, 0x3d, 0xd8, 0x00, 0xde, 0, 0};
  expected.insert(expected.end(), path.begin(), path.end());
  const Bytes data = {3, 0, 0, 0, 'a', ';', 'b'};
  expected.insert(expected.end(), data.begin(), data.end());
  EXPECT_EQ(*message, expected);
}

TEST(Encode, RefusesWhatDoesNotFit) {
  AttachRequest request;
  request.path = "/x";
  const size_t overhead = EncodeAttach(request)->size();
  request.client_data = std::string(kMaxMessageBytes - overhead, 'x');
  ASSERT_TRUE(EncodeAttach(request));
  EXPECT_EQ(EncodeAttach(request)->size(), kMaxMessageBytes);
  EXPECT_EQ(MessageSize(*EncodeAttach(request)), kMaxMessageBytes);
  request.client_data += 'x';
  EXPECT_FALSE(EncodeAttach(request));
  request.client_data.clear();
  request.path = "/\xff";
  EXPECT_FALSE(EncodeAttach(request));
}

TEST(Encode, ProcessInfoHasItsCommands) {
  EXPECT_EQ(EncodeProcessInfo(2)[17], 0x04);
  EXPECT_EQ(EncodeProcessInfo(3)[17], 0x08);
  EXPECT_EQ(EncodeProcessInfo(3)[16], 0x04);
  EXPECT_EQ(MessageSize(EncodeProcessInfo(3)), kHeaderBytes);
}

TEST(ParseAnswer, DistinguishesOkFromError) {
  const auto ok = ParseAnswer(Answer20(0x00, {}));
  ASSERT_TRUE(ok);
  EXPECT_TRUE(ok->ok);
  EXPECT_EQ(ok->hresult, 0u);
  const auto refused = ParseAnswer(Answer20(0x00, {0x6a, 0x13, 0x13, 0x80}));
  ASSERT_TRUE(refused);
  EXPECT_TRUE(refused->ok);
  EXPECT_EQ(refused->hresult, 0x8013136au);
  const auto error = ParseAnswer(Answer20(0xff, {0x85, 0x13, 0x13, 0x80, 1, 2}));
  ASSERT_TRUE(error);
  EXPECT_FALSE(error->ok);
  EXPECT_EQ(error->hresult, 0x80131385u);
}

TEST(ParseAnswer, RefusesEveryTruncationAndForeignBytes) {
  const Bytes whole = Answer20(0xff, {1, 2, 3, 4});
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(ParseAnswer(std::span(whole).first(size))) << size;
  }
  Bytes longer = whole;
  longer.push_back(0);
  EXPECT_FALSE(ParseAnswer(longer));
  EXPECT_FALSE(ParseAnswer(Answer20(0x42, {1, 2, 3, 4})));
  EXPECT_FALSE(ParseAnswer(Answer20(0xff, {1, 2, 3})));
  Bytes magic = whole;
  magic[0] = 'X';
  EXPECT_FALSE(ParseAnswer(magic));
  Bytes small = whole;
  small[14] = 19;
  EXPECT_FALSE(ParseAnswer(small));
  Bytes request = whole;
  request[16] = 0x04;
  EXPECT_FALSE(ParseAnswer(request));
}

Bytes InfoPayload(int version) {
  Bytes payload;
  if (version == 3) payload = {1, 0, 0, 0};
  payload.insert(payload.end(), {0x39, 0x30, 0, 0, 0, 0, 0, 0});
  payload.insert(payload.end(), 16, 0x77);
  PutText(payload, u"/usr/bin/dotnet Shop.dll \u00e9\U0001F600");
  PutText(payload, u"Linux");
  PutText(payload, u"x64");
  PutText(payload, u"Shop");
  PutText(payload, u"10.0.12+abc");
  if (version == 3) PutText(payload, u"linux-x64");
  return payload;
}

TEST(ParseProcessInfo, ReadsBothVersions) {
  for (const int version : {2, 3}) {
    const auto info = ParseProcessInfo(InfoPayload(version), version);
    ASSERT_TRUE(info);
    EXPECT_EQ(info->pid, 12345u);
    EXPECT_EQ(info->cookie[15], 0x77);
    EXPECT_EQ(info->command_line, "/usr/bin/dotnet Shop.dll \xc3\xa9\xf0\x9f\x98\x80");
    EXPECT_EQ(info->os, "Linux");
    EXPECT_EQ(info->architecture, "x64");
    EXPECT_EQ(info->entry_assembly, "Shop");
    EXPECT_EQ(info->runtime_version, "10.0.12+abc");
    EXPECT_EQ(info->portable_rid, version == 3 ? "linux-x64" : "");
  }
}

TEST(ParseProcessInfo, RefusesEveryTruncation) {
  for (const int version : {2, 3}) {
    const Bytes whole = InfoPayload(version);
    for (size_t size = 0; size < whole.size(); ++size) {
      EXPECT_FALSE(ParseProcessInfo(std::span(whole).first(size), version)) << size;
    }
  }
}

TEST(ParseProcessInfo, EndlessStringsAndLoneSurrogatesAreHarmless) {
  Bytes payload(24, 0);
  payload.insert(payload.end(), {0xff, 0xff, 0xff, 0xff, 'x', 0});
  EXPECT_FALSE(ParseProcessInfo(payload, 2));
  payload.resize(24);
  for (int i = 0; i < 5; ++i) PutText(payload, std::u16string(1, char16_t(0xd800)) + u"a");
  const auto info = ParseProcessInfo(payload, 2);
  ASSERT_TRUE(info);
  EXPECT_EQ(info->os,
            "\xef\xbf\xbd"
            "a");
}

}  // namespace
}  // namespace hindsight::trigger::ipc
