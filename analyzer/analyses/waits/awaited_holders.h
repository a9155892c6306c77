// What holds an object that async methods await: whoever has to complete it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/analyses/references/root_paths.h"
#include "analyzer/analyses/references/slot_names.h"
#include "analyzer/analyses/waits/heap_waits.h"

namespace hindsight::analyzer {

// Visits the heap once, when the first holder is asked for. Not thread-safe.
class AwaitedHolders {
 public:
  // Both must outlive this.
  AwaitedHolders(const HeapWaits& heap, const SlotNames& names) : heap_(heap), names_(names) {}

  // A path to `object` that does not lead through what waits for it, nor through what would only
  // cancel it. Empty: there is none.
  std::string Of(ObjectId object);

 private:
  void CloseRegistrations(std::vector<bool>& closed) const;

  const HeapWaits& heap_;
  const SlotNames& names_;
  std::optional<RootPaths> paths_;
};

}  // namespace hindsight::analyzer
