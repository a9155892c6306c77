#include "trigger/keep/keep.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "proto/file_names.h"
#include "recorder/contract/text.h"
#include "trigger/keep/end_of_copy.h"
#include "trigger/keep/recording_files.h"
#include "trigger/target/walk.h"
#include "trigger/unique_fd.h"
#include "trigger/write_all.h"

namespace hindsight::trigger {
namespace {

constexpr int kMaxSameNames = 100;
constexpr char kNoSpace[] = "Choose another folder with --output, or keep less with --last.";

// What a recording's folder is named here: the original name comes from a process.
std::string CopyName(const std::string& source) {
  std::string stem = std::filesystem::path(source).filename().string();
  if (stem.ends_with(kFolderSuffix)) stem.resize(stem.size() - kFolderSuffix.size());
  const time_t now = time(nullptr);
  struct tm utc = {};
  char moment[32];
  gmtime_r(&now, &utc);
  std::strftime(moment, sizeof moment, "-kept-%Y%m%dT%H%M%SZ", &utc);
  return SafeName(stem) + moment;
}

class Copy {
 public:
  explicit Copy(const KeepRequest& request) : request_(request) {}
  ~Copy() {
    if (!done_) Discard();
  }

  Expected<Kept> Run() {
    if (Check wrong = OpenSource()) return *wrong;
    if (Check wrong = MakeFolder()) return *wrong;
    CopiedHeader header = HeaderFrom(source_);
    header.recording_id = ChooseId();
    for (const auto& [number, source] : source_.files) {
      if (Check wrong = Create(source.name)) return *wrong;
      const uint64_t size = WholeBytes(source);
      if (Check wrong = CopySegments(source, size, header, write_)) return *wrong;
      if (number == source_.files.rbegin()->first) {
        if (Check wrong = WriteEnd(source, size, header)) return *wrong;
      }
    }
    for (const auto& [number, source] : source_.snapshots) {
      if (Check wrong = Create(source.name)) return *wrong;
      const auto size = static_cast<uint64_t>(source.info.st_size);
      const CopiedHeader id_alone{.recording_id = header.recording_id};
      if (Check wrong = CopySegments(source, size, id_alone, write_)) return *wrong;
    }
    done_ = true;
    kept_.files = static_cast<uint32_t>(source_.files.size());
    kept_.snapshots = static_cast<uint32_t>(source_.snapshots.size());
    return kept_;
  }

 private:
  Check OpenSource() {
    const Walk walk = WalkFrom(request_.root, request_.source);
    if (!walk.target) {
      return SystemFailure("Cannot read the recording's folder at", walk.failed_at, walk.error, "");
    }
    Expected<RecordingFiles> files =
        OpenRecordingFiles(walk.target.get(), request_.source, request_.owner);
    if (!files) return files.failure();
    source_ = *std::move(files);
    LeaveOutOld();
    if (!source_.empty()) return std::nullopt;
    return Failure{
        TriggerExit::kInternal,
        "There is no recording file in " + contract::Printable(request_.source) + " yet.",
        "Try again in a second."};
  }

  // Empty if the recording's own id cannot be read: then the copy is as damaged as the recording.
  std::optional<uint64_t> ChooseId() {
    now_unix_ns_ = NowNs(CLOCK_REALTIME);
    for (const auto* files : {&source_.files, &source_.snapshots}) {
      for (const auto& [number, source] : *files) {
        const auto size = static_cast<uint64_t>(source.info.st_size);
        const std::optional<SegmentHeader> header = LastHeader(source, size);
        if (header) return IdOfCopy(header->recording_id, now_unix_ns_);
      }
    }
    return std::nullopt;
  }

  // Writes what the copy is a part of. A recording that has just ended already has an end.
  Check WriteEnd(const RecordingFile& source, uint64_t size, const CopiedHeader& header) {
    std::optional<SegmentHeader> last = LastHeader(source, size);
    const bool has_id = header.recording_id.has_value();  // not if the file was empty a moment ago
    if (!last || last->kind != SegmentKind::kData || !has_id) return std::nullopt;
    last->oldest_file = std::max(last->oldest_file, header.oldest_file);
    last->oldest_sequence = std::max(last->oldest_sequence, header.oldest_sequence);
    const std::string name = SafeName(std::filesystem::path(request_.source).filename().string());
    const std::string end = EndSegment({.last = *last,
                                        .copy_id = *header.recording_id,
                                        .whole = name,
                                        .monotonic_ns = NowNs(CLOCK_MONOTONIC),
                                        .unix_ns = now_unix_ns_});
    return Write(std::as_bytes(std::span(end)));
  }

  static uint64_t NowNs(clockid_t clock) {
    timespec now = {};
    clock_gettime(clock, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
  }

  // The newest file stays whatever its age: a quiet process writes once in ten seconds.
  void LeaveOutOld() {
    if (request_.last_ns == 0) return;
    timespec now = {};
    clock_gettime(CLOCK_REALTIME, &now);
    const auto nanoseconds = [](const timespec& time) {
      return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
    };
    const int64_t since = nanoseconds(now) - static_cast<int64_t>(request_.last_ns);
    while (source_.files.size() > 1 &&
           nanoseconds(source_.files.begin()->second.info.st_mtim) < since) {
      source_.files.erase(source_.files.begin());
    }
  }

  Check MakeFolder() {
    const std::string base =
        (std::filesystem::path(request_.destination) / CopyName(request_.source)).string();
    for (int i = 1; i <= kMaxSameNames; ++i) {
      const std::string suffix = i == 1 ? "" : '-' + std::to_string(i);
      kept_.path = base + suffix + std::string(kFolderSuffix);
      if (mkdir(kept_.path.c_str(), 0700) == 0) {
        folder_.reset(open(kept_.path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (folder_) return std::nullopt;
        rmdir(kept_.path.c_str());
        break;
      }
      if (errno != EEXIST) break;
    }
    return SystemFailure("Cannot create the copy's folder:", kept_.path, errno, kNoSpace);
  }

  Check Create(const std::string& name) {
    out_.reset(openat(folder_.get(), name.c_str(),
                      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!out_) return SystemFailure("Cannot write the copy to", kept_.path, errno, kNoSpace);
    made_.push_back(name);
    return std::nullopt;
  }

  Check Write(std::span<const std::byte> bytes) {
    if (!WriteAll(out_.get(), bytes)) {
      return SystemFailure("Cannot write the copy to", kept_.path, errno, kNoSpace);
    }
    kept_.bytes += bytes.size();
    return std::nullopt;
  }

  void Discard() {
    if (!folder_) return;
    for (const std::string& name : made_) unlinkat(folder_.get(), name.c_str(), 0);
    rmdir(kept_.path.c_str());
  }

  const KeepRequest& request_;
  RecordingFiles source_;
  UniqueFd folder_, out_;
  const WriteBytes write_ = [this](std::span<const std::byte> bytes) { return Write(bytes); };
  std::vector<std::string> made_;
  uint64_t now_unix_ns_ = 0;
  Kept kept_;
  bool done_ = false;
};

}  // namespace

Expected<Kept> KeepRecording(const KeepRequest& request) { return Copy(request).Run(); }

}  // namespace hindsight::trigger
