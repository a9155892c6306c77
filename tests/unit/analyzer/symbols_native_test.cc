// Names of functions of a stripped library, wherever its debug file is laid out.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "analyzer/base/text.h"
#include "analyzer/symbols/elf_symbols.h"
#include "analyzer/symbols/native_symbols.h"
#include "tests/support/elf_builder.h"

namespace hindsight::analyzer {
namespace {

namespace fs = std::filesystem;
using symbols::ElfSymbols;

constexpr uint64_t kEnd = 64 << 10;  // the sample has less code

class NativeSymbolsTest : public testing::Test {
 protected:
  NativeSymbolsTest() {
    std::string pattern = (fs::temp_directory_path() / "native-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    whole_ = ElfSymbols::Open(HINDSIGHT_SYMBOLS_WHOLE);
    if (!whole_ || !whole_->ReadFunctions()) throw std::runtime_error("no sample");
    for (uint64_t at = 0; at < kEnd; ++at) {
      if (whole_->NameAt(at).find("HiddenWork") != std::string_view::npos) hidden_.insert(at);
    }
    id_ = FormatHex(whole_->build_id());
  }
  ~NativeSymbolsTest() override { fs::remove_all(folder_); }

  void Put(const char* file, const std::string& name) {
    fs::create_directories((folder_ / name).parent_path());
    fs::copy_file(file, folder_ / name);
  }
  // The names of all places of the hidden function; the library was recorded at `path`.
  std::set<std::string> Found(const std::string& path) {
    NativeSymbols symbols({folder_.string()});
    std::set<std::string> names;
    for (const uint64_t at : hidden_) {
      names.emplace(symbols.NameOf(path, whole_->build_id(), at));
    }
    return names;
  }

  const std::set<std::string> kNames = {"_ZN12_GLOBAL__N_110HiddenWorkEl"};
  const std::set<std::string> kNone = {""};
  const std::string kElsewhere = "/nowhere/libsample.so";
  fs::path folder_;
  std::optional<ElfSymbols> whole_;
  std::set<uint64_t> hidden_;  // addresses in it
  std::string id_;
};

TEST_F(NativeSymbolsTest, AStrippedLibraryHasNoNameForIt) {
  ASSERT_GE(hidden_.size(), 8u);
  auto stripped = ElfSymbols::Open(HINDSIGHT_SYMBOLS_STRIPPED);
  ASSERT_TRUE(stripped && stripped->ReadFunctions());
  EXPECT_EQ(stripped->build_id(), whole_->build_id());
  EXPECT_EQ(stripped->debug_link(), "sample.sym");
  for (const uint64_t at : hidden_) EXPECT_EQ(stripped->NameAt(at), "");
  EXPECT_EQ(Found(kElsewhere), kNone);
}

TEST_F(NativeSymbolsTest, FindsDebugFilesAsDebianLaysThemOut) {
  Put(HINDSIGHT_SYMBOLS_DEBUG, ".build-id/" + id_.substr(0, 2) + "/" + id_.substr(2) + ".debug");
  EXPECT_EQ(Found(kElsewhere), kNames);
}

TEST_F(NativeSymbolsTest, FindsDebugFilesAsMicrosoftNamesThem) {
  Put(HINDSIGHT_SYMBOLS_DEBUG, "some/where/libsample.so.dbg");
  EXPECT_EQ(Found(kElsewhere), kNames);
}

TEST_F(NativeSymbolsTest, FindsDebugFilesBesideTheLibrary) {
  Put(HINDSIGHT_SYMBOLS_DEBUG, "app/libsample.so.dbg");
  NativeSymbols symbols({});
  EXPECT_EQ(
      symbols.NameOf((folder_ / "app/libsample.so").string(), whole_->build_id(), *hidden_.begin()),
      *kNames.begin());
}

TEST_F(NativeSymbolsTest, FindsDebugFilesOfASymbolServer) {
  Put(HINDSIGHT_SYMBOLS_DEBUG, "_.debug/elf-buildid-sym-" + id_ + "/_.debug");
  EXPECT_EQ(Found(kElsewhere), kNames);
}

TEST_F(NativeSymbolsTest, FollowsTheLinkOfTheLibrary) {
  Put(HINDSIGHT_SYMBOLS_STRIPPED, "app/libsample.so");
  Put(HINDSIGHT_SYMBOLS_DEBUG, "app/.debug/sample.sym");
  EXPECT_EQ(Found((folder_ / "app/libsample.so").string()), kNames);
}

TEST_F(NativeSymbolsTest, TakesNoFileOfAnotherBuild) {
  Put(HINDSIGHT_SYMBOLS_DEBUG, "libsample.so.dbg");
  NativeSymbols symbols({folder_.string()});
  std::string other = whole_->build_id();
  other[0] = static_cast<char>(other[0] ^ 1);
  EXPECT_EQ(symbols.NameOf(kElsewhere, other, *hidden_.begin()), "");
}

TEST_F(NativeSymbolsTest, DamagedFilesHaveNoNames) {
  Put(HINDSIGHT_SYMBOLS_DEBUG, "libsample.so.dbg");
  const auto bytes = fs::file_size(folder_ / "libsample.so.dbg");
  for (uint64_t part = 0; part < 64; ++part) {
    fs::resize_file(folder_ / "libsample.so.dbg", bytes * (63 - part) / 64);
    for (const std::string& name : Found(kElsewhere)) {
      EXPECT_TRUE(name.empty() || kNames.contains(name)) << name;
    }
  }
}

TEST_F(NativeSymbolsTest, ReadsAFileWithManyTablesOnce) {
  const std::string path = (folder_ / "made.so").string();
  const auto open = [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    auto file = ElfSymbols::Open(path);
    EXPECT_TRUE(file);
    return std::move(file).value();
  };
  const std::string id(20, 'i');
  ElfSymbols usual = open(BuildLibrary({{"Pay", 0x1100, 32}}, id, "made.debug"));
  EXPECT_EQ(usual.build_id(), id);
  EXPECT_EQ(usual.debug_link(), "made.debug");
  ASSERT_TRUE(usual.ReadFunctions());
  EXPECT_EQ(usual.NameAt(0x1100), "Pay");
  EXPECT_EQ(usual.NameAt(0x1120), "");

  // A second symbol table is none of the format's; a build id after a megabyte of notes is not
  // searched for.
  std::string names(1, '\0');
  const std::string symbols = SymbolTable({{"Pay", 0x1100, 32}}, names);
  const std::string note(600 << 10, 'n');
  ElfSymbols hostile = open(BuildElf({{".symtab", 2, std::string(24, '\0'), 3},
                                      {".strtab", 3, names},
                                      {".symtab", 2, symbols, 3},
                                      {".note", 7, note},
                                      {".note", 7, note},
                                      {".note", 7, BuildIdNote(id) + note}}));
  EXPECT_FALSE(hostile.ReadFunctions());
  EXPECT_EQ(hostile.build_id(), "");
}

TEST_F(NativeSymbolsTest, TheFirstCodeOfALibraryHasNoName) {
  // How recorders report that they know no function: see Method.native_rva.
  uint64_t first = 0;
  while (first < kEnd && whole_->NameAt(first).empty()) ++first;
  EXPECT_EQ(whole_->NameAt(first & ~uint64_t{0xfff}), "");
}

}  // namespace
}  // namespace hindsight::analyzer
