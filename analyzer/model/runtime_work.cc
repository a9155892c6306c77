#include "analyzer/model/runtime_work.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/base/file_name.h"
#include "analyzer/model/collection_pauses.h"

namespace hindsight::analyzer {
namespace {

// In the order of kNames.
enum class Work : uint8_t {
  kNone,  // unknown
  kJit,
  kMark,
  kPlan,
  kSweep,
  kCompact,
  kCollecting,
  kPreparing,
  kTypes,
  kAllocating,
  kBarrier,
  kExceptions,
  kDispatch,
  kCasts,
  kLocks,
  kWaits,
  kReflection,
  kStacks,
  kInterop,
  kEvents,
  kStubs,
  kOther,
  kCount,
};

constexpr std::array<std::string_view, static_cast<size_t>(Work::kCount)> kNames = {
    "",
    kCompilingFrame,
    "runtime: GC mark",
    "runtime: GC plan",
    "runtime: GC sweep",
    "runtime: GC compact",
    kCollectingFrame,
    kPreparingFrame,
    kLoadingFrame,
    "runtime: allocation",
    "runtime: write barrier",
    "runtime: exceptions",
    "runtime: interface dispatch",
    "runtime: casts",
    "runtime: locks",
    kWaitingFrame,
    kReflectionFrame,
    "runtime: stack walks",
    "runtime: interop",
    "runtime: events",
    kStubsFrame,
    kOtherWorkFrame,
};

struct Rule {
  std::string_view part;
  Work work;
};

// By part of the symbol, first match; names of .NET 8 to 10 (src/coreclr/vm, gc).
constexpr Rule kCollectorSymbols[] = {
    {"garbage_collect", Work::kCollecting},
    {"gc1", Work::kCollecting},
    {"bgc_thread", Work::kCollecting},
    {"mark", Work::kMark},
    {"sweep", Work::kSweep},
    {"make_free_list", Work::kSweep},
    {"plan_phase", Work::kPlan},
    {"relocat", Work::kCompact},
    {"compact", Work::kCompact},
    {"lloc", Work::kAllocating},
};
constexpr Rule kSymbols[] = {
    {"WriteBarrier", Work::kBarrier},
    {"Barrier_", Work::kBarrier},
    {"ArrayStoreCheck", Work::kCasts},
    {"IsInstance", Work::kCasts},
    {"ChkCast", Work::kCasts},
    {"CastHelper", Work::kCasts},
    {"JIT_New", Work::kAllocating},
    {"JIT_Box", Work::kAllocating},
    {"AllocateObject", Work::kAllocating},
    {"AllocateString", Work::kAllocating},
    {"AllocateSzArray", Work::kAllocating},
    {"VirtualCallStubManager", Work::kDispatch},
    {"VSD_", Work::kDispatch},
    {"ResolveCache", Work::kDispatch},
    {"ClassLoader", Work::kTypes},
    {"MethodTableBuilder", Work::kTypes},
    {"LoadTypeHandle", Work::kTypes},
    {"TypeHandle", Work::kTypes},
    {"MetaSig", Work::kTypes},
    {"SigPointer", Work::kTypes},
    {"CheckRunClassInit", Work::kTypes},
    {"IL_Throw", Work::kExceptions},
    {"IL_Rethrow", Work::kExceptions},
    {"ExceptionTracker", Work::kExceptions},
    {"DispatchManagedException", Work::kExceptions},
    {"ProcessCLRException", Work::kExceptions},
    {"SfiNext", Work::kExceptions},
    {"SfiInit", Work::kExceptions},
    {"StackFrameIterator", Work::kStacks},
    {"StackWalk", Work::kStacks},
    {"StackTrace", Work::kStacks},
    {"AwareLock", Work::kLocks},
    {"JIT_Mon", Work::kLocks},
    {"ObjHeader", Work::kLocks},
    {"SyncBlock", Work::kLocks},
    {"ReflectionInvocation", Work::kReflection},
    {"RuntimeTypeHandle", Work::kReflection},
    {"RuntimeMethodHandle", Work::kReflection},
    {"EventPipe", Work::kEvents},
    {"FireEtw", Work::kEvents},
    {"ep_", Work::kEvents},
    {"ETW", Work::kEvents},
    {"PreStub", Work::kPreparing},
    {"Prestub", Work::kPreparing},
    {"CallCounting", Work::kPreparing},
    {"TieredCompilation", Work::kPreparing},
    {"ReadyToRun", Work::kPreparing},
    {"ExternalMethodFixup", Work::kPreparing},
};

// For managed methods that enter the runtime for a single purpose: type, and the start of the
// method's name.
struct CallerRule {
  std::string_view type, method;
  Work work;
};
constexpr CallerRule kCallers[] = {
    {"System.GC", "Allocate", Work::kAllocating},
    {"System.GC", "_Collect", Work::kCollecting},
    {"System.GC", "Collect", Work::kCollecting},
    {"System.Runtime.EH", "", Work::kExceptions},
    {"System.Runtime.StackFrameIterator", "", Work::kExceptions},
    {"System.Runtime.CompilerServices.CastHelpers", "", Work::kCasts},
    {"System.Runtime.CompilerServices.VirtualDispatchHelpers", "", Work::kDispatch},
    {"System.Runtime.CompilerServices.GenericsHelpers", "", Work::kTypes},
    {"System.Runtime.CompilerServices.StaticsHelpers", "", Work::kTypes},
    {"System.Runtime.CompilerServices.InitHelpers", "", Work::kTypes},
    {"System.Runtime.CompilerServices.RuntimeHelpers", "RunClassConstructor", Work::kTypes},
    {"System.Threading.Monitor", "", Work::kLocks},
    {"System.Threading.WaitHandle", "", Work::kWaits},
    {"System.Threading.Thread", "Sleep", Work::kWaits},
    {"System.Threading.LowLevelLifoSemaphore", "", Work::kWaits},
    {"System.RuntimeTypeHandle", "", Work::kReflection},
    {"System.RuntimeMethodHandle", "", Work::kReflection},
    {"System.RuntimeFieldHandle", "", Work::kReflection},
    {"System.Reflection.", "", Work::kReflection},
    {"System.Signature", "", Work::kReflection},
    {"System.Diagnostics.StackFrameHelper", "", Work::kStacks},
    {"System.Diagnostics.StackTrace", "", Work::kStacks},
    {"System.Runtime.InteropServices.Marshal", "", Work::kInterop},
    {"System.StubHelpers.", "", Work::kInterop},
    {"System.Diagnostics.Tracing.", "", Work::kEvents},
};

// The runtime's own threads, which run no managed code.
constexpr Rule kThreads[] = {
    {kServerGcThread, Work::kCollecting}, {".NET BGC", Work::kCollecting},
    {".NET Tiered", Work::kPreparing},    {".NET EventPipe", Work::kEvents},
    {".NET EP", Work::kEvents},
};

// Functions through which the JIT was reached at least this often prepare methods.
constexpr uint32_t kFewestCompiling = 3;
constexpr double kLeastCompiling = 0.1;  // of the samples in them

// Symbols of the collector, which is part of libcoreclr.so unless DOTNET_GCName loads libclrgc.so.
// Its classes exist twice, for Workstation GC and for Server GC.
bool IsCollectorSymbol(std::string_view symbol) {
  return symbol.find("gc_heap") != symbol.npos || symbol.find("3WKS") != symbol.npos ||
         symbol.find("3SVR") != symbol.npos;
}

template <size_t size>
Work FirstOf(const Rule (&rules)[size], std::string_view text) {
  for (const Rule& rule : rules) {
    if (text.find(rule.part) != text.npos) return rule.work;
  }
  return Work::kNone;
}

// A rule's type that ends with a dot stands for the whole namespace.
Work WorkOfCaller(std::string_view type, std::string_view name) {
  for (const CallerRule& rule : kCallers) {
    const bool is_type = rule.type.ends_with('.') ? type.starts_with(rule.type) : type == rule.type;
    if (is_type && name.starts_with(rule.method)) return rule.work;
  }
  return Work::kNone;
}

class RuntimeNamer {
 public:
  explicit RuntimeNamer(Model& model)
      : model_(model), names_(model.dictionaries), calls_(model.samples.calls) {}

  void Run() {
    Look();
    if (!has_runtime_) return;
    PackedRows<CpuSample>& samples = model_.samples.cpu.samples;
    Learn(samples);
    samples.Rewrite([this](CpuSample& sample) {
      sample.call = ImageOf(sample);
      return true;
    });
  }

 private:
  // The run of native frames that a call belongs to, of which one, or one further out, is the
  // runtime's.
  struct Step {
    CallId entry = 0;  // the outermost of them; 0: not such a frame
    Work work = Work::kNone;
    bool only_stubs = true;
    bool has_name = false;  // more specific than the work
  };
  struct Seen {
    uint32_t samples = 0, compiling = 0;
  };

  void Look() {
    const CallId size = calls_.size();
    steps_.resize(size);
    images_.resize(size);
    for (CallId id = 1; id < size; ++id) {
      const CallNode& node = calls_.node(id);
      const Step& above = steps_[node.parent];
      const Method& method = names_.method(node.method);
      if (node.method == 0 || !method.is_native) continue;
      const NativeOwner owner = OwnerOfNative(names_, method);
      // A library that is called through a stub does no work of the runtime's.
      const bool is_called = above.entry == 0 || (above.only_stubs && method.module != 0);
      if (owner == NativeOwner::kOther && is_called) continue;
      has_runtime_ = true;
      Step& step = steps_[id];
      step.entry = above.entry == 0 ? id : above.entry;
      step.only_stubs = above.only_stubs && owner == NativeOwner::kStub;
      step.has_name = owner != NativeOwner::kStub && method.name != 0;
      const std::string_view symbol = names_.String(method.name);
      if (IsRuntimeWork(names_, method)) {  // already rewritten
        step.work = WorkNamed(symbol);
        step.has_name = false;
      } else {
        step.work = WorkOf(above.work, owner, symbol);
      }
    }
  }

  static Work WorkNamed(std::string_view name) {
    const auto found = std::find(kNames.begin(), kNames.end(), name);
    return found == kNames.end() ? Work::kNone : static_cast<Work>(found - kNames.begin());
  }

  // The compiler and the collector take precedence over their callers and callees.
  static Work WorkOf(Work above, NativeOwner owner, std::string_view symbol) {
    if (above == Work::kJit || owner == NativeOwner::kJit) return Work::kJit;
    if (owner == NativeOwner::kCollector) {
      const Work own = FirstOf(kCollectorSymbols, symbol);
      if (IsCollectors(above)) return IsPhase(own) ? own : above;
      if (own != Work::kNone) return own;
      return above == Work::kAllocating ? above : Work::kCollecting;
    }
    if (IsCollectors(above)) return above;
    const Work own = owner == NativeOwner::kRuntime ? FirstOf(kSymbols, symbol) : Work::kNone;
    return own != Work::kNone ? own : above;
  }
  static bool IsPhase(Work work) { return work >= Work::kMark && work <= Work::kCompact; }
  static bool IsCollectors(Work work) { return IsPhase(work) || work == Work::kCollecting; }

  void Learn(const PackedRows<CpuSample>& samples) {
    for (const CpuSample& sample : samples) {
      if (sample.call >= steps_.size()) continue;
      const Step& step = steps_[sample.call];
      if (step.entry == 0) continue;
      Seen& seen = seen_[calls_.node(step.entry).method];
      ++seen.samples;
      if (step.work == Work::kJit) ++seen.compiling;
    }
  }

  bool Prepares(MethodId entry) const {
    const auto found = seen_.find(entry);
    return found != seen_.end() && found->second.compiling >= kFewestCompiling &&
           found->second.compiling >= kLeastCompiling * found->second.samples;
  }

  // The innermost managed caller, skipping the runtime's call stubs.
  MethodId CallerOf(CallId entry) const {
    CallId at = calls_.node(entry).parent;
    const auto is_passed_over = [this](CallId call) {
      const Method& method = names_.method(calls_.node(call).method);
      return method.is_dynamic || method.is_native;
    };
    while (at != 0 && is_passed_over(at)) at = calls_.node(at).parent;
    return calls_.node(at).method;
  }

  Work WorkOf(const CpuSample& sample) const {
    const Step& step = steps_[sample.call];
    if (step.work == Work::kJit || IsCollectors(step.work)) return step.work;
    if (!step.only_stubs && pauses_.Contain(sample.at_ns)) return Work::kCollecting;
    if (step.work != Work::kNone) return step.work;
    const MethodId caller = CallerOf(step.entry);
    if (caller == 0) {
      const std::string_view thread = names_.String(model_.threads[sample.thread].name);
      const Work own = thread.empty() ? Work::kNone : FirstOf(kThreads, thread);
      if (own != Work::kNone) return own;
    } else {
      const Method& method = names_.method(caller);
      const Work known =
          WorkOfCaller(names_.String(names_.type(method.type).name), names_.String(method.name));
      if (known != Work::kNone) return known;
    }
    if (step.only_stubs) return Work::kStubs;
    return Prepares(calls_.node(step.entry).method) ? Work::kPreparing : Work::kOther;
  }

  MethodId MethodOf(std::string_view name) {
    Method method;
    method.name = names_.AddString(name);
    method.is_native = true;
    return names_.AddMethod(method);
  }

  // The call with its callers rewritten.
  CallId ImageOf(CallId id) {
    path_.clear();
    for (; id != 0 && images_[id] == 0; id = calls_.node(id).parent) path_.push_back(id);
    CallId image = id == 0 ? 0 : images_[id];
    for (; !path_.empty(); path_.pop_back()) {
      const CallId at = path_.back();
      const CallNode& node = calls_.node(at);
      const bool is_nameless = steps_[at].entry != 0 && !steps_[at].has_name;
      if (!is_nameless) {
        const CallId stub = IsLibrary(at) ? steps_[node.parent].entry : 0;
        if (stub != 0) image = images_[calls_.node(stub).parent];  // without what calls it
        image = Below(image, node);
      } else {
        if (calls_method_ == 0) calls_method_ = MethodOf(kRuntimeCallFrame);
        if (calls_.node(image).method != calls_method_) {
          image = calls_.Add(image, calls_method_, -1);
        }
      }
      images_[at] = image;
    }
    return image;
  }

  // Of native code, but not of the runtime's.
  bool IsLibrary(CallId call) const {
    return steps_[call].entry == 0 && names_.method(calls_.node(call).method).is_native;
  }

  CallId Below(CallId parent, CallNode node) {
    node.parent = parent;
    return calls_.Add(node);
  }

  CallId ImageOf(const CpuSample& sample) {
    if (sample.call >= steps_.size()) return sample.call;
    const CallId entry = steps_[sample.call].entry;
    if (entry == 0) return ImageOf(sample.call);
    const Work work = WorkOf(sample);
    const uint64_t key = uint64_t{sample.call} << 8 | static_cast<uint64_t>(work);
    const auto [known, is_new] = leaves_.try_emplace(key, 0);
    if (!is_new) return known->second;
    std::vector<CallId> named;
    CallId at = sample.call;
    for (; steps_[at].entry == entry; at = calls_.node(at).parent) {
      if (steps_[at].has_name) named.push_back(at);
    }
    CallId image = ImageOf(at);
    MethodId& method = methods_[static_cast<size_t>(work)];
    if (method == 0) method = MethodOf(kNames[static_cast<size_t>(work)]);
    image = calls_.Add(image, method, -1);
    for (; !named.empty(); named.pop_back()) image = Below(image, calls_.node(named.back()));
    return leaves_[key] = image;
  }

  Model& model_;
  Dictionaries& names_;
  CallTree& calls_;
  const CollectionPauses pauses_{model_.collections.pauses};
  std::vector<Step> steps_;                  // indexed by CallId
  std::vector<CallId> images_;               // likewise; 0: not created yet
  std::unordered_map<MethodId, Seen> seen_;  // by method of the entry
  std::unordered_map<uint64_t, CallId> leaves_;
  std::array<MethodId, static_cast<size_t>(Work::kCount)> methods_{};
  MethodId calls_method_ = 0;
  std::vector<CallId> path_;  // scratch space of ImageOf
  bool has_runtime_ = false;
};

}  // namespace

NativeOwner OwnerOfNative(const Dictionaries& dictionaries, const Method& method) {
  const std::string_view symbol = dictionaries.String(method.name);
  if (method.module == 0) {
    if (symbol == "[stub]") return NativeOwner::kStub;
    if (symbol == kCompilingFrame) return NativeOwner::kJit;
    if (IsCollecting(symbol)) return NativeOwner::kCollector;
    return symbol.starts_with(kRuntimeMark) ? NativeOwner::kRuntime : NativeOwner::kOther;
  }
  const std::string_view library =
      LibraryName(dictionaries.String(dictionaries.module(method.module).path));
  if (library.starts_with("clrjit")) return NativeOwner::kJit;
  if (library.starts_with("clrgc")) return NativeOwner::kCollector;
  if (library != "coreclr") return NativeOwner::kOther;
  return IsCollectorSymbol(symbol) ? NativeOwner::kCollector : NativeOwner::kRuntime;
}

void NameRuntimeWork(Model& model) { RuntimeNamer(model).Run(); }

}  // namespace hindsight::analyzer
