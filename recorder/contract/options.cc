#include "recorder/contract/options.h"

#include <algorithm>
#include <array>

#include "recorder/contract/paths.h"
#include "recorder/contract/text.h"
#include "recorder/contract/units.h"

namespace hindsight::contract {
namespace {

constexpr uint64_t kMinMemoryBytes = 16ull << 20;
constexpr uint64_t kMaxMemoryBytes = 4ull << 30;
constexpr uint64_t kMinDiskBytes = 4ull << 20;
constexpr uint64_t kMaxDiskBytes = 1ull << 40;
constexpr uint64_t kMaxDurationNs = 8760ull * 3'600'000'000'000;  // a year
constexpr uint32_t kMaxMessageChars = 4096;
constexpr size_t kMaxOutputBytes = 3072;  // PATH_MAX minus the names of the folder and its files
constexpr size_t kMaxMatchBytes = 1024;
// Bytes that `match` compares. With kMaxMatchBytes, it limits the time of the worst pattern.
constexpr size_t kMaxMatchedCommandBytes = 32u << 10;

// Rejects characters that neither a path nor a recording's text can contain.
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
    sources[static_cast<size_t>(source.id)] = source.IsOnByDefault();
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

// A setter takes a trimmed, unescaped, validated value and returns what is wrong with it, as the
// end of a sentence that starts with the entry; empty if it is correct.
std::string SetOutput(std::string_view value, Options& out) {
  if (!IsAbsolutePath(value)) return kAbsoluteFolder;
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
    return "must be a duration from 1ms to 8760h, such as 500ms, 30s, 5m or 1h30m";
  }
  out.duration_ns = nanoseconds;
  return {};
}

std::string SetSources(std::string_view value, Options& out) {
  std::bitset<kSourceCount> named;
  std::bitset<kSourceCount> added;
  std::bitset<kSourceCount> removed;
  for (size_t begin = 0; begin <= value.size();) {
    const size_t end = std::min(value.find(',', begin), value.size());
    std::string_view name = Trim(value.substr(begin, end - begin));
    begin = end + 1;
    if (name == "all") {
      named.set();
      continue;
    }
    std::bitset<kSourceCount>* set = &named;
    if (name.starts_with('+')) set = &added;
    if (name.starts_with('-')) set = &removed;
    if (set != &named) name.remove_prefix(1);
    const SourceInfo* source = FindSource(name);
    if (source == nullptr) {
      return Quote(name) + " is not a source; there are " + SourceNames() +
             " (and all; +NAME adds one to the default, -NAME excludes one)";
    }
    set->set(static_cast<size_t>(source->id));
  }
  const std::bitset<kSourceCount> sources =
      ((named.any() ? named : DefaultSources()) | added) & ~removed;
  if (sources.none()) return "nothing is left to record; there are " + SourceNames();
  out.sources = sources;
  return {};
}

std::string SetMatch(std::string_view value, Options& out) {
  if (value.empty()) return "must be a pattern for the command line, such as *Shop.dll*";
  if (value.size() > kMaxMatchBytes) {
    return "the pattern is longer than " + std::to_string(kMaxMatchBytes) + " bytes";
  }
  out.match = value;
  return {};
}

std::string SetMemory(std::string_view value, Options& out) {
  uint64_t bytes = 0;
  if (!ParseSize(value, bytes) || bytes < kMinMemoryBytes || bytes > kMaxMemoryBytes) {
    return "must be a size from 16MiB to 4GiB";
  }
  out.memory_limit_bytes = bytes;
  return {};
}

std::string SetDisk(std::string_view value, Options& out) {
  uint64_t bytes = 0;
  if (!ParseSize(value, bytes) || bytes < kMinDiskBytes || bytes > kMaxDiskBytes) {
    return "must be a size from 4MiB to 1TiB";
  }
  out.disk_limit_bytes = bytes;
  return {};
}

std::string SetSwitch(std::string_view value, bool& on) {
  if (value != "on" && value != "off") return "must be on or off";
  on = value == "on";
  return {};
}

std::string SetEventsFrom(std::string_view value, Options& out) {
  if (value != "quiet" && value != "start") return "must be quiet or start";
  out.events_from_start = value == "start";
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
    return "must be a whole number from 0 to 4096";
  }
  return {};
}

// `off`, or an interval.
std::string SetPeriod(std::string_view value, uint64_t& period_ns) {
  constexpr uint64_t kMinPeriodNs = 1'000'000'000;
  uint64_t nanoseconds = 0;
  if (value != "off" && (!ParseDuration(value, nanoseconds) || nanoseconds < kMinPeriodNs ||
                         nanoseconds > kMaxDurationNs)) {
    return "must be off, or a duration from 1s to 8760h";
  }
  period_ns = nanoseconds;
  return {};
}

std::string SetCpuHz(std::string_view value, Options& out) {
  if (!ParseNumber(value, 1, 1000, out.cpu_hz)) return "must be a whole number from 1 to 1000";
  return {};
}

std::string SetAllocationSurvivors(std::string_view value, Options& out) {
  return SetSwitch(value, out.allocation_survivors);
}

std::string SetRequestRoutes(std::string_view value, Options& out) {
  return SetSwitch(value, out.request_routes);
}

std::string SetRequestDetails(std::string_view value, Options& out) {
  for (size_t i = 0; i < std::size(kRequestDetailsNames); ++i) {
    if (value != kRequestDetailsNames[i]) continue;
    out.request_details = static_cast<RequestDetailsChoice>(i);
    return {};
  }
  return "must be off, on or texts";
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
    return "must be off, or a growth from 1% to 10000%";
  }
  return {};
}

std::string SetHeapMethod(std::string_view value, Options& out) {
  for (size_t i = 0; i < std::size(kHeapMethodNames); ++i) {
    if (value != kHeapMethodNames[i]) continue;
    out.heap.method = static_cast<HeapMethod>(i);
    return {};
  }
  return "must be auto, fork, in-pause or callbacks";
}

std::string SetHeapRoots(std::string_view value, Options& out) {
  for (size_t i = 0; i < std::size(kRootsChoiceNames); ++i) {
    if (value != kRootsChoiceNames[i]) continue;
    out.heap.roots = static_cast<RootsChoice>(i);
    return {};
  }
  return "must be auto, calibrated or documented";
}

std::string SetHeapMaxPause(std::string_view value, Options& out) {
  if (!ParseDuration(value, out.heap.max_pause_ns) || out.heap.max_pause_ns < kMillisecond ||
      out.heap.max_pause_ns > kMaxDurationNs) {
    return "must be a duration from 1ms to 8760h";
  }
  return {};
}

std::string SetHeapMaxMemory(std::string_view value, Options& out) {
  if (!ParseSize(value, out.heap.max_memory_bytes) || out.heap.max_memory_bytes < (8ull << 20) ||
      out.heap.max_memory_bytes > (1ull << 40)) {
    return "must be a size from 8MiB to 1TiB";
  }
  return {};
}

std::string SetHeapTimeout(std::string_view value, Options& out) {
  if (!ParseDuration(value, out.heap.timeout_ns) || out.heap.timeout_ns < 1'000'000'000 ||
      out.heap.timeout_ns > 3'600'000'000'000) {
    return "must be a duration from 1s to 1h";
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
      return "must be none, or a list of at most 64 patterns Namespace.Type.field, such as "
             "Shop.Order._id,Shop.Cart.*; System.String means the contents of all strings";
    }
    patterns.emplace_back(pattern);
  }
  out.heap.values = std::move(patterns);
  return {};
}

std::string SetHeapTextChars(std::string_view value, Options& out) {
  if (!ParseNumber(value, 0, kMaxMessageChars, out.heap.text_chars)) {
    return "must be a whole number from 0 to 4096";
  }
  return {};
}

std::string AddRule(std::string_view value, Options& out) {
  constexpr size_t kMaxRules = 8;
  if (out.rules.size() == kMaxRules) return "a recording can have at most 8 rules";
  return ParseRule(value, out.rules.emplace_back());
}

std::string SetRulesEvery(std::string_view value, Options& out) {
  if (!ParseDuration(value, out.rules_every_ns) || out.rules_every_ns < 1'000'000'000 ||
      out.rules_every_ns > kMaxDurationNs) {
    return "must be a duration from 1s to 8760h";
  }
  return {};
}

std::string SetRulesMost(std::string_view value, Options& out) {
  if (!ParseNumber(value, 1, 1000, out.rules_most)) {
    return "must be a whole number from 1 to 1000";
  }
  return {};
}

struct Key {
  std::string_view name;
  std::string (*set)(std::string_view value, Options& out);
};

// The only key that may be repeated.
constexpr std::string_view kRuleKey = "when";

constexpr std::array<Key, 27> kKeys = {{{"output", SetOutput},
                                        {"for", SetDuration},
                                        {"sources", SetSources},
                                        {"match", SetMatch},
                                        {"limit.memory", SetMemory},
                                        {"limit.disk", SetDisk},
                                        {"exceptions.messages", SetMessages},
                                        {"exceptions.message_chars", SetMessageChars},
                                        {"events.from", SetEventsFrom},
                                        {"locks.task_waits", SetTaskWaits},
                                        {"waits.every", SetWaitsEvery},
                                        {"cpu.hz", SetCpuHz},
                                        {"allocations.survivors", SetAllocationSurvivors},
                                        {"requests.routes", SetRequestRoutes},
                                        {"requests.details", SetRequestDetails},
                                        {"heap.every", SetHeapEvery},
                                        {"heap.growth", SetHeapGrowth},
                                        {"heap.method", SetHeapMethod},
                                        {"heap.roots", SetHeapRoots},
                                        {"heap.max_pause", SetHeapMaxPause},
                                        {"heap.max_memory", SetHeapMaxMemory},
                                        {"heap.timeout", SetHeapTimeout},
                                        {"heap.values", SetHeapValues},
                                        {"heap.text_chars", SetHeapTextChars},
                                        {kRuleKey, AddRule},
                                        {"rules.every", SetRulesEvery},
                                        {"rules.most", SetRulesMost}}};

const Key* FindKey(std::string_view name) {
  return std::find_if(kKeys.begin(), kKeys.end(),
                      [name](const Key& key) { return key.name == name; });
}

// Which keys were given.
using SeenKeys = std::bitset<kKeys.size()>;

std::string KeyNames() {
  std::string names;
  for (const Key& key : kKeys) {
    if (!names.empty()) names += ", ";
    names += key.name;
  }
  return names;
}

// Removes one entry from the front of `text`, including its final semicolon, which is not returned.
std::string_view TakeEntry(std::string_view& text) {
  size_t end = 0;
  while (end < text.size() && text[end] != ';') {
    end += text[end] == '\\' && end + 1 < text.size() ? 2 : 1;
  }
  const std::string_view entry = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return entry;
}

// False: a backslash before anything but ; or another backslash.
bool Unescape(std::string_view text, std::string& out) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      if (++i == text.size() || (text[i] != ';' && text[i] != '\\')) return false;
    }
    out += text[i];
  }
  return true;
}

std::string ParseEntry(std::string_view entry, SeenKeys& seen, Options& out) {
  const size_t equals = entry.find('=');
  if (equals == std::string_view::npos) {
    return "The option " + Quote(entry) + " has no value; write options as key=value;key=value.";
  }
  const std::string_view name = Trim(entry.substr(0, equals));
  const Key* key = FindKey(name);
  if (key == kKeys.end()) {
    return "There is no option " + Quote(name) + "; there are " + KeyNames() + ".";
  }
  const auto index = static_cast<size_t>(key - kKeys.begin());
  if (seen[index] && name != kRuleKey) return "The option " + Quote(name) + " is given twice.";
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
  return "The option " + Quote(entry) + " is invalid: " + wrong + ".";
}

// Snapshots by time or growth are taken by the source heap: it is added to the default. Sources
// that were chosen without it contradict them.
std::string CheckHeap(bool sources_chosen, Options& options) {
  const bool by_time = options.heap.every_ns != 0;
  if ((!by_time && options.heap.growth_percent == 0) || options.Has(Source::kHeap)) return {};
  if (sources_chosen) {
    return std::string("The option ") + (by_time ? "heap.every" : "heap.growth") +
           " needs the source heap: add it to sources.";
  }
  options.sources.set(static_cast<size_t>(Source::kHeap));
  return {};
}

// Rejects rules that can never hold.
std::string CheckRules(const Options& options) {
  struct Need {
    RuleSubject subject;
    Source source;
  };
  constexpr std::array<Need, 4> kNeeds = {{{RuleSubject::kHeap, Source::kGc},
                                           {RuleSubject::kExceptions, Source::kExceptions},
                                           {RuleSubject::kPoolStarves, Source::kLocks},
                                           {RuleSubject::kUnhandled, Source::kExceptions}}};
  for (const Rule& rule : options.rules) {
    for (const Need& need : kNeeds) {
      if (rule.subject != need.subject || options.Has(need.source)) continue;
      return "The rule " + Quote(rule.text) + " needs the source " +
             std::string(Catalogue()[static_cast<size_t>(need.source)].name) +
             ": add it to sources.";
    }
    if (rule.action == RuleAction::kThreads && !options.Has(Source::kWaits)) {
      return "The rule " + Quote(rule.text) + " needs the source waits: add it to sources.";
    }
  }
  return {};
}

}  // namespace

std::vector<std::string_view> OptionKeys() {
  std::vector<std::string_view> keys;
  for (const Key& key : kKeys) keys.push_back(key.name);
  return keys;
}

Options::Options() : sources(DefaultSources()) {}

clr::EventMask Options::Mask() const {
  // Ids in events outlive their callbacks: any source may query one later.
  clr::EventMask mask = clr::kForQuestions;
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
  SeenKeys seen;
  while (!text.empty()) {
    const std::string_view entry = Trim(TakeEntry(text));
    if (entry.empty()) continue;
    if (std::string wrong = ParseEntry(entry, seen, options); !wrong.empty()) return wrong;
  }
  const bool sources_chosen = seen[static_cast<size_t>(FindKey("sources") - kKeys.begin())];
  if (std::string wrong = CheckHeap(sources_chosen, options); !wrong.empty()) return wrong;
  if (std::string wrong = CheckRules(options); !wrong.empty()) return wrong;
  out = std::move(options);
  return {};
}

bool Matches(const Options& options, std::string_view command_line) {
  return options.match.empty() ||
         MatchesGlob(options.match, command_line.substr(0, kMaxMatchedCommandBytes));
}

}  // namespace hindsight::contract
