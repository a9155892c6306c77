// The application's side of every source: what runs in callbacks, and on the sources' own threads.
// It only writes events to rings.
//
// To add one: add a member and, if it uses the runtime's events, an entry in their list. The drain
// side is in drain_sources.h. The source `heap` is not here: recorder/heap/.
#pragma once

#include <memory>

#include "recorder/clr/info.h"
#include "recorder/contract/options.h"
#include "recorder/names/code_gate.h"
#include "recorder/names/thread_gate.h"
#include "recorder/sources/allocations/allocations.h"
#include "recorder/sources/allocations/survivor_tracker.h"
#include "recorder/sources/compiler/compiler.h"
#include "recorder/sources/compiler/dynamic_inlining.h"
#include "recorder/sources/compiler/inlining.h"
#include "recorder/sources/cpu/cpu_faults.h"
#include "recorder/sources/cpu/cpu_sampler.h"
#include "recorder/sources/events/event_session.h"
#include "recorder/sources/events/runtime_events.h"
#include "recorder/sources/exceptions/exception_events.h"
#include "recorder/sources/exceptions/exceptions.h"
#include "recorder/sources/exceptions/fatal_errors.h"
#include "recorder/sources/exit/exit_calls.h"
#include "recorder/sources/gc/collection_details.h"
#include "recorder/sources/gc/gc.h"
#include "recorder/sources/locks/locks.h"
#include "recorder/sources/locks/pool_sampler.h"
#include "recorder/sources/modules/modules.h"
#include "recorder/sources/requests/request_detail_events.h"
#include "recorder/sources/requests/request_durations.h"
#include "recorder/sources/requests/request_events.h"
#include "recorder/sources/threads/threads.h"
#include "recorder/sources/waits/thread_snapshots.h"
#include "recorder/stack/signal_walker.h"
#include "recorder/stack/stack_table.h"
#include "recorder/stack/stack_walker.h"
#include "recorder/stream/emitter.h"

namespace hindsight::recorder {

struct Signals {
  // All arguments must outlive this.
  Signals(clr::ICorProfilerInfo10* info, CodeGate& gate, ThreadGate& thread_gate,
          const contract::Options& options, Emitter& emitter, MemoryBudget& budget, Waker& drain,
          StackTable& stacks, StackWalker& walker, SignalWalker& signal_walker)
      : gc(emitter),
        exceptions(info, options, emitter, stacks, walker, gc.collections()),
        cpu_faults(info),
        exception_events(info, emitter, exceptions, cpu_faults),
        fatal_errors(options, emitter, stacks, walker),
        exit_calls(emitter, stacks, walker),
        threads(thread_gate, emitter, stacks, walker),
        locks(emitter, stacks, walker, threads),
        snapshots(info, thread_gate, options, emitter, stacks),
        pool(emitter, snapshots),
        allocations(emitter, stacks, walker, survivors),
        collection_details(emitter, gc, stacks, walker),
        compiler(emitter),
        inlining(emitter),
        dynamic_inlining(emitter),
        requests(emitter),
        request_durations(emitter),
        request_details(emitter, stacks, walker),
        modules(info, emitter),
        cpu(MakeCpuSampler(options.cpu_hz, info, gate, emitter, budget, drain, signal_walker)),
        runtime_events(info, options,
                       {&collection_details, &compiler, &inlining, &exception_events, &fatal_errors,
                        &allocations, &locks, &requests, &request_durations, &request_details}),
        event_session(info, runtime_events.plan()) {
    event_session.OnEachSecond([this, &options] {
      if (options.Has(contract::Source::kLocks)) pool.Sample();
      if (options.Has(contract::Source::kGc)) compiler.Sample();
      survivors.Sweep();
    });
    event_session.OnEnd([this] { survivors.Close(); });
  }

  Gc gc;
  Exceptions exceptions;
  CpuFaults cpu_faults;
  ExceptionEvents exception_events;
  FatalErrors fatal_errors;
  ExitCalls exit_calls;
  Threads threads;
  Locks locks;
  ThreadSnapshots snapshots;
  PoolSampler pool;
  SurvivorTracker survivors;
  Allocations allocations;
  CollectionDetails collection_details;
  Compiler compiler;
  Inlining inlining;
  DynamicInlining dynamic_inlining;
  RequestEvents requests;
  RequestDurations request_durations;
  RequestDetailEvents request_details;
  Modules modules;
  std::unique_ptr<CpuSampler> cpu;
  RuntimeEvents runtime_events;
  EventSession event_session;
};

}  // namespace hindsight::recorder
