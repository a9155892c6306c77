#include "recorder/heap/collectible_flag.h"

#include <algorithm>
#include <vector>

#include "recorder/base/clock.h"
#include "recorder/heap/method_table.h"
#include "recorder/names/fields.h"
#include "recorder/names/loaded_class.h"

namespace hindsight::recorder {
namespace {

constexpr size_t kMaxTypesTried = 256;  // of a module

}  // namespace

void CollectibleFlagProof::Seek(uint32_t flag, RuntimeMetadata& names,
                                clr::ICorProfilerInfo10* info) {
  const uint64_t as_of_ns = MonotonicNs();
  bool only_permanent = true;
  SawAll(false);
  for (const clr::ModuleID module : LoadedModules(info)) {
    if (is_refuted_ || (permanent_seen_ && unloadable_seen_)) return;
    std::vector<clr::mdTypeDef> types;
    bool is_permanent = false;
    {
      const auto hold = names.gate().Enter(as_of_ns);
      if (!hold) return;
      is_permanent = names.IsPermanent(*hold, module);
      only_permanent = only_permanent && is_permanent;
      if (has_seen(is_permanent)) continue;
      if (Scope* const scope = names.ScopeOf(*hold, module)) types = scope->TypeDefs();
    }
    types.resize(std::min(types.size(), kMaxTypesTried));
    for (const clr::mdTypeDef type : types) {
      const auto hold = names.gate().Enter(as_of_ns);
      if (!hold) return;
      const clr::ClassID loaded = LoadedClass(*hold, names, module, type);
      if (loaded == 0) continue;
      Saw(is_permanent, MethodTable(loaded).is_collectible(flag));
      break;
    }
  }
  SawAll(only_permanent);
}

}  // namespace hindsight::recorder
