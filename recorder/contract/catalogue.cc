#include "recorder/contract/catalogue.h"

#include <array>

namespace hindsight::contract {
namespace {

// What is inlined into dynamic methods (sources/compiler/dynamic_inlining.h).
constexpr clr::EventMask kForDynamicMethods = clr::kMonitorJitCompilation;

// What every source with stacks needs in addition to its own callbacks: DoStackSnapshot,
// notification of unloaded code, and of collections and suspensions, between which addresses are
// stable and names can be looked up.
constexpr clr::EventMask kForStacks = clr::kEnableStackSnapshot | clr::kMonitorModuleLoads |
                                      clr::kMonitorDynamicFunctionUnloads | clr::kBasicGc |
                                      clr::kMonitorSuspends | kForDynamicMethods;

constexpr std::array<Parameter, 2> kExceptionParameters = {{
    {"messages", "on", "on or off", "record exception messages, which may contain user data"},
    {"message_chars", "256", "0 to 4096 characters",
     "maximum length of a message, in UTF-16 units"},
}};

constexpr std::array<Parameter, 1> kLockParameters = {{
    {"task_waits", "off", "on or off",
     "also threads that block on tasks; a small cost for each await that has to wait"},
}};

constexpr std::array<Parameter, 1> kWaitParameters = {{
    {"every", "10s", "off, or a duration from 1s",
     "interval of thread snapshots; stretched so that they take less than 0.1 % of the time"},
}};

constexpr std::array<Parameter, 1> kCpuParameters = {{
    {"hz", "100", "1 to 1000", "samples per second of a thread's CPU time"},
}};

constexpr std::array<Parameter, 1> kAllocationParameters = {{
    {"survivors", "on", "on or off",
     "track sampled objects, so that heap snapshots show where live objects were allocated"},
}};

constexpr std::array<Parameter, 2> kRequestParameters = {{
    {"routes", "off", "on or off",
     "also durations by route and status, and of requests made with HttpClient, from the metrics "
     "of .NET 8 and later; a tool that reads metrics with other settings is turned away meanwhile"},
    {"details", "off", "off, on or texts",
     "also single requests, with the database commands and the calls of HttpClient that each "
     "makes; texts: and the commands' texts, which may contain user data"},
}};

constexpr std::array<Parameter, 9> kHeapParameters = {{
    {"every", "off", "off, or a duration from 1s", "interval of heap snapshots"},
    {"growth", "off", "off, or 1% to 10000%",
     "take a snapshot when the heap has grown by this much since the last one"},
    {"method", "auto", "auto, fork, in-pause or callbacks",
     "how snapshots are taken; auto uses the first method that works"},
    {"roots", "auto", "auto, calibrated or documented",
     "how the runtime is made to report roots; documented disables background collections"},
    {"max_pause", "1s", "1ms to 8760h", "no snapshot if the pause would be longer"},
    {"max_memory", "512MiB", "8MiB to 1TiB", "end the snapshot if its process uses more"},
    {"timeout", "2m", "1s to 1h", "end the snapshot if it takes longer"},
    {"values", "none", "none, or patterns Namespace.Type.field",
     "field values to record (System.String: the contents of all strings); may contain user data"},
    {"text_chars", "256", "0 to 4096 characters", "maximum length of such a string"},
}};

constexpr std::array<SourceInfo, kSourceCount> kCatalogue = {{
    {Source::kExceptions, "exceptions",
     "every exception: type, message, stack, what caught it and how long that took",
     "a few microseconds per exception", true, clr::kMonitorExceptions | kForStacks,
     kExceptionParameters},
    {Source::kThreads,
     "threads",
     "threads created, named and ended, with their OS ids",
     "under a microsecond per thread",
     true,
     clr::kMonitorThreads,
     {}},
    {Source::kModules,
     "modules",
     "assemblies and modules loaded and unloaded",
     "a few microseconds per module",
     true,
     clr::kMonitorModuleLoads,
     {}},
    {Source::kGc,
     "gc",
     "garbage collections, all stop-the-world pauses, and JIT compilation",
     "a few microseconds per collection",
     true,
     // Modules: when the first ones are loaded, event sessions can be started. Stacks: for the
     // callers of GC.Collect.
     clr::kBasicGc | clr::kMonitorSuspends | clr::kMonitorEventPipe | kForStacks,
     {}},
    {Source::kLocks, "locks",
     "lock contention: every wait for a held lock, and its owner; thread pool counters",
     "a few microseconds per wait; nothing for uncontended locks", true,
     clr::kMonitorEventPipe | kForStacks, kLockParameters},
    {Source::kWaits, "waits",
     "the stacks of all threads: periodically, on request, and when the thread pool makes no "
     "progress",
     "a pause of 10 microseconds per thread, every 10 seconds", true, kForStacks, kWaitParameters},
    {Source::kCpu, "cpu", "CPU time by sampling: managed and native stacks",
     "under 0.1 % of the application's CPU time; waiting threads cost nothing", true,
     // Exceptions: a fault leaves the signal held back until then (sources/cpu/cpu_faults.h).
     clr::kMonitorModuleLoads | clr::kMonitorDynamicFunctionUnloads | clr::kMonitorThreads |
         clr::kMonitorExceptions | kForDynamicMethods,
     kCpuParameters},
    {Source::kAllocations, "allocations",
     "allocations by sampling: type, size and stack of about one object per 100 KiB",
     "a few microseconds per 100 KiB allocated", true, clr::kMonitorEventPipe | kForStacks,
     kAllocationParameters},
    {Source::kRequests, "requests", "ASP.NET Core requests: number, failures and duration",
     "half a microsecond per request", true,
     // Modules: when the first ones are loaded, event sessions can be started.
     clr::kMonitorEventPipe | clr::kMonitorModuleLoads | kForStacks, kRequestParameters},
    {Source::kHeap, "heap",
     "heap snapshots: all objects and references, with field names, on request or by schedule",
     "a pause of a few milliseconds per snapshot", false,
     kForStacks,  // of all threads, right before the snapshot
     kHeapParameters},
}};

// Options has a bit set indexed by Source.
constexpr bool IndexedBySource() {
  for (size_t i = 0; i < kCatalogue.size(); ++i) {
    if (static_cast<size_t>(kCatalogue[i].id) != i) return false;
  }
  return true;
}
static_assert(IndexedBySource());

}  // namespace

std::span<const SourceInfo> Catalogue() { return kCatalogue; }

const SourceInfo* FindSource(std::string_view name) {
  for (const SourceInfo& source : kCatalogue) {
    if (source.name == name) return &source;
  }
  return nullptr;
}

}  // namespace hindsight::contract
