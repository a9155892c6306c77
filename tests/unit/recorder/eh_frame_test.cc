// Hand-made unwind tables.
#include "recorder/stack/eh_frame.h"

#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <vector>

namespace hindsight::recorder {
namespace {

using Kind = UnwindStep::Kind;
using Bytes = std::vector<uint8_t>;

constexpr uintptr_t kSection = 0x10000;
constexpr uintptr_t kCode = 0x20000, kCodeEnd = 0x30000;

class Table {
 public:
  // What compilers write: the return address at CFA - 8, CFA = rsp + 8, relative pointers.
  explicit Table(const char* augmentation = "zR") {
    Bytes body = {0, 0, 0, 0, 1};
    body.insert(body.end(), augmentation, augmentation + std::strlen(augmentation) + 1);
    const Bytes rest = {0x01, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1};
    body.insert(body.end(), rest.begin(), rest.end());
    Put(body);
  }

  void Function(uintptr_t start, uint32_t size, const Bytes& program) {
    const auto place = static_cast<uint32_t>(bytes_.size() + 4);
    Bytes body(12);
    const uint32_t back = place;  // to the CIE at 0
    std::memcpy(body.data(), &back, 4);
    const auto relative = static_cast<int32_t>(start - (kSection + place + 4));
    std::memcpy(body.data() + 4, &relative, 4);
    std::memcpy(body.data() + 8, &size, 4);
    body.push_back(0);  // augmentation
    body.insert(body.end(), program.begin(), program.end());
    Put(body);
  }

  std::vector<UnwindRow> Read(size_t max_rows = 1000) const {
    return ReadEhFrame({bytes_, kSection}, kCode, kCodeEnd, max_rows);
  }
  UnwindStep StepAt(uint32_t offset) const {
    UnwindStep step;
    for (const UnwindRow& row : Read()) {
      if (row.offset <= offset) step = row.step;
    }
    return step;
  }
  Bytes bytes_;

 private:
  void Put(const Bytes& body) {
    const auto length = static_cast<uint32_t>(body.size());
    const auto* const from = reinterpret_cast<const uint8_t*>(&length);
    bytes_.insert(bytes_.end(), from, from + 4);
    bytes_.insert(bytes_.end(), body.begin(), body.end());
  }
};

// push rbp; mov rbp, rsp; ...; pop rbp; ret
const Bytes kFramed = {0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x50, 0x0c, 7, 8, 0xc6};

TEST(EhFrame, FollowsAFunctionWithAFramePointer) {
  Table table;
  table.Function(kCode, 0x20, kFramed);
  EXPECT_EQ(table.StepAt(0), UnwindStep::Of(Kind::kSp, 1));
  EXPECT_EQ(table.StepAt(1), UnwindStep::Of(Kind::kSp, 2, 2));
  EXPECT_EQ(table.StepAt(4), UnwindStep::Of(Kind::kBp, 2, 2));
  EXPECT_EQ(table.StepAt(0x13), UnwindStep::Of(Kind::kBp, 2, 2));
  EXPECT_EQ(table.StepAt(0x14), UnwindStep::Of(Kind::kSp, 1));
  EXPECT_EQ(table.StepAt(0x20), UnwindStep{});
}

TEST(EhFrame, RemembersAndRestores) {
  Table table;
  // sub rsp, 24; remember; advance 4; add rsp; ret; restore
  table.Function(kCode, 0x40, {0x44, 0x0e, 32, 0x0a, 0x44, 0x0e, 8, 0x41, 0x0b});
  EXPECT_EQ(table.StepAt(4), UnwindStep::Of(Kind::kSp, 4));
  EXPECT_EQ(table.StepAt(8), UnwindStep::Of(Kind::kSp, 1));
  EXPECT_EQ(table.StepAt(9), UnwindStep::Of(Kind::kSp, 4));
}

TEST(EhFrame, SortsFunctionsAndLeavesOutWhatIsEqual) {
  Table table;
  table.Function(kCode + 0x100, 0x10, {});
  table.Function(kCode + 0x20, 0xd8, {0x44, 0x0e, 16, 0x44, 0x0e, 8});
  table.Function(kCode, 0x20, {});
  EXPECT_EQ(table.Read(), (std::vector<UnwindRow>{{0, UnwindStep::Of(Kind::kSp, 1)},
                                                  {0x24, UnwindStep::Of(Kind::kSp, 2)},
                                                  {0x28, UnwindStep::Of(Kind::kSp, 1)},
                                                  {0x110, {}}}));
  EXPECT_TRUE(table.Read(2).empty());
}

TEST(EhFrame, KnowsNothingBetweenFarFunctions) {
  Table table;
  table.Function(kCode, 0x10, {});
  table.Function(kCode + 0x1000, 0x10, {});
  EXPECT_EQ(table.StepAt(0x800), UnwindStep{});
  EXPECT_EQ(table.StepAt(0x1008), UnwindStep::Of(Kind::kSp, 1));
}

TEST(EhFrame, FindsTheFirstFunctionOfAThread) {
  Table table;
  table.Function(kCode, 0x10, {0x07, 16});  // DW_CFA_undefined rip
  EXPECT_EQ(table.StepAt(8), UnwindStep::Of(Kind::kRoot));
}

TEST(EhFrame, KnowsSignalFrames) {
  Table table("zRS");
  table.Function(kCode, 0x10, {0x0f, 3, 0x77, 0x20, 0x06});
  EXPECT_EQ(table.StepAt(8), UnwindStep::Of(Kind::kSignal));
}

TEST(EhFrame, KnowsTheExpressionsOfLinkersAndCompilers) {
  Table plt;
  plt.Function(kCode, 0x100,
               {0x0f, 11, 0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22});
  EXPECT_EQ(plt.StepAt(0x80), UnwindStep::Of(Kind::kPlt, 11));
  Table realigned;  // CFA = *(rbp - 8), rbp saved at rbp
  realigned.Function(kCode, 0x100, {0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0x00});
  EXPECT_EQ(realigned.StepAt(0x80), UnwindStep::Of(Kind::kBpSlot, 1));
}

TEST(EhFrame, SaysThatItDoesNotKnow) {
  Table other_register;
  other_register.Function(kCode, 0x10, {0x0c, 10, 0});  // CFA = r10
  EXPECT_EQ(other_register.StepAt(8), UnwindStep{});
  Table unknown_instruction;
  unknown_instruction.Function(kCode, 0x10, {0x1f});
  EXPECT_EQ(unknown_instruction.StepAt(8), UnwindStep{});
  Table nothing_to_restore;
  nothing_to_restore.Function(kCode, 0x10, {0x0b});
  EXPECT_EQ(nothing_to_restore.StepAt(8), UnwindStep{});
}

TEST(EhFrame, SurvivesAnyByteAndAnyEnd) {
  Table table;
  table.Function(kCode, 0x20, kFramed);
  table.Function(kCode + 0x20, 0x20, {0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0x00});
  const Bytes whole = table.bytes_;
  for (size_t i = 0; i < whole.size(); ++i) {
    for (const uint8_t value : {0x00, 0x7f, 0x80, 0xff}) {
      table.bytes_ = whole;
      table.bytes_[i] = value;
      for (const UnwindRow& row : table.Read()) EXPECT_LE(row.offset, kCodeEnd - kCode);
    }
    table.bytes_.assign(whole.begin(), whole.begin() + static_cast<long>(i));
    table.Read();
    EXPECT_LE(EhFrameSize(table.bytes_), i);
  }
}

}  // namespace
}  // namespace hindsight::recorder
