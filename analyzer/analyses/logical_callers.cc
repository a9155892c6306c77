#include "analyzer/analyses/logical_callers.h"

namespace hindsight::analyzer {

LogicalCallers::LogicalCallers(const CallSteps& steps, CodeKinds& kinds, const MethodNames& names)
    : steps_(steps), kinds_(kinds), names_(names) {
  for (StepId step = 1; step < steps_.size(); ++step) {
    const MethodId method = steps_.method(step);
    if (!names_.IsStateMachine(method) || IsResumed(step)) continue;
    const std::string_view name = names_.Display(method);
    const StepId found = FindStarter(step, name);
    if (found == 0) continue;
    const bool is_pool = kinds_.Of(steps_.method(found)) == CodeKind::kPool;
    const std::string_view found_name =
        is_pool ? std::string_view() : names_.Display(steps_.method(found));
    const auto [place, is_new] = starters_.try_emplace(name);
    if (is_new) {
      place->second = {found, found_name, false};
    } else if (place->second.name != found_name) {
      place->second.several = true;
    }
  }
}

StepId LogicalCallers::ManagedParent(StepId step) const {
  StepId at = steps_.parent(step);
  while (at != 0 && IsNative(kinds_.Of(steps_.method(at)))) at = steps_.parent(at);
  return at;
}

bool LogicalCallers::IsResumed(StepId step) const {
  if (!names_.IsStateMachine(steps_.method(step))) return false;
  const StepId caller = ManagedParent(step);
  if (caller == 0) return false;
  const CodeKind kind = kinds_.Of(steps_.method(caller));
  return kind == CodeKind::kAsyncResume || kind == CodeKind::kPool;
}

// The innermost caller that is neither machinery nor the method itself (its stub, or an outer call
// of it). 0 if there is none on the stack.
StepId LogicalCallers::FindStarter(StepId step, std::string_view name) const {
  for (StepId at = ManagedParent(step); at != 0; at = ManagedParent(at)) {
    const MethodId method = steps_.method(at);
    const CodeKind kind = kinds_.Of(method);
    if (kind == CodeKind::kPool) return at;
    if (!IsFolded(kind) && names_.Display(method) != name) return at;
  }
  return 0;
}

std::optional<StepId> LogicalCallers::StarterOf(MethodId method) const {
  const auto found = starters_.find(names_.Display(method));
  if (found == starters_.end() || found->second.several) return std::nullopt;
  return found->second.step;
}

}  // namespace hindsight::analyzer
