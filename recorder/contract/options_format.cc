// Writes options in their own syntax.
#include <initializer_list>
#include <utility>

#include "recorder/contract/options.h"
#include "recorder/contract/units.h"

namespace hindsight::contract {
namespace {

void AppendEntry(std::string& text, std::string_view key, std::string_view value) {
  if (!text.empty()) text += ';';
  text += key;
  text += '=';
  text += value;
}

std::string FormatWith(uint64_t value,
                       std::initializer_list<std::pair<uint64_t, std::string_view>> units) {
  std::string text;
  for (const auto& [factor, name] : units) {
    if (value < factor) continue;
    text += std::to_string(value / factor);
    text += name;
    value %= factor;
  }
  return text;
}

std::string FormatDuration(uint64_t nanoseconds) {
  return FormatWith(nanoseconds, {{3'600'000'000'000, "h"},
                                  {60'000'000'000, "m"},
                                  {1'000'000'000, "s"},
                                  {kMillisecond, "ms"},
                                  {1'000, "us"},
                                  {1, "ns"}});
}

std::string FormatSize(uint64_t bytes) {
  if (bytes % (1ull << 30) == 0) return std::to_string(bytes >> 30) + "GiB";
  if (bytes % (1ull << 20) == 0) return std::to_string(bytes >> 20) + "MiB";
  return std::to_string(bytes);
}

}  // namespace

std::string EscapeOption(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == ';' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string FormatOptions(const Options& options) {
  const Options defaults;
  std::string text;
  if (!options.output.empty()) AppendEntry(text, "output", EscapeOption(options.output));
  if (options.duration_ns != 0) AppendEntry(text, "for", FormatDuration(options.duration_ns));
  if (options.sources != defaults.sources) {
    std::string names;
    for (const SourceInfo& source : Catalogue()) {
      if (!options.Has(source.id)) continue;
      if (!names.empty()) names += ',';
      names += source.name;
    }
    AppendEntry(text, "sources", names);
  }
  if (!options.match.empty()) AppendEntry(text, "match", EscapeOption(options.match));
  if (options.memory_limit_bytes != defaults.memory_limit_bytes) {
    AppendEntry(text, "limit.memory", FormatSize(options.memory_limit_bytes));
  }
  if (options.disk_limit_bytes != defaults.disk_limit_bytes) {
    AppendEntry(text, "limit.disk", FormatSize(options.disk_limit_bytes));
  }
  if (options.exception_messages != defaults.exception_messages) {
    AppendEntry(text, "exceptions.messages", options.exception_messages ? "on" : "off");
  }
  if (options.exception_message_chars != defaults.exception_message_chars) {
    AppendEntry(text, "exceptions.message_chars", std::to_string(options.exception_message_chars));
  }
  if (options.events_from_start) AppendEntry(text, "events.from", "start");
  if (options.lock_task_waits) AppendEntry(text, "locks.task_waits", "on");
  if (options.waits_every_ns != defaults.waits_every_ns) {
    const uint64_t every_ns = options.waits_every_ns;
    AppendEntry(text, "waits.every", every_ns == 0 ? "off" : FormatDuration(every_ns));
  }
  if (options.cpu_hz != defaults.cpu_hz) {
    AppendEntry(text, "cpu.hz", std::to_string(options.cpu_hz));
  }
  if (!options.allocation_survivors) AppendEntry(text, "allocations.survivors", "off");
  if (options.request_routes) AppendEntry(text, "requests.routes", "on");
  if (options.request_details != defaults.request_details) {
    AppendEntry(text, "requests.details",
                kRequestDetailsNames[static_cast<size_t>(options.request_details)]);
  }
  const HeapOptions& heap = options.heap;
  if (heap.every_ns != 0) AppendEntry(text, "heap.every", FormatDuration(heap.every_ns));
  if (heap.growth_percent != 0) {
    AppendEntry(text, "heap.growth", std::to_string(heap.growth_percent) + "%");
  }
  if (heap.method != defaults.heap.method) {
    AppendEntry(text, "heap.method", kHeapMethodNames[static_cast<size_t>(heap.method)]);
  }
  if (heap.roots != defaults.heap.roots) {
    AppendEntry(text, "heap.roots", kRootsChoiceNames[static_cast<size_t>(heap.roots)]);
  }
  if (heap.max_pause_ns != defaults.heap.max_pause_ns) {
    AppendEntry(text, "heap.max_pause", FormatDuration(heap.max_pause_ns));
  }
  if (heap.max_memory_bytes != defaults.heap.max_memory_bytes) {
    AppendEntry(text, "heap.max_memory", FormatSize(heap.max_memory_bytes));
  }
  if (heap.timeout_ns != defaults.heap.timeout_ns) {
    AppendEntry(text, "heap.timeout", FormatDuration(heap.timeout_ns));
  }
  if (!heap.values.empty()) {
    std::string patterns;
    for (const std::string& pattern : heap.values) {
      if (!patterns.empty()) patterns += ',';
      patterns += EscapeOption(pattern);
    }
    AppendEntry(text, "heap.values", patterns);
  }
  if (heap.text_chars != defaults.heap.text_chars) {
    AppendEntry(text, "heap.text_chars", std::to_string(heap.text_chars));
  }
  for (const Rule& rule : options.rules) AppendEntry(text, "when", EscapeOption(rule.text));
  if (options.rules_every_ns != defaults.rules_every_ns) {
    AppendEntry(text, "rules.every", FormatDuration(options.rules_every_ns));
  }
  if (options.rules_most != defaults.rules_most) {
    AppendEntry(text, "rules.most", std::to_string(options.rules_most));
  }
  return text;
}

}  // namespace hindsight::contract
