// Names of the test's own native code, and malformed ELF files.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "recorder/names/elf_file.h"
#include "recorder/names/native_names.h"

extern "C" __attribute__((noinline)) int hindsight_test_function(int x) {
  asm volatile("" : "+r"(x));
  return x + 1;
}

namespace hindsight::recorder {
namespace {

template <typename Function>
uintptr_t AddressOf(Function* function) {
  return reinterpret_cast<uintptr_t>(function);
}

TEST(NativeNames, NamesAFunctionOfTheProgramBySymbol) {
  NativeNames names;
  NativeFunction function;
  ASSERT_TRUE(names.Describe(AddressOf(&hindsight_test_function) + 1, function));
  EXPECT_EQ(function.name, "hindsight_test_function");
  EXPECT_EQ(function.start, AddressOf(&hindsight_test_function));
  const NativeModule& module = names.module(function.module);
  EXPECT_EQ(function.rva, function.start - module.base);
  EXPECT_NE(module.path.find("recorder_names_test"), std::string::npos);
}

TEST(NativeNames, PrefersTheNameThatPeopleUse) {
  NativeNames names;
  NativeFunction function;
  ASSERT_TRUE(names.Describe(AddressOf(dlsym(RTLD_DEFAULT, "calloc")) + 4, function));
  EXPECT_EQ(function.name.find("__"), std::string::npos) << function.name;
  EXPECT_FALSE(names.module(function.module).build_id.empty());
}

TEST(NativeNames, FindsWhereAFunctionWithoutSymbolBegins) {
  // The code of .init or .plt has no symbol: then the answer is at or before the address.
  NativeNames names;
  NativeFunction function;
  Dl_info libc{};
  ASSERT_NE(dladdr(dlsym(RTLD_DEFAULT, "calloc"), &libc), 0);
  for (uintptr_t offset = 0; offset < 0x10000; offset += 0x1000) {
    const uintptr_t address = AddressOf(dlsym(RTLD_DEFAULT, "calloc")) + offset;
    ASSERT_TRUE(names.Describe(address, function));
    EXPECT_LE(function.start, address);
    EXPECT_LT(address - function.start, 0x8000u);
    NativeFunction again;
    ASSERT_TRUE(names.Describe(function.start, again));
    EXPECT_EQ(again.start, function.start);
  }
}

TEST(NativeNames, KnowsTheKernelsLibrary) {
  const uintptr_t vdso = getauxval(AT_SYSINFO_EHDR);
  ASSERT_NE(vdso, 0u);
  NativeNames names;
  NativeFunction function;
  Elf64_Ehdr header;
  std::memcpy(&header, reinterpret_cast<const void*>(vdso), sizeof(header));
  ASSERT_TRUE(names.Describe(vdso + header.e_entry, function));
  EXPECT_EQ(names.module(function.module).path, "[vdso]");
}

TEST(NativeNames, SaysNothingOfOtherMemory) {
  NativeNames names;
  NativeFunction function;
  int on_stack = 0;
  EXPECT_FALSE(names.Describe(AddressOf(&on_stack), function));
  EXPECT_FALSE(names.Describe(0, function));
}

// A hot function is sampled at many of its instructions.
TEST(NativeNames, ReadsTheFileOnceForAFunction) {
  NativeNames names;
  NativeFunction first, other;
  const uintptr_t start = AddressOf(&hindsight_test_function);
  ASSERT_TRUE(names.Describe(start + 2, first));
  for (const uintptr_t offset : {0, 1, 3}) {
    ASSERT_TRUE(names.Describe(start + offset, other));
    EXPECT_EQ(other.name, "hindsight_test_function");
    EXPECT_EQ(other.start, start);
    EXPECT_EQ(other.rva, first.rva);
    EXPECT_EQ(other.module, first.module);
  }
  EXPECT_EQ(names.reads(), 1u);
}

// Earlier reads must not change a result: forwards, backwards, and with nothing cached.
TEST(NativeNames, RememberingChangesNoAnswer) {
  Dl_info libc{};
  ASSERT_NE(dladdr(dlsym(RTLD_DEFAULT, "calloc"), &libc), 0);
  const uintptr_t middle = AddressOf(dlsym(RTLD_DEFAULT, "calloc"));
  constexpr uintptr_t kReach = 3000, kStep = 13;
  NativeNames upwards, downwards;
  for (uintptr_t i = 0; i < 2 * kReach; i += kStep) {
    NativeFunction function;
    ASSERT_TRUE(downwards.Describe(middle + kReach - i, function));
  }
  for (uintptr_t address = middle - kReach; address < middle + kReach; address += kStep) {
    NativeNames fresh;
    NativeFunction expected, up, down;
    ASSERT_TRUE(fresh.Describe(address, expected));
    ASSERT_TRUE(upwards.Describe(address, up));
    ASSERT_TRUE(downwards.Describe(address, down));
    EXPECT_EQ(up.start, expected.start) << std::hex << address;
    EXPECT_EQ(up.name, expected.name) << std::hex << address;
    EXPECT_EQ(down.start, expected.start) << std::hex << address;
    EXPECT_EQ(down.name, expected.name) << std::hex << address;
  }
  EXPECT_LT(upwards.reads(), 2 * kReach / kStep / 2);
}

// Symbols may be inside others.
TEST(ElfFile, KnowsHowFarAnAnswerGoes) {
  struct Image {
    Elf64_Ehdr header = {};
    Elf64_Shdr sections[2] = {};
    Elf64_Sym symbols[3] = {};
    char strings[16] = "\0outer\0inner";
  } image;
  std::memcpy(image.header.e_ident, ELFMAG, SELFMAG);
  image.header.e_ident[EI_CLASS] = ELFCLASS64;
  image.header.e_phentsize = sizeof(Elf64_Phdr);
  image.header.e_shentsize = sizeof(Elf64_Shdr);
  image.header.e_shoff = offsetof(Image, sections);
  image.header.e_shnum = 2;
  image.sections[0].sh_type = SHT_SYMTAB;
  image.sections[0].sh_link = 1;
  image.sections[0].sh_entsize = sizeof(Elf64_Sym);
  image.sections[0].sh_offset = offsetof(Image, symbols);
  image.sections[0].sh_size = sizeof(image.symbols);
  image.sections[1].sh_offset = offsetof(Image, strings);
  image.sections[1].sh_size = sizeof(image.strings);
  const auto symbol = [](uint32_t name, uint64_t start, uint64_t size) {
    Elf64_Sym made = {};
    made.st_name = name;
    made.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    made.st_shndx = 1;
    made.st_value = start;
    made.st_size = size;
    return made;
  };
  image.symbols[0] = symbol(1, 100, 100);
  image.symbols[1] = symbol(7, 140, 20);
  image.symbols[2] = symbol(1, 300, 50);
  const ElfFile file([&](uint64_t offset, void* out, size_t size) {
    if (offset > sizeof(image) || size > sizeof(image) - offset) return false;
    if (size > 0) std::memcpy(out, reinterpret_cast<const char*>(&image) + offset, size);
    return true;
  });
  ASSERT_TRUE(file.valid());
  const auto expect = [&](uint64_t address, const char* name, uint64_t from, uint64_t to) {
    ElfFile::Function function;
    EXPECT_EQ(file.FindFunction(address, function), *name != '\0') << address;
    EXPECT_EQ(function.name, name) << address;
    EXPECT_EQ(function.same.from, from) << address;
    EXPECT_EQ(function.same.to, to) << address;
  };
  expect(120, "outer", 100, 140);
  expect(150, "inner", 140, 160);
  expect(170, "outer", 160, 200);
  expect(250, "", 200, 300);
  expect(400, "", 350, UINT64_MAX);
}

// Every byte of the headers and tables is changed: the result does not matter, only that there is
// one.
TEST(ElfFile, SurvivesAnyByte) {
  std::ifstream own("/proc/self/exe", std::ios::binary);
  std::vector<char> bytes((std::istreambuf_iterator<char>(own)), {});
  ASSERT_GT(bytes.size(), 4096u);
  const ReadFile read = [&](uint64_t offset, void* out, size_t size) {
    if (offset > bytes.size() || size > bytes.size() - offset) return false;
    if (size != 0) std::memcpy(out, bytes.data() + offset, size);
    return true;
  };
  for (size_t i = 0; i < 64 + 13 * sizeof(Elf64_Phdr); ++i) {
    for (const char value : {'\0', '\x7f', '\xff'}) {
      const char before = std::exchange(bytes[i], value);
      ElfFile::Function function;
      const ElfFile file(read);
      if (file.valid()) file.FindFunction(0x5000, function);
      bytes[i] = before;
    }
  }
}

}  // namespace
}  // namespace hindsight::recorder
