// Memory where only code that is generated at run time can be.
#include "recorder/base/generated_code.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace hindsight::recorder {
namespace {

constexpr size_t kBytes = 64 << 10;

class Pages {
 public:
  explicit Pages(int protection)
      : base_(mmap(nullptr, kBytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  ~Pages() { munmap(base_, kBytes); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  uintptr_t middle() const { return reinterpret_cast<uintptr_t>(base_) + kBytes / 2; }

 private:
  void* const base_;
};

TEST(GeneratedCode, IsWhereMemoryIsExecutableAndNoFiles) {
  const Pages code(PROT_READ | PROT_EXEC), data(PROT_READ | PROT_WRITE);
  GeneratedCode generated;
  EXPECT_TRUE(generated.Contains(code.middle()));
  EXPECT_FALSE(generated.Contains(data.middle()));
  EXPECT_FALSE(generated.Contains(0));
  EXPECT_FALSE(generated.Contains(UINTPTR_MAX));
  const auto in_a_file = reinterpret_cast<uintptr_t>(&memfd_create);
  EXPECT_FALSE(generated.Contains(in_a_file));
}

// As the runtime maps its code twice.
TEST(GeneratedCode, IsAlsoInAFileWithoutAFolder) {
  const int file = memfd_create("doublemapper", MFD_CLOEXEC);
  ASSERT_GE(file, 0);
  ASSERT_EQ(ftruncate(file, kBytes), 0);
  void* const base = mmap(nullptr, kBytes, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
  ASSERT_NE(base, MAP_FAILED);
  EXPECT_TRUE(GeneratedCode().Contains(reinterpret_cast<uintptr_t>(base)));
  munmap(base, kBytes);
  close(file);
}

}  // namespace
}  // namespace hindsight::recorder
