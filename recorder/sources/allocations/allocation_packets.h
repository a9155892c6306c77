// Source `allocations`, on the drain thread: samples become columns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "recorder/encode/dictionary_writer.h"
#include "recorder/sources/allocations/allocations.h"
#include "recorder/sources/packet_source.h"
#include "recorder/sources/threads/thread_roster.h"

namespace hindsight::recorder {

class AllocationPackets final : public PacketSource {
 public:
  AllocationPackets(DictionaryWriter& dictionaries, ThreadRoster& threads)
      : dictionaries_(dictionaries), threads_(threads) {}

  std::span<const EventKind> Kinds() const override {
    static constexpr EventKind kKinds[] = {EventKind::kAllocationSampled};
    return kKinds;
  }
  void Consume(const EventHeader& event, PacketWriter& packets) override;
  // Dictionary ids are valid until the segment ends, so the packet is written before that.
  void Flush(PacketWriter& packets) override;

 private:
  static constexpr size_t kMaxSamples = 4096;  // of a packet

  DictionaryWriter& dictionaries_;
  ThreadRoster& threads_;

  AllocationSampling sampling_ = AllocationSampling::kUnknown;  // of the columns; the same for all
                                                                // samples
  uint64_t first_ns_ = 0;
  int64_t last_us_ = 0;  // since first_ns_
  bool all_small_ = true;
  std::vector<int32_t> time_deltas_us_;
  std::vector<uint32_t> thread_, stack_, type_;
  std::vector<uint64_t> size_, amount_;
  std::vector<AllocationHeap> heap_;
};

}  // namespace hindsight::recorder
