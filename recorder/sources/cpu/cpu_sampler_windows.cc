#include "recorder/sources/cpu/cpu_sampler.h"

namespace hindsight::recorder {

CpuSampler::CpuSampler(uint32_t hz, Emitter& emitter, MemoryBudget& budget, Waker& drain,
                       SignalWalker& walker)
    : period_ns_(1'000'000'000 / hz),
      recording_(emitter.recording()),
      emitter_(emitter),
      walker_(walker),
      sink_{walker, budget, drain, waker_} {}

std::string CpuSampler::Start(std::shared_ptr<void>, std::function<void(std::string)>,
                              std::function<void(std::string)>) {
  return "CPU time is not recorded: the source cpu does not exist on Windows.";
}

int CpuSampler::Signal() { return 0; }

void CpuSampler::ThreadStarted(uint32_t) {}

bool CpuSampler::Stop(uint64_t) { return true; }

}  // namespace hindsight::recorder
