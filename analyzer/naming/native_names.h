// Names of functions in native libraries.
#pragma once

#include <string>
#include <string_view>

namespace hindsight::analyzer::naming {

// libm.so.6!sin; libcoreclr.so!WKS::gc_heap::mark_phase; libc.so.6 without a symbol. `path` is that
// of the module. Accepts any bytes.
std::string NativeName(std::string_view path, std::string_view symbol);

// The name of a C++ function without its arguments, from its mangled symbol: _ZN3WKS7gc_heap4markEi
// is WKS::gc_heap::mark. Anything but a plain name (templates, operators) stays unchanged.
std::string DemangledName(std::string_view symbol);

}  // namespace hindsight::analyzer::naming
