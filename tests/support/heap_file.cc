#include "tests/support/heap_file.h"

#include <cstdio>

#include "tests/support/recording_builder.h"

namespace hindsight::testing {

HeapObjects BatchAt(uint64_t first_address, int count) {
  HeapObjects batch;
  batch.set_first_address(first_address);
  for (int i = 0; i < count; ++i) {
    batch.add_class_(1);
    batch.add_gap(0);
  }
  return batch;
}

void HeapFile::AddObjects(HeapObjects batch) {
  Recording packets;
  *packets.add_packet()->mutable_heap_objects() = std::move(batch);
  Add(packets, SegmentKind::kHeapObjects);
}

void HeapFile::Add(const Recording& packets, SegmentKind kind) {
  Recording body;
  SegmentStart* start = body.add_packet()->mutable_segment_start();
  start->set_monotonic_ns(kMonotonicNs + sequence_);
  start->set_unix_ns(kUnixNs + sequence_);
  AddBody(body.SerializeAsString() + packets.SerializeAsString(), kind);
}

void HeapFile::AddBody(std::string_view body, SegmentKind kind) {
  SegmentHeader header;
  header.kind = kind;
  header.file_number = number_;
  header.recording_id = recording_id_;
  header.sequence = sequence_++;
  offsets_.push_back(bytes_.size());
  bytes_ += EncodeSegment(header, body);
}

std::string HeapFile::name() const {
  char name[32];
  std::snprintf(name, sizeof name, "heap-%06u.hsr", number_);
  return name;
}

HeapFile HeapFileOf(std::string_view text, uint64_t recording_id) {
  return HeapFileOf(ParseText(text), recording_id);
}

HeapFile HeapFileOf(const Recording& recording, uint64_t recording_id) {
  HeapFile file(1, recording_id);
  Recording tables;
  const auto flush = [&] {
    if (tables.packet_size() > 0) file.AddTables(tables);
    tables.Clear();
  };
  for (const Packet& packet : recording.packet()) {
    if (packet.has_segment_start()) continue;
    if (packet.has_heap_objects()) {
      flush();
      file.AddObjects(packet.heap_objects());
    } else {
      *tables.add_packet() = packet;
    }
  }
  flush();
  return file;
}

}  // namespace hindsight::testing
