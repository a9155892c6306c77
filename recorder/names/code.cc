#include "recorder/names/code.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "recorder/names/call_instruction.h"

namespace hindsight::recorder {
namespace {

bool Contains(const CodeRegion& region, uintptr_t address) {
  return address >= region.start && address - region.start < region.size;
}

// A method's first instruction is never a return address. If it occurs as one, there was a fault at
// it.
bool IsFaultAtStart(uintptr_t ip, AddressKind kind, const CodeDescription& code) {
  return kind == AddressKind::kReturn && !code.regions.empty() && code.start() == ip;
}

using CodeInfos = std::array<clr::COR_PRF_CODE_INFO, kMaxCodeRegions>;

// Takes the regions if one of them contains `address`.
bool TakeRegions(const CodeInfos& infos, uint32_t count, uintptr_t address, CodeDescription& out) {
  out.regions.clear();
  bool found = false;
  for (uint32_t i = 0; i < std::min(count, kMaxCodeRegions); ++i) {
    out.regions.push_back({infos[i].start, static_cast<uint32_t>(infos[i].size)});
    found = found || Contains(out.regions.back(), address);
  }
  if (!found) out.regions.clear();
  return found;
}

bool FindBody(const CodeGate::LookUp&, clr::ICorProfilerInfo10* info, uintptr_t address,
              CodeDescription& out) {
  CodeInfos infos;
  uint32_t regions = 0;
  std::array<uintptr_t, kMaxCodeBodies> starts;
  uint32_t bodies = 0;
  if (clr::Succeeded(info->GetNativeCodeStartAddresses(out.function, out.rejit, kMaxCodeBodies,
                                                       &bodies, starts.data()))) {
    // The newest body is the likeliest; the runtime lists the oldest first.
    for (uint32_t i = std::min(bodies, kMaxCodeBodies); i-- != 0;) {
      if (clr::Succeeded(info->GetCodeInfo4(starts[i], kMaxCodeRegions, &regions, infos.data())) &&
          TakeRegions(infos, regions, address, out)) {
        return true;
      }
    }
  }
  return clr::Succeeded(info->GetCodeInfo3(out.function, out.rejit, kMaxCodeRegions, &regions,
                                           infos.data())) &&
         TakeRegions(infos, regions, address, out);
}

// This is answered by the debugger's part of the runtime (dotnet/runtime,
// src/coreclr/debug/ee/debugger.cpp, Debugger::GetILToNativeMapping, and functioninfo.cpp; versions
// from .NET 8 to 10 were read):
// - It looks up the method by its code, so the query needs a LookUp.
// - The first query in a process creates its data, under a lock that a debugger holds while it
//   stops the application: if a LookUp waited for it, both would be blocked for good. Hence a query
//   about no code comes first: it creates the data, and finds nothing. From then on there are only
//   the lock of that data and that of code versions: neither is waited for in another mode, nor
//   held over anything that may wait for a suspension (CRST_UNSAFE_ANYMODE).
// - All bodies of a generic method are in one list, which is walked without that lock. When a
//   module is unloaded, the bodies that were compiled for its types are freed
//   (ClearMethodsOfModule), also from the lists of other modules' methods. So nothing is queried in
//   the meantime.
void ReadIlMap(const CodeGate::Hold& hold, clr::ICorProfilerInfo10* info, CodeDescription& out) {
  out.il_map_put_off = hold.ModulesAreLeaving();
  if (out.il_map_put_off) return;
  uint32_t count = 0;
  static constexpr char kNoCode = 0;
  info->GetILToNativeMapping3(reinterpret_cast<uintptr_t>(&kNoCode), 0, &count, nullptr);
  const auto read = [&](uint32_t capacity, uint32_t* actual, clr::COR_DEBUG_IL_TO_NATIVE_MAP* map) {
    const CodeGate::LookUp look_up = hold.EnterLookUp();
    const clr::HRESULT hr = info->GetILToNativeMapping3(out.start(), capacity, actual, map);
    if (clr::Succeeded(hr)) return hr;
    return info->GetILToNativeMapping2(out.function, out.rejit, capacity, actual, map);
  };
  const auto read_all = [&](std::vector<clr::COR_DEBUG_IL_TO_NATIVE_MAP>& map) {
    return clr::Succeeded(read(static_cast<uint32_t>(map.size()), &count, map.data()));
  };
  constexpr size_t kUsually = 256;  // nearly all maps have fewer entries
  std::vector<clr::COR_DEBUG_IL_TO_NATIVE_MAP> map(kUsually);
  if (!read_all(map)) return;
  if (count > map.size()) {
    map.resize(std::min(count, kMaxIlMapEntries));
    if (!read_all(map)) return;
  }
  map.resize(std::min<size_t>(count, map.size()));

  out.il_map.reserve(map.size());
  for (const auto& entry : map) out.il_map.push_back({entry.il_offset, entry.native_start});
  std::stable_sort(out.il_map.begin(), out.il_map.end(),
                   [](const auto& a, const auto& b) { return a.native_offset < b.native_offset; });
}

}  // namespace

std::optional<uint32_t> CodeDescription::NativeOffset(uintptr_t ip, AddressKind kind) const {
  if (IsFaultAtStart(ip, kind, *this)) return 0;
  const uintptr_t address = InstructionAt(ip, kind);
  uintptr_t before = 0;
  for (const CodeRegion& region : regions) {
    if (Contains(region, address)) return static_cast<uint32_t>(before + (ip - region.start));
    before += region.size;
  }
  return std::nullopt;
}

std::optional<uint32_t> CodeDescription::IlOffset(uintptr_t ip, AddressKind kind) const {
  const std::optional<uint32_t> offset = NativeOffset(ip, kind);
  if (!offset) return std::nullopt;
  const auto native = static_cast<uint32_t>(InstructionAt(*offset, kind));
  const auto next =
      std::upper_bound(il_map.begin(), il_map.end(), native,
                       [](uint32_t at, const auto& entry) { return at < entry.native_offset; });
  auto prolog = il_map.end();
  for (auto entry = next; entry != il_map.begin() && prolog == il_map.end();) {
    --entry;
    if (entry->il_offset >= 0) return static_cast<uint32_t>(entry->il_offset);
    if (entry->il_offset == clr::kIlProlog) prolog = entry;
  }
  if (prolog == il_map.end()) return std::nullopt;
  // The JIT leaves out the entry of a method's first statement if no instruction begins with it
  // (seen in optimized code: calls inside what the map reports as the prolog).
  if (prolog->native_offset == 0) return 0;
  // A method and each of its handlers end in an epilog: nothing beyond it counts.
  for (auto entry = next; entry != il_map.end(); ++entry) {
    if (entry->il_offset >= 0) return static_cast<uint32_t>(entry->il_offset);
    if (entry->il_offset != clr::kIlNoMapping) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<uintptr_t> CodeDescription::PlaceOf(uintptr_t ip) const {
  uintptr_t before = 0;  // native offset of the region's start
  for (const CodeRegion& region : regions) {
    if (!Contains(region, ip)) {
      before += region.size;
      continue;
    }
    const uintptr_t offset = before + (ip - region.start);
    const auto next =
        std::upper_bound(il_map.begin(), il_map.end(), offset,
                         [](uintptr_t at, const auto& entry) { return at < entry.native_offset; });
    const uintptr_t begin = next == il_map.begin() ? 0 : std::prev(next)->native_offset;
    return region.start + (std::max(begin, before) - before);
  }
  return std::nullopt;
}

clr::FunctionID FunctionAt(const CodeGate::Hold& hold, clr::ICorProfilerInfo10* info, uintptr_t ip,
                           AddressKind kind, clr::ReJITID& rejit) {
  const CodeGate::LookUp look_up = hold.EnterLookUp();
  clr::FunctionID function = 0;
  const auto* const address = reinterpret_cast<const uint8_t*>(InstructionAt(ip, kind));
  return clr::Succeeded(info->GetFunctionFromIP3(address, &function, &rejit)) ? function : 0;
}

bool IsDynamic(const CodeGate::Hold&, clr::ICorProfilerInfo10* info, clr::FunctionID function) {
  clr::BOOL dynamic = 0;
  return clr::Succeeded(info->IsFunctionDynamic(function, &dynamic)) && dynamic != 0;
}

namespace {

CodeFound FindCodeOf(const CodeGate::Hold& hold, clr::ICorProfilerInfo10* info, uintptr_t ip,
                     AddressKind kind, CodeDescription& out) {
  out = {};
  out.function = FunctionAt(hold, info, ip, kind, out.rejit);
  if (out.function == 0) return CodeFound::kNone;
  out.is_dynamic = IsDynamic(hold, info, out.function);
  const CodeGate::LookUp look_up = hold.EnterLookUp();
  if (!out.is_dynamic) {
    FindBody(look_up, info, InstructionAt(ip, kind), out);
    return CodeFound::kFound;
  }
  const auto dynamic = hold.EnterDynamic();
  if (!dynamic) {
    out = {};
    return CodeFound::kUnknown;
  }
  FindBody(look_up, info, InstructionAt(ip, kind), out);
  return CodeFound::kFound;
}

}  // namespace

// What is before an interrupted instruction may belong to code that has not run, about which the
// runtime must not be asked (stack/signal_walker.cc). The runtime also returns a method for
// addresses just past its end.
CodeFound FindCode(const CodeGate::Hold& hold, clr::ICorProfilerInfo10* info, uintptr_t ip,
                   AddressKind kind, CodeDescription& out) {
  if (kind == AddressKind::kReturn && KindOnStack(ip) == AddressKind::kExact) {
    return FindCodeOf(hold, info, ip, AddressKind::kExact, out);
  }
  const CodeFound found = FindCodeOf(hold, info, ip, kind, out);
  if (kind != AddressKind::kReturn || !out.regions.empty()) return found;
  CodeDescription at;
  if (FindCodeOf(hold, info, ip, AddressKind::kExact, at) != CodeFound::kFound ||
      !IsFaultAtStart(ip, kind, at)) {
    return found;
  }
  out = std::move(at);
  return CodeFound::kFound;
}

CodeFound LookUpCode(const CodeGate::Hold& hold, clr::ICorProfilerInfo10* info, uintptr_t ip,
                     AddressKind kind, CodeDescription& out) {
  const CodeFound found = FindCode(hold, info, ip, kind, out);
  if (found == CodeFound::kFound && !out.is_dynamic && !out.regions.empty()) {
    ReadIlMap(hold, info, out);
  }
  return found;
}

uint32_t CodeOfUnloading(clr::ICorProfilerInfo10* info, clr::FunctionID method,
                         std::span<CodeRegion> regions) {
  CodeInfos infos;
  uint32_t count = 0;
  if (clr::Failed(info->GetCodeInfo3(method, 0, kMaxCodeRegions, &count, infos.data()))) return 0;
  count = std::min({count, kMaxCodeRegions, static_cast<uint32_t>(regions.size())});
  for (uint32_t i = 0; i < count; ++i) {
    regions[i] = {infos[i].start, static_cast<uint32_t>(infos[i].size)};
  }
  return count;
}

}  // namespace hindsight::recorder
