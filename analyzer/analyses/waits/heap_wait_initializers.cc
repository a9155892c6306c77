// Class constructors in the wait graph of a heap. The runtime lets one thread run the constructor
// of a class; others that need the class wait until it has ended. (Two threads that initialize each
// other's class are no deadlock: the runtime lets one of them see a class that is not initialized
// yet. It does not know what else a constructor waits for, such as a task.)
#include "analyzer/analyses/waits/heap_waits.h"

namespace hindsight::analyzer {

// The outermost on a thread, which is the one that others can wait for longest.
void HeapWaits::AddInitializers() {
  const Dictionaries& dictionaries = model_->dictionaries;
  for (uint32_t index = 0; index < waits_.threads.size(); ++index) {
    MethodId outermost = 0;
    for (const MethodId method : waits_.threads[index].path) {
      if (dictionaries.String(dictionaries.method(method).name) == ".cctor") outermost = method;
    }
    if (outermost == 0) continue;
    const uint32_t node = waits_.graph.Add({.kind = WaitNode::Kind::kInitializer,
                                            .needs = WaitNode::Needs::kAll,
                                            .initializer = outermost});
    initializers_.emplace(index, node);
    Connect(node, index, WaitReason::kRunsInitializer, Proof::kCertain);
  }
}

// Which class it is that a thread waits for is not on its stack: it is stuck only if all
// constructors on other threads are.
void HeapWaits::ConnectToInitializers(uint32_t thread) {
  for (const auto& [owner, node] : initializers_) {
    if (owner == thread) continue;
    waits_.graph.node(thread).needs = WaitNode::Needs::kAny;
    Connect(thread, node, WaitReason::kNeedsClass, Proof::kLikely);
  }
}

}  // namespace hindsight::analyzer
