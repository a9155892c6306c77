#include "analyzer/commands/read_fleet.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
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

constexpr int kMostDepth = 16;  // of folders below the one that was given
constexpr uint64_t kRowsBetweenSaves = 1000;

// One that is to be read.
struct Task {
  std::string path;
  size_t home = 0;       // whose catalogue it is in; kNoHome: none
  std::string relative;  // to the home's folder
};
constexpr size_t kNoHome = SIZE_MAX;

struct Home {
  std::string folder;
  CatalogueRows rows;          // of this run and those before
  std::set<std::string> seen;  // of them, those that are still there
  bool is_changed = false;     // since it was read
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
    const int64_t first_ns = std::max<int64_t>(0, facts.first_ns);
    row.started_unix_ns = facts.started_unix_ns;
    if (row.started_unix_ns != 0) row.started_unix_ns += static_cast<uint64_t>(first_ns);
    row.duration_ns = static_cast<uint64_t>(std::max<int64_t>(0, facts.last_ns - first_ns));
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
    if (tasks_.empty() && fleet_.rows.empty()) {
      return Error{"There is no recording in " + Printable(paths.front()) +
                   "; give folders with recordings, or recordings."};
    }
    progress_.Start(tasks_.size());
    RunParallel([this](unsigned) {
      for (size_t next = next_++; next < tasks_.size(); next = next_++) Do(tasks_[next]);
    });
    progress_.Finish();
    for (Home& home : homes_) {
      const auto is_gone = [&home](const auto& row) { return !home.seen.contains(row.first); };
      if (std::erase_if(home.rows, is_gone) > 0) home.is_changed = true;
    }
    Save();
    for (Home& home : homes_) TakeRows(home);
    return std::move(fleet_);
  }

 private:
  Result<void> Add(const std::string& path) {
    std::error_code error;
    const fs::file_status status = fs::status(PathOf(path), error);
    if (!fs::exists(status)) {
      return Error{"Cannot open " + Printable(path) + ": " + std::strerror(ErrnoOf(error)) + "."};
    }
    const bool is_recording = !fs::is_directory(status) ||
                              PathOf(path).filename().string().ends_with(kFolderSuffix) ||
                              IsRecording(path);
    if (is_recording) {
      tasks_.push_back({path, kNoHome, ""});
      return {};
    }
    const size_t home = homes_.size();
    homes_.push_back({.folder = path, .rows = {}, .seen = {}});
    if (uses_catalogue_) homes_[home].rows = ReadCatalogue(path, Version());
    Search(PathOf(path), home, 0);
    return {};
  }

  // Links are not followed: they may lead in a circle, or to what is here already.
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
      fleet_.rows.push_back(std::move(row));
    }
    std::sort(folders.begin(), folders.end());
    for (const fs::path& one : folders) {
      const std::string name = one.filename().string();
      if (name.find(".part-") != name.npos) continue;  // that is being made
      if (name.ends_with(kFolderSuffix) || IsRecording(one.string())) {
        tasks_.push_back(
            {one.string(), home, one.lexically_relative(PathOf(homes_[home].folder)).string()});
      } else if (depth < kMostDepth) {
        Search(one, home, depth + 1);
      }
    }
  }

  void Do(const Task& task) {
    const FilesStamp stamp = StampOf(task.path);
    if (IsKnown(task, stamp)) return;
    RecordingRow row;
    try {
      row = ReadOne(task.path);
    } catch (const std::exception& failure) {  // of one; the others go on
      row = {};
      row.error = Printable(task.path) + " cannot be read: " + failure.what() + ".";
    }
    row.stamp = stamp;
    const std::lock_guard lock(mutex_);
    if (task.home != kNoHome && row.error.empty()) {
      Home& home = homes_[task.home];
      home.seen.insert(task.relative);
      row.path = task.relative;
      home.rows.insert_or_assign(task.relative, std::move(row));
      home.is_changed = true;
    } else {
      row.path = task.path;
      fleet_.rows.push_back(std::move(row));
    }
    progress_.Update(++done_);
    if (++fleet_.read % kRowsBetweenSaves == 0) Save();
  }

  // From a run before.
  bool IsKnown(const Task& task, const FilesStamp& stamp) {
    if (task.home == kNoHome) return false;
    const std::lock_guard lock(mutex_);
    Home& home = homes_[task.home];
    const auto row = home.rows.find(task.relative);
    if (row == home.rows.end() || row->second.stamp != stamp) return false;
    home.seen.insert(task.relative);
    ++fleet_.from_catalogue;
    progress_.Update(++done_);
    return true;
  }

  // The rows of the catalogues, which are not needed there any more: there are many, and each is
  // there once.
  void TakeRows(Home& home) {
    fleet_.rows.reserve(fleet_.rows.size() + home.rows.size());
    while (!home.rows.empty()) {
      RecordingRow row = std::move(home.rows.extract(home.rows.begin()).mapped());
      row.path = (PathOf(home.folder) / PathOf(row.path)).string();
      fleet_.rows.push_back(std::move(row));
    }
  }

  // What was read so far is not read again, however this run ends.
  void Save() {
    if (!uses_catalogue_) return;
    fleet_.catalogue_note.clear();
    for (Home& home : homes_) {
      if (!home.is_changed) continue;
      const Result<void> written = WriteCatalogue(home.folder, Version(), home.rows);
      if (written) continue;
      fleet_.catalogue_note =
          written.error().sentence + " Without a catalogue, each run reads all recordings.";
    }
  }

  const bool uses_catalogue_;
  std::vector<Home> homes_;
  std::vector<Task> tasks_;
  std::atomic<size_t> next_ = 0;
  std::mutex mutex_;  // for what follows
  uint64_t done_ = 0;
  Progress progress_{"reading"};
  ReadFleet fleet_;
};

}  // namespace

Result<ReadFleet> ReadRecordings(const std::vector<std::string>& paths, bool uses_catalogue) {
  return FleetReader(uses_catalogue).Run(paths);
}

}  // namespace hindsight::analyzer
