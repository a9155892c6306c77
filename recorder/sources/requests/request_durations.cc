#include "recorder/sources/requests/request_durations.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "recorder/sources/events/payload.h"

namespace hindsight::recorder {
namespace {

using Instrument = wire::RequestDurations::Instrument;
using Notice = wire::RequestDurations::Notice;

struct InstrumentName {
  Instrument instrument;
  std::u16string_view meter, name;
};
constexpr InstrumentName kInstruments[] = {
    {Instrument::kServer, u"Microsoft.AspNetCore.Hosting", u"http.server.request.duration"},
    {Instrument::kClient, u"System.Net.Http", u"http.client.request.duration"},
};

constexpr std::u16string_view kShared = u"SHARED", kIdentifier = u"hindsight-";

}  // namespace

// A histogram's event: session, meter, its version, instrument, unit, tags and quantiles, each a
// text; then the count (32 bits) and the sum (64 bits).
MeasuredRequests ParseMeasuredRequests(std::span<const uint8_t> payload) {
  enum { kSession, kMeter, kVersion, kInstrument, kUnit, kTags, kQuantiles, kTexts };
  std::span<const uint8_t> texts[kTexts];
  size_t at = 0;
  for (std::span<const uint8_t>& text : texts) {
    const size_t after = AfterText(payload, at);
    if (after - at < sizeof(char16_t)) return {};
    text = payload.subspan(at, after - at - sizeof(char16_t));
    at = after;
  }
  const auto known = std::find_if(
      std::begin(kInstruments), std::end(kInstruments), [&](const InstrumentName& entry) {
        return IsText(texts[kMeter], entry.meter) && IsText(texts[kInstrument], entry.name);
      });
  if (known == std::end(kInstruments)) return {};
  MeasuredRequests measured;
  measured.instrument = known->instrument;
  measured.tags = texts[kTags];
  measured.quantiles = texts[kQuantiles];
  measured.count = ReadPayload<uint32_t>(payload, at);
  measured.total_s = ReadPayload<double>(payload, at + sizeof(uint32_t));
  return measured;
}

std::u16string RequestDurations::Filter(uint64_t unique) {
  // Limits on the kinds of requests: the runtime keeps a few KiB for each.
  std::u16string filter = u"RefreshInterval=1;MaxTimeSeries=1000;MaxHistograms=500;SessionId=";
  filter.append(kShared).append(u";Metrics=");
  for (const InstrumentName& entry : kInstruments) {
    if (&entry != kInstruments) filter += u',';
    filter.append(entry.meter).append(u"\\").append(entry.name);
  }
  filter.append(u";SharedIdentifier=").append(kIdentifier);
  for (const char digit : std::to_string(unique)) filter += static_cast<char16_t>(digit);
  return filter;
}

// All listeners are notified when one is refused. The event has one string: the id of the session
// that is already running, or the identifier of the shared one.
bool RequestDurations::RefusesUs(uint32_t event, std::span<const uint8_t> payload) {
  const std::span<const uint8_t> text = payload.first(AfterText(payload, 0));
  const auto begins = [text](std::u16string_view with) {
    const size_t bytes = with.size() * sizeof(char16_t);
    return text.size() > bytes && IsText(text.first(bytes), with);
  };
  return event == kNotShared ? !begins(kShared) : begins(kIdentifier);
}

void RequestDurations::Plan(const contract::Options& options, int, EventPlan& plan) const {
  if (!options.Has(contract::Source::kRequests) || !options.request_routes) return;
  plan.Add(EventProvider::kMetrics, EventLevel::kApart, kKeywords);
}

void RequestDurations::Delivered(const RuntimeEvent& event) {
  MeasuredRequests measured;
  Notice notice = Notice::kNone;
  switch (event.id) {
    case kHistogram:
      measured = ParseMeasuredRequests(event.payload);
      if (measured.instrument == Instrument::kUnknown || measured.count == 0) return;
      break;
    case kEnumerated:
      notice = Notice::kListening;
      break;
    case kTimeSeriesLimit:
    case kHistogramLimit:
      notice = Notice::kTooManyKinds;
      break;
    case kNotShared:
    case kOtherSettings:
      if (!RefusesUs(event.id, event.payload)) return;
      notice = Notice::kOtherSession;
      break;
    default:
      return;
  }
  const uint64_t now = MonotonicNs();
  ThreadTrack* track = emitter_.Track();
  if (track == nullptr) return;
  const CallbackCost cost(track->meter, now);
  const size_t tag_units = std::min(measured.tags.size() / sizeof(char16_t), kMostTagUnits);
  const size_t quantile_units =
      std::min(measured.quantiles.size() / sizeof(char16_t), kMostQuantileUnits);
  const size_t bytes = (tag_units + quantile_units) * sizeof(char16_t);
  void* memory = emitter_.Reserve(*track, EventKind::kRequestsMeasured, now,
                                  sizeof(RequestsMeasuredEvent) + bytes);
  if (memory == nullptr) return;
  auto& reported = *static_cast<RequestsMeasuredEvent*>(memory);
  reported.count = measured.count;
  reported.total_s = measured.total_s;
  reported.tag_units = static_cast<uint32_t>(tag_units);
  reported.quantile_units = static_cast<uint32_t>(quantile_units);
  reported.instrument = measured.instrument;
  reported.notice = notice;
  auto* tail = reinterpret_cast<uint8_t*>(&reported + 1);
  tail = std::copy_n(measured.tags.data(), tag_units * sizeof(char16_t), tail);
  std::copy_n(measured.quantiles.data(), quantile_units * sizeof(char16_t), tail);
  emitter_.Commit(*track);
}

}  // namespace hindsight::recorder
