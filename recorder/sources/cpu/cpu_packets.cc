#include "recorder/sources/cpu/cpu_packets.h"

#include <span>

namespace hindsight::recorder {

void CpuPackets::Consume(const EventHeader& header, PacketWriter& packets) {
  const auto& event = reinterpret_cast<const CpuSampleEvent&>(header);
  const std::span<const uintptr_t> sampled = TailOf<uintptr_t>(event, event.frames);
  if (sampled.empty()) return;
  frames_.assign(sampled.begin(), sampled.end());
  const auto frames = walker_.Learn(info_, gate_, header.time_ns, frames_);

  if (header.time_ns > last_ns_ + kMaxPacketGapNs)
    Flush(packets);  // the process was stopped in the meantime
  int64_t delta_us = 0;
  if (stacks_.empty()) {
    first_ns_ = last_ns_ = header.time_ns;
  } else {
    delta_us = static_cast<int64_t>(header.time_ns - last_ns_) / (kStepUs * 1000) * kStepUs;
    last_ns_ += static_cast<uint64_t>(delta_us * 1000);  // rounding errors do not add up
  }
  if (!event.rooted) unrooted_.push_back(static_cast<uint32_t>(stacks_.size()));
  time_deltas_us_.push_back(static_cast<int32_t>(delta_us));
  thread_ids_.push_back(threads_.IdAt(header.thread, header.time_ns, packets));
  stacks_.push_back(dictionaries_.SampledStack(frames));
  weights_.push_back(event.weight);
  weighted_ = weighted_ || event.weight != 1;
  if (stacks_.size() == kMaxSamples) Flush(packets);
}

void CpuPackets::Flush(PacketWriter& packets) {
  if (stacks_.empty()) return;
  packets.Write(wire::Packet::kCpuSamples, first_ns_, [&](auto& samples) {
    samples.Set(samples.kPeriodNs, period_ns_);
    samples.Set(samples.kTimeDeltaUs, time_deltas_us_);
    samples.Set(samples.kThread, thread_ids_);
    samples.Set(samples.kStack, stacks_);
    if (weighted_) samples.Set(samples.kWeight, weights_);
    samples.Set(samples.kUnrooted, unrooted_);
  });
  for (auto* column : {&thread_ids_, &stacks_, &weights_, &unrooted_}) column->clear();
  time_deltas_us_.clear();
  weighted_ = false;
}

}  // namespace hindsight::recorder
