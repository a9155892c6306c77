// Source `cpu`, on the application's side: samples of the stacks of threads that use CPU time, one
// per period of it. How they are taken is the system's: cpu_timers.h on Linux,
// cpu_sampler_windows.cc on Windows.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "recorder/clr/info.h"
#include "recorder/names/code_gate.h"
#include "recorder/stack/signal_walker.h"
#include "recorder/stream/emitter.h"

namespace hindsight::recorder {

class CpuSampler {
 public:
  virtual ~CpuSampler() = default;

  // A signal whose handler holds a thread (base/thread_hold.h), with or without this source; 0:
  // there is none. Control thread, once the source has been started if it is on.
  static int Signal();
  // The same, but 0 once the application handles that signal itself. Any thread.
  static int KeptSignal();

  // Before Start: the process has already been running for a while.
  virtual void SkipStart() = 0;

  // Starts the source, which runs until Stop. `report` receives sentences about failures, `note`
  // other sentences for readers of the recording. Returns a failure if nothing is sampled.
  virtual std::string Start(std::shared_ptr<void> owner, std::function<void(std::string)> report,
                            std::function<void(std::string)> note) = 0;

  // In the runtime's callback, on the thread that has just started.
  virtual void ThreadStarted(uint32_t os_id) = 0;

  // Ends sampling: afterwards no sample is taken, and nothing of what was given is used. False:
  // that has not happened within `timeout_ns`.
  virtual bool Stop(uint64_t timeout_ns) = 0;
};

// All of it must live until the sampler is gone.
std::unique_ptr<CpuSampler> MakeCpuSampler(uint32_t hz, clr::ICorProfilerInfo10* info,
                                           CodeGate& gate, Emitter& emitter, MemoryBudget& budget,
                                           Waker& drain, SignalWalker& walker);

}  // namespace hindsight::recorder
