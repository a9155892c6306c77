#include "recorder/sources/requests/request_duration_packets.h"

#include <algorithm>

#include "recorder/sources/requests/request_durations.h"

namespace hindsight::recorder {
namespace {

using Notice = wire::RequestDurations::Notice;

constexpr double kMostSeconds = 1e9;  // anything longer is not a duration

uint64_t NsOfSeconds(double seconds) {
  return seconds > 0 ? static_cast<uint64_t>(std::min(seconds, kMostSeconds) * 1e9) : 0;
}

bool IsDigit(char16_t unit) { return unit >= u'0' && unit <= u'9'; }

// The C library's functions depend on the locale that the application has set.
double ParseSeconds(std::u16string_view text) {
  constexpr int kMostExponent = 60;
  double value = 0;
  int exponent = 0;
  size_t at = 0;
  bool is_fraction = false;
  for (; at < text.size(); ++at) {
    if (text[at] == u'.' || text[at] == u',') {
      if (is_fraction) return 0;
      is_fraction = true;
    } else if (IsDigit(text[at])) {
      value = value * 10 + (text[at] - u'0');
      if (is_fraction) --exponent;
    } else {
      break;
    }
  }
  if (at < text.size() && (text[at] == u'E' || text[at] == u'e')) {
    const bool is_negative = ++at < text.size() && text[at] == u'-';
    if (at < text.size() && (is_negative || text[at] == u'+')) ++at;
    int written = 0;
    for (; at < text.size() && IsDigit(text[at]) && written < kMostExponent; ++at) {
      written = written * 10 + (text[at] - u'0');
    }
    exponent += is_negative ? -written : written;
  }
  for (; exponent < 0 && value > 0; ++exponent) value /= 10;
  for (; exponent > 0 && value > 0 && value < kMostSeconds; --exponent) value *= 10;
  return value;
}

}  // namespace

std::array<uint64_t, 3> ParseQuantiles(std::u16string_view text) {
  std::array<uint64_t, 3> out = {};
  for (uint64_t& quantile : out) {
    const std::u16string_view part = text.substr(0, text.find(u';'));
    const size_t equals = part.find(u'=');
    if (equals != std::u16string_view::npos) {
      quantile = NsOfSeconds(ParseSeconds(part.substr(equals + 1)));
    }
    text.remove_prefix(std::min(text.size(), part.size() + 1));
  }
  return out;
}

void RequestDurationPackets::Consume(const EventHeader& header, PacketWriter& packets) {
  const auto& event = reinterpret_cast<const RequestsMeasuredEvent&>(header);
  if (event.notice != Notice::kNone) {
    packets.Write(wire::Packet::kRequestDurations, header.time_ns,
                  [&](auto& durations) { durations.Set(durations.kNotice, event.notice); });
    return;
  }
  const auto* texts = reinterpret_cast<const char16_t*>(&event + 1);
  const uint32_t tags = dictionaries_.Message({texts, event.tag_units}, 0);
  const std::array<uint64_t, 3> quantiles =
      ParseQuantiles({texts + event.tag_units, event.quantile_units});
  packets.Write(wire::Packet::kRequestDurations, header.time_ns, [&](auto& durations) {
    durations.Set(durations.kInstrument, event.instrument);
    durations.Set(durations.kTags, tags);
    durations.Set(durations.kCount, event.count);
    durations.Set(durations.kTotalNs, NsOfSeconds(event.total_s));
    durations.Set(durations.kP50Ns, quantiles[0]);
    durations.Set(durations.kP95Ns, quantiles[1]);
    durations.Set(durations.kP99Ns, quantiles[2]);
  });
}

}  // namespace hindsight::recorder
