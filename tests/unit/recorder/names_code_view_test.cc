// The debug directory of a small image, in both layouts, and of malformed images.
#include <gtest/gtest.h>

#include <cstring>

#include "recorder/names/code_view.h"
#include "tests/unit/recorder/test_image.h"

namespace hindsight::recorder {
namespace {

constexpr uintptr_t kBase = 0x10000;
constexpr uint32_t kEntryBytes = 28;

struct ImageWithPdb : TestImage {
  explicit ImageWithPdb(bool flat) : TestImage(flat) {
    PutDirectory(MappedImage::DirectoryIndex::kDebug, kRva, 2 * kEntryBytes);
    PutEntry(0, 0, 0x100);  // of native code
    PutEntry(1, 0x504d, 0x200);
    std::memcpy(bytes.data() + section + 0x200, "RSDS0123456789abcdef\1\0\0\0/src/App.pdb", 36);
  }
  void PutEntry(uint32_t index, uint16_t minor, uint32_t data) {
    const size_t at = section + index * kEntryBytes;
    Put<uint32_t>(at + 4, 0x11223344);  // stamp
    Put<uint16_t>(at + 10, minor);
    Put<uint32_t>(at + 12, 2);   // CodeView
    Put<uint32_t>(at + 16, 40);  // size
    Put<uint32_t>(at + 20, kRva + data);
    Put<uint32_t>(at + 24, kFileOffset + data);
  }

  bool Find(bool flat, PdbReference& out) const { return FindPdb(ReadAt(kBase), kBase, flat, out); }
};

TEST(FindPdb, ReadsBothLayouts) {
  for (const bool is_flat : {false, true}) {
    PdbReference pdb;
    ASSERT_TRUE(ImageWithPdb(is_flat).Find(is_flat, pdb)) << is_flat;
    EXPECT_EQ(std::memcmp(pdb.id.data(), "0123456789abcdef\x44\x33\x22\x11", 20), 0);
    EXPECT_EQ(pdb.path, "/src/App.pdb");
  }
}

TEST(FindPdb, RefusesWhatIsNoImage) {
  PdbReference pdb;
  EXPECT_FALSE(ImageWithPdb(false).Find(true, pdb));
  ImageWithPdb no_magic(false);
  no_magic.Put<uint16_t>(0, 0);
  EXPECT_FALSE(no_magic.Find(false, pdb));
  ImageWithPdb not_portable(false);
  not_portable.Put<uint16_t>(not_portable.section + kEntryBytes + 10, 0);
  EXPECT_FALSE(not_portable.Find(false, pdb));
}

TEST(FindPdb, SurvivesAnyByte) {
  for (const bool is_flat : {false, true}) {
    for (size_t i = 0; i < 0x280; ++i) {
      for (const uint8_t value : {0x00, 0x7f, 0xff}) {
        ImageWithPdb image(is_flat);
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
