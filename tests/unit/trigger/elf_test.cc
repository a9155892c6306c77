#include "trigger/target/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
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
  EXPECT_FALSE(library->needed.empty());

  const auto self = ReadBytes(Bytes("/proc/self/exe"));
  ASSERT_TRUE(self);
  EXPECT_NE(self->interpreter, "");
  EXPECT_EQ(self->machine, library->machine);
}

TEST(Elf, DistinguishesWhatNeedsGlibcFromWhatMuslTakes) {
  const auto any = ReadBytes(Bytes(HINDSIGHT_ANY_LIBRARY));
  ASSERT_TRUE(any);
  EXPECT_EQ(any->needed, std::vector<std::string>{"libc.so.6"});
  EXPECT_FALSE(any->NeedsGlibc());
  EXPECT_FALSE(any->NeedsMusl());
  const auto bound = ReadBytes(Bytes(HINDSIGHT_GLIBC_LIBRARY));
  ASSERT_TRUE(bound);
  EXPECT_TRUE(bound->NeedsGlibc());
  EXPECT_FALSE(bound->NeedsMusl());
  ElfFacts facts;
  facts.needed = {"libc.so.6", "ld-linux-x86-64.so.2"};
  EXPECT_TRUE(facts.NeedsGlibc());
  facts.needed = {"libc.musl-x86_64.so.1"};
  EXPECT_FALSE(facts.NeedsGlibc());
  EXPECT_TRUE(facts.NeedsMusl());
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

TEST(Elf, KnowsAWholeFileFromAPart) {
  const std::string whole = Bytes(HINDSIGHT_ANY_LIBRARY);
  EXPECT_TRUE(ReadBytes(whole)->IsWhole());
  EXPECT_TRUE(ReadBytes(whole + "something behind it")->IsWhole());
  for (size_t size = whole.size() / 8; size < whole.size(); size += whole.size() / 8) {
    const auto part = ReadBytes(whole.substr(0, size));
    ASSERT_TRUE(part) << size;
    EXPECT_FALSE(part->IsWhole()) << size;
    EXPECT_EQ(part->file_bytes, size);
    // Like a copy that allocated its full size first.
    const auto sparse = ReadBytes(whole.substr(0, size) + std::string(whole.size() - size, '\0'));
    ASSERT_TRUE(sparse) << size;
    EXPECT_FALSE(sparse->IsWhole()) << size;
  }
  EXPECT_FALSE(ReadBytes(whole.substr(0, whole.size() - 1))->IsWhole());
}

TEST(Elf, NumbersThatCannotBeAreNoWholeFile) {
  std::string bytes = Bytes(HINDSIGHT_ANY_LIBRARY);
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  char* place = bytes.data() + header.e_phoff;
  Elf64_Phdr segment = {};
  for (int i = 0; segment.p_type != PT_LOAD && i < header.e_phnum; ++i, place += sizeof segment) {
    std::memcpy(&segment, place, sizeof segment);
  }
  ASSERT_EQ(segment.p_type, static_cast<uint32_t>(PT_LOAD));
  segment.p_offset = UINT64_MAX - 1;
  std::memcpy(place - sizeof segment, &segment, sizeof segment);
  const auto facts = ReadBytes(bytes);
  ASSERT_TRUE(facts);
  EXPECT_FALSE(facts->IsWhole());
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
