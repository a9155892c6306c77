#include "tests/support/recording_builder.h"

#include <google/protobuf/text_format.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <span>
#include <stdexcept>

namespace hindsight::testing {
namespace fs = std::filesystem;

std::string EncodeSegmentAround(SegmentHeader header, std::string_view frame) {
  header.compressed_bytes = static_cast<uint32_t>(frame.size());
  header.body_crc32c = Crc32c(std::as_bytes(std::span(frame)));
  std::array<std::byte, kSegmentHeaderBytes> bytes;
  EncodeSegmentHeader(header, bytes);
  std::string segment(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return segment.append(frame);
}

std::string EncodeSegment(SegmentHeader header, std::string_view body) {
  std::string frame(ZSTD_compressBound(body.size()), '\0');
  const size_t size = ZSTD_compress(frame.data(), frame.size(), body.data(), body.size(), 3);
  if (ZSTD_isError(size)) throw std::runtime_error(ZSTD_getErrorName(size));
  frame.resize(size);
  header.raw_bytes = static_cast<uint32_t>(body.size());
  return EncodeSegmentAround(header, frame);
}

void RecordingBuilder::AddText(std::string_view text) {
  const Recording all = ParseText(text);
  if (all.packet_size() == 0 || !all.packet(0).has_segment_start()) {
    throw std::runtime_error("the first packet is no segment_start");
  }
  for (int i = 0; i < all.packet_size();) {
    Recording body;
    SegmentKind kind = SegmentKind::kData;
    do {
      if (all.packet(i).has_recording_end()) kind = SegmentKind::kLast;
      *body.add_packet() = all.packet(i++);
    } while (i < all.packet_size() && !all.packet(i).has_segment_start());
    if (body.packet_size() > 1 && body.packet(1).has_process() && !files_.empty()) NextFile();
    AddSegment(body, kind);
  }
}

void RecordingBuilder::NextFile() {
  files_.emplace_back();
  offsets_.emplace_back();
}

void RecordingBuilder::AddSegment(const Recording& body, SegmentKind kind) {
  AddBody(body.SerializeAsString(), kind);
}

void RecordingBuilder::AddBody(std::string_view body, SegmentKind kind) {
  if (files_.empty()) NextFile();
  SegmentHeader header;
  header.kind = kind;
  header.file_number = static_cast<uint32_t>(files_.size());
  header.recording_id = id_;
  header.sequence = sequence_++;
  offsets_.back().push_back(files_.back().size());
  files_.back() += EncodeSegment(header, body);
}

std::string RecordingBuilder::Concatenated() const {
  std::string all;
  for (const std::string& file : files_) all += file;
  return all;
}

void RecordingBuilder::WriteFolder(const fs::path& folder) const {
  fs::create_directories(folder);
  for (size_t i = 0; i < files_.size(); ++i) {
    std::array<char, 32> name;
    std::snprintf(name.data(), name.size(), "%06zu.hsr", i + 1);
    WriteFile(folder / name.data(), files_[i]);
  }
}

void WriteFile(const fs::path& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw std::runtime_error("cannot write " + path.string());
}

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  return std::string(std::istreambuf_iterator<char>(in), {});
}

Recording ParseText(std::string_view text) {
  Recording recording;
  if (!google::protobuf::TextFormat::ParseFromString(std::string(text), &recording)) {
    throw std::runtime_error("not a Recording in text format");
  }
  return recording;
}

TempDir::TempDir() {
  std::random_device random;
  // The same variable as GoogleTest's: on Windows, programs may not be able to change the other
  // one.
  const char* const given = std::getenv("TEST_TMPDIR");
  const fs::path above = given != nullptr ? fs::path(given) : fs::temp_directory_path();
  do {
    std::string name = "hindsight-test-";
    for (int i = 0; i < 6; ++i) name += static_cast<char>('a' + random() % 26);
    // Elsewhere the path is padded to the same length as below /tmp: reports wrap lines that
    // contain paths.
    const size_t more = (above / "").string().size() - std::string_view("/tmp/").size();
    path_ = above / name.substr(std::min(more, name.size() - 8));
  } while (!fs::create_directory(path_));
  fs::permissions(path_, fs::perms::owner_all);
}

TempDir::~TempDir() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace hindsight::testing
