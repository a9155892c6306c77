// A recording in which bits were flipped never yields a packet that was not written.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/support/reading.h"
#include "tests/support/sample_recordings.h"

namespace hindsight::testing {
namespace {

constexpr int kFlips = 10'000;
constexpr uint32_t kSeed = 20261121;

class BitFlips : public ::testing::Test {
 protected:
  void SetUp() override {
    WriteFile(path_, whole_);
    truth_ = ReadAll({path_});
    ASSERT_TRUE(truth_.integrity.intact());
  }

  size_t RandomOffset() {
    return std::uniform_int_distribution<size_t>(0, whole_.size() - 1)(random_);
  }
  size_t RandomUpTo(size_t limit) {
    return std::uniform_int_distribution<size_t>(0, limit)(random_);
  }

  const TempDir dir_;
  const std::string path_ = dir_ / "all.hsr";
  const std::string whole_ = SampleRecording().Concatenated();
  std::mt19937 random_{kSeed};
  ReadOutcome truth_;
};

TEST_F(BitFlips, OneBitIsAlwaysNoticed) {
  for (int i = 0; i < kFlips; ++i) {
    std::string bytes = whole_;
    const size_t offset = RandomOffset();
    bytes[offset] = static_cast<char>(bytes[offset] ^ (1 << RandomUpTo(7)));
    WriteFile(path_, bytes);
    const ReadOutcome outcome = ReadAll({path_});
    ASSERT_FALSE(outcome.error) << outcome.error->sentence;
    ASSERT_EQ(FindLie(truth_, outcome), "") << "flip " << i << " at " << offset;
    ASSERT_FALSE(outcome.integrity.intact()) << "flip " << i << " at " << offset;
    // One segment contains the bit; no other is affected.
    ASSERT_EQ(outcome.segments.size(), truth_.segments.size() - 1) << "flip " << i;
  }
}

// Runs of bytes overwritten, removed or doubled.
TEST_F(BitFlips, LargerWoundsAreNoticed) {
  for (int i = 0; i < kFlips / 10; ++i) {
    std::string bytes = whole_;
    const size_t offset = RandomOffset();
    const size_t size = 1 + RandomUpTo(std::min<size_t>(400, bytes.size() - offset - 1));
    switch (RandomUpTo(3)) {
      case 0:
        for (size_t at = offset; at < offset + size; ++at) bytes[at] ^= static_cast<char>(0x5a);
        break;
      case 1:
        bytes.replace(offset, size, size, '\0');
        break;
      case 2:
        bytes.erase(offset, size);
        break;
      default:
        bytes.insert(offset, bytes.substr(offset, size));
        break;
    }
    WriteFile(path_, bytes);
    ASSERT_EQ(FindLie(truth_, ReadAll({path_})), "") << "wound " << i << " at " << offset;
  }
}

}  // namespace
}  // namespace hindsight::testing
