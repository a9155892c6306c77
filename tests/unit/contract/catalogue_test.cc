#include "recorder/contract/catalogue.h"

#include <gtest/gtest.h>

#include <set>

#include "recorder/contract/options.h"

namespace hindsight::contract {
namespace {

TEST(Catalogue, NamesEachSourceOnceAndFindsIt) {
  std::set<std::string_view> names;
  for (const SourceInfo& source : Catalogue()) {
    EXPECT_TRUE(names.insert(source.name).second) << source.name;
    EXPECT_EQ(FindSource(source.name), &source);
    EXPECT_FALSE(source.description.empty());
    EXPECT_FALSE(source.cost.empty());
    EXPECT_FALSE(source.CostHere().empty());
  }
  EXPECT_EQ(names.size(), kSourceCount);
  EXPECT_EQ(FindSource("nothing"), nullptr);
  EXPECT_EQ(FindSource(""), nullptr);
}

TEST(Catalogue, AsksForNothingThatCannotBeGivenBack) {
  for (const SourceInfo& source : Catalogue()) {
    EXPECT_FALSE(source.mask.empty()) << source.name;
    // An immutable flag makes a detach impossible; MONITOR_GC makes every gen0 GC walk the heap.
    EXPECT_TRUE((source.mask & clr::kImmutable).empty()) << source.name;
    EXPECT_TRUE((source.mask & clr::kMonitorGc).empty()) << source.name;
    EXPECT_TRUE(source.AllowedAfterAttach()) << source.name;
  }
}

TEST(Catalogue, AttachIsDeniedToAMaskOutsideTheAllowedSet) {
  SourceInfo source = Catalogue()[0];
  source.mask = clr::EventMask{0x00000020, 0};  // COR_PRF_MONITOR_JIT_COMPILATION is allowed
  EXPECT_TRUE(source.AllowedAfterAttach());
  source.mask = clr::EventMask{0x00001000, 0};  // COR_PRF_MONITOR_ENTERLEAVE is not
  EXPECT_FALSE(source.AllowedAfterAttach());
}

TEST(Catalogue, EveryParameterIsAnOptionWithTheSaidDefault) {
  for (const SourceInfo& source : Catalogue()) {
    for (const Parameter& parameter : source.parameters) {
      const std::string key = std::string(source.name) + '.' + std::string(parameter.name) + '=';
      Options options;
      EXPECT_EQ(ParseOptions(key + std::string(parameter.default_value), options), "");
      EXPECT_EQ(FormatOptions(options), "") << key << " differs from its documented default";
      EXPECT_NE(ParseOptions(key + "purple", options), "");
    }
  }
}

}  // namespace
}  // namespace hindsight::contract
