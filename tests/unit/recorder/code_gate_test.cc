// Queries, and unloads that come in between: the querying thread is descheduled at the worst
// moment.
#include "recorder/names/code_gate.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "recorder/names/runtime_metadata.h"
#include "tests/unit/recorder/fake_runtime.h"

namespace hindsight::recorder {
namespace {

constexpr clr::ModuleID kModule = 0x4000;
constexpr clr::FunctionID kMethod = 0x1000;

// Long enough for a thread that does not wait to proceed.
void LetOthersRun() {
  for (int i = 0; i < 1000; ++i) sched_yield();
}

void UnloadModule(CodeGate& gate, clr::ModuleID module, uint64_t now_ns) {
  gate.ModuleUnloading(
      module, [](uint64_t) {}, now_ns);
}

TEST(CodeGate, AnIdIsAskedAboutUntilSomethingIsUnloaded) {
  CodeGate gate;
  EXPECT_TRUE(gate.Enter(10));
  UnloadModule(gate, kModule, 20);
  EXPECT_FALSE(gate.Enter(10));
  EXPECT_FALSE(gate.Enter(20));
  EXPECT_TRUE(gate.Enter(21));
  EXPECT_TRUE(gate.Enter(kForEver));
  gate.AssemblyUnloading(30);
  EXPECT_FALSE(gate.Enter(21));
  EXPECT_TRUE(gate.Enter(31));
  EXPECT_FALSE(gate.NothingUnloadedSince(30));
  EXPECT_TRUE(gate.NothingUnloadedSince(31));
}

// An id that was never given a time is never queried.
TEST(CodeGate, AnIdWithoutATimeIsNotAskedAbout) {
  CodeGate gate;
  EXPECT_FALSE(gate.Enter(0));
}

TEST(CodeGate, AnUnloadThatIsNotedLateTakesNoTimeBack) {
  CodeGate gate;
  UnloadModule(gate, kModule, 20);
  UnloadModule(gate, kModule, 15);
  EXPECT_FALSE(gate.Enter(20));
}

TEST(CodeGate, AnUnloadWaitsForTheQuestionHoweverLongItTakes) {
  for (const bool assembly : {false, true}) {
    CodeGate gate;
    std::atomic<bool> unloaded{false};
    std::optional<CodeGate::Hold> hold = gate.Enter(10);
    std::thread unloading([&] {
      assembly ? gate.AssemblyUnloading(20) : UnloadModule(gate, kModule, 20);
      unloaded = true;
    });
    while (gate.NothingUnloadedSince(10)) sched_yield();  // the unload is recorded at once
    LetOthersRun();
    EXPECT_FALSE(unloaded);
    hold.reset();
    unloading.join();
    EXPECT_FALSE(gate.Enter(10));
  }
}

// A thread that makes one query after the other does not keep an unload waiting.
TEST(CodeGate, AnUnloadGoesBeforeTheNextQuestion) {
  CodeGate gate;
  std::atomic<bool> over{false};
  std::atomic<uint64_t> questions{0};
  std::vector<std::thread> asking;
  for (int i = 0; i < 3; ++i) {
    asking.emplace_back([&] {
      while (!over) {
        const auto hold = gate.Enter(kForEver);
        ++questions;
      }
    });
  }
  while (questions < 100) sched_yield();
  for (uint64_t time = 1; time <= 1000; ++time) UnloadModule(gate, kModule, time);
  over = true;
  for (std::thread& thread : asking) thread.join();
  EXPECT_TRUE(gate.Enter(1001));
}

class CountingObserver final : public CodeGate::UnloadObserver {
 public:
  void ModuleUnloading(clr::ModuleID module) override { modules.push_back(module); }
  std::vector<clr::ModuleID> modules;
};

TEST(CodeGate, WhatIsKeptOfAModuleGoesWhileNobodyAsks) {
  CodeGate gate;
  CountingObserver observer;
  gate.Add(&observer);
  std::optional<CodeGate::Hold> hold = gate.Enter(kForEver);
  std::thread unloading([&] { UnloadModule(gate, kModule, 20); });
  while (gate.NothingUnloadedSince(20)) sched_yield();
  LetOthersRun();
  EXPECT_TRUE(observer.modules.empty());
  hold.reset();
  unloading.join();
  EXPECT_EQ(observer.modules, std::vector<clr::ModuleID>{kModule});
  gate.Remove(&observer);
  UnloadModule(gate, kModule, 30);
  EXPECT_EQ(observer.modules.size(), 1u);
}

// It comes in cooperative mode: queries about modules may wait for a collection, which waits for
// it.
TEST(CodeGate, AMethodsUnloadDoesNotWaitForQuestionsAboutModules) {
  CodeGate gate;
  const auto hold = gate.Enter(10);
  gate.MethodUnloading(kMethod, 20);
  EXPECT_FALSE(hold->EnterDynamic());
  EXPECT_TRUE(gate.NothingUnloadedSince(10));
}

TEST(CodeGate, AMethodsUnloadWaitsForTheQuestionAboutIt) {
  CodeGate gate;
  std::atomic<bool> unloaded{false};
  gate.KeepLog();
  const auto hold = gate.Enter(10);
  std::optional<CodeGate::DynamicHold> dynamic = hold->EnterDynamic();
  std::thread unloading([&] {
    gate.MethodUnloading(kMethod, 20);
    unloaded = true;
  });
  while (!gate.HasLog()) sched_yield();
  LetOthersRun();
  EXPECT_FALSE(unloaded);
  dynamic.reset();
  unloading.join();
  EXPECT_FALSE(hold->EnterDynamic());
}

TEST(CodeGate, ASuspensionWaitsForTheLookUpThatGoesOnAndForNoOtherQuestion) {
  CodeGate gate;
  const std::optional<CodeGate::Hold> hold = gate.Enter(10);
  gate.SuspensionBegins();  // a query without a lookup does not delay it
  gate.SuspensionIsThere();
  std::atomic<bool> suspended{false};
  std::optional<CodeGate::LookUp> look_up = hold->EnterLookUp();
  std::thread suspending([&] {
    gate.SuspensionBegins();
    suspended = true;
  });
  LetOthersRun();
  EXPECT_FALSE(suspended);
  look_up.reset();
  suspending.join();
  // Until all threads have stopped, none begins.
  std::atomic<bool> looked_up{false};
  std::thread looking([&] {
    const CodeGate::LookUp late = hold->EnterLookUp();
    looked_up = true;
  });
  LetOthersRun();
  EXPECT_FALSE(looked_up);
  gate.SuspensionBegins();  // the notification that the last one had stopped was missed
  gate.SuspensionIsThere();
  looking.join();
  gate.SuspensionIsThere();
  look_up.emplace(hold->EnterLookUp());
}

TEST(CodeGate, ReportsWhatWasUnloadedInOrder) {
  CodeGate gate;
  UnloadModule(gate, kModule, 5);  // before the log is read
  gate.KeepLog();
  EXPECT_FALSE(gate.HasLog());
  gate.MethodUnloading(kMethod, 10);
  gate.AssemblyUnloading(15);  // its modules follow
  UnloadModule(gate, kModule, 20);
  std::deque<CodeGate::Unload> log;
  gate.TakeLog(log);
  ASSERT_EQ(log.size(), 2u);
  EXPECT_EQ(log[0].time_ns, 10u);
  EXPECT_EQ(log[0].method, kMethod);
  EXPECT_EQ(log[1].time_ns, 20u);
  EXPECT_EQ(log[1].method, 0u);
  EXPECT_FALSE(gate.HasLog());
}

// The runtime frees a method's name as soon as its callback has returned.
TEST(CodeGate, ANameIsReadBeforeItIsFreed) {
  FakeRuntime runtime;
  CodeGate gate;
  gate.KeepLog();
  RuntimeMetadata names(runtime.info(), gate);
  runtime.dynamic_methods[kMethod] = u"compiled";
  std::atomic<bool> freed{false}, freed_too_early{false};
  std::thread unloading;
  runtime.in_question = [&] {
    runtime.in_question = nullptr;
    unloading = std::thread([&] {
      gate.MethodUnloading(kMethod, 20);
      freed = true;
    });
    while (!gate.HasLog()) sched_yield();
    LetOthersRun();
    freed_too_early = freed.load();
  };
  MethodDescription method;
  {
    const auto hold = gate.Enter(10);
    EXPECT_TRUE(names.DescribeMethod(*hold, kMethod, method));
  }
  unloading.join();
  EXPECT_FALSE(freed_too_early);
  EXPECT_EQ(method.name, "compiled");
  const auto hold = gate.Enter(10);
  EXPECT_FALSE(names.DescribeMethod(*hold, kMethod, method));
}

// The table of precompiled code is read for a map, too. And with the first query about a map, the
// runtime creates what all of them need, under a lock that a debugger holds while it stops the
// application: so that query is about no code, and no suspension waits for it.
TEST(CodeGate, ASuspensionWaitsForAMapOfCodeAndNotForTheFirstQuestion) {
  FakeRuntime runtime;
  CodeGate gate;
  RuntimeMetadata names(runtime.info(), gate);
  runtime.bodies[kMethod] = 0x100;
  runtime.has_maps = true;
  std::vector<uintptr_t> asked;
  std::atomic<bool> suspended{false}, too_early{false};
  std::thread suspending;
  runtime.in_map_question = [&](uintptr_t start) {
    asked.push_back(start);
    if (start != kMethod) {
      gate.SuspensionBegins();
      gate.SuspensionIsThere();
    } else if (!suspending.joinable()) {
      suspending = std::thread([&] {
        gate.SuspensionBegins();
        suspended = true;
        gate.SuspensionIsThere();
      });
      LetOthersRun();
      too_early = suspended.load();
    }
  };
  CodeDescription code;
  const auto hold = gate.Enter(10);
  EXPECT_EQ(names.LookUp(*hold, kMethod, AddressKind::kExact, code), CodeFound::kFound);
  suspending.join();
  EXPECT_FALSE(too_early);
  ASSERT_GE(asked.size(), 2u);
  EXPECT_NE(asked.front(), kMethod);
  EXPECT_EQ(asked.back(), kMethod);
  EXPECT_EQ(code.il_map.size(), 1u);
}

// The runtime keeps the bodies of a generic method in one list, which it walks without a lock, and
// frees those of an unloaded module.
TEST(CodeGate, NoMapIsAskedForWhileTheRuntimeTakesAModuleApart) {
  constexpr clr::ModuleID kOtherModule = 0x5000;
  FakeRuntime runtime;
  CodeGate gate;
  RuntimeMetadata names(runtime.info(), gate);
  runtime.bodies[kMethod] = 0x100;
  runtime.has_maps = true;
  int asked = 0;
  runtime.in_map_question = [&](uintptr_t) { ++asked; };
  CodeDescription code;
  const auto look_up = [&] {
    const auto hold = gate.Enter(kForEver);
    return names.LookUp(*hold, kMethod, AddressKind::kExact, code);
  };
  UnloadModule(gate, kModule, 20);
  UnloadModule(gate, kOtherModule, 21);
  gate.ModuleUnloaded(kModule);
  gate.ModuleUnloaded(kModule + 1);  // one whose beginning was not seen
  EXPECT_EQ(look_up(), CodeFound::kFound);
  EXPECT_EQ(asked, 0);
  EXPECT_TRUE(code.il_map_put_off);
  gate.ModuleUnloaded(kOtherModule);
  EXPECT_EQ(look_up(), CodeFound::kFound);
  EXPECT_GT(asked, 0);
  EXPECT_FALSE(code.il_map_put_off);
  EXPECT_EQ(code.il_map.size(), 1u);
}

}  // namespace
}  // namespace hindsight::recorder
