#include "analyzer/analyses/heap/base_classes.h"

namespace hindsight::analyzer {

bool IsOrDerivesFrom(const HeapModel& model, ClassIndex index, std::string_view name) {
  constexpr int kMostBases = 16;
  const auto classes = model.graph.classes();
  for (int i = 0; i < kMostBases && index < classes.size(); ++i) {
    const Type& type = model.dictionaries.type(classes[index].type);
    if (model.dictionaries.String(type.name) == name) return true;
    if (classes[index].base == 0) return false;  // there is none
    index = classes[index].base;
  }
  return false;
}

bool IsSafeHandle(const HeapModel& model, ClassIndex index) {
  return IsOrDerivesFrom(model, index, "System.Runtime.InteropServices.SafeHandle");
}

}  // namespace hindsight::analyzer
