// Which method starts each async method, learned from stacks that show it.
//
// An async method runs on its caller's stack until its first await that has to wait; after that,
// the machinery calls it from wherever the awaited work was completed. Nothing on that stack shows
// who awaits it, but the stacks of first parts do: if all of them show the same method, it is the
// caller.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>

#include "analyzer/analyses/call_steps.h"
#include "analyzer/analyses/code_kinds.h"
#include "analyzer/analyses/method_names.h"

namespace hindsight::analyzer {

// Not thread-safe.
class LogicalCallers {
 public:
  // All must outlive this. Visits all steps once.
  LogicalCallers(const CallSteps& steps, CodeKinds& kinds, const MethodNames& names);

  // Whether the step is an async method that resumed after an await.
  bool IsResumed(StepId step) const;

  // The step of the method, or of the pool, that starts the async method `method`, where it was
  // first seen. nullopt if none was seen, or several.
  std::optional<StepId> StarterOf(MethodId method) const;

 private:
  struct Starter {
    StepId step = 0;
    std::string_view name;
    bool several = false;
  };

  StepId FindStarter(StepId step, std::string_view name) const;
  StepId ManagedParent(StepId step) const;

  const CallSteps& steps_;
  CodeKinds& kinds_;
  const MethodNames& names_;
  std::unordered_map<std::string_view, Starter> starters_;  // by the async method's name
};

}  // namespace hindsight::analyzer
