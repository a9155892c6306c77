// Requests a generation 0 collection from the runtime.
//
// The profiling API has no function for it (ForceGC collects everything). The hosting API does:
// coreclr_create_delegate makes any static method callable, and System.GC._Collect is what
// GC.Collect calls. Both exist on .NET 8 to 10; single-file applications do not export them. The
// calling thread becomes a managed thread, so each call runs on a thread of its own.
#pragma once

#include <cstdint>

namespace hindsight::recorder {

// Any thread. False: this runtime has no such function, or a thread could not be started. True: the
// collection is complete, or still running after `timeout_ns`.
bool CollectYoung(uint64_t timeout_ns);

}  // namespace hindsight::recorder
