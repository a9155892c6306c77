// A library that a process has mapped, and what happens to its file in the meantime.
#include "trigger/target/mapped_library.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "trigger/preflight/preflight.h"

namespace hindsight::trigger {
namespace {

namespace fs = std::filesystem;

class MappedLibraryTest : public testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/mapped-XXXXXX";
    ASSERT_NE(mkdtemp(pattern), nullptr);
    folder_ = pattern;
    library_ = folder_ / "mapped.so";
    fs::copy_file(HINDSIGHT_ANY_LIBRARY, library_);
    // A child process: one that has a damaged library mapped cannot exit in an orderly way.
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    child_ = fork();
    ASSERT_GE(child_, 0);
    if (child_ == 0) {
      const bool is_loaded = dlopen(library_.c_str(), RTLD_NOW) != nullptr && MapsItsEnd();
      const char loaded = is_loaded ? 'y' : 'n';
      if (write(ready[1], &loaded, 1) != 1) _exit(1);
      while (true) pause();
    }
    char loaded = 0;
    ASSERT_EQ(read(ready[0], &loaded, 1), 1);
    ASSERT_EQ(loaded, 'y');
    close(ready[0]);
    close(ready[1]);
    Expected<Process> child = InspectProcess(child_);
    ASSERT_TRUE(child);
    process_ = *std::move(child);
  }
  void TearDown() override {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    fs::remove_all(folder_);
  }
  // As a single-file application maps its assemblies: they are in the file, and not in a segment.
  bool MapsItsEnd() const {
    const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    const uint64_t last = (fs::file_size(library_) - 1) / page * page;
    const int file = open(library_.c_str(), O_RDONLY);
    return mmap(nullptr, page, PROT_READ, MAP_SHARED, file, static_cast<off_t>(last)) != MAP_FAILED;
  }
  std::string Bytes() {
    std::ifstream stream(library_, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  // As cp does: the file is truncated first, and the relocated pages are lost with the rest.
  void Overwrite(const std::string& bytes) { std::ofstream(library_, std::ios::binary) << bytes; }
  // Page by page, as rsync --inplace does.
  void Patch(const std::string& bytes) {
    std::fstream(library_, std::ios::binary | std::ios::in | std::ios::out) << bytes;
  }
  std::string Damage() {
    const std::vector<MappedLibrary> found = FindMapped(process_, "mapped.so");
    if (found.size() != 1) return std::to_string(found.size()) + " found";
    return DamageOf(process_, found[0], true);
  }

  fs::path folder_;
  fs::path library_;
  pid_t child_ = -1;
  Process process_;
};

TEST_F(MappedLibraryTest, IsFoundAndFits) {
  const std::vector<MappedLibrary> found = FindMapped(process_, "mapped.so");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].path, library_.string());
  EXPECT_FALSE(found[0].deleted);
  EXPECT_GE(found[0].parts.size(), 3u);
  EXPECT_EQ(Damage(), "");
  // All that is mapped: with AddressSanitizer, this program has more than 4 MiB of relocations.
  const Check wrong = CheckMapped(process_, library_.string());
  EXPECT_FALSE(wrong) << wrong->what;
  EXPECT_TRUE(FindMapped(process_, "apped.so").empty());
}

TEST_F(MappedLibraryTest, EveryOtherLibraryFits) {
  for (const char* name : {"libc.so.6", "libstdc++.so.6", "libm.so.6", "libgcc_s.so.1"}) {
    for (const MappedLibrary& library : FindMapped(process_, name)) {
      EXPECT_EQ(DamageOf(process_, library, true), "") << library.path;
    }
  }
}

TEST_F(MappedLibraryTest, ReplacedByRenamingStillFits) {
  const fs::path fresh = folder_ / "fresh";
  std::ofstream(fresh) << "anything";
  fs::rename(fresh, library_);
  const std::vector<MappedLibrary> found = FindMapped(process_, "mapped.so");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].deleted);
  EXPECT_EQ(Damage(), "");
}

TEST_F(MappedLibraryTest, PatchedWithTheSameFitsWithAnotherDoesNot) {
  const std::string bytes = Bytes();
  Patch(bytes);
  EXPECT_EQ(Damage(), "");
  // The same layout, but each relocation a word further, as after a change in the code.
  std::string other = bytes;
  Elf64_Ehdr header;
  std::memcpy(&header, other.data(), sizeof header);
  int changed = 0;
  for (int i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, other.data() + header.e_shoff + i * sizeof section, sizeof section);
    if (section.sh_type != SHT_RELA) continue;
    for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= section.sh_size; at += sizeof(Elf64_Rela)) {
      Elf64_Rela relocation;
      std::memcpy(&relocation, other.data() + section.sh_offset + at, sizeof relocation);
      if (ELF64_R_TYPE(relocation.r_info) != R_X86_64_RELATIVE) continue;
      relocation.r_addend += 8;
      std::memcpy(other.data() + section.sh_offset + at, &relocation, sizeof relocation);
      ++changed;
    }
  }
  ASSERT_GT(changed, 0);
  Patch(other);
  EXPECT_NE(Damage().find("overwritten"), std::string::npos);
  const Check wrong = CheckMapped(process_, library_.string());
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->code, TriggerExit::kLibraryDamaged);
  // Even when its file has no name any more, it is found by the name that it had.
  fs::remove(library_);
  EXPECT_TRUE(CheckMapped(process_, library_.string()));
}

// The kernel shows adjacent segments as one mapping if one continues where the other ends, as in
// libraries modified by patchelf.
TEST(MappedLibrary, SegmentsThatAreNeighboursFit) {
  std::ifstream stream(HINDSIGHT_ANY_LIBRARY, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  std::memcpy(segments.data(), bytes.data() + header.e_phoff, segments.size() * sizeof(Elf64_Phdr));
  // The last loaded segment is split in two; the second half replaces an entry that is not needed.
  size_t last = 0;
  for (size_t i = 0; i < segments.size(); ++i) {
    if (segments[i].p_type == PT_LOAD) last = i;
  }
  std::erase_if(segments, [](const auto& segment) { return segment.p_type == PT_GNU_EH_FRAME; });
  ASSERT_EQ(segments.size() + 1, header.e_phnum);
  if (segments[last].p_type != PT_LOAD) --last;
  Elf64_Phdr& first_part = segments[last];
  ASSERT_GT(first_part.p_filesz, 4u * 4096);
  Elf64_Phdr second_part = first_part;
  const uint64_t length = (first_part.p_vaddr / 4096 + 2) * 4096 - first_part.p_vaddr;
  first_part.p_filesz = first_part.p_memsz = length;
  second_part.p_offset += length;
  second_part.p_vaddr += length;
  second_part.p_paddr += length;
  second_part.p_filesz -= length;
  second_part.p_memsz -= length;
  segments.insert(segments.begin() + static_cast<ptrdiff_t>(last) + 1, second_part);
  std::memcpy(bytes.data() + header.e_phoff, segments.data(), segments.size() * sizeof(Elf64_Phdr));

  char path[] = "/tmp/neighbours-XXXXXX";
  const int file = mkstemp(path);
  ASSERT_GE(file, 0);
  ASSERT_EQ(write(file, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  close(file);
  void* const library = dlopen(path, RTLD_NOW);
  ASSERT_NE(library, nullptr) << dlerror();
  const Expected<Process> self = InspectProcess(getpid());
  ASSERT_TRUE(self);
  const std::vector<MappedLibrary> found = FindMapped(*self, fs::path(path).filename());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(std::any_of(found[0].parts.begin(), found[0].parts.end(), [&](const auto& part) {
    return part.file_offset + (part.end - part.begin) > second_part.p_offset &&
           part.file_offset < second_part.p_offset;
  })) << "the kernel has not joined them: this tests nothing";
  EXPECT_EQ(DamageOf(*self, found[0], true), "");
  dlclose(library);
  unlink(path);
}

TEST_F(MappedLibraryTest, CopiedOverDoesNotFitEvenIfItIsTheSame) {
  Overwrite(Bytes());
  EXPECT_NE(Damage().find("overwritten"), std::string::npos);
}

// /proc/PID/maps shows the file under its new name, but the loader uses the old one.
TEST_F(MappedLibraryTest, IsFoundByTheNameItWasLoadedBy) {
  const std::string bytes = Bytes();
  Overwrite(bytes);
  fs::rename(library_, folder_ / "old");
  fs::copy_file(HINDSIGHT_ANY_LIBRARY, library_);
  EXPECT_TRUE(FindMapped(process_, "mapped.so").empty());
  const std::vector<LoadedLibrary> loaded = FindLoaded(process_);
  EXPECT_TRUE(std::any_of(loaded.begin(), loaded.end(), [this](const LoadedLibrary& library) {
    return library.name == library_.string();
  }));
  const Check wrong = CheckMapped(process_, library_.string());
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->code, TriggerExit::kLibraryDamaged);
  // The loader would also read the damaged one when it loads any other (seen: SIGSEGV in dlopen).
  EXPECT_TRUE(CheckMapped(process_, "/usr/lib/another.so"));
}

TEST_F(MappedLibraryTest, CutShortIsSaidSo) {
  Overwrite("");
  EXPECT_NE(Damage().find("truncated"), std::string::npos);
}

}  // namespace
}  // namespace hindsight::trigger
