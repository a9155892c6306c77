#include "analyzer/commands/read_fleet.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "analyzer/base/file_error.h"
#include "analyzer/base/parallel.h"
#include "analyzer/base/path_text.h"
#include "analyzer/base/progress.h"
#include "analyzer/base/regular_file.h"
#include "analyzer/base/text.h"
#include "analyzer/cli/commit.h"
#include "analyzer/commands/load_reports.h"
#include "analyzer/exports/application_build.h"
#include "analyzer/fleet/catalogue.h"
#include "analyzer/reader/files.h"
#include "proto/file_names.h"

namespace hindsight::analyzer {
namespace {

namespace fs = std::filesystem;

constexpr int kMostDepth = 16;  // of folders below the given one

// A recording to examine.
struct Task {
  size_t home = 0;   // whose catalogue contains it; kNoHome: none
  std::string path;  // relative to the home's folder
};
constexpr size_t kNoHome = SIZE_MAX;

struct Home {
  Home(const std::string& path, const std::string& made_by)
      : folder(path), catalogue(path, made_by) {}
  std::string folder;
  Catalogue catalogue;
  size_t first_task = 0, end_task = 0;
};

std::string Version() { return std::string(HINDSIGHT_VERSION) + " " + cli::kCommit; }

FilesStamp StampOf(const std::string& path) {
  FilesStamp stamp;
  const auto add = [&stamp](const std::string& file) {
    const std::optional<FileFacts> facts = FactsOf(file);
    if (!facts) return;
    ++stamp.files;
    stamp.bytes += facts->bytes;
    stamp.modified_ns = std::max(stamp.modified_ns, facts->modified_unix_ns);
  };
  std::error_code error;
  if (!fs::is_directory(PathOf(path), error)) {
    add(path);
    return stamp;
  }
  for (fs::directory_iterator entry(PathOf(path), error);
       !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() == kFileSuffix) add(entry->path().string());
  }
  return stamp;
}

RecordingRow ReadOne(const std::string& path) {
  RecordingRow row;
  ReportScope scope;
  scope.shows_progress = false;
  const Result<LoadedReports> loaded = LoadReports(std::span(&path, 1), scope);
  if (!loaded) {
    row.error = loaded.error().sentence;
    return row;
  }
  row.recording_id = loaded->recording_id;
  if (loaded->model) {
    const RecordingFacts& facts = loaded->model->facts;
    row.application = facts.application;
    row.host = facts.host;
    row.runtime = facts.runtime_version;
    row.pid = facts.pid;
    row.part_of = facts.part_of;
    row.process_started_unix_ns = facts.process_started_unix_ns;
    row.started_unix_ns = facts.started_unix_ns != 0 ? facts.begin_unix_ns() : 0;
    row.duration_ns = facts.length_ns();
    row.build = ApplicationBuild(*loaded->model);
  } else {
    const HeapModel& heap = *loaded->heap->model;
    row.application = heap.application;
    row.host = heap.host;
    row.runtime = heap.runtime_version;
    row.pid = heap.pid;
    row.started_unix_ns = heap.graph.facts.unix_ns;
  }
  for (std::string* text : {&row.application, &row.host, &row.runtime}) {
    *text = ValidUtf8(*text).substr(0, RecordingRow::kMostTextBytes);
  }
  TakeReports(loaded->reports, row);
  return row;
}

class FleetReader {
 public:
  explicit FleetReader(bool uses_catalogue) : uses_catalogue_(uses_catalogue) {}

  Result<ReadFleet> Run(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
      if (Result<void> added = Add(path); !added) return added.error();
    }
    if (tasks_.empty() && !has_unreadable_folder_) {
      return Error{"There is no recording in " + Printable(paths.front()) +
                   "; give folders with recordings, or recordings."};
    }
    progress_.Start(tasks_.size());
    is_known_.resize(tasks_.size());
    if (uses_catalogue_) ReadCatalogues();
    RunParallel([this](unsigned) {
      for (size_t next = next_++; next < tasks_.size(); next = next_++) {
        if (!is_known_[next]) Do(tasks_[next]);
      }
    });
    progress_.Finish();
    if (uses_catalogue_) FinishCatalogues();
    read_.fleet = builder_.Finish(ReadRow);
    return std::move(read_);
  }

 private:
  Result<void> Add(const std::string& path) {
    std::error_code error;
    const fs::file_status status = fs::status(PathOf(path), error);
    if (!fs::exists(status)) {
      return Error{"Cannot open " + Printable(path) + ": " + std::strerror(ErrnoOf(error)) + "."};
    }
    const bool is_recording =
        !fs::is_directory(status) || PathOf(path).filename().string().ends_with(kFolderSuffix);
    if (is_recording || IsRecording(path)) tasks_.push_back({kNoHome, path});
    if (is_recording) return {};
    Home& home = *homes_.emplace_back(std::make_unique<Home>(path, Version()));
    home.first_task = tasks_.size();
    Search(PathOf(path), homes_.size() - 1, 0);
    home.end_task = tasks_.size();
    std::sort(tasks_.begin() + static_cast<std::ptrdiff_t>(home.first_task), tasks_.end(),
              [](const Task& a, const Task& b) { return a.path < b.path; });
    return {};
  }

  std::string PathTo(const Task& task) const {
    if (task.home == kNoHome) return task.path;
    return (PathOf(homes_[task.home]->folder) / PathOf(task.path)).string();
  }

  // Links are not followed: they may lead in a circle, or to what was already found. A folder that
  // is not named as a recording may be one, and may also have a stray file of one next to others.
  void Search(const fs::path& folder, size_t home, int depth) {
    std::vector<fs::path> folders;
    std::error_code error;
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
      std::error_code ignored;
      if (entry->symlink_status(ignored).type() == fs::file_type::directory) {
        folders.push_back(entry->path());
      }
    }
    if (error) {
      RecordingRow row;
      row.path = folder.string();
      row.error = "Cannot read the folder " + Printable(row.path) + ": " + error.message() + ".";
      builder_.Add(row);
      has_unreadable_folder_ = true;
    }
    std::sort(folders.begin(), folders.end());
    for (const fs::path& one : folders) {
      const std::string name = one.filename().string();
      if (name.find(".part-") != name.npos) continue;  // still being created
      const bool is_recording = name.ends_with(kFolderSuffix);
      if (is_recording || IsRecording(one.string())) {
        tasks_.push_back({home, one.lexically_relative(PathOf(homes_[home]->folder)).string()});
      }
      if (!is_recording && depth < kMostDepth) Search(one, home, depth + 1);
    }
  }

  // What earlier runs found, for unchanged recordings.
  void ReadCatalogues() {
    for (const std::unique_ptr<Home>& one : homes_) {
      Home& home = *one;
      const auto begin = tasks_.begin() + static_cast<std::ptrdiff_t>(home.first_task);
      const auto end = tasks_.begin() + static_cast<std::ptrdiff_t>(home.end_task);
      home.catalogue.Read([&](RecordingRow&& row) {
        const auto task = std::lower_bound(
            begin, end, row.path, [](const Task& a, const std::string& b) { return a.path < b; });
        if (task == end || task->path != row.path) return false;
        const auto number = static_cast<size_t>(task - tasks_.begin());
        if (is_known_[number]) return false;
        row.path = PathTo(*task);
        if (row.stamp != StampOf(row.path)) return false;
        is_known_[number] = true;
        builder_.Add(row);
        ++read_.from_catalogue;
        progress_.Update(++done_);
        return true;
      });
    }
  }

  void Do(const Task& task) {
    RecordingRow row = ReadRow(PathTo(task));
    const std::lock_guard lock(mutex_);
    builder_.Add(row);
    if (uses_catalogue_ && task.home != kNoHome && row.error.empty()) {
      row.path = task.path;
      homes_[task.home]->catalogue.Add(row);
    }
    ++read_.read;
    progress_.Update(++done_);
  }

  void FinishCatalogues() {
    for (const std::unique_ptr<Home>& home : homes_) {
      const Result<void> written = home->catalogue.Finish();
      if (written) continue;
      read_.catalogue_note =
          written.error().sentence + " Without a catalogue, each run reads all recordings.";
    }
  }

  const bool uses_catalogue_;
  std::vector<std::unique_ptr<Home>> homes_;
  std::vector<Task> tasks_;     // those of a home are ordered by path
  std::vector<bool> is_known_;  // indexed by task: from a catalogue
  std::atomic<size_t> next_ = 0;
  bool has_unreadable_folder_ = false;
  std::mutex mutex_;  // protects the following
  uint64_t done_ = 0;
  Progress progress_{"reading"};
  FleetBuilder builder_;
  ReadFleet read_;
};

}  // namespace

RecordingRow ReadRow(const std::string& path) {
  const FilesStamp stamp = StampOf(path);  // taken before: later writes are noticed the next time
  RecordingRow row;
  try {
    row = ReadOne(path);
  } catch (const std::exception& failure) {  // in one recording; the others continue
    row = {};
    row.error = Printable(path) + " cannot be read: " + failure.what() + ".";
  }
  row.stamp = stamp;
  row.path = path;
  return row;
}

Result<ReadFleet> ReadRecordings(const std::vector<std::string>& paths, bool uses_catalogue) {
  return FleetReader(uses_catalogue).Run(paths);
}

}  // namespace hindsight::analyzer
