// What the runtime returns, and what the trigger makes of it: a real runtime, and a real profiler
// that returns each HRESULT of the table from InitializeForAttach.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/live/trigger_stage.h"
#include "trigger/hresult.h"

namespace hindsight::live {
namespace {

using trigger::TriggerExit;

constexpr char kAttachable[] = "{00000001-0000-0000-0000-000000000000}";
constexpr char kNotAttachable[] = "{00000002-0000-0000-0000-000000000000}";
constexpr char kNotThere[] = "{00000003-0000-0000-0000-000000000000}";

class Answers : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::copy_file(HINDSIGHT_ANSWERING_PROFILER, stage_ / "answering.so");
    std::filesystem::copy_file(HINDSIGHT_PLAIN_LIBRARY, stage_ / "plain.so");
  }
  Ended Attach(const char* guid, const std::string& client_data) {
    return stage_.Run({"attach", application_.Pid(), "--profiler",
                       (stage_ / "answering.so").string(), "--profiler-guid", guid, "--client-data",
                       client_data, "--send-timeout", "0.3"});
  }

  Stage stage_;
  Application application_{stage_};
};

std::string Hex(uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", value);
  return text;
}

TEST_F(Answers, EachHresultOfTheTableComesThroughAndIsExplained) {
  for (const trigger::HresultInfo& info : trigger::Hresults()) {
    // The runtime says NOT_ATTACHABLE for a profiler's E_NOTIMPL.
    const uint32_t expected = info.value == 0x80004001 ? 0x80131368 : info.value;
    const Ended ended = Attach(kAttachable, Hex(info.value));
    EXPECT_TRUE(Is(ended, expected)) << info.name;
    EXPECT_NE(ended.errors.find(std::string(trigger::FindHresult(expected)->next)),
              std::string::npos);
  }
  EXPECT_TRUE(Is(Attach(kAttachable, "0x87654321"), TriggerExit::kUnknownHresult, "0x87654321"));
  EXPECT_TRUE(application_.EndsWell());
}

TEST_F(Answers, AProfilerWithoutTheInterfaceForAttachesOrWithAnotherGuid) {
  EXPECT_TRUE(Is(Attach(kNotAttachable, ""), 0x80131368));
  EXPECT_TRUE(Is(Attach(kNotThere, ""), 0x80040111));
  EXPECT_TRUE(application_.EndsWell());
}

TEST_F(Answers, ALibraryThatIsNoProfiler) {
  EXPECT_TRUE(
      Is(stage_.Run({"attach", application_.Pid(), "--profiler", (stage_ / "plain.so").string()}),
         0x8007007f));
  EXPECT_TRUE(application_.EndsWell());
}

TEST_F(Answers, AnotherProfilerIsThereAlready) {
  ASSERT_TRUE(Is(Attach(kAttachable, ""), TriggerExit::kOk));
  EXPECT_TRUE(Is(Attach(kAttachable, ""), 0x8013136a));
  EXPECT_TRUE(Is(stage_.Run({"attach", application_.Pid()}), 0x8013136a));
  EXPECT_TRUE(application_.EndsWell());
}

TEST_F(Answers, OurRecorderRefusesOptionsThatItCannotUse) {
  EXPECT_TRUE(
      Is(stage_.Run({"attach", application_.Pid(), "--client-data", "color=red"}), 0x80070057));
  EXPECT_TRUE(
      Is(stage_.Run({"attach", application_.Pid(), "--set", "match=nothing like it"}), 0x80131375));
  EXPECT_TRUE(application_.EndsWell());
}

TEST_F(Answers, MoreThanAMessageHolds) {
  EXPECT_TRUE(Is(Attach(kAttachable, std::string(65'500, 'x')), TriggerExit::kRequestTooLarge));
  EXPECT_TRUE(application_.EndsWell());
}

}  // namespace
}  // namespace hindsight::live
