#include "recorder/stack/native_code.h"

namespace hindsight::recorder {

// No native code is walked on Windows: there are no CPU samples.
bool NativeCode::Open(MemoryBudget&) { return true; }

void NativeCode::Close(MemoryBudget&) {}

bool NativeCode::Refresh() { return false; }

UnwindStep NativeCode::Find(uintptr_t) const { return {}; }

const NativeCode::Module* NativeCode::ModuleOf(uintptr_t) const { return nullptr; }

}  // namespace hindsight::recorder
