// What a recording is about, and what is missing from it, from its packets.
#pragma once

#include <cstdint>
#include <optional>

#include "analyzer/model/integrity.h"
#include "analyzer/model/recording_facts.h"
#include "analyzer/reader/recording_reader.h"
#include "proto/recording.pb.h"

namespace hindsight::analyzer {

class RecordingFactsBuilder {
 public:
  RecordingFactsBuilder(RecordingFacts& facts, Losses& losses) : facts_(facts), losses_(losses) {}

  // Of every packet, in order: when it was written. Nothing: before everything that the recording
  // tells.
  std::optional<int64_t> TimeOf(const PacketContext& context, const Packet& packet);
  // Within kMaxTimeNs of the start, whatever the input says, so that differences of times are safe.
  int64_t FromStart(uint64_t monotonic_ns) const;
  // The recorder's notes, losses and the end; other packets are none of this.
  void On(const Packet& packet, int64_t time_ns);
  // `missing_references`: to names and stacks that are in no packet.
  void Finish(const Integrity& integrity, uint64_t missing_references);

 private:
  void OnProcess(const Process& process);
  void OnNote(const RecorderNote& note, int64_t time_ns);
  void OnLoss(const Loss& loss);
  void OnEnd(const RecordingEnd& end);

  RecordingFacts& facts_;
  Losses& losses_;
  uint64_t not_seen_ns_ = 0;  // of the runtime's events, from the start
  uint64_t start_ns_ = 0;     // CLOCK_MONOTONIC of time 0
  bool has_start_ = false;
  bool has_time_ = false;
};

}  // namespace hindsight::analyzer
