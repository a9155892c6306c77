#include "recorder/stack/function_tables_windows.h"

#include <windows.h>

#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "recorder/base/own_memory.h"
#include "recorder/names/code.h"

namespace hindsight::recorder {

FunctionTables::FunctionTables(clr::ICorProfilerInfo10* info, CodeGate& gate)
    : info_(info), gate_(gate), read_(ReadOwn) {}

FunctionFinder::Found FunctionTables::Find(uintptr_t instruction, uint64_t as_of_ns,
                                           const UnwindFunction*& out) {
  if (known_.size() >= kMaxFunctions || !gate_.NothingUnloadedSince(known_ns_)) Forget();
  if (known_.empty()) known_ns_ = as_of_ns;
  const auto next = known_.upper_bound(instruction);
  if (next != known_.begin() && instruction < std::prev(next)->second.end) {
    out = &std::prev(next)->second;
    return Found::kFunction;
  }
  MEMORY_BASIC_INFORMATION region;
  if (VirtualQuery(reinterpret_cast<void*>(instruction), &region, sizeof region) == 0) {
    return Found::kNoInformation;
  }
  bool is_dynamic = false;
  const Found found =
      region.Type == MEM_IMAGE
          ? FindInImage(reinterpret_cast<uintptr_t>(region.AllocationBase), instruction)
          : AskRuntime(instruction, as_of_ns, is_dynamic);
  if (found != Found::kFunction) return found;
  // Dynamic methods are unloaded one by one.
  out = is_dynamic ? &found_
                   : &known_.insert_or_assign(found_.start, std::move(found_)).first->second;
  return found;
}

FunctionFinder::Found FunctionTables::FindInImage(uintptr_t base, uintptr_t instruction) {
  MappedImage image(read_, base);
  MappedImage::Function function;
  if (!image.Open() || !image.FindFunction(static_cast<uint32_t>(instruction - base), function) ||
      function.unwind == 0) {
    return Found::kNoInformation;
  }
  images_.insert_or_assign(base, image.identity());
  return Take(base, {function.start, function.end, function.unwind});
}

// The system asks a function of the runtime's, which looks the code up as GetFunctionFromIP does
// (dotnet/runtime, src/coreclr/vm/codeman.cpp and excepamd64.cpp, GetRuntimeFunctionCallback). The
// entry is in the memory of the code, which stays as long as this is held.
FunctionFinder::Found FunctionTables::AskRuntime(uintptr_t instruction, uint64_t as_of_ns,
                                                 bool& is_dynamic) {
  const auto hold = gate_.Enter(as_of_ns);
  if (!hold) return Found::kUnknown;
  clr::ReJITID rejit = 0;
  const clr::FunctionID method = FunctionAt(*hold, info_, instruction, AddressKind::kExact, rejit);
  is_dynamic = method == 0 || IsDynamic(*hold, info_, method);
  const CodeGate::LookUp look_up = hold->EnterLookUp();
  const auto dynamic = is_dynamic ? hold->EnterDynamic() : std::nullopt;
  if (is_dynamic && !dynamic) return Found::kUnknown;
  DWORD64 base = 0;
  const RUNTIME_FUNCTION* const entry = RtlLookupFunctionEntry(instruction, &base, nullptr);
  FunctionEntry copy;
  if (entry == nullptr || !ReadOwn(reinterpret_cast<uintptr_t>(entry), &copy, sizeof copy)) {
    return Found::kNoInformation;
  }
  return Take(base, copy);
}

// Into found_.
FunctionFinder::Found FunctionTables::Take(uintptr_t base, FunctionEntry entry) {
  found_ = {};
  found_.start = base + entry.start;
  found_.end = base + entry.end;
  std::optional<FunctionEntry> continued = entry;
  for (size_t part = 0; continued; ++part) {
    FunctionEntry from = *continued;
    if (part == kMaxParts) return Found::kNoInformation;
    if (from.unwind % 2 != 0) {
      if (!ReadOwn(base + from.unwind - 1, &from, sizeof from)) return Found::kNoInformation;
    }
    std::array<uint8_t, kMaxUnwindInfoBytes> bytes;
    const std::span<uint8_t, kUnwindHeaderBytes> header(bytes.data(), kUnwindHeaderBytes);
    const uintptr_t at = base + from.unwind;
    if (!ReadOwn(at, header.data(), header.size())) return Found::kNoInformation;
    const std::span<uint8_t> info(bytes.data(), UnwindInfoBytes(header));
    if (!ReadOwn(at, info.data(), info.size()) ||
        !AddUnwindInfo(info, part != 0, found_, continued)) {
      return Found::kNoInformation;
    }
  }
  return Found::kFunction;
}

void FunctionTables::Refresh() {
  for (const auto& [base, identity] : images_) {
    MappedImage now(read_, base);
    if (now.Open() && now.identity() == identity) continue;
    Forget();
    return;
  }
}

void FunctionTables::Forget() {
  known_.clear();
  images_.clear();
}

}  // namespace hindsight::recorder
