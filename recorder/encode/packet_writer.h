// Writes packets into segments. The owner decides when a segment ends, because it must first write
// what it holds back.
//
// Drain thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "proto/limits.h"
#include "recorder/base/clock.h"
#include "recorder/encode/proto_writer.h"
#include "recorder/output/segment_sink.h"

namespace hindsight::recorder {

// Field numbers of proto/recording.proto, message Packet.
enum class PacketField : uint32_t {
  kSegmentStart = 2,
  kString = 3,
  kType = 4,
  kMethod = 5,
  kFrame = 6,
  kStack = 7,
  kThread = 8,
  kModule = 9,
  kException = 10,
  kExceptionOutcome = 11,
  kGarbageCollection = 12,
  kSuspension = 13,
  kThreadLifetime = 14,
  kModuleLoad = 15,
  kProcess = 16,
  kLoss = 17,
  kRecorderCost = 18,
  kRecorderNote = 19,
  kRecordingEnd = 20,
  kHeapSnapshot = 21,
  kHeapRange = 22,
  kHeapClass = 23,
  kHeapObjects = 24,
  kHeapRoots = 25,
  kHeapDependents = 26,
  kHeapStatic = 27,
  kHeapSnapshotEnd = 28,
  kLockWait = 29,
  kLockWaitEnd = 30,
  kThreadSnapshot = 31,
  kThreadState = 32,
  kPoolAdjustment = 33,
  kPoolSample = 34,
  kHeapMonitors = 35,
  kHeapThread = 36,
  kCpuSamples = 37,
  kAllocationSamples = 38,
  kJitSample = 39,
  kHeapAllocations = 40,
  kRequestCounts = 41,
  kExceptionTally = 46,
  kLockWaitTally = 47,
  kHeapFiles = 48,
};

inline constexpr uint64_t kNoTime = 0;

class PacketWriter {
 public:
  explicit PacketWriter(SegmentSink& segments) : segments_(segments) {}

  // `on_file` runs when a file begins, after its SegmentStart: dictionaries start over, and the
  // process is described. `on_segment` runs at the start of every segment.
  void OnNewFile(std::function<void()> on_file) { on_file_ = std::move(on_file); }
  void OnNewSegment(std::function<void()> on_segment) { on_segment_ = std::move(on_segment); }

  // Ensures that a segment is open. Call it before requesting dictionary ids for an event: they are
  // valid until the segment ends.
  void Begin();

  // One packet of kind `field`; `fill(ProtoWriter&)` writes its message.
  template <typename Fill>
  void Write(PacketField field, uint64_t time_ns, Fill fill) {
    packet_.clear();
    ProtoWriter packet(packet_);
    if (time_ns != kNoTime) {
      const auto delta = static_cast<int64_t>(time_ns - last_time_ns_);
      if (delta != 0) packet.Sint(1, delta);
    }
    {
      ProtoWriter message(packet, static_cast<uint32_t>(field));
      fill(message);
    }
    if (Append() && time_ns != kNoTime) last_time_ns_ = time_ns;
  }

  bool open() const { return open_; }
  // The segment should end: it has reached its target size, and still has room for one large
  // packet.
  bool full() const { return open_ && segments_.raw_bytes() >= kTargetSegmentRawBytes; }
  uint64_t opened_ns() const { return opened_ns_; }
  // Ends the open segment, if any; false when it could not be written.
  bool End(SegmentKind kind = SegmentKind::kData);

  // Ids relative to the previous one in the segment, as the schema wants them (Exception.id_delta).
  int64_t ExceptionIdDelta(uint64_t id);
  // Likewise for LockWait.id_delta.
  int64_t WaitIdDelta(uint64_t id);

  // Packets that did not fit into a segment.
  uint64_t oversized() const { return oversized_; }

 private:
  bool Append();

  SegmentSink& segments_;
  std::function<void()> on_file_, on_segment_;
  std::string packet_, framed_;  // reused
  bool open_ = false;
  uint64_t opened_ns_ = 0;
  uint64_t last_time_ns_ = 0;
  uint64_t next_exception_id_ = 0, next_wait_id_ = 0;
  uint64_t oversized_ = 0;
};

}  // namespace hindsight::recorder
