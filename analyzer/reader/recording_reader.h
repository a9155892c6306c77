// A recording, opened once: Open finds, scans and checks its files. From then on it is a stream of
// checked packets in the order of their writing, and heap snapshots (heap_reader.h).
//
// Input is never trusted: every header, checksum, length, packet and id is checked against
// proto/segment.h and proto/limits.h before a packet of its segment is delivered; a segment is
// delivered whole or not at all. After damage, the reader looks for the next segment. Integrity
// accounts for everything that is not delivered.
//
// Memory is a few segments (see read_ahead.h) and 100 bytes per indexed segment, whatever the size
// of the recording.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "analyzer/base/result.h"
#include "analyzer/model/integrity.h"
#include "proto/recording.pb.h"

namespace hindsight::analyzer {

class Progress;
class SegmentIndex;

// Where a packet is.
struct PacketContext {
  // CLOCK_MONOTONIC of the packet; a packet without a time of its own (delta 0) has that of the
  // previous packet.
  uint64_t monotonic_ns = 0;
  // The same moment on CLOCK_REALTIME, by the clocks of the segment's start.
  uint64_t unix_ns = 0;
  // Dictionaries (String, Module, Type, Method, Frame, Stack; Thread entries are repeated) start
  // over whenever this changes. From 0, ascending.
  uint32_t file_ordinal = 0;
  uint64_t sequence = 0;  // of the segment
  // An earlier segment of the same file is lost, so entries that packets refer to may be missing.
  // Otherwise, a missing entry is the recorder's fault.
  bool dictionary_gap = false;
  // For an Exception: its id, computed from the deltas in its segment; 0 for other packets.
  uint64_t exception_id = 0;
  uint64_t wait_id = 0;  // likewise for a LockWait
};

class Recording {
 public:
  // `paths`: recording folders, files, or concatenations of files, in any order, all of one
  // recording. Opens and checks the container of every file (all checksums), so that a result is a
  // recording with at least one intact segment. An error says what else a path is.
  static Result<Recording> Open(std::span<const std::string> paths, Progress* progress = nullptr);

  Recording(Recording&&) noexcept;
  Recording& operator=(Recording&&) noexcept;
  ~Recording();

  // Calls `callback` on the caller's thread for every intact packet, in the order of writing, while
  // another thread decompresses and checks ahead. Guaranteed for each packet: ids of dictionary
  // entries are 1..kMaxDictionaryEntries (references also 0), except Thread ids, which are any
  // uint32; texts are at most kMaxStringBytes; `data` is set and of a known kind. Not guaranteed:
  // that an id refers to an entry, that parents of stacks form no cycle, that text is UTF-8. May be
  // called again, with the same result. An error: no segment has a valid body. `progress` counts
  // bytes of the recording, and may be null.
  using Callback = std::function<void(const PacketContext& context, const Packet& packet)>;
  Result<void> ForEachPacket(const Callback& callback, Progress* progress = nullptr);

  // Without what only the contents show: complete after ForEachPacket and CheckHeaps.
  const Integrity& integrity() const;

  // The first of its paths, for messages.
  const std::string& name() const;
  // For other parts of the reader: where the segments are. What one of them marks invalid is lost
  // for all.
  SegmentIndex& index();

 private:
  struct State;
  explicit Recording(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace hindsight::analyzer
