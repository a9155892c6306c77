// Single requests: what is read from events, and what is assembled from them.
#include "recorder/sources/requests/request_detail_events.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "recorder/sources/requests/enumerated_pairs.h"
#include "recorder/sources/requests/request_detail_packets.h"
#include "tests/unit/recorder/output_test_support.h"
#include "tests/unit/recorder/packets_test.h"
#include "tests/unit/recorder/runtime_payloads.h"

namespace hindsight::recorder {
namespace {

using Pairs = std::vector<std::pair<std::u16string_view, std::u16string_view>>;

Payload DiagnosticEvent(std::u16string_view listener, std::u16string_view event,
                        const Pairs& pairs) {
  Payload payload;
  payload.Text(listener).Text(event).Add(static_cast<uint16_t>(pairs.size()));
  for (const auto& [name, value] : pairs) payload.Text(name).Text(value);
  return payload;
}

std::u16string Wide(std::span<const uint8_t> bytes) {
  std::u16string text(bytes.size() / sizeof(char16_t), u' ');
  if (!bytes.empty()) std::memcpy(text.data(), bytes.data(), bytes.size());
  return text;
}

const Payload& Command() {
  static const Payload kPayload =
      DiagnosticEvent(u"Microsoft.EntityFrameworkCore",
                      u"Microsoft.EntityFrameworkCore.Database.Command.CommandExecuted",
                      {{u"S", u"00000000000000af"},
                       {u"P", u"0000000000000000"},
                       {u"I", u"a157bf8d-8a85-4e9b-bed0-189fcb6f400c"},
                       {u"D", u"14174"},
                       {u"C", u"SELECT 1"}});
  return kPayload;
}

TEST(RequestDetailTest, IsReadByItsNames) {
  const RequestDetail command = ParseRequestDetail(Command().bytes());
  EXPECT_EQ(command.kind, RequestDetailKind::kCommandEnded);
  EXPECT_EQ(command.spans[0], 0xafu);
  EXPECT_EQ(command.spans[1], 0u);
  EXPECT_NE(command.command, 0u);
  EXPECT_EQ(command.duration_ns, 1'417'400u);
  EXPECT_EQ(Wide(command.text), u"SELECT 1");

  const Payload matched =
      DiagnosticEvent(u"Microsoft.AspNetCore", u"Microsoft.AspNetCore.Routing.EndpointMatched",
                      {{u"M", u"GET"}, {u"A", u"/c/5"}, {u"V", u"[id, 5]"}});
  const RequestDetail route = ParseRequestDetail(matched.bytes());
  EXPECT_EQ(route.kind, RequestDetailKind::kRequestMatched);
  EXPECT_EQ(Wide(route.method), u"GET");
  EXPECT_EQ(Wide(route.path), u"/c/5");
  EXPECT_EQ(Wide(route.values), u"[id, 5]");

  // The response to a call has a word for its status; without a response there is none.
  const auto call = [](std::u16string_view status) {
    return ParseRequestDetail(DiagnosticEvent(u"HttpHandlerDiagnosticListener",
                                              u"System.Net.Http.HttpRequestOut.Stop",
                                              {{u"T", status}})
                                  .bytes())
        .status;
  };
  EXPECT_NE(call(u"OK"), 0);
  EXPECT_EQ(call(u""), 0);
}

TEST(RequestDetailTest, ADriversActivityIsACommand) {
  const auto activity = [](std::u16string_view ticks, std::u16string_view tags,
                           std::u16string_view status) {
    const Payload payload = DiagnosticEvent(u"Npgsql", u"shop",
                                            {{u"S", u"00000000000000ae"},
                                             {u"I", u"00000000000000af"},
                                             {u"D", ticks},
                                             {u"Q", tags},
                                             {u"F", status}});
    RequestDetail detail = ParseRequestDetail(payload.bytes());
    return std::make_tuple(detail.kind, Wide(detail.text), detail.spans[0], detail.is_of_driver);
  };
  EXPECT_EQ(activity(u"0", u"", u"Unset"),
            std::make_tuple(RequestDetailKind::kCommandBegan, u"", 0xaeu, true));
  EXPECT_EQ(
      activity(u"70", u"[db.system, postgresql],[db.statement, SELECT 1],[db.user, me]", u"Ok"),
      std::make_tuple(RequestDetailKind::kCommandEnded, u"SELECT 1", 0xaeu, true));
  EXPECT_EQ(activity(u"70", u"[db.query.text, SELECT 1]", u"Error"),
            std::make_tuple(RequestDetailKind::kCommandFailed, u"SELECT 1", 0xaeu, true));
  EXPECT_FALSE(ParseRequestDetail(Command().bytes()).is_of_driver);
}

TEST(RequestDetailTest, ATagMayContainBrackets) {
  const auto find = [](std::u16string_view tags, std::u16string_view name) {
    const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(tags.data()),
                                         tags.size() * sizeof(char16_t));
    return Wide(FindTag(bytes, name));
  };
  const std::u16string_view tags =
      u"[db.name, a],[db.statement, SELECT [x],[y, z] FROM t, u],[db.id, 7]";
  EXPECT_EQ(find(tags, u"db.name"), u"a");
  EXPECT_EQ(find(tags, u"db.statement"), u"SELECT [x],[y, z] FROM t, u");
  EXPECT_EQ(find(tags, u"db.id"), u"7");
  EXPECT_EQ(find(tags, u"db"), u"");
  EXPECT_EQ(find(u"[db.statement, ]", u"db.statement"), u"");
  EXPECT_EQ(find(u"", u"db.statement"), u"");
  for (size_t size = 0; size < tags.size(); ++size) find(tags.substr(0, size), u"db.id");
}

TEST(RequestDetailTest, OthersAreNone) {
  const auto kind = [](const Payload& payload) { return ParseRequestDetail(payload.bytes()).kind; };
  EXPECT_EQ(kind(DiagnosticEvent(u"Shop", u"Shop.Ordered", {})), RequestDetailKind::kNothing);
  EXPECT_EQ(kind(Payload().Text(u"Microsoft.AspNetCore")), RequestDetailKind::kListening);
  EXPECT_EQ(kind(Payload()), RequestDetailKind::kNothing);
}

TEST(RequestDetailTest, NoPayloadIsReadBeyondItsEnd) {
  const std::vector<uint8_t>& whole = Command().bytes();
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::vector<uint8_t> cut(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
    ParseRequestDetail(cut);
  }
  std::mt19937 random(3);
  for (int round = 0; round < 20'000; ++round) {
    std::vector<uint8_t> bytes = whole;
    for (int i = 0; i < 8; ++i) bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    ParseRequestDetail(bytes);
  }
}

TEST(RequestDetailTest, TheArgumentsNameAllThatIsAsked) {
  const std::u16string filter = RequestDetailEvents::Filter();
  EXPECT_TRUE(filter.starts_with(u"FilterAndPayloadSpecs=\""));
  EXPECT_TRUE(filter.ends_with(u"\""));
  for (const std::u16string_view part :
       {u"Microsoft.AspNetCore/Microsoft.AspNetCore.Hosting.HttpRequestIn:-\n",
        u"HttpRequestIn.Start:-S=*Activity.SpanId\n", u".CommandError:-S=*Activity.SpanId;",
        u"SqlClientDiagnosticListener/Microsoft.Data.SqlClient.WriteCommandAfter:-S=",
        u"[AS]Npgsql/-Record:-S=ParentSpanId;",
        u"HttpHandlerDiagnosticListener/System.Net.Http.HttpRequestOut.Stop:-S="}) {
    EXPECT_NE(filter.find(part), std::u16string::npos);
  }
}

class RequestDetailPacketsTest : public PacketsTest {
 protected:
  RequestDetailPacketsTest() : PacketsTest(true) {}

  struct Event {
    RequestDetailKind kind;
    uint64_t time_ns;
    uint64_t span = 0, parent = 0;
    uint64_t duration_ns = 0;
    std::u16string text = {};
    uint16_t status = 0;
    uint64_t command = 0;
    bool is_of_driver = false;
  };
  void Emit(const Event& reported) {
    std::vector<uint64_t> memory(
        (sizeof(RequestDetailEvent) + reported.text.size() * sizeof(char16_t) + 7) / 8);
    auto& event = *reinterpret_cast<RequestDetailEvent*>(memory.data());
    event.header = {static_cast<uint16_t>(memory.size()), EventKind::kRequestDetail, 4'000'001,
                    reported.time_ns};
    event.kind = reported.kind;
    event.spans[0] = reported.span;
    event.spans[1] = reported.parent;
    event.duration_ns = reported.duration_ns;
    event.status = reported.status;
    event.command = reported.command;
    event.is_of_driver = reported.is_of_driver;
    event.text = reported.text.empty() ? 0 : std::hash<std::u16string>()(reported.text);
    event.text_units = static_cast<uint32_t>(reported.text.size());
    std::memcpy(&event + 1, reported.text.data(), reported.text.size() * sizeof(char16_t));
    packets_.Begin();
    details_.Consume(event.header, packets_);
  }
  void Matched(uint64_t time_ns, uint64_t span, std::u16string path, std::u16string values) {
    std::u16string text = u"GET";
    text += u'\0' + path + u'\0' + values + u'\0';
    Emit({RequestDetailKind::kRequestMatched, time_ns, span, 0, 0, text});
  }

  std::vector<hindsight::Packet> Close() {
    packets_.Begin();
    details_.WillEnd();
    details_.Flush(packets_);
    EXPECT_TRUE(packets_.End(SegmentKind::kLast));
    EXPECT_TRUE(segments_.Close());
    std::vector<hindsight::Packet> reported;
    for (const ReadSegment& segment : ReadRecording(segments_.path()).segments) {
      for (const hindsight::Packet& packet : segment.recording.packet()) {
        if (packet.has_string()) texts_[packet.string().id()] = packet.string().value();
        if (packet.has_served_request() || packet.has_outside_calls()) reported.push_back(packet);
      }
    }
    return reported;
  }

  static constexpr uint64_t kMostPartBytes = 1u << 20;
  RequestDetailPackets details_{dictionaries_, threads_, true, kMostPartBytes};
  std::map<uint32_t, std::string> texts_;
};

TEST_F(RequestDetailPacketsTest, WhatBelongsToARequestIsWrittenWithIt) {
  Emit({RequestDetailKind::kRequestBegan, 1'000'000, 7});
  Matched(2'000'000, 7, u"/orders/5", u"[id, 5]");
  Emit({RequestDetailKind::kCommandEnded, 5'000'000, 7, 0, 2'000'000,
        u"SELECT a FROM t WHERE i = 1"});
  Emit({RequestDetailKind::kCommandFailed, 9'000'000, 8, 7, 1'000'000,
        u"SELECT a FROM t WHERE i = 2"});
  Emit({RequestDetailKind::kCallEnded, 9'500'000, 9, 7, 400'000, u"bank:443", 1});
  Emit({RequestDetailKind::kRequestEnded, 10'000'000, 7, 0, 0, {}, 200});
  const std::vector<hindsight::Packet> reported = Close();
  ASSERT_EQ(reported.size(), 1u);
  const hindsight::ServedRequest& request = reported.front().served_request();
  EXPECT_EQ(texts_[request.route()], "GET /orders/{id}");
  EXPECT_EQ(request.status(), 200u);
  EXPECT_EQ(request.duration_ns(), 9'000'000u);
  EXPECT_EQ(request.matched_ns(), 1'000'000u);
  ASSERT_EQ(request.part_size(), 2);
  const hindsight::RequestPart& commands = request.part(0);
  EXPECT_EQ(commands.kind(), hindsight::RequestPart::COMMAND);
  EXPECT_TRUE(texts_[commands.what()].starts_with("SELECT "));
  EXPECT_EQ(texts_[commands.text()], "SELECT a FROM t WHERE i = ?");
  EXPECT_EQ(commands.failed(), 1u);
  ASSERT_EQ(commands.start_us_size(), 2);
  EXPECT_EQ(commands.start_us(0), 2000);
  EXPECT_EQ(commands.start_us(1), 5000);  // since the one before
  EXPECT_EQ(commands.length_us(0), 2000u);
  const hindsight::RequestPart& calls = request.part(1);
  EXPECT_EQ(texts_[calls.what()], "bank:443");
  EXPECT_EQ(calls.failed(), 0u);
}

// Requests whose ends are lost must not keep later ones out.
TEST_F(RequestDetailPacketsTest, WhatADriverExecutesForAnotherIsNotCounted) {
  const auto begin = [&](uint64_t time_ns, uint64_t span, uint64_t id, bool is_of_driver) {
    Emit({.kind = RequestDetailKind::kCommandBegan,
          .time_ns = time_ns,
          .span = span,
          .command = id,
          .is_of_driver = is_of_driver});
  };
  const auto end = [&](uint64_t time_ns, uint64_t span, uint64_t id, bool is_of_driver,
                       std::u16string text) {
    Emit({.kind = RequestDetailKind::kCommandEnded,
          .time_ns = time_ns,
          .span = span,
          .duration_ns = is_of_driver ? 0 : 700'000u,
          .text = std::move(text),
          .command = id,
          .is_of_driver = is_of_driver});
  };
  Emit({RequestDetailKind::kRequestBegan, 1'000'000, 7});
  begin(2'000'000, 7, 1, false);
  begin(2'100'000, 7, 2, true);
  begin(2'200'000, 7, 3, true);  // at the same time, for itself
  end(2'300'000, 7, 3, true, u"SELECT b");
  end(2'700'000, 7, 1, false, u"SELECT 1");
  end(3'000'000, 7, 2, true, u"SELECT 1");  // the reader is closed later
  begin(5'000'000, 7, 5, true);             // a connection is opened
  end(5'500'000, 7, 5, true, u"");
  // Outside of requests, on this thread.
  begin(6'000'000, 0, 6, false);
  begin(6'100'000, 0, 7, true);
  end(6'500'000, 0, 7, true, u"SELECT c");
  end(6'600'000, 0, 6, false, u"SELECT c");
  Emit({RequestDetailKind::kRequestEnded, 10'000'000, 7, 0, 0, {}, 200});
  const std::vector<hindsight::Packet> packets = Close();
  ASSERT_EQ(packets.size(), 2u);
  const auto& parts = packets[0].served_request().part();
  ASSERT_EQ(parts.size(), 2);
  EXPECT_EQ(texts_[parts[0].text()], "SELECT b");
  EXPECT_EQ(parts[0].length_us(0), 100u);
  EXPECT_EQ(parts[0].start_us(0), 1200);
  EXPECT_EQ(texts_[parts[1].text()], "SELECT ?");
  EXPECT_EQ(parts[1].length_us(0), 700u);
  ASSERT_EQ(packets[1].outside_calls().part_size(), 1);
  EXPECT_EQ(packets[1].outside_calls().part(0).more_count(), 1u);
}

TEST_F(RequestDetailPacketsTest, ALostEndHidesNothingOfTheNextRequest) {
  Emit({RequestDetailKind::kRequestBegan, 1'000'000, 7});
  Emit({.kind = RequestDetailKind::kCommandBegan, .time_ns = 2'000'000, .span = 7, .command = 1});
  Emit({RequestDetailKind::kRequestEnded, 3'000'000, 7, 0, 0, {}, 200});
  Emit({RequestDetailKind::kRequestBegan, 4'000'000, 7});
  Emit({.kind = RequestDetailKind::kCommandBegan,
        .time_ns = 5'000'000,
        .span = 7,
        .command = 2,
        .is_of_driver = true});
  Emit({.kind = RequestDetailKind::kCommandEnded,
        .time_ns = 6'000'000,
        .span = 7,
        .text = u"SELECT 1",
        .command = 2,
        .is_of_driver = true});
  Emit({RequestDetailKind::kRequestEnded, 20'000'000, 7, 0, 0, {}, 200});
  const std::vector<hindsight::Packet> packets = Close();
  ASSERT_FALSE(packets.empty());
  EXPECT_EQ(packets.back().served_request().part_size(), 1);
}

TEST_F(RequestDetailPacketsTest, TheOldestIsGivenUpForANewOneAndCounted) {
  constexpr uint64_t kMost = 4096;
  uint64_t time_ns = 1'000'000;
  for (uint64_t span = 1; span <= kMost; ++span) {
    Emit({RequestDetailKind::kRequestBegan, ++time_ns, span});
  }
  EXPECT_EQ(details_.unpaired(), 0u);
  for (uint64_t span = kMost + 1; span <= 3 * kMost; ++span) {
    Emit({RequestDetailKind::kRequestBegan, time_ns += 100, span});
    Emit({RequestDetailKind::kRequestEnded, time_ns += 100, span, 0, 0, {}, 200});
    time_ns += 10'000'000;  // it is written, and frees its slot for the next one
  }
  EXPECT_EQ(details_.unpaired(), 1u);  // the first one made room
  Emit({RequestDetailKind::kRequestEnded, ++time_ns, 2, 0, 0, {}, 200});
  EXPECT_EQ(Close().size(), 2 * kMost + 1);
}

TEST_F(RequestDetailPacketsTest, AnEndWithoutABeginningIsCounted) {
  Emit({RequestDetailKind::kRequestEnded, 5'000'000, 7, 0, 0, {}, 200});
  EXPECT_EQ(details_.unpaired(), 1u);
  EXPECT_EQ(Close().size(), 0u);
}

TEST_F(RequestDetailPacketsTest, WhatBelongsToNoneIsSummedUp) {
  Emit({RequestDetailKind::kCommandEnded, 5'000'000, 0, 0, 2'000'000, u"SELECT 1"});
  Emit({RequestDetailKind::kCommandEnded, 6'000'000, 77, 78, 3'000'000, u"SELECT 2"});
  // A request that began before there was a listener has no duration.
  Matched(7'000'000, 5, u"/orders/5", u"[id, 5]");
  Emit({RequestDetailKind::kRequestEnded, 8'000'000, 5, 0, 0, {}, 200});
  const std::vector<hindsight::Packet> reported = Close();
  ASSERT_EQ(reported.size(), 1u);
  ASSERT_EQ(reported.front().outside_calls().part_size(), 1);
  const hindsight::RequestPart& part = reported.front().outside_calls().part(0);
  EXPECT_EQ(part.more_count(), 2u);
  EXPECT_EQ(part.more_ns(), 5'000'000u);
  EXPECT_EQ(part.length_us_size(), 0);
}

TEST_F(RequestDetailPacketsTest, AnEventThatComesLateIsCounted) {
  Emit({RequestDetailKind::kRequestBegan, 1'000'000, 7});
  Emit({RequestDetailKind::kRequestEnded, 10'000'000, 7, 0, 0, {}, 200});
  Emit({RequestDetailKind::kCommandEnded, 9'900'000, 7, 0, 1'000'000, u"SELECT 1"});
  const std::vector<hindsight::Packet> reported = Close();
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_EQ(reported.front().served_request().part_size(), 1);
  EXPECT_EQ(reported.front().served_request().route(), 0u);
}

TEST_F(RequestDetailPacketsTest, BeyondTheirMemoryPartsOfRequestsAreSums) {
  constexpr uint64_t kRequests = 200, kCommands = 4000;
  uint64_t time_ns = 1'000'000;
  for (uint64_t span = 1; span <= kRequests; ++span) {
    Emit({RequestDetailKind::kRequestBegan, time_ns, span});
  }
  for (uint64_t i = 0; i < kCommands; ++i) {
    const std::u16string table(1 + i % 20, u'a');
    for (uint64_t span = 1; span <= kRequests; ++span) {
      Emit({RequestDetailKind::kCommandEnded, time_ns += 1000, span, 0, 500, u"SELECT " + table});
    }
  }
  EXPECT_LE(details_.memory_bytes(), 2 * kMostPartBytes);
  for (uint64_t span = 1; span <= kRequests; ++span) {
    Emit({RequestDetailKind::kRequestEnded, time_ns, span, 0, 0, {}, 200});
  }
  for (const hindsight::Packet& packet : Close()) {
    uint64_t commands = 0;
    for (const auto& part : packet.served_request().part()) {
      commands += static_cast<uint64_t>(part.length_us_size()) + part.more_count();
    }
    EXPECT_EQ(commands, kCommands);
  }
}

TEST_F(RequestDetailPacketsTest, OfManyOnlySumsAreKept) {
  Emit({RequestDetailKind::kRequestBegan, 1'000'000, 7});
  for (uint64_t i = 0; i < 300; ++i) {
    Emit({RequestDetailKind::kCommandEnded, 2'000'000 + i, 7, 0, 1000, u"SELECT 1"});
  }
  for (int i = 0; i < 100; ++i) {
    std::u16string other = u"SELECT a";
    other += static_cast<char16_t>(u'a' + i % 26);
    other += static_cast<char16_t>(u'a' + i / 26);
    Emit({RequestDetailKind::kCommandEnded, 3'000'000, 7, 0, 1000, other});
  }
  Emit({RequestDetailKind::kRequestEnded, 10'000'000, 7, 0, 0, {}, 200});
  const std::vector<hindsight::Packet> reported = Close();
  ASSERT_EQ(reported.size(), 1u);
  const hindsight::ServedRequest& request = reported.front().served_request();
  EXPECT_EQ(request.part_size(), 64);
  uint64_t count = 0;
  for (const hindsight::RequestPart& part : request.part()) {
    EXPECT_LE(part.length_us_size(), 256);
    count += static_cast<uint64_t>(part.length_us_size()) + part.more_count();
  }
  EXPECT_EQ(count, 400u);
}

}  // namespace
}  // namespace hindsight::recorder
