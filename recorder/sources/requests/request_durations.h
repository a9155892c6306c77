// Source `requests`, with requests.routes=on: durations by route, and of requests made.
//
// ASP.NET Core and HttpClient of .NET 8 and later measure each request by themselves, with its
// route, status and exception as tags (the instruments http.server.request.duration and
// http.client.request.duration). The runtime's event source for metrics aggregates them by tags,
// and reports every second, on a thread that exists only for that: count, sum and three quantiles
// per kind of request.
//
// All readers of a process's metrics share one set of settings. With the session SHARED, a later
// reader joins if its settings are the same, and is refused otherwise. So this is off by default:
// dotnet-counters has a session of its own and dotnet-monitor requests other limits, and whichever
// comes second is refused. But events go to all listeners, so what the other one requested is
// reported here too (tried with dotnet-counters 10, in either order). (dotnet/runtime,
// src/libraries/System.Diagnostics.DiagnosticSource/
// src/System/Diagnostics/Metrics/MetricsEventSource.cs.)
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "recorder/contract/options.h"
#include "recorder/sources/events/event_sink.h"
#include "recorder/stream/emitter.h"
#include "recorder/stream/event.h"

namespace hindsight::recorder {

// Tail: the texts in UTF-16, tags first.
struct RequestsMeasuredEvent {
  EventHeader header;
  uint64_t count;
  double total_s;
  uint32_t tag_units, quantile_units;
  wire::RequestDurations::Instrument instrument;
  wire::RequestDurations::Notice notice;  // if it is set, nothing else is valid
};

// The content of an event of the metrics; texts are within its payload.
struct MeasuredRequests {
  wire::RequestDurations::Instrument instrument = {};  // kUnknown: not about requests
  std::span<const uint8_t> tags, quantiles;            // UTF-16 without the final NUL
  uint64_t count = 0;
  double total_s = 0;
};
MeasuredRequests ParseMeasuredRequests(std::span<const uint8_t> payload);

class RequestDurations final : public EventSink {
 public:
  static constexpr uint64_t kKeywords = 0x2;  // TimeSeriesValues

  explicit RequestDurations(Emitter& emitter) : emitter_(emitter) {}

  enum : uint32_t {
    kHistogram = 6,
    kEnumerated = 10,  // all existing instruments; new ones follow automatically
    kTimeSeriesLimit = 12,
    kHistogramLimit = 13,
    kNotShared = 15,
    kOtherSettings = 17,
  };

  // The provider's arguments. `unique`: different for each session of this process.
  static std::u16string Filter(uint64_t unique);

  // Whether kNotShared or kOtherSettings is about the session of Filter.
  static bool RefusesUs(uint32_t event, std::span<const uint8_t> payload);

  void Plan(const contract::Options& options, int runtime, EventPlan& plan) const override;
  // On the metrics thread.
  void Delivered(const RuntimeEvent& event) override;

 private:
  static constexpr size_t kMostTagUnits = 1024, kMostQuantileUnits = 256;

  Emitter& emitter_;
};

}  // namespace hindsight::recorder
