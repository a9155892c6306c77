#include "recorder/sources/allocation_packets.h"

#include <span>

namespace hindsight::recorder {

void AllocationPackets::Consume(const EventHeader& header, PacketWriter& packets) {
  const auto& event = reinterpret_cast<const AllocationSampledEvent&>(header);
  if (event.sampling != sampling_ || times_.size() == kMaxSamples) Flush(packets);
  if (times_.empty()) {
    sampling_ = event.sampling;
    first_ns_ = header.time_ns;
    last_us_ = 0;
    all_small_ = true;
  }
  // These calls may write dictionary entries: packets of their own, before this one.
  const std::span inline_frames(reinterpret_cast<const uintptr_t*>(&event + 1),
                                event.frames_inline);
  thread_.push_back(threads_.IdAt(header.thread, header.time_ns, packets));
  stack_.push_back(event.stack != 0 ? dictionaries_.Stack(event.stack)
                                    : dictionaries_.Stack(inline_frames));
  type_.push_back(dictionaries_.Type(event.type));
  // The total is rounded, not each delta, so that the sum is right.
  const int64_t us = static_cast<int64_t>(header.time_ns - first_ns_) / 1000;
  times_.push_back(us - last_us_);
  last_us_ = us;
  size_.push_back(event.size);
  if (event.sampling == AllocationSampling::kTick) amount_.push_back(event.amount);
  heap_.push_back(static_cast<uint32_t>(event.heap));
  if (event.heap != AllocationHeap::kSmall) all_small_ = false;
}

void AllocationPackets::Flush(PacketWriter& packets) {
  if (times_.empty()) return;
  packets.Write(PacketField::kAllocationSamples, first_ns_, [&](ProtoWriter& samples) {
    samples.Uint(1, static_cast<uint32_t>(sampling_));
    if (sampling_ == AllocationSampling::kBytes) samples.Uint(2, Allocations::kMeanBytes);
    samples.PackedSint(3, times_);
    samples.PackedUint(4, thread_);
    samples.PackedUint(5, stack_);
    samples.PackedUint(6, type_);
    samples.PackedUint(7, size_);
    samples.PackedUint(8, amount_);
    if (!all_small_) samples.PackedUint(9, heap_);
  });
  times_.clear();
  for (auto* column : {&thread_, &stack_, &type_, &heap_}) column->clear();
  size_.clear();
  amount_.clear();
}

}  // namespace hindsight::recorder
