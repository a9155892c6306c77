#include "recorder/sources/allocations/allocation_packets.h"

#include <span>

#include "recorder/sources/packet_stack.h"

namespace hindsight::recorder {

void AllocationPackets::Consume(const EventHeader& header, PacketWriter& packets) {
  const auto& event = reinterpret_cast<const AllocationSampledEvent&>(header);
  // After a stop of the process, the time since the previous sample may be too long for a packet.
  const bool is_late =
      header.time_ns > first_ns_ + static_cast<uint64_t>(last_us_) * 1000 + kMaxPacketGapNs;
  if (event.sampling != sampling_ || time_deltas_us_.size() == kMaxSamples || is_late) {
    Flush(packets);
  }
  if (time_deltas_us_.empty()) {
    sampling_ = event.sampling;
    first_ns_ = header.time_ns;
    last_us_ = 0;
    all_small_ = true;
  }
  // These calls may write dictionary entries: packets of their own, before this one.
  thread_.push_back(threads_.IdAt(header.thread, header.time_ns, packets));
  stack_.push_back(StackOf(event, dictionaries_));
  type_.push_back(dictionaries_.Type(event.type));
  // The total is rounded, not each delta, so that the sum is right.
  const int64_t us = static_cast<int64_t>(header.time_ns - first_ns_) / 1000;
  time_deltas_us_.push_back(static_cast<int32_t>(us - last_us_));
  last_us_ = us;
  size_.push_back(event.size);
  if (event.sampling == AllocationSampling::kTick) amount_.push_back(event.amount);
  heap_.push_back(event.heap);
  if (event.heap != AllocationHeap::kSmall) all_small_ = false;
}

void AllocationPackets::Flush(PacketWriter& packets) {
  if (time_deltas_us_.empty()) return;
  packets.Write(wire::Packet::kAllocationSamples, first_ns_, [&](auto& samples) {
    samples.Set(samples.kSampling, sampling_);
    if (sampling_ == AllocationSampling::kBytes) {
      samples.Set(samples.kMeanBytes, Allocations::kMeanBytes);
    }
    samples.Set(samples.kTimeDeltaUs, time_deltas_us_);
    samples.Set(samples.kThread, thread_);
    samples.Set(samples.kStack, stack_);
    samples.Set(samples.kType, type_);
    samples.Set(samples.kSize, size_);
    samples.Set(samples.kAmount, amount_);
    if (!all_small_) samples.Set(samples.kHeap, heap_);
  });
  time_deltas_us_.clear();
  for (auto* column : {&thread_, &stack_, &type_}) column->clear();
  size_.clear();
  amount_.clear();
  heap_.clear();
}

}  // namespace hindsight::recorder
