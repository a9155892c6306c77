// The end of a process in which no part of the recorder ends.
#include "recorder/session.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
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

clr::HRESULT SomeVersion(void*, uint16_t*, clr::COR_PRF_RUNTIME_TYPE*, uint16_t* major,
                         uint16_t* minor, uint16_t* build, uint16_t*, uint32_t, uint32_t*,
                         char16_t*) {
  *major = 10;
  for (uint16_t* part : {minor, build}) {
    if (part != nullptr) *part = 0;
  }
  return clr::S_OK;
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

}  // namespace
}  // namespace hindsight::recorder
