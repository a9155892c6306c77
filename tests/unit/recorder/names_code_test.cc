#include <gtest/gtest.h>

#include "recorder/names/descriptions.h"

namespace hindsight::recorder {
namespace {

constexpr AddressKind kReturn = AddressKind::kReturn;
constexpr AddressKind kExact = AddressKind::kExact;

// How the JIT maps `static void Try(Action a) { try { a(); } catch (Exception) { } }`: the handler
// is a funclet after the body, with its own prolog.
CodeDescription TryCatch() {
  CodeDescription code;
  code.regions = {{0x1000, 55}};
  code.il_map = {
      {clr::kIlProlog, 0}, {0, 20}, {11, 36}, {clr::kIlEpilog, 36}, {clr::kIlProlog, 42}, {8, 43},
      {clr::kIlEpilog, 54}};
  return code;
}

TEST(CodeDescription, GivesTheOffsetOfTheAddressItself) {
  const CodeDescription code = TryCatch();
  EXPECT_EQ(code.NativeOffset(0x1000, kExact), 0u);
  EXPECT_EQ(code.NativeOffset(0x1023, kReturn), 0x23u);
  EXPECT_EQ(code.NativeOffset(0xfff, kExact), std::nullopt);
}

TEST(CodeDescription, TakesAReturnAddressBehindTheLastInstruction) {
  const CodeDescription code = TryCatch();
  EXPECT_EQ(code.NativeOffset(0x1000 + 55, kReturn), 55u);
  EXPECT_EQ(code.NativeOffset(0x1000 + 55, kExact), std::nullopt);
}

TEST(CodeDescription, TakesTheFirstInstructionAmongReturnAddressesForAFault) {
  const CodeDescription code = TryCatch();
  EXPECT_EQ(code.NativeOffset(0x1000, kReturn), 0u);
  EXPECT_EQ(code.IlOffset(0x1000, kReturn), code.IlOffset(0x1000, kExact));
  EXPECT_EQ(code.NativeOffset(0xfff, kReturn), std::nullopt);
}

TEST(CodeDescription, MapsAReturnAddressToItsCall) {
  const CodeDescription code = TryCatch();
  EXPECT_EQ(code.IlOffset(0x1000 + 36, kReturn), 0u);
  EXPECT_EQ(code.IlOffset(0x1000 + 43, kReturn), 8u);
  EXPECT_EQ(code.IlOffset(0x1000 + 21, kReturn), 0u);
}

TEST(CodeDescription, MapsPrologsForwardAndEpilogsBack) {
  const CodeDescription code = TryCatch();
  EXPECT_EQ(code.IlOffset(0x1000, kExact), 0u);
  EXPECT_EQ(code.IlOffset(0x1000 + 42, kExact), 8u);  // the handler's entry
  EXPECT_EQ(code.IlOffset(0x1000 + 54, kExact), 8u);
  EXPECT_EQ(code.IlOffset(0x1000 + 38, kExact), 11u);
}

TEST(CodeDescription, GivesAllInstructionsOfAnEntryOnePlace) {
  const CodeDescription code = TryCatch();
  EXPECT_EQ(code.PlaceOf(0x1000 + 19), 0x1000u);
  EXPECT_EQ(code.PlaceOf(0x1000 + 20), 0x1000u + 20);
  EXPECT_EQ(code.PlaceOf(0x1000 + 35), 0x1000u + 20);
  EXPECT_EQ(code.PlaceOf(0x1000 + 54), 0x1000u + 54);
  EXPECT_EQ(code.PlaceOf(0x1000 + 55), std::nullopt);
}

TEST(CodeDescription, KeepsAPlaceInItsOwnRegion) {
  CodeDescription code;
  code.regions = {{0x1000, 16}, {0x9000, 32}};
  code.il_map = {{clr::kIlProlog, 0}, {0, 8}, {7, 40}};
  EXPECT_EQ(code.PlaceOf(0x9004), 0x9000u);
  EXPECT_EQ(code.PlaceOf(0x9000 + 30), 0x9000u + 24);
  code.il_map.clear();
  EXPECT_EQ(code.PlaceOf(0x9000 + 30), 0x9000u);
}

// How the JIT maps optimized code: a handler without any entry, followed by one that has some.
TEST(CodeDescription, NeverTakesTheMappingOfAnotherHandler) {
  CodeDescription code;
  code.regions = {{0x1000, 80}};
  code.il_map = {{clr::kIlProlog, 0},
                 {0, 7},
                 {clr::kIlEpilog, 46},
                 {clr::kIlProlog, 48},
                 {clr::kIlEpilog, 56},
                 {clr::kIlProlog, 60},
                 {8, 61},
                 {clr::kIlEpilog, 70}};
  EXPECT_EQ(code.IlOffset(0x1000 + 48, kExact), std::nullopt);
  EXPECT_EQ(code.IlOffset(0x1000 + 56, kExact), std::nullopt);
  EXPECT_EQ(code.IlOffset(0x1000 + 60, kExact), 8u);
}

// How the JIT maps optimized code whose first statement does not begin with an instruction of its
// own.
TEST(CodeDescription, TakesCodeBeforeTheFirstEntryForTheMethodsStart) {
  CodeDescription code;
  code.regions = {{0x1000, 70}};
  code.il_map = {{clr::kIlProlog, 0},  {32, 46}, {clr::kIlEpilog, 46},
                 {clr::kIlProlog, 51}, {25, 52}, {clr::kIlEpilog, 65}};
  EXPECT_EQ(code.IlOffset(0x1000 + 41, kReturn), 0u);
  EXPECT_EQ(code.IlOffset(0x1000 + 51, kExact), 25u);
}

TEST(CodeDescription, SkipsCodeWithoutMapping) {
  CodeDescription code;
  code.regions = {{0x1000, 100}};
  code.il_map = {{0, 0}, {clr::kIlNoMapping, 10}, {7, 20}};
  EXPECT_EQ(code.IlOffset(0x1000 + 15, kExact), 0u);
  EXPECT_EQ(code.IlOffset(0x1000 + 20, kExact), 7u);
}

TEST(CodeDescription, CountsThroughSplitBodies) {
  CodeDescription code;
  code.regions = {{0x5000, 0x40}, {0x1000, 0x20}};
  code.il_map = {{0, 0}, {30, 0x40}};
  EXPECT_EQ(code.start(), 0x5000u);
  EXPECT_EQ(code.NativeOffset(0x1008, kExact), 0x48u);
  EXPECT_EQ(code.IlOffset(0x1008, kReturn), 30u);
}

TEST(CodeDescription, KnowsNothingWithoutABody) {
  const CodeDescription code;
  EXPECT_EQ(code.start(), 0u);
  EXPECT_EQ(code.NativeOffset(0x1000, kExact), std::nullopt);
  EXPECT_EQ(code.IlOffset(0x1000, kReturn), std::nullopt);
  CodeDescription unmapped;
  unmapped.regions = {{0x1000, 16}};
  EXPECT_EQ(unmapped.IlOffset(0x1004, kReturn), std::nullopt);
}

}  // namespace
}  // namespace hindsight::recorder
