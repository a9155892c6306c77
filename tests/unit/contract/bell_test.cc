// The bell that wakes the control thread, even if its descriptor now refers to another file.
#include "recorder/control/bell.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

namespace hindsight::recorder {
namespace {

class BellTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(bell_.Open()); }
  bool IsReadable() {
    pollfd polled{bell_.Keep(), POLLIN, 0};
    return poll(&polled, 1, 0) == 1;
  }
  Bell bell_;
};

TEST_F(BellTest, WakesAPollUntilItIsCleared) {
  EXPECT_FALSE(IsReadable());
  for (int i = 0; i < 100'000; ++i) bell_.Ring();  // more than a pipe holds
  EXPECT_TRUE(IsReadable());
  bell_.Clear();
  EXPECT_FALSE(IsReadable());
  bell_.Ring();
  EXPECT_TRUE(IsReadable());
}

TEST_F(BellTest, IsMadeAgainWhenItsDescriptorIsForeign) {
  const int lost = bell_.Keep();
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  ASSERT_EQ(dup2(ends[0], lost), lost);
  ASSERT_EQ(write(ends[1], "theirs", 6), 6);
  bell_.Ring();
  bell_.Clear();
  bell_.Ring();
  EXPECT_NE(bell_.Keep(), lost);
  EXPECT_TRUE(IsReadable()) << "it was rung";
  bell_.Close();
  char buffer[16];
  EXPECT_EQ(read(lost, buffer, sizeof buffer), 6) << "it is open and unread";
  for (const int fd : {ends[0], ends[1], lost}) close(fd);
}

}  // namespace
}  // namespace hindsight::recorder
