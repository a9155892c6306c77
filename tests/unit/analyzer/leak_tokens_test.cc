// What CancellationTokens keep: callbacks that are registered with one, linked sources, and what
// the callbacks of a source with a time need.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzer/analyses/heap/leaks.h"
#include "tests/unit/analyzer/leak_heaps.h"

namespace hindsight::analyzer {
namespace {

// Sources with a callback for each of `states`.
class Token {
 public:
  explicit Token(HeapBuilder& heap)
      : heap_(heap),
        source_(heap.Class("System.Threading.CancellationTokenSource", {"_registrations"})),
        list_(heap.Class("System.Threading.CancellationTokenSource+Registrations", {"Callbacks"})),
        node_(heap.Class("System.Threading.CancellationTokenSource+CallbackNode",
                         {"Prev", "Next", "Registrations", "CallbackState"})) {}

  ObjectId Add(const std::vector<ObjectId>& states) {
    const ObjectId source = heap_.Add(source_);
    heap_.Refer(source, "_registrations", Register(states));
    return source;
  }

  ObjectId Register(const std::vector<ObjectId>& states) {
    const ObjectId list = heap_.Add(list_);
    ObjectId before = kNoObject;
    for (const ObjectId state : states) {
      const ObjectId node = heap_.Add(node_);
      heap_.Refer(node, "Registrations", list);
      heap_.Refer(node, "CallbackState", state);
      if (before == kNoObject) {
        heap_.Refer(list, "Callbacks", node);
      } else {
        heap_.Refer(before, "Next", node);
        heap_.Refer(node, "Prev", before);
      }
      before = node;
    }
    return list;
  }

 private:
  HeapBuilder& heap_;
  ClassIndex source_, list_, node_;
};

TEST(Leaks, RegistrationsAreNamedWithWhatTheyKeep) {
  HeapBuilder heap;
  AddBuffers(heap);
  const ClassIndex upload = heap.Class("Shop.Upload", {}, 1000);
  heap.Static("Shop.Program", "stopping_", Token(heap).Add(AddMany(heap, upload)));
  const Looked looked = Look(heap);
  ASSERT_EQ(looked.report.suspects.size(), 1u);
  const LeakSuspect& suspect = looked.report.suspects[0];
  EXPECT_EQ(suspect.kind, LeakKind::kRegistrations);
  EXPECT_EQ(suspect.confidence, LeakConfidence::kHigh);
  EXPECT_EQ(suspect.count, kPlenty);
  EXPECT_EQ(looked.Type(suspect.type), "Shop.Upload");
}

// Whatever waits on a linked source is in use; one on which nothing waits was forgotten.
TEST(Leaks, LinkedSourcesAreLeaksIfNothingWaitsOnThem) {
  for (const bool are_awaited : {false, true}) {
    HeapBuilder heap;
    AddBuffers(heap);
    const ClassIndex linked =
        heap.Class("System.Threading.CancellationTokenSource+Linked2CancellationTokenSource",
                   {"_registrations"}, 200);
    const std::vector<ObjectId> sources = AddMany(heap, linked);
    Token token(heap);
    if (are_awaited) {
      const ClassIndex promise = heap.Class("System.Threading.Tasks.Task+DelayPromise");
      for (const ObjectId source : sources) {
        heap.Refer(source, "_registrations", token.Register({heap.Add(promise)}));
      }
    }
    heap.Static("System.Hosting", "stopping_", token.Add(sources));
    const Looked looked = Look(heap);
    ASSERT_EQ(looked.report.suspects.size(), are_awaited ? 0u : 1u);
    if (are_awaited) continue;
    EXPECT_EQ(looked.report.suspects[0].kind_name, "token registrations");
    EXPECT_EQ(looked.report.suspects[0].confidence, LeakConfidence::kHigh);
  }
}

TEST(Leaks, SourcesWithATimeAreNamedWithWhatTheirCallbacksKeep) {
  HeapBuilder heap;
  AddBuffers(heap);
  const ClassIndex timer = heap.Class("System.Threading.TimerQueueTimer", {"_next", "_state"});
  const ClassIndex payment = heap.Class("Shop.Payment", {}, 1000);
  Token token(heap);
  ObjectId before = kNoObject;
  for (const ObjectId one : AddMany(heap, payment)) {
    const ObjectId queued = heap.Add(timer);
    heap.Refer(queued, "_state", token.Add({one}));
    if (before == kNoObject) {
      heap.Static("System.Threading.TimerQueue", "first_", queued);
    } else {
      heap.Refer(before, "_next", queued);
    }
    before = queued;
  }
  const Looked looked = Look(heap);
  ASSERT_EQ(looked.report.suspects.size(), 1u);
  const LeakSuspect& suspect = looked.report.suspects[0];
  EXPECT_EQ(suspect.kind, LeakKind::kTimeoutCallbacks);
  EXPECT_EQ(suspect.confidence, LeakConfidence::kHigh);
  EXPECT_EQ(looked.Type(suspect.type), "Shop.Payment");
  EXPECT_TRUE(suspect.advice.starts_with("Dispose each CancellationTokenSource"));
}

}  // namespace
}  // namespace hindsight::analyzer
