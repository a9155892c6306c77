// What the dictionaries name before and after code was unloaded.
#include "recorder/encode/dictionary_writer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/recorder/fake_runtime.h"
#include "tests/unit/recorder/output_test_support.h"

namespace hindsight::recorder {
namespace {

constexpr uintptr_t kOne = 0x1000, kOther = 0x2000;  // where methods begin
constexpr uintptr_t kInto = 0x10;                    // a call in each of them
constexpr size_t kSize = 0x100;

class DictionariesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    ASSERT_TRUE(segments_.Open(ConfigFor(tmp_.path()), &why)) << why;
    packets_.OnNewFile([this] { dictionaries_.StartFile(); });
    packets_.Begin();
    gate_.KeepLog();
    ASSERT_TRUE(stacks_.Open(budget_));
  }
  void TearDown() override { stacks_.Close(budget_); }

  // Its id is the address, and is reused by whatever is created there next.
  void Make(uintptr_t start, const std::u16string& name) {
    runtime_.bodies[start] = kSize;
    runtime_.dynamic_methods[start] = name;
  }
  void Unload(uintptr_t start, uint64_t time_ns) {
    gate_.MethodUnloading(start, time_ns);
    runtime_.bodies.erase(start);
    runtime_.dynamic_methods.erase(start);
  }
  void UnloadModule(uint64_t time_ns) {
    gate_.ModuleUnloading(
        0, [](uint64_t) {}, time_ns);
  }
  uint32_t FrameAt(uint64_t time_ns, uintptr_t start) {
    dictionaries_.ForEventAt(time_ns);
    return dictionaries_.Frame(start + kInto, AddressKind::kReturn);
  }
  // The same place in an event's frame, in a stack of the table, and in a CPU sample's.
  struct Ids {
    uint32_t frame, stack, sample;
    bool operator==(const Ids&) const = default;
  };
  Ids IdsAt(uint64_t time_ns, uintptr_t start) {
    const uint32_t frame = FrameAt(time_ns, start);
    const uintptr_t ip = start + kInto;
    return {frame, dictionaries_.Stack(stacks_.Intern({&ip, 1})),
            dictionaries_.SampledStack({&ip, 1})};
  }

  // From here on, what was written can be read.
  void Close() {
    ASSERT_TRUE(packets_.End(SegmentKind::kLast));
    ASSERT_TRUE(segments_.Close());
    std::map<uint32_t, std::string> texts, methods;
    const ReadResult read = ReadRecording(segments_.path());
    ASSERT_EQ(read.faults, std::vector<std::string>());
    for (const ReadSegment& segment : read.segments) {
      for (const hindsight::Packet& packet : segment.recording.packet()) {
        if (packet.has_string()) texts[packet.string().id()] = packet.string().value();
        const hindsight::Method& method = packet.method();
        if (method.name() != 0) methods[method.id()] = texts[method.name()];
        if (packet.has_frame()) {
          frames_[packet.frame().id()] = methods[packet.frame().method()];
          il_offsets_[packet.frame().id()] = packet.frame().il_offset();
        }
        if (!packet.has_stack()) continue;
        const uint32_t parent = packet.stack().parent();
        stacks_read_[packet.stack().id()] = frames_[packet.stack().frame()];
        if (parent != 0) parents_[packet.stack().id()] = stacks_read_.at(parent);
      }
    }
  }
  std::string NameOf(uint32_t frame) { return frames_.at(frame); }
  void ExpectName(const Ids& ids, const std::string& name) {
    EXPECT_EQ(frames_.at(ids.frame), name);
    EXPECT_EQ(stacks_read_.at(ids.stack), name);
    EXPECT_EQ(stacks_read_.at(ids.sample), name);
  }

  TemporaryFolder tmp_;
  SegmentWriter segments_;
  PacketWriter packets_{segments_};
  MemoryBudget budget_;
  StackTable stacks_;
  std::atomic<bool> suspended_{false};
  FakeRuntime runtime_;
  CodeGate gate_;
  RuntimeMetadata names_{runtime_.info(), gate_};
  DictionaryWriter dictionaries_{names_, stacks_, suspended_, packets_};
  std::map<uint32_t, std::string> frames_, stacks_read_;
  std::map<uint32_t, int32_t> il_offsets_;
  std::map<uint32_t, std::string> parents_;  // by Stack.id, as stacks_read_
};

TEST_F(DictionariesTest, ADynamicMethodThatIsUnloadedIsForgottenByItself) {
  Make(kOne, u"one");
  Make(kOther, u"other");
  const Ids one = IdsAt(10, kOne), other = IdsAt(10, kOther);
  Unload(kOne, 20);
  Make(kOne, u"its successor");

  EXPECT_EQ(IdsAt(15, kOne), one);  // an event from before
  const Ids successor = IdsAt(30, kOne);
  EXPECT_EQ(IdsAt(30, kOther), other);
  Close();
  ExpectName(one, "one");
  ExpectName(other, "other");
  ExpectName(successor, "its successor");
}

// A handler whose address is unknown: after an attach, each exception queries its method.
TEST_F(DictionariesTest, AMethodIsOnePlaceUntilItIsUnloaded) {
  Make(kOne, u"one");
  Make(kOther, u"other");
  dictionaries_.ForEventAt(10);
  const uint32_t one = dictionaries_.MethodFrame(kOne);
  const uint32_t other = dictionaries_.MethodFrame(kOther);
  EXPECT_NE(one, other);
  EXPECT_EQ(dictionaries_.MethodFrame(kOne), one);
  Unload(kOne, 20);
  Make(kOne, u"its successor");
  dictionaries_.ForEventAt(30);
  const uint32_t successor = dictionaries_.MethodFrame(kOne);
  EXPECT_EQ(dictionaries_.MethodFrame(kOther), other);
  dictionaries_.Forget();
  const uint32_t again = dictionaries_.MethodFrame(kOther);
  EXPECT_NE(again, other);
  Close();
  EXPECT_EQ(NameOf(one), "one");
  EXPECT_EQ(NameOf(other), "other");
  EXPECT_EQ(NameOf(successor), "its successor");
  EXPECT_EQ(NameOf(again), "other");
}

TEST_F(DictionariesTest, TheSuccessorOfAnUnloadedMethodDoesNotGetItsEvents) {
  Make(kOne, u"one");
  Unload(kOne, 20);
  Make(kOne, u"its successor");
  const Ids before = IdsAt(15, kOne);
  EXPECT_EQ(FrameAt(15, kOne), before.frame);  // written once
  EXPECT_EQ(dictionaries_.Method(kOne), 0u);

  const Ids after = IdsAt(30, kOne);
  // A late event does not affect what is known by now, nor later queries.
  const uint32_t late = FrameAt(15, kOther);
  Make(kOther, u"other");
  const uint32_t in_time = FrameAt(30, kOther);
  EXPECT_EQ(FrameAt(30, kOne), after.frame);
  Close();
  ExpectName(before, "");
  ExpectName(after, "its successor");
  EXPECT_EQ(NameOf(late), "");
  EXPECT_EQ(NameOf(in_time), "other");
}

// Events between two unloads know the first method as gone and the second one as it was.
TEST_F(DictionariesTest, UnloadsAreForgottenOneAfterTheOther) {
  Make(kOne, u"one");
  Make(kOther, u"other");
  const uint32_t one = FrameAt(10, kOne), other = FrameAt(10, kOther);
  Unload(kOne, 20);
  Make(kOne, u"its successor");
  Unload(kOther, 40);
  const uint32_t between = FrameAt(30, kOne);
  EXPECT_NE(between, one);
  EXPECT_EQ(FrameAt(30, kOther), other);
  EXPECT_NE(FrameAt(50, kOther), other);
  const uint32_t after = FrameAt(50, kOne);
  Close();
  EXPECT_EQ(NameOf(between), "");  // the successor may have come later
  EXPECT_EQ(NameOf(after), "its successor");
}

TEST_F(DictionariesTest, WhatHadNoNameIsAskedAgain) {
  runtime_.bodies[kOne] = kSize;  // its method is not described yet
  const Ids nameless = IdsAt(10, kOne);
  EXPECT_EQ(FrameAt(10, kOne), nameless.frame);  // written once
  Make(kOne, u"one");
  const Ids named = IdsAt(11, kOne);
  Close();
  ExpectName(nameless, "");
  ExpectName(named, "one");
}

// The outer frames of a thread's last stack are not looked up again, until something is unloaded.
TEST_F(DictionariesTest, StacksThatShareOuterFramesForgetThemTogether) {
  for (const uint32_t thread : {7u, 8u}) {
    Make(kOne, u"one");
    Make(kOther, u"other");
    const uint64_t now = thread * 100;
    const uintptr_t one = kOne + kInto, other = kOther + kInto;
    const std::vector<uintptr_t> shallow = {one, other}, deep = {other + 1, one, other};
    const auto stack_at = [&](uint64_t time_ns, std::span<const uintptr_t> frames) {
      dictionaries_.ForEventAt(time_ns, thread);
      return std::pair(dictionaries_.Stack(frames), dictionaries_.SampledStack(frames));
    };
    const auto first = stack_at(now, shallow), inner = stack_at(now, deep);
    EXPECT_NE(first, inner);
    const int questions = runtime_.questions;
    EXPECT_EQ(stack_at(now, shallow), first);
    EXPECT_EQ(stack_at(now, deep), inner);
    EXPECT_EQ(runtime_.questions, questions);
    Unload(kOther, now + 10);
    Make(kOther, u"its successor");
    EXPECT_EQ(stack_at(now + 5, deep), inner);  // an event from before
    const auto changed = stack_at(now + 20, deep);
    EXPECT_NE(changed.first, inner.first);
    EXPECT_NE(changed.second, inner.second);
    UnloadModule(now + 30);
    const auto again = stack_at(now + 40, deep);
    EXPECT_NE(again.first, changed.first);
    EXPECT_NE(again.second, changed.second);
    dictionaries_.Forget();
    EXPECT_NE(stack_at(now + 40, deep).first, again.first);
    Unload(kOne, now + 50);
    Unload(kOther, now + 50);
  }
  Close();
}

TEST_F(DictionariesTest, AnotherPlaceInABodyIsNotAskedAboutUntilSomethingIsUnloaded) {
  Make(kOne, u"one");
  dictionaries_.ForEventAt(10);
  dictionaries_.Method(kOne);
  const auto question_at = [&](uintptr_t place) {
    const int before = runtime_.questions;
    EXPECT_NE(dictionaries_.Frame(kOne + place, AddressKind::kReturn), 0u);
    return runtime_.questions > before;
  };
  EXPECT_TRUE(question_at(0x10));
  EXPECT_TRUE(question_at(0x20));  // of a dynamic method nothing is kept
  runtime_.dynamic_methods.erase(kOne);
  EXPECT_TRUE(question_at(0x30));
  EXPECT_FALSE(question_at(0x40));
  EXPECT_FALSE(question_at(kSize));  // after its last instruction, a call
  UnloadModule(20);
  Make(kOne, u"its successor");
  dictionaries_.ForEventAt(30);
  EXPECT_TRUE(question_at(0x50));
}

TEST_F(DictionariesTest, OuterFramesThatHadNoNameAreAskedAgain) {
  Make(kOne, u"one");
  runtime_.bodies[kOther] = kSize;  // its method is not described yet
  const std::vector<uintptr_t> frames = {kOne + kInto, kOther + kInto};
  dictionaries_.ForEventAt(10);
  const uint32_t nameless = dictionaries_.SampledStack(frames);
  Make(kOther, u"other");
  const uint32_t named = dictionaries_.SampledStack(frames);
  EXPECT_NE(named, nameless);
  EXPECT_EQ(dictionaries_.SampledStack(frames), named);
  Close();
  EXPECT_EQ(parents_.at(nameless), "");
  EXPECT_EQ(parents_.at(named), "other");
}

// Between two events, too: what is queried then may be gone.
TEST_F(DictionariesTest, NothingIsAskedAfterAnUnloadUntilTheNextEvent) {
  Make(kOne, u"one");
  Make(kOther, u"other");
  dictionaries_.ForEventAt(10);
  Unload(kOne, 20);
  EXPECT_EQ(dictionaries_.Method(kOther), 0u);
  UnloadModule(30);
  const int questions = runtime_.questions;
  dictionaries_.Frame(kOther + kInto, AddressKind::kReturn);
  EXPECT_EQ(runtime_.questions, questions);
  dictionaries_.ForEventAt(40);
  EXPECT_NE(dictionaries_.Method(kOther), 0u);
}

TEST_F(DictionariesTest, AnUnloadedModuleMakesNewEventsAskAnew) {
  Make(kOne, u"one");
  const uint32_t one = FrameAt(10, kOne);
  UnloadModule(20);
  const uint32_t known = FrameAt(15, kOne), unknown = FrameAt(15, kOther);
  EXPECT_EQ(known, one);
  Make(kOther, u"other");
  const uint32_t again = FrameAt(30, kOne), other = FrameAt(30, kOther);
  EXPECT_NE(again, one);
  Close();
  EXPECT_EQ(NameOf(again), "one");
  EXPECT_EQ(NameOf(unknown), "");
  EXPECT_EQ(NameOf(other), "other");
}

// Its line would be missing for as long as the process lives.
TEST_F(DictionariesTest, AFrameWhoseMapWasPutOffIsAskedAboutAgain) {
  constexpr clr::ModuleID kModule = 0x9000;
  gate_.ModuleUnloading(
      kModule, [](uint64_t) {}, 20);
  Make(kOne, u"one");
  dictionaries_.ForEventAt(30);
  dictionaries_.Method(kOne);
  runtime_.dynamic_methods.erase(kOne);  // it has a name now, and may have a map
  runtime_.has_maps = true;
  const Ids put_off = IdsAt(30, kOne);
  gate_.ModuleUnloaded(kModule);
  const Ids known = IdsAt(30, kOne);
  EXPECT_NE(known, put_off);
  EXPECT_EQ(IdsAt(30, kOne), known);
  Close();
  ExpectName(put_off, "one");
  ExpectName(known, "one");
  EXPECT_EQ(il_offsets_[put_off.frame], 0);
  EXPECT_EQ(il_offsets_[known.frame], 1);  // 0, as the schema stores it
}

}  // namespace
}  // namespace hindsight::recorder
