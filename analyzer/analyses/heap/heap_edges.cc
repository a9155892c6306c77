#include "analyzer/analyses/heap/heap_edges.h"

namespace hindsight::analyzer {

std::string HeapEdges::Name(uint64_t edge) const {
  if (edge == None()) return {};
  const Entry& entry = entries_[edge];
  if (entry.kind == Kind::kSlot) return names_->Name(entry.slot);
  return RootName(*model_,
                  {.object = kNoObject, .kind = entry.root.first, .method = entry.root.second});
}

}  // namespace hindsight::analyzer
