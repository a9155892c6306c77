// The server: how it handles bytes that are not a request, its headers, its end.
#include "analyzer/serve/http_server.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/support/serving.h"

namespace hindsight::analyzer {
namespace {

using testing::HttpReply;
using testing::SendRaw;

// Responds with the request.
HttpResponse Echo(const HttpRequest& request) {
  if (request.target == "/fails") throw std::runtime_error("on purpose");
  return {.body = request.method + " " + request.target + " " + request.host};
}

class ServeServer : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = HttpServer::Open(0);
    ASSERT_TRUE(opened.ok());
    server_ = std::move(*opened);
    thread_ = std::thread([this] { has_ended_ = server_->Run(Echo, stop_); });
  }
  void TearDown() override {
    const uint64_t one = 1;
    EXPECT_EQ(write(stop_, &one, sizeof one), ssize_t{sizeof one});
    thread_.join();
    EXPECT_TRUE(has_ended_);
    close(stop_);
  }

  HttpReply Send(const std::string& text) { return SendRaw(server_->port(), text); }

  const int stop_ = eventfd(0, EFD_CLOEXEC);
  std::unique_ptr<HttpServer> server_;
  std::thread thread_;
  bool has_ended_ = false;
};

TEST_F(ServeServer, AnswersWithAStrictPolicy) {
  const HttpReply reply = Send("GET /a?b HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "GET /a?b h");
  for (const char* header :
       {"Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self';",
        "frame-ancestors 'none'", "X-Content-Type-Options: nosniff\r\n",
        "Referrer-Policy: no-referrer\r\n", "Cache-Control: no-store\r\n",
        "Cross-Origin-Resource-Policy: same-origin\r\n", "Content-Length: 10\r\n"}) {
    EXPECT_NE(reply.head.find(header), std::string::npos) << header << "\n" << reply.head;
  }
  EXPECT_EQ(reply.head.find("unsafe"), std::string::npos);
  EXPECT_EQ(reply.head.find("Access-Control"), std::string::npos);
}

TEST_F(ServeServer, AConnectionIsUsedAgain) {
  const HttpReply reply = Send(
      "GET /1 HTTP/1.1\r\nHost: h\r\n\r\nHEAD /2 HTTP/1.1\r\nHost: h\r\n\r\n"
      "GET /3 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(reply.body.starts_with("GET /1 hHTTP/1.1 200 OK\r\n")) << reply.body;
  EXPECT_EQ(reply.body.find("HEAD /2"), std::string::npos) << "HEAD has no body";
  EXPECT_TRUE(reply.body.ends_with("GET /3 h"));
}

TEST_F(ServeServer, WhatIsNoRequestIsRefused) {
  const std::string head = "GET / HTTP/1.1\r\nHost: h\r\n";
  const std::string cases[] = {
      "\x16\x03\x01\x02\r\n\r\n",
      "GET /\r\n\r\n",
      "GET / HTTP/9.9\r\n\r\n",
      head + "Host: other\r\n\r\n",
      head + "Origin: a\r\nOrigin: b\r\n\r\n",
      head + "Content-Length: 5\r\n\r\nhello",
      head + "Content-Length: 99999999999999999999\r\n\r\n",
      head + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
      head + "X: " + std::string(64 << 10, 'x') + "\r\n\r\n",
      "GET /" + std::string(64 << 10, 'x') + " HTTP/1.1\r\nHost: h\r\n\r\n",
      head + "a b: c\r\n\r\n",
  };
  for (const std::string& text : cases) {
    EXPECT_EQ(Send(text).status, 400) << text.substr(0, 80);
  }
}

TEST_F(ServeServer, AHandlerThatFailsIsOneAnswer) {
  EXPECT_EQ(Send("GET /fails HTTP/1.1\r\nConnection: close\r\n\r\n").status, 500);
  EXPECT_EQ(Send("GET /a HTTP/1.1\r\nConnection: close\r\n\r\n").status, 200);
}

TEST_F(ServeServer, ManyAskAtATime) {
  std::atomic<int> answered = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 20; ++k) {
        answered += Send("GET /x HTTP/1.1\r\nConnection: close\r\n\r\n").status == 200;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(answered, 320);
}

TEST(ServeServerPort, OneThatIsTakenIsReportedInASentence) {
  const auto first = HttpServer::Open(0);
  ASSERT_TRUE(first.ok());
  const auto second = HttpServer::Open((*first)->port());
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().sentence.find("Choose another --port"), std::string::npos);
}

}  // namespace
}  // namespace hindsight::analyzer
