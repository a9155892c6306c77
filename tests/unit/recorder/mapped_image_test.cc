// The functions and exports of a small library, and of one that lies.
#include "recorder/names/mapped_image.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string_view>

#include "tests/unit/recorder/test_image.h"

namespace hindsight::recorder {
namespace {

constexpr uintptr_t kBase = 0x10000;
constexpr uint32_t kExports = 0x400, kFunctions = 0x600, kSize = 0x3000;

class MappedImageTest : public testing::Test, protected TestImage {
 protected:
  using Index = MappedImage::DirectoryIndex;

  MappedImageTest() : TestImage(false) {
    Put<uint32_t>(0x88, 0x1234);  // stamp
    Put(kOptional + 56, kSize);
    PutDirectory(Index::kExports, kExports, 0x100);
    PutDirectory(Index::kExceptions, kFunctions, 3 * 12);
    PutFunction(0, 0x1000, 0x1040, 0x2000);
    PutFunction(1, 0x1040, 0x1080, 0x2010);
    PutFunction(2, 0x1100, 0x1200, 0x2020);
    // Their names are in another order.
    PutName(0, 1, "Second", 0x10a0);
    PutName(1, 0, "First", 0x1000);
    Put<uint32_t>(kExports + 20, 2);
    Put<uint32_t>(kExports + 24, 2);
    Put<uint32_t>(kExports + 28, kExports + 0x40);
    Put<uint32_t>(kExports + 32, kExports + 0x60);
    Put<uint32_t>(kExports + 36, kExports + 0x80);
  }

  void PutFunction(uint32_t index, uint32_t start, uint32_t end, uint32_t unwind) {
    Put(kFunctions + index * 12, start);
    Put(kFunctions + index * 12 + 4, end);
    Put(kFunctions + index * 12 + 8, unwind);
  }
  void PutName(uint32_t index, uint16_t ordinal, std::string_view name, uint32_t rva) {
    const uint32_t text = kExports + 0xa0 + index * 16;
    std::memcpy(bytes.data() + text, name.data(), name.size());
    Put(kExports + 0x40 + ordinal * 4, rva);
    Put(kExports + 0x60 + index * 4, text);
    Put(kExports + 0x80 + index * 2, ordinal);
  }

  const ReadMemory read_ = ReadAt(kBase);
  MappedImage image_{read_, kBase};
};

TEST_F(MappedImageTest, SaysWhatItIs) {
  ASSERT_TRUE(image_.Open());
  EXPECT_EQ(image_.bytes(), kSize);
  EXPECT_EQ(image_.stamp(), 0x1234u);
  EXPECT_EQ(image_.Find(MappedImage::DirectoryIndex::kClr).rva, 0u);
  EXPECT_FALSE(MappedImage(read_, kBase + 1).Open());
  EXPECT_FALSE(MappedImage(read_, kBase + 2 * kSize).Open());
}

TEST_F(MappedImageTest, FindsFunctions) {
  ASSERT_TRUE(image_.Open());
  const auto expect = [&](uint32_t rva, uint32_t start, uint32_t end, uint32_t unwind) {
    MappedImage::Function function;
    ASSERT_TRUE(image_.FindFunction(rva, function));
    EXPECT_EQ(function.start, start);
    EXPECT_EQ(function.end, end);
    EXPECT_EQ(function.unwind, unwind);
  };
  expect(0x1000, 0x1000, 0x1040, 0x2000);
  expect(0x107f, 0x1040, 0x1080, 0x2010);
  expect(0x1100, 0x1100, 0x1200, 0x2020);
  // Between functions, before the first and after the last one.
  expect(0x1090, 0x1080, 0x1100, 0);
  expect(0x0fff, 0, 0x1000, 0);
  expect(0x1200, 0x1200, kSize, 0);
  PutDirectory(Index::kExceptions, 0, 0);
  MappedImage::Function function;
  EXPECT_FALSE(image_.FindFunction(0x1000, function));
  PutDirectory(Index::kExceptions, kFunctions, 0xfffffff0);  // far beyond the end
  EXPECT_FALSE(image_.FindFunction(0x2fff, function));
}

TEST_F(MappedImageTest, FindsExports) {
  ASSERT_TRUE(image_.Open());
  EXPECT_EQ(image_.FindExport(0x1000, 0x1000).name, "First");
  EXPECT_EQ(image_.FindExport(0x1000, 0x103f).name, "First");
  EXPECT_EQ(image_.FindExport(0x1080, 0x10f0).name, "Second");
  EXPECT_EQ(image_.FindExport(0x1080, 0x10f0).rva, 0x10a0u);
  EXPECT_EQ(image_.FindExport(0, UINT32_MAX).name, "Second");
  EXPECT_EQ(image_.FindExport(0x1080, 0x109f).name, "");  // not before it
  Put<uint16_t>(kExports + 0x80, 9);                      // no such function
  EXPECT_EQ(image_.FindExport(0x1080, 0x10f0).name, "");
  Put<uint32_t>(kExports + 20, 0xffffffff);
  EXPECT_EQ(image_.FindExport(0x1000, 0x1000).name, "");
}

}  // namespace
}  // namespace hindsight::recorder
