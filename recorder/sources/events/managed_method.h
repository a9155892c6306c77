// Static methods of System.Private.CoreLib as native function pointers, through the hosting API
// that the runtime exports (coreclr_create_delegate). It also finds internal methods, and needs no
// reflection.
//
// A thread that requests or calls such a function becomes a managed thread.
#pragma once

namespace hindsight::recorder {

// `type` with its namespace. Null: not available (a single-file application hides the exports, a
// trimmed one may lack the method). The result is valid for the life of the process, and every call
// creates another one: keep it.
void* ManagedMethod(const char* type, const char* method);

}  // namespace hindsight::recorder
