// The walk over a heap that does not change, on a heap made by hand: MethodTables and GCDescs as
// described in dotnet/runtime, src/coreclr/gc/gcdesc.h.
#include "recorder/heap/heap_walk.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "proto/recording.pb.h"
#include "proto/segment.h"

namespace hindsight::recorder {
namespace {

constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();

// Room for one MethodTable and the data below it.
struct Table {
  alignas(8) uint8_t bytes[4096] = {};
  uint64_t address() const { return reinterpret_cast<uint64_t>(bytes + 2048); }
  template <typename T>
  void Put(int64_t offset, T value) {
    std::memcpy(bytes + 2048 + offset, &value, sizeof value);
  }
};

class HeapWalkTest : public testing::Test {
 protected:
  static constexpr uint32_t kReferences = 0x01000000;
  static constexpr uint32_t kComponents = 0x80000000;
  static constexpr uint32_t kArray = 0x000a0000;

  void SetUp() override {
    shared_ =
        static_cast<SnapshotShared*>(mmap(nullptr, sizeof(SnapshotShared), PROT_READ | PROT_WRITE,
                                          MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(shared_, MAP_FAILED);
    new (shared_) SnapshotShared;
    shared_->file_limit_bytes = 1u << 30;
    shared_->recording_id = 7;
    shared_->snapshot_number = 1;
    shared_->text_units = 4;
    file_ = memfd_create("heap", 0);
    ASSERT_GE(file_, 0);
    ASSERT_TRUE(batch_.Map());
    heap_.resize(1u << 20);
    base_ = reinterpret_cast<uint64_t>(heap_.data()) + 8;  // headers lie before objects
    at_ = base_;
    object_ = MakeTable(0, 24);
  }
  void TearDown() override {
    close(file_);
    munmap(shared_, sizeof(SnapshotShared));
  }

  Table& MakeTable(uint32_t flags, uint32_t base_bytes, uint64_t parent = 1) {
    tables_.push_back(std::make_unique<Table>());
    Table& table = *tables_.back();
    table.Put<uint32_t>(0, flags);
    table.Put<uint32_t>(4, base_bytes);
    table.Put<uint64_t>(16, parent);
    return table;
  }
  // Slots in runs of {offset, count}.
  Table& MakeClass(uint32_t base_bytes, std::vector<std::pair<uint64_t, uint64_t>> runs) {
    Table& table = MakeTable(kReferences, base_bytes);
    table.Put<int64_t>(-8, static_cast<int64_t>(runs.size()));
    for (size_t i = 0; i < runs.size(); ++i) {
      const int64_t entry = -8 - 16 * static_cast<int64_t>(i + 1);
      table.Put<int64_t>(entry, static_cast<int64_t>(runs[i].second * 8) - base_bytes);
      table.Put<uint64_t>(entry + 8, runs[i].first);
    }
    return table;
  }
  Table& MakeReferenceArray() {
    Table& table = MakeTable(kReferences | kComponents | kArray | 8, 24);
    table.Put<int64_t>(-8, 1);
    table.Put<int64_t>(-24, -24);
    table.Put<uint64_t>(-16, 16);
    return table;
  }

  uint64_t New(const Table& table, uint64_t bytes, uint32_t length = 0) {
    const uint64_t object = at_;
    const uint64_t marked = table.address() | 1;  // the collector's bits are not part of it
    std::memcpy(reinterpret_cast<void*>(object), &marked, 8);
    if (length != 0) std::memcpy(reinterpret_cast<void*>(object + 8), &length, 4);
    at_ += bytes;
    return object;
  }
  static void Set(uint64_t object, uint64_t offset, uint64_t value) {
    std::memcpy(reinterpret_cast<void*>(object + offset), &value, 8);
  }

  bool Walk() {
    const WalkedRange range{base_, at_ - base_, heap_.size(), 2};
    HeapWalk classes(*shared_, {&range, 1}, kNever);
    if (!classes.FindClasses()) return false;
    batch_.Start(*shared_, file_);
    HeapWalk walk(*shared_, {&range, 1}, kNever);
    return walk.WriteObjects(batch_);
  }
  WalkError Error() const { return static_cast<WalkError>(shared_->error.load()); }

  // All batches of the file, through the real zstd and the real protobuf.
  std::vector<HeapObjects> Read() {
    std::vector<HeapObjects> batches;
    std::string file(static_cast<size_t>(lseek(file_, 0, SEEK_END)), '\0');
    EXPECT_EQ(pread(file_, file.data(), file.size(), 0), static_cast<ssize_t>(file.size()));
    size_t offset = 0;
    while (offset < file.size()) {
      SegmentHeader header;
      const auto bytes = std::as_bytes(std::span(file)).subspan(offset);
      EXPECT_EQ(DecodeSegmentHeader(bytes, header), HeaderError::kNone);
      EXPECT_EQ(header.kind, SegmentKind::kHeapObjects);
      std::string raw(header.raw_bytes, '\0');
      EXPECT_EQ(ZSTD_decompress(raw.data(), raw.size(), bytes.data() + kSegmentHeaderBytes,
                                header.compressed_bytes),
                raw.size());
      Recording recording;
      EXPECT_TRUE(recording.ParseFromString(raw));
      for (const Packet& packet : recording.packet()) {
        if (packet.has_heap_objects()) batches.push_back(packet.heap_objects());
      }
      offset += kSegmentHeaderBytes + header.compressed_bytes;
    }
    return batches;
  }
  static uint64_t TargetOf(uint64_t base, uint64_t slot) {
    const uint64_t zigzag = slot - 1;
    return base + ((zigzag >> 1) ^ (~(zigzag & 1) + 1)) * 8;
  }

  SnapshotShared* shared_ = nullptr;
  int file_ = -1;
  ObjectBatch batch_;
  std::vector<std::unique_ptr<Table>> tables_;
  std::vector<uint8_t> heap_;
  uint64_t base_ = 0, at_ = 0;
  Table object_;
};

TEST_F(HeapWalkTest, WritesEverySlotInOrderAndNullAsOne) {
  Table& type = MakeClass(48, {{8, 1}, {24, 2}});
  const uint64_t first = New(type, 48);
  const uint64_t second = New(type, 48);
  Set(first, 24, second);
  Set(first, 32, first);
  Set(second, 8, first);
  ASSERT_TRUE(Walk());
  const auto batches = Read();
  ASSERT_EQ(batches.size(), 1u);
  const HeapObjects& batch = batches[0];
  EXPECT_EQ(batch.first_address(), first);
  EXPECT_EQ(batch.class__size(), 2);
  ASSERT_EQ(batch.slot_size(), 6);
  EXPECT_EQ(batch.slot(0), 0u);
  EXPECT_EQ(TargetOf(first, batch.slot(1)), second);
  EXPECT_EQ(TargetOf(first, batch.slot(2)), first);
  EXPECT_EQ(TargetOf(second, batch.slot(3)), first);
  EXPECT_EQ(shared_->counters.objects.load(), 2u);
  EXPECT_EQ(shared_->counters.object_bytes.load(), 96u);
  const SnapshotClass& written = shared_->classes[0];
  ASSERT_EQ(written.slot_count, 3u);
  EXPECT_EQ(shared_->slots[written.first_slot + 1], 24u);
}

TEST_F(HeapWalkTest, ChainsTheSlotsOfArraysAndLeavesFreeSpaceAsAGap) {
  Table& leaf = MakeTable(0, 24);
  Table& free = MakeTable(kComponents | 1, 24, 0);
  Table& array = MakeReferenceArray();
  const uint64_t a = New(leaf, 24);
  New(free, 64, 40);
  const uint64_t b = New(leaf, 24);
  const uint64_t list = New(array, 24 + 3 * 8, 3);
  Set(list, 16, b);
  Set(list, 32, a);
  ASSERT_TRUE(Walk());
  const HeapObjects batch = Read().at(0);
  ASSERT_EQ(batch.class__size(), 3);
  EXPECT_EQ(batch.gap(1), 8u);
  ASSERT_EQ(batch.length_size(), 1);
  EXPECT_EQ(batch.length(0), 3u);
  EXPECT_TRUE(batch.chained());
  EXPECT_EQ(TargetOf(list, batch.slot(0)), b);
  EXPECT_EQ(batch.slot(1), 0u);
  EXPECT_EQ(TargetOf(b, batch.slot(2)), a);
  EXPECT_EQ(shared_->counters.free_bytes.load(), 64u);
}

TEST_F(HeapWalkTest, ReadsTheSlotsOfArraysOfStructs) {
  // struct { long; object; long; object; }: a run of one reference after 8 bytes, twice.
  Table& array = MakeTable(kReferences | kComponents | kArray | 32, 24);
  array.Put<int64_t>(-8, -2);
  array.Put<uint64_t>(-16, 24);
  array.Put<uint32_t>(-24, 1);
  array.Put<uint32_t>(-20, 8);
  array.Put<uint32_t>(-32, 1);
  array.Put<uint32_t>(-28, 8);
  const uint64_t list = New(array, 24 + 2 * 32, 2);
  Set(list, 16 + 8, list);
  Set(list, 16 + 32 + 24, list);
  ASSERT_TRUE(Walk());
  const SnapshotClass& written = shared_->classes[0];
  ASSERT_EQ(written.slot_count, 2u);
  EXPECT_EQ(shared_->slots[written.first_slot], 8u);
  EXPECT_EQ(shared_->slots[written.first_slot + 1], 24u);
  const HeapObjects batch = Read().at(0);
  ASSERT_EQ(batch.slot_size(), 4);
  EXPECT_EQ(TargetOf(list, batch.slot(0)), list);
  EXPECT_EQ(batch.slot(1), 0u);
  EXPECT_EQ(batch.slot(2), 0u);
  EXPECT_EQ(TargetOf(list, batch.slot(3)), list);
}

// KeyValuePair<string, object>[]: the runtime describes it as it does an array of references.
TEST_F(HeapWalkTest, ReadsTheSlotsOfArraysOfStructsOfReferencesAlone) {
  const uint64_t target = New(object_, 24);
  Table& array = MakeTable(kReferences | kComponents | kArray | 16, 24);
  array.Put<int64_t>(-8, 1);
  array.Put<int64_t>(-24, -24);
  array.Put<uint64_t>(-16, 16);
  const uint64_t pairs = New(array, 24 + 2 * 16, 2);
  Set(pairs, 16 + 8, target);
  Set(pairs, 16 + 16, target);
  ASSERT_TRUE(Walk()) << static_cast<int>(Error());
  const auto batches = Read();
  ASSERT_EQ(batches.size(), 1u);
  ASSERT_EQ(batches[0].slot_size(), 4);
  EXPECT_EQ(batches[0].slot(0), 0u);
  EXPECT_EQ(TargetOf(pairs, batches[0].slot(1)), target);
  EXPECT_EQ(TargetOf(target, batches[0].slot(2)), target);
  EXPECT_EQ(batches[0].slot(3), 0u);
}

TEST_F(HeapWalkTest, SplitsAnArrayThatFitsNoBatch) {
  constexpr uint32_t kLength = 100'000;
  Table& leaf = MakeTable(0, 24);
  Table& array = MakeReferenceArray();
  const uint64_t target = New(leaf, 24);
  const uint64_t list = New(array, 24 + kLength * 8ull, kLength);
  for (uint32_t i = 0; i < kLength; ++i) Set(list, 16 + i * 8ull, target);
  const uint64_t last = New(leaf, 24);
  ASSERT_TRUE(Walk());
  uint64_t slots = 0;
  uint64_t objects = 0;
  bool partial = false;
  for (const HeapObjects& batch : Read()) {
    EXPECT_EQ(batch.first_slot() != 0, partial);
    if (batch.slot_size() != 0) {
      ASSERT_EQ(batch.class__size(), 1);
      EXPECT_EQ(batch.first_slot(), slots);
      EXPECT_EQ(TargetOf(list, batch.slot(0)), target);
    }
    if (batch.first_slot() == 0) objects += static_cast<uint64_t>(batch.class__size());
    slots += static_cast<uint64_t>(batch.slot_size());
    partial = batch.is_partial();
  }
  EXPECT_FALSE(partial);
  EXPECT_EQ(slots, kLength);
  EXPECT_EQ(objects, 3u);
  EXPECT_EQ(last, list + 24 + kLength * 8ull);
}

TEST_F(HeapWalkTest, KeepsTheValuesOfThePlanAndCutsTexts) {
  Table& string = MakeTable(kComponents | 2, 22);
  Table& type = MakeClass(40, {{8, 1}});
  const uint64_t text = New(string, 40, 6);
  std::memcpy(reinterpret_cast<void*>(text + 12), u"a\u00e9\U0001f600xy", 12);
  const uint64_t object = New(type, 40);
  Set(object, 8, text);
  Set(object, 16, static_cast<uint64_t>(-5));
  const WalkedRange range{base_, at_ - base_, heap_.size(), 0};
  HeapWalk walk(*shared_, {&range, 1}, kNever);
  ASSERT_TRUE(walk.FindClasses());
  shared_->values[0] = {16, 4, PlannedValue::Kind::kSigned};
  shared_->values[1] = {8, 8, PlannedValue::Kind::kText};
  shared_->value_count = 2;
  shared_->classes[1].first_value = 0;
  shared_->classes[1].value_count = 2;
  batch_.Start(*shared_, file_);
  ASSERT_TRUE(walk.WriteObjects(batch_));
  const HeapObjects batch = Read().at(0);
  ASSERT_EQ(batch.value_size(), 1);
  EXPECT_EQ(batch.value(0), -5);
  ASSERT_EQ(batch.text_size(), 1);
  EXPECT_EQ(batch.text(0), "a\u00e9\U0001f600");  // four units
  EXPECT_FALSE(batch.text_is_null(0));
}

// More text in one object than a batch can contain: the excess is cut, at a character.
TEST_F(HeapWalkTest, CutsTheTextsOfAnObjectThatHasTooMany) {
  constexpr uint32_t kTexts = 200, kUnits = 4096, kUnitBytes = 3;
  constexpr size_t kRoom = ObjectBatch::kBatchBytes;
  static_assert(size_t{kTexts} * kUnits * kUnitBytes > 2u << 20);
  shared_->text_units = kUnits;
  Table& string = MakeTable(kComponents | 2, 22);
  Table& type = MakeClass(16 + kTexts * 8, {{8, kTexts}});
  const uint64_t text = New(string, (22 + kUnits * 2 + 7) & ~7u, kUnits);
  for (uint32_t i = 0; i < kUnits; ++i) {
    const char16_t unit = u'\u20ac';
    std::memcpy(reinterpret_cast<void*>(text + 12 + i * 2), &unit, 2);
  }
  const uint64_t object = New(type, 16 + kTexts * 8);
  for (uint32_t i = 0; i < kTexts; ++i) Set(object, 8 + i * 8, text);
  const WalkedRange range{base_, at_ - base_, heap_.size(), 0};
  HeapWalk walk(*shared_, {&range, 1}, kNever);
  ASSERT_TRUE(walk.FindClasses());
  for (uint32_t i = 0; i < kTexts; ++i) {
    shared_->values[i] = {8 + i * 8, 8, PlannedValue::Kind::kText};
  }
  shared_->value_count = kTexts;
  shared_->classes[1].value_count = kTexts;
  batch_.Start(*shared_, file_);
  ASSERT_TRUE(walk.WriteObjects(batch_));
  const HeapObjects batch = Read().back();
  ASSERT_EQ(batch.class__size(), 1);
  ASSERT_EQ(batch.slot_size(), static_cast<int>(kTexts));
  ASSERT_EQ(batch.text_size(), static_cast<int>(kTexts));
  ASSERT_EQ(batch.text_is_null_size(), static_cast<int>(kTexts));
  size_t bytes = 0;
  for (int i = 0; i < batch.text_size(); ++i) {
    EXPECT_FALSE(batch.text_is_null(i));
    EXPECT_EQ(batch.text(i).size() % kUnitBytes, 0u);
    bytes += batch.text(i).size();
  }
  EXPECT_EQ(batch.text(0).size(), size_t{kUnits} * kUnitBytes);
  EXPECT_LE(bytes, kRoom);
  EXPECT_GT(bytes, kRoom * 9 / 10);
}

TEST_F(HeapWalkTest, EndsWhereTheHeapIsNotAsExpectedAndKeepsWhatStandsBefore) {
  Table& leaf = MakeTable(0, 24);
  New(leaf, 24);
  const uint64_t broken = at_;
  const uint64_t nowhere = 0x10;
  std::memcpy(reinterpret_cast<void*>(broken), &nowhere, 8);
  at_ += 24;
  EXPECT_FALSE(Walk());
  EXPECT_EQ(Error(), WalkError::kUnreadable);
  EXPECT_EQ(shared_->error_address.load(), broken);

  shared_->error = 0;
  batch_.Start(*shared_, file_);
  const WalkedRange range{base_, at_ - base_, heap_.size(), 2};
  HeapWalk walk(*shared_, {&range, 1}, kNever);
  EXPECT_FALSE(walk.WriteObjects(batch_));
  EXPECT_EQ(Read().at(0).class__size(), 1);
}

TEST_F(HeapWalkTest, RefusesObjectsThatLeaveTheirRangeAndNullMethodTables) {
  Table& leaf = MakeTable(0, 24);
  New(leaf, 24);
  at_ -= 8;
  EXPECT_FALSE(Walk());
  EXPECT_EQ(Error(), WalkError::kBadSize);
  at_ = base_;
  std::memset(heap_.data(), 0, 64);
  at_ += 24;
  shared_->error = 0;
  EXPECT_FALSE(Walk());
  EXPECT_EQ(Error(), WalkError::kNoMethodTable);
}

TEST_F(HeapWalkTest, CountsReferencesThatLeadOutOfTheHeapAndWritesThemAsNull) {
  Table& type = MakeClass(24, {{8, 1}});
  const uint64_t object = New(type, 24);
  Set(object, 8, 0x1000);
  ASSERT_TRUE(Walk());
  EXPECT_EQ(Read().at(0).slot(0), 0u);
  EXPECT_EQ(shared_->counters.dangling.load(), 1u);
}

TEST_F(HeapWalkTest, EndsWhenTheFileHasHadItsRoom) {
  shared_->file_limit_bytes = 10;
  Table& leaf = MakeTable(0, 24);
  New(leaf, 24);
  EXPECT_FALSE(Walk());
  EXPECT_EQ(Error(), WalkError::kDisk);
  EXPECT_EQ(lseek(file_, 0, SEEK_END), 0);
}

// A walk in the pause keeps what it finds: a disk that hangs would stop the application.
TEST_F(HeapWalkTest, KeepsSegmentsUntilTheyMayBeWritten) {
  Table& leaf = MakeTable(0, 24);
  heap_.resize((24u << 19) + 8);
  base_ = at_ = reinterpret_cast<uint64_t>(heap_.data()) + 8;
  for (int i = 0; i < (1 << 19); ++i) New(leaf, 24);
  ASSERT_TRUE(Walk());
  const std::vector<HeapObjects> written = Read();
  ASSERT_GT(written.size(), 1u);
  const uint64_t segments = shared_->counters.segments.exchange(0);
  ASSERT_EQ(ftruncate(file_, 0), 0);
  ASSERT_EQ(lseek(file_, 0, SEEK_SET), 0);

  ASSERT_TRUE(batch_.Keep(8u << 20));
  const int file = std::exchange(file_, -1);
  EXPECT_TRUE(Walk());
  file_ = file;
  EXPECT_EQ(lseek(file_, 0, SEEK_END), 0);
  EXPECT_EQ(shared_->counters.segments.load(), 0u);
  EXPECT_TRUE(batch_.WriteKept(file_));
  EXPECT_FALSE(batch_.keeps());
  EXPECT_EQ(shared_->counters.segments.load(), segments);
  const std::vector<HeapObjects> kept = Read();
  ASSERT_EQ(kept.size(), written.size());
  for (size_t i = 0; i < kept.size(); ++i) {
    EXPECT_EQ(kept[i].SerializeAsString(), written[i].SerializeAsString());
  }
}

TEST_F(HeapWalkTest, EndsWhenThereIsNoRoomToKeepMore) {
  New(object_, 24);
  ASSERT_TRUE(batch_.Keep(16));
  EXPECT_FALSE(Walk());
  EXPECT_EQ(Error(), WalkError::kMemory);
  EXPECT_TRUE(batch_.WriteKept(file_));
  EXPECT_EQ(lseek(file_, 0, SEEK_END), 0);
}

// The recorder's threads write to it: SIGXFSZ would end the process.
TEST_F(HeapWalkTest, EndsAtTheFileSizeLimitOfTheProcess) {
  New(object_, 24);
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{10, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const bool walked = Walk();
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_FALSE(walked);
  EXPECT_EQ(Error(), WalkError::kDisk);
  EXPECT_EQ(shared_->error_number.load(), static_cast<uint32_t>(EFBIG));
  EXPECT_EQ(lseek(file_, 0, SEEK_END), 0);
  sigset_t pending;
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGXFSZ), 0);
}

TEST_F(HeapWalkTest, EndsOnRequest) {
  Table& leaf = MakeTable(0, 24);
  heap_.resize((24u << 17) + 8);  // the first one's header, too
  base_ = at_ = reinterpret_cast<uint64_t>(heap_.data()) + 8;
  for (int i = 0; i < (1 << 17); ++i) New(leaf, 24);
  shared_->stop = 1;
  EXPECT_FALSE(Walk());
  EXPECT_EQ(Error(), WalkError::kRequest);
}

}  // namespace
}  // namespace hindsight::recorder
