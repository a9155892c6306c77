#include "trigger/target/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <fstream>
#include <iterator>
#include <random>

#include "trigger/unique_fd.h"

namespace hindsight::trigger {
namespace {

std::optional<ElfFacts> ReadBytes(const std::string& bytes) {
  const UniqueFd file(memfd_create("elf", MFD_CLOEXEC));
  EXPECT_EQ(write(file.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  return ReadElf(file.get());
}

std::string Bytes(const char* path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(Elf, KnowsALibraryFromAProgram) {
  const auto library = ReadBytes(Bytes(HINDSIGHT_ANY_LIBRARY));
  ASSERT_TRUE(library);
  EXPECT_TRUE(library->shared);
  EXPECT_TRUE(library->is64);
  EXPECT_EQ(library->interpreter, "");
  EXPECT_TRUE(library->NeedsGlibc());
  EXPECT_FALSE(library->NeedsMusl());

  const auto self = ReadBytes(Bytes("/proc/self/exe"));
  ASSERT_TRUE(self);
  EXPECT_NE(self->interpreter, "");
  EXPECT_EQ(self->machine, library->machine);
}

TEST(Elf, NamesMachines) {
  EXPECT_EQ(MachineName(EM_X86_64), "x64");
  EXPECT_EQ(MachineName(EM_AARCH64), "arm64");
  EXPECT_EQ(MachineName(999), "machine 999");
}

TEST(Elf, RefusesOtherFiles) {
  EXPECT_FALSE(ReadBytes(""));
  EXPECT_FALSE(ReadBytes("#!/bin/sh\nexit 0\n"));
  EXPECT_FALSE(
      ReadBytes("\x7f"
                "ELF"));
}

TEST(Elf, DamagedFilesAreHarmless) {
  const std::string whole = Bytes(HINDSIGHT_ANY_LIBRARY);
  for (size_t size = 0; size < 1024; ++size) ReadBytes(whole.substr(0, size));
  std::mt19937 random(1);
  for (int run = 0; run < 2000; ++run) {
    std::string damaged = whole;
    for (int i = 0; i < 8; ++i) {
      damaged[random() % std::min<size_t>(damaged.size(), 1024)] = static_cast<char>(random());
    }
    if (const auto facts = ReadBytes(damaged)) {
      EXPECT_LE(facts->needed.size(), 4096u);
    }
  }
}

}  // namespace
}  // namespace hindsight::trigger
