// Which PDB counts as a module, and which line for a place in it.
#include "analyzer/symbols/lines.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "analyzer/symbols/symbol_folders.h"
#include "tests/support/pdb_builder.h"

namespace hindsight::analyzer {
namespace {

namespace fs = std::filesystem;

class LinesTest : public testing::Test {
 protected:
  LinesTest() {
    std::string pattern = (fs::temp_directory_path() / "lines-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    const uint32_t shop = builder_.AddDocument("/src/Shop.cs");
    buy_token_ = builder_.AddMethod(shop, {{0, 0}, {3, 10}, {9, 0}, {12, 14}});
    pay_token_ = builder_.AddMethod(0, {});
    const uint32_t move_next = builder_.AddMethod(shop, {{0, 0}, {20, 31}});
    builder_.AddStateMachine(move_next, pay_token_);
    builder_.SetSourceLink(R"({"documents": {"/src/*": "https://host/*"}})");
  }
  ~LinesTest() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  void Put(const std::string& name, const std::string& bytes) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  // The module, and two of its methods. Without an id, the recording is an older one.
  void AddModule(const std::string& path, const std::string& pdb_id) {
    Module module;
    module.path = dictionaries_.AddString(path);
    module.mvid = std::string(16, 'm');
    module.pdb_id = pdb_id;
    const ModuleId id = dictionaries_.AddModule(module);
    const auto method = [&](const char* name, uint32_t token) {
      Method method;
      method.name = dictionaries_.AddString(name);
      method.module = id;
      method.token = token;
      return dictionaries_.AddMethod(method);
    };
    buy_ = method("Buy", buy_token_);
    pay_ = method("Pay", pay_token_);
  }
  std::string Label(const Lines& lines) { return LineLabel(lines.Of(buy_, 12)); }

  fs::path folder_;
  PdbBuilder builder_;
  Dictionaries dictionaries_;
  uint32_t buy_token_ = 0, pay_token_ = 0;
  MethodId buy_ = 0, pay_ = 0;
};

TEST_F(LinesTest, GivesTheLastVisiblePointAtOrBeforeThePlace) {
  Put("app/Shop.pdb", builder_.Build());
  AddModule(Path("app/Shop.dll"), PdbId());
  const Lines lines(dictionaries_, {});
  EXPECT_EQ(lines.Of(buy_, 0).line, 10u);  // before the first visible one
  EXPECT_EQ(lines.Of(buy_, 3).line, 10u);
  EXPECT_EQ(lines.Of(buy_, 10).line, 10u);  // hidden
  EXPECT_EQ(lines.Of(buy_, 12), (SourceLine{"/src/Shop.cs", "https://host/Shop.cs", 14}));
  EXPECT_EQ(lines.Of(buy_, 99999).line, 14u);
  EXPECT_EQ(lines.Of(pay_, 5).line, 31u);  // the stub of an async method
  EXPECT_FALSE(lines.Of(buy_, -1).known());
  EXPECT_FALSE(lines.Of(0, 3).known());
  EXPECT_EQ(LineLabel(lines.Of(buy_, 3)), "Shop.cs:10");
  EXPECT_EQ(LineLabel({}), "");
  EXPECT_TRUE(lines.Notes().empty());
}

TEST_F(LinesTest, FindsThePdbInFoldersWhateverTheirLayout) {
  AddModule("/nowhere/Shop.dll", PdbId());
  Put("deep/a/b/SHOP.PDB", builder_.Build());
  EXPECT_EQ(Label(Lines(dictionaries_, {Path("none"), Path("deep")})), "Shop.cs:14");
  const std::string guid = "61616161616161616161616161616161";
  Put("server/shop.pdb/" + guid + "ffffffff/shop.pdb", builder_.Build());
  EXPECT_EQ(Label(Lines(dictionaries_, {Path("server")})), "Shop.cs:14");
  symbols::SymbolFolders folders({"/s"});
  EXPECT_EQ(folders.ServerPaths("Shop.pdb", std::string("\0\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17"
                                                        "abcd",
                                                        20))[0],
            "/s/shop.pdb/030201000504070608090a0b0c0d0e0fffffffff/shop.pdb");
}

TEST_F(LinesTest, TakesAnEmbeddedPdb) {
  AddModule("/nowhere/Shop.dll", PdbId());
  Put("out/Shop.dll", BuildAssembly({.embedded = builder_.Build()}));
  EXPECT_EQ(Label(Lines(dictionaries_, {Path("out")})), "Shop.cs:14");
}

TEST_F(LinesTest, NeverTakesThePdbOfAnotherBuild) {
  Put("app/Shop.pdb", builder_.Build(PdbId('b')));
  AddModule(Path("app/Shop.dll"), PdbId());
  const Lines lines(dictionaries_, {});
  EXPECT_EQ(Label(lines), "");
  ASSERT_EQ(lines.Notes().size(), 1u);
  EXPECT_EQ(lines.Notes()[0],
            "Source lines of 1 method are unknown: the PDBs found belong to a different build: "
            "Shop.dll (" +
                Path("app/Shop.pdb") + "); give the folder of that build with --symbols.");
  // The right one elsewhere is used instead.
  Put("right/Shop.pdb", builder_.Build());
  EXPECT_EQ(Label(Lines(dictionaries_, {Path("right")})), "Shop.cs:14");
}

TEST_F(LinesTest, FindsTheIdInTheModulesFileWhereItWasNotRecorded) {
  AddModule(Path("app/Shop.dll"), "");
  Put("app/Shop.pdb", builder_.Build());
  EXPECT_EQ(Label(Lines(dictionaries_, {})), "");
  Put("app/Shop.dll", BuildAssembly({.mvid = std::string(16, 'x')}));
  EXPECT_EQ(Label(Lines(dictionaries_, {})), "");
  Put("app/Shop.dll", BuildAssembly({}));
  EXPECT_EQ(Label(Lines(dictionaries_, {})), "Shop.cs:14");
}

TEST_F(LinesTest, SaysWhatIsMissing) {
  AddModule("/nowhere/Shop.dll", PdbId());
  const Lines lines(dictionaries_, {});
  lines.Of(buy_, 1);
  lines.Of(buy_, 2);
  lines.Of(pay_, 1);
  EXPECT_EQ(lines.Notes(),
            std::vector<std::string>{
                "Source lines of 2 methods are unknown: no PDB for Shop.dll; give the "
                "folder of its build with --symbols."});
}

TEST_F(LinesTest, PassesOverWhatIsNoFile) {
  fs::create_directories(folder_ / "app/Shop.pdb");
  AddModule(Path("app/Shop.dll"), PdbId());
  EXPECT_EQ(Label(Lines(dictionaries_, {})), "");
}

}  // namespace
}  // namespace hindsight::analyzer
