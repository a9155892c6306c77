// Locks and stacks in a copy of a process, on memory made by hand: object headers, sync blocks and
// their table, Thread structures and stacks as dotnet/runtime, src/coreclr/vm lays them out.
#include "recorder/heap/thread_scan.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "recorder/heap/heap_walk.h"
#include "recorder/heap/monitor_table.h"
#include "recorder/heap/snapshot_memory.h"
#include "recorder/heap/thread_tables.h"

namespace hindsight::recorder {
namespace {

constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();
constexpr uint32_t kIndexed = 0x08000000;

uint64_t AddressOf(const void* place) { return reinterpret_cast<uint64_t>(place); }

struct Block {
  uint32_t state = 0, entered = 0;
  uint64_t owner = 0, os_id = 0;
  uint32_t transient = 1, index = 0;
  uint64_t rest[6] = {};
};
static_assert(sizeof(Block) == 80);

struct Entry {
  uint64_t block = 0, object = 0;
};

// A thread of the runtime and its stack, whose top is `words[0]`.
struct FakeThread {
  alignas(8) uint64_t thread[600] = {};
  uint64_t words[512] = {};
  uint64_t handle = 0;
};

class ThreadScanTest : public testing::Test {
 protected:
  static constexpr size_t kRuntimeWords = 40;  // of the runtime's part of a stack
  static constexpr size_t kFrameWords = 10;

  void SetUp() override {
    void* const shared = mmap(nullptr, sizeof(SnapshotShared), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ASSERT_NE(shared, MAP_FAILED);
    shared_ = new (shared) SnapshotShared;
    table_.resize(64);
    blocks_.resize(64);
    MakeHeap(4096);
    SetType(object_type_, 24);
    SetType(thread_type_, 72);
    variables_[3] = AddressOf(table_.data());
  }
  void MakeHeap(size_t words) {
    heap_.resize(words);
    at_ = AddressOf(heap_.data()) + 8;  // headers lie before objects
  }
  void TearDown() override { munmap(shared_, sizeof(SnapshotShared)); }

  static void SetType(uint64_t* type, uint32_t bytes) {
    const uint32_t words[2] = {0, bytes};
    std::memcpy(type + 64, words, sizeof words);
    type[66] = 1;  // a parent
  }
  uint64_t New(const uint64_t* type, uint32_t bytes, uint32_t header = 0) {
    const uint64_t object = at_;
    at_ += bytes;
    const uint64_t method_table = AddressOf(type + 64);
    std::memcpy(reinterpret_cast<void*>(object), &method_table, 8);
    std::memcpy(reinterpret_cast<void*>(object - 4), &header, 4);
    return object;
  }
  uint64_t NewObject(uint32_t header = 0) { return New(object_type_, 24, header); }
  // An object with a block; `index` from 1.
  uint64_t NewLock(uint32_t index, Block block = {}) {
    const uint64_t object = NewObject(kIndexed | index);
    block.index = index | 0x80000000;
    blocks_[index] = block;
    table_[index] = {AddressOf(&blocks_[index]), object};
    return object;
  }
  // With two managed frames, asleep in the runtime.
  FakeThread& NewThread(uint32_t os_id, uint32_t managed_id) {
    fakes_.push_back(std::make_unique<FakeThread>());
    FakeThread& fake = *fakes_.back();
    if (managed_id != 0) {
      fake.handle = New(thread_type_, 72);
      const uint64_t fields[2] = {AddressOf(fake.thread), uint64_t{managed_id} << 32 | 2};
      std::memcpy(reinterpret_cast<void*>(fake.handle + 40), fields, sizeof fields);
      fake.thread[38] = AddressOf(&fake.handle);
    }
    ThreadMemory& memory = shared_->threads;
    ScannedThread& thread = memory.threads[memory.thread_count++];
    thread = {};
    thread.clr_thread = AddressOf(fake.thread);
    thread.os_id = os_id;
    thread.stack_pointer = AddressOf(fake.words);
    thread.first_pointer = 2 * (memory.thread_count - 1);
    thread.pointer_count = 2;
    memory.stack_pointers[thread.first_pointer] = AddressOf(fake.words + kRuntimeWords);
    memory.stack_pointers[thread.first_pointer + 1] =
        AddressOf(fake.words + kRuntimeWords + kFrameWords);
    return fake;
  }
  // The runtime's data while the thread waits.
  void Wait(FakeThread& fake, uint32_t index, uint64_t kind, size_t field = 84) {
    uint64_t* const item = fake.words + 20;
    item[0] = AddressOf(&blocks_[index]);
    item[1] = AddressOf(&app_domain_);
    item[2] = 0xffffffff00000000 | kind;
    item[3] = 0;
    fake.thread[field] = AddressOf(item);
  }

  void Scan() {
    const WalkedRange range{AddressOf(heap_.data()) + 8, at_ - AddressOf(heap_.data()) - 8,
                            heap_.size(), 2};
    HeapWalk walk(*shared_, {&range, 1}, kNever);
    ASSERT_TRUE(walk.FindClasses());
    ThreadMemory& memory = shared_->threads;
    memory.runtime_ranges[0] = {AddressOf(variables_), sizeof variables_};
    memory.runtime_range_count = 1;
    ReadThreads(memory, walk);
  }
  const ThreadMemory& found() const { return shared_->threads; }
  const FoundMonitor& monitor(uint32_t i) const { return shared_->threads.monitors[i]; }
  const ScannedThread& thread(uint32_t i) const { return shared_->threads.threads[i]; }
  const ScannedObject& object(uint32_t t, uint32_t i) const {
    return shared_->threads.objects[thread(t).first_object + i];
  }

  SnapshotShared* shared_ = nullptr;
  std::vector<uint64_t> heap_;
  std::vector<Entry> table_;
  std::vector<Block> blocks_;
  std::vector<std::unique_ptr<FakeThread>> fakes_;
  uint64_t variables_[16] = {};
  uint64_t app_domain_ = 0;
  uint64_t object_type_[128] = {}, thread_type_[128] = {};
  uint64_t at_ = 0;
};

TEST_F(ThreadScanTest, NothingLockedIsNoFault) {
  NewObject();
  NewObject(0x0c123456);  // a hash
  NewThread(11, 1);
  Scan();
  EXPECT_EQ(found().fault, MonitorFault::kNone);
  EXPECT_EQ(found().monitor_count, 0u);
  EXPECT_TRUE(found().waits_known);
  EXPECT_EQ(thread(0).managed_id, 1u);
  EXPECT_EQ(thread(0).waiting_monitor, 0u);
}

TEST_F(ThreadScanTest, FindsTheOwnersThatTheBlocksName) {
  FakeThread& first = NewThread(11, 4);
  NewThread(12, 5);
  // By its Thread as on .NET 8 and 9, by its managed id as on 10.
  const uint64_t a =
      NewLock(1, {.state = 1, .entered = 1, .owner = AddressOf(first.thread), .os_id = 11});
  NewLock(2);
  const uint64_t b =
      NewLock(3, {.state = 0x81, .entered = 3, .owner = 0xdead00000005, .os_id = 12});
  const uint64_t released = NewLock(4, {.state = 0x40});
  const uint64_t orphan = NewLock(5, {.state = 1, .entered = 1, .owner = 9, .os_id = 13});
  Scan();
  ASSERT_EQ(found().fault, MonitorFault::kNone);
  ASSERT_EQ(found().monitor_count, 4u);
  EXPECT_EQ(monitor(0).object, a);
  EXPECT_EQ(monitor(0).owner_os_id, 11u);
  EXPECT_EQ(monitor(0).owner_managed_id, 4u);
  EXPECT_EQ(monitor(0).recursion, 0u);
  EXPECT_FALSE(monitor(0).waited_for);
  EXPECT_EQ(monitor(1).object, b);
  EXPECT_EQ(monitor(1).owner_os_id, 12u);
  EXPECT_EQ(monitor(1).owner_managed_id, 5u);
  EXPECT_EQ(monitor(1).recursion, 2u);
  EXPECT_TRUE(monitor(1).waited_for);
  EXPECT_EQ(monitor(2).object, released);
  EXPECT_EQ(monitor(2).owner_os_id, 0u);
  EXPECT_EQ(monitor(3).object, orphan);
  EXPECT_EQ(monitor(3).owner_os_id, 13u);
  EXPECT_EQ(monitor(3).owner_managed_id, 0u);
}

TEST_F(ThreadScanTest, FindsThinLocks) {
  NewThread(11, 4);
  const uint64_t held = NewObject(0x00020004);
  const uint64_t orphan = NewObject(0x0000ffff);
  Scan();
  ASSERT_EQ(found().fault, MonitorFault::kNone);
  ASSERT_EQ(found().monitor_count, 2u);
  EXPECT_EQ(monitor(0).object, held);
  EXPECT_EQ(monitor(0).owner_os_id, 11u);
  EXPECT_EQ(monitor(0).owner_managed_id, 4u);
  EXPECT_EQ(monitor(0).recursion, 2u);
  EXPECT_EQ(monitor(1).object, orphan);
  EXPECT_EQ(monitor(1).owner_os_id, 0u);
  EXPECT_EQ(monitor(1).owner_managed_id, 0xffffu);
}

TEST_F(ThreadScanTest, RefusesATableThatIsNotTheOne) {
  NewThread(11, 4);
  NewLock(1, {.state = 1, .entered = 1, .owner = 4, .os_id = 11});
  variables_[3] = 0;
  Scan();
  EXPECT_EQ(found().fault, MonitorFault::kNoTable);
  EXPECT_EQ(found().monitor_count, 0u);
}

TEST_F(ThreadScanTest, RefusesTwoTables) {
  NewLock(1);
  const std::vector<Entry> copy = table_;
  variables_[9] = AddressOf(copy.data());
  variables_[10] = variables_[3];  // the same pointer twice is not a second table
  Scan();
  EXPECT_EQ(found().fault, MonitorFault::kManyTables);
}

TEST_F(ThreadScanTest, RefusesATableThatLacksAnObject) {
  for (uint32_t i = 1; i < 40; ++i) NewLock(i);
  HeaderNotes& notes = shared_->threads.notes;
  for (MarkedObject& sample : notes.samples) sample = {table_[1].object, kIndexed | 1};
  notes.sample_count = HeaderNotes::kSamples - 1;
  table_[30].object = table_[29].object;
  Scan();
  EXPECT_EQ(found().fault, MonitorFault::kHeadersDiffer);
}

TEST_F(ThreadScanTest, RefusesBlocksThatDoNotNameTheirIndex) {
  NewLock(1);
  NewLock(2, {.state = 1, .entered = 1, .owner = 4, .os_id = 11});
  blocks_[2].index = 7;
  Scan();
  EXPECT_EQ(found().fault, MonitorFault::kBlockLayout);
  EXPECT_EQ(found().monitor_count, 0u);
}

TEST_F(ThreadScanTest, RefusesAnOwnerOfTwoMinds) {
  NewThread(11, 4);
  NewThread(12, 5);
  NewLock(1, {.state = 1, .entered = 1, .owner = 4, .os_id = 11});
  NewLock(2, {.state = 1, .entered = 1, .owner = 4, .os_id = 12});
  Scan();
  EXPECT_EQ(found().fault, MonitorFault::kOwner);
  EXPECT_EQ(found().monitor_count, 0u);
}

TEST_F(ThreadScanTest, ReportsAsManyAsFitAndThatThereAreMore) {
  constexpr uint32_t kLocks = kMaxMonitors + 1;
  MakeHeap(3 * kLocks + 1);
  for (uint32_t i = 0; i < kLocks; ++i) NewObject(0x00000004);
  Scan();
  EXPECT_EQ(found().fault, MonitorFault::kTooMany);
  EXPECT_EQ(found().monitor_count, kMaxMonitors);
  EXPECT_TRUE(found().waits_known);
}

TEST_F(ThreadScanTest, EveryRefusalHasItsSentence) {
  ThreadMemory& memory = shared_->threads;
  memory.waits_known = true;
  std::set<std::string> sentences;
  for (uint32_t fault = 0; fault <= static_cast<uint32_t>(MonitorFault::kTooMany); ++fault) {
    memory.fault = static_cast<MonitorFault>(fault);
    const std::string why = WhyUnknown(&memory);
    EXPECT_TRUE(sentences.insert(why).second) << why;
    EXPECT_EQ(why.empty(), memory.fault == MonitorFault::kNone);
    EXPECT_TRUE(why.empty() || why.ends_with('.')) << why;
  }
  memory.fault = MonitorFault::kNone;
  memory.waits_known = false;
  EXPECT_TRUE(sentences.insert(WhyUnknown(&memory)).second);
  EXPECT_TRUE(sentences.contains(WhyUnknown(nullptr)));
}

TEST_F(ThreadScanTest, FindsWhatAThreadWaitsFor) {
  const uint64_t a = NewLock(1), b = NewLock(2);
  Wait(NewThread(11, 4), 1, 0);
  Wait(NewThread(12, 5), 2, 1);
  NewThread(13, 6).words[5] = AddressOf(&blocks_[1]);  // left over, and nothing points to it
  FakeThread& other = NewThread(14, 7);
  Wait(other, 1, 0);
  other.words[22] = 0xffffffff00000002;  // it is not such an item
  Scan();
  ASSERT_EQ(found().fault, MonitorFault::kNone);
  ASSERT_TRUE(found().waits_known);
  EXPECT_EQ(thread(0).waiting_monitor, a);
  EXPECT_EQ(thread(1).waiting_monitor, b);
  EXPECT_EQ(thread(2).waiting_monitor, 0u);
  EXPECT_EQ(thread(3).waiting_monitor, 0u);
}

TEST_F(ThreadScanTest, BelievesThePlaceWhereMostThreadsHaveAnItem) {
  const uint64_t a = NewLock(1);
  NewLock(2);
  Wait(NewThread(11, 4), 2, 0, 90);  // what is left of an item, where another word leads
  Wait(NewThread(12, 5), 1, 0);
  Wait(NewThread(13, 6), 1, 0);
  Scan();
  ASSERT_TRUE(found().waits_known);
  EXPECT_EQ(thread(0).waiting_monitor, 0u);
  EXPECT_EQ(thread(1).waiting_monitor, a);
  EXPECT_EQ(thread(2).waiting_monitor, a);
}

TEST_F(ThreadScanTest, RefusesItemsInDifferentPlaces) {
  NewLock(1);
  Wait(NewThread(11, 4), 1, 0);
  Wait(NewThread(12, 5), 1, 0, 90);
  Scan();
  EXPECT_EQ(found().fault, MonitorFault::kNone);
  EXPECT_FALSE(found().waits_known);
  EXPECT_EQ(thread(0).waiting_monitor, 0u);
  EXPECT_EQ(thread(1).waiting_monitor, 0u);
}

TEST_F(ThreadScanTest, FindsTheObjectsOnAStackByTheirFrames) {
  const uint64_t a = NewObject(), b = NewObject(), c = NewObject();
  FakeThread& fake = NewThread(11, 0);
  fake.words[3] = a;
  fake.words[4] = a + 8;          // inside of it: there is no class at that address
  fake.words[5] = at_ + 24;       // behind all objects
  fake.words[kRuntimeWords] = b;  // the innermost frame's first word
  fake.words[kRuntimeWords + kFrameWords - 1] = a;  // known already
  fake.words[kRuntimeWords + kFrameWords + 2] = c;
  FakeThread& native = NewThread(12, 0);
  native.words[3] = a;
  shared_->threads.threads[1].pointer_count = 0;
  Scan();
  EXPECT_EQ(thread(0).managed_id, 0u);
  ASSERT_EQ(thread(0).object_count, 3u);
  EXPECT_EQ(object(0, 0).address, a);
  EXPECT_EQ(object(0, 0).offset, 24u);
  EXPECT_EQ(object(0, 0).frame, 0u);
  EXPECT_EQ(object(0, 1).address, b);
  EXPECT_EQ(object(0, 1).offset, 8 * kRuntimeWords);
  EXPECT_EQ(object(0, 1).frame, 1u);
  EXPECT_EQ(object(0, 2).address, c);
  EXPECT_EQ(object(0, 2).frame, 2u);
  EXPECT_EQ(thread(1).object_count, 0u);
}

TEST_F(ThreadScanTest, StartsAtTheInnermostFrameWhereTheTopIsNotKnown) {
  const uint64_t a = NewObject(), b = NewObject();
  FakeThread& fake = NewThread(11, 0);
  fake.words[3] = a;
  fake.words[kRuntimeWords + 1] = b;
  shared_->threads.threads[0].stack_pointer = 0;
  Scan();
  ASSERT_EQ(thread(0).object_count, 1u);
  EXPECT_EQ(object(0, 0).address, b);
  EXPECT_EQ(object(0, 0).offset, 8u);
  EXPECT_EQ(object(0, 0).frame, 1u);
}

TEST_F(ThreadScanTest, KeepsTheInnermostObjectsOfAThread) {
  std::vector<uint64_t> objects;
  for (uint32_t i = 0; i < kMaxStackObjects + 20; ++i) objects.push_back(NewObject());
  FakeThread& fake = NewThread(11, 0);
  for (size_t i = 0; i < objects.size(); ++i) fake.words[kRuntimeWords + i] = objects[i];
  shared_->threads.stack_pointers[1] = AddressOf(fake.words + kRuntimeWords + objects.size());
  Scan();
  ASSERT_EQ(thread(0).object_count, kMaxStackObjects);
  EXPECT_EQ(object(0, 0).address, objects[0]);
  EXPECT_EQ(object(0, kMaxStackObjects - 1).address, objects[kMaxStackObjects - 1]);
}

TEST_F(ThreadScanTest, GoesNowhereThatCannotBeRead) {
  NewLock(1);
  NewThread(11, 4);
  ScannedThread& gone = shared_->threads.threads[shared_->threads.thread_count++];
  gone = {};
  gone.clr_thread = 0x10000;
  gone.os_id = 99;
  gone.stack_pointer = 0x20000;
  gone.first_pointer = 2;
  gone.pointer_count = 1;
  shared_->threads.stack_pointers[2] = 0x20100;
  variables_[0] = 0x30000;
  variables_[1] = 0xffff800000000000;
  Scan();
  EXPECT_EQ(found().fault, MonitorFault::kNone);
  EXPECT_EQ(thread(0).managed_id, 4u);
  EXPECT_EQ(thread(1).managed_id, 0u);
  EXPECT_EQ(thread(1).object_count, 0u);
}

}  // namespace
}  // namespace hindsight::recorder
