// The loaded runtime: libcoreclr, or the program itself in a single-file application. All functions
// here take the loader's lock: not during a pause.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace hindsight::recorder {

// Null: the runtime does not export it. Valid for the life of the process, as the runtime is.
void* RuntimeSymbol(const char* name);

// A native function of the runtime that its managed code calls by this name. Found in the runtime's
// table of names and functions (s_QCall: dotnet/runtime, src/coreclr/vm/qcallentrypoints.cpp, the
// same since .NET 7), which single-file applications have as well. Null: the name is not in
// exactly one such table. Searches a few MiB: keep the result, which is valid for the life of the
// process.
void* RuntimeEntry(std::string_view name);

// The memory that holds the runtime's variables: its writable data.
std::vector<std::span<const uint32_t>> RuntimeData();

// The runtime's mapped image; for the functions above.
struct RuntimeSegment {
  const uint8_t* begin;
  size_t bytes;
  bool is_writable;
  bool is_code;
};
std::vector<RuntimeSegment> RuntimeSegments();

// Keeps this library mapped until the process ends, even after a detach: destructors that run when
// a thread ends point into it.
void StayMapped();

}  // namespace hindsight::recorder
