// Static methods of System.Private.CoreLib as functions, through the hosting API that the runtime
// exports (coreclr_create_delegate). It finds internal methods too, and needs no reflection.
//
// The thread that asks, or calls such a function, becomes a thread of the runtime's.
#pragma once

namespace hindsight::recorder {

// `type` with its namespace. Null: not there (a single-file application hides the exports, a
// trimmed one may lack the method). What is returned lives as long as the process, and every call
// makes another one: keep it.
void* ManagedMethod(const char* type, const char* method);

}  // namespace hindsight::recorder
