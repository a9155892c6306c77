// What the disk side asks of the operating system.
#include "recorder/output/system.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "tests/unit/recorder/output_test_support.h"

namespace hindsight::recorder {
namespace {

// While it lives, `file` is descriptor 2, with these flags.
class AsStderr {
 public:
  AsStderr(int file, int flags) : saved_(dup(STDERR_FILENO)) { dup3(file, STDERR_FILENO, flags); }
  ~AsStderr() {
    dup2(saved_, STDERR_FILENO);
    close(saved_);
  }

 private:
  int saved_;
};

class OutputSystem : public testing::Test {
 protected:
  OutputSystem() : file_(open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {}
  ~OutputSystem() override { close(file_); }

  TemporaryFolder tmp_;
  std::string path_ = tmp_ / "file";
  int file_;
};

TEST_F(OutputSystem, WritesToStderrWhateverThatIs) {
  bool written = false;
  {
    const AsStderr redirected(file_, 0);
    written = WriteToStderr("hello\n");
  }
  EXPECT_TRUE(written);
  EXPECT_EQ(ReadFile(path_), "hello\n");
}

// A service without stderr opened its own file, which got the number.
TEST_F(OutputSystem, WritesNothingToAFileOfTheApplicationThatHasTheNumberOfStderr) {
  WriteFile(path_, "data");
  bool written = true;
  {
    const AsStderr own(file_, O_CLOEXEC);
    written = WriteToStderr("hello\n");
  }
  EXPECT_FALSE(written);
  EXPECT_EQ(ReadFile(path_), "data");
}

TEST_F(OutputSystem, DoesWithoutStderr) {
  const int saved = dup(STDERR_FILENO);
  close(STDERR_FILENO);
  const bool written = WriteToStderr("hello\n");
  dup2(saved, STDERR_FILENO);
  close(saved);
  EXPECT_FALSE(written);
}

}  // namespace
}  // namespace hindsight::recorder
