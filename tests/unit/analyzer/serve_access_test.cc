// Which requests get a response: the token, the names of this machine, and no other page's
// requests.
#include "analyzer/serve/access.h"

#include <gtest/gtest.h>

#include <set>

namespace hindsight::analyzer {
namespace {

HttpRequest Ask(std::string target, std::string host = "127.0.0.1:8080", std::string origin = "",
                std::string method = "GET") {
  return {std::move(method), std::move(target), std::move(host), std::move(origin)};
}

int StatusOf(const HttpRequest& request) {
  const std::optional<HttpResponse> refusal = Access("t0ken").Refusal(request);
  return refusal ? refusal->status : 200;
}

TEST(ServeAccess, TokensAreLongAndNeverTheSame) {
  std::set<std::string> tokens;
  for (int i = 0; i < 100; ++i) {
    const Result<std::string> token = Access::NewToken();
    ASSERT_TRUE(token.ok());
    EXPECT_EQ(token->size(), 32u);
    tokens.insert(*token);
  }
  EXPECT_EQ(tokens.size(), 100u);
}

TEST(ServeAccess, OnlyTheWholeTokenOpens) {
  for (const char* target : {"/t0ken/", "/t0ken", "/t0ken/api/list?x=1", "/t0ken?x"}) {
    EXPECT_EQ(StatusOf(Ask(target)), 200) << target;
  }
  for (const char* target : {"/", "", "/t0ke/", "/t0kenn/", "/T0ken/", "t0ken/", "/x/t0ken/",
                             "//t0ken/", "/%740ken/", "/?t0ken", "*", "http://x/t0ken/"}) {
    EXPECT_EQ(StatusOf(Ask(target)), 403) << target;
  }
}

TEST(ServeAccess, AnswersToNamesOfThisMachineOnly) {
  for (const char* host : {"127.0.0.1:8080", "localhost:8080", "127.0.0.1", "localhost:1"}) {
    EXPECT_EQ(StatusOf(Ask("/t0ken/", host)), 200) << host;
  }
  for (const char* host :
       {"", "evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost.evil:80",
        "127.0.0.1:", "127.0.0.1:80x", "127.0.0.1:123456", "192.168.0.1:8080", "127.0.0.1:80:80",
        "user@127.0.0.1:80", "0.0.0.0:8080", " 127.0.0.1"}) {
    EXPECT_EQ(StatusOf(Ask("/t0ken/", host)), 421) << host;
  }
}

TEST(ServeAccess, PagesOfOthersAreNotAnswered) {
  const std::string host = "127.0.0.1:8080";
  EXPECT_EQ(StatusOf(Ask("/t0ken/", host, "http://127.0.0.1:8080")), 200);
  for (const char* origin :
       {"null", "http://evil.example", "https://127.0.0.1:8080", "http://127.0.0.1:8081",
        "http://localhost:8080", "http://127.0.0.1:8080.evil", "http://127.0.0.1:8080/"}) {
    EXPECT_EQ(StatusOf(Ask("/t0ken/", host, origin)), 403) << origin;
  }
}

TEST(ServeAccess, OnlyThePageItselfMayChangeSomething) {
  const std::string host = "127.0.0.1:8080";
  EXPECT_EQ(StatusOf(Ask("/t0ken/", host, "", "HEAD")), 200);
  EXPECT_EQ(StatusOf(Ask("/t0ken/", host, "http://127.0.0.1:8080", "POST")), 200);
  for (const char* origin : {"", "null", "http://evil.example", "http://127.0.0.1:8081",
                             "https://127.0.0.1:8080", "http://localhost:8080"}) {
    EXPECT_EQ(StatusOf(Ask("/t0ken/", host, origin, "POST")), 403) << origin;
  }
  EXPECT_EQ(StatusOf(Ask("/wrong/", host, "http://127.0.0.1:8080", "POST")), 403);
  EXPECT_EQ(StatusOf(Ask("/t0ken/", "evil.example", "http://evil.example", "POST")), 421);
  for (const char* method : {"PUT", "DELETE", "OPTIONS", "CONNECT", "get", "post", ""}) {
    EXPECT_EQ(StatusOf(Ask("/t0ken/", host, "http://127.0.0.1:8080", method)), 405) << method;
  }
}

}  // namespace
}  // namespace hindsight::analyzer
