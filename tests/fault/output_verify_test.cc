// `hindsight verify`, which knows nothing about the writer, reports for a killed or failing
// writer's recording exactly what the writer itself knows to be lost.
#include <gtest/gtest.h>
#include <stdio.h>
#include <sys/wait.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/fault/output_fault_run.h"

namespace hindsight::recorder {
namespace {

struct Verdict {
  int exit_code = -1;
  nlohmann::json json;
};

Verdict Verify(const std::string& path) {
  Verdict verdict;
  FILE* pipe = popen((HINDSIGHT_COMMAND " verify --json '" + path + "'").c_str(), "r");
  if (pipe == nullptr) return verdict;
  std::string text;
  char buffer[4096];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
  verdict.exit_code = WEXITSTATUS(pclose(pipe));
  verdict.json = nlohmann::json::parse(text, nullptr, false);
  return verdict;
}

struct Case {
  std::map<std::string, std::string> faults;
  uint64_t intact_segments;
  bool closed;
};

TEST(OutputVerify, AgreesWithTheWriter) {
  const WriterArguments arguments{.segments = 12, .bytes = 20'000};
  const Case cases[] = {
      {{}, 12, true},
      {{{"FAULT", "kill"}, {"FAULT_AT", "6"}}, 5, false},
      {{{"FAULT", "kill"}, {"FAULT_AT", "6"}, {"FAULT_PERMILLE", "500"}}, 5, false},
      {{{"FAULT", "kill"}, {"FAULT_AT", "6"}, {"FAULT_PERMILLE", "1000"}}, 6, false},
      {{{"FAULT", "5"}, {"FAULT_AT", "4"}, {"FAULT_TIMES", "2"}, {"FAULT_PERMILLE", "500"}},
       10,
       true},
      {{{"FAULT", "28"}, {"FAULT_AT", "9"}}, 11, true},
      {{{"FAULT", "5"}, {"FAULT_AT", "4"}, {"FAULT_PERMILLE", "500"}, {"FAULT_FTRUNCATE", "5"}},
       11,
       true},
  };
  for (const Case& expected : cases) {
    SCOPED_TRACE(nlohmann::json(expected.faults).dump());
    TemporaryFolder tmp;
    const FaultRun run = RunWriter(tmp.path(), arguments, expected.faults);
    const Verdict verdict = Verify(run.path);
    ASSERT_TRUE(verdict.json.is_object());
    EXPECT_EQ(verdict.json["intact_segments"], expected.intact_segments);
    EXPECT_EQ(verdict.json["closed_in_order"], expected.closed);
    const bool intact = expected.closed && expected.intact_segments == arguments.segments;
    EXPECT_EQ(verdict.json["intact"], intact);
    EXPECT_EQ(verdict.exit_code, intact ? 0 : 1);
  }
}

bool WriteReadableSegment(SegmentWriter& writer, uint32_t number,
                          SegmentKind kind = SegmentKind::kData) {
  bool new_file = false;
  writer.BeginSegment(&new_file);
  hindsight::Recording context;
  hindsight::SegmentStart* start = context.add_packet()->mutable_segment_start();
  start->set_monotonic_ns(1'000'000'000 + number);
  start->set_unix_ns(1'795'255'200'000'000'000 + number);
  if (new_file) context.add_packet()->mutable_process()->set_application("Shop");
  return writer.Add(Bytes(context.SerializeAsString())) &&
         writer.Add(Bytes(TestPacket(number, 1000))) && writer.EndSegment(kind);
}

// The recording is deleted while it is written, completely or its first file: what is left is
// closed properly, but not intact.
TEST(OutputVerify, MissesWhatWasDeletedWhileItWasWritten) {
  for (const bool whole : {true, false}) {
    SCOPED_TRACE(whole ? "folder" : "first file");
    TemporaryFolder tmp;
    SegmentWriter writer;
    std::string why;
    ASSERT_TRUE(writer.Open(ConfigFor(tmp.path()), &why)) << why;
    ASSERT_TRUE(WriteReadableSegment(writer, 0));
    if (whole) {
      std::filesystem::remove_all(tmp.path());
    } else {
      std::filesystem::remove(writer.path() + "/000001.hsr");
    }
    ASSERT_TRUE(WriteReadableSegment(writer, 1)) << writer.last_error();
    ASSERT_TRUE(WriteReadableSegment(writer, 2, SegmentKind::kLast));
    ASSERT_TRUE(writer.Close());
    const Verdict verdict = Verify(writer.path());
    ASSERT_TRUE(verdict.json.is_object());
    EXPECT_EQ(verdict.exit_code, 1);
    EXPECT_EQ(verdict.json["intact"], false);
    EXPECT_EQ(verdict.json["closed_in_order"], true);
    EXPECT_EQ(verdict.json["intact_segments"], 2u);
  }
}

}  // namespace
}  // namespace hindsight::recorder
