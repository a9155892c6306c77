// Source `requests`, with requests.details=on: single requests, and what each requests from a
// database or from other servers, on the application's threads.
//
// Libraries report these through System.Diagnostics.DiagnosticListener or as activities of an
// ActivitySource, and that assembly's event source passes on what its arguments name: properties of
// the reported objects, as text. Database commands are reported by Entity Framework Core, and by
// the drivers that report any: SqlClient, Npgsql and MySqlConnector. A driver also reports what
// Entity Framework Core executes through it: RequestDetailPackets counts that once. Everything that
// is reported during a request carries the span id of its activity, which flows across awaits, and
// so can be assigned to it. Hosting creates an activity for each request only if there is logging
// or a listener; this listener makes it do so. Outside of requests, HttpClient creates one while it
// has a listener, and sends its id along as `traceparent`. Npgsql and MySqlConnector create one for
// each command while somebody listens; it is not marked as to be sampled.
//
// The event source has one set of arguments for all sessions: the latest one. So a tool that
// requested other things there receives ours, and ours end when the next one sets its own. So this
// is off by default; see docs/costs.md for what an event costs.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "recorder/contract/options.h"
#include "recorder/sources/events/event_sink.h"
#include "recorder/stack/stack_table.h"
#include "recorder/stack/stack_walker.h"
#include "recorder/stream/emitter.h"

namespace hindsight::recorder {

// What is reported.
enum class RequestDetailKind : uint8_t {
  kNothing,
  kListening,  // the first listener was found
  kRequestBegan,
  kRequestMatched,  // its route was found
  kRequestEnded,
  kCommandBegan,
  kCommandEnded,
  kCommandFailed,
  kCallEnded,
};

// Tail: texts in UTF-16. Of kRequestMatched: the method, the path and the values, each with a NUL
// after it; of a command: its text; of a call: the host.
struct RequestDetailEvent {
  EventHeader header;
  uint64_t spans[3];     // of the activity, its parent, and that one's; 0: none
  uint64_t command;      // the same at its start and its end
  uint64_t duration_ns;  // of what ended
  uint64_t text;         // hash of the command's text; of a call: of its host
  uint32_t text_units;   // 0: it was reported recently
  uint32_t stack;        // handle; 0: not known
  uint16_t status;       // of the answer; 0: none
  RequestDetailKind kind;
  bool is_of_driver;  // a command: reported by the database's driver
};

// The content of an event; texts are within its payload.
struct RequestDetail {
  RequestDetailKind kind = RequestDetailKind::kNothing;
  uint64_t spans[3] = {};
  uint64_t command = 0;
  uint64_t duration_ns = 0;
  uint16_t status = 0;
  bool is_of_driver = false;
  std::span<const uint8_t> text;                  // UTF-16 without the final NUL
  std::span<const uint8_t> method, path, values;  // likewise
};
RequestDetail ParseRequestDetail(std::span<const uint8_t> payload);

class RequestDetailEvents final : public EventSink {
 public:
  static constexpr uint64_t kKeywords = 0x802;  // Events, IgnoreShortCutKeywords

  RequestDetailEvents(Emitter& emitter, StackTable& stacks, StackWalker& walker)
      : emitter_(emitter), stacks_(stacks), walker_(walker) {}

  // The provider's arguments.
  static std::u16string Filter();

  void Plan(const contract::Options& options, int runtime, EventPlan& plan) const override;
  void Delivered(const RuntimeEvent& event) override;

 private:
  static constexpr size_t kMostTextUnits = 4096;
  static constexpr size_t kRemembered = 1024;
  // Texts are reported again after 17 s: the drain thread may have forgotten them.
  static constexpr int kAgainShift = 34;

  // Whether the text with this hash has not been reported for a while; then it counts as reported.
  bool IsNews(uint64_t hash, uint64_t now_ns) {
    std::atomic<uint64_t>& slot = remembered_[hash % kRemembered];
    const uint64_t mark = (hash ^ now_ns >> kAgainShift) | 1;
    if (slot.load(std::memory_order_relaxed) == mark) return false;
    slot.store(mark, std::memory_order_relaxed);
    return true;
  }

  Emitter& emitter_;
  StackTable& stacks_;
  StackWalker& walker_;
  std::atomic<bool> listening_{false};
  std::array<std::atomic<uint64_t>, kRemembered> remembered_ = {};
};

}  // namespace hindsight::recorder
