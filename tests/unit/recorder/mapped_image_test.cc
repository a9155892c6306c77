// The functions and exports of a small library, and of one that lies.
#include "recorder/names/mapped_image.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string_view>
#include <vector>

namespace hindsight::recorder {
namespace {

constexpr uintptr_t kBase = 0x10000;
constexpr uint32_t kExports = 0x400, kFunctions = 0x600, kSize = 0x3000;

class MappedImageTest : public testing::Test {
 protected:
  MappedImageTest() {
    Put<uint16_t>(0, 0x5a4d);
    Put<uint32_t>(0x3c, 0x80);
    Put<uint32_t>(0x80, 0x4550);
    Put<uint32_t>(0x88, 0x1234);  // stamp
    const size_t optional = 0x98;
    Put<uint16_t>(optional, 0x20b);
    Put<uint32_t>(optional + 56, kSize);
    Put<uint32_t>(optional + 108, 16);  // directories
    PutDirectory(0, kExports, 0x100);
    PutDirectory(3, kFunctions, 3 * 12);
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

  template <typename T>
  void Put(size_t offset, T value) {
    std::memcpy(bytes_.data() + offset, &value, sizeof(T));
  }
  void PutDirectory(uint32_t index, uint32_t rva, uint32_t bytes) {
    Put(0x98 + 112 + index * 8, rva);
    Put(0x98 + 116 + index * 8, bytes);
  }
  void PutFunction(uint32_t index, uint32_t start, uint32_t end, uint32_t unwind) {
    Put(kFunctions + index * 12, start);
    Put(kFunctions + index * 12 + 4, end);
    Put(kFunctions + index * 12 + 8, unwind);
  }
  void PutName(uint32_t index, uint16_t ordinal, std::string_view name, uint32_t rva) {
    const uint32_t text = kExports + 0xa0 + index * 16;
    std::memcpy(bytes_.data() + text, name.data(), name.size());
    Put(kExports + 0x40 + ordinal * 4, rva);
    Put(kExports + 0x60 + index * 4, text);
    Put(kExports + 0x80 + index * 2, ordinal);
  }

  std::vector<uint8_t> bytes_ = std::vector<uint8_t>(kSize);
  const ReadMemory read_ = [this](uintptr_t address, void* out, size_t size) {
    if (address < kBase || address - kBase > bytes_.size() ||
        size > bytes_.size() - (address - kBase)) {
      return false;
    }
    std::memcpy(out, bytes_.data() + (address - kBase), size);
    return true;
  };
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
  PutDirectory(3, 0, 0);
  MappedImage::Function function;
  EXPECT_FALSE(image_.FindFunction(0x1000, function));
  PutDirectory(3, kFunctions, 0xfffffff0);  // far beyond the end
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
