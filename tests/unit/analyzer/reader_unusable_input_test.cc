// Input that is not a recording: one clear sentence, exit code 2, little memory.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zstd.h>

#include <array>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "tests/support/run.h"
#include "tests/support/sample_recordings.h"

namespace hindsight::testing {
namespace {

namespace fs = std::filesystem;

#ifdef HINDSIGHT_SANITIZED
constexpr long kMaxRssKib = 256 << 10;  // a sanitizer's own
#else
constexpr long kMaxRssKib = 32 << 10;
#endif
constexpr size_t kBombBytes = size_t{1} << 30;

class UnusableInput : public ::testing::Test {
 protected:
  void ExpectRefused(const std::string& path, const std::string& sentence, bool as_nobody = false,
                     bool in_one_line = true) {
    for (const char* command : {"info", "verify"}) {
      const RunResult result = RunProgram({HINDSIGHT_BINARY, command, path}, as_nobody);
      EXPECT_EQ(result.exit_code, 2) << result.err;
      EXPECT_EQ(result.out, "");
      EXPECT_EQ(result.err.find("hindsight: "), 0u) << result.err;
      EXPECT_NE(result.err.find(path), std::string::npos) << result.err;
      EXPECT_NE(result.err.find(sentence), std::string::npos) << result.err;
      EXPECT_EQ(result.err.find('\n') == result.err.size() - 1, in_one_line) << result.err;
      EXPECT_LT(result.max_rss_kib, kMaxRssKib);
    }
  }

  std::string File(const std::string& bytes) {
    const std::string path = dir_ / "file.hsr";
    WriteFile(path, bytes);
    return path;
  }

  // A gigabyte of zeros as one zstd frame.
  static std::string Bomb() {
    ZSTD_CCtx* context = ZSTD_createCCtx();
    const std::string zeros(1 << 20, '\0');
    std::string frame(1 << 20, '\0');
    ZSTD_outBuffer out = {frame.data(), frame.size(), 0};
    for (size_t done = 0; done < kBombBytes; done += zeros.size()) {
      const bool last = done + zeros.size() == kBombBytes;
      ZSTD_inBuffer in = {zeros.data(), zeros.size(), 0};
      size_t left = 0;
      do {
        left = ZSTD_compressStream2(context, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
        EXPECT_FALSE(ZSTD_isError(left));
      } while (in.pos < in.size || (last && left > 0));
    }
    ZSTD_freeCCtx(context);
    frame.resize(out.pos);
    return frame;
  }

  const TempDir dir_;
};

// The reason is said, not that they are empty.
TEST_F(UnusableInput, AFolderOfUnreadableFiles) {
  const std::string folder = dir_ / "shop-1.hindsight";
  SampleRecording().WriteFolder(folder);
  chmod(dir_.path().c_str(), 0755);
  chmod(folder.c_str(), 0755);
  for (const auto& file : fs::directory_iterator(folder)) chmod(file.path().c_str(), 0);
  ExpectRefused(folder, "Permission denied", true);
  chmod(folder.c_str(), 0744);  // may be listed, but not entered
  ExpectRefused(folder, "Permission denied", true);
}

TEST_F(UnusableInput, RandomBytes) {
  std::mt19937_64 random(1);
  std::string bytes(8 << 20, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  ExpectRefused(File(bytes), "is not a Hindsight recording");
}

TEST_F(UnusableInput, AnEmptyFile) { ExpectRefused(File(""), "is empty"); }

TEST_F(UnusableInput, AMissingFile) {
  ExpectRefused(dir_ / "nothing", "No such file or directory; give a recording's folder");
}

TEST_F(UnusableInput, AnUnreadableFile) {
  const std::string path = File(SampleRecording().files()[0]);
  chmod(path.c_str(), 0);
  chmod(dir_.path().c_str(), 0755);
  ExpectRefused(path, "Permission denied", true);
}

TEST_F(UnusableInput, AnUnreadableFolder) {
  const std::string folder = dir_ / "shop-1.hindsight";
  SampleRecording().WriteFolder(folder);
  chmod(folder.c_str(), 0);
  chmod(dir_.path().c_str(), 0755);
  ExpectRefused(folder, "Permission denied", true);
  chmod(folder.c_str(), 0700);
}

TEST_F(UnusableInput, AnEmptyFolder) { ExpectRefused(dir_.path(), "contains no recording"); }

TEST_F(UnusableInput, AFolderOfOtherFiles) {
  WriteFile(dir_ / "readme.txt", "hello");
  ExpectRefused(dir_.path(), "no *.hsr file");
}

TEST_F(UnusableInput, AFolderOfRecordings) {
  SampleRecording().WriteFolder(dir_ / "shop-1.hindsight");
  SampleRecording().WriteFolder(dir_ / "shop-2.hindsight");
  ExpectRefused(dir_.path(), "contains 2 recordings; give one of them", false, false);
}

TEST_F(UnusableInput, AFolderOfEmptyFiles) {
  File("");
  ExpectRefused(dir_.path(), "contains only empty files");
}

TEST_F(UnusableInput, AFolderOfGarbage) {
  File("garbage");
  ExpectRefused(dir_.path(), "contains no intact segment");
}

TEST_F(UnusableInput, AFifo) {
  const std::string path = dir_ / "fifo";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  ExpectRefused(path, "is not a regular file");
}

TEST_F(UnusableInput, ANewerVersion) {
  SegmentHeader header;
  header.version = kFormatVersion + 1;
  ExpectRefused(File(SampleRecording().files()[0] + EncodeSegment(header, "from the future")),
                "newer Hindsight (format 2; this one reads up to 1): update hindsight");
}

TEST_F(UnusableInput, TwoRecordings) {
  RecordingBuilder other(99);
  other.AddText("packet { segment_start { monotonic_ns: 1 unix_ns: 1 } }");
  ExpectRefused(File(SampleRecording().files()[0] + other.files()[0]),
                "These files belong to different recordings");
}

TEST_F(UnusableInput, ATextThatIsNotUtf8) {
  const std::string start =
      ParseText("packet { segment_start { monotonic_ns: 1 unix_ns: 1 } }").SerializeAsString();
  const std::string note("\x0a\x06\x9a\x01\x03\x0a\x01\xff", 8);
  ExpectRefused(File(EncodeSegment({}, start + note)), "a packet cannot be parsed");
}

TEST_F(UnusableInput, OnlyTheStartOfASegment) {
  ExpectRefused(File(SampleRecording().files()[0].substr(0, 100)), "contains no intact segment");
}

TEST_F(UnusableInput, ABombWithoutAHeader) {
  ExpectRefused(File(Bomb()), "is not a Hindsight recording");
}

TEST_F(UnusableInput, ABombThatSaysSo) {
  SegmentHeader header;
  header.raw_bytes = kBombBytes;
  ExpectRefused(File(EncodeSegmentAround(header, Bomb())),
                "claims to be larger than the format allows");
}

TEST_F(UnusableInput, ABombThatHidesItsSize) {
  SegmentHeader header;
  header.raw_bytes = 4 << 20;
  ExpectRefused(File(EncodeSegmentAround(header, Bomb())), "malicious");
}

// Each header begins a segment whose body is the rest of the file, with a wrong checksum.
TEST_F(UnusableInput, ManyHeadersThatEachClaimAGreatBody) {
  SegmentHeader header;
  header.compressed_bytes = 4 << 20;
  std::array<std::byte, kSegmentHeaderBytes> one;
  EncodeSegmentHeader(header, one);
  std::string bytes;
  while (bytes.size() < (12u << 20)) {
    bytes.append(reinterpret_cast<const char*>(one.data()), one.size());
  }
  ExpectRefused(File(bytes), "contains no intact segment");
}

}  // namespace
}  // namespace hindsight::testing
