// A whole file, from the path to the packets. If the first byte is even, the checksums of all
// headers are repaired first, so that the code behind them is reached as well.
#include <google/protobuf/stubs/logging.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "analyzer/reader/recording_reader.h"
#include "analyzer/reader/reference_check.h"
#include "proto/segment.h"
#include "tests/fuzz/memory_file.h"

namespace {

using hindsight::Packet;
using hindsight::analyzer::PacketContext;
using hindsight::analyzer::Recording;
using hindsight::analyzer::ReferenceCheck;

void PutLe32(std::byte* at, uint32_t value) {
  for (int i = 0; i < 4; ++i) at[i] = static_cast<std::byte>(value >> (8 * i));
}

uint32_t GetLe32(const std::byte* at) {
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value |= std::to_integer<uint32_t>(at[i]) << (8 * i);
  return value;
}

void RepairChecksums(std::vector<std::byte>& bytes) {
  for (size_t at = hindsight::FindSegment(bytes, 0); at < bytes.size();
       at = hindsight::FindSegment(bytes, at + 1)) {
    const std::span<std::byte> rest = std::span(bytes).subspan(at);
    if (rest.size() < hindsight::kSegmentHeaderBytes) return;
    const std::span<std::byte> body = rest.subspan(hindsight::kSegmentHeaderBytes);
    const uint32_t size = GetLe32(&rest[40]);
    if (size <= body.size()) PutLe32(&rest[48], hindsight::Crc32c(body.first(size)));
    PutLe32(&rest[60], hindsight::Crc32c(rest.first(60)));
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  google::protobuf::SetLogHandler(nullptr);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto input = std::as_bytes(std::span(data, size));
  std::vector<std::byte> bytes(input.begin(), input.end());
  if (size > 0 && data[0] % 2 == 0) RepairChecksums(bytes);
  const std::string path = hindsight::fuzz::MemoryFile(bytes);
  auto recording = Recording::Open({&path, 1});
  if (!recording) {
    if (recording.error().sentence.empty()) std::abort();
    return 0;
  }
  ReferenceCheck references;
  uint64_t sequence = 0;
  uint32_t ordinal = 0;
  const auto read =
      recording->ForEachPacket([&](const PacketContext& context, const Packet& packet) {
        if (context.sequence < sequence || context.file_ordinal < ordinal) std::abort();
        sequence = context.sequence;
        ordinal = context.file_ordinal;
        references.Take(context, packet);
      });
  const hindsight::analyzer::Integrity& integrity = recording->integrity();
  if (integrity.lost_bytes > integrity.total_bytes) std::abort();
  if (read && integrity.intact_segments == 0) std::abort();
  if (integrity.damage_count > 0 && LossSentence(integrity).empty()) std::abort();
  return 0;
}
