#include "recorder/sources/requests/request_detail_events.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "recorder/base/fnv_hash.h"
#include "recorder/base/thread.h"
#include "recorder/sources/events/payload.h"
#include "recorder/sources/requests/enumerated_pairs.h"

namespace hindsight::recorder {
namespace {

// What is requested, and the names under which it is reported: one letter each.
//   S, P, G: spans. I: id of the command. D: duration in units of 100 ns. C: text of the command.
//   M, A, V: method, path and values of the route. H: host. T: status. Q: all tags of an activity.
//   F: whether it failed.
struct Asked {
  RequestDetailKind kind;  // of an activity: that of its end
  std::u16string_view listener, event, properties;

  bool IsActivity() const { return listener.starts_with(u'['); }
  // Its own name may be anything, such as that of the database.
  std::u16string_view ActivitySource() const { return listener.substr(kActivitySource.size()); }

  static constexpr std::u16string_view kActivitySource = u"[AS]";
};
constexpr std::u16string_view kSpans =
    u"S=*Activity.SpanId;P=*Activity.ParentSpanId;G=*Activity.Parent.ParentSpanId;";
constexpr std::u16string_view kCommand = u"I=CommandId;D=Duration.Ticks;C=Command.CommandText";
constexpr std::u16string_view kSqlClientBegan = u"I=OperationId";
constexpr std::u16string_view kSqlClientEnded = u"I=OperationId;C=Command.CommandText";
// Both of its start, when it has neither duration nor tags yet, and of its end. To record all of it
// does not mark it as to be sampled. It happens in its parent.
constexpr std::u16string_view kStartAndStop = u"-Record";
constexpr std::u16string_view kActivity =
    u"S=ParentSpanId;P=Parent.ParentSpanId;G=Parent.Parent.ParentSpanId;I=SpanId;D=Duration.Ticks;"
    u"Q=TagObjects.*Enumerate;F=Status";
// Under which the text of the command is given, in older and in newer versions.
constexpr std::u16string_view kTextTags[] = {u"db.statement", u"db.query.text"};
constexpr std::u16string_view kHosting = u"Microsoft.AspNetCore";
constexpr std::u16string_view kEntityFramework = u"Microsoft.EntityFrameworkCore";
constexpr std::u16string_view kSqlClient = u"SqlClientDiagnosticListener";
constexpr Asked kAsked[] = {
    // Without this one, Hosting creates no activities of its own.
    {RequestDetailKind::kNothing, kHosting, u"Microsoft.AspNetCore.Hosting.HttpRequestIn", u""},
    {RequestDetailKind::kRequestBegan, kHosting,
     u"Microsoft.AspNetCore.Hosting.HttpRequestIn.Start", u"S=*Activity.SpanId"},
    {RequestDetailKind::kRequestMatched, kHosting, u"Microsoft.AspNetCore.Routing.EndpointMatched",
     u"S=*Activity.SpanId;M=Request.Method;A=Request.Path.Value;V=Request.RouteValues.*Enumerate"},
    {RequestDetailKind::kRequestEnded, kHosting, u"Microsoft.AspNetCore.Hosting.HttpRequestIn.Stop",
     u"S=*Activity.SpanId;T=Response.StatusCode"},
    {RequestDetailKind::kCommandBegan, kEntityFramework,
     u"Microsoft.EntityFrameworkCore.Database.Command.CommandExecuting", u"I=CommandId"},
    {RequestDetailKind::kCommandEnded, kEntityFramework,
     u"Microsoft.EntityFrameworkCore.Database.Command.CommandExecuted", kCommand},
    {RequestDetailKind::kCommandFailed, kEntityFramework,
     u"Microsoft.EntityFrameworkCore.Database.Command.CommandError", kCommand},
    {RequestDetailKind::kCommandBegan, kSqlClient, u"Microsoft.Data.SqlClient.WriteCommandBefore",
     kSqlClientBegan},
    {RequestDetailKind::kCommandEnded, kSqlClient, u"Microsoft.Data.SqlClient.WriteCommandAfter",
     kSqlClientEnded},
    {RequestDetailKind::kCommandFailed, kSqlClient, u"Microsoft.Data.SqlClient.WriteCommandError",
     kSqlClientEnded},
    {RequestDetailKind::kCommandBegan, kSqlClient, u"System.Data.SqlClient.WriteCommandBefore",
     kSqlClientBegan},
    {RequestDetailKind::kCommandEnded, kSqlClient, u"System.Data.SqlClient.WriteCommandAfter",
     kSqlClientEnded},
    {RequestDetailKind::kCommandFailed, kSqlClient, u"System.Data.SqlClient.WriteCommandError",
     kSqlClientEnded},
    {RequestDetailKind::kCommandEnded, u"[AS]Npgsql", kStartAndStop, kActivity},
    {RequestDetailKind::kCommandEnded, u"[AS]MySqlConnector", kStartAndStop, kActivity},
    {RequestDetailKind::kCallEnded, u"HttpHandlerDiagnosticListener",
     u"System.Net.Http.HttpRequestOut.Stop",
     u"D=*Activity.Duration.Ticks;H=Request.RequestUri.Authority;T=Response.StatusCode"},
};

bool HasOwnSpans(const Asked& asked) { return asked.properties.starts_with(u"S="); }

std::span<const uint8_t> Without(std::span<const uint8_t> payload, size_t begin, size_t after) {
  return after - begin < sizeof(char16_t)
             ? std::span<const uint8_t>()
             : payload.subspan(begin, after - begin - sizeof(char16_t));
}

uint64_t Decimal(std::span<const uint8_t> text) {
  uint64_t value = 0;
  for (size_t at = 0; at < text.size(); at += sizeof(char16_t)) {
    const auto c = ReadPayload<char16_t>(text, at);
    if (c < u'0' || c > u'9' || value > UINT64_MAX / 16) return 0;
    value = value * 10 + (c - u'0');
  }
  return value;
}

// 16 digits; an activity without a span, or of another format, has zeros.
uint64_t Hexadecimal(std::span<const uint8_t> text) {
  if (text.size() != 16 * sizeof(char16_t)) return 0;
  uint64_t value = 0;
  for (size_t at = 0; at < text.size(); at += sizeof(char16_t)) {
    const auto c = ReadPayload<char16_t>(text, at);
    const bool is_digit = c >= u'0' && c <= u'9';
    if (!is_digit && (c < u'a' || c > u'f')) return 0;
    value = value << 4 | static_cast<uint64_t>(is_digit ? c - u'0' : c - u'a' + 10);
  }
  return value;
}

uint64_t Hash(std::span<const uint8_t> text) {
  FnvHash hash;
  for (size_t at = 0; at < text.size(); at += sizeof(char16_t)) {
    hash.Add(ReadPayload<char16_t>(text, at));
  }
  return hash.value();
}

void Take(RequestDetail& detail, char16_t name, std::span<const uint8_t> value) {
  constexpr uint64_t kTickNs = 100, kMostTicks = uint64_t{1} << 50;
  switch (name) {
    case u'S':
      detail.spans[0] = Hexadecimal(value);
      break;
    case u'P':
      detail.spans[1] = Hexadecimal(value);
      break;
    case u'G':
      detail.spans[2] = Hexadecimal(value);
      break;
    case u'I':
      detail.command = Hash(value);
      break;
    case u'D':
      detail.duration_ns = std::min(Decimal(value), kMostTicks) * kTickNs;
      break;
    case u'C':
    case u'H':
      detail.text = value;
      break;
    case u'Q':
      for (const std::u16string_view tag : kTextTags) {
        if (detail.text.empty()) detail.text = FindTag(value, tag);
      }
      break;
    case u'F':
      if (IsText(value, u"Error")) detail.kind = RequestDetailKind::kCommandFailed;
      break;
    case u'M':
      detail.method = value;
      break;
    case u'A':
      detail.path = value;
      break;
    case u'V':
      detail.values = value;
      break;
    case u'T':
      // For a call it is a word, which shows at least that there was a response.
      detail.status =
          value.empty() ? 0 : static_cast<uint16_t>(std::max<uint64_t>(1, Decimal(value)));
      break;
    default:
      break;
  }
}

uint8_t* Append(uint8_t* tail, std::span<const uint8_t> text) {
  return std::copy_n(text.data(), text.size(), tail);
}

}  // namespace

// The event source is self-describing, so its event numbers mean nothing. One event contains the
// name of a new listener; all others contain the listener and what it reports, each as a string,
// and the number (16 bits) of pairs of strings.
RequestDetail ParseRequestDetail(std::span<const uint8_t> payload) {
  RequestDetail detail;
  const size_t name_at = AfterText(payload, 0);
  if (name_at == payload.size()) {
    if (name_at > sizeof(char16_t)) detail.kind = RequestDetailKind::kListening;
    return detail;
  }
  size_t at = AfterText(payload, name_at);
  const std::span<const uint8_t> listener = Without(payload, 0, name_at);
  const std::span<const uint8_t> name = Without(payload, name_at, at);
  const auto asked =
      std::find_if(std::begin(kAsked), std::end(kAsked), [&](const Asked& candidate) {
        return candidate.IsActivity() ? IsText(listener, candidate.ActivitySource())
                                      : IsText(name, candidate.event);
      });
  if (asked == std::end(kAsked) || asked->kind == RequestDetailKind::kNothing) return detail;
  detail.kind = asked->kind;
  detail.is_of_driver = asked->IsActivity() || asked->listener == kSqlClient;
  const auto pairs = ReadPayload<uint16_t>(payload, at);
  at += sizeof(uint16_t);
  for (uint16_t pair = 0; pair < pairs && at < payload.size(); ++pair) {
    const size_t value_at = AfterText(payload, at), after = AfterText(payload, value_at);
    const auto letter = ReadPayload<char16_t>(payload, at);
    Take(detail, letter, Without(payload, value_at, after));
    at = after;
  }
  if (asked->IsActivity() && detail.duration_ns == 0) {
    detail.kind = RequestDetailKind::kCommandBegan;
  }
  return detail;
}

std::u16string RequestDetailEvents::Filter() {
  std::u16string filter = u"FilterAndPayloadSpecs=\"";
  for (const Asked& asked : kAsked) {
    filter.append(asked.listener).append(u"/").append(asked.event).append(u":-");
    if (!asked.properties.empty() && !HasOwnSpans(asked)) filter.append(kSpans);
    filter.append(asked.properties).append(u"\n");
  }
  filter.back() = u'"';
  return filter;
}

void RequestDetailEvents::Plan(const contract::Options& options, int, EventPlan& plan) const {
  if (!options.Has(contract::Source::kRequests)) return;
  if (options.request_details == contract::RequestDetailsChoice::kOff) return;
  plan.Add(EventProvider::kDiagnostics, EventLevel::kApart, kKeywords);
}

void RequestDetailEvents::Delivered(const RuntimeEvent& delivered) {
  const RequestDetail detail = ParseRequestDetail(delivered.payload);
  if (detail.kind == RequestDetailKind::kNothing) return;
  if (detail.kind == RequestDetailKind::kListening && listening_.exchange(true)) return;
  const uint64_t now = MonotonicNs();
  ThreadTrack* track = emitter_.Track();
  if (track == nullptr) return;
  const CallbackCost cost(track->meter, now);
  uint32_t stack = 0;
  if (detail.kind == RequestDetailKind::kCommandBegan) {
    stack = stacks_.Intern(walker_.Walk(*track, delivered.frame_address).frames);
  }
  const bool is_matched = detail.kind == RequestDetailKind::kRequestMatched;
  const uint64_t hash = detail.text.empty() ? 0 : Hash(detail.text);
  size_t text_units = 0;
  if (is_matched) {
    text_units = (detail.method.size() + detail.path.size() + detail.values.size()) / 2 + 3;
    if (text_units > kMostTextUnits) text_units = 0;  // no route
  } else if (hash != 0 && IsNews(hash, now)) {
    text_units = std::min(detail.text.size() / sizeof(char16_t), kMostTextUnits);
  }
  void* memory = emitter_.Reserve(*track, EventKind::kRequestDetail, now,
                                  sizeof(RequestDetailEvent) + text_units * sizeof(char16_t));
  if (memory == nullptr) {
    if (hash != 0 && text_units != 0) {
      remembered_[hash % kRemembered].store(0, std::memory_order_relaxed);
    }
    return;
  }
  auto& reported = *static_cast<RequestDetailEvent*>(memory);
  std::copy(std::begin(detail.spans), std::end(detail.spans), reported.spans);
  reported.command = detail.command;
  reported.duration_ns = detail.duration_ns;
  reported.text = hash;
  reported.text_units = static_cast<uint32_t>(text_units);
  reported.stack = stack;
  reported.status = detail.status;
  reported.kind = detail.kind;
  reported.is_of_driver = detail.is_of_driver;
  auto* tail = reinterpret_cast<uint8_t*>(&reported + 1);
  if (is_matched && text_units != 0) {
    for (const std::span<const uint8_t> text : {detail.method, detail.path, detail.values}) {
      tail = Append(tail, text);
      tail = std::fill_n(tail, sizeof(char16_t), uint8_t{0});
    }
  } else if (text_units != 0) {
    Append(tail, detail.text.first(text_units * sizeof(char16_t)));
  }
  emitter_.Commit(*track);
}

}  // namespace hindsight::recorder
