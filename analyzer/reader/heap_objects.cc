#include "analyzer/reader/heap_objects.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>
#include <tuple>

#include "analyzer/base/parallel.h"
#include "analyzer/base/progress.h"
#include "analyzer/model/heap_graph.h"
#include "analyzer/reader/segment_loader.h"

namespace hindsight::analyzer {
namespace {

constexpr uint64_t kMaxReferences = UINT32_MAX - 1;
constexpr uint64_t kMaxSlots = uint64_t{1} << 38;
// Slots of objects whose other parts are lost: each takes a bit without any bytes in the file.
constexpr uint64_t kMaxMissingSlots = uint64_t{1} << 33;
constexpr uint64_t kMaxValueBytes = UINT32_MAX;
// A plan takes about 300 bytes, while a batch may take 20 in a body.
constexpr uint64_t kMaxBatches = uint64_t{1} << 22;
// Each pass only drops what the previous ones have shown to be wrong. Real damage takes one or two.
constexpr int kMaxConflictPasses = 16;

// Loads all segments on all processors; `take` runs on several threads, once for each segment.
template <typename Take>
void ForEachSegment(std::span<const std::string> files, std::span<const SegmentRef> segments,
                    Progress* progress, Take take) {
  std::atomic<size_t> next = 0;
  std::atomic<uint64_t> done_bytes = 0;
  if (progress != nullptr) {
    uint64_t total = 0;
    for (const SegmentRef& segment : segments) total += segment.header.compressed_bytes;
    progress->Start(total);
  }
  RunParallel([&](unsigned worker) {
    SegmentLoader loader(files);
    std::vector<std::byte> body;
    std::vector<HeapBatch> batches;
    for (size_t i; (i = next.fetch_add(1)) < segments.size();) {
      const char* clause = loader.Load(segments[i], body);
      if (clause == nullptr) clause = ParseHeapBatches(body, batches);
      take(i, clause, std::span<const HeapBatch>(batches));
      done_bytes += segments[i].header.compressed_bytes;
      if (worker == 0 && progress != nullptr) progress->Update(done_bytes);
    }
  });
  if (progress != nullptr) progress->Finish();
}

// Writes consecutive references, converted from addresses to ids. Looks them up in blocks, so that
// it waits for memory once per block.
class ReferenceWriter {
 public:
  ReferenceWriter(HeapColumns& columns, uint64_t place) : columns_(columns), place_(place) {}

  void Add(uint64_t target, uint64_t slot) {
    columns_.index.Prefetch(target, hint_);
    waiting_[count_] = {target, slot};
    if (++count_ == std::size(waiting_)) Flush();
  }
  void Flush() {
    for (size_t i = 0; i < count_; ++i) {
      const ObjectId id = columns_.index.Find(waiting_[i].target, hint_);
      columns_.references[place_++] = id;
      if (id == kNoObject) {
        ++dangling_;
      } else if (columns_.has_slots) {
        SetBit(waiting_[i].slot);
      }
    }
    count_ = 0;
    if (bits_ != 0) PutBits();
  }
  uint64_t place() const { return place_ + count_; }  // index of the next one
  uint64_t dangling() const { return dangling_; }

 private:
  struct Waiting {
    uint64_t target;
    uint64_t slot;
  };

  void SetBit(uint64_t slot) {
    if (slot / 64 != word_) {
      if (bits_ != 0) PutBits();
      word_ = slot / 64;
    }
    bits_ |= uint64_t{1} << (slot % 64);
  }
  // Another thread may write to the same word at either end of a batch.
  void PutBits() {
    std::atomic_ref(columns_.slot_bits[word_]).fetch_or(bits_, std::memory_order_relaxed);
    bits_ = 0;
  }

  HeapColumns& columns_;
  uint64_t place_;
  size_t hint_ = 0;
  Waiting waiting_[64];
  size_t count_ = 0;
  uint64_t word_ = 0;
  uint64_t bits_ = 0;
  uint64_t dangling_ = 0;
};

}  // namespace

// Iterates over the objects of a batch.
struct HeapObjectsReader::Walk {
  Walk(const Plan& plan, std::span<const HeapShape> shapes)
      : classes(plan.Kept(kClasses)),
        gaps(plan.Kept(kGaps)),
        lengths(plan.Kept(kLengths)),
        counts(plan.Kept(kSlotCounts)),
        shapes(shapes),
        end(plan.first_address),
        counts_slots(plan.counts_slots) {}

  bool Next() {
    if (classes.AtEnd()) return false;
    class_id = static_cast<uint32_t>(classes.Next());
    shape = &shapes[class_id];
    length = shape->component_bytes != 0 ? lengths.Next() : 0;
    address = end + gaps.Next() * 8;
    end = address + shape->Bytes(length);
    return true;
  }
  uint64_t Slots() {
    return counts_slots ? counts.Next() : shape->Slots(length);
  }  // call once per object

  VarintReader classes, gaps, lengths, counts;
  std::span<const HeapShape> shapes;
  uint64_t end;
  bool counts_slots;
  uint32_t class_id = 0;
  const HeapShape* shape = nullptr;
  uint64_t address = 0;
  uint64_t length = 0;
};

HeapObjectsReader::HeapObjectsReader(std::span<const std::string> files,
                                     std::span<const SegmentRef> segments,
                                     std::span<const HeapShape> shapes, Progress* progress)
    : files_(files), segments_(segments), shapes_(shapes), progress_(progress) {}

HeapObjectsReader::Plan HeapObjectsReader::Keep(const HeapBatch& batch,
                                                const HeapBatchFacts& facts) {
  Plan plan;
  plan.first_address = batch.first_address;
  plan.first_slot = batch.first_slot;
  plan.is_partial = batch.is_partial;
  plan.counts_slots = !batch.slot_counts.empty();
  plan.facts = facts;
  const Bytes columns[] = {batch.classes, batch.gaps, batch.lengths, batch.values,
                           batch.slot_counts};
  size_t size = 0;
  for (const Bytes column : columns) size += column.size();
  plan.kept.reserve(size);
  for (size_t i = 0; i < std::size(columns); ++i) {
    plan.kept.insert(plan.kept.end(), columns[i].begin(), columns[i].end());
    plan.ends[i] = static_cast<uint32_t>(plan.kept.size());
  }
  VarintReader nulls(batch.nulls);
  plan.texts.reserve(facts.text_bytes);
  for (const std::string_view text : batch.texts) {
    plan.texts += text;
    plan.text_ends.push_back(static_cast<uint32_t>(plan.texts.size()));
    plan.text_is_null.push_back(nulls.Next() != 0);
  }
  return plan;
}

void HeapObjectsReader::Check() {
  plans_.resize(segments_.size());
  std::mutex mutex;
  std::atomic<uint64_t> all_batches = 0;
  ForEachSegment(files_, segments_, progress_,
                 [&](size_t segment, const char* clause, std::span<const HeapBatch> batches) {
                   std::vector<Plan> plans;
                   if (clause == nullptr && (all_batches += batches.size()) > kMaxBatches) {
                     clause = "the snapshot exceeds the limit of object batches";
                   }
                   for (size_t i = 0; clause == nullptr && i < batches.size(); ++i) {
                     HeapBatchFacts facts;
                     clause = CheckHeapBatch(batches[i], shapes_, facts);
                     if (clause != nullptr) break;
                     plans.push_back(Keep(batches[i], facts));
                     plans.back().segment = static_cast<uint32_t>(segment);
                     plans.back().nth = static_cast<uint32_t>(i);
                   }
                   if (clause == nullptr) {
                     plans_[segment] = std::move(plans);
                     return;
                   }
                   const std::lock_guard lock(mutex);
                   invalid_.emplace_back(segment, clause);
                 });
  Place();
  std::sort(invalid_.begin(), invalid_.end());
}

// Computes where every batch goes.
void HeapObjectsReader::Place() {
  for (const std::vector<Plan>& plans : plans_) {
    for (const Plan& plan : plans) order_.push_back(&plan);
  }
  std::sort(order_.begin(), order_.end(), [](const Plan* a, const Plan* b) {
    return std::tie(a->first_address, a->first_slot, a->segment, a->nth) <
           std::tie(b->first_address, b->first_slot, b->segment, b->nth);
  });
  for (int i = 0; DropConflicts(i == kMaxConflictPasses); ++i) {
  }
  uint64_t head_begin = 0;
  for (const Plan* place : order_) {
    Plan& plan = plans_[place->segment][static_cast<size_t>(place - plans_[place->segment].data())];
    if (plan.first_slot == 0) head_begin = all_slots_;
    plan.first_id = static_cast<ObjectId>(objects_);
    plan.reference_begin = references_;
    plan.slot_begin = head_begin + plan.first_slot;  // at most all_slots_: see CheckHeapBatch
    // Objects, slots and references here are backed by bytes of segments, and objects that do not
    // overlap cannot have more bytes than there are addresses: these sums do not overflow. The
    // count of all slots is only a claim: its sum saturates, which BeyondLimit rejects.
    objects_ += plan.facts.objects;
    bytes_ += plan.facts.bytes;
    slots_ += plan.facts.slots;
    references_ += plan.facts.references;
    if (__builtin_add_overflow(all_slots_, plan.facts.all_slots, &all_slots_)) {
      all_slots_ = UINT64_MAX;
    }
  }
}

// Drops the segments of batches that overlap earlier ones or continue nothing; all remaining ones
// if `all`. False: there are none.
bool HeapObjectsReader::DropConflicts(bool all) {
  static constexpr char kOverlap[] = "a batch of objects overlaps another one";
  static constexpr char kNoStart[] = "a partial object has no first part";
  std::vector<const char*> dropped(segments_.size());
  bool any = false;
  const Plan* before = nullptr;
  uint64_t next_slot = 0;
  for (const Plan* plan : order_) {
    if (dropped[plan->segment] != nullptr) continue;
    const char* clause = nullptr;
    if (all) {
      clause = kOverlap;
    } else if (plan->first_slot > 0) {
      const bool follows = before != nullptr && before->is_partial &&
                           before->first_address == plan->first_address &&
                           std::ranges::equal(before->Kept(kClasses), plan->Kept(kClasses)) &&
                           std::ranges::equal(before->Kept(kLengths), plan->Kept(kLengths)) &&
                           std::ranges::equal(before->Kept(kSlotCounts), plan->Kept(kSlotCounts));
      if (!follows) {
        clause = kNoStart;
      } else if (plan->first_slot < next_slot) {
        clause = kOverlap;
      }
    } else if (before != nullptr && plan->first_address < before->facts.end_address) {
      clause = kOverlap;
    }
    if (clause != nullptr) {
      any = true;
      dropped[plan->segment] = clause;
      continue;
    }
    before = plan;
    next_slot = plan->first_slot + plan->facts.slots;
  }
  if (!any) return false;
  std::erase_if(order_, [&](const Plan* plan) { return dropped[plan->segment] != nullptr; });
  for (size_t i = 0; i < dropped.size(); ++i) {
    if (dropped[i] == nullptr) continue;
    plans_[i].clear();
    invalid_.emplace_back(i, dropped[i]);
  }
  return true;
}

const char* HeapObjectsReader::BeyondLimit() const {
  uint64_t value_bytes = 0;
  uint64_t texts = 0;
  for (const Plan* plan : order_) {
    value_bytes += plan->Kept(kValues).size();
    texts += plan->facts.texts;
  }
  if (objects_ > kMaxHeapObjects) return "it has more than four billion objects";
  if (references_ > kMaxReferences) return "it has more than four billion references";
  if (all_slots_ > kMaxSlots || all_slots_ - slots_ > kMaxMissingSlots ||
      value_bytes > kMaxValueBytes || texts > UINT32_MAX) {
    return "its objects have more slots or values than the format allows";
  }
  return nullptr;
}

uint64_t HeapObjectsReader::Fill(HeapColumns& columns, const char*& error) {
  for (const Plan* plan : order_) {
    if (plan->counts_slots) columns.has_slots = false;
  }
  error = BeyondLimit();
  if (error != nullptr) return 0;
  bool placed = true;
  if (WorkerCount() == 1) {
    placed = FillIndex(columns);
    FillObjects(columns);
  } else {
    RunParallel([&](unsigned worker) {
      if (worker == 0) placed = FillIndex(columns);
      if (worker == 1) FillObjects(columns);
    });
  }
  if (!placed) {
    error = "its objects are further apart than possible";
    return 0;
  }
  FillReferences(columns);
  return dangling_;
}

bool HeapObjectsReader::FillIndex(HeapColumns& columns) const {
  for (const Plan* plan : order_) {
    if (plan->facts.objects == 0) continue;
    for (Walk walk(*plan, shapes_); walk.Next();) {
      if (!columns.index.Add(walk.address)) return false;
    }
  }
  columns.index.Finish();
  return true;
}

void HeapObjectsReader::FillObjects(HeapColumns& columns) const {
  uint64_t with_length = 0, with_values = 0, value_bytes = 0, texts = 0, text_bytes = 0;
  for (const Plan* plan : order_) {
    with_length += plan->facts.with_length;
    with_values += plan->facts.with_values;
    value_bytes += plan->Kept(kValues).size();
    texts += plan->facts.texts;
    text_bytes += plan->facts.text_bytes;
  }
  columns.class_low = Column<uint16_t>(objects_);
  if (shapes_.size() > UINT16_MAX + size_t{1}) columns.class_high = Column<uint16_t>(objects_);
  columns.has_length = RankedBits(objects_);
  columns.lengths = Column<uint32_t>(with_length);
  columns.has_values = RankedBits(objects_);
  columns.value_begin = Column<uint32_t>(with_values);
  columns.value_bytes = Column<uint8_t>(value_bytes);
  columns.text_begin = Column<uint32_t>(with_values);
  columns.text_end = Column<uint64_t>(texts);
  columns.text_bytes = Column<char>(text_bytes);
  columns.text_is_null.reserve(texts);
  if (columns.has_slots) {
    columns.slot_begin = Column<uint64_t>(objects_ / HeapColumns::kSlotBlock + 1);
  }
  size_t id = 0, length_at = 0, valued_at = 0, value_at = 0, text_at = 0, char_at = 0;
  for (const Plan* plan : order_) {
    if (plan->facts.objects == 0) continue;
    const Bytes values = plan->Kept(kValues);
    columns.value_bytes.Put(value_at, values);
    VarintReader value_reader(values);
    size_t text_in_plan = 0;
    uint64_t slot_at = plan->slot_begin;
    for (Walk walk(*plan, shapes_); walk.Next(); ++id) {
      columns.class_low[id] = static_cast<uint16_t>(walk.class_id);
      if (!columns.class_high.empty()) {
        columns.class_high[id] = static_cast<uint16_t>(walk.class_id >> 16);
      }
      if (walk.shape->component_bytes != 0) {
        columns.has_length.Set(id);
        columns.lengths[length_at++] = static_cast<uint32_t>(walk.length);
      }
      if (columns.has_slots) {
        if (id % HeapColumns::kSlotBlock == 0) {
          columns.slot_begin[id / HeapColumns::kSlotBlock] = slot_at;
        }
        slot_at += walk.Slots();
      }
      if (walk.shape->values + walk.shape->texts == 0) continue;
      columns.has_values.Set(id);
      columns.value_begin[valued_at] = static_cast<uint32_t>(value_at);
      columns.text_begin[valued_at++] = static_cast<uint32_t>(text_at);
      for (uint16_t i = 0; i < walk.shape->values; ++i) value_at += value_reader.Skip();
      for (uint16_t i = 0; i < walk.shape->texts; ++i, ++text_in_plan) {
        columns.text_end[text_at++] = char_at + plan->text_ends[text_in_plan];
        columns.text_is_null.push_back(plan->text_is_null[text_in_plan]);
      }
    }
    columns.text_bytes.Put(char_at, plan->texts);
    char_at += plan->texts.size();
  }
  columns.has_length.Finish();
  columns.has_values.Finish();
}

void HeapObjectsReader::FillReferences(HeapColumns& columns) {
  columns.reference_begin = Column<uint32_t>(objects_ + 1);
  columns.reference_begin[objects_] = static_cast<uint32_t>(references_);
  columns.references = Column<ObjectId>(references_);
  if (columns.has_slots) columns.slot_bits = Column<uint64_t>((all_slots_ + 63) / 64);
  std::atomic<uint64_t> dangling = 0;
  // Segments whose batches were dropped are read in vain, which is rare.
  ForEachSegment(files_, segments_, progress_,
                 [&](size_t segment, const char* clause, std::span<const HeapBatch> batches) {
                   for (Plan& plan : plans_[segment]) {
                     const bool is_here = clause == nullptr && plan.nth < batches.size();
                     dangling += FillBatch(plan, is_here ? &batches[plan.nth] : nullptr, columns);
                     plan = {};
                   }
                 });
  dangling_ = dangling;
  if (dangling_ > 0) Compact(columns);
}

// Returns the number of dangling references, which become kNoObject. `batch` is null if its segment
// can no longer be read: then all are dangling.
uint64_t HeapObjectsReader::FillBatch(const Plan& plan, const HeapBatch* batch,
                                      HeapColumns& columns) const {
  const VarintCounts counts = batch == nullptr ? VarintCounts() : CountVarints(batch->slots);
  const bool is_same = batch != nullptr && counts.whole && counts.values == plan.facts.slots &&
                       counts.values - counts.zeros == plan.facts.references;
  VarintReader slots(is_same ? batch->slots : Bytes());
  ReferenceWriter references(columns, plan.reference_begin);
  ObjectId id = plan.first_id;
  uint64_t slot = plan.slot_begin;
  for (Walk walk(plan, shapes_); walk.Next(); ++id) {
    if (plan.facts.objects > 0) {
      columns.reference_begin[id] = static_cast<uint32_t>(references.place());
    }
    const uint64_t count = walk.Slots();
    const bool chained = batch != nullptr && batch->chained && walk.shape->component_bytes != 0;
    uint64_t base = walk.address;
    for (uint64_t i = 0; i < count && !slots.AtEnd(); ++i, ++slot) {
      const uint64_t encoded = slots.Next();
      if (encoded == 0 && !slots.WasLong()) continue;
      const uint64_t zigzag = encoded - 1;
      // A null that takes two bytes is not a null: it leads to an address where nothing can be.
      const uint64_t target = base + ((zigzag >> 1) ^ (~(zigzag & 1) + 1)) * 8;
      if (chained && encoded != 0) base = target;
      references.Add(encoded == 0 ? 1 : target, slot);
    }
  }
  references.Flush();
  uint64_t dangling = references.dangling();
  uint64_t place = references.place();
  for (const uint64_t end = plan.reference_begin + plan.facts.references; place < end; ++dangling) {
    columns.references[place++] = kNoObject;
  }
  return dangling;
}

// Removes dangling references.
void HeapObjectsReader::Compact(HeapColumns& columns) {
  uint32_t kept = 0;
  uint32_t at = 0;
  for (size_t id = 0; id + 1 < columns.reference_begin.size(); ++id) {
    const uint32_t end = columns.reference_begin[id + 1];
    columns.reference_begin[id] = kept;
    const uint32_t before = at - kept;
    for (; at < end; ++at) {
      if (columns.references[at] != kNoObject) columns.references[kept++] = columns.references[at];
    }
    if (at - kept != before && columns.dangling_holders.size() < HeapColumns::kMaxDanglingHolders) {
      columns.dangling_holders.push_back(static_cast<ObjectId>(id));
    }
  }
  columns.reference_begin[columns.reference_begin.size() - 1] = kept;
  columns.references.Shrink(kept);
}

}  // namespace hindsight::analyzer
