#include "recorder/heap/root_buffer.h"

namespace hindsight::recorder {

void RootBuffer::Release() {
  roots_.Release();
  dependents_.Release();
  lost_ = 0;
}

void RootBuffer::Add(uint32_t count, const clr::ObjectID* objects,
                     const clr::COR_PRF_GC_ROOT_KIND* kinds,
                     const clr::COR_PRF_GC_ROOT_FLAGS* flags, const uintptr_t* ids) {
  for (uint32_t i = 0; i < count; ++i) {
    if (objects[i] == 0) continue;
    const HeapRootEntry root{objects[i], ids != nullptr ? ids[i] : 0,
                             static_cast<uint8_t>(kinds[i]), static_cast<uint8_t>(flags[i])};
    if (!roots_.Add(root)) ++lost_;
  }
}

void RootBuffer::AddDependents(uint32_t count, const clr::ObjectID* keys,
                               const clr::ObjectID* values) {
  for (uint32_t i = 0; i < count; ++i) {
    if (keys[i] == 0 || values[i] == 0) continue;
    if (!dependents_.Add({keys[i], values[i]})) ++lost_;
  }
}

}  // namespace hindsight::recorder
