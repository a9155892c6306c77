#include "analyzer/reader/heap_survivors.h"

#include <algorithm>
#include <tuple>

#include "analyzer/reader/sample_builder.h"

namespace hindsight::analyzer {

void HeapSurvivors::Add(const HeapAllocations& packet) {
  const uint32_t stride = std::max(packet.stride(), uint32_t{1});
  if (!recorded_) {
    recorded_ = true;
    sampling_ = SamplingOf(packet.sampling());
    mean_bytes_ = packet.mean_bytes();
    stride_ = stride;
    followed_since_ns_ = packet.followed_since_ns();
  }
  uint64_t address = 0;
  for (int i = 0; i < packet.object_delta_size(); ++i) {
    address += static_cast<uint64_t>(packet.object_delta(i));
    const uint64_t size = packet.size(i);
    const uint64_t amount = packet.amount_size() == 0 ? size : packet.amount(i);
    const SampleWeight weight = weights_.Of(packet.sampling(), packet.mean_bytes(), size, amount);
    samples_.push_back({address,
                        packet.allocated_ns(i),
                        {.object = kNoObject,
                         .call = names_.CallOf(packet.stack(i)),
                         .age_ns = 0,
                         .size = size,
                         .objects = weight.objects * stride,
                         .bytes = weight.bytes * stride}});
  }
}

void HeapSurvivors::Resolve(const HeapColumns& columns, uint64_t snapshot_ns,
                            Survivors& out) const {
  const auto before = [snapshot_ns](uint64_t time_ns) {
    return snapshot_ns > time_ns ? snapshot_ns - time_ns : 0;
  };
  out.recorded = recorded_;
  out.sampling = sampling_;
  out.mean_bytes = mean_bytes_;
  out.stride = stride_;
  if (followed_since_ns_ != 0) out.followed_ns = before(followed_since_ns_);
  for (const Sample& sample : samples_) {
    const ObjectId id = columns.index.FindAtOrBefore(sample.address);
    if (id == ObjectIndex::kNone || columns.index.Address(id) != sample.address) continue;
    Survivor& found = out.samples.emplace_back(sample.survivor);
    found.object = id;
    found.age_ns = before(sample.allocated_ns);
  }
  // Of two at the same address, the older one is gone: its memory was reused.
  std::sort(out.samples.begin(), out.samples.end(), [](const Survivor& a, const Survivor& b) {
    return std::tie(a.object, a.age_ns) < std::tie(b.object, b.age_ns);
  });
  const auto end =
      std::unique(out.samples.begin(), out.samples.end(),
                  [](const Survivor& a, const Survivor& b) { return a.object == b.object; });
  out.samples.erase(end, out.samples.end());
  out.misplaced = samples_.size() - out.samples.size();
}

}  // namespace hindsight::analyzer
