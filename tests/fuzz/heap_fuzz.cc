// The tables and the batches of a snapshot, past all checksums, to the graph and who dominates
// whom: any bytes. The input: the length of the tables in two bytes, how often the first batch is
// repeated and how far apart (a power of two each), the body of the tables, that of the objects. So
// a few bytes become as many batches as a real snapshot has.
#include <google/protobuf/stubs/logging.h>
#include <zstd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "analyzer/analyses/heap/dominators.h"
#include "analyzer/reader/heap_reader.h"
#include "analyzer/reader/recording_reader.h"
#include "proto/limits.h"
#include "proto/recording.pb.h"
#include "proto/segment.h"
#include "tests/fuzz/memory_file.h"

namespace {

using namespace hindsight::analyzer;
using hindsight::kSegmentHeaderBytes;
using hindsight::SegmentKind;

void AddSegment(std::vector<std::byte>& file, SegmentKind kind, uint64_t sequence,
                std::span<const uint8_t> body) {
  std::vector<std::byte> frame(ZSTD_compressBound(body.size()));
  const size_t size = ZSTD_compress(frame.data(), frame.size(), body.data(), body.size(), 1);
  if (ZSTD_isError(size)) std::abort();
  frame.resize(size);
  hindsight::SegmentHeader header;
  header.kind = kind;
  header.file_number = 1;
  header.sequence = sequence;
  header.compressed_bytes = static_cast<uint32_t>(size);
  header.raw_bytes = static_cast<uint32_t>(body.size());
  header.body_crc32c = hindsight::Crc32c(frame);
  const size_t at = file.size();
  file.resize(at + kSegmentHeaderBytes);
  EncodeSegmentHeader(header, std::span(file).subspan(at).first<kSegmentHeaderBytes>());
  file.insert(file.end(), frame.begin(), frame.end());
}

constexpr unsigned kMaxCopiesLog = 17;
constexpr unsigned kMaxStrideLog = 47;
constexpr uint64_t kBatchesPerSegment = 16384;

// Appends segments with copies of the first batch in `body`, at addresses after it.
void AddCopies(std::vector<std::byte>& file, std::span<const uint8_t> body, uint64_t copies,
               uint64_t stride) {
  hindsight::Recording recording;
  if (!recording.ParseFromArray(body.data(), static_cast<int>(body.size()))) return;
  const hindsight::Packet* first = nullptr;
  for (const hindsight::Packet& packet : recording.packet()) {
    if (first == nullptr && packet.has_heap_objects()) first = &packet;
  }
  if (first == nullptr || first->ByteSizeLong() > 200) return;
  hindsight::Packet copy = *first;
  uint64_t sequence = 2;
  for (uint64_t done = 0; done < copies;) {
    hindsight::Recording segment;
    segment.add_packet()->mutable_segment_start();
    std::string bytes = segment.SerializeAsString();
    for (uint64_t i = 0; i < kBatchesPerSegment && done < copies; ++i, ++done) {
      hindsight::HeapObjects& batch = *copy.mutable_heap_objects();
      batch.set_first_address(batch.first_address() + stride);
      hindsight::Recording one;
      *one.add_packet() = copy;
      bytes += one.SerializeAsString();
    }
    AddSegment(file, SegmentKind::kHeapObjects, sequence++,
               {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  }
}

void Require(bool holds) {
  if (!holds) std::abort();
}

// What heap_graph.h promises its callers.
void CheckGraph(const HeapGraph& graph) {
  uint64_t end = 0;
  for (ObjectId id = 0; id < graph.size(); ++id) {
    const uint64_t address = graph.Address(id);
    Require(address >= end);
    end = address + graph.Bytes(id);
    Require(end > address && graph.ClassOf(id) < graph.classes().size());
    Require(graph.Find(address) == id && graph.Find(end - 1) == id);
    graph.GenerationOf(id);
    const std::span<const ObjectId> references = graph.References(id);
    for (const ObjectId target : references) Require(target < graph.size());
    // The last ones only: an object may have many.
    uint64_t before = 0;
    for (size_t n = references.size() - std::min<size_t>(references.size(), 3);
         n < references.size(); ++n) {
      const uint64_t slot = graph.SlotOfReference(id, n);
      Require(slot >= n && (before == 0 || slot > before));
      before = slot;
      graph.SlotAddress(id, slot);
    }
    const size_t fields = graph.classes()[graph.ClassOf(id)].value_fields.size();
    for (uint32_t field = 0; field < std::min<size_t>(fields, 4); ++field) {
      graph.Value(id, field);
      graph.Text(id, field);
    }
  }
  for (const HeapRoot& root : graph.roots()) Require(root.object < graph.size());
  for (const HeapStaticField& field : graph.statics()) Require(field.holder < graph.size());
  ObjectId before = kNoObject;
  for (const HeapMonitor& monitor : graph.monitors()) {
    Require(monitor.object < graph.size() && (before == kNoObject || monitor.object > before));
    before = monitor.object;
  }
  uint32_t os_id = 0;
  for (const HeapThread& thread : graph.threads()) {
    Require(thread.os_id >= os_id && (thread.os_id > os_id || os_id == 0));
    os_id = thread.os_id;
    for (const HeapStackObject& object : thread.objects) Require(object.object < graph.size());
    Require(thread.waiting_monitor == kNoObject || thread.waiting_monitor < graph.size());
  }
  for (const HeapDependent& pair : graph.dependents()) {
    Require(pair.key < graph.size() && pair.value < graph.size());
  }
}

void CheckDominators(const HeapGraph& graph) {
  const Dominators result = ComputeDominators(graph);
  Require(result.reachable_objects + result.unreachable_objects == graph.size());
  uint64_t of_roots = 0;
  for (ObjectId id = 0; id < graph.size(); ++id) {
    const ObjectId owner = result.immediate[id];
    if (!result.IsReachable(id)) {
      Require(result.retained[id] == 0);
      continue;
    }
    Require(result.retained[id] >= graph.Bytes(id));
    if (owner == kSuperRoot) {
      of_roots += result.retained[id];
    } else {
      Require(owner < graph.size() && owner != id && result.IsReachable(owner));
      Require(result.retained[owner] >= result.retained[id] + graph.Bytes(owner));
    }
  }
  Require(of_roots == result.reachable_bytes);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  google::protobuf::SetLogHandler(nullptr);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 4) return 0;
  const std::span<const uint8_t> rest(data + 4, size - 4);
  const size_t tables = std::min<size_t>(data[0] | data[1] << 8, rest.size());
  std::vector<std::byte> file;
  AddSegment(file, SegmentKind::kHeapTables, 0, rest.first(tables));
  AddSegment(file, SegmentKind::kHeapObjects, 1, rest.subspan(tables));
  const uint64_t copies = (uint64_t{1} << data[2] % (kMaxCopiesLog + 1)) - 1;
  AddCopies(file, rest.subspan(tables), copies, uint64_t{1} << data[3] % (kMaxStrideLog + 1));
  const std::string path = hindsight::fuzz::MemoryFile(file);
  auto recording = hindsight::analyzer::Recording::Open({&path, 1});
  Require(recording.ok());
  const auto checks = CheckHeaps(*recording);
  Require(checks.size() == 1);
  const auto model = ReadHeap(*recording, {});
  if (!model) {
    Require(!model.error().sentence.empty());
    return 0;
  }
  Require((*model)->graph.size() == checks[0].objects);
  CheckGraph((*model)->graph);
  CheckDominators((*model)->graph);
  return 0;
}
