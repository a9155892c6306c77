#include "analyzer/analyses/waits/awaited_holders.h"

#include <string_view>

#include "analyzer/analyses/references/owner_path.h"
#include "analyzer/base/text.h"
#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {

std::string AwaitedHolders::Of(ObjectId object) {
  if (!paths_) {
    std::vector<bool> closed(heap_.model().graph.size());
    for (const UnfinishedTask& task : heap_.tasks().tasks()) closed[task.object] = true;
    CloseRegistrations(closed);
    paths_.emplace(FindRootPaths(heap_.model(), &closed));
  }
  if (!paths_->IsReachable(object)) return {};
  const OwnerPath path = MakeOwnerPath(heap_.model(), names_, *paths_, paths_->PathTo(object));
  // Shows the first holders and the last ones: those in between are often the layers of a
  // library.
  constexpr size_t kFirst = 3, kLast = 2;
  const size_t hidden =
      path.steps.size() > kFirst + 1 + kLast ? path.steps.size() - kFirst - kLast : 0;
  std::string out;
  for (size_t i = 0; i < path.steps.size(); ++i) {
    if (!out.empty()) out += " -> ";
    if (hidden > 0 && i == kFirst) {
      out += "(" + FormatCount(hidden) + " more)";
      i += hidden - 1;
      continue;
    }
    const OwnerStep& step = path.steps[i];
    const OwnerPhrases words = DescribeStep(heap_.model(), names_, step);
    switch (step.kind) {
      case OwnerStep::Kind::kServiceContainer:
      case OwnerStep::Kind::kRoot:
        out += words.from;
        break;
      case OwnerStep::Kind::kField:
        // Only the application's fields deserve a full name.
        out += JoinSlot(words.from.starts_with("System.")
                            ? TypeBriefName(heap_.model().dictionaries, step.from)
                            : words.from,
                        words.field);
        break;
      default:
        out += words.from + " " + words.field;
    }
  }
  return out;
}

void AwaitedHolders::CloseRegistrations(std::vector<bool>& closed) const {
  const HeapGraph& graph = heap_.model().graph;
  std::vector<bool> is_registration;  // indexed by class
  for (const HeapClass& type : graph.classes()) {
    const StringId name = heap_.model().dictionaries.type(type.type).name;
    is_registration.push_back(heap_.model().dictionaries.String(name) ==
                              "System.Threading.CancellationTokenSource+CallbackNode");
  }
  for (ObjectId id = 0; id < graph.size(); ++id) {
    if (is_registration[graph.ClassOf(id)]) closed[id] = true;
  }
}

}  // namespace hindsight::analyzer
