// When a snapshot relies on the runtime's private flag of unloadable classes.
#include "recorder/heap/collectible_flag.h"

#include <gtest/gtest.h>

#include <atomic>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>

#include "recorder/heap/class_tables.h"
#include "recorder/output/segment_writer.h"

namespace hindsight::recorder {
namespace {

CollectibleFlagProof After(std::initializer_list<std::pair<bool, bool>> seen) {
  CollectibleFlagProof proof;
  for (const auto& [is_permanent, has_flag] : seen) proof.Saw(is_permanent, has_flag);
  return proof;
}

TEST(CollectibleFlag, FitsOnceItWasSeenBothWays) {
  EXPECT_FALSE(After({}).fits());
  // A bit that is never set looks right in every class of a permanent module.
  EXPECT_FALSE(After({{true, false}, {true, false}}).fits());
  EXPECT_FALSE(After({{false, true}}).fits());
  EXPECT_TRUE(After({{true, false}, {false, true}}).fits());
}

TEST(CollectibleFlag, WithoutUnloadableModulesItFitsOnceItWasClearInOthers) {
  CollectibleFlagProof proof;
  proof.SawAll(true);
  EXPECT_FALSE(proof.fits());
  proof.Saw(true, false);
  EXPECT_TRUE(proof.fits());
  proof.SawAll(false);
  EXPECT_FALSE(proof.fits());
  proof.SawAll(true);
  proof.Saw(true, true);
  EXPECT_FALSE(proof.fits());
}

TEST(CollectibleFlag, OneClassThatContradictsDecidesForGood) {
  EXPECT_FALSE(After({{true, true}, {true, false}, {false, true}}).fits());
  EXPECT_FALSE(After({{true, false}, {false, true}, {false, false}}).fits());
}

TEST(CollectibleFlag, KnowsWhichSortIsMissing) {
  const CollectibleFlagProof proof = After({{true, false}});
  EXPECT_TRUE(proof.has_seen(true));
  EXPECT_FALSE(proof.has_seen(false));
}

class CollectibleFlagInTables : public testing::Test {
 protected:
  static constexpr uint64_t kHeapAsOf = 100;

  ClassTables Tables(bool only_permanent) {
    return ClassTables(names_, dictionaries_, packets_, rules_, threads_,
                       {{}, only_permanent, 150, kHeapAsOf, proof_});
  }
  void Prove() {
    proof_.Saw(true, false);
    proof_.Saw(false, true);
  }
  void Unload() {
    gate_.ModuleUnloading(
        0x4000, [](uint64_t) {}, 200);
  }
  static SnapshotClass Class(bool is_collectible) {
    SnapshotClass type{};
    type.is_collectible = is_collectible;
    return type;
  }

  SegmentWriter segments_;
  PacketWriter packets_{segments_};
  StackTable stacks_;
  std::atomic<bool> suspended_{false};
  CodeGate gate_;
  RuntimeMetadata names_{nullptr, gate_};
  DictionaryWriter dictionaries_{names_, stacks_, suspended_, packets_};
  const ValueRules rules_{std::span<const std::string>{}};
  ThreadTables threads_{dictionaries_, packets_};
  CollectibleFlagProof proof_;
};

// An unproved flag does not make a class count as never unloaded.
TEST_F(CollectibleFlagInTables, ClassesCountAsUnloadableUntilItIsProved) {
  Unload();
  const ClassTables tables = Tables(false);
  EXPECT_EQ(tables.AsOf(Class(false)), kHeapAsOf);
  EXPECT_FALSE(tables.IsPermanent(Class(false)));
  Prove();
  EXPECT_EQ(tables.AsOf(Class(false)), kForEver);
  EXPECT_EQ(tables.AsOf(Class(true)), kHeapAsOf);
  EXPECT_TRUE(tables.IsPermanent(Class(false)));
  EXPECT_FALSE(tables.IsPermanent(Class(true)));
  proof_.Saw(false, false);
  EXPECT_EQ(tables.AsOf(Class(false)), kHeapAsOf);
  EXPECT_FALSE(tables.IsPermanent(Class(false)));
}

// Nothing that is loaded can be unloaded, so no flag is needed.
TEST_F(CollectibleFlagInTables, WithoutUnloadableModulesNoClassIs) {
  const ClassTables tables = Tables(true);
  EXPECT_TRUE(tables.IsPermanent(Class(false)));
  EXPECT_EQ(tables.AsOf(Class(false)), kHeapAsOf);
}

}  // namespace
}  // namespace hindsight::recorder
