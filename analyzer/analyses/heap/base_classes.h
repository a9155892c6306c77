// Which classes a class of a heap derives from.
#pragma once

#include <string_view>

#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

// Whether it is the class with this raw name, or derives from it.
bool IsOrDerivesFrom(const HeapModel& model, ClassIndex index, std::string_view name);

// What wraps a handle of the operating system or a native library. It has a finalizer; the object
// that has it is the one to dispose.
bool IsSafeHandle(const HeapModel& model, ClassIndex index);

}  // namespace hindsight::analyzer
