#include "recorder/sources/requests/request_detail_packets.h"

#include <algorithm>
#include <utility>

#include "recorder/base/clock.h"
#include "recorder/names/utf8.h"
#include "recorder/sources/requests/command_text.h"
#include "recorder/sources/requests/route_template.h"

namespace hindsight::recorder {
namespace {

constexpr uint64_t kMicrosecond = 1000;

std::u16string_view TextOf(const RequestDetailEvent& event) {
  return {reinterpret_cast<const char16_t*>(&event + 1), event.text_units};
}

std::u16string_view NextText(std::u16string_view& texts) {
  const std::u16string_view text = texts.substr(0, texts.find(u'\0'));
  texts.remove_prefix(std::min(texts.size(), text.size() + 1));
  return text;
}

int32_t Microseconds(uint64_t ns) {
  return static_cast<int32_t>(std::min<uint64_t>(ns / kMicrosecond, INT32_MAX));
}

}  // namespace

RequestDetailPackets::Request* RequestDetailPackets::Find(uint64_t span) {
  if (span == 0) return nullptr;
  const auto found = requests_.find(span);
  return found == requests_.end() ? nullptr : &found->second;
}

void RequestDetailPackets::Begin(uint64_t span, uint64_t time_ns) {
  if (span == 0) return;
  if (Find(span) == nullptr && requests_.size() >= kMaxRequests) GiveUpOldest();
  requests_[span].began_ns = time_ns;
  begun_.emplace_back(time_ns, span);
  if (begun_.size() <= 2 * kMaxRequests) return;
  std::erase_if(begun_, [this](const auto& begun) {
    const Request* const request = Find(begun.second);
    return request == nullptr || request->began_ns != begun.first;
  });
}

uint64_t RequestDetailPackets::BytesOf(const Part& part) {
  return sizeof(Part) + part.starts_us.capacity() * sizeof(int32_t) +
         part.lengths_us.capacity() * sizeof(uint32_t);
}

void RequestDetailPackets::Erase(std::unordered_map<uint64_t, Request>::iterator request) {
  for (const Part& part : request->second.parts) part_bytes_ -= BytesOf(part);
  requests_.erase(request);
}

// A request whose end was lost would occupy its slot for good.
void RequestDetailPackets::GiveUpOldest() {
  while (!begun_.empty()) {
    const auto [began_ns, span] = begun_.front();
    begun_.pop_front();
    const auto request = requests_.find(span);
    if (request == requests_.end() || request->second.began_ns != began_ns ||
        request->second.ended_ns != 0) {
      continue;
    }
    Erase(request);
    ++unpaired_;
    return;
  }
}

void RequestDetailPackets::End(const RequestDetailEvent& event) {
  Request* const request = Find(event.spans[0]);
  if (request == nullptr) {
    ++unpaired_;
    return;
  }
  outer_.erase(event.spans[0]);  // of a command whose end was lost
  request->ended_ns = event.header.time_ns;
  request->status = event.status;
  ended_.emplace_back(event.header.time_ns, event.spans[0]);
}

void RequestDetailPackets::Consume(const EventHeader& header, PacketWriter& packets) {
  const auto& event = reinterpret_cast<const RequestDetailEvent&>(header);
  if (header.time_ns > kLateNs) WriteEnded(header.time_ns - kLateNs, packets);
  switch (event.kind) {
    case RequestDetailKind::kListening:
      return packets.Write(wire::Packet::kOutsideCalls, header.time_ns,
                           [](auto& outside) { outside.Set(outside.kListening, true); });
    case RequestDetailKind::kRequestBegan:
      return Begin(event.spans[0], header.time_ns);
    case RequestDetailKind::kRequestMatched:
      if (Request* request = Find(event.spans[0])) Match(*request, event);
      return;
    case RequestDetailKind::kRequestEnded:
      return End(event);
    case RequestDetailKind::kCommandBegan:
      return BeginCommand(event);
    case RequestDetailKind::kCommandEnded:
    case RequestDetailKind::kCommandFailed:
    case RequestDetailKind::kCallEnded:
      return AddPart(event);
    default:
      return;
  }
}

void RequestDetailPackets::Match(Request& request, const RequestDetailEvent& event) {
  if (request.matched_ns != 0) return;  // another pipeline inside of it, such as an error page
  request.matched_ns = event.header.time_ns;
  request.matched_thread = event.header.thread;
  std::u16string_view texts = TextOf(event);
  const std::u16string_view method = NextText(texts), path = NextText(texts);
  const std::u16string route = RouteTemplate(path, NextText(texts));
  if (route.empty()) return;
  request.route = ToUtf8(std::u16string(method) + u" " + route);
}

uint32_t RequestDetailPackets::AddName(std::string what, std::string text) {
  const auto known = by_what_.find(what);
  if (known != by_what_.end()) return known->second;
  if (names_.size() >= kMaxNames) return kNoName;
  const auto index = static_cast<uint32_t>(names_.size());
  by_what_.emplace(what, index);
  names_.push_back({std::move(what), std::move(text)});
  return index;
}

uint32_t RequestDetailPackets::NameOf(const RequestDetailEvent& event) {
  const auto known = by_text_.find(event.text);
  if (known != by_text_.end()) return known->second;
  if (event.text_units == 0) return kNoName;
  if (by_text_.size() >= kMaxTexts) by_text_.clear();  // they are reported again
  uint32_t name = kNoName;
  if (event.kind == RequestDetailKind::kCallEnded) {
    name = AddName(ToUtf8(TextOf(event)), {});
  } else {
    const std::u16string normalized = NormalizeCommand(TextOf(event));
    name = AddName(NameOfCommand(normalized), keeps_texts_ ? ToUtf8(normalized) : std::string());
  }
  by_text_.emplace(event.text, name);
  return name;
}

RequestDetailPackets::Part& RequestDetailPackets::PartOf(std::vector<Part>& parts, Kind kind,
                                                         uint32_t name, const Place& place,
                                                         size_t most) {
  const auto find = [&](uint32_t its_name, uint32_t stack) {
    return std::find_if(parts.begin(), parts.end(), [=](const Part& part) {
      return part.kind == kind && part.name == its_name && part.place.stack == stack;
    });
  };
  const auto known = find(name, place.stack);
  if (known != parts.end()) return *known;
  if (parts.size() + 1 < most) return parts.emplace_back(kind, name, place);
  const auto others = find(kNoName, 0);
  return others != parts.end() ? *others : parts.emplace_back(kind, kNoName, Place());
}

void RequestDetailPackets::BeginCommand(const RequestDetailEvent& event) {
  if (commands_.size() >= kMaxCommands) {
    commands_.clear();
    outer_.clear();
  }
  Command command{.place = {event.stack, event.header.time_ns}};
  const uint64_t scope = event.spans[0] != 0 ? event.spans[0] : event.header.thread;
  if (event.is_of_driver) {
    command.is_inner = outer_.erase(scope) != 0;
  } else {
    command.outer_scope = scope;
    outer_[scope] = event.command;
  }
  commands_[event.command] = command;
}

void RequestDetailPackets::AddPart(const RequestDetailEvent& event) {
  Command command;
  if (const auto begun = commands_.find(event.command); begun != commands_.end()) {
    command = begun->second;
    commands_.erase(begun);
  }
  const auto outer = outer_.find(command.outer_scope);
  if (outer != outer_.end() && outer->second == event.command) outer_.erase(outer);
  // A driver also reports that it opens connections, without the text of a command.
  if (command.is_inner || (event.is_of_driver && event.text == 0)) return;
  const Place& place = command.place;
  const Kind kind = event.kind == RequestDetailKind::kCallEnded ? Kind::kCall : Kind::kCommand;
  const uint32_t name = NameOf(event);
  Request* request = nullptr;
  for (const uint64_t span : event.spans) {
    if (request == nullptr) request = Find(span);
  }
  const bool is_inside = request != nullptr && request->began_ns != 0;
  const bool is_full = part_bytes_ >= most_part_bytes_;
  const size_t had = is_inside ? request->parts.size() : 0;
  Part& part = is_inside ? PartOf(request->parts, kind, name, place, is_full ? 0 : kMaxParts)
                         : PartOf(outside_, kind, name, place, kMaxOutside);
  if (is_inside && request->parts.size() > had) part_bytes_ += BytesOf(part);
  const bool failed =
      kind == Kind::kCall ? event.status == 0 : event.kind == RequestDetailKind::kCommandFailed;
  if (failed) ++part.failed;
  const uint64_t ended_ns = event.header.time_ns;
  // SqlClient does not report it.
  const uint64_t duration_ns = event.duration_ns != 0 || place.at_ns == 0
                                   ? event.duration_ns
                                   : ended_ns - std::min(ended_ns, place.at_ns);
  const uint64_t began_ns = ended_ns - std::min(ended_ns, duration_ns);
  if (!is_inside || is_full || part.starts_us.size() >= kMaxTimes) {
    ++part.more_count;
    part.more_ns += duration_ns;
    return;
  }
  part_bytes_ -= BytesOf(part);
  part.starts_us.push_back(Microseconds(began_ns - std::min(began_ns, request->began_ns)));
  part.lengths_us.push_back(static_cast<uint32_t>(Microseconds(duration_ns)));
  part_bytes_ += BytesOf(part);
}

std::vector<RequestDetailPackets::Ids> RequestDetailPackets::IdsOf(const std::vector<Part>& parts) {
  std::vector<Ids> ids;
  for (const Part& part : parts) {
    const bool is_known = part.name != kNoName;
    const std::string* text = is_known ? &names_[part.name].text : nullptr;
    ids.push_back({.what = is_known ? dictionaries_.Text(names_[part.name].what) : 0,
                   .text = is_known && !text->empty() ? dictionaries_.Text(*text) : 0,
                   .stack = part.place.stack == 0
                                ? 0
                                : dictionaries_.StackAsOf(part.place.stack, part.place.at_ns)});
  }
  return ids;
}

template <typename Message>
void RequestDetailPackets::WriteParts(const std::vector<Part>& parts, const std::vector<Ids>& ids,
                                      Message& message) {
  for (size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    ProtoWriter out(message, message.kPart);
    out.Set(out.kKind, part.kind);
    if (ids[i].what != 0) out.Set(out.kWhat, ids[i].what);
    if (ids[i].text != 0) out.Set(out.kText, ids[i].text);
    if (ids[i].stack != 0) out.Set(out.kStack, ids[i].stack);
    std::vector<int32_t> deltas = part.starts_us;
    for (size_t k = deltas.size(); k > 1; --k) deltas[k - 1] -= deltas[k - 2];
    out.Set(out.kStartUs, deltas);
    out.Set(out.kLengthUs, part.lengths_us);
    if (part.more_count != 0) out.Set(out.kMoreCount, part.more_count);
    if (part.more_ns != 0) out.Set(out.kMoreNs, part.more_ns);
    if (part.failed != 0) out.Set(out.kFailed, part.failed);
  }
}

void RequestDetailPackets::Write(const Request& request, PacketWriter& packets) {
  packets.Begin();
  const uint32_t route = request.route.empty() ? 0 : dictionaries_.Text(request.route);
  const uint32_t thread = request.matched_ns == 0
                              ? 0
                              : threads_.IdAt(request.matched_thread, request.matched_ns, packets);
  const std::vector<Ids> ids = IdsOf(request.parts);
  packets.Write(wire::Packet::kServedRequest, request.ended_ns, [&](auto& served) {
    if (route != 0) served.Set(served.kRoute, route);
    if (request.status != 0) served.Set(served.kStatus, uint32_t{request.status});
    served.Set(served.kDurationNs, request.ended_ns - std::min(request.ended_ns, request.began_ns));
    if (thread != 0) {
      served.Set(served.kThread, thread);
      served.Set(served.kMatchedNs,
                 request.matched_ns - std::min(request.matched_ns, request.began_ns));
    }
    WriteParts(request.parts, ids, served);
  });
}

void RequestDetailPackets::WriteEnded(uint64_t before_ns, PacketWriter& packets) {
  while (!ended_.empty() && ended_.front().first < before_ns) {
    const auto request = requests_.find(ended_.front().second);
    ended_.pop_front();
    if (request == requests_.end()) continue;
    if (request->second.began_ns != 0) Write(request->second, packets);
    Erase(request);
  }
}

void RequestDetailPackets::Flush(PacketWriter& packets) {
  WriteEnded(is_ending_ ? UINT64_MAX : MonotonicNs() - kLateNs, packets);
  if (outside_.empty()) return;
  const std::vector<Ids> ids = IdsOf(outside_);
  packets.Write(wire::Packet::kOutsideCalls, MonotonicNs(),
                [&](auto& outside) { WriteParts(outside_, ids, outside); });
  outside_.clear();
}

uint64_t RequestDetailPackets::memory_bytes() const {
  uint64_t bytes = (requests_.size() * sizeof(Request)) + begun_.size() * 16 +
                   commands_.size() * 56 + outer_.size() * 40 + by_text_.size() * 40 +
                   names_.size() * sizeof(Name);
  for (const Name& name : names_) bytes += name.what.size() * 2 + name.text.size();
  return bytes + part_bytes_;
}

}  // namespace hindsight::recorder
