// Builds the facts from packets: what a recording is about, and what is missing from it.
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

  // For every packet, in order: when it was written. nullopt: before anything that the recording
  // reports.
  std::optional<int64_t> TimeOf(const PacketContext& context, const Packet& packet);
  // Within kMaxTimeNs of the start, whatever the input says, so that differences of times do not
  // overflow.
  int64_t FromStart(uint64_t monotonic_ns) const;
  // Takes the recorder's notes, losses and the end; ignores other packets.
  void On(const Packet& packet, int64_t time_ns);
  // `missing_references`: to names and stacks that no packet defines.
  void Finish(const Integrity& integrity, uint64_t missing_references);

 private:
  void OnProcess(const Process& process);
  void OnNote(const RecorderNote& note, int64_t time_ns);
  void OnLoss(const Loss& loss);
  void OnEnd(const RecordingEnd& end);

  RecordingFacts& facts_;
  Losses& losses_;
  uint64_t not_seen_ns_ = 0;  // time at the start for which the runtime's events were not observed
  uint64_t start_ns_ = 0;     // CLOCK_MONOTONIC of time 0
  bool has_start_ = false;
  bool has_time_ = false;
};

}  // namespace hindsight::analyzer
