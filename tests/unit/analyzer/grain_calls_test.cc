// Calls between grains of Orleans in the wait graph of a heap.
#include "analyzer/analyses/waits/grain_calls.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "analyzer/analyses/waits/deadlocks.h"
#include "tests/support/wait_scene.h"

namespace hindsight::analyzer {
namespace {

using testing::WaitScene;

class GrainScene : public WaitScene {
 public:
  struct Call {
    ObjectId message = kNone, source = kNone;
  };
  struct Grain {
    ObjectId activation = kNone;
    ObjectId waiting = kNone;  // the array in its list of calls
    uint64_t queued = 0;
  };

  Call NewCall() {
    const Call call{
        .message = Object("Orleans.Runtime.Message"),
        .source = Object("Orleans.Serialization.Invocation.ResponseCompletionSource`1")};
    const ObjectId callback =
        Object("Orleans.Runtime.CallbackData", {"context", "<Message>k__BackingField"});
    heap().Refer(callback, "context", call.source);
    heap().Refer(callback, "<Message>k__BackingField", call.message);
    return call;
  }

  // `method` of the grain executes `call`, and awaits the answer to `next`.
  void Run(const Call& call, std::string_view method, const Call& next) {
    const ObjectId body = Async(method, 0, SourceTask(next.source));
    const ObjectId carrier =
        Async("Orleans.Runtime.TaskRequest`1+<CompleteInvokeAsync>d__2", 0, body);
    const ObjectId run = Async("Orleans.Runtime.InsideRuntimeClient+<Invoke>d__52", 1, carrier);
    heap().Refer(run, "StateMachine.message", call.message);
  }

  // The grain executes `call`; others wait in its queue.
  Grain NewGrain(const Call* call) {
    Grain grain{.activation = Object("Orleans.Runtime.ActivationData",
                                     {"_blockingRequest", "_waitingRequests"}),
                .waiting = heap().Add(heap().Array("Orleans.Runtime.Message"), 4)};
    const ObjectId list = Object("Orleans.Runtime.Queue", {"_items"});
    heap().Refer(list, "_items", grain.waiting);
    heap().Refer(grain.activation, "_waitingRequests", list);
    if (call != nullptr) heap().Refer(grain.activation, "_blockingRequest", call->message);
    return grain;
  }
  void Queue(Grain& grain, const Call& call) {
    heap().Refer(grain.waiting, grain.queued++, call.message);
  }
};

DeadlockReport FindIn(GrainScene& scene) {
  const std::unique_ptr<HeapModel> model = scene.Build();
  const RootPaths paths(model->graph);
  return FindDeadlocks(HeapWaits(*model, paths));
}

TEST(GrainCalls, TwoGrainsThatCallEachOther) {
  GrainScene scene;
  const auto buy = scene.NewCall(), check = scene.NewCall(), credit = scene.NewCall();
  auto customer = scene.NewGrain(&buy);
  scene.NewGrain(&check);
  scene.Run(buy, "Shop.Customer+<Buy>d__1", check);
  scene.Run(check, "Shop.Order+<Check>d__2", credit);
  scene.Queue(customer, credit);
  const DeadlockReport report = FindIn(scene);
  ASSERT_EQ(report.deadlocks.size(), 1u);
  const Deadlock& found = report.deadlocks[0];
  EXPECT_EQ(found.kind, "task cycle");
  EXPECT_EQ(found.proof, Proof::kLikely);  // the calls have a time limit
  ASSERT_EQ(found.members.size(), 2u);
  EXPECT_NE(found.members[0].site, found.members[1].site);
  for (const DeadlockMember& member : found.members) {
    EXPECT_TRUE(member.site == "async Shop.Customer.Buy" || member.site == "Shop.Customer.Buy" ||
                member.site == "async Shop.Order.Check" || member.site == "Shop.Order.Check")
        << member.site;
  }
  EXPECT_EQ(found.evidence.back(),
            "Calls between grains have a time limit (30 s by default): then they fail with a "
            "TimeoutException.");
}

// The grain is reentrant: the call is executed.
TEST(GrainCalls, AGrainThatIsReentrantIsInNoCycle) {
  GrainScene scene;
  const auto buy = scene.NewCall(), check = scene.NewCall(), credit = scene.NewCall();
  scene.NewGrain(&buy);
  scene.NewGrain(&check);
  scene.Run(buy, "Shop.Customer+<Buy>d__1", check);
  scene.Run(check, "Shop.Order+<Check>d__2", credit);
  scene.Run(credit, "Shop.Customer+<Credit>d__3", scene.NewCall());
  EXPECT_TRUE(FindIn(scene).deadlocks.empty());
}

TEST(GrainCalls, ABusyGrainIsNoCycle) {
  GrainScene scene;
  const auto buy = scene.NewCall(), check = scene.NewCall(), other = scene.NewCall();
  // Two wait for a grain that executes a call whose answer comes from elsewhere.
  auto order = scene.NewGrain(&other);
  scene.Run(other, "Shop.Order+<Save>d__4", scene.NewCall());
  scene.Run(buy, "Shop.Customer+<Buy>d__1", check);
  scene.Queue(order, check);
  scene.Queue(order, scene.NewCall());
  EXPECT_TRUE(FindIn(scene).deadlocks.empty());
}

// A call that just arrived at a grain that executes none.
TEST(GrainCalls, AGrainThatIsFreeIsNoCycle) {
  GrainScene scene;
  const auto buy = scene.NewCall(), check = scene.NewCall(), credit = scene.NewCall();
  auto customer = scene.NewGrain(nullptr);
  scene.Run(buy, "Shop.Customer+<Buy>d__1", check);
  scene.Run(check, "Shop.Order+<Check>d__2", credit);
  scene.Queue(customer, credit);
  EXPECT_TRUE(FindIn(scene).deadlocks.empty());
}

}  // namespace
}  // namespace hindsight::analyzer
