// The revision of the sources, from the bytes of an attribute as compilers write them.
#include "recorder/names/source_revision.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hindsight::recorder {
namespace {

std::vector<uint8_t> Attribute(std::string_view version) {
  std::vector<uint8_t> bytes = {1, 0};
  if (version.size() < 0x80) {
    bytes.push_back(static_cast<uint8_t>(version.size()));
  } else {
    bytes.push_back(static_cast<uint8_t>(0x80 | version.size() >> 8));
    bytes.push_back(static_cast<uint8_t>(version.size()));
  }
  bytes.insert(bytes.end(), version.begin(), version.end());
  bytes.insert(bytes.end(), {0, 0});  // no named arguments
  return bytes;
}

std::string Of(std::string_view version) { return SourceRevision(Attribute(version)); }

TEST(SourceRevisionTest, IsBehindThePlus) {
  const std::string hash = "8b06d317134c6cd370cb1a3e0d10c1e3b09f76e6";
  EXPECT_EQ(Of("1.0.0+" + hash), hash);
  EXPECT_EQ(Of("1.0.0-preview.3+" + hash), hash);
  EXPECT_EQ(Of("1.0.0+nightly." + hash), hash);
  EXPECT_EQ(Of("1.0.0+Branch.main.Sha.b53c6da"), "b53c6da");
  EXPECT_EQ(Of(std::string(150, '1') + "+" + hash), hash);
}

TEST(SourceRevisionTest, WhatIsNoneIsEmpty) {
  EXPECT_EQ(Of("1.0.0"), "");
  EXPECT_EQ(Of("1.0.0+"), "");
  EXPECT_EQ(Of("1.0.0+nightly"), "");
  EXPECT_EQ(Of("1.0.0+b53c6d"), "");  // too short for one
  EXPECT_EQ(Of("1.0.0+" + std::string(65, 'a')), "");
  EXPECT_EQ(Of(""), "");
}

TEST(SourceRevisionTest, NoByteIsReadBeyondTheEnd) {
  const std::vector<uint8_t> whole = Attribute("1.0.0+8b06d317134c6cd370cb1a3e0d10c1e3b09f76e6");
  for (size_t size = 0; size + 2 < whole.size(); ++size) {
    const std::vector<uint8_t> cut(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_EQ(SourceRevision(cut), "");
  }
  EXPECT_EQ(SourceRevision(std::vector<uint8_t>{1, 0, 0xff}), "");  // null
  EXPECT_EQ(SourceRevision(std::vector<uint8_t>{2, 0, 1, '+'}), "");
}

}  // namespace
}  // namespace hindsight::recorder
