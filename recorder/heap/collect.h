// Requests a generation 0 collection from the runtime.
//
// The profiling API has no function for it (ForceGC collects everything). The hosting API does:
// coreclr_create_delegate makes any static method callable, and System.GC._Collect is what
// GC.Collect calls. Both exist on .NET 8 to 10.
//
// Single-file applications do not export the hosting API. There, the native function behind
// _Collect is called itself (GCInterface_Collect: dotnet/runtime, src/coreclr/vm/comutilnative.cpp;
// its signature is known for .NET 8 to 10). It needs a managed thread, which a native one becomes
// by starting an event session, here one of a provider that does not exist (measured on .NET 8 to
// 10).
//
// Either way the calling thread becomes a managed thread, so each call runs on a thread of its own.
#pragma once

#include <cstdint>

#include "recorder/clr/info.h"

namespace hindsight::recorder {

// Any thread. False: this runtime has no such function, or a thread could not be started. True: the
// collection is complete, or still running after `timeout_ns`.
bool CollectYoung(clr::ICorProfilerInfo10* info, uint64_t timeout_ns);

}  // namespace hindsight::recorder
