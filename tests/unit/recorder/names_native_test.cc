// Names of the test's own native code, and ELF files that lie.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/auxv.h>
#include <unistd.h>

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

// Every byte of the headers and tables, changed: no answer matters, only that there is one.
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
