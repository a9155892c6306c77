// Targets of requests: what is read from them, and what is rejected.
#include "analyzer/serve/request.h"

#include <gtest/gtest.h>

namespace hindsight::analyzer {
namespace {

TEST(ServeRequest, PathAndParametersAreDecoded) {
  const Result<HttpTarget> target =
      ParseTarget("/t/api/object?type=List%3CShop.%C3%96rder%3E+x%2By&empty=&flag&&a=1=2");
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(target->path, (std::vector<std::string>{"t", "api", "object"}));
  EXPECT_EQ(target->Text("type"), "List<Shop.\xc3\x96rder> x+y");
  EXPECT_EQ(target->Text("empty"), "");
  EXPECT_EQ(target->Text("missing"), "");
  EXPECT_EQ(target->Text("a"), "1=2");
  EXPECT_EQ(ParseTarget("/t/")->path, (std::vector<std::string>{"t", ""}));
  EXPECT_EQ(ParseTarget("/t/a+b")->path[1], "a+b");
}

TEST(ServeRequest, WhatIsNoTargetIsRefused) {
  std::string deep = "/t", wide = "/t/?";
  for (int i = 0; i < 20; ++i) deep += "/x";
  for (int i = 0; i < 20; ++i) wide += "p" + std::to_string(i) + "=1&";
  const std::string cases[] = {
      "",
      "t/",
      "http://127.0.0.1/t/",
      "/t/..",
      "/t/../x",
      "/t/%2e%2e",
      "/t/%2E%2e/x",
      "/t/.",
      "/t/a%2Fb",
      "/t/%2f",
      "/t/%00",
      "/t/?a=%00",
      "/t/%",
      "/t/%4",
      "/t/%zz",
      "/t/?a=%",
      "/t/?a=%f",
      "/t/%ff",
      "/t/?a=%c3",
      "/t/?a=1&a=2",
      "/t/?a&a",
      "/t/?a=%ed%a0%80",
      deep,
      wide,
      "/" + std::string(17 << 10, 'x'),
  };
  for (const std::string& target : cases) {
    const Result<HttpTarget> parsed = ParseTarget(target);
    EXPECT_FALSE(parsed.ok()) << target.substr(0, 60);
    if (!parsed.ok()) {
      EXPECT_EQ(parsed.error().exit_code, ExitCode::kUsage);
    }
  }
}

TEST(ServeRequest, NumbersAreWholeAndBounded) {
  const Result<HttpTarget> target =
      ParseTarget("/?a=0&b=500&c=501&d=-1&e=1x&f=+1&g=0x10&h=99999999999999999999&i=1.5&j=&k=%31");
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(**target->Number("a", 500), 0u);
  EXPECT_EQ(**target->Number("b", 500), 500u);
  EXPECT_EQ(**target->Number("k", 500), 1u);
  for (const char* name : {"c", "d", "e", "f", "g", "h", "i"}) {
    EXPECT_FALSE(target->Number(name, 500).ok()) << name;
  }
  EXPECT_FALSE(target->Number("j", 500)->has_value());
  EXPECT_FALSE(target->Number("missing", 500)->has_value());
}

}  // namespace
}  // namespace hindsight::analyzer
