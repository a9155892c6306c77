#include "analyzer/reader/find_recordings.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <optional>
#include <system_error>

#include "analyzer/base/path_text.h"
#include "analyzer/base/regular_file.h"
#include "analyzer/base/text.h"
#include "proto/file_names.h"

namespace hindsight::analyzer {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kSecond = 1'000'000'000;

bool IsNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

// For 20261121T120129Z; 0: not a time.
uint64_t UnixNs(std::string_view text) {
  if (text.size() != 16 || text[8] != 'T' || text[15] != 'Z' || !IsNumber(text.substr(0, 8)) ||
      !IsNumber(text.substr(9, 6))) {
    return 0;
  }
  const auto number = [text](size_t at, size_t size) {
    unsigned value = 0;
    std::from_chars(text.data() + at, text.data() + at + size, value);
    return value;
  };
  const std::chrono::year_month_day day(std::chrono::year(static_cast<int>(number(0, 4))),
                                        std::chrono::month(number(4, 2)),
                                        std::chrono::day(number(6, 2)));
  const unsigned hours = number(9, 2), minutes = number(11, 2), seconds = number(13, 2);
  // 60: a leap second.
  if (!day.ok() || hours > 23 || minutes > 59 || seconds > 60) return 0;
  const std::chrono::sys_seconds time = std::chrono::sys_days(day) + std::chrono::hours(hours) +
                                        std::chrono::minutes(minutes) +
                                        std::chrono::seconds(seconds);
  const int64_t since = time.time_since_epoch().count();
  return since > 0 ? static_cast<uint64_t>(since) * kSecond : 0;
}

// Removes what follows the last '-' from `text` and returns it.
std::string_view TakeLast(std::string_view& text) {
  const size_t dash = text.rfind('-');
  if (dash == text.npos) return {};
  const std::string_view last = text.substr(dash + 1);
  text = text.substr(0, dash);
  return last;
}

// APP-PID-TIME, and -2 if the name was taken; copies (hindsight-trigger keep) are
// APP-PID-TIME-kept-TIME, where the first time counts.
void ReadName(std::string_view name, FoundRecording& found) {
  name.remove_suffix(kFolderSuffix.size());
  std::string_view last = TakeLast(name);
  if (last.size() < 16 && IsNumber(last)) last = TakeLast(name);
  std::string_view pid = TakeLast(name);
  if (pid == "kept") {
    last = TakeLast(name);
    pid = TakeLast(name);
  }
  const uint64_t started = UnixNs(last);
  if (started == 0 || !IsNumber(pid)) return;
  std::from_chars(pid.data(), pid.data() + pid.size(), found.pid);
  found.started_unix_ns = started;
  found.application = std::string(name);
}

void ReadFiles(FoundRecording& found) {
  uint64_t written = 0;
  std::error_code error;
  fs::directory_iterator entry(PathOf(found.path), error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.ends_with(kFileSuffix)) continue;
    const std::optional<FileFacts> facts = FactsOf(entry->path().string());
    if (!facts) continue;
    found.bytes += facts->bytes;
    if (name.starts_with(kSnapshotPrefix)) ++found.snapshots;
    written = std::max(written, facts->modified_unix_ns);
  }
  if (found.started_unix_ns == 0) found.started_unix_ns = written / kSecond * kSecond;
}

}  // namespace

Result<std::vector<FoundRecording>> FindRecordings(const std::string& folder) {
  std::vector<FoundRecording> all;
  std::error_code error;
  fs::directory_iterator entry(PathOf(folder), error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.ends_with(kFolderSuffix) || name.size() == kFolderSuffix.size()) continue;
    all.push_back(DescribeRecording(entry->path().string()));
  }
  if (error) {
    return Error{"Cannot read the folder " + Printable(folder) + ": " + error.message() + "."};
  }
  std::sort(all.begin(), all.end(), [](const FoundRecording& a, const FoundRecording& b) {
    if (a.started_unix_ns != b.started_unix_ns) return a.started_unix_ns > b.started_unix_ns;
    // Of one second: children have larger pids than their parents.
    return a.pid != b.pid ? a.pid > b.pid : a.path > b.path;
  });
  return all;
}

FoundRecording DescribeRecording(const std::string& path) {
  FoundRecording found;
  found.path = path;
  const std::string name = fs::path(path).filename().string();
  if (name.ends_with(kFolderSuffix)) ReadName(name, found);
  ReadFiles(found);
  return found;
}

Result<std::string> NewestRecording(const std::string& folder) {
  const Result<std::vector<FoundRecording>> all = FindRecordings(folder);
  if (!all) return all.error();
  if (all->empty()) return Error{"There is no recording in " + Printable(folder) + "."};
  return all->front().path;
}

}  // namespace hindsight::analyzer
