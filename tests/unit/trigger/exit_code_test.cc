#include "trigger/exit_code.h"

#include <gtest/gtest.h>

#include <set>

#include "trigger/hresult.h"

namespace hindsight::trigger {
namespace {

TEST(ExitCodes, AreDistinctAndFitAShell) {
  std::set<int> codes;
  for (const ExitCodeInfo& info : ExitCodes()) {
    EXPECT_TRUE(codes.insert(static_cast<int>(info.code)).second) << info.meaning;
    EXPECT_FALSE(info.meaning.empty());
  }
  for (const HresultInfo& info : Hresults()) {
    EXPECT_TRUE(codes.insert(static_cast<int>(ExitCodeOf(info))).second) << info.name;
  }
  // Shells take 128 and more for signals.
  EXPECT_LT(*codes.rbegin(), 128);
  EXPECT_GE(*codes.begin(), 0);
}

TEST(Hresults, EachIsAFailureWithANameASentenceAndAnAdvice) {
  std::set<uint32_t> values;
  std::set<std::string_view> names;
  for (const HresultInfo& info : Hresults()) {
    EXPECT_TRUE(values.insert(info.value).second) << info.name;
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_NE(info.value & 0x80000000u, 0u) << info.name;
    EXPECT_EQ(FindHresult(info.value), &info);
    for (const std::string_view text : {info.what, info.next}) {
      EXPECT_TRUE(text.ends_with('.')) << info.name << ": " << text;
      EXPECT_TRUE(text[0] >= 'A' && text[0] <= 'z') << info.name;
    }
  }
}

TEST(Hresults, TheWholeProfilerFamilyIsThere) {
  // corerror.xml numbers it from 0x80131350 to 0x8013138a; these numbers in between are not taken.
  const std::set<uint32_t> free = {0x80131352, 0x80131353, 0x80131357, 0x80131358, 0x80131359,
                                   0x8013135a, 0x80131377, 0x8013137d, 0x8013137f, 0x80131381};
  for (uint32_t value = 0x80131350; value <= 0x8013138a; ++value) {
    EXPECT_EQ(FindHresult(value) == nullptr, free.contains(value)) << std::hex << value;
  }
}

TEST(Hresults, TheCodesThatScriptsKnowStay) {
  EXPECT_EQ(static_cast<int>(ExitCodeOf(*FindHresult(0x80131368))), 40);
  EXPECT_EQ(static_cast<int>(ExitCodeOf(*FindHresult(0x8013136a))), 41);
  EXPECT_EQ(static_cast<int>(ExitCodeOf(*FindHresult(0x8007007e))), 46);
  EXPECT_EQ(static_cast<int>(ExitCodeOf(*FindHresult(0x80070057))), 51);
  // 64 is the code of usage errors, as in sysexits.
  EXPECT_EQ(static_cast<int>(TriggerExit::kUsage), 64);
  EXPECT_EQ(static_cast<int>(ExitCodeOf(*FindHresult(0x80131375))), 125);
}

TEST(Hresults, AnUnknownOneIsSaidToBeUnknown) {
  const Failure failure = ExplainHresult(0x87654321, "The attach to process 1");
  EXPECT_EQ(failure.code, TriggerExit::kUnknownHresult);
  EXPECT_NE(failure.what.find("0x87654321"), std::string::npos);
  EXPECT_FALSE(failure.next.empty());
}

TEST(Hresults, AnExplanationNamesWhatWasAskedAndTheValue) {
  const Failure failure = ExplainHresult(0x8013136a, "The attach to process 12");
  EXPECT_EQ(failure.what,
            "The attach to process 12 failed. Another profiler is active in the process, or is "
            "being attached. (CORPROF_E_PROFILER_ALREADY_ACTIVE, 0x8013136a)");
}

}  // namespace
}  // namespace hindsight::trigger
