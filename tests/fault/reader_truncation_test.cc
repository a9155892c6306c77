// A recording that ends at any byte is read up to there, and says so.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/reading.h"
#include "tests/support/sample_recordings.h"

namespace hindsight::testing {
namespace {

TEST(Truncation, OfOneFileThatHoldsAllAtEveryByte) {
  const TempDir dir;
  const std::string path = dir / "all.hsr";
  const std::string whole = SampleRecording().Concatenated();
  WriteFile(path, whole);
  const ReadOutcome truth = ReadAll({path});
  ASSERT_FALSE(truth.error);
  ASSERT_TRUE(truth.integrity.intact());
  ASSERT_EQ(truth.exceptions, 24u);

  const size_t first_segment_bytes = SampleRecording().segment_offsets(0)[1];
  for (size_t size = 0; size < whole.size(); ++size) {
    WriteFile(path, whole.substr(0, size));
    const ReadOutcome outcome = ReadAll({path});
    ASSERT_EQ(FindLie(truth, outcome), "") << "cut to " << size << " bytes";
    ASSERT_EQ(outcome.error.has_value(), size < first_segment_bytes) << size;
    ASSERT_FALSE(!outcome.error && outcome.integrity.closed_in_order) << size;
  }
}

// Every file of a folder is cut at every byte while the others are whole.
TEST(Truncation, OfEachFileOfAFolderAtEveryByte) {
  const TempDir dir;
  const std::string folder = dir / "shop-1.hindsight";
  const RecordingBuilder sample = SampleRecording();
  sample.WriteFolder(folder);
  const ReadOutcome truth = ReadAll({folder});
  ASSERT_TRUE(truth.integrity.intact());

  for (size_t file = 0; file < sample.files().size(); ++file) {
    const std::string path = folder + "/00000" + std::to_string(file + 1) + ".hsr";
    const std::string& whole = sample.files()[file];
    for (size_t size = 0; size < whole.size(); ++size) {
      WriteFile(path, whole.substr(0, size));
      const ReadOutcome outcome = ReadAll({folder});
      ASSERT_FALSE(outcome.error) << outcome.error->sentence;
      ASSERT_EQ(FindLie(truth, outcome), "") << path << " cut to " << size << " bytes";
      ASSERT_FALSE(outcome.integrity.intact()) << path << " cut to " << size << " bytes";
    }
    WriteFile(path, whole);
  }
}

}  // namespace
}  // namespace hindsight::testing
