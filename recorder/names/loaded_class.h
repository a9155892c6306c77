// The class of a type, without loading it.
#pragma once

#include "recorder/names/runtime_metadata.h"

namespace hindsight::recorder {

// The class of a type that is not generic, if it is loaded and has a method; else 0. A class is
// loaded exactly if one of its methods is known by its token.
clr::ClassID LoadedClass(const CodeGate::Hold& hold, RuntimeMetadata& names, clr::ModuleID module,
                         clr::mdTypeDef type);

}  // namespace hindsight::recorder
