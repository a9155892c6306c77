// Steps by the unwind information of Windows, and walks over copies of stacks. The prologs are
// written next to their codes.
#include "recorder/stack/unwind_info.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "recorder/stack/copied_stack_walk.h"

namespace hindsight::recorder {
namespace {

using Bytes = std::vector<uint8_t>;
using Words = std::vector<uintptr_t>;

constexpr uintptr_t kStart = 0x7ff0'0000, kEnd = kStart + 0x100, kLow = 0x10'0000;
constexpr size_t kRbx = 3, kRbp = 5, kRsi = 6;

// Its header says how many codes there are; `last` is what follows them.
Bytes Info(uint8_t flags, uint8_t frame, const Bytes& codes, const Bytes& last = {}) {
  Bytes info{static_cast<uint8_t>(1 | flags << 3), 0x20, static_cast<uint8_t>(codes.size() / 2),
             frame};
  info.insert(info.end(), codes.begin(), codes.end());
  info.resize((info.size() + 3) / 4 * 4);
  info.insert(info.end(), last.begin(), last.end());
  return info;
}

UnwindFunction Of(const Bytes& info) {
  UnwindFunction function{kStart, kEnd, 0, 0, {}};
  std::optional<FunctionEntry> continued;
  EXPECT_TRUE(AddUnwindInfo(info, false, function, continued));
  EXPECT_FALSE(continued);
  return function;
}

X64Registers At(uintptr_t offset, uintptr_t sp = kLow) {
  X64Registers registers;
  registers.ip = kStart + offset;
  registers.sp() = sp;
  registers.general[kRbx] = 0xb;
  registers.general[kRbp] = 0xbb;
  return registers;
}

// What is left after a step; nothing if there was none.
std::optional<X64Registers> Step(const UnwindFunction& function, X64Registers registers,
                                 const Words& stack, const Bytes& code = {}) {
  bool interrupted = true;
  if (!StepToCaller(function, code, {kLow, stack}, registers, interrupted)) return {};
  EXPECT_FALSE(interrupted);
  return registers;
}

void Expect(const std::optional<X64Registers>& registers, uintptr_t ip, size_t words) {
  ASSERT_TRUE(registers);
  EXPECT_EQ(registers->ip, ip);
  EXPECT_EQ(registers->sp(), kLow + words * 8);
}

// push rbp (to 1); push rbx (to 2); sub rsp, 24 (to 6)
const Bytes kPushes = Info(0, 0, {6, 0x22, 2, 0x30, 1, 0x50});

TEST(UnwindInfo, OfABody) {
  const auto caller = Step(Of(kPushes), At(0x40), {1, 2, 3, 33, 55, 77, 88});
  Expect(caller, 77, 6);
  EXPECT_EQ(caller->general[kRbx], 33u);
  EXPECT_EQ(caller->general[kRbp], 55u);
}

TEST(UnwindInfo, OfEachPlaceInAProlog) {
  const UnwindFunction function = Of(kPushes);
  Expect(Step(function, At(0), {77, 88}), 77, 1);
  Expect(Step(function, At(1), {55, 77, 88}), 77, 2);
  const auto caller = Step(function, At(2), {33, 55, 77, 88});
  Expect(caller, 77, 3);
  EXPECT_EQ(caller->general[kRbx], 33u);
  EXPECT_EQ(Step(function, At(1), {55, 77, 88})->general[kRbx], 0xbu);
}

TEST(UnwindInfo, OfAFrameRegister) {
  // push rbp (to 1); sub rsp, 32 (to 5); lea rbp, [rsp + 16] (to 10). Then rsp is moved further.
  const UnwindFunction function = Of(Info(0, 0x15, {10, 0x03, 5, 0x32, 1, 0x50}));
  X64Registers registers = At(0x40);
  registers.general[kRbp] = kLow + 3 * 8 + 16;
  const auto caller = Step(function, registers, {0, 0, 0, 1, 2, 3, 4, 55, 77});
  Expect(caller, 77, 9);
  EXPECT_EQ(caller->general[kRbp], 55u);
  // Not set yet: rbp is still the caller's.
  Expect(Step(function, At(5), {1, 2, 3, 4, 55, 77}), 77, 6);
}

TEST(UnwindInfo, OfLargeFramesAndSavedRegisters) {
  // sub rsp, 0x208 (to 7); mov [rsp + 0x20], rbx (to 12); movaps [rsp + 0x30], xmm6 (to 17)
  const UnwindFunction function =
      Of(Info(0, 0, {17, 0x68, 3, 0, 12, 0x34, 4, 0, 7, 0x01, 0x41, 0}));
  Words stack(0x41 + 2);
  stack[4] = 33;
  stack[0x41] = 77;
  const auto caller = Step(function, At(0x40), stack);
  Expect(caller, 77, 0x42);
  EXPECT_EQ(caller->general[kRbx], 33u);
  // The same with numbers of 32 bits, in bytes.
  const UnwindFunction far =
      Of(Info(0, 0, {17, 0x69, 0x30, 0, 0, 0, 12, 0x35, 4, 0, 0, 0, 7, 0x11, 0x41, 0, 0, 0}));
  EXPECT_EQ(far.operations.size(), 2u);
}

TEST(UnwindInfo, OfAPartOfAFunction) {
  const FunctionEntry whole{0x100, 0x200, 0x3000};
  Bytes last(sizeof whole);
  std::memcpy(last.data(), &whole, sizeof whole);
  UnwindFunction function{kStart, kEnd, 0, 0, {}};
  std::optional<FunctionEntry> continued;
  // mov [rsp + 8], rsi (to 5), in a part that begins where the pushes are done.
  ASSERT_TRUE(AddUnwindInfo(Info(4, 0, {5, 0x64, 1, 0}, last), false, function, continued));
  ASSERT_TRUE(continued);
  EXPECT_EQ(continued->start, whole.start);
  EXPECT_EQ(continued->unwind, whole.unwind);
  ASSERT_TRUE(AddUnwindInfo(kPushes, true, function, continued));
  EXPECT_FALSE(continued);
  const Words stack{1, 66, 3, 33, 55, 77, 88};
  Expect(Step(function, At(0), stack), 77, 6);
  EXPECT_EQ(Step(function, At(0), stack)->general[kRsi], 0u);
  EXPECT_EQ(Step(function, At(5), stack)->general[kRsi], 66u);
}

TEST(UnwindInfo, OfEpilogs) {
  const UnwindFunction function = Of(kPushes);
  const Words stack{1, 2, 3, 33, 55, 77, 88};
  // add rsp, 24; pop rbx; pop rbp; ret
  const Bytes epilog{0x48, 0x83, 0xc4, 0x18, 0x5b, 0x5d, 0xc3};
  const auto rest = [&](size_t from) { return Bytes(epilog.begin() + from, epilog.end()); };
  Expect(Step(function, At(0x80), stack, epilog), 77, 6);
  const auto caller = Step(function, At(0x84, kLow + 3 * 8), stack, rest(4));
  Expect(caller, 77, 6);
  EXPECT_EQ(caller->general[kRbx], 33u);
  EXPECT_EQ(caller->general[kRbp], 55u);
  Expect(Step(function, At(0x85, kLow + 4 * 8), stack, rest(5)), 77, 6);
  Expect(Step(function, At(0x86, kLow + 5 * 8), stack, rest(6)), 77, 6);
  // pop rbp; jmp to another function; the same within the function is no epilog.
  Expect(Step(function, At(0x85, kLow + 4 * 8), stack, {0x5d, 0xe9, 0, 0x10, 0, 0}), 77, 6);
  EXPECT_FALSE(Step(function, At(0x85, kLow + 4 * 8), stack, {0x5d, 0xeb, 0x10}));
  // pop rbx; call: no epilog, so the body's.
  Expect(Step(function, At(0x40), stack, {0x5b, 0xe8, 0, 0, 0, 0}), 77, 6);
}

TEST(UnwindInfo, OfAnEpilogWithAFrameRegister) {
  // As above; lea rsp, [rbp + 16]; pop rbp; ret
  const UnwindFunction function = Of(Info(0, 0x15, {10, 0x03, 5, 0x32, 1, 0x50}));
  X64Registers registers = At(0x80);
  registers.general[kRbp] = kLow + 5 * 8;
  Expect(Step(function, registers, {0, 0, 0, 0, 0, 0, 0, 55, 77},
              {0x48, 0x8d, 0x65, 0x10, 0x5d, 0xc3}),
         77, 9);
}

TEST(UnwindInfo, OfAnInterruption) {
  // The system has pushed ss, rsp, flags, cs and rip, and an error code.
  const UnwindFunction function = Of(Info(0, 0, {0, 0x1a}));
  X64Registers registers = At(0x10);
  bool interrupted = false;
  const Words stack{0xe, 77, 0x33, 0, kLow + 64, 0x2b, 0, 0, 0};
  ASSERT_TRUE(StepToCaller(function, {}, {kLow, stack}, registers, interrupted));
  EXPECT_TRUE(interrupted);
  EXPECT_EQ(registers.ip, 77u);
  EXPECT_EQ(registers.sp(), kLow + 64);
}

TEST(UnwindInfo, NothingIsBelieved) {
  UnwindFunction function;
  std::optional<FunctionEntry> continued;
  EXPECT_FALSE(AddUnwindInfo({}, false, function, continued));
  EXPECT_FALSE(AddUnwindInfo(Bytes{3, 0, 0, 0}, false, function, continued));  // a later version
  EXPECT_FALSE(AddUnwindInfo(Bytes{1, 0, 2, 0, 1, 0x50}, false, function, continued));  // cut off
  EXPECT_FALSE(AddUnwindInfo(Info(0, 0, {7, 0x01}), false, function, continued));       // no number
  EXPECT_FALSE(AddUnwindInfo(Info(0, 0, {1, 0x03}), false, function, continued));  // no register
  EXPECT_FALSE(AddUnwindInfo(Info(0, 0, {1, 0x0b}), false, function, continued));  // unknown
  // The stack ends before the caller, or the step would lead down.
  EXPECT_FALSE(Step(Of(kPushes), At(0x40), {1, 2, 3, 33, 55}));
  X64Registers registers = At(0x40);
  registers.general[kRbp] = kLow - 0x1000;
  EXPECT_FALSE(Step(Of(Info(0, 0x15, {10, 0x03})), registers, {1, 2, 3, 4}));
}

TEST(UnwindInfo, AnythingIsRead) {
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    Bytes info(4 + random() % 40), code(random() % 20);
    for (Bytes* bytes : {&info, &code}) {
      for (uint8_t& byte : *bytes) byte = static_cast<uint8_t>(random());
    }
    info[0] = static_cast<uint8_t>(1 | (info[0] & 0xf8));
    info[2] %= 20;
    UnwindFunction function{kStart, kEnd, 0, 0, {}};
    std::optional<FunctionEntry> continued;
    if (!AddUnwindInfo(info, false, function, continued)) continue;
    const Words stack(64, kLow + random() % 1024);
    X64Registers registers = At(random() % 0x100);
    bool interrupted = false;
    const uintptr_t before = registers.sp();
    if (StepToCaller(function, code, {kLow, stack}, registers, interrupted)) {
      EXPECT_GT(registers.sp(), before);
    }
  }
}

// Functions of a page each, by their address.
class Pages final : public FunctionFinder {
 public:
  Found Find(uintptr_t instruction, uint64_t as_of_ns, const UnwindFunction*& out) override {
    EXPECT_EQ(as_of_ns, 5u);
    if (instruction / 0x1000 == unknown_page) return Found::kUnknown;
    const auto found = functions.find(instruction / 0x1000);
    if (found == functions.end()) return Found::kNoInformation;
    out = &found->second;
    return Found::kFunction;
  }

  std::map<uintptr_t, UnwindFunction> functions;
  uintptr_t unknown_page = 0;
};

class CopiedStackWalk : public testing::Test {
 protected:
  void SetUp() override {
    for (const uintptr_t page : {1, 2, 3}) {
      UnwindFunction function = Of(kPushes);
      function.start = page * 0x1000;
      function.end = function.start + 0x1000;
      pages_.functions[page] = function;
    }
  }
  CopiedWalk Walk(uintptr_t ip, const Words& stack, size_t room = 16) {
    X64Registers registers = At(0);
    registers.ip = ip;
    frames_.assign(room, 0);
    const CopiedWalk walked = WalkCopiedStack(registers, {}, {kLow, stack}, 5, pages_, frames_);
    frames_.resize(walked.frames);
    return walked;
  }

  Pages pages_;
  Words frames_;
};

TEST_F(CopiedStackWalk, ReachesTheRoot) {
  // The last call in page 2 is its last instruction.
  const Words stack{0, 0, 0, 0, 0, 0x3000, 0, 0, 0, 0, 0, 0x3080, 0, 0, 0, 0, 0, 0};
  EXPECT_TRUE(Walk(0x1080, stack).rooted);
  EXPECT_EQ(frames_, (Words{0x1080, 0x3000, 0x3080}));
}

TEST_F(CopiedStackWalk, ALeafKeepsNothingAndIsNoCaller) {
  const Words stack{0x1080, 0, 0, 0, 0, 0, 0x9000, 0x2080, 0, 0, 0, 0, 0, 0};
  EXPECT_FALSE(Walk(0x8000, stack).rooted);
  EXPECT_EQ(frames_, (Words{0x8000, 0x1080, 0x9000}));
}

TEST_F(CopiedStackWalk, EndsWhereCodeIsGoneOrTheStackOrTheRoom) {
  const Words stack{0, 0, 0, 0, 0, 0x2080, 0, 0, 0, 0, 0, 0x3080};
  EXPECT_FALSE(Walk(0x1080, stack).rooted);
  EXPECT_EQ(frames_.size(), 3u);
  EXPECT_FALSE(Walk(0x1080, stack, 2).rooted);
  EXPECT_EQ(frames_, (Words{0x1080, 0x2080}));
  pages_.unknown_page = 2;
  EXPECT_FALSE(Walk(0x1080, stack).rooted);
  EXPECT_EQ(frames_, (Words{0x1080, 0x2080}));
}

}  // namespace
}  // namespace hindsight::recorder
