#include "recorder/contract/catalogue.h"

#include <array>

namespace hindsight::contract {
namespace {

// What every source with stacks needs besides its own callbacks: DoStackSnapshot, word of code that
// goes away, and of collections and suspensions, between which addresses hold and names can be
// asked.
constexpr clr::EventMask kForStacks = clr::kEnableStackSnapshot | clr::kMonitorModuleLoads |
                                      clr::kMonitorDynamicFunctionUnloads | clr::kBasicGc |
                                      clr::kMonitorSuspends;

constexpr std::array<Parameter, 2> kExceptionParameters = {{
    {"messages", "on", "on or off", "keep the messages of exceptions; they may hold user data"},
    {"message_chars", "256", "0 to 4096 characters",
     "how much of a message is kept, in UTF-16 units"},
}};

constexpr std::array<Parameter, 1> kLockParameters = {{
    {"task_waits", "off", "on or off",
     "threads that block on tasks; costs a little for every await that has to wait"},
}};

constexpr std::array<Parameter, 1> kWaitParameters = {{
    {"every", "10s", "off, or a duration from 1s",
     "a snapshot of all threads so often; more rarely where it would cost more than 0.1 %"},
}};

constexpr std::array<Parameter, 1> kCpuParameters = {{
    {"hz", "100", "1 to 1000", "samples for each second of CPU time that a thread uses"},
}};

constexpr std::array<Parameter, 1> kAllocationParameters = {{
    {"survivors", "on", "on or off",
     "follow sampled objects, so that a heap snapshot tells where what is alive was allocated"},
}};

constexpr std::array<Parameter, 9> kHeapParameters = {{
    {"every", "off", "off, or a duration from 1s", "a snapshot every so often"},
    {"growth", "off", "off, or 1% to 10000%",
     "a snapshot when the heap has grown by so much since the last one"},
    {"method", "auto", "auto, fork, in-pause or callbacks",
     "how it is made; auto takes the first that works"},
    {"roots", "auto", "auto, calibrated or documented",
     "how the runtime is made to tell its roots; documented costs background collections"},
    {"max_pause", "1s", "1ms to 8760h", "no snapshot if its pause would be longer"},
    {"max_memory", "512MiB", "8MiB to 1TiB", "the snapshot ends if its process holds more"},
    {"timeout", "2m", "1s to 1h", "a snapshot that takes longer is given up"},
    {"values", "none", "none, or patterns Namespace.Type.field",
     "field values to keep; System.String: the contents of all strings; they may hold user data"},
    {"text_chars", "256", "0 to 4096 characters", "how much of such a text is kept"},
}};

constexpr std::array<SourceInfo, kSourceCount> kCatalogue = {{
    {Source::kExceptions, "exceptions",
     "every exception: type, message, stack, what caught it and how long that took",
     "a few microseconds for each exception, nothing without one", true,
     clr::kMonitorExceptions | kForStacks, kExceptionParameters},
    {Source::kThreads,
     "threads",
     "threads created, named and ended, with their OS ids",
     "under a microsecond for each thread",
     true,
     clr::kMonitorThreads,
     {}},
    {Source::kModules,
     "modules",
     "assemblies and modules loaded and unloaded",
     "a few microseconds for each module",
     true,
     clr::kMonitorModuleLoads,
     {}},
    {Source::kGc,
     "gc",
     "garbage collections, the pauses that they and others cause, and the work of the compiler",
     "a few microseconds for each collection",
     true,
     // Modules: when the first ones are loaded, sessions of events can be started.
     clr::kBasicGc | clr::kMonitorSuspends | clr::kMonitorEventPipe | clr::kMonitorModuleLoads,
     {}},
    {Source::kLocks, "locks",
     "every wait for a lock that was taken, who held it, and how the thread pool fares",
     "a few microseconds for each wait, nothing for a lock that is free", true,
     clr::kMonitorEventPipe | kForStacks, kLockParameters},
    {Source::kWaits, "waits",
     "what all threads stand at: now and then, on request, and when the "
     "thread pool makes no progress",
     "a pause of 10 microseconds for each thread, every 10 seconds", true, kForStacks,
     kWaitParameters},
    {Source::kCpu, "cpu", "where threads spend CPU time: stacks, managed and native, by sampling",
     "under 0.1 % of the CPU time that the application uses; a thread that waits costs nothing",
     true, clr::kMonitorModuleLoads | clr::kMonitorDynamicFunctionUnloads | clr::kMonitorThreads,
     kCpuParameters},
    {Source::kAllocations, "allocations",
     "what is allocated, how much and where, by sampling: an object in about every 100 KiB",
     "a few microseconds for every 100 KiB that are allocated", true,
     clr::kMonitorEventPipe | kForStacks, kAllocationParameters},
    {Source::kRequests,
     "requests",
     "requests that an ASP.NET Core server serves: how many, how many fail, and the time they take",
     "half a microsecond for each request",
     true,
     // Modules: when the first ones are loaded, sessions of events can be started.
     clr::kMonitorEventPipe | clr::kMonitorModuleLoads,
     {}},
    {Source::kHeap, "heap",
     "snapshots of all objects and their references, with field names, on request or by itself",
     "a pause of a few milliseconds for each snapshot, nothing without one", false,
     kForStacks,  // of all threads, right before it
     kHeapParameters},
}};

// Options index a bit set by Source.
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
