// From the packets of a heap snapshot to every report on it: a Recording of any packets, put into
// segments as the recorder would.
#include <google/protobuf/stubs/logging.h>
#include <zstd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/analyses/allocations/retained_allocations.h"
#include "analyzer/analyses/heap/leaks.h"
#include "analyzer/analyses/heap/object_pages.h"
#include "analyzer/analyses/heap/referrers.h"
#include "analyzer/analyses/heap/targets.h"
#include "analyzer/analyses/references/owner_path.h"
#include "analyzer/analyses/waits/deadlocks.h"
#include "analyzer/analyses/waits/stuck_tasks.h"
#include "analyzer/reader/heap_reader.h"
#include "analyzer/report/allocations/retained_report.h"
#include "analyzer/report/heap/contents_reports.h"
#include "analyzer/report/heap/heap_tree_report.h"
#include "analyzer/report/heap/histogram_report.h"
#include "analyzer/report/heap/leaks_report.h"
#include "analyzer/report/heap/object_pages_report.h"
#include "analyzer/report/heap/object_reports.h"
#include "analyzer/report/waits/deadlocks_report.h"
#include "analyzer/report/waits/tasks_report.h"
#include "proto/recording.pb.h"
#include "proto/segment.h"
#include "tests/fuzz/memory_file.h"

namespace {

using namespace hindsight::analyzer;
using hindsight::kSegmentHeaderBytes;
using hindsight::SegmentKind;

class File {
 public:
  void Add(const hindsight::Recording& packets, SegmentKind kind) {
    hindsight::Recording body;
    body.add_packet()->mutable_segment_start();
    const std::string raw = body.SerializeAsString() + packets.SerializeAsString();
    const size_t at = bytes_.size();
    bytes_.resize(at + kSegmentHeaderBytes + ZSTD_compressBound(raw.size()));
    const std::span<std::byte> room = std::span(bytes_).subspan(at + kSegmentHeaderBytes);
    const size_t frame = ZSTD_compress(room.data(), room.size(), raw.data(), raw.size(), 1);
    if (ZSTD_isError(frame)) std::abort();
    bytes_.resize(at + kSegmentHeaderBytes + frame);
    hindsight::SegmentHeader header;
    header.kind = kind;
    header.file_number = 1;
    header.sequence = sequence_++;
    header.compressed_bytes = static_cast<uint32_t>(frame);
    header.raw_bytes = static_cast<uint32_t>(raw.size());
    header.body_crc32c = hindsight::Crc32c(std::span(bytes_).subspan(at + kSegmentHeaderBytes));
    EncodeSegmentHeader(header, std::span(bytes_).subspan(at).first<kSegmentHeaderBytes>());
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
  uint64_t sequence_ = 0;
};

// Puts objects into segments of their own, and everything else before, between and after them.
File FileOf(const hindsight::Recording& recording) {
  File file;
  hindsight::Recording tables;
  for (const hindsight::Packet& packet : recording.packet()) {
    if (packet.has_segment_start()) continue;
    if (!packet.has_heap_objects()) {
      *tables.add_packet() = packet;
      continue;
    }
    if (tables.packet_size() > 0) file.Add(tables, SegmentKind::kHeapTables);
    tables.Clear();
    hindsight::Recording objects;
    *objects.add_packet() = packet;
    file.Add(objects, SegmentKind::kHeapObjects);
  }
  file.Add(tables, SegmentKind::kHeapTables);
  return file;
}

void ExpectJson(const std::string& text) {
  if (!nlohmann::json::accept(text)) std::abort();
}

// What the explorer requests.
void BrowseObjects(const HeapModel& model, const Dominators& dominators, const DominatorTree& tree,
                   const SlotNames& names, const RootPaths& paths) {
  const HeapContext heap = {&model, &names, &dominators};
  const TopEdges top(model, names, paths);
  const Referrers referrers(model.graph);
  const PageRange range = {.from = 1, .rows = 3};
  std::vector<ObjectId> objects =
      ObjectsOf(model.graph, std::vector<bool>(model.graph.classes().size(), true));
  SortRange(dominators, range, objects);
  ExpectJson(
      InstancesJson(heap, {.type = "all", .objects = objects.size(), .from = 0, .rows = objects}));
  objects.resize(std::min<size_t>(objects.size(), 8));
  for (const ObjectId id : objects) {
    const ObjectDetails slow = DescribeObject(model, dominators, names, paths, id);
    const ObjectDetails fast = DescribeObject(model, dominators, names, paths, id, {}, &referrers);
    if (slow.referrer_count != fast.referrer_count) std::abort();
    const std::vector<ObjectId> way = paths.PathTo(id);
    ExpectJson(
        RootPathJson(heap, way.empty() ? OwnerPath() : MakeOwnerPath(model, names, paths, way)));
  }
  objects.push_back(kSuperRoot);
  for (const ObjectId id : objects) {
    const ObjectPage page = PageOfDominated(model, dominators, tree, paths, names, top, id,
                                            Dominated(tree, names, id), range);
    ExpectJson(DominatedJson(heap, id, range, page));
  }
}

void MakeReports(const HeapModel& model) {
  const Dominators dominators = ComputeDominators(model.graph);
  const DominatorTree tree(dominators);
  const SlotNames names(model);
  const RootPaths paths(model.graph);
  TextStyle style;
  style.width = 60;

  const TypeHistogram histogram = MakeTypeHistogram(model, dominators, tree);
  HistogramView view;
  view.model = &model;
  view.dominators = &dominators;
  view.histogram = &histogram;
  HistogramText(view, style);
  ExpectJson(HistogramJson(view));
  const LargestObjects largest = FindLargest(model, dominators, names, paths, 10, true);
  RetainedText(model, largest, style);
  ExpectJson(RetainedJson(model, largest));
  const FoldedDominators folded = FoldDominators(model, names, paths, dominators, tree, {0, 64});
  DominatorsText(model, folded, style);
  ExpectJson(DominatorsJson(model, folded));
  if (const auto targets = FindTargets(model, "*")) {
    const MergedPaths merged = MergePaths(model, names, paths, *targets, {0, 64});
    if (merged.tree.objects != dominators.reachable_objects) std::abort();
    PathsText(model, merged, "*", style);
    ExpectJson(PathsJson(model, merged, "*"));
  }
  for (ObjectId id = 0; id < std::min<ObjectId>(model.graph.size(), 4); ++id) {
    const ObjectDetails details = DescribeObject(model, dominators, names, paths, id);
    ObjectText(model, dominators, details, style);
    ExpectJson(ObjectJson(model, dominators, details));
  }
  BrowseObjects(model, dominators, tree, names, paths);
  const CollectionReport collections = AnalyzeCollections(model, names, paths);
  CollectionsText(model, collections, 20, style);
  ExpectJson(CollectionsJson(model, collections));
  const StringReport strings = AnalyzeStrings(model, names, paths, 20);
  StringsText(model, strings, style);
  ExpectJson(StringsJson(model, strings));
  const GenerationReport generations = AnalyzeGenerations(model, dominators);
  GenerationsText(model, generations, 20, style);
  ExpectJson(GenerationsJson(model, generations));
  AllocationQuery query;
  for (const bool bottom_up : {false, true}) {
    query.bottom_up = bottom_up;
    const RetainedAllocations retained = AnalyzeRetainedAllocations(model, paths, query);
    RetainedAllocationsText(model, retained, query, {.top = 5, .min_share = 0, .style = style});
    ExpectJson(RetainedAllocationsJson(model, retained, query));
  }
  LeakRules rules;
  rules.min_count = 2;
  rules.min_shape_bytes = rules.min_bytes = 0;
  rules.min_share = 0;
  const LeakReport leaks = AnalyzeLeaks(model, names, paths, dominators, tree, rules);
  LeaksText(model, names, leaks, style);
  ExpectJson(LeaksJson(model, names, leaks));
  const HeapWaits waits(model, paths);
  const DeadlockReport deadlocks = FindDeadlocks(waits);
  const DeadlockOrigin origin = OriginOf(waits);
  DeadlocksText(origin, deadlocks, style);
  ExpectJson(DeadlocksJson(origin, deadlocks));
  const TaskAwaits thread_stacks = AwaitsOf(waits);
  const TaskReport tasks = FindTasks(waits, names, &thread_stacks);
  TasksText(model, tasks, 20, style);
  ExpectJson(TasksJson(model, tasks));
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  google::protobuf::SetLogHandler(nullptr);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hindsight::Recording recording;
  if (!recording.ParseFromArray(data, static_cast<int>(size))) return 0;
  const std::string path = hindsight::fuzz::MemoryFile(FileOf(recording).bytes());
  const auto model = ReadHeap({&path, 1}, std::nullopt);
  if (!model) return 0;
  MakeReports(**model);
  return 0;
}
