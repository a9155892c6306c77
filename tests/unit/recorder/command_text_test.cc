// Which part of a database command's text is the same from one request to the next.
#include "recorder/sources/requests/command_text.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "recorder/sources/requests/route_template.h"

namespace hindsight::recorder {
namespace {

TEST(CommandTextTest, LiteralsAndParametersAreOne) {
  const std::u16string same = u"SELECT a FROM t WHERE id = ? AND n = ?";
  EXPECT_EQ(NormalizeCommand(u"SELECT a FROM t WHERE id = 17 AND n = 'it''s'"), same);
  EXPECT_EQ(NormalizeCommand(u"SELECT a\nFROM t -- all\n WHERE id = @__id_0 AND n = @p1"), same);
  EXPECT_EQ(NormalizeCommand(u"SELECT a FROM t /* x */ WHERE id = $1 AND n = N'x'"), same);
  EXPECT_EQ(NormalizeCommand(u"SELECT a FROM t WHERE id = :id AND n = $name"), same);
  EXPECT_EQ(NormalizeCommand(u"SELECT a FROM t WHERE id = 1.5e-3 AND n = $$it's$$"), same);
  EXPECT_EQ(NormalizeCommand(u"SELECT a FROM t WHERE id = ? AND n = $q$a$b$q$"), same);
}

TEST(CommandTextTest, NamesStay) {
  EXPECT_EQ(NormalizeCommand(u"SELECT \"t\".\"a1\", [b 2], `c3`, d4 FROM t5"),
            u"SELECT \"t\".\"a1\", [b 2], `c3`, d4 FROM t5");
  // In PostgreSQL, brackets contain values.
  EXPECT_EQ(NormalizeCommand(u"SELECT a[1], ARRAY['me', 'you'], ARRAY [[7], [8]] FROM [t 5]"),
            u"SELECT a[?], ARRAY[?], ARRAY [[?], [?]] FROM [t 5]");
  EXPECT_EQ(NormalizeCommand(u"SELECT @@ROWCOUNT, x::int"), u"SELECT @@ROWCOUNT, x::int");
}

TEST(CommandTextTest, ListsHaveOneMember) {
  EXPECT_EQ(NormalizeCommand(u"SELECT a FROM t WHERE id IN (1, 2,3 , 4)"),
            NormalizeCommand(u"SELECT a FROM t WHERE id IN (@ids1)"));
  EXPECT_EQ(NormalizeCommand(u"INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')"),
            u"INSERT INTO t VALUES (?)");
}

TEST(CommandTextTest, EqualStatementsInARowAreOne) {
  const std::u16string one = NormalizeCommand(u"INSERT INTO t (a) VALUES (@p0);");
  EXPECT_EQ(one, u"INSERT INTO t (a) VALUES (?)");
  EXPECT_EQ(NormalizeCommand(u"INSERT INTO t (a) VALUES (@p0);\nINSERT INTO t (a) VALUES (@p1);\n"),
            one);
  EXPECT_EQ(NormalizeCommand(u"UPDATE t SET a = 1; SELECT 1"), u"UPDATE t SET a = ?; SELECT ?");
}

TEST(CommandTextTest, TheVerbIsThatOfTheFirstStatementThatDoesSomething) {
  const auto verb = [](std::u16string_view text) { return VerbOf(NormalizeCommand(text)); };
  EXPECT_EQ(verb(u"select 1"), "SELECT");
  EXPECT_EQ(verb(u"SET NOCOUNT ON; INSERT INTO t VALUES (1)"), "INSERT");
  EXPECT_EQ(verb(u"(SELECT 1) UNION (SELECT 2)"), "SELECT");
  EXPECT_EQ(verb(u"PRAGMA journal_mode=WAL"), "PRAGMA");
  EXPECT_EQ(verb(u"[dbo].[proc]"), "");
  EXPECT_EQ(verb(u""), "");
}

TEST(CommandTextTest, NamesDifferByText) {
  const std::string name = NameOfCommand(NormalizeCommand(u"SELECT a FROM t WHERE id = 1"));
  EXPECT_EQ(name.size(), std::string("SELECT 01234567").size());
  EXPECT_TRUE(name.starts_with("SELECT "));
  EXPECT_EQ(name, NameOfCommand(NormalizeCommand(u"SELECT a  FROM t WHERE id = 2")));
  EXPECT_NE(name, NameOfCommand(NormalizeCommand(u"SELECT b FROM t WHERE id = 1")));
}

TEST(CommandTextTest, AnyTextIsRead) {
  constexpr std::u16string_view kSigns = u"ab1 '\"`[]()$@:;,.-/*?\n\x2603";
  std::mt19937 random(18);
  for (int round = 0; round < 50'000; ++round) {
    std::u16string text(random() % 30, u' ');
    for (char16_t& unit : text) unit = kSigns[random() % kSigns.size()];
    const std::u16string normalized = NormalizeCommand(text);
    EXPECT_LE(normalized.size(), 2 * text.size() + 2);
    VerbOf(normalized);
  }
}

TEST(RouteTemplateTest, ValuesAreReplacedByTheirNames) {
  EXPECT_EQ(RouteTemplate(u"/api/orders/17", u"[id, 17]"), u"/api/orders/{id}");
  EXPECT_EQ(RouteTemplate(u"/api/orders/17/lines/bob", u"[id, 17],[name, bob]"),
            u"/api/orders/{id}/lines/{name}");
  EXPECT_EQ(RouteTemplate(u"/", u""), u"/");
  EXPECT_EQ(RouteTemplate(u"/api/orders/17/", u"[id, 17]"), u"/api/orders/{id}");
  EXPECT_EQ(RouteTemplate(u"/files/a/b.txt", u"[rest, a/b.txt]"), u"/files/{rest}");
  EXPECT_EQ(RouteTemplate(u"/files/a.txt", u"[name, a],[ending, txt]"), u"/files/{name}.{ending}");
}

TEST(RouteTemplateTest, NamesOfCodeStay) {
  EXPECT_EQ(RouteTemplate(u"/Orders/One/5", u"[action, One],[controller, Orders],[id, 5]"),
            u"/Orders/One/{id}");
}

TEST(RouteTemplateTest, TheTemplatesOwnWordsStay) {
  EXPECT_EQ(RouteTemplate(u"/orders/orders", u"[id, orders]"), u"/orders/{id}");
  EXPECT_EQ(RouteTemplate(u"/v1/items/1", u"[id, 1]"), u"/v1/items/{id}");
  EXPECT_EQ(RouteTemplate(u"/move/7/7", u"[from, 7],[to, 7]"), u"/move/{from}/{to}");
  EXPECT_EQ(RouteTemplate(u"/a/id/5", u"[x, id],[id, 5]"), u"/a/{x}/{id}");
}

TEST(RouteTemplateTest, NothingIsReportedForAPathWhoseValuesAreElsewhere) {
  EXPECT_EQ(RouteTemplate(u"/people/j%2Fdoe", u"[name, j/doe]"), u"");
  EXPECT_EQ(RouteTemplate(u"/people/{x}", u"[name, {x}]"), u"");
  EXPECT_EQ(RouteTemplate(u"/people/bob", u"what is this"), u"");
  EXPECT_EQ(RouteTemplate(u"", u"[id, 1]"), u"");
}

// Whatever was in the path as a value is not in the template.
TEST(RouteTemplateTest, NoValueIsLeft) {
  std::mt19937 random(7);
  const std::u16string_view signs = u"ab1.-";
  for (int round = 0; round < 20'000; ++round) {
    std::u16string values, path = u"/x";
    for (int i = 0; i < 3; ++i) {
      std::u16string value(1 + random() % 3, u' ');
      for (char16_t& unit : value) unit = signs[random() % signs.size()];
      path += u'/' + value;
      values += (i == 0 ? u"" : u",");
      values += u"[k" + std::u16string(1, static_cast<char16_t>(u'p' + i)) + u", " + value + u"]";
    }
    EXPECT_EQ(RouteTemplate(path, values), u"/x/{kp}/{kq}/{kr}");
  }
}

}  // namespace
}  // namespace hindsight::recorder
