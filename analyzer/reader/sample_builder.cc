#include "analyzer/reader/sample_builder.h"

#include <algorithm>
#include <cmath>

namespace hindsight::analyzer {
namespace {

// The most that one sample may represent: 18 minutes, far beyond any sane value, so that the sum of
// kMaxSamples of them does not overflow.
constexpr uint64_t kMaxSampleNs = uint64_t{1} << 40;

constexpr size_t kMaxHistogramBuckets = 1024;
constexpr size_t kMaxTiers = 64;

void AddSaturating(uint64_t& sum, uint64_t value) {
  if (__builtin_add_overflow(sum, value, &sum)) sum = UINT64_MAX;
}

// Times of the samples in a packet, one after another.
class Clock {
 public:
  explicit Clock(int64_t start_ns) : now_ns_(start_ns) {}
  int64_t Advance(int32_t delta_us) {
    now_ns_ = std::clamp(now_ns_ + int64_t{delta_us} * 1000, -kMaxTimeNs, kMaxTimeNs);
    return now_ns_;
  }

 private:
  int64_t now_ns_;
};

AllocationHeap HeapOf(int heap) {
  switch (heap) {
    case AllocationSamples::SMALL:
      return AllocationHeap::kSmall;
    case AllocationSamples::LARGE:
      return AllocationHeap::kLarge;
    case AllocationSamples::PINNED:
      return AllocationHeap::kPinned;
    default:
      return AllocationHeap::kUnknown;  // from a newer version
  }
}

}  // namespace

AllocationProfile::Sampling SamplingOf(AllocationSamples::Sampling sampling) {
  switch (sampling) {
    case AllocationSamples::BYTES:
      return AllocationProfile::Sampling::kBytes;
    case AllocationSamples::TICK:
      return AllocationProfile::Sampling::kTick;
    default:
      return AllocationProfile::Sampling::kUnknown;
  }
}

double ObjectsPerSample(uint64_t size, uint64_t mean_bytes) {
  if (size == 0) return 1;
  // Computed with more digits than are kept: libraries differ in the last one.
  const long double miss =
      std::log1p(-1 / static_cast<long double>(mean_bytes));  // of a byte; -inf for 1
  return static_cast<double>(-1 / std::expm1(static_cast<long double>(size) * miss));
}

SampleWeight SampleWeights::Of(AllocationSamples::Sampling sampling, uint64_t mean_bytes,
                               uint64_t size, uint64_t amount) {
  const auto bytes = static_cast<double>(size);
  if (sampling == AllocationSamples::BYTES) {
    Known& known = known_[size / 8 % known_.size()];
    if (known.size != size || known.mean_bytes != mean_bytes) {
      known = {size, mean_bytes, ObjectsPerSample(size, mean_bytes)};
    }
    return {known.objects, known.objects * bytes};
  }
  const auto since = static_cast<double>(amount);
  return {size == 0 ? 1 : since / bytes, since};
}

void SampleBuilder::On(const CpuSamples& packet, int64_t time_ns) {
  CpuProfile& profile = samples_.cpu;
  if (profile.period_ns == 0) profile.period_ns = packet.period_ns();
  const uint64_t period_ns = std::min(packet.period_ns(), kMaxSampleNs);
  Clock clock(time_ns);
  int next_unrooted = 0;
  for (int i = 0; i < packet.stack_size(); ++i) {
    CpuSample sample;
    sample.at_ns = clock.Advance(packet.time_delta_us(i));
    const uint64_t weight = packet.weight_size() == 0 ? 1 : packet.weight(i);
    sample.cpu_ns = weight > kMaxSampleNs / std::max<uint64_t>(1, period_ns) ? kMaxSampleNs
                                                                             : weight * period_ns;
    sample.unrooted = next_unrooted < packet.unrooted_size() &&
                      packet.unrooted(next_unrooted) == static_cast<uint32_t>(i);
    if (sample.unrooted) ++next_unrooted;
    if (activity_.TakesSampleOf(packet.thread(i))) continue;
    sample.thread = threads_.Of(packet.thread(i));
    sample.call = file_.CallOf(packet.stack(i));
    ++profile.count;
    if (sample.unrooted) ++profile.unrooted;
    AddSaturating(profile.cpu_ns, sample.cpu_ns);
    cpu_.Add(sample);
  }
}

void SampleBuilder::On(const AllocationSamples& packet, int64_t time_ns) {
  using Sampling = AllocationProfile::Sampling;
  AllocationProfile& profile = samples_.allocations;
  const Sampling sampling = SamplingOf(packet.sampling());
  if (profile.sampling == Sampling::kUnknown) {
    profile.sampling = sampling;
    if (sampling == Sampling::kBytes) profile.mean_bytes = packet.mean_bytes();
  }
  Clock clock(time_ns);
  for (int i = 0; i < packet.stack_size(); ++i) {
    AllocationSample sample;
    sample.at_ns = clock.Advance(packet.time_delta_us(i));
    if (activity_.TakesSampleOf(packet.thread(i))) continue;
    sample.thread = threads_.Of(packet.thread(i));
    sample.call = file_.CallOf(packet.stack(i));
    sample.type = file_.TypeOf(packet.type(i));
    sample.heap = packet.heap_size() == 0 ? AllocationHeap::kSmall : HeapOf(packet.heap(i));
    sample.size = packet.size(i);
    const uint64_t amount = packet.amount_size() == 0 ? sample.size : packet.amount(i);
    const SampleWeight weight =
        weights_.Of(packet.sampling(), packet.mean_bytes(), sample.size, amount);
    sample.objects = weight.objects;
    sample.bytes = weight.bytes;
    ++profile.count;
    profile.bytes += sample.bytes;
    allocations_.Add(sample);
  }
}

void SampleBuilder::On(const JitSample& packet, int64_t time_ns) {
  JitState state;
  state.at_ns = time_ns;
  state.methods = packet.methods();
  state.il_bytes = packet.il_bytes();
  state.time_ns = packet.time_ns();
  state.background_ns = packet.background_ns();
  state.r2r_rejected = packet.r2r_rejected();
  const size_t tiers = std::min(static_cast<size_t>(packet.tier_size()), kMaxTiers);
  state.tiers.assign(packet.tier().begin(), packet.tier().begin() + static_cast<ptrdiff_t>(tiers));
  jit_.Add(state);
  last_jit_ = std::move(state);
  has_jit_ = true;
}

void SampleBuilder::On(const RecorderCost& cost) {
  samples_.cpu.handler_ns = cost.cpu_handler_ns();
  const auto& buckets = cost.cpu_handler_histogram();
  const size_t count = std::min(static_cast<size_t>(buckets.size()), kMaxHistogramBuckets);
  samples_.cpu.handler_histogram.assign(buckets.begin(),
                                        buckets.begin() + static_cast<ptrdiff_t>(count));
}

void SampleBuilder::Finish() {
  AllocationProfile& allocations = samples_.allocations;
  if (allocations.sampling == AllocationProfile::Sampling::kTick && allocations.count > 0) {
    allocations.mean_bytes =
        static_cast<uint64_t>(std::min(allocations.bytes / static_cast<double>(allocations.count),
                                       static_cast<double>(UINT64_MAX / 2)));
  }
  samples_.jit = jit_.Take();
  if (has_jit_ && samples_.jit.back().at_ns != last_jit_.at_ns) samples_.jit.push_back(last_jit_);
}

}  // namespace hindsight::analyzer
