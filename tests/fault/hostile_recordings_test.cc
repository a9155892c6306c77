// Every command of the analyzer on malicious recordings: whatever is in them, it ends by itself,
// soon, with a result or an error message, and sends no control sequence to the terminal.
//
// HINDSIGHT_HOSTILE_RECORDINGS: how many mutated recordings; each runs through all commands.
#include <google/protobuf/stubs/logging.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/base/text.h"
#include "proto/limits.h"
#include "tests/support/heap_file.h"
#include "tests/support/recording_builder.h"
#include "tests/support/run.h"

namespace hindsight::testing {
namespace {

namespace fs = std::filesystem;

#ifdef HINDSIGHT_SANITIZED
constexpr char kLimits[] = "ulimit -t 120; exec \"$@\"";  // a sanitizer reserves all addresses
#else
constexpr char kLimits[] = "ulimit -t 20; ulimit -v 4000000; exec \"$@\"";
#endif

int Recordings() {
  const char* text = std::getenv("HINDSIGHT_HOSTILE_RECORDINGS");
  const int wanted = text == nullptr ? 0 : std::atoi(text);
  return wanted > 0 ? wanted : 12;
}

// FOLDER stands for the recording, OUT for a file that does not exist.
const std::vector<std::vector<std::string>>& Commands() {
  static const std::vector<std::vector<std::string>> commands = [] {
    std::vector<std::vector<std::string>> all;
    for (const char* name : {"summary", "info",        "verify",      "exceptions",  "cpu",
                             "gc",      "allocations", "locks",       "threads",     "timeline",
                             "pool",    "tasks",       "deadlocks",   "heap",        "dominators",
                             "leaks",   "strings",     "collections", "generations", "retained"}) {
      all.push_back({name, "FOLDER"});
      all.push_back({name, "--json", "FOLDER"});
    }
    all.push_back({"check", "FOLDER", "--fail-if", "exceptions > 1000"});
    all.push_back({"diff", "FOLDER", "FOLDER"});
    all.push_back({"cut", "FOLDER", "--from", "0.001s", "-o", "OUT"});
    all.push_back({"fleet", "FOLDER"});
    all.push_back({"report", "FOLDER", "-o", "OUT"});
    all.push_back({"sql", "FOLDER", "SELECT * FROM exceptions"});
    for (const char* format : {"pprof", "speedscope", "collapsed", "flamegraph", "trace", "csv",
                               "sqlite", "heapsnapshot"}) {
      all.push_back({"export", "FOLDER", "--format", format, "-o", "OUT"});
    }
    return all;
  }();
  return commands;
}

class HostileRecordings : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { google::protobuf::SetLogHandler(nullptr); }

  // Runs all commands on `folder_`.
  void ExpectAnswers(const std::string& what) {
    for (std::vector<std::string> command : Commands()) {
      const std::string out = dir_ / "out";
      std::string line;
      for (std::string& word : command) {
        if (word == "FOLDER") word = folder_;
        if (word == "OUT") word = out;
        line += " " + word;
      }
      command.insert(command.begin(), {"/bin/sh", "-c", kLimits, "sh", HINDSIGHT_BINARY});
      const RunResult result = RunProgram(command);
      ++runs_;
      const bool answered =
          result.exit_code >= 0 && (result.exit_code <= 2 || result.exit_code == 64);
      EXPECT_TRUE(answered) << what << ":" << line << ": " << result.exit_code << "\n"
                            << result.err;
      EXPECT_EQ(analyzer::PrintableLines(result.out), result.out) << what << ":" << line;
      EXPECT_EQ(analyzer::PrintableLines(result.err), result.err) << what << ":" << line;
      fs::remove_all(out);
      if (HasFailure()) return;
    }
  }

  void WriteHeap(const HeapFile& heap) { WriteFile(folder_ + "/" + heap.name(), heap.bytes()); }

  const TempDir dir_;
  const std::string folder_ = dir_ / "shop-1.hindsight";
  int runs_ = 0;
};

// Golden recordings, of events and of heaps, by name.
std::vector<fs::path> Texts(const char* folder) {
  std::vector<fs::path> texts;
  for (const auto& entry : fs::directory_iterator(fs::path(HINDSIGHT_GOLDEN) / folder)) {
    if (entry.path().extension() == ".textproto") texts.push_back(entry.path());
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

// Alters packets beneath all checksums.
class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  size_t UpTo(size_t limit) { return std::uniform_int_distribution<size_t>(0, limit)(random_); }
  template <typename Row>
  const auto& OneOf(const Row& row) {
    return row[UpTo(std::size(row) - 1)];
  }

  Recording Mutate(const Recording& recording) {
    Recording mutated;
    for (const Packet& packet : recording.packet()) {
      std::string bytes = packet.SerializeAsString();
      const size_t luck = UpTo(99);
      if (luck < 6) Break(bytes);
      if (luck == 6) continue;  // lost
      const int times = luck == 7 ? 1 + static_cast<int>(UpTo(50)) : 1;
      Packet altered;
      // Bytes that are no longer a message would lose their whole segment.
      if (!altered.ParseFromString(bytes)) altered = packet;
      for (int i = 0; i < times && !altered.has_segment_start(); ++i) {
        *mutated.add_packet() = altered;
      }
      if (altered.has_segment_start() || packet.has_segment_start()) *mutated.add_packet() = packet;
    }
    return mutated;
  }

 private:
  void Break(std::string& bytes) {
    if (bytes.empty()) return;
    const size_t at = UpTo(bytes.size() - 1);
    static constexpr std::string_view kNumbers[] = {std::string_view("\0", 1),
                                                    "\x01",
                                                    "\x7f",
                                                    "\xff\xff\xff\xff\x0f",
                                                    "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
                                                    "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"};
    switch (UpTo(3)) {
      case 0:
        bytes[at] = static_cast<char>(UpTo(255));
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << UpTo(7)));
        break;
      case 2:
        bytes.replace(at, 1, OneOf(kNumbers));
        break;
      default:
        bytes.erase(at, 1 + UpTo(3));
        break;
    }
  }

  std::mt19937 random_;
};

// A recording of events in segments of its own, as RecordingBuilder::AddText would.
RecordingBuilder Build(const Recording& recording) {
  RecordingBuilder builder;
  Recording segment;
  const auto flush = [&](bool last) {
    if (segment.packet_size() > 0) {
      builder.AddSegment(segment, last ? SegmentKind::kLast : SegmentKind::kData);
    }
    segment.Clear();
  };
  for (const Packet& packet : recording.packet()) {
    if (packet.has_segment_start()) flush(false);
    *segment.add_packet() = packet;
  }
  flush(true);
  return builder;
}

TEST_F(HostileRecordings, MutatedOnesGetAnAnswer) {
  const std::vector<fs::path> events = Texts("cases"), heaps = Texts("heap_cases");
  ASSERT_FALSE(events.empty() || heaps.empty());
  for (int i = 0; i < Recordings() && !HasFailure(); ++i) {
    Mutator mutator(static_cast<unsigned>(i));
    fs::remove_all(folder_);
    const fs::path& of_events = mutator.OneOf(events);
    Build(mutator.Mutate(ParseText(ReadFile(of_events)))).WriteFolder(folder_);
    const fs::path& of_heap = mutator.OneOf(heaps);
    const Recording heap = mutator.Mutate(ParseText(ReadFile(of_heap)));
    WriteHeap(HeapFileOf(heap));
    ExpectAnswers("recording " + std::to_string(i) + " (" + of_events.stem().string() + ", " +
                  of_heap.stem().string() + ")");
  }
  RecordProperty("runs", runs_);
}

// Names that control a terminal, end a script, a line or a cell, or are invisible.
TEST_F(HostileRecordings, NamesDoNoHarm) {
  static constexpr std::string_view kNames[] = {"\x1b]0;owned\x07",
                                                "\x1b[2J",
                                                "\xc2\x9b"
                                                "31m",
                                                "a\nb\rc\td",
                                                "\xe2\x80\xae"
                                                "exe.txt",
                                                "\xe2\x80\xa8\xe2\x80\xa9",
                                                "\xe2\x80\x8b\xe2\x81\xa0\xef\xbb\xbf",
                                                "\xf3\xa0\x81\x81",
                                                "</script><script>alert(1)</script>",
                                                "=HYPERLINK(\"http://x\")",
                                                "@SUM(1)",
                                                "'; DROP TABLE exceptions; --",
                                                "../../../../etc/passwd",
                                                "%s%n%s%n",
                                                "{{data}}",
                                                "\xff\xfe\xc0\x80",
                                                "`1[[",
                                                "<>c__DisplayClass<<>>d__",
                                                std::string_view("\0nul", 4)};
  const std::string longest(kMaxStringBytes, '<');
  size_t next = 0;
  for (const fs::path& of_events : {Texts("cases").front(), Texts("cases").back()}) {
    fs::remove_all(folder_);
    const auto rename = [&](Recording recording) {
      for (Packet& packet : *recording.mutable_packet()) {
        if (!packet.has_string()) continue;
        const size_t which = next++ % (std::size(kNames) + 1);
        packet.mutable_string()->set_value(which == std::size(kNames) ? longest
                                                                      : std::string(kNames[which]));
      }
      return recording;
    };
    Build(rename(ParseText(ReadFile(of_events)))).WriteFolder(folder_);
    WriteHeap(HeapFileOf(rename(ParseText(ReadFile(Texts("heap_cases").back())))));
    ExpectAnswers("names in " + of_events.stem().string());
  }
}

// A few kilobytes that become gigabytes, or millions of packets.
TEST_F(HostileRecordings, BombsAreRefused) {
  const std::string start = ParseText("packet { segment_start {} }").SerializeAsString();
  const auto body_of = [&](std::string_view packet) {
    std::string body = start;
    while (body.size() + packet.size() <= kMaxSegmentRawBytes) body += packet;
    return body;
  };
  for (const std::string& packet :
       {std::string("\x0a\0", 2), std::string("\x0a\x02\x08\0", 4),
        ParseText("packet { thread_snapshot { number: 1 } }").SerializeAsString()}) {
    fs::remove_all(folder_);
    RecordingBuilder events;
    HeapFile heap;
    const std::string body = body_of(packet);
    for (int i = 0; i < 1000; ++i) events.AddBody(body);
    for (int i = 0; i < 100; ++i) heap.AddBody(body, SegmentKind::kHeapTables);
    events.WriteFolder(folder_);
    WriteHeap(heap);
    ExpectAnswers("bomb");
  }
}

}  // namespace
}  // namespace hindsight::testing
