#include "analyzer/reader/heap_reader.h"

#include <algorithm>
#include <utility>

#include "analyzer/base/progress.h"
#include "analyzer/base/text.h"
#include "analyzer/reader/expansion.h"
#include "analyzer/reader/heap_limits.h"
#include "analyzer/reader/heap_objects.h"
#include "analyzer/reader/heap_tables.h"
#include "analyzer/reader/heap_threads.h"
#include "analyzer/reader/recording_reader.h"
#include "analyzer/reader/segment_index.h"
#include "analyzer/reader/segment_loader.h"

namespace hindsight::analyzer {
namespace {

// Null, or a clause that says why nothing of this snapshot is read.
const char* CheckExpansion(const SegmentIndex& index, uint32_t number) {
  std::vector<SegmentRef> all;
  for (const SegmentRef& segment : index.heap_segments()) {
    if (segment.header.file_number == number) all.push_back(segment);
  }
  return CheckExpansion(all, kFreeHeapBytes);
}

// The intact segments of one snapshot and one kind, with their indexes.
struct Segments {
  std::vector<SegmentRef> refs;
  std::vector<size_t> places;
};

Segments Select(const SegmentIndex& index, uint32_t number, SegmentKind kind) {
  Segments selected;
  const std::vector<SegmentRef>& all = index.heap_segments();
  for (size_t i = 0; i < all.size(); ++i) {
    const SegmentRef& segment = all[i];
    if (segment.lost || segment.header.file_number != number || segment.header.kind != kind) {
      continue;
    }
    selected.refs.push_back(segment);
    selected.places.push_back(i);
  }
  return selected;
}

// A segment whose contents break a rule, and the rule.
struct Fault {
  size_t place = 0;
  const char* clause = nullptr;
};

// Takes the packets of all table segments that are valid as a whole.
void ReadTables(SegmentIndex& index, uint32_t number, HeapTables& tables,
                std::vector<Fault>* faults = nullptr) {
  const Segments segments = Select(index, number, SegmentKind::kHeapTables);
  SegmentLoader loader(index.paths());
  std::vector<std::byte> body;
  Packet packet;
  PacketContext context;
  HeapTableLimits limits;
  for (size_t i = 0; i < segments.refs.size(); ++i) {
    const char* clause = loader.Load(segments.refs[i], body);
    HeapTableLimits with_this = limits;
    if (clause == nullptr) {
      PacketCursor check(body);
      while (clause == nullptr && check.Next(packet, context)) clause = with_this.Take(packet);
      if (clause == nullptr) clause = check.error();
    }
    if (clause != nullptr) {
      index.MarkHeapInvalid(segments.places[i], clause);
      if (faults != nullptr) faults->push_back({segments.places[i], clause});
      continue;
    }
    limits = with_this;
    PacketCursor cursor(body);
    while (cursor.Next(packet, context)) tables.Take(context, packet);
  }
  tables.Finish();
}

void MarkInvalid(SegmentIndex& index, const Segments& segments, const HeapObjectsReader& objects) {
  for (const auto& [segment, clause] : objects.invalid()) {
    index.MarkHeapInvalid(segments.places[segment], clause);
  }
}

const HeapFileSummary& SummaryOf(const SegmentIndex& index, uint32_t number) {
  const std::vector<HeapFileSummary>& heaps = index.integrity().heaps;
  return *std::find_if(heaps.begin(), heaps.end(),
                       [number](const HeapFileSummary& heap) { return heap.number == number; });
}

HeapFacts FactsOf(const SegmentIndex& index, uint32_t number, const HeapTables& tables) {
  HeapFacts facts = tables.facts();
  facts.number = number;
  facts.lost_segments = SummaryOf(index, number).lost_segments;
  return facts;
}

Error NoSnapshot(const std::string& name) {
  return {name + " contains no heap snapshot; take one with `hindsight-trigger snapshot PID`."};
}

// The number of the snapshot to read.
Result<uint32_t> Choose(Recording& recording, std::optional<uint32_t> wanted) {
  const std::vector<HeapFileSummary>& heaps = recording.integrity().heaps;
  if (heaps.empty()) return NoSnapshot(recording.name());
  std::string numbers;
  for (const HeapFileSummary& heap : heaps) {
    if (wanted == heap.number) return heap.number;
    numbers += (numbers.empty() ? "" : ", ") + std::to_string(heap.number);
  }
  if (wanted) {
    return Error{recording.name() + " has no heap snapshot " + std::to_string(*wanted) +
                     "; it has " + numbers + ".",
                 ExitCode::kUsage};
  }
  if (heaps.size() == 1) return heaps.front().number;
  const std::vector<HeapFacts> facts = ListHeaps(recording);
  const std::optional<uint32_t> best = NewestOf(facts);
  const bool is_certified = std::any_of(
      facts.begin(), facts.end(), [](const HeapFacts& heap) { return heap.certified_objects > 0; });
  if (best && is_certified) return *best;
  const auto newest = std::find_if(heaps.rbegin(), heaps.rend(), [](const HeapFileSummary& heap) {
    return heap.object_segments > 0;
  });
  return newest != heaps.rend() ? newest->number : heaps.back().number;
}

Error Unusable(const Recording& recording, uint32_t number, const std::string& why) {
  return {"Snapshot " + std::to_string(number) + " of " + recording.name() +
          " cannot be used: " + why + (why.ends_with('.') ? "" : ".")};
}

std::string WhyEmpty(const HeapFacts& facts, const HeapObjectsReader& objects) {
  if (!objects.invalid().empty()) {
    return std::string(objects.invalid().front().second) + "; it is corrupt or malicious";
  }
  if (!facts.result_reason.empty()) return "it has no objects: " + Printable(facts.result_reason);
  if (facts.lost_segments > 0) {
    return "none of its objects is intact; `hindsight verify` shows more";
  }
  return "it has no objects; `hindsight info` shows how it ended";
}

constexpr size_t kMaxFaultsListed = 20;

void AddCount(const char* what, uint64_t certified, uint64_t here, HeapCheck& check) {
  if (certified == here) return;
  check.faults.push_back("its certificate lists " + FormatCount(certified) + " " + what + ", " +
                         FormatCount(here) + " are present");
}

void Describe(const SegmentIndex& index, const std::vector<Fault>& faults, HeapCheck& check) {
  if (check.facts.lost_segments > 0) {
    check.faults.push_back(Plural(check.facts.lost_segments, "segment") + " damaged or missing");
  }
  for (size_t i = 0; i < faults.size() && i < kMaxFaultsListed; ++i) {
    const SegmentRef& segment = index.heap_segments()[faults[i].place];
    check.faults.push_back("segment " + std::to_string(segment.header.sequence) + ": " +
                           faults[i].clause);
  }
  if (check.facts.result == HeapFacts::Result::kNoCertificate) {
    check.faults.push_back(
        "it has no certificate: it is still being written, or its writer was killed");
    return;
  }
  // Counts of an incomplete snapshot are those at the walk's last report, and it says itself that
  // it is incomplete.
  if (check.facts.result != HeapFacts::Result::kComplete) return;
  AddCount("objects", check.facts.certified_objects, check.objects, check);
  AddCount("bytes of objects", check.facts.certified_bytes, check.object_bytes, check);
  AddCount("slots", check.facts.certified_slots, check.slots, check);
}

}  // namespace

Result<std::unique_ptr<HeapModel>> ReadHeap(Recording& recording, std::optional<uint32_t> snapshot,
                                            Progress* progress) {
  SegmentIndex& index = recording.index();
  const Result<uint32_t> number = Choose(recording, snapshot);
  if (!number) return number.error();

  if (const char* clause = CheckExpansion(index, *number)) {
    return Unusable(recording, *number, clause);
  }
  HeapTables tables;
  ReadTables(index, *number, tables);
  const Segments segments = Select(index, *number, SegmentKind::kHeapObjects);
  HeapObjectsReader objects(index.paths(), segments.refs, tables.shapes(), progress);
  objects.Check();
  MarkInvalid(index, segments, objects);
  index.Summarize();
  HeapFacts facts = FactsOf(index, *number, tables);
  if (objects.objects() == 0) return Unusable(recording, *number, WhyEmpty(facts, objects));

  HeapColumns columns;
  auto model = std::make_unique<HeapModel>(tables.TakeModel(columns));
  const char* error = nullptr;
  facts.dangling_references = objects.Fill(columns, error);
  if (error != nullptr) return Unusable(recording, *number, error);
  tables.Resolve(columns);
  tables.Resolve(columns, model->survivors);
  NameThreads(columns, model->dictionaries);
  model->graph = HeapGraph(std::move(columns));
  model->graph.facts = std::move(facts);
  return model;
}

std::vector<HeapCheck> CheckHeaps(Recording& recording, Progress* progress) {
  SegmentIndex& index = recording.index();
  std::vector<HeapCheck> checks;
  std::vector<uint32_t> numbers;
  for (const HeapFileSummary& heap : index.integrity().heaps) numbers.push_back(heap.number);
  for (const uint32_t number : numbers) {
    if (const char* clause = CheckExpansion(index, number)) {
      HeapCheck& check = checks.emplace_back();
      check.facts.number = number;
      check.faults.push_back(clause);
      continue;
    }
    std::vector<Fault> faults;
    HeapTables tables;
    ReadTables(index, number, tables, &faults);
    const Segments segments = Select(index, number, SegmentKind::kHeapObjects);
    HeapObjectsReader objects(index.paths(), segments.refs, tables.shapes(), progress);
    objects.Check();
    MarkInvalid(index, segments, objects);
    for (const auto& [segment, clause] : objects.invalid()) {
      faults.push_back({segments.places[segment], clause});
    }
    const char* const beyond = objects.BeyondLimit();
    index.Summarize();
    HeapCheck& check = checks.emplace_back();
    if (beyond != nullptr) check.faults.push_back(beyond);
    check.facts = FactsOf(index, number, tables);
    check.objects = objects.objects();
    check.object_bytes = objects.object_bytes();
    check.slots = objects.slots();
    Describe(index, faults, check);
  }
  return checks;
}

std::vector<HeapFacts> ListHeaps(Recording& recording) {
  SegmentIndex& index = recording.index();
  std::vector<HeapFacts> facts;
  std::vector<uint32_t> numbers;
  for (const HeapFileSummary& heap : index.integrity().heaps) numbers.push_back(heap.number);
  for (const uint32_t number : numbers) {
    HeapTables tables;
    if (CheckExpansion(index, number) == nullptr) ReadTables(index, number, tables);
    index.Summarize();
    facts.push_back(FactsOf(index, number, tables));
  }
  return facts;
}

std::optional<uint32_t> NewestOf(std::span<const HeapFacts> heaps) {
  std::optional<uint32_t> newest, with_objects, complete;
  for (const HeapFacts& heap : heaps) {
    newest = heap.number;
    if (heap.certified_objects > 0) with_objects = heap.number;
    if (heap.certified_objects > 0 && heap.complete()) complete = heap.number;
  }
  return complete ? complete : with_objects ? with_objects : newest;
}

Result<std::unique_ptr<HeapModel>> ReadHeap(std::span<const std::string> paths,
                                            std::optional<uint32_t> snapshot) {
  Result<Recording> recording = Recording::Open(paths);
  if (!recording) return recording.error();
  return ReadHeap(*recording, snapshot);
}

Result<std::vector<HeapFacts>> ListHeaps(std::span<const std::string> paths) {
  Result<Recording> recording = Recording::Open(paths);
  if (!recording) return recording.error();
  return ListHeaps(*recording);
}

Result<std::vector<HeapCheck>> CheckHeaps(std::span<const std::string> paths) {
  Result<Recording> recording = Recording::Open(paths);
  if (!recording) return recording.error();
  return CheckHeaps(*recording);
}

}  // namespace hindsight::analyzer
