#include "analyzer/model/runtime_work.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzer/model/display_names.h"
#include "tests/support/profile_scene.h"

namespace hindsight::analyzer {
namespace {

using testing::ProfileScene;

class RuntimeWorkTest : public ::testing::Test {
 protected:
  // Paths of the samples as they are named, "a > b", in the samples' order.
  std::vector<std::string> Named() {
    NameRuntimeWork(scene_.model());
    std::vector<std::string> all;
    for (const CpuSample& sample : scene_.model().samples.cpu.samples) {
      const CallTree& calls = scene_.model().samples.calls;
      std::string text;
      for (const CallId call : calls.Path(sample.call)) {
        const std::string name =
            MethodDisplayName(scene_.model().dictionaries, calls.node(call).method);
        text = text.empty() ? name : name + " > " + text;
      }
      all.push_back(text);
    }
    return all;
  }

  // The path of one sample on a thread of its own.
  std::string PathOf(const std::vector<std::string>& path, ThreadIndex thread = 1) {
    scene_.Cpu(scene_.Call(path), 1, thread);
    return Named().back();
  }

  ProfileScene scene_;
};

const std::string kMain = "Shop.P.Main";
using Names = std::vector<std::string>;

TEST_F(RuntimeWorkTest, CompilingIsKnownByItsLibrary) {
  EXPECT_EQ(PathOf({kMain, "libcoreclr.so!", "libclrjit.so!", "libc.so.6!"}),
            "Shop.P.Main > runtime: JIT");
}

TEST_F(RuntimeWorkTest, CollectingIsKnownByTheTime) {
  const CallId call = scene_.Call({kMain, "libcoreclr.so!"});
  scene_.Cpu(call, 2, 1, 5'000'000);
  scene_.model().collections.pauses = {
      {.at_ns = 4'000'000, .stopping_ns = 0, .total_ns = 5'000'000, .reason = 1}};
  EXPECT_EQ(Named(), Names({"Shop.P.Main > runtime: GC", "Shop.P.Main > runtime: other"}));
}

TEST_F(RuntimeWorkTest, PhasesOfCollectionsAreKnownBySymbols) {
  const std::string gc = "libcoreclr.so!_ZN3WKS7gc_heap";
  EXPECT_EQ(PathOf({kMain, gc + "15garbage_collectEi", gc + "10mark_phaseEi", "libc.so.6!memset"}),
            "Shop.P.Main > runtime: GC mark > libcoreclr.so!WKS::gc_heap::garbage_collect > "
            "libcoreclr.so!WKS::gc_heap::mark_phase > libc.so.6!memset");
}

TEST_F(RuntimeWorkTest, PlansAndAllocationsAreNoMarks) {
  const std::string gc = "libclrgc.so!_ZN3SVR7gc_heap";
  scene_.Cpu(scene_.Call({gc + "10plan_phaseEi", gc + "22allocate_in_condemnedEi"}), 1);
  scene_.Cpu(scene_.Call({kMain, "libcoreclr.so!JIT_New", gc + "19allocate_more_spaceEi"}), 1);
  const Names named = Named();
  EXPECT_TRUE(named[0].starts_with("runtime: GC plan > ")) << named[0];
  EXPECT_TRUE(named[1].starts_with("Shop.P.Main > runtime: allocation > ")) << named[1];
}

TEST_F(RuntimeWorkTest, TheWayToTheCompilerPreparesMethods) {
  const std::string prestub = "libcoreclr.so!";
  scene_.Cpu(scene_.Call({kMain, prestub, "libclrjit.so!"}), 3);
  scene_.Cpu(scene_.Call({"Shop.P.Other", prestub}), 1);
  EXPECT_EQ(Named().back(), "Shop.P.Other > runtime: method preparation");
}

TEST_F(RuntimeWorkTest, OneCompilationSaysNothingOfTheWay) {
  scene_.Cpu(scene_.Call({kMain, "libcoreclr.so!", "libclrjit.so!"}), 2);
  scene_.Cpu(scene_.Call({"Shop.P.Other", "libcoreclr.so!"}), 1);
  EXPECT_EQ(Named().back(), "Shop.P.Other > runtime: other");
}

TEST_F(RuntimeWorkTest, CallersSayWhatTheyCalledFor) {
  EXPECT_EQ(PathOf({kMain, "System.GC.Collect", "[dynamic] IL_STUB_PInvoke", "libcoreclr.so!"}),
            "Shop.P.Main > System.GC.Collect > [dynamic] IL_STUB_PInvoke > runtime: GC");
}

TEST_F(RuntimeWorkTest, ReflectionIsKnownByItsNamespace) {
  EXPECT_EQ(PathOf({kMain, "System.Reflection.Emit.ILGenerator.Emit", "libcoreclr.so!"}),
            "Shop.P.Main > System.Reflection.Emit.ILGenerator.Emit > runtime: reflection");
}

TEST_F(RuntimeWorkTest, ThreadsOfTheRuntimeSayWhatTheyAreFor) {
  const ThreadIndex marker = scene_.Thread(".NET Server GC");
  EXPECT_EQ(PathOf({"libc.so.6!start_thread", "libcoreclr.so!"}, marker),
            "libc.so.6!start_thread > runtime: GC");
}

TEST_F(RuntimeWorkTest, ManyFramesOnTheWayToManagedCodeAreOne) {
  EXPECT_EQ(PathOf({"libc.so.6!start_thread", "libcoreclr.so!", "libcoreclr.so!Call",
                    "libcoreclr.so!", kMain}),
            "libc.so.6!start_thread > runtime: calls > libcoreclr.so!Call > runtime: calls > "
            "Shop.P.Main");
}

TEST_F(RuntimeWorkTest, DoneTwiceItIsTheSame) {
  scene_.Cpu(scene_.Call({kMain, "System.Threading.Monitor.Wait", "libcoreclr.so!"}), 1);
  scene_.Cpu(scene_.Call({kMain, "libcoreclr.so!JIT_New", "libclrjit.so!"}), 1);
  scene_.Cpu(scene_.Call({kMain, "libcoreclr.so!", "Shop.P.Called"}), 1);
  const Names once = Named();
  EXPECT_EQ(Named(), once);
}

// As ICU, for a comparison of strings: the stub only passes the call on.
TEST_F(RuntimeWorkTest, ALibraryThatIsCalledThroughAStubDoesItsOwnWork) {
  EXPECT_EQ(PathOf({kMain, "![stub]", "libicui18n.so.72!usearch_next"}),
            "Shop.P.Main > libicui18n.so.72!usearch_next");
  EXPECT_EQ(PathOf({kMain, "![stub]", "libcoreclr.so!", "libc.so.6!memcpy"}),
            "Shop.P.Main > runtime: other > libc.so.6!memcpy");
}

TEST_F(RuntimeWorkTest, OtherCodeStaysAsItIs) {
  EXPECT_EQ(PathOf({"libc.so.6!start_thread", kMain, "libm.so.6!"}),
            "libc.so.6!start_thread > Shop.P.Main > libm.so.6");
}

}  // namespace
}  // namespace hindsight::analyzer
