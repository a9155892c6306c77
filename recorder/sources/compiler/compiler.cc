#include "recorder/sources/compiler/compiler.h"

#include "recorder/sources/events/managed_method.h"
#include "recorder/sources/events/payload.h"

namespace hindsight::recorder {
namespace {

// dotnet/runtime, src/coreclr/vm/eventtrace.h, MethodFlags.
constexpr uint32_t kJitted = 0x8;
constexpr uint32_t kR2rRejected = 0x40;
constexpr uint32_t kTierShift = 7, kTierMask = 0x7;
// The values of these three bits.
using Tier = wire::JitSample::Tier;
constexpr Tier kTierOf[] = {
    Tier::kUnknown, Tier::kMinOpt,   Tier::kOptimized,         Tier::kQuick,
    Tier::kTier1,   Tier::kTier1Osr, Tier::kTier0Instrumented, Tier::kTier1Instrumented};

constexpr uint64_t kNsPerTick = 100;  // of TimeSpan

using CountGetter = int32_t (*)(int32_t current_thread);
using LongGetter = int64_t (*)(int32_t current_thread);

// System.Runtime.JitInfo of the whole process. Looked up once.
struct JitMethods {
  static constexpr char kType[] = "System.Runtime.JitInfo";
  const CountGetter methods =
      reinterpret_cast<CountGetter>(ManagedMethod(kType, "GetCompiledMethodCount"));
  const LongGetter il_bytes =
      reinterpret_cast<LongGetter>(ManagedMethod(kType, "GetCompiledILBytes"));
  const LongGetter ticks =
      reinterpret_cast<LongGetter>(ManagedMethod(kType, "GetCompilationTimeInTicks"));

  static const JitMethods& Get() {
    static const JitMethods methods;
    return methods;
  }
};

}  // namespace

void Compiler::Plan(const contract::Options& options, int, EventPlan& plan) const {
  if (!options.Has(contract::Source::kGc)) return;
  plan.Add(EventProvider::kRuntime, EventLevel::kInformational, kKeywords);
}

void Compiler::Delivered(const RuntimeEvent& event) {
  switch (event.id) {
    case kMethodLoad:
    case kMethodLoadVerbose:
      // Both: method, module, start of the code (64 bits each), its size, token, flags.
      MethodLoaded(ReadPayload<uint32_t>(event.payload, 32));
      break;
    case kBackgroundStart:
      background_since_ns_.store(MonotonicNs(), std::memory_order_relaxed);
      break;
    case kBackgroundStop: {
      const uint64_t since = background_since_ns_.exchange(0, std::memory_order_relaxed);
      if (since != 0) background_ns_.fetch_add(MonotonicNs() - since, std::memory_order_relaxed);
      break;
    }
    default:
      break;
  }
}

void Compiler::MethodLoaded(uint32_t flags) {
  if ((flags & kJitted) == 0) return;
  const Tier tier = kTierOf[flags >> kTierShift & kTierMask];
  tiers_[static_cast<size_t>(tier)].fetch_add(1, std::memory_order_relaxed);
  if ((flags & kR2rRejected) != 0) r2r_rejected_.fetch_add(1, std::memory_order_relaxed);
}

void Compiler::Sample() {
  const JitMethods& jit = JitMethods::Get();
  const auto ask = [](auto getter) {
    return getter != nullptr ? static_cast<uint64_t>(getter(/*current_thread=*/0)) : 0;
  };
  const uint64_t now = MonotonicNs();
  const CompilerSums news = {ask(jit.methods), background_ns_.load(std::memory_order_relaxed)};
  if (has_reported_ && news == reported_) return;
  reported_ = news;
  has_reported_ = true;
  emitter_.Emit<JitSampledEvent>(EventKind::kJitSampled, now, [&](JitSampledEvent& event) {
    event.methods = news.methods;
    event.il_bytes = ask(jit.il_bytes);
    event.time_ns = ask(jit.ticks) * kNsPerTick;
    event.background_ns = news.background_ns;
    event.r2r_rejected = r2r_rejected_.load(std::memory_order_relaxed);
    for (size_t i = 0; i < kCompilerTiers; ++i) {
      event.tiers[i] = tiers_[i].load(std::memory_order_relaxed);
    }
  });
}

}  // namespace hindsight::recorder
