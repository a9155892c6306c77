// Asks the runtime for a collection of generation 0.
//
// There is no function for it in the profiling API (ForceGC collects everything). The hosting API
// has one: coreclr_create_delegate makes any static method callable, and System.GC._Collect is what
// GC.Collect calls. Both are there on .NET 8 to 10; in a single-file application they are not
// exported. The thread that calls becomes a managed thread, so each call has a thread of its own.
#pragma once

#include <cstdint>

namespace hindsight::recorder {

// Any thread. False: this runtime has no such function, or a thread could not be started. The
// collection has been run, or is still being run, when it returns true: at most `timeout_ns`.
bool CollectYoung(uint64_t timeout_ns);

}  // namespace hindsight::recorder
