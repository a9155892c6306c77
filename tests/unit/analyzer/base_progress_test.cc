#include "analyzer/base/progress.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

#include "tests/support/recording_builder.h"

namespace hindsight::analyzer {
namespace {

std::string Drawn(bool draws, std::chrono::milliseconds work) {
  const testing::TempDir dir;
  const std::string path = dir / "terminal";
  const int descriptor = open(path.c_str(), O_CREAT | O_WRONLY, 0600);
  {
    Progress progress("reading", descriptor, draws);
    progress.Start(200);
    progress.Update(1);
    std::this_thread::sleep_for(work);
    progress.Update(100);
    progress.Update(101);  // within a tenth of a second: not drawn
  }
  close(descriptor);
  return testing::ReadFile(path);
}

TEST(Progress, DrawsABarAfterHalfASecondAndRemovesIt) {
  const std::string drawn = Drawn(true, std::chrono::milliseconds(550));
  EXPECT_EQ(drawn,
            "\rreading [" + std::string(20, '=') + std::string(20, ' ') + "] 50%\x1b[K\r\x1b[K");
}

TEST(Progress, ShortWorkShowsNothing) { EXPECT_EQ(Drawn(true, std::chrono::milliseconds(1)), ""); }

TEST(Progress, ReportsItsShareAlsoWhereNothingIsDrawn) {
  Progress progress("", -1, false);
  EXPECT_EQ(progress.Percent(), 0);
  progress.Start(200);
  progress.Update(1);
  EXPECT_EQ(progress.Percent(), 0);
  progress.Update(199);
  EXPECT_EQ(progress.Percent(), 99);
  progress.Update(1000);
  EXPECT_EQ(progress.Percent(), 100);
  progress.Start(0);
  progress.Update(7);
  EXPECT_EQ(progress.Percent(), 0) << "of how much is not known";
}

TEST(Progress, ShowsNothingWithoutATerminal) {
  EXPECT_EQ(Drawn(false, std::chrono::milliseconds(550)), "");
}

}  // namespace
}  // namespace hindsight::analyzer
