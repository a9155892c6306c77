// A part of a recording is a recording: complete, intact, and it says what it is.
#include "analyzer/cut/cut.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/reader/heap_reader.h"
#include "analyzer/reader/recording_reader.h"
#include "tests/support/heap_builder.h"
#include "tests/support/heap_encoder.h"
#include "tests/support/reading.h"
#include "tests/support/run.h"
#include "tests/support/sample_recordings.h"

namespace hindsight::testing {
namespace {

namespace fs = std::filesystem;
using analyzer::CutDone;
using analyzer::CutRecording;
using analyzer::Result;

constexpr int64_t kSecond = 1'000'000'000;

// The part of a recording that is compared.
struct Contents {
  std::map<uint64_t, uint64_t> exceptions;  // monotonic time by id
  std::optional<Process> process;
  std::optional<RecordingEnd> end;
  std::vector<uint32_t> heap_files;  // the last word on them
};

Contents Read(const std::string& path) {
  Contents contents;
  Result<analyzer::Recording> recording = analyzer::Recording::Open({&path, 1});
  EXPECT_TRUE(recording) << recording.error().sentence;
  if (!recording) return contents;
  const Result<void> read =
      recording->ForEachPacket([&](const analyzer::PacketContext& context, const Packet& packet) {
        if (packet.has_exception()) {
          contents.exceptions[context.exception_id] = context.monotonic_ns;
        }
        if (packet.has_process() && !contents.process) contents.process = packet.process();
        if (packet.has_recording_end()) contents.end = packet.recording_end();
        if (packet.has_heap_files()) {
          contents.heap_files.assign(packet.heap_files().number().begin(),
                                     packet.heap_files().number().end());
        }
      });
  EXPECT_TRUE(read);
  return contents;
}

class CutTest : public ::testing::Test {
 protected:
  Result<CutDone> Cut(int64_t from_ns, int64_t to_ns) {
    return CutRecording({{&source_, 1}, from_ns, to_ns, output_}, nullptr);
  }
  RunResult Hindsight(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), HINDSIGHT_BINARY);
    return RunProgram(arguments);
  }
  size_t Entries() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(dir_.path()), fs::directory_iterator()));
  }

  const TempDir dir_;
  const std::string source_ = dir_ / "Shop-4711-20261123T080000Z.hindsight";
  const std::string output_ = dir_ / "part.hindsight";
};

TEST_F(CutTest, HoldsTheSpanAndWhatItRefersTo) {
  SampleRecording().WriteFolder(source_);
  const Contents whole = Read(source_);
  // A segment a second: the fourth, which is the second of its file.
  const Result<CutDone> done = Cut(3 * kSecond, 3 * kSecond + kSecond / 2);
  ASSERT_TRUE(done) << done.error().sentence;
  EXPECT_EQ(done->files, 1u);

  const Contents part = Read(output_);
  ASSERT_EQ(part.exceptions.size(), 3u);
  for (const auto& [id, time] : part.exceptions) EXPECT_EQ(whole.exceptions.at(id), time);
  EXPECT_TRUE(part.exceptions.contains(10));

  const ReadOutcome outcome = ReadAll({output_});
  EXPECT_EQ(outcome.undefined_references, 0u);
  EXPECT_TRUE(outcome.integrity.intact());
  EXPECT_TRUE(outcome.integrity.gaps.empty());
  EXPECT_TRUE(outcome.integrity.closed_in_order);
  ASSERT_TRUE(part.end);
  EXPECT_EQ(part.end->reason(), RecordingEnd::CUT);
  ASSERT_TRUE(part.process);
  EXPECT_EQ(part.process->pid(), 4711u);
  EXPECT_EQ(part.process->cut().name(), "Shop-4711-20261123T080000Z.hindsight");
  EXPECT_EQ(part.process->cut().recording_id(), 0x1122334455667788u);
  EXPECT_EQ(part.process->cut().from_ns(), 3u * kSecond);
  EXPECT_NE(outcome.integrity.recording_id, 0x1122334455667788u);
  EXPECT_EQ(fs::status(output_).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(output_ + "/000001.hsr").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(CutTest, ASpanOverFilesCountsThemAnew) {
  SampleRecording().WriteFolder(source_);
  const Result<CutDone> done = Cut(4 * kSecond, 6 * kSecond);
  ASSERT_TRUE(done) << done.error().sentence;
  EXPECT_EQ(done->files, 2u);
  EXPECT_TRUE(fs::exists(output_ + "/000002.hsr"));
  EXPECT_FALSE(fs::exists(output_ + "/000003.hsr"));
  const ReadOutcome outcome = ReadAll({output_});
  EXPECT_EQ(outcome.exceptions, 9u);
  EXPECT_EQ(outcome.undefined_references, 0u);
  EXPECT_TRUE(outcome.integrity.intact());
  EXPECT_TRUE(outcome.integrity.gaps.empty());
}

TEST_F(CutTest, ToItsEndTheEndIsThatOfTheWhole) {
  SampleRecording().WriteFolder(source_);
  ASSERT_TRUE(Cut(6 * kSecond, INT64_MAX));
  const Contents part = Read(output_);
  ASSERT_TRUE(part.end);
  EXPECT_EQ(part.end->reason(), RecordingEnd::PROCESS_EXIT);
  EXPECT_EQ(part.process->cut().to_ns(), 0u);
}

TEST_F(CutTest, ACutOfACutNamesTheWhole) {
  SampleRecording().WriteFolder(source_);
  ASSERT_TRUE(Cut(3 * kSecond, 6 * kSecond));
  const std::string again = dir_ / "again.hindsight";
  ASSERT_TRUE(CutRecording({{&output_, 1}, 4 * kSecond, 5 * kSecond, again}, nullptr));
  const Contents part = Read(again);
  EXPECT_EQ(part.exceptions.size(), 6u);
  EXPECT_EQ(part.process->cut().recording_id(), 0x1122334455667788u);
  EXPECT_EQ(part.process->cut().name(), "Shop-4711-20261123T080000Z.hindsight");
  EXPECT_EQ(part.process->cut().from_ns(), 4u * kSecond);
  EXPECT_TRUE(ReadAll({again}).integrity.intact());
}

TEST_F(CutTest, WhatIsLostInTheSpanIsLostInThePart) {
  RecordingBuilder sample = SampleRecording();
  std::string damaged = sample.files()[1];
  damaged[sample.segment_offsets(1)[1] + kSegmentHeaderBytes + 20] ^= 1;
  sample.WriteFolder(source_);
  WriteFile(source_ + "/000002.hsr", damaged);
  ASSERT_TRUE(Cut(2 * kSecond, 4 * kSecond));
  const ReadOutcome outcome = ReadAll({output_});
  EXPECT_EQ(outcome.exceptions, 6u);
  EXPECT_EQ(outcome.integrity.lost_segments(), 1u);
  EXPECT_FALSE(outcome.integrity.intact());
}

TEST_F(CutTest, LostNamesFromBeforeTheSpanAreNoFaultOfTheRecorder) {
  RecordingBuilder sample = SampleRecording();
  std::string damaged = sample.files()[1];
  damaged[kSegmentHeaderBytes + 20] ^= 1;  // the dictionaries of the second file
  sample.WriteFolder(source_);
  WriteFile(source_ + "/000002.hsr", damaged);
  ASSERT_TRUE(Cut(4 * kSecond, 4 * kSecond + 1'000'000));
  const ReadOutcome outcome = ReadAll({output_});
  EXPECT_EQ(outcome.exceptions, 3u);
  EXPECT_GT(outcome.integrity.lost_segments(), 0u);
  EXPECT_EQ(outcome.undefined_references, 0u);
  EXPECT_EQ(Read(output_).process->application(), "Shop");  // reported by another file
}

TEST_F(CutTest, SnapshotsOfTheSpanComeAlong) {
  constexpr char kText[] = R"(
    packet { segment_start { monotonic_ns: 5000000000 unix_ns: 1795000000000000000 } }
    packet { process { pid: 7 application: "Shop" recording_started_monotonic_ns: 5000000000 } }
    packet { time_delta_ns: 1000000 recorder_note { text: "a" } }
    packet { segment_start { monotonic_ns: 7000000000 unix_ns: 1795000002000000000 } }
    packet { heap_files { number: 1 number: 2 } }
    packet { time_delta_ns: 1000000 recorder_note { text: "b" } }
    packet { segment_start { monotonic_ns: 9000000000 unix_ns: 1795000004000000000 } }
    packet { recording_end { reason: STOPPED } })";
  RecordingBuilder builder;
  builder.AddText(kText);
  builder.WriteFolder(source_);
  for (const uint32_t number : {1u, 2u}) {
    HeapBuilder heap;
    heap.facts().number = number;
    heap.Static("Shop.Cache", "s_head", heap.Add(heap.Class("Shop.Node")));
    const HeapFile file = EncodeHeap(*heap.Build());
    WriteFile(source_ + "/" + file.name(), file.bytes());
  }
  const auto snapshots = analyzer::ListHeaps(std::span(&source_, 1));
  ASSERT_TRUE(snapshots);
  ASSERT_EQ(snapshots->size(), 2u);
  // Both were taken at one moment of the test's clock.
  const auto at_ns = static_cast<int64_t>(snapshots->front().unix_ns - 1795000000000000000u);
  const Result<CutDone> with = Cut(at_ns - kSecond / 2, at_ns + kSecond / 2);
  ASSERT_TRUE(with) << with.error().sentence;
  EXPECT_EQ(with->snapshots, 2u);
  const auto copied = analyzer::CheckHeaps(std::span(&output_, 1));
  ASSERT_TRUE(copied);
  ASSERT_EQ(copied->size(), 2u);
  EXPECT_TRUE(copied->front().faults.empty());
  EXPECT_EQ(copied->front().objects, copied->front().facts.certified_objects);
  EXPECT_EQ(ReadAll({output_}).integrity.recording_id,
            ReadAll({output_ + "/heap-000002.hsr"}).integrity.recording_id);

  const std::string without = dir_ / "without.hindsight";
  ASSERT_TRUE(CutRecording({{&source_, 1}, at_ns + 1'000'000, at_ns + kSecond, without}, nullptr));
  EXPECT_FALSE(fs::exists(without + "/heap-000001.hsr"));
  // It does not report them as missing.
  EXPECT_TRUE(Read(without).heap_files.empty());
  EXPECT_TRUE(ReadAll({without}).integrity.intact());
}

TEST_F(CutTest, ThePartHasAnIdOfItsOwnThatIsAlwaysTheSame) {
  SampleRecording().WriteFolder(source_);
  ASSERT_TRUE(Cut(3 * kSecond, 4 * kSecond));
  const std::string other = dir_ / "other.hindsight", shorter = dir_ / "shorter.hindsight";
  ASSERT_TRUE(CutRecording({{&source_, 1}, 3 * kSecond, 4 * kSecond, other}, nullptr));
  ASSERT_TRUE(CutRecording({{&source_, 1}, 3 * kSecond, 3 * kSecond, shorter}, nullptr));
  EXPECT_EQ(ReadFile(output_ + "/000001.hsr"), ReadFile(other + "/000001.hsr"));
  EXPECT_NE(ReadAll({output_}).integrity.recording_id, ReadAll({shorter}).integrity.recording_id);
}

TEST_F(CutTest, AFullDiskLeavesNothingBehind) {
  SampleRecording().WriteFolder(source_);
  const size_t before = Entries();
  signal(SIGXFSZ, SIG_IGN);
  rlimit limit, old;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  limit = {100, old.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  const Result<CutDone> done = Cut(3 * kSecond, 6 * kSecond);
  setrlimit(RLIMIT_FSIZE, &old);
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().sentence.find("more room"), std::string::npos) << done.error().sentence;
  EXPECT_EQ(Entries(), before);
}

TEST_F(CutTest, RefusalsAreSentences) {
  SampleRecording().WriteFolder(source_);
  const auto refusal = [&](std::vector<std::string> arguments, const std::string& output) {
    arguments.insert(arguments.begin(), {"cut", source_, "-o", output});
    const RunResult result = Hindsight(arguments);
    EXPECT_EQ(result.exit_code, 64) << result.out << result.err;
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_EQ(refusal({"--from", "1m"}, output_),
            "hindsight: Nothing was recorded after 1 m 00 s: " + source_ +
                " has events from 0 ns to 7.00 s after its start.\n");
  EXPECT_EQ(refusal({}, output_),
            "hindsight: Say which part to cut out: --from TIME, --to TIME, or both.\n");
  EXPECT_EQ(refusal({"--from", "2s", "--to", "1s"}, output_),
            "hindsight: --to 1s is not after --from 2s.\n");
  EXPECT_EQ(refusal({"--from", "2s"}, source_ + "/part"),
            "hindsight: The new recording cannot be inside the one that it is cut out of; choose "
            "another place than " +
                source_ + "/part.\n");
  EXPECT_NE(refusal({"--from", "2s"}, source_), "");
  fs::create_directory(output_);
  EXPECT_EQ(
      refusal({"--from", "2s"}, output_),
      "hindsight: " + output_ + " exists already; choose another name for the new recording.\n");
  EXPECT_EQ(Entries(), 2u);
}

TEST_F(CutTest, TheCommandSaysWhatWasCutAndInfoWhatItIs) {
  SampleRecording().WriteFolder(source_);
  const RunResult cut =
      Hindsight({"cut", source_, "--from", "3s", "--to", "4.5s", "-o", output_ + "/"});
  ASSERT_EQ(cut.exit_code, 0) << cut.err;
  EXPECT_TRUE(cut.out.starts_with("Cut out 1.00 s: 1 file, ")) << cut.out;
  const RunResult info = Hindsight({"info", output_});
  EXPECT_NE(info.out.find("out of Shop-4711-20261123T080000Z.hindsight (id 1122334455667788), from "
                          "3.00 s to 4.50 s"),
            std::string::npos)
      << info.out;
  const RunResult verify = Hindsight({"verify", output_});
  EXPECT_EQ(verify.exit_code, 0) << verify.out;
  EXPECT_NE(verify.out.find("closed cleanly: cut here"), std::string::npos) << verify.out;
}

}  // namespace
}  // namespace hindsight::testing
