// PDBs, assemblies and Source Link maps, made by hand.
#include <gtest/gtest.h>

#include "analyzer/symbols/byte_reader.h"
#include "analyzer/symbols/inflate.h"
#include "analyzer/symbols/pe_image.h"
#include "analyzer/symbols/portable_pdb.h"
#include "analyzer/symbols/source_link.h"
#include "tests/support/pdb_builder.h"

namespace hindsight::analyzer::symbols {
namespace {

using Points = std::vector<SequencePoint>;

std::unique_ptr<PortablePdb> Parsed(const std::string& bytes) {
  auto pdb = PortablePdb::Parse(bytes, "Shop.pdb");
  EXPECT_TRUE(pdb) << (pdb ? "" : pdb.error().sentence);
  return pdb ? std::move(*pdb) : nullptr;
}

TEST(ByteReader, ReadsTheNumbersOfTheStandardsExamples) {
  // ECMA-335, II.23.2.
  const auto unsigned_of = [](std::string_view bytes) { return ByteReader(bytes).Compressed(); };
  EXPECT_EQ(unsigned_of("\x03"), 0x03u);
  EXPECT_EQ(unsigned_of("\x7f"), 0x7fu);
  EXPECT_EQ(unsigned_of(std::string_view("\x80\x80", 2)), 0x80u);
  EXPECT_EQ(unsigned_of("\xae\x57"), 0x2e57u);
  EXPECT_EQ(unsigned_of("\xbf\xff"), 0x3fffu);
  EXPECT_EQ(unsigned_of(std::string_view("\xc0\x00\x40\x00", 4)), 0x4000u);
  EXPECT_EQ(unsigned_of("\xdf\xff\xff\xff"), 0x1fffffffu);
  const auto signed_of = [](std::string_view bytes) {
    return ByteReader(bytes).CompressedSigned();
  };
  EXPECT_EQ(signed_of("\x06"), 3);
  EXPECT_EQ(signed_of("\x7b"), -3);
  EXPECT_EQ(signed_of(std::string_view("\x80\x80", 2)), 64);
  EXPECT_EQ(signed_of("\x01"), -64);
  EXPECT_EQ(signed_of(std::string_view("\xc0\x00\x40\x00", 4)), 8192);
  EXPECT_EQ(signed_of(std::string_view("\x80\x01", 2)), -8192);
  EXPECT_EQ(signed_of("\xdf\xff\xff\xfe"), 268435455);
  EXPECT_EQ(signed_of(std::string_view("\xc0\x00\x00\x01", 4)), -268435456);
}

TEST(ByteReader, GivesNothingBeyondTheEnd) {
  ByteReader reader("\x01\x02\x03");
  EXPECT_EQ(reader.U32(), 0u);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.U8(), 0u);
  EXPECT_EQ(reader.left(), 0u);
  EXPECT_EQ(Slice("abc", 2, 1), "c");
  EXPECT_EQ(Slice("abc", ~uint64_t{0}, 2), "");
}

TEST(PortablePdb, HasThePointsOfEachMethod) {
  PdbBuilder builder;
  const uint32_t shop = builder.AddDocument("/src/Shop.cs");
  const uint32_t one = builder.AddMethod(shop, {{0, 10}, {5, 12}, {9, 0}, {300, 11}, {301, 90000}});
  const uint32_t none = builder.AddMethod(0, {});
  const auto pdb = Parsed(builder.Build());
  EXPECT_EQ(pdb->id(), PdbId());
  EXPECT_EQ(
      pdb->Points(one),
      (Points{{0, shop, 10}, {5, shop, 12}, {9, shop, 0}, {300, shop, 11}, {301, shop, 90000}}));
  EXPECT_EQ(pdb->Points(none), Points());
  EXPECT_EQ(pdb->Points(none + 1), Points());
  EXPECT_EQ(pdb->Points(0), Points());
  EXPECT_EQ(pdb->Points(0x02000001), Points());
  EXPECT_EQ(pdb->DocumentPath(shop), "/src/Shop.cs");
  EXPECT_EQ(pdb->DocumentPath(shop + 1), "");
  EXPECT_EQ(pdb->source_link(), "");
}

TEST(PortablePdb, FollowsAMethodFromDocumentToDocument) {
  PdbBuilder builder;
  const uint32_t a = builder.AddDocument("a.cs");
  const uint32_t b = builder.AddDocument("b.cs");
  const uint32_t method = builder.AddMethod(0, {{0, 7, a}, {2, 3, b}, {4, 8, a}});
  EXPECT_EQ(Parsed(builder.Build())->Points(method), (Points{{0, a, 7}, {2, b, 3}, {4, a, 8}}));
}

TEST(PortablePdb, KnowsWhatStartsAStateMachineAndItsSourceLink) {
  // Once with narrow and once with wide indices into the assembly's tables.
  for (const uint32_t rows : {0u, 3000u, 70000u}) {
    PdbBuilder builder;
    const uint32_t shop = builder.AddDocument("Shop.cs");
    const uint32_t kickoff = builder.AddMethod(0, {});
    const uint32_t move_next = builder.AddMethod(shop, {{0, 0}, {8, 20}});
    builder.AddStateMachine(move_next, kickoff);
    builder.SetSourceLink("{}");
    if (rows != 0) builder.SetExternalRows(0x06, rows);
    const auto pdb = Parsed(builder.Build());
    ASSERT_NE(pdb, nullptr) << rows;
    EXPECT_EQ(pdb->MoveNextOf(kickoff), move_next);
    EXPECT_EQ(pdb->MoveNextOf(move_next), 0u);
    EXPECT_EQ(pdb->source_link(), "{}");
  }
}

TEST(PortablePdb, RefusesWhatIsCutShort) {
  PdbBuilder builder;
  const uint32_t shop = builder.AddDocument("/src/Shop.cs");
  builder.AddMethod(shop, {{0, 10}, {5, 12}});
  builder.SetSourceLink("{}");
  const std::string whole = builder.Build();
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(PortablePdb::Parse(whole.substr(0, size), "Shop.pdb")) << size;
  }
  const auto pdb = PortablePdb::Parse("no PDB", "Shop.pdb");
  EXPECT_EQ(pdb.error().sentence, "Shop.pdb is damaged, or not a portable PDB");
}

TEST(PeImage, NamesItsPdbAndHasOneInside) {
  PdbBuilder builder;
  builder.AddMethod(builder.AddDocument("Shop.cs"), {{0, 10}});
  const std::string pdb = builder.Build();
  const std::string file = BuildAssembly({.embedded = pdb});
  const auto image = ParsePeImage(file, "Shop.dll");
  ASSERT_TRUE(image);
  EXPECT_EQ(image->mvid, std::string(16, 'm'));
  EXPECT_EQ(image->pdb_id, PdbId());
  EXPECT_EQ(image->pdb_path, "/build/obj/Shop.pdb");
  EXPECT_EQ(Inflate(image->embedded, image->embedded_size), pdb);
  EXPECT_EQ(Inflate(image->embedded, image->embedded_size + 1), std::nullopt);
  EXPECT_EQ(Inflate(image->embedded, image->embedded_size - 1), std::nullopt);
  EXPECT_EQ(Inflate(image->embedded, ~uint32_t{0}), std::nullopt);
}

TEST(PeImage, TakesAnyPrefixOfAFile) {
  const std::string whole = BuildAssembly({.embedded = PdbBuilder().Build()});
  for (size_t size = 0; size < whole.size(); ++size) {
    const auto image = ParsePeImage(whole.substr(0, size), "Shop.dll");
    EXPECT_TRUE(!image || image->pdb_id.empty() || image->pdb_id == PdbId()) << size;
  }
  EXPECT_EQ(ParsePeImage("MZ", "Shop.dll").error().sentence, "Shop.dll is not a PE image");
}

TEST(SourceLink, PrefersWhatIsExactAndThenTheLongest) {
  const SourceLink link(R"({"documents": {
    "C:\\src\\*": "https://host/short/*",
    "C:\\src\\lib\\*": "https://host/lib/*?raw=1",
    "/src/A.cs": "https://host/A",
    "/bad/*": "file:///etc/*",
    "/star/*": "https://host/none",
    "/number": 3}})");
  EXPECT_EQ(link.Url("C:\\src\\x y\\#.cs"), "https://host/short/x%20y/%23.cs");
  EXPECT_EQ(link.Url("c:/SRC/lib/B.cs"), "https://host/lib/B.cs?raw=1");
  EXPECT_EQ(link.Url("/src/A.cs"), "https://host/A");
  EXPECT_EQ(link.Url("/src/A.csx"), "");
  EXPECT_EQ(link.Url("/bad/passwd"), "");
  EXPECT_EQ(link.Url("/star/x"), "");
}

TEST(SourceLink, TakesWhatIsNoMapAsNone) {
  for (const char* json : {"", "[", "[]", "{}", "{\"documents\": []}", "\xff"}) {
    EXPECT_EQ(SourceLink(json).Url("/src/A.cs"), "") << json;
  }
}

}  // namespace
}  // namespace hindsight::analyzer::symbols
