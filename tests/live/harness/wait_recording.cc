#include "tests/live/harness/wait_recording.h"

#include <gtest/gtest.h>

#include "tests/live/harness/recording.h"
#include "tests/live/harness/sample.h"

namespace hindsight::live {

const char* NameOf(Mode mode) {
  switch (mode) {
    case Mode::kFromStart:
      return "FromStart";
    case Mode::kAttachedBefore:
      return "AttachedBefore";
    case Mode::kAttachedAfter:
      return "AttachedAfter";
  }
  return "?";
}

WaitRecording::WaitRecording(int runtime, Mode mode, const std::vector<WaitCase>& cases,
                             const std::vector<std::string>& options) {
  SampleApplication::Start start{.command = WaitSamples(runtime), .arguments = Together(cases)};
  start.waits_to_go = mode != Mode::kAttachedAfter;
  if (mode == Mode::kFromStart) {
    output_ = workspace_ / "out";
    std::string text = std::string("sources=") + kAllSources;
    for (const std::string& option : options) text += ';' + option;
    start.environment = StartUp(output_, text);
  } else {
    // A background collection that began before an attach is unknown to the recorder.
    start.environment = {{"DOTNET_gcConcurrent", "0"}};
  }
  // No method is recompiled while threads reach their places: inlining would give threads at the
  // same place different stacks. In hexadecimal, milliseconds.
  start.environment.emplace_back("DOTNET_TC_CallCountingDelayMs", "100000");
  application_.emplace(start);
  if (mode == Mode::kFromStart) {
    // The recorder listens to the runtime's events: the first report about the pool comes right
    // after.
    EXPECT_TRUE(WaitUntil([&] {
      const auto recordings = RecordingsIn(output_);
      return recordings.size() == 1 &&
             Hindsight("info", recordings.front(), {"--json"}).output.find("\"pool_sample\"") !=
                 std::string::npos;
    }));
    application_->Go();
    return;
  }
  output_ = application_->output();
  application_->Attach(kAllSources, options);
  // Tests read it from now on; the first segment comes within a second.
  EXPECT_TRUE(WaitUntil([&] {
    const auto recordings = RecordingsIn(output_);
    return recordings.size() == 1 && Hindsight("info", recordings.front()).Succeeded();
  }));
  if (mode == Mode::kAttachedBefore) application_->Go();
}

std::filesystem::path WaitRecording::End() {
  application_->Trigger("stop");
  EXPECT_EQ(application_->End(), "done\n");
  const std::vector<std::filesystem::path> recordings = RecordingsIn(output_);
  if (recordings.size() != 1) {
    ADD_FAILURE() << recordings.size() << " recordings";
    return {};
  }
  return recordings.front();
}

}  // namespace hindsight::live
