#include "tests/unit/recorder/output_test_support.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "proto/limits.h"

namespace hindsight::recorder {

TemporaryFolder::TemporaryFolder() {
  const char* tmp = getenv("TMPDIR");
  path_ = std::string(tmp != nullptr && *tmp != 0 ? tmp : "/tmp") + "/hindsight-test-XXXXXX";
  EXPECT_NE(mkdtemp(path_.data()), nullptr);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

StderrCapture::StderrCapture() : saved_(dup(STDERR_FILENO)) {
  char name[] = "/tmp/hindsight-stderr-XXXXXX";
  file_ = mkstemp(name);
  EXPECT_GE(file_, 0);
  unlink(name);
  dup2(file_, STDERR_FILENO);
}

StderrCapture::~StderrCapture() {
  dup2(saved_, STDERR_FILENO);
  close(saved_);
  close(file_);
}

std::string StderrCapture::Text() const {
  std::string text(static_cast<size_t>(lseek(file_, 0, SEEK_END)), 0);
  EXPECT_EQ(pread(file_, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  return text;
}

FolderRequest RequestFor(const std::string& output) {
  FolderRequest request;
  request.output = output;
  request.application = "Shop.Web";
  request.pid = 4711;
  request.started_unix_ns = 1'700'000'000'123'456'789;  // 2023-11-14 22:13:20 UTC
  return request;
}

WriterConfig ConfigFor(const std::string& output, uint64_t disk_limit_bytes) {
  WriterConfig config;
  config.folder = RequestFor(output);
  config.disk_limit_bytes = disk_limit_bytes;
  return config;
}

std::span<const std::byte> Bytes(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteFile(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::vector<std::string> Names(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

uint64_t SumOfSizes(const std::string& folder) {
  uint64_t sum = 0;
  for (const std::string& name : Names(folder)) {
    struct stat status;
    if (stat((folder + "/" + name).c_str(), &status) == 0) {
      sum += static_cast<uint64_t>(status.st_size);
    }
  }
  return sum;
}

std::string TestPacket(uint32_t number, size_t bytes) {
  std::mt19937_64 random(number);
  std::string text = std::to_string(number) + ":";
  while (text.size() + 8 <= bytes) {
    const uint64_t word = random();
    text.append(reinterpret_cast<const char*>(&word), sizeof word);
  }
  Recording recording;
  String* string = recording.add_packet()->mutable_string();
  string->set_id(number + 1);
  string->set_value(text);
  return recording.SerializeAsString();
}

ReadResult ReadRecording(const std::string& folder) {
  ReadResult result;
  for (const std::string& name : Names(folder)) {
    if (!name.ends_with(".hsr")) continue;
    const std::string data = ReadFile(folder + "/" + name);
    const std::span<const std::byte> bytes = Bytes(data);
    size_t at = 0;
    bool is_torn = false;
    while (at < bytes.size()) {
      ReadSegment segment;
      segment.file = name;
      const HeaderError error = DecodeSegmentHeader(bytes.subspan(at), segment.header);
      const size_t left = bytes.size() - at;
      if (error != HeaderError::kNone ||
          left - kSegmentHeaderBytes < segment.header.compressed_bytes) {
        const size_t next = FindSegment(bytes, at + 1);
        result.torn_bytes += next - at;
        is_torn = true;
        at = next;
        continue;
      }
      const auto frame = bytes.subspan(at + kSegmentHeaderBytes, segment.header.compressed_bytes);
      const auto fault = [&](const std::string& what) {
        result.faults.push_back(name + " at " + std::to_string(at) + ": " + what);
      };
      if (is_torn) fault("an intact segment behind a torn one");
      if (Crc32c(frame) != segment.header.body_crc32c) fault("body checksum");
      if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != segment.header.raw_bytes) {
        fault("content size of the frame");
      }
      segment.raw.resize(segment.header.raw_bytes);
      if (ZSTD_decompress(segment.raw.data(), segment.raw.size(), frame.data(), frame.size()) !=
          segment.raw.size()) {
        fault("decompression");
      }
      if (!segment.recording.ParseFromString(segment.raw)) fault("protobuf");
      at += kSegmentHeaderBytes + frame.size();
      result.segments.push_back(std::move(segment));
    }
  }
  return result;
}

bool WriteSegment(SegmentWriter& writer, uint32_t number, size_t bytes, SegmentKind kind) {
  bool new_file = false;
  writer.BeginSegment(&new_file);
  EXPECT_TRUE(writer.Add(Bytes(TestPacket(number, bytes))));
  return writer.EndSegment(kind);
}

}  // namespace hindsight::recorder
