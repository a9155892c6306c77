// The debug directory of a small image, in both layouts, and of malformed images.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "recorder/names/code_view.h"

namespace hindsight::recorder {
namespace {

constexpr uintptr_t kBase = 0x10000;
constexpr uint32_t kRva = 0x2000, kFileOffset = 0x200;  // of the only section

struct TestImage {
  std::vector<uint8_t> bytes = std::vector<uint8_t>(0x3000);

  template <typename T>
  void Put(size_t offset, T value) {
    std::memcpy(bytes.data() + offset, &value, sizeof(T));
  }
  void PutEntry(size_t section, uint32_t index, uint16_t minor, uint32_t data) {
    const size_t at = section + index * 28;
    Put<uint32_t>(at + 4, 0x11223344);  // stamp
    Put<uint16_t>(at + 10, minor);
    Put<uint32_t>(at + 12, 2);   // CodeView
    Put<uint32_t>(at + 16, 40);  // size
    Put<uint32_t>(at + 20, kRva + data);
    Put<uint32_t>(at + 24, kFileOffset + data);
  }

  // `section`: where its bytes are.
  explicit TestImage(size_t section) {
    Put<uint16_t>(0, 0x5a4d);
    Put<uint32_t>(0x3c, 0x80);
    Put<uint32_t>(0x80, 0x4550);
    Put<uint16_t>(0x80 + 6, 1);
    Put<uint16_t>(0x80 + 20, 240);
    const size_t optional = 0x80 + 24;
    Put<uint16_t>(optional, 0x20b);
    Put<uint32_t>(optional + 108, 16);
    Put<uint32_t>(optional + 112 + 6 * 8, kRva);
    Put<uint32_t>(optional + 112 + 6 * 8 + 4, 2 * 28);
    const size_t header = optional + 240;
    Put<uint32_t>(header + 12, kRva);
    Put<uint32_t>(header + 16, 0x400);
    Put<uint32_t>(header + 20, kFileOffset);
    PutEntry(section, 0, 0, 0x100);  // of native code
    PutEntry(section, 1, 0x504d, 0x200);
    std::memcpy(bytes.data() + section + 0x200, "RSDS0123456789abcdef\1\0\0\0/src/App.pdb", 36);
  }

  bool Find(bool is_flat, PdbReference& out) const {
    return FindPdb(
        [this](uintptr_t address, void* to, size_t size) {
          const uintptr_t offset = address - kBase;
          if (address < kBase || offset > bytes.size() || size > bytes.size() - offset) {
            return false;
          }
          std::memcpy(to, bytes.data() + offset, size);
          return true;
        },
        kBase, is_flat, out);
  }
};

TEST(FindPdb, ReadsBothLayouts) {
  for (const bool is_flat : {false, true}) {
    PdbReference pdb;
    ASSERT_TRUE(TestImage(is_flat ? kFileOffset : kRva).Find(is_flat, pdb)) << is_flat;
    EXPECT_EQ(std::memcmp(pdb.id.data(), "0123456789abcdef\x44\x33\x22\x11", 20), 0);
    EXPECT_EQ(pdb.path, "/src/App.pdb");
  }
}

TEST(FindPdb, RefusesWhatIsNoImage) {
  PdbReference pdb;
  EXPECT_FALSE(TestImage(kRva).Find(true, pdb));
  TestImage no_magic(kRva);
  no_magic.Put<uint16_t>(0, 0);
  EXPECT_FALSE(no_magic.Find(false, pdb));
  TestImage not_portable(kRva);
  not_portable.Put<uint16_t>(kRva + 28 + 10, 0);
  EXPECT_FALSE(not_portable.Find(false, pdb));
}

TEST(FindPdb, SurvivesAnyByte) {
  for (const bool is_flat : {false, true}) {
    for (size_t i = 0; i < 0x280; ++i) {
      for (const uint8_t value : {0x00, 0x7f, 0xff}) {
        TestImage image(is_flat ? kFileOffset : kRva);
        image.bytes[i] = value;
        PdbReference pdb;
        image.Find(is_flat, pdb);
        EXPECT_LE(pdb.path.size(), 4096u);
      }
    }
  }
}

}  // namespace
}  // namespace hindsight::recorder
