#include "analyzer/analyses/code_kinds.h"

#include <array>

#include "analyzer/base/prefixes.h"
#include "analyzer/model/runtime_work.h"

namespace hindsight::analyzer {
namespace {

// Includes nested types. PortableThreadPool runs the workers; ThreadPoolWorkQueue.Dispatch is their
// loop; the callbacks wrap work that is not a task.
constexpr std::array<std::string_view, 5> kPoolTypes = {
    "System.Threading.PortableThreadPool", "System.Threading.ThreadPoolWorkQueue",
    "System.Threading.QueueUserWorkItemCallback", "System.Threading.ThreadPool+",
    "System.Threading.UnmanagedThreadPoolWorkItem"};

CodeKind NativeKind(NativeOwner owner) {
  switch (owner) {
    case NativeOwner::kJit:
      return CodeKind::kJit;
    case NativeOwner::kCollector:
      return CodeKind::kCollector;
    case NativeOwner::kRuntime:
    case NativeOwner::kStub:
      return CodeKind::kRuntime;
    case NativeOwner::kOther:
      break;
  }
  return CodeKind::kNative;
}

// For machinery. Async methods begin in the builders' Start, async iterators in their builder's
// MoveNext; both resume from the box that holds their state, directly or through ExecutionContext.
CodeKind AsyncKind(std::string_view type, std::string_view name) {
  const bool is_box = type.find("StateMachineBox") != type.npos;
  if (is_box || type == "System.Threading.ExecutionContext") return CodeKind::kAsyncResume;
  if (!type.starts_with("System.Runtime.CompilerServices.")) return CodeKind::kPlumbing;
  const bool starts =
      name == "Start" || (name == "MoveNext" && type.ends_with("AsyncIteratorMethodBuilder"));
  return starts ? CodeKind::kAsyncStart : CodeKind::kPlumbing;
}

}  // namespace

CodeKind CodeKinds::Of(MethodId id) {
  if (id == 0) return CodeKind::kNative;
  if (id >= kinds_.size()) kinds_.resize(id + 1);
  if (kinds_[id] == CodeKind::kNotSeen) kinds_[id] = Find(dictionaries_.method(id));
  return kinds_[id];
}

CodeKind CodeKinds::Find(const Method& method) const {
  const std::string_view name = dictionaries_.String(method.name);
  if (method.is_native) return NativeKind(OwnerOfNative(dictionaries_, method));
  // The runtime names its stubs IL_STUB_PInvoke, IL_STUB_ReversePInvoke and the like.
  if (method.is_dynamic && name.starts_with("IL_STUB")) return CodeKind::kStub;
  const std::string_view type = dictionaries_.String(dictionaries_.type(method.type).name);
  if (method.is_plumbing) return AsyncKind(type, name);
  if (StartsWithAny(type, kPoolTypes)) return CodeKind::kPool;
  const bool starts_thread =
      type == "System.Threading.Thread+StartHelper" ||
      (type == "System.Threading.Thread" && name.starts_with("StartCallback"));
  return starts_thread ? CodeKind::kThreadStart : CodeKind::kPlain;
}

}  // namespace hindsight::analyzer
