#include "recorder/contract/options.h"

#include <algorithm>
#include <array>

#include "recorder/contract/text.h"

namespace hindsight::contract {
namespace {

constexpr uint64_t kMinMemoryBytes = 16ull << 20;
constexpr uint64_t kMaxMemoryBytes = 4ull << 30;
constexpr uint64_t kMinDiskBytes = 4ull << 20;
constexpr uint64_t kMaxDiskBytes = 1ull << 40;
constexpr uint64_t kMillisecond = 1'000'000;
constexpr uint64_t kMaxDurationNs = 8760ull * 3'600'000'000'000;  // a year
constexpr uint32_t kMaxMessageChars = 4096;
constexpr size_t kMaxOutputBytes = 3072;  // PATH_MAX less the names of the folder and its files
constexpr size_t kMaxMatchBytes = 1024;
// What a match looks at. With kMaxMatchBytes it bounds the time of the worst pattern.
constexpr size_t kMaxMatchedCommandBytes = 32u << 10;

// Rejects what neither a path nor a recording's text can hold.
std::string CheckText(std::string_view value) {
  for (size_t i = 0; i < value.size();) {
    if (IsControl(value[i])) return "holds a control character (byte " + std::to_string(i) + ")";
    const size_t length = Utf8Length(value.substr(i));
    if (length == 0) return "is not UTF-8 (byte " + std::to_string(i) + ")";
    i += length;
  }
  return {};
}

std::bitset<kSourceCount> DefaultSources() {
  std::bitset<kSourceCount> sources;
  for (const SourceInfo& source : Catalogue()) {
    sources[static_cast<size_t>(source.id)] = source.on_by_default;
  }
  return sources;
}

std::string SourceNames() {
  std::string names;
  for (const SourceInfo& source : Catalogue()) {
    if (!names.empty()) names += ", ";
    names += source.name;
  }
  return names;
}

// A setter takes a trimmed, unescaped, checked value and returns what is wrong with it, as the end
// of a sentence that began with the entry; empty when it is right.
std::string SetOutput(std::string_view value, Options& out) {
  if (value.empty() || value.front() != '/') return "it has to be an absolute folder (/...)";
  if (value.size() > kMaxOutputBytes) {
    return "the path is longer than " + std::to_string(kMaxOutputBytes) + " bytes";
  }
  out.output = value;
  return {};
}

std::string SetDuration(std::string_view value, Options& out) {
  uint64_t nanoseconds = 0;
  if (!ParseDuration(value, nanoseconds) || nanoseconds < kMillisecond ||
      nanoseconds > kMaxDurationNs) {
    return "it has to be a duration from 1ms to 8760h, such as 500ms, 30s, 5m or 1h30m";
  }
  out.duration_ns = nanoseconds;
  return {};
}

std::string SetSources(std::string_view value, Options& out) {
  std::bitset<kSourceCount> added;
  std::bitset<kSourceCount> removed;
  for (size_t begin = 0; begin <= value.size();) {
    const size_t end = std::min(value.find(',', begin), value.size());
    std::string_view name = Trim(value.substr(begin, end - begin));
    begin = end + 1;
    if (name == "all") {
      added.set();
      continue;
    }
    const bool remove = !name.empty() && name.front() == '-';
    if (remove) name.remove_prefix(1);
    const SourceInfo* source = FindSource(name);
    if (source == nullptr) {
      return Quote(name) + " is not a source; there are " + SourceNames() +
             " (and all; -NAME takes one away)";
    }
    (remove ? removed : added).set(static_cast<size_t>(source->id));
  }
  const std::bitset<kSourceCount> sources = (added.any() ? added : DefaultSources()) & ~removed;
  if (sources.none()) return "it leaves nothing to record; there are " + SourceNames();
  out.sources = sources;
  return {};
}

std::string SetMatch(std::string_view value, Options& out) {
  if (value.empty()) return "it has to be a pattern for the command line, such as *Shop.dll*";
  if (value.size() > kMaxMatchBytes) {
    return "the pattern is longer than " + std::to_string(kMaxMatchBytes) + " bytes";
  }
  out.match = value;
  return {};
}

std::string SetMemory(std::string_view value, Options& out) {
  uint64_t bytes = 0;
  if (!ParseSize(value, bytes) || bytes < kMinMemoryBytes || bytes > kMaxMemoryBytes) {
    return "it has to be a size from 16MiB to 4GiB";
  }
  out.memory_limit_bytes = bytes;
  return {};
}

std::string SetDisk(std::string_view value, Options& out) {
  uint64_t bytes = 0;
  if (!ParseSize(value, bytes) || bytes < kMinDiskBytes || bytes > kMaxDiskBytes) {
    return "it has to be a size from 4MiB to 1TiB";
  }
  out.disk_limit_bytes = bytes;
  return {};
}

std::string SetSwitch(std::string_view value, bool& on) {
  if (value != "on" && value != "off") return "it has to be on or off";
  on = value == "on";
  return {};
}

std::string SetTaskWaits(std::string_view value, Options& out) {
  return SetSwitch(value, out.lock_task_waits);
}

std::string SetMessages(std::string_view value, Options& out) {
  return SetSwitch(value, out.exception_messages);
}

bool ParseNumber(std::string_view value, uint32_t least, uint32_t most, uint32_t& out) {
  constexpr size_t kMaxDigits = 6;
  uint32_t number = 0;
  if (value.empty() || value.size() > kMaxDigits) return false;
  for (const char c : value) {
    if (c < '0' || c > '9') return false;
    number = number * 10 + static_cast<uint32_t>(c - '0');
  }
  if (number < least || number > most) return false;
  out = number;
  return true;
}

std::string SetMessageChars(std::string_view value, Options& out) {
  if (!ParseNumber(value, 0, kMaxMessageChars, out.exception_message_chars)) {
    return "it has to be a whole number from 0 to 4096";
  }
  return {};
}

// Off, or how often.
std::string SetPeriod(std::string_view value, uint64_t& period_ns) {
  constexpr uint64_t kMinPeriodNs = 1'000'000'000;
  uint64_t nanoseconds = 0;
  if (value != "off" && (!ParseDuration(value, nanoseconds) || nanoseconds < kMinPeriodNs ||
                         nanoseconds > kMaxDurationNs)) {
    return "it has to be off, or a duration from 1s to 8760h";
  }
  period_ns = nanoseconds;
  return {};
}

std::string SetHeapEvery(std::string_view value, Options& out) {
  return SetPeriod(value, out.heap.every_ns);
}

std::string SetWaitsEvery(std::string_view value, Options& out) {
  return SetPeriod(value, out.waits_every_ns);
}

std::string SetHeapGrowth(std::string_view value, Options& out) {
  if (value == "off") {
    out.heap.growth_percent = 0;
    return {};
  }
  if (value.ends_with('%')) value.remove_suffix(1);
  if (!ParseNumber(value, 1, 10'000, out.heap.growth_percent)) {
    return "it has to be off, or a growth from 1% to 10000%";
  }
  return {};
}

std::string SetHeapMethod(std::string_view value, Options& out) {
  for (size_t i = 0; i < std::size(kHeapMethodNames); ++i) {
    if (value != kHeapMethodNames[i]) continue;
    out.heap.method = static_cast<HeapMethod>(i);
    return {};
  }
  return "it has to be auto, fork, in-pause or callbacks";
}

std::string SetHeapRoots(std::string_view value, Options& out) {
  for (size_t i = 0; i < std::size(kRootsChoiceNames); ++i) {
    if (value != kRootsChoiceNames[i]) continue;
    out.heap.roots = static_cast<RootsChoice>(i);
    return {};
  }
  return "it has to be auto, calibrated or documented";
}

std::string SetHeapMaxPause(std::string_view value, Options& out) {
  if (!ParseDuration(value, out.heap.max_pause_ns) || out.heap.max_pause_ns < kMillisecond ||
      out.heap.max_pause_ns > kMaxDurationNs) {
    return "it has to be a duration from 1ms to 8760h";
  }
  return {};
}

std::string SetHeapMaxMemory(std::string_view value, Options& out) {
  if (!ParseSize(value, out.heap.max_memory_bytes) || out.heap.max_memory_bytes < (8ull << 20) ||
      out.heap.max_memory_bytes > (1ull << 40)) {
    return "it has to be a size from 8MiB to 1TiB";
  }
  return {};
}

std::string SetHeapTimeout(std::string_view value, Options& out) {
  if (!ParseDuration(value, out.heap.timeout_ns) || out.heap.timeout_ns < 1'000'000'000 ||
      out.heap.timeout_ns > 3'600'000'000'000) {
    return "it has to be a duration from 1s to 1h";
  }
  return {};
}

std::string SetHeapValues(std::string_view value, Options& out) {
  constexpr size_t kMaxPatterns = 64, kMaxPatternBytes = 512;
  std::vector<std::string> patterns;
  if (value == "none") {
    out.heap.values.clear();
    return {};
  }
  for (size_t begin = 0; begin <= value.size();) {
    const size_t end = std::min(value.find(',', begin), value.size());
    const std::string_view pattern = Trim(value.substr(begin, end - begin));
    begin = end + 1;
    if (pattern.find('.') == std::string_view::npos || pattern.size() > kMaxPatternBytes ||
        patterns.size() == kMaxPatterns) {
      return "it has to be none, or a list of at most 64 patterns Namespace.Type.field, such as "
             "Shop.Order._id,Shop.Cart.*; System.String stands for the contents of all strings";
    }
    patterns.emplace_back(pattern);
  }
  out.heap.values = std::move(patterns);
  return {};
}

std::string SetHeapTextChars(std::string_view value, Options& out) {
  if (!ParseNumber(value, 0, kMaxMessageChars, out.heap.text_chars)) {
    return "it has to be a whole number from 0 to 4096";
  }
  return {};
}

struct Key {
  std::string_view name;
  std::string (*set)(std::string_view value, Options& out);
};

constexpr std::array<Key, 19> kKeys = {{{"output", SetOutput},
                                        {"for", SetDuration},
                                        {"sources", SetSources},
                                        {"match", SetMatch},
                                        {"limit.memory", SetMemory},
                                        {"limit.disk", SetDisk},
                                        {"exceptions.messages", SetMessages},
                                        {"exceptions.message_chars", SetMessageChars},
                                        {"locks.task_waits", SetTaskWaits},
                                        {"waits.every", SetWaitsEvery},
                                        {"heap.every", SetHeapEvery},
                                        {"heap.growth", SetHeapGrowth},
                                        {"heap.method", SetHeapMethod},
                                        {"heap.roots", SetHeapRoots},
                                        {"heap.max_pause", SetHeapMaxPause},
                                        {"heap.max_memory", SetHeapMaxMemory},
                                        {"heap.timeout", SetHeapTimeout},
                                        {"heap.values", SetHeapValues},
                                        {"heap.text_chars", SetHeapTextChars}}};

std::string KeyNames() {
  std::string names;
  for (const Key& key : kKeys) {
    if (!names.empty()) names += ", ";
    names += key.name;
  }
  return names;
}

// Takes one entry off the front of `text`, its final semicolon included but not returned.
std::string_view TakeEntry(std::string_view& text) {
  size_t end = 0;
  while (end < text.size() && text[end] != ';') {
    end += text[end] == '\\' && end + 1 < text.size() ? 2 : 1;
  }
  const std::string_view entry = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return entry;
}

// False: a backslash before something else than ; or another backslash.
bool Unescape(std::string_view text, std::string& out) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      if (++i == text.size() || (text[i] != ';' && text[i] != '\\')) return false;
    }
    out += text[i];
  }
  return true;
}

std::string Escape(std::string_view value) {
  std::string escaped;
  for (const char c : value) {
    if (c == ';' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string ParseEntry(std::string_view entry, std::bitset<kKeys.size()>& seen, Options& out) {
  const size_t equals = entry.find('=');
  if (equals == std::string_view::npos) {
    return "The option " + Quote(entry) + " has no value; options are written key=value;key=value.";
  }
  const std::string_view name = Trim(entry.substr(0, equals));
  const auto* key = std::find_if(kKeys.begin(), kKeys.end(),
                                 [name](const Key& candidate) { return candidate.name == name; });
  if (key == kKeys.end()) {
    return "There is no option " + Quote(name) + "; there are " + KeyNames() + ".";
  }
  const auto index = static_cast<size_t>(key - kKeys.begin());
  if (seen[index]) return "The option " + Quote(name) + " is given twice; give it once.";
  seen.set(index);

  std::string value;
  std::string wrong;
  if (Unescape(Trim(entry.substr(equals + 1)), value)) {
    wrong = CheckText(value);
    if (wrong.empty()) wrong = key->set(value, out);
  } else {
    wrong = "a backslash is written \\\\ and a semicolon \\;";
  }
  if (wrong.empty()) return {};
  return "The option " + Quote(entry) + " can't be used: " + wrong + ".";
}

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
                                  {kMillisecond, "ms"}});
}

std::string FormatSize(uint64_t bytes) {
  if (bytes % (1ull << 30) == 0) return std::to_string(bytes >> 30) + "GiB";
  if (bytes % (1ull << 20) == 0) return std::to_string(bytes >> 20) + "MiB";
  return std::to_string(bytes);
}

}  // namespace

Options::Options() : sources(DefaultSources()) {}

clr::EventMask Options::Mask() const {
  clr::EventMask mask;
  for (const SourceInfo& source : Catalogue()) {
    if (Has(source.id)) mask = mask | source.mask;
  }
  return mask;
}

std::string ParseOptions(std::string_view text, Options& out) {
  if (text.size() > kMaxOptionsBytes) {
    return "The options are longer than " + std::to_string(kMaxOptionsBytes) + " bytes.";
  }
  Options options;
  std::bitset<kKeys.size()> seen;
  while (!text.empty()) {
    const std::string_view entry = Trim(TakeEntry(text));
    if (entry.empty()) continue;
    if (std::string wrong = ParseEntry(entry, seen, options); !wrong.empty()) return wrong;
  }
  out = std::move(options);
  return {};
}

std::string FormatOptions(const Options& options) {
  const Options defaults;
  std::string text;
  if (!options.output.empty()) AppendEntry(text, "output", Escape(options.output));
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
  if (!options.match.empty()) AppendEntry(text, "match", Escape(options.match));
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
  if (options.lock_task_waits) AppendEntry(text, "locks.task_waits", "on");
  if (options.waits_every_ns != defaults.waits_every_ns) {
    const uint64_t every_ns = options.waits_every_ns;
    AppendEntry(text, "waits.every", every_ns == 0 ? "off" : FormatDuration(every_ns));
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
      patterns += Escape(pattern);
    }
    AppendEntry(text, "heap.values", patterns);
  }
  if (heap.text_chars != defaults.heap.text_chars) {
    AppendEntry(text, "heap.text_chars", std::to_string(heap.text_chars));
  }
  return text;
}

bool Matches(const Options& options, std::string_view command_line) {
  return options.match.empty() ||
         MatchesGlob(options.match, command_line.substr(0, kMaxMatchedCommandBytes));
}

}  // namespace hindsight::contract
