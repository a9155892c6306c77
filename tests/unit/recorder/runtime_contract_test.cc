// The runtime's description of its own structures, as JSON in compact form and in others.
#include "recorder/base/runtime_contract.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "recorder/sources/exceptions/exception_dispatches.h"

namespace hindsight::recorder {
namespace {

// As of 10.0.12, shortened.
constexpr std::string_view kOf10 =
    R"({"version":0,"baseline":"empty","types":{"Thread":{"Id":16,"OSId":296,"State":0,)"
    R"("PreemptiveGCDisabled":4,"ExceptionTracker":352,"GCHandle":[304,"GCHandle"],)"
    R"("LinkNext":[112,"pointer"]},"ThreadStore":{"FirstThreadLink":160,"!":24},)"
    R"("ExceptionInfo":{"ThrownObject":8,"PreviousNestedInfo":0}},)"
    R"("globals":{"AppDomain":[1],"FeatureCOMInterop":["0x0","uint8"]},)"
    R"("contracts":{"Exception":1,"ExecutionManager":2,"Thread":1}})";

TEST(RuntimeContractTest, ReportsOffsetsWithAndWithoutTypes) {
  EXPECT_EQ(FieldOffset(kOf10, "Thread", "OSId"), 296u);
  EXPECT_EQ(FieldOffset(kOf10, "Thread", "GCHandle"), 304u);
  EXPECT_EQ(FieldOffset(kOf10, "ThreadStore", "FirstThreadLink"), 160u);
  EXPECT_EQ(FieldOffset(kOf10, "ExceptionInfo", "PreviousNestedInfo"), 0u);
  EXPECT_EQ(ContractVersion(kOf10, "ExecutionManager"), 2u);
  EXPECT_EQ(ContractVersion(kOf10, "Thread"), 1u);
}

TEST(RuntimeContractTest, DoesNotFindWhatIsNotThere) {
  EXPECT_EQ(FieldOffset(kOf10, "Thread", "Os"), std::nullopt);
  EXPECT_EQ(FieldOffset(kOf10, "Threads", "OSId"), std::nullopt);
  // Only in its own object.
  EXPECT_EQ(FieldOffset(kOf10, "ThreadStore", "ThrownObject"), std::nullopt);
  EXPECT_EQ(FieldOffset(kOf10, "contracts", "Thread"), std::nullopt);
  EXPECT_EQ(ContractVersion(kOf10, "Heap"), std::nullopt);
  EXPECT_EQ(ContractVersion(R"({"contracts":{"Thread":"c1"}})", "Thread"), std::nullopt);
}

TEST(RuntimeContractTest, ReadsBlanks) {
  constexpr std::string_view kSpread =
      "{ \"types\" : {\n \"Thread\" : { \"A\" : { } , \"OSId\" : [ 8 , \"u\" ] , \"Id\" : 4 } } }";
  EXPECT_EQ(FieldOffset(kSpread, "Thread", "OSId"), 8u);
  EXPECT_EQ(FieldOffset(kSpread, "Thread", "Id"), 4u);
}

// Whatever the text is: a result or none, and no read past its end.
TEST(RuntimeContractTest, EndsAtWhateverIsWrong) {
  for (size_t length = 0; length <= kOf10.size(); ++length) {
    const std::string cut(kOf10.substr(0, length));
    EXPECT_TRUE(ContractVersion(cut, "Thread").value_or(1) == 1) << cut;
    EXPECT_TRUE(FieldOffset(cut, "ExceptionInfo", "ThrownObject").value_or(8) == 8) << cut;
  }
  for (size_t at = 0; at < kOf10.size(); ++at) {
    for (const char wrong : {'{', '}', '[', ']', '"', ',', ':', '9', ' '}) {
      std::string changed(kOf10);
      changed[at] = wrong;
      FieldOffset(changed, "ExceptionInfo", "ThrownObject");
      ContractVersion(changed, "Thread");
    }
  }
  EXPECT_EQ(FieldOffset(std::string(100'000, '['), "A", "B"), std::nullopt);
  EXPECT_EQ(FieldOffset("{\"a\":" + std::string(100'000, '['), "A", "B"), std::nullopt);
}

// A thread with two exceptions in flight, as in the description above.
struct FakeThread {
  std::byte thread[512] = {};
  uintptr_t outer[2] = {}, inner[2] = {};  // next, handle
  uintptr_t object = 0xb0b;

  explicit FakeThread(uint32_t os_id) {
    Put(296, os_id);
    Put(4, uint32_t{1});
    Put(352, reinterpret_cast<uintptr_t>(inner));
    inner[0] = reinterpret_cast<uintptr_t>(outer);
    inner[1] = reinterpret_cast<uintptr_t>(&object);
  }
  template <typename T>
  void Put(size_t offset, T value) {
    std::memcpy(thread + offset, &value, sizeof(value));
  }
  clr::ThreadID id() const { return reinterpret_cast<clr::ThreadID>(thread); }
};

class ExceptionDispatchesTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(dispatches_.Open(kOf10)); }

  ExceptionDispatches dispatches_;
  FakeThread fake_{77};
  const uintptr_t inner_ = reinterpret_cast<uintptr_t>(fake_.inner);
  const uintptr_t outer_ = reinterpret_cast<uintptr_t>(fake_.outer);
  Dispatches read_;
};

TEST_F(ExceptionDispatchesTest, AreReadInnermostFirst) {
  ASSERT_TRUE(dispatches_.Read(fake_.id(), 77, read_));
  EXPECT_EQ(read_.count, 2u);
  EXPECT_TRUE(read_.complete);
  EXPECT_EQ(read_.innermost(), inner_);
  EXPECT_EQ(read_.thrown, 0xb0bu);
  EXPECT_TRUE(read_.IsAround(outer_));
  EXPECT_FALSE(read_.IsAround(inner_));
  EXPECT_FALSE(read_.IsAround(0x1234));
}

TEST_F(ExceptionDispatchesTest, AreNotReadOfAnotherThreadOrWithoutAny) {
  EXPECT_FALSE(dispatches_.Read(fake_.id(), 78, read_));
  EXPECT_FALSE(dispatches_.Read(0, 77, read_));
  fake_.Put(352, uintptr_t{0});
  EXPECT_FALSE(dispatches_.Read(fake_.id(), 77, read_));
}

// A collection may move it at any moment.
TEST_F(ExceptionDispatchesTest, HaveNoObjectWhereTheThreadIsNotCooperative) {
  fake_.Put(4, uint32_t{0});
  ASSERT_TRUE(dispatches_.Read(fake_.id(), 77, read_));
  EXPECT_EQ(read_.thrown, 0u);
}

TEST_F(ExceptionDispatchesTest, MayIncludeAnyWhereThereAreTooMany) {
  fake_.outer[0] = inner_;  // a ring
  ASSERT_TRUE(dispatches_.Read(fake_.id(), 77, read_));
  EXPECT_FALSE(read_.complete);
  EXPECT_TRUE(read_.IsAround(0x1234));
}

TEST_F(ExceptionDispatchesTest, AreLookedAtFromOutside) {
  uintptr_t innermost = 0, around = 0;
  ASSERT_TRUE(dispatches_.Look(fake_.id(), innermost, around));
  EXPECT_EQ(innermost, inner_);
  EXPECT_EQ(around, outer_);
  EXPECT_FALSE(dispatches_.Look(4096, innermost, around));  // not mapped
  fake_.Put(352, uintptr_t{0});
  ASSERT_TRUE(dispatches_.Look(fake_.id(), innermost, around));
  EXPECT_EQ(innermost, 0u);
}

TEST(ExceptionDispatchesOpenTest, RefusesAnotherVersionAndWhatIsMissing) {
  ExceptionDispatches dispatches;
  EXPECT_FALSE(dispatches.Open(""));
  std::string other(kOf10);
  other.replace(other.find("\"Thread\":1"), 10, "\"Thread\":2");
  EXPECT_FALSE(dispatches.Open(other));
  for (const char* field :
       {"OSId", "PreemptiveGCDisabled", "ExceptionTracker", "ThrownObject", "PreviousNestedInfo"}) {
    std::string without(kOf10);
    without[without.find(field)] = 'x';
    EXPECT_FALSE(dispatches.Open(without)) << field;
  }
}

}  // namespace
}  // namespace hindsight::recorder
