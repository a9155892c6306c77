// Descriptors in a process whose standard streams are closed.
#include "recorder/base/descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <utility>

namespace hindsight::recorder {
namespace {

class DescriptorTest : public testing::Test {
 protected:
  DescriptorTest() : stdin_(dup(STDIN_FILENO)) { close(STDIN_FILENO); }
  ~DescriptorTest() override {
    dup2(stdin_, STDIN_FILENO);
    close(stdin_);
  }
  static bool IsOpen(int fd) { return fcntl(fd, F_GETFD) >= 0; }

  const int stdin_;
};

TEST_F(DescriptorTest, AFileNeverTakesTheNumberOfAStandardStream) {
  const int opened = open("/dev/null", O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(opened, STDIN_FILENO);
  Descriptor file(opened);
  EXPECT_GT(file.get(), STDERR_FILENO);
  EXPECT_TRUE(file.IsOurs());
  EXPECT_EQ(fcntl(file.get(), F_GETFD), FD_CLOEXEC);
  EXPECT_FALSE(IsOpen(STDIN_FILENO));
  const int number = file.get();
  EXPECT_EQ(file.Close(), 0);
  EXPECT_FALSE(IsOpen(number));
}

TEST_F(DescriptorTest, OtherNumbersStayAsTheyAre) {
  const int holder = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int opened = open("/dev/null", O_RDONLY | O_CLOEXEC);
  ASSERT_GT(opened, STDERR_FILENO);
  const Descriptor file(opened);
  EXPECT_EQ(file.get(), opened);
  EXPECT_FALSE(Descriptor(-1));
  close(holder);
}

}  // namespace
}  // namespace hindsight::recorder
