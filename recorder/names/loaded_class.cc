#include "recorder/names/loaded_class.h"

namespace hindsight::recorder {

clr::ClassID LoadedClass(const CodeGate::Hold& hold, RuntimeMetadata& names, clr::ModuleID module,
                         clr::mdTypeDef type) {
  Scope* const scope = names.ScopeOf(hold, module);
  if (scope == nullptr || scope->IsGeneric(type)) return 0;
  clr::ICorProfilerInfo10* const info = names.info(hold);
  const clr::mdMethodDef method = scope->FirstMethod(type);
  clr::FunctionID function = 0;
  clr::ClassID loaded = 0;
  clr::ModuleID of = 0;
  clr::mdToken token = 0;
  if (method == 0 || clr::Failed(info->GetFunctionFromToken(module, method, &function)) ||
      clr::Failed(info->GetFunctionInfo(function, &loaded, &of, &token))) {
    return 0;
  }
  return loaded;
}

}  // namespace hindsight::recorder
