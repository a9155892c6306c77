#include "analyzer/commands/serve_source.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <system_error>

#include "analyzer/analyses/allocations/allocation_profile.h"
#include "analyzer/analyses/cpu/cpu_profile.h"
#include "analyzer/analyses/gc/gc.h"
#include "analyzer/analyses/stack_profile.h"
#include "analyzer/analyses/timeline.h"
#include "analyzer/analyses/waits/thread_states.h"
#include "analyzer/analyses/waits/wall_time.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/load_model.h"
#include "analyzer/commands/load_reports.h"
#include "analyzer/commands/read_fleet.h"
#include "analyzer/exports/flame_data.h"
#include "analyzer/exports/flame_tree.h"
#include "analyzer/fleet/catalogue_row.h"
#include "analyzer/reader/files.h"
#include "analyzer/reader/heap_reader.h"
#include "analyzer/report/allocations/allocations_report.h"
#include "analyzer/report/cpu/cpu_report.h"
#include "analyzer/report/exceptions_json.h"
#include "analyzer/report/gc/gc_report.h"
#include "analyzer/report/timeline_report.h"
#include "analyzer/report/waits/wall_report.h"
#include "proto/file_names.h"

namespace hindsight::analyzer {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t kTimelineParts = 240;
constexpr uint32_t kWallParts = 120;
constexpr size_t kMostExceptions = 300;
constexpr size_t kMostMessages = 3;

// Whether `path`, with all links followed, is below `folder`.
bool IsBelow(const fs::path& path, const fs::path& folder) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error) return false;
  const auto [end, at] = std::mismatch(folder.begin(), folder.end(), real.begin(), real.end());
  return end == folder.end() && at != real.end();
}

// Recordings may come from anywhere: neither they nor their files may lead out of the folder
// through a link.
bool StaysBelow(const fs::path& path, const fs::path& folder) {
  if (!IsBelow(path, folder)) return false;
  std::error_code error;
  if (fs::is_regular_file(path, error)) return true;
  for (fs::directory_iterator entry(path, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (entry->path().extension() == kFileSuffix && !IsBelow(entry->path(), folder)) return false;
  }
  return !error;
}

ExceptionScope ScopeOf(const EventScope& wanted) {
  ExceptionScope scope;
  scope.from_ns = wanted.from_ns;
  scope.to_ns = wanted.to_ns;
  scope.apart_by_thread = !wanted.thread.empty();
  return scope;
}

}  // namespace

Result<std::unique_ptr<ServedRecordings>> ServedRecordings::Open(const std::string& path,
                                                                 SymbolPaths symbols) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error) {
    return Error{"Cannot open " + Printable(path) + ": " + error.message() + "."};
  }
  const bool is_one = !fs::is_directory(real, error) ||
                      real.filename().string().ends_with(kFolderSuffix) || IsRecording(path);
  std::unique_ptr<ServedRecordings> made(
      new ServedRecordings(real.string(), is_one, std::move(symbols)));
  if (is_one) {
    const Result<Recording> recording = OpenRecording({&made->place_, 1}, false);
    if (!recording) return recording.error();
  } else if (const auto all = made->List(); !all) {
    return all.error();
  }
  return made;
}

Result<std::vector<FoundRecording>> ServedRecordings::List() {
  const fs::path place = place_;
  if (is_one_) return std::vector{DescribeRecording(place_)};
  Result<std::vector<FoundRecording>> all = FindRecordings(place_);
  if (all) std::erase_if(*all, [&](const auto& found) { return !StaysBelow(found.path, place); });
  return all;
}

// Does not look at the folder's other entries, because every click calls it.
Result<FoundRecording> ServedRecordings::Find(std::string_view name) {
  const fs::path place = place_;
  const fs::path path = is_one_ ? place : place / name;
  const bool is_name = name.find('/') == name.npos && name.ends_with(kFolderSuffix);
  if (is_one_ ? name != place.filename().string() : !is_name || !StaysBelow(path, place)) {
    return Error{"There is no recording " + Printable(name) + " in " + Printable(place_) + "."};
  }
  return DescribeRecording(path.string());
}

Result<std::string> ServedRecordings::Brief(const std::string& path) {
  const RecordingRow row = ReadRow(path);
  if (!row.error.empty()) return Error{row.error};
  return CatalogueLine(row) + "\n";
}

Result<std::string> ServedRecordings::Report(const std::string& path, const std::string& earlier,
                                             const PageFrame& frame) {
  const ReportScope scope = {.shows_progress = false, .symbols = symbols_};
  const Result<LoadedReports> now = LoadReports({&path, 1}, scope);
  if (!now) return now.error();
  std::optional<LoadedReports> before;
  if (!earlier.empty()) {
    Result<LoadedReports> loaded = LoadReports({&earlier, 1}, scope);
    if (!loaded) return loaded.error();
    before = std::move(*loaded);
  }
  const PageRecording later_side = {&now->reports, path, now->damages};
  PageRecording earlier_side;
  if (before) earlier_side = {&before->reports, earlier, before->damages};
  std::string page;
  WritePage(
      later_side, before ? &earlier_side : nullptr, "hindsight " HINDSIGHT_VERSION,
      [&page](std::string_view bytes) {
        page += bytes;
        return true;
      },
      {}, frame);
  return page;
}

Result<std::vector<HeapFacts>> ServedRecordings::Snapshots(const std::string& path) {
  return ListHeaps({&path, 1});
}

Result<std::unique_ptr<HeapParts>> ServedRecordings::Heap(const std::string& path,
                                                          std::optional<uint32_t> snapshot) {
  Result<Recording> recording = OpenRecording({&path, 1}, false);
  if (!recording) return recording.error();
  Result<analyzer::Heap> heap = LoadHeap(*recording, snapshot, HeapNeeds::kGraph, false);
  if (!heap) return heap.error();
  auto parts = std::make_unique<HeapParts>();
  parts->model = std::move(heap->model);
  parts->snapshots = ListHeaps(*recording);
  return parts;
}

Result<SharedCache<ServedRecordings::ModelKey, Model>::Shared> ServedRecordings::ModelOf(
    const std::string& path, const ExceptionScope& scope) {
  const uint64_t bytes = DescribeRecording(path).bytes;
  const ModelKey key = {path, bytes, scope.from_ns, scope.to_ns, scope.apart_by_thread};
  return models_.Get(key, [&]() -> Result<std::unique_ptr<Model>> {
    Result<Recording> recording = OpenRecording({&path, 1}, false);
    if (!recording) return recording.error();
    if (!recording->integrity().has_events) {
      return Error{"This recording has heap snapshots only: there is nothing over time."};
    }
    return LoadModel(*recording, scope, false, symbols_);
  });
}

Result<std::string> ServedRecordings::Events(const std::string& path, const EventScope& wanted) {
  const auto found = ModelOf(path, ScopeOf(wanted));
  if (!found) return found.error();
  const Model& model = **found;
  std::string json = "{";
  const auto add = [&json](std::string_view command, const std::string& answer) {
    json += (json.size() == 1 ? "\"" : ",\"") + std::string(command) + "\": " + answer;
  };
  CpuQuery cpu;
  cpu.from_ns = wanted.from_ns;
  cpu.to_ns = wanted.to_ns;
  cpu.thread = wanted.thread;
  AllocationQuery allocations;
  allocations.from_ns = wanted.from_ns;
  allocations.to_ns = wanted.to_ns;
  allocations.thread = wanted.thread;
  ExceptionQuery exceptions;
  exceptions.thread = wanted.thread;
  // Of the whole recording, because the part is selected in it.
  add("timeline", TimelineJson(BuildTimeline(model, {.parts = kTimelineParts})));
  add("cpu", CpuJson(AnalyzeCpu(model, cpu), cpu));
  add("allocations", AllocationsJson(AnalyzeAllocations(model, allocations), allocations));
  add("exceptions",
      ExceptionsJson(AnalyzeExceptions(model, exceptions, wanted.from_ns, wanted.to_ns),
                     kMostExceptions, kMostMessages));
  // Pauses stop all threads.
  if (wanted.thread.empty()) {
    add("gc", GcJson(AnalyzeGc(model, {.from_ns = wanted.from_ns, .to_ns = wanted.to_ns})));
  }
  const bool waits_seen = ThreadStates(model).is_seen();
  add("waits_seen", waits_seen ? "true" : "false");
  if (waits_seen && wanted.thread.empty()) {
    add("wall",
        WallJson(AnalyzeWallTime(
            model, {.from_ns = wanted.from_ns, .to_ns = wanted.to_ns, .lane_parts = kWallParts})));
  }
  return json + "}\n";
}

Result<std::string> ServedRecordings::Flames(const std::string& path, const EventScope& wanted,
                                             std::string_view signal) {
  const auto found = ModelOf(path, ScopeOf(wanted));
  if (!found) return found.error();
  const Model& model = **found;
  StackProfileQuery query;
  query.signal = signal == "allocations"  ? ProfileSignal::kAllocations
                 : signal == "exceptions" ? ProfileSignal::kExceptions
                 : signal == "wall"       ? ProfileSignal::kWall
                                          : ProfileSignal::kCpu;
  query.thread = wanted.thread;
  query.from_ns = wanted.from_ns;
  query.to_ns = wanted.to_ns;
  query.type_frames = true;
  const StackProfile profile = BuildStackProfile(model, query);
  const PageLimits limits;
  const FlameTree tree = BuildFlameTree(
      {&model, &profile}, {}, {.nodes = limits.flame_nodes, .name_bytes = limits.flame_name_bytes});
  const std::string& application = model.facts.application;
  const std::string title =
      (application.empty() ? "A recording" : application) + ": " + std::string(signal);
  std::string json;
  WriteFlameData(tree, profile, nullptr, {title, "hindsight " HINDSIGHT_VERSION}, {},
                 [&json](std::string_view bytes) {
                   json += bytes;
                   return true;
                 });
  return json;
}

}  // namespace hindsight::analyzer
