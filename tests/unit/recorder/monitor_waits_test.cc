// Which thread waits for which monitor, read from a runtime's data that was made by hand, as
// dotnet/runtime, src/coreclr/vm lays it out. The program's own variables stand in for those of the
// runtime.
#include "recorder/stack/monitor_waits.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <vector>

#include "recorder/base/thread_run.h"

namespace hindsight::recorder {
namespace {

uint64_t g_table = 0;  // as g_pSyncTable: the look has to find it

constexpr size_t kItemOffset = 800;

template <typename T>
uint64_t AddressOf(const T& place) {
  return reinterpret_cast<uint64_t>(&place);
}

struct FakeBlock {
  uint32_t state = 0, entries = 0;
  uint64_t owner = 0, owner_os_id = 0;
  uint32_t transient = 0, index = 0;
};

struct FakeObject {
  uint32_t padding = 0, header = 0;
  uint64_t class_of = 0, field = 0;
};

struct FakeItem {
  uint64_t block = 0, app_domain = 0;
  uint32_t kind = 0, timeout = 0;
  uint64_t next = 0;
};

// The item is on the runtime's part of the stack, below the managed frames.
struct FakeThread {
  alignas(8) std::array<uint64_t, 512> words = {};
  FakeItem item;
  std::array<uint64_t, 8> rest_of_stack = {};
};

class MonitorWaitsTest : public testing::Test {
 protected:
  MonitorWaitsTest() : entries_(64), threads_(3) {
    g_table = reinterpret_cast<uint64_t>(entries_.data());
    for (uint32_t i = 0; i < 2; ++i) {
      blocks_[i].index = i + 5;
      objects_[i].header = 0x08000000 | (i + 5);
      entries_[i + 5] = {AddressOf(blocks_[i]), AddressOf(objects_[i].class_of)};
    }
  }
  ~MonitorWaitsTest() override { g_table = 0; }

  struct Entry {
    uint64_t block = 0, object = 0;
  };

  // The thread is this test's own, so that it has CPU time; `cpu_ns` is unchanged if it appears not
  // to have run.
  WaitingThread Thread(size_t number, uint32_t os_id, uint64_t cpu_ns) {
    FakeThread& thread = threads_[number];
    return {AddressOf(thread.words), os_id, AddressOf(thread.rest_of_stack[7]), cpu_ns};
  }
  void Waits(size_t number, size_t block, uint32_t kind = 0) {
    FakeThread& thread = threads_[number];
    thread.item = {AddressOf(blocks_[block]), AddressOf(app_domain_), kind, ~0u, 0};
    thread.words[kItemOffset / 8] = AddressOf(thread.item);
  }
  void Owns(size_t number, size_t block, uint32_t os_id) {
    blocks_[block].state = 1;
    blocks_[block].owner = AddressOf(threads_[number].words);
    blocks_[block].owner_os_id = os_id;
  }

  uint64_t app_domain_ = 1;
  std::array<FakeBlock, 2> blocks_ = {};
  std::array<FakeObject, 2> objects_ = {};
  std::vector<Entry> entries_;
  std::vector<FakeThread> threads_;
  MonitorWaits waits_;
};

// A thread id that no thread has: its CPU time is 0 and stays that.
constexpr uint32_t kNobody = (1u << 22) - 2;

TEST_F(MonitorWaitsTest, ReportsWhoWaitsForWhoseMonitor) {
  Waits(0, 0);
  Waits(1, 1);
  Owns(1, 0, kNobody + 1);
  Owns(0, 1, kNobody);
  waits_.Look(std::vector{Thread(0, kNobody, 0), Thread(1, kNobody + 1, 0)});
  EXPECT_EQ(waits_.Of(0).lock, AddressOf(blocks_[0]));
  EXPECT_EQ(waits_.Of(0).owner_os_id, kNobody + 1);
  EXPECT_EQ(waits_.Of(1).lock, AddressOf(blocks_[1]));
  EXPECT_EQ(waits_.Of(1).owner_os_id, kNobody);
}

TEST_F(MonitorWaitsTest, WhoHasRunSinceIsNotReported) {
  Waits(0, 0);
  Waits(1, 0);
  const auto self = static_cast<uint32_t>(gettid());
  waits_.Look(std::vector{Thread(0, self, CpuNsOfThread(self)), Thread(1, kNobody, 0)});
  EXPECT_EQ(waits_.Of(0).lock, 0u);
  EXPECT_EQ(waits_.Of(1).lock, AddressOf(blocks_[0]));
}

TEST_F(MonitorWaitsTest, AWaitForAPulseIsNone) {
  Waits(0, 0, 1);
  waits_.Look(std::vector{Thread(0, kNobody, 0)});
  EXPECT_EQ(waits_.Of(0).lock, 0u);
}

TEST_F(MonitorWaitsTest, AnOwnerThatIsGoneOrDisagreesIsNotReported) {
  Waits(0, 0);
  Owns(1, 0, kNobody + 1);
  waits_.Look(std::vector{Thread(0, kNobody, 0)});
  EXPECT_EQ(waits_.Of(0).lock, AddressOf(blocks_[0]));
  EXPECT_EQ(waits_.Of(0).owner_os_id, 0u);
  // Another thread's, with this one's id. A made-up address: the low half of a real one may by
  // chance be small enough for a managed id, which is what .NET 10 has here.
  blocks_[0].owner = 0x7f12'7654'3210;
  waits_.Look(std::vector{Thread(0, kNobody, 0), Thread(1, kNobody + 1, 0)});
  EXPECT_EQ(waits_.Of(0).owner_os_id, 0u);
}

TEST_F(MonitorWaitsTest, ATableThatDoesNotFitIsNone) {
  Waits(0, 0);
  objects_[0].header = 0x08000000 | 7;
  waits_.Look(std::vector{Thread(0, kNobody, 0)});
  EXPECT_EQ(waits_.Of(0).lock, 0u);
  objects_[0].header = 0x08000000 | 5;  // a collection had moved it: the next look finds it
  waits_.Look(std::vector{Thread(0, kNobody, 0)});
  EXPECT_EQ(waits_.Of(0).lock, AddressOf(blocks_[0]));
}

TEST_F(MonitorWaitsTest, AThreadThatCannotBeReadIsNone) {
  WaitingThread thread = Thread(0, kNobody, 0);
  thread.clr_thread = 0x10;
  waits_.Look(std::vector{thread});
  EXPECT_EQ(waits_.Of(0).lock, 0u);
  EXPECT_EQ(waits_.Of(7).lock, 0u);
}

}  // namespace
}  // namespace hindsight::recorder
