// The packets of a body, past all checksums: any bytes.
#include <google/protobuf/stubs/logging.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "analyzer/reader/reference_check.h"
#include "analyzer/reader/segment_body.h"
#include "proto/limits.h"

using hindsight::Packet;
using hindsight::analyzer::PacketContext;
using hindsight::analyzer::PacketCursor;
using hindsight::analyzer::ReferenceCheck;

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  google::protobuf::SetLogHandler(nullptr);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  PacketCursor cursor(std::as_bytes(std::span(bytes, size)));
  ReferenceCheck references;
  Packet packet;
  PacketContext context;
  bool first = true;
  while (cursor.Next(packet, context)) {
    // What recording_reader.h guarantees.
    if (first != packet.has_segment_start()) std::abort();
    if (packet.data_case() == Packet::DATA_NOT_SET) std::abort();
    if (packet.has_exception() != (context.exception_id != 0)) std::abort();
    if (packet.string().id() > hindsight::kMaxDictionaryEntries) std::abort();
    if (packet.string().value().size() > hindsight::kMaxStringBytes) std::abort();
    if (packet.has_type() && packet.type().id() == 0) std::abort();
    references.Take(context, packet);
    first = false;
  }
  if (cursor.error() == nullptr && cursor.packets() == 0) std::abort();
  return 0;
}
