#include "recorder/contract/control.h"

#include <gtest/gtest.h>

namespace hindsight::contract {
namespace {

using namespace std::string_view_literals;

TEST(Places, LieInTheUsersFolder) {
  EXPECT_EQ(UserFolder("/tmp", 1000), "/tmp/hindsight-1000");
  EXPECT_EQ(ControlFolder("/tmp", 0), "/tmp/hindsight-0/control");
  EXPECT_EQ(ControlSocket("/tmp", 1000, 42), "/tmp/hindsight-1000/control/42.sock");
  EXPECT_EQ(DefaultOutput("/", 7), "/hindsight-7/recordings");
}

TEST(Places, TemporaryFolderComesFromTheEnvironmentBlock) {
  EXPECT_EQ(TemporaryFolder(""), "/tmp");
  EXPECT_EQ(TemporaryFolder("A=1\0TMPDIR=/x/y//\0B=2\0"sv), "/x/y");
  EXPECT_EQ(TemporaryFolder("TMPDIR=/\0"sv), "/");
  EXPECT_EQ(TemporaryFolder("TMPDIR=\0"sv), "/tmp");
  EXPECT_EQ(TemporaryFolder("TMPDIR=here\0"sv), "/tmp");
  EXPECT_EQ(TemporaryFolder("XTMPDIR=/x\0"sv), "/tmp");
  EXPECT_EQ(TemporaryFolder("TMPDIR=/first\0TMPDIR=/second"sv), "/first");
  EXPECT_EQ(TemporaryFolder("TMPDIR=/not-ended"sv), "/not-ended");
}

TEST(RequestLine, IsReadBack) {
  for (const Request& request : {Request{"status", ""}, Request{"stop", "now and here"}}) {
    Request again;
    ASSERT_TRUE(ParseRequest(FormatRequest(request), again));
    EXPECT_EQ(again.verb, request.verb);
    EXPECT_EQ(again.argument, request.argument);
  }
}

TEST(RequestLine, RefusesWhatIsNotOne) {
  Request request;
  for (const std::string_view line : {""sv, "\n"sv, "status"sv, "status \n"sv, " status\n"sv,
                                      "STATUS\n"sv, "sta\ntus\n"sv, "status\r\n"sv, "st\0op\n"sv}) {
    EXPECT_FALSE(ParseRequest(line, request)) << line;
  }
  EXPECT_TRUE(ParseRequest("stop " + std::string(kMaxRequestBytes - 6, 'x') + '\n', request));
  EXPECT_FALSE(ParseRequest("stop " + std::string(kMaxRequestBytes - 5, 'x') + '\n', request));
}

TEST(ReplyText, IsReadBack) {
  Reply reply;
  reply.Add("state", "recording");
  reply.Add("events", 12u);
  reply.Add("output", "/tmp/with blanks");
  reply.Add("empty", "");
  Reply again;
  ASSERT_TRUE(ParseReply(FormatReply(reply), again));
  EXPECT_TRUE(again.ok);
  EXPECT_EQ(again.fields, reply.fields);
  EXPECT_EQ(again.Find("events"), "12");
  EXPECT_EQ(again.Find("nothing"), "");
}

TEST(ReplyText, CarriesAnError) {
  Reply reply;
  reply.ok = false;
  reply.error = "The disk\nis full.";
  Reply again;
  ASSERT_TRUE(ParseReply(FormatReply(reply), again));
  EXPECT_FALSE(again.ok);
  EXPECT_EQ(again.error, "The disk?is full.");
}

TEST(ReplyText, EveryTruncationIsNoticed) {
  Reply reply;
  reply.Add("state", "recording");
  reply.Add("events", 12u);
  const std::string text = FormatReply(reply);
  for (size_t size = 0; size < text.size(); ++size) {
    Reply again;
    EXPECT_FALSE(ParseReply(text.substr(0, size), again)) << size;
  }
}

TEST(ReplyText, StaysWithinItsBound) {
  Reply reply;
  for (int i = 0; i < 1000; ++i) reply.Add("key", std::string(200, 'x'));
  const std::string text = FormatReply(reply);
  EXPECT_LE(text.size(), kMaxReplyBytes);
  Reply again;
  ASSERT_TRUE(ParseReply(text, again));
  EXPECT_GT(again.fields.size(), 300u);
  EXPECT_FALSE(ParseReply(text + std::string(kMaxReplyBytes, 'x'), again));
}

TEST(ReplyText, RefusesWhatIsNotOne) {
  Reply reply;
  for (const std::string_view text :
       {"ok"sv, "ok\n"sv, "okay\n\n"sv, "error\n\n"sv, "ok\nnovalue\n\n"sv, "ok\n value\n\n"sv,
        "ok\nKey v\n\n"sv, "ok\nkey \x1b[0m\n\n"sv, "ok\n\nmore\n"sv, "ok\nkey a\0b\n\n"sv}) {
    EXPECT_FALSE(ParseReply(text, reply)) << text;
  }
}

}  // namespace
}  // namespace hindsight::contract
