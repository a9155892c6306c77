// Copies of recordings whose files are laid out by hand.
#include "trigger/keep/keep.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "proto/segment.h"
#include "trigger/unique_fd.h"

namespace hindsight::trigger {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMinute = 60'000'000'000;

class KeepTest : public testing::Test {
 protected:
  KeepTest() : root_(open("/", O_PATH | O_DIRECTORY)) {
    char name[] = "/tmp/hindsight-keep-XXXXXX";
    folder_ = mkdtemp(name);
    source_ = folder_ / "Shop-7-20261123T080000Z.hindsight";
    fs::create_directory(source_);
    fs::create_directory(folder_ / "copies");
  }
  ~KeepTest() override { fs::remove_all(folder_); }

  static std::string Segment(uint32_t file, uint64_t sequence, const std::string& body,
                             uint64_t id = 1) {
    SegmentHeader header;
    header.recording_id = id;
    header.file_number = file;
    header.sequence = sequence;
    header.compressed_bytes = static_cast<uint32_t>(body.size());
    header.raw_bytes = header.compressed_bytes;
    std::string bytes(kSegmentHeaderBytes, '\0');
    EncodeSegmentHeader(header, std::span<std::byte, kSegmentHeaderBytes>(
                                    reinterpret_cast<std::byte*>(bytes.data()), bytes.size()));
    return bytes + body;
  }

  void Write(const std::string& name, const std::string& bytes, int minutes_ago = 0) const {
    std::ofstream(source_ / name, std::ios::binary) << bytes;
    fs::last_write_time(source_ / name,
                        fs::file_time_type::clock::now() - std::chrono::minutes(minutes_ago));
  }

  Expected<Kept> Keep(uint64_t last_ns = 0) const {
    return KeepRecording({.root = root_.get(),
                          .source = source_.string(),
                          .owner = geteuid(),
                          .destination = (folder_ / "copies").string(),
                          .last_ns = last_ns});
  }

  static std::string Read(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static SegmentHeader HeaderOf(const std::string& bytes, size_t at = 0) {
    SegmentHeader header;
    EXPECT_EQ(DecodeSegmentHeader(std::as_bytes(std::span(bytes)).subspan(at), header),
              HeaderError::kNone);
    return header;
  }
  size_t Copies() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(folder_ / "copies"), fs::directory_iterator()));
  }

  UniqueFd root_;
  fs::path folder_, source_;
};

TEST_F(KeepTest, CopiesAllFilesForTheOwnerAlone) {
  Write("000001.hsr", Segment(1, 0, "one") + Segment(1, 1, "two"));
  Write("heap-000001.hsr", "any bytes");
  Write("notes.txt", "not a part of a recording");
  const Expected<Kept> kept = Keep();
  ASSERT_TRUE(kept) << kept.failure().what;
  EXPECT_EQ(kept->files, 1u);
  EXPECT_EQ(kept->snapshots, 1u);
  const fs::path copy = kept->path;
  EXPECT_TRUE(copy.filename().string().starts_with("Shop-7-20261123T080000Z-kept-")) << copy;
  EXPECT_EQ(copy.extension(), ".hindsight");
  EXPECT_EQ(Read(copy / "heap-000001.hsr"), "any bytes");
  EXPECT_GT(Read(copy / "000001.hsr").size(), 2 * kSegmentHeaderBytes + 6);  // and an end
  EXPECT_FALSE(fs::exists(copy / "notes.txt"));
  EXPECT_EQ(fs::status(copy).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(copy / "000001.hsr").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(kept->bytes, fs::file_size(copy / "000001.hsr") + 9);
}

TEST_F(KeepTest, WhatIsLeftOutIsSaidInEveryHeader) {
  Write("000004.hsr", Segment(4, 40, "old"), 30);
  Write("000005.hsr", Segment(5, 50, "a") + Segment(5, 51, "b"), 9);
  Write("000006.hsr", Segment(6, 52, "c"), 1);
  const Expected<Kept> kept = Keep(10 * kMinute);
  ASSERT_TRUE(kept) << kept.failure().what;
  EXPECT_EQ(kept->files, 2u);
  const fs::path copy = kept->path;
  EXPECT_FALSE(fs::exists(copy / "000004.hsr"));
  for (const char* name : {"000005.hsr", "000006.hsr"}) {
    const SegmentHeader header = HeaderOf(Read(copy / name));
    EXPECT_EQ(header.oldest_file, 5u);
    EXPECT_EQ(header.oldest_sequence, 50u);
  }
  EXPECT_EQ(HeaderOf(Read(copy / "000005.hsr"), kSegmentHeaderBytes + 1).sequence, 51u);
}

TEST_F(KeepTest, TheNewestFileStaysHoweverOld) {
  Write("000001.hsr", Segment(1, 0, "a"), 90);
  Write("000002.hsr", Segment(2, 1, "b"), 60);
  const Expected<Kept> kept = Keep(10 * kMinute);
  ASSERT_TRUE(kept) << kept.failure().what;
  EXPECT_EQ(kept->files, 1u);
  EXPECT_TRUE(fs::exists(fs::path(kept->path) / "000002.hsr"));
}

// A fleet counts a process once, and tables have the rows of both.
TEST_F(KeepTest, ACopyHasAnIdOfItsOwnAndSaysWhatItIsAPartOf) {
  constexpr uint64_t kWhole = 0x1122334455667788;
  Write("000001.hsr", Segment(1, 7, "one", kWhole) + Segment(1, 8, "two", kWhole));
  Write("heap-000001.hsr", Segment(1, 0, "heap", kWhole));
  const Expected<Kept> kept = Keep();
  ASSERT_TRUE(kept) << kept.failure().what;
  const std::string bytes = Read(fs::path(kept->path) / "000001.hsr");
  const uint64_t id = HeaderOf(bytes).recording_id;
  EXPECT_NE(id, kWhole);
  EXPECT_EQ(HeaderOf(Read(fs::path(kept->path) / "heap-000001.hsr")).recording_id, id);
  const size_t end = 2 * (kSegmentHeaderBytes + 3);
  EXPECT_EQ(HeaderOf(bytes, kSegmentHeaderBytes + 3).recording_id, id);
  const SegmentHeader last = HeaderOf(bytes, end);
  EXPECT_EQ(last.kind, SegmentKind::kLast);
  EXPECT_EQ(last.sequence, 9u);
  EXPECT_EQ(last.file_number, 1u);
  EXPECT_EQ(last.recording_id, id);
  const std::string frame = bytes.substr(end + kSegmentHeaderBytes);
  EXPECT_EQ(last.compressed_bytes, frame.size());
  EXPECT_EQ(last.body_crc32c, Crc32c(std::as_bytes(std::span(frame))));
  EXPECT_NE(frame.find("Shop-7-20261123T080000Z.hindsight"), std::string::npos);
  EXPECT_NE(frame.find(std::string("\x88\x77\x66\x55\x44\x33\x22\x11")), std::string::npos);
  const Expected<Kept> again = Keep();
  ASSERT_TRUE(again) << again.failure().what;
  EXPECT_NE(HeaderOf(Read(fs::path(again->path) / "000001.hsr")).recording_id, id);
}

TEST_F(KeepTest, ASegmentThatIsBeingWrittenIsLeftOut) {
  const std::string whole = Segment(1, 0, "whole");
  Write("000001.hsr", whole + Segment(1, 1, "half").substr(0, kSegmentHeaderBytes + 2));
  const Expected<Kept> kept = Keep();
  ASSERT_TRUE(kept) << kept.failure().what;
  const std::string bytes = Read(fs::path(kept->path) / "000001.hsr");
  EXPECT_EQ(HeaderOf(bytes, whole.size()).kind, SegmentKind::kLast);
  EXPECT_EQ(bytes.find("ha"), std::string::npos);
}

TEST_F(KeepTest, DamageStaysAsItIsAndWhatIsBehindItIsOfTheCopy) {
  const std::string good = Segment(1, 0, "good"), damage = "no header ";
  Write("000001.hsr", good + damage + Segment(1, 1, "behind it"));
  const Expected<Kept> kept = Keep();
  ASSERT_TRUE(kept) << kept.failure().what;
  const std::string bytes = Read(fs::path(kept->path) / "000001.hsr");
  EXPECT_EQ(bytes.substr(good.size(), damage.size()), damage);
  const SegmentHeader behind = HeaderOf(bytes, good.size() + damage.size());
  EXPECT_EQ(behind.sequence, 1u);
  EXPECT_EQ(behind.recording_id, HeaderOf(bytes).recording_id);
  EXPECT_NE(bytes.find("behind it"), std::string::npos);
}

TEST_F(KeepTest, TwoCopiesOfOneMomentHaveFoldersOfTheirOwn) {
  Write("000001.hsr", Segment(1, 0, "a"));
  const Expected<Kept> one = Keep(), other = Keep();
  ASSERT_TRUE(one && other);
  EXPECT_NE(one->path, other->path);
}

TEST_F(KeepTest, WhatIsNoFileOfTheRecordingIsRefused) {
  Write("000001.hsr", Segment(1, 0, "a"));
  fs::create_symlink("/etc/hostname", source_ / "000002.hsr");
  const Expected<Kept> kept = Keep();
  ASSERT_FALSE(kept);
  EXPECT_NE(kept.failure().what.find("000002.hsr"), std::string::npos) << kept.failure().what;
  fs::remove(source_ / "000002.hsr");
  ASSERT_EQ(mkfifo((source_ / "000002.hsr").c_str(), 0600), 0);
  ASSERT_FALSE(Keep());
  EXPECT_EQ(Copies(), 0u);
}

TEST_F(KeepTest, AFailureLeavesNothingBehind) {
  EXPECT_FALSE(Keep());  // nothing is recorded yet
  Write("000001.hsr", Segment(1, 0, "a"));
  fs::remove_all(folder_ / "copies");
  EXPECT_FALSE(Keep());
  EXPECT_FALSE(fs::exists(folder_ / "copies"));
  fs::remove_all(source_);
  const Expected<Kept> kept = Keep();
  ASSERT_FALSE(kept);
  EXPECT_NE(kept.failure().what.find(source_.string()), std::string::npos) << kept.failure().what;
}

}  // namespace
}  // namespace hindsight::trigger
