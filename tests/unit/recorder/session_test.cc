// The end of a process, or of a recording, in which parts of the recorder do not end.
#include "recorder/session.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>

#include "recorder/base/clock.h"
#include "tests/unit/recorder/fake_runtime.h"
#include "tests/unit/recorder/output_test_support.h"

namespace hindsight::recorder {
namespace {

// The runtime stops no threads, and names no modules, until the test is over.
std::counting_semaphore<> g_stuck{0}, g_released{0};

// Whatever else it takes.
clr::HRESULT Stuck(void*) {
  g_stuck.release();
  g_released.acquire();
  return clr::E_FAIL;
}

// No managed code is on the stack of the thread that ends the process.
clr::HRESULT NoStack(void*, clr::ThreadID, clr::StackSnapshotCallback*, uint32_t, void*, uint8_t*,
                     uint32_t) {
  return clr::S_OK;
}

clr::HRESULT SomeVersion(void*, uint16_t*, clr::COR_PRF_RUNTIME_TYPE*, uint16_t* major,
                         uint16_t* minor, uint16_t* build, uint16_t*, uint32_t, uint32_t*,
                         char16_t*) {
  *major = 10;
  for (uint16_t* part : {minor, build}) {
    if (part != nullptr) *part = 0;
  }
  return clr::S_OK;
}

std::atomic<int> g_detaches{0};

clr::HRESULT RequestDetach(void*, uint32_t) {
  ++g_detaches;
  return clr::S_OK;
}

bool Eventually(const std::function<bool()>& holds) {
  const uint64_t until_ns = MonotonicNs() + 20'000'000'000;
  while (!holds()) {
    if (MonotonicNs() > until_ns) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

// What the recorder in this process answers; empty if that takes longer than a second.
std::string StatusIn(const std::string& tmp) {
  const std::string path = contract::ControlSocket(tmp, geteuid(), static_cast<uint32_t>(getpid()));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  EXPECT_LT(path.size(), sizeof address.sun_path);
  std::copy(path.begin(), path.end(), address.sun_path);
  const int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval second{1, 0};
  setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
  std::string answer;
  if (connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      send(client, "status\n", 7, MSG_NOSIGNAL) == 7) {
    char bytes[4096];
    for (ssize_t got; (got = recv(client, bytes, sizeof bytes, 0)) > 0;) {
      answer.append(bytes, static_cast<size_t>(got));
    }
  }
  close(client);
  return answer;
}

TEST(SessionTest, APartThatHangsHoldsUpTheExitForThreeSecondsInAll) {
  constexpr auto kPatience = std::chrono::seconds(60);
  const TemporaryFolder tmp;
  ASSERT_EQ(setenv("TMPDIR", tmp.path().c_str(), 1), 0);
  FakeRuntime runtime;
  runtime.Put(&clr::ICorProfilerInfo10::SuspendRuntime, &Stuck);
  runtime.Put(&clr::ICorProfilerInfo10::GetModuleInfo2, &Stuck);
  runtime.Put(&clr::ICorProfilerInfo10::GetModuleMetaData, &Stuck);
  runtime.Put(&clr::ICorProfilerInfo10::GetRuntimeInformation, &SomeVersion);
  runtime.Put(&clr::ICorProfilerInfo10::DoStackSnapshot, &NoStack);
  contract::Options options;
  ASSERT_EQ(contract::ParseOptions("sources=waits,threads;output=" + tmp.path(), options), "");
  auto session = std::make_shared<Session>(runtime.info(), options, Mode::kAttach);
  std::string why;
  ASSERT_TRUE(session->Start({}, &why)) << why;
  session->AttachComplete();
  ASSERT_TRUE(g_stuck.try_acquire_for(kPatience));  // the thread snapshot after an attach
  session->emitter().Emit<ModuleEvent>(EventKind::kModuleLoaded, MonotonicNs(),
                                       [](ModuleEvent& event) { event.module = 0x1000; });
  ASSERT_TRUE(g_stuck.try_acquire_for(kPatience));  // the drain thread

  const uint64_t begun_ns = MonotonicNs();
  session->ProcessExits();
  const uint64_t took_ns = MonotonicNs() - begun_ns;
  EXPECT_GE(took_ns, 2'900'000'000u);
  EXPECT_LT(took_ns, 6'000'000'000u);  // far from the sum of what each part may take by itself

  const std::weak_ptr<Session> left = session;
  session.reset();
  g_released.release(1000);
  while (!left.expired()) std::this_thread::yield();  // its threads have ended
  unsetenv("TMPDIR");
}

// The drain thread hangs, as it does when its disk hangs. It still calls the runtime afterwards,
// and reads the rings: the profiler must not be unloaded before that.
TEST(SessionTest, NobodyDetachesBeforeTheDrainThreadHasEnded) {
  const TemporaryFolder tmp;
  ASSERT_EQ(setenv("TMPDIR", tmp.path().c_str(), 1), 0);
  FakeRuntime runtime;
  runtime.Put(&clr::ICorProfilerInfo10::GetModuleInfo2, &Stuck);
  runtime.Put(&clr::ICorProfilerInfo10::GetModuleMetaData, &Stuck);
  runtime.Put(&clr::ICorProfilerInfo10::GetRuntimeInformation, &SomeVersion);
  runtime.Put(&clr::ICorProfilerInfo10::RequestProfilerDetach, &RequestDetach);
  contract::Options options;
  ASSERT_EQ(contract::ParseOptions("sources=threads;for=1s;output=" + tmp.path(), options), "");
  while (g_released.try_acquire()) {
  }
  while (g_stuck.try_acquire()) {
  }
  g_detaches = 0;
  auto session = std::make_shared<Session>(runtime.info(), options, Mode::kAttach);
  std::string why;
  ASSERT_TRUE(session->Start({}, &why)) << why;
  session->AttachComplete();
  session->emitter().Emit<ModuleEvent>(EventKind::kModuleLoaded, MonotonicNs(),
                                       [](ModuleEvent& event) { event.module = 0x1000; });
  ASSERT_TRUE(g_stuck.try_acquire_for(std::chrono::seconds(60)));
  EXPECT_TRUE(Eventually(
      [&] { return StatusIn(tmp.path()).find("\nstate draining\n") != std::string::npos; }));
  // By now the control thread has looked more than once whether it may detach.
  EXPECT_NE(StatusIn(tmp.path()), "");
  EXPECT_EQ(g_detaches, 0);

  g_released.release(1000);
  EXPECT_TRUE(Eventually([&] { return g_detaches == 1; }));
  session->DetachSucceeded();
  const std::weak_ptr<Session> left = session;
  session.reset();
  EXPECT_TRUE(Eventually([&] { return left.expired(); }));
  unsetenv("TMPDIR");
}

}  // namespace
}  // namespace hindsight::recorder
