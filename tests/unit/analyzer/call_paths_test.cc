#include "analyzer/analyses/call_paths.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzer/naming/native_names.h"
#include "tests/support/profile_scene.h"

namespace hindsight::analyzer {
namespace {

using testing::ProfileScene;

constexpr char kBox[] =
    "System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1+AsyncStateMachineBox`1";
const std::string kBuilder = "System.Runtime.CompilerServices.AsyncTaskMethodBuilder.Start";
const std::string kCore = "System.Runtime.CompilerServices.AsyncMethodBuilderCore.Start";
const std::string kResume = std::string(kBox) + ".ExecutionContextCallback";
const std::string kContext = "System.Threading.ExecutionContext.RunInternal";
const std::string kBoxMoveNext = std::string(kBox) + ".MoveNext";
const std::string kWorker = "System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart";
const std::string kDispatch = "System.Threading.ThreadPoolWorkQueue.Dispatch";
const std::string kStart = "System.Threading.Thread.StartCallback";

class CallPathsTest : public ::testing::Test {
 protected:
  CallPaths Paths(const CallPathOptions& options = {}) {
    CallPathsBuilder builder(scene_.model(), options);
    for (const CpuSample& sample : scene_.model().samples.cpu.samples) {
      builder.Add(sample.call, {.amount = 1, .count = 1, .variance = 1, .samples = 1});
    }
    return builder.Build();
  }

  // "a > b > c: self/total" on each line, heaviest first.
  static std::string Text(const CallPaths& paths) {
    std::string out;
    const PathChildren children(paths);
    const auto write = [&](const auto& self, uint32_t node, const std::string& above) -> void {
      const PathNode& at = paths.nodes[node];
      std::string name = above;
      if (node != 0) {
        if (!name.empty()) name += " > ";
        name += paths.frames[at.frame].name;
        if (at.recursive) name += "*";
        if (!paths.frames[at.frame].line.empty()) name += "[" + paths.frames[at.frame].line + "]";
        out += name + ": " + std::to_string(at.self.samples) + "/" +
               std::to_string(at.total.samples) + "\n";
      }
      for (const uint32_t child : children.Of(node)) self(self, child, name);
    };
    write(write, 0, "");
    return out;
  }

  static std::string List(const CallPaths& paths) {
    std::string out;
    for (const MethodWeight& method : MethodsOf(paths)) {
      out += paths.frames[method.frame].name + " " + std::to_string(method.self.samples) + "/" +
             std::to_string(method.total.samples) + "\n";
    }
    return out;
  }

  static FrameFilter Named(std::string name) {
    return [name = std::move(name)](const PathFrame& frame) { return frame.name == name; };
  }

  ProfileScene scene_;
};

TEST_F(CallPathsTest, MergesPlacesOfAMethod) {
  scene_.Cpu(scene_.Call({"Shop.P.Main@1", "Shop.P.Run@5", "Shop.P.Hot@1"}), 6);
  scene_.Cpu(scene_.Call({"Shop.P.Main@1", "Shop.P.Run@9", "Shop.P.Hot@3"}), 3);
  scene_.Cpu(scene_.Call({"Shop.P.Main@1", "Shop.P.Run@5"}), 1);
  EXPECT_EQ(Text(Paths()),
            "Shop.P.Main: 0/10\n"
            "Shop.P.Main > Shop.P.Run: 1/10\n"
            "Shop.P.Main > Shop.P.Run > Shop.P.Hot: 9/9\n");
  CallPathOptions lines;
  lines.line_of = [](MethodId, int32_t il) { return "P.cs:" + std::to_string(il); };
  EXPECT_EQ(Text(Paths(lines)),
            "Shop.P.Main[P.cs:1]: 0/10\n"
            "Shop.P.Main[P.cs:1] > Shop.P.Run[P.cs:5]: 1/7\n"
            "Shop.P.Main[P.cs:1] > Shop.P.Run[P.cs:5] > Shop.P.Hot[P.cs:1]: 6/6\n"
            "Shop.P.Main[P.cs:1] > Shop.P.Run[P.cs:9]: 0/3\n"
            "Shop.P.Main[P.cs:1] > Shop.P.Run[P.cs:9] > Shop.P.Hot[P.cs:3]: 3/3\n");
}

TEST_F(CallPathsTest, FoldsRecursionAndCountsItOnce) {
  scene_.Cpu(scene_.Call({"A.A.Main", "A.A.Fib", "A.A.Fib", "A.A.Fib"}), 2);
  scene_.Cpu(scene_.Call({"A.A.Main", "A.A.Fib"}), 1);
  EXPECT_EQ(Text(Paths()), "A.A.Main: 0/3\nA.A.Main > A.A.Fib*: 3/3\n");
  EXPECT_EQ(List(Paths()), "A.A.Fib 3/3\nA.A.Main 0/3\n");
}

TEST_F(CallPathsTest, FoldsMethodsThatCallOneAnother) {
  scene_.Cpu(scene_.Call({"A.A.Expr", "A.A.Term", "A.A.Expr", "A.A.Term", "A.A.Expr", "A.A.Term",
                          "A.A.Number"}),
             4);
  EXPECT_EQ(Text(Paths()),
            "A.A.Expr: 0/4\n"
            "A.A.Expr > A.A.Term*: 0/4\n"
            "A.A.Expr > A.A.Term* > A.A.Number: 4/4\n");
  EXPECT_EQ(List(Paths()), "A.A.Number 4/4\nA.A.Expr 0/4\nA.A.Term 0/4\n");
}

TEST_F(CallPathsTest, NativeCodeIsNamedByItsKind) {
  const std::string in = "Shop.P.Main";
  scene_.Cpu(scene_.Call({"libc.so.6!start", in, "libm.so.6!sin"}), 5);
  scene_.Cpu(scene_.Call({"libc.so.6!start", in, "libcoreclr.so!", "libclrjit.so!"}), 4);
  scene_.Cpu(scene_.Call({in, "libcoreclr.so!", "libc.so.6!memset"}), 3);
  scene_.Cpu(scene_.Call({in, "libcoreclr.so!", "libcoreclr.so!_ZN3WKS7gc_heap4markEi"}), 2);
  scene_.Cpu(scene_.Call({"libcoreclr.so!", "Shop.P.Other"}), 1);
  NameRuntimeWork(scene_.model());
  EXPECT_EQ(Text(Paths()),
            "Shop.P.Main: 0/14\n"
            "Shop.P.Main > libm.so.6!sin: 5/5\n"
            "Shop.P.Main > runtime: JIT: 4/4\n"
            "Shop.P.Main > runtime: method preparation: 3/3\n"
            "Shop.P.Main > runtime: GC mark: 2/2\n"
            "Shop.P.Other: 1/1\n");
  CallPathOptions native;
  native.native = true;
  EXPECT_NE(Text(Paths(native))
                .find("Shop.P.Main > runtime: GC mark > libcoreclr.so!WKS::gc_heap::mark: 2/2\n"),
            std::string::npos);
  EXPECT_NE(Text(Paths(native)).find("runtime: calls > Shop.P.Other: 1/1\n"), std::string::npos);
}

TEST_F(CallPathsTest, FoldsPlumbingOnTheWay) {
  scene_.Cpu(scene_.Call({kStart, kWorker, kDispatch, "System.Threading.Tasks.Task.InnerInvoke",
                          "Shop.P+<>c.<Main>b__0_1"}),
             2);
  scene_.Cpu(scene_.Call({kStart, kWorker, kDispatch, "System.Threading.Tasks.Task.InnerInvoke"}),
             1);
  EXPECT_EQ(Text(Paths()),
            "(thread pool): 0/3\n"
            "(thread pool) > Shop.P.Main.lambda#1: 2/2\n"
            "(thread pool) > (tasks and async): 1/1\n");
  CallPathOptions all;
  all.plumbing = true;
  EXPECT_NE(Text(Paths(all)).find("Task.InnerInvoke > Shop.P.Main.lambda#1: 2/2"),
            std::string::npos);
}

TEST_F(CallPathsTest, PutsResumedWorkUnderItsOnlyStarter) {
  const std::string load = "Shop.P+<LoadAsync>d__1.MoveNext";
  // Main starts LoadAsync: stub, builder, first part.
  scene_.Cpu(
      scene_.Call({"Shop.P.Main", "Shop.P.LoadAsync", kBuilder, kCore, load, "Shop.P.Parse"}), 1);
  scene_.Cpu(scene_.Call({kStart, kWorker, kDispatch, kBoxMoveNext, kContext, kResume, load,
                          "Shop.P.Parse"}),
             7);
  EXPECT_EQ(Text(Paths()),
            "Shop.P.Main: 0/8\n"
            "Shop.P.Main > Shop.P.LoadAsync: 0/8\n"
            "Shop.P.Main > Shop.P.LoadAsync > Shop.P.Parse: 8/8\n");
  CallPathOptions physical;
  physical.logical_callers = false;
  EXPECT_NE(Text(Paths(physical)).find("(thread pool) > Shop.P.LoadAsync > Shop.P.Parse: 7/7"),
            std::string::npos);
}

TEST_F(CallPathsTest, FollowsChainsOfAsyncMethods) {
  const std::string outer = "Shop.P+<OuterAsync>d__1.MoveNext";
  const std::string inner = "Shop.P+<InnerAsync>d__2.MoveNext";
  // Inner was started by Outer after Outer itself had been resumed; Outer by Main.
  scene_.Cpu(scene_.Call({kWorker, kDispatch, kResume, outer, kBuilder, inner}), 1);
  scene_.Cpu(scene_.Call({"Shop.P.Main", kBuilder, outer}), 1);
  // A resumed Inner completes, and Outer continues on its stack.
  const std::string done = "System.Threading.Tasks.Task.RunContinuations";
  scene_.Cpu(scene_.Call({kWorker, kDispatch, kResume, inner, "Shop.P.Work"}), 5);
  scene_.Cpu(scene_.Call({kWorker, kDispatch, kResume, inner, done, kResume, outer, "Shop.P.Rest"}),
             3);
  EXPECT_EQ(Text(Paths()),
            "Shop.P.Main: 0/10\n"
            "Shop.P.Main > Shop.P.OuterAsync: 1/10\n"
            "Shop.P.Main > Shop.P.OuterAsync > Shop.P.InnerAsync: 1/6\n"
            "Shop.P.Main > Shop.P.OuterAsync > Shop.P.InnerAsync > Shop.P.Work: 5/5\n"
            "Shop.P.Main > Shop.P.OuterAsync > Shop.P.Rest: 3/3\n");
}

TEST_F(CallPathsTest, LeavesResumedWorkWithSeveralStartersApart) {
  const std::string load = "Shop.P+<LoadAsync>d__1.MoveNext";
  scene_.Cpu(scene_.Call({"Shop.P.Main", kBuilder, load}), 1);
  scene_.Cpu(scene_.Call({"Shop.P.Other", kBuilder, load}), 1);
  scene_.Cpu(scene_.Call({kWorker, kDispatch, kResume, load}), 4);
  EXPECT_NE(Text(Paths()).find("(thread pool) > (resumed) > Shop.P.LoadAsync: 4/4"),
            std::string::npos);
}

TEST_F(CallPathsTest, LearnsStartersFromStacksOfOtherEvents) {
  Dictionaries& dictionaries = scene_.model().dictionaries;
  StackId stack = 0;
  for (const std::string& name :
       {std::string("Shop.P.Main"), kBuilder, std::string("Shop.P+<LoadAsync>d__1.MoveNext")}) {
    stack = dictionaries.AddStack(stack, scene_.Method(name));
  }
  scene_.Cpu(scene_.Call({kWorker, kDispatch, kResume, "Shop.P+<LoadAsync>d__1.MoveNext"}), 4);
  EXPECT_EQ(Text(Paths()), "Shop.P.Main: 0/4\nShop.P.Main > Shop.P.LoadAsync: 4/4\n");
}

TEST_F(CallPathsTest, EndsWhereAsyncMethodsStartOneAnother) {
  const std::string a = "Shop.P+<AAsync>d__1.MoveNext";
  const std::string b = "Shop.P+<BAsync>d__2.MoveNext";
  scene_.Cpu(scene_.Call({kResume, a, kBuilder, b}), 1);
  scene_.Cpu(scene_.Call({kResume, b, kBuilder, a}), 1);
  EXPECT_EQ(Paths().nodes[0].total.samples, 2u);
}

TEST_F(CallPathsTest, AsyncWorkOfThePoolStandsUnderThePool) {
  const std::string work = "Shop.P+<>c+<<Main>b__0_0>d.MoveNext";
  scene_.Cpu(scene_.Call({kWorker, kDispatch, "System.Threading.Tasks.Task`1.InnerInvoke",
                          "Shop.P+<>c.<Main>b__0_0", kBuilder, work}),
             1);
  scene_.Cpu(scene_.Call({kWorker, kDispatch, kResume, work}), 2);
  EXPECT_EQ(Text(Paths()), "(thread pool): 0/3\n(thread pool) > Shop.P.Main.lambda#0: 3/3\n");
}

TEST_F(CallPathsTest, ShowsCallersAndWhatIsBelow) {
  scene_.Cpu(scene_.Call({"A.A.Main", "A.A.Left", "A.A.Hot", "A.A.Leaf"}), 6);
  scene_.Cpu(scene_.Call({"A.A.Main", "A.A.Right", "A.A.Hot"}), 3);
  scene_.Cpu(scene_.Call({"A.A.Main"}), 1);
  EXPECT_EQ(Text(BelowFrames(Paths(), Named("A.A.Hot"))),
            "A.A.Hot: 3/9\nA.A.Hot > A.A.Leaf: 6/6\n");
  EXPECT_EQ(Text(Callers(Paths(), Named("A.A.Hot"))),
            "A.A.Hot: 0/9\n"
            "A.A.Hot > A.A.Left: 0/6\n"
            "A.A.Hot > A.A.Left > A.A.Main: 6/6\n"
            "A.A.Hot > A.A.Right: 0/3\n"
            "A.A.Hot > A.A.Right > A.A.Main: 3/3\n");
  const CallPaths all = Callers(Paths());
  EXPECT_EQ(all.nodes[0].total.samples, 10u);
  EXPECT_NE(Text(all).find("A.A.Leaf > A.A.Hot > A.A.Left > A.A.Main: 6/6"), std::string::npos);
}

TEST(Shares, StateTheirError) {
  const PathWeight whole{.amount = 1000, .count = 100, .variance = 100 * 100, .samples = 100};
  const PathWeight part{.amount = 200, .count = 20, .variance = 20 * 100, .samples = 20};
  const Share share = ShareOf(part, whole);
  EXPECT_DOUBLE_EQ(share.value, 0.2);
  EXPECT_NEAR(share.error, 1.96 * 0.04, 1e-9);  // sqrt(0.2 * 0.8 / 100) = 0.04
  EXPECT_EQ(ShareOf(whole, whole).error, 0);
  EXPECT_EQ(ShareOf({}, {}).value, 0);
}

TEST(NativeNames, AreReadable) {
  using naming::NativeName;
  EXPECT_EQ(NativeName("/usr/lib/libm.so.6", "sin"), "libm.so.6!sin");
  EXPECT_EQ(NativeName("libm.so.6", ""), "libm.so.6");
  EXPECT_EQ(NativeName("/x/libcoreclr.so", "_ZN3WKS7gc_heap4markEi"),
            "libcoreclr.so!WKS::gc_heap::mark");
  EXPECT_EQ(NativeName("/x/a", "_ZNK3Foo3getEv"), "a!Foo::get");
  EXPECT_EQ(NativeName("/x/a", "_Z3runv"), "a!run");
  EXPECT_EQ(NativeName("", "_ZNSt6vectorIiE4pushEv"), "[native code]!_ZNSt6vectorIiE4pushEv");
  EXPECT_EQ(NativeName("a", "_ZN99999999999999999999xE"), "a!_ZN99999999999999999999xE");
}

}  // namespace
}  // namespace hindsight::analyzer
