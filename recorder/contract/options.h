// Options of a recording: the same syntax in the environment (HINDSIGHT_OPTIONS) and in the client
// data of an attach.
//
//   key=value;key=value;...      `\;` and `\\` stand for ; and \ inside a value; blanks around keys
//                                and values are ignored; an empty entry is skipped; a key given
//                                twice is an error, except `when`
//
//   output=DIR                   folder in which the recording's folder is created; absolute.
//                                Default: DefaultOutput
//   for=DURATION                 30s, 5m, 1h30m, 500ms; default: until stopped or the process ends
//   sources=LIST                 names from the catalogue, comma-separated; `all`; `+name` adds one
//                                to the others named, or to the default; `-name` removes one from
//                                them; default: those that are on by default
//   match=GLOB                   record only if the whole command line (arguments joined by one
//                                space) matches; `*` any text, `?` one character
//   limit.memory=SIZE            16MiB to 4GiB; default 32MiB: rings, tables and buffers of the
//                                recorder
//   limit.disk=SIZE              4MiB to 1TiB; default 256MiB: beyond it, the oldest files of the
//                                recording are deleted
//   exceptions.messages=on|off   default on
//   exceptions.message_chars=N   0 to 4096; default 256
//   events.from=quiet|start      from when the runtime's events are received (locks, gc,
//                                allocations, requests): default quiet, once startup is over;
//                                start: at once, which makes startup slower
//   locks.task_waits=on|off      also waits for tasks; default off
//   waits.every=DURATION|off     interval of periodic thread snapshots; default 10s
//                                (closer in the first 40 s after an attach)
//   cpu.hz=N                     samples per second of CPU time, 1 to 1000; default 100
//   allocations.survivors=on|off follow sampled objects; default on
//   requests.routes=on|off       also durations by route, and of requests made; default off
//   requests.details=off|on|texts  also single requests, with their database commands and calls by
//                                HttpClient; texts: and the commands' texts; default off
//   heap.every=DURATION|off      interval of periodic heap snapshots; default off
//   heap.growth=N%|off           a snapshot when the heap has grown by this much since the last
//                                one; both add the source heap to the default
//   heap.method=auto|fork|in-pause|callbacks   heap.roots=auto|calibrated|documented
//   heap.max_pause=DURATION      default 1s; heap.max_memory=SIZE, default 512MiB;
//   heap.timeout=DURATION        default 2m
//   heap.values=LIST             patterns Namespace.Type.field of values to record; default none
//   heap.text_chars=N            0 to 4096; default 256
//   when=CONDITION:ACTION        a rule (rules.h); may be given up to 8 times
//   rules.every=DURATION         shortest time until a rule may fire again; default 10m
//   rules.most=N                 how often each rule may fire, 1 to 1000; default 5
//
// Parsing is total and bounded: any input gives either options or one sentence that says which
// entry is wrong and what is allowed. No exceptions, no locale; the result owns its memory. Any
// thread.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "recorder/contract/catalogue.h"
#include "recorder/contract/rules.h"
#include "recorder/contract/units.h"

namespace hindsight::contract {

// Client data must fit into a 64 KiB IPC message.
inline constexpr size_t kMaxOptionsBytes = 32u << 10;
inline constexpr char kOptionsVariable[] = "HINDSIGHT_OPTIONS";

// How a heap snapshot is taken (heap.method), and how its roots are obtained (heap.roots).
enum class HeapMethod : uint8_t { kAuto, kFork, kInPause, kCallbacks };
inline constexpr std::string_view kHeapMethodNames[] = {"auto", "fork", "in-pause", "callbacks"};
enum class RootsChoice : uint8_t { kAuto, kCalibrated, kDocumented };
inline constexpr std::string_view kRootsChoiceNames[] = {"auto", "calibrated", "documented"};

// What is recorded of single requests (requests.details).
enum class RequestDetailsChoice : uint8_t { kOff, kOn, kTexts };
inline constexpr std::string_view kRequestDetailsNames[] = {"off", "on", "texts"};

struct HeapOptions {
  uint64_t every_ns = 0;        // 0: only on request
  uint32_t growth_percent = 0;  // 0: growth triggers none
  HeapMethod method = HeapMethod::kAuto;
  RootsChoice roots = RootsChoice::kAuto;
  uint64_t max_pause_ns = 1'000'000'000;
  uint64_t max_memory_bytes = 512ull << 20;      // of the child alone
  uint64_t timeout_ns = 120ull * 1'000'000'000;  // from the request to the end
  std::vector<std::string> values;               // patterns Namespace.Type.field
  uint32_t text_chars = 256;                     // UTF-16 code units kept of a string
};

struct Options {
  std::string output;                 // absolute; empty: the default
  uint64_t duration_ns = 0;           // 0: no limit
  std::bitset<kSourceCount> sources;  // indexed by Source
  std::string match;                  // empty: every process
  uint64_t memory_limit_bytes = 32u << 20;
  uint64_t disk_limit_bytes = 256u << 20;
  bool exception_messages = true;
  uint32_t exception_message_chars = 256;  // UTF-16 code units kept of a message
  bool events_from_start = false;
  bool lock_task_waits = false;
  uint64_t waits_every_ns = 10ull * 1'000'000'000;  // 0: no periodic thread snapshots
  uint32_t cpu_hz = 100;
  bool allocation_survivors = true;
  bool request_routes = false;
  RequestDetailsChoice request_details = RequestDetailsChoice::kOff;
  HeapOptions heap;
  std::vector<Rule> rules;
  uint64_t rules_every_ns = 600ull * 1'000'000'000;
  uint32_t rules_most = 5;

  Options();  // the defaults

  bool Has(Source source) const { return sources[static_cast<size_t>(source)]; }
  clr::EventMask Mask() const;  // union over the sources that are on
};

// Returns an empty string and fills `out`, or one sentence for the user (no final newline).
std::string ParseOptions(std::string_view text, Options& out);

// The keys that ParseOptions knows.
std::vector<std::string_view> OptionKeys();

// The same options in the same syntax, only those that differ from the defaults; ParseOptions reads
// it back.
std::string FormatOptions(const Options& options);
// A key or value as it is written there: `;` and `\` follow a `\`.
std::string EscapeOption(std::string_view text);

// Whether a process with these arguments is to be recorded.
bool Matches(const Options& options, std::string_view command_line);

}  // namespace hindsight::contract
