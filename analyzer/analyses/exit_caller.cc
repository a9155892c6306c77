#include "analyzer/analyses/exit_caller.h"

#include <algorithm>
#include <string_view>

#include "analyzer/analyses/loaded_assemblies.h"
#include "analyzer/analyses/method_names.h"
#include "analyzer/analyses/places/places.h"

namespace hindsight::analyzer {
namespace {

// The runtime calls handlers of these signals, and of no others, on a new thread of this name: see
// PosixSignalRegistration.Unix.cs of .NET 8 to 10.
constexpr std::string_view kSignalThread = ".NET Signal Handler";

}  // namespace

std::string ExitCallText(const Model& model) {
  if (!model.exit_call) return {};
  // The JIT compiler may have put Environment.Exit itself into its caller.
  const Place place = Places(model).Find(model.dictionaries.Path(model.exit_call->stack));
  if (place.site == 0) return {};
  return MethodNames(model.dictionaries).Display(place.site) + " called Environment.Exit";
}

std::optional<int64_t> EndSignalNs(const Model& model) {
  std::optional<int64_t> first;
  for (const ThreadInfo& thread : model.threads) {
    if (!thread.has_start || model.dictionaries.String(thread.name) != kSignalThread) continue;
    if (!first || thread.start_ns < *first) first = thread.start_ns;
  }
  return first;
}

bool HasCrashed(const Model& model) {
  if (model.facts.end != EndReason::kBrokeOff) return false;
  return model.fatal_error ||
         std::ranges::any_of(model.exceptions.groups, [](const ExceptionGroup& group) {
           return group.EndedAs(Ending::kUnhandled) > 0;
         });
}

bool MayStillRun(const Model* model) {
  return model != nullptr && model->facts.pid != 0 && model->facts.end != EndReason::kProcessExit &&
         !HasCrashed(*model);
}

bool EndedByItself(const Model& model) {
  return model.facts.end == EndReason::kProcessExit && model.requests.started == 0 &&
         !EndSignalNs(model) && !HasHost(model.dictionaries);
}

bool HasHost(const Dictionaries& dictionaries) {
  return HasLoaded(dictionaries, {"Microsoft.Extensions.Hosting.dll"});
}

}  // namespace hindsight::analyzer
