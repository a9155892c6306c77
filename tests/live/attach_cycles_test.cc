// Attach and stop, again and again: the process holds no more threads, descriptors, mappings and
// memory than before.
//
// HINDSIGHT_ATTACH_CYCLES=1000 makes it longer, and prints what the process holds as it goes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "tests/live/harness/application.h"
#include "tests/live/harness/held.h"
#include "tests/live/harness/sample.h"

namespace hindsight::live {
namespace {

constexpr int kCycles = 20;

int Cycles() {
  const char* const text = std::getenv("HINDSIGHT_ATTACH_CYCLES");
  return text == nullptr ? kCycles : std::atoi(text);
}

class AttachCyclesTest : public testing::TestWithParam<int> {};

TEST_P(AttachCyclesTest, LeaveNothingInTheProcess) {
  const int cycles = Cycles();
  // The first ones leave something behind for good: the library, the runtime's thread for detaches,
  // and its code that was compiled.
  const int warm_up = std::max(10, cycles / 5);
  constexpr size_t kMappingsSlack = 8;
  constexpr uint64_t kMemorySlackKiB = 4096;
  constexpr uint64_t kAddressesSlackKiB = 65536;
  SampleApplication application(
      {.command = HeapSample(GetParam(), "Healthy"),
       // 2 MiB are allocated before a collection; and freed memory is used again. Otherwise libc
       // keeps it in up to eight arenas per processor, of which a new thread takes any: 0.8 MiB in
       // each of them after some hundred cycles, and then no more.
       .environment = {{"DOTNET_GCgen0size", "200000"}, {"MALLOC_ARENA_MAX", "1"}}});
  const pid_t pid = application.pid();
  Held before = HeldBy(pid);
  const auto report = [&](int cycle, const char* prefix) {
    if (cycles <= kCycles) return;
    std::cout << prefix << "Net" << GetParam() << ", attached and stopped " << cycle
              << " times: " << HeldBy(pid) << std::endl;
  };
  report(0, "long: ");
  for (int cycle = 1; cycle <= cycles; ++cycle) {
    SCOPED_TRACE(cycle);
    application.Attach("all");
    application.Trigger("stop");
    ASSERT_FALSE(HasFailure());
    std::filesystem::remove_all(application.output());
    // Threads of the pool come and go.
    if (cycle <= warm_up) before = Most(before, HeldBy(pid));
    if (cycle == warm_up) report(cycle, "long: ");
    if (cycle % 50 == 0) report(cycle, "");
  }
  const auto is_as_before = [&] {
    const Held held = HeldBy(pid);
    return held.threads <= before.threads && held.descriptors <= before.descriptors &&
           held.mappings <= before.mappings + kMappingsSlack &&
           held.anonymous_kib <= before.anonymous_kib + kMemorySlackKiB &&
           held.addresses_kib <= before.addresses_kib + kAddressesSlackKiB;
  };
  EXPECT_TRUE(WaitUntil(is_as_before)) << "before: " << before << "\nnow: " << HeldBy(pid);
  report(cycles, "long: ");
  EXPECT_EQ(application.End(), "done\n");
}

INSTANTIATE_TEST_SUITE_P(Net, AttachCyclesTest, testing::ValuesIn(kRuntimes));

}  // namespace
}  // namespace hindsight::live
