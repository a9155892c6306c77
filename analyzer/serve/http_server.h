// A server for one browser: HTTP/1.1 on the loopback address.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string_view>

#include "analyzer/base/result.h"
#include "analyzer/serve/request.h"

namespace hindsight::analyzer {

class HttpServer {
 public:
  static constexpr size_t kMostConnections = 32;

  // Called on the connections' threads, several at a time.
  using Handler = std::function<HttpResponse(const HttpRequest&)>;

  // Listens on 127.0.0.1. `port`: 0 for any that is free. An error: it cannot.
  static Result<std::unique_ptr<HttpServer>> Open(uint16_t port);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  uint16_t port() const { return port_; }

  // A descriptor that can be read from once somebody wants the program to end. The signals are
  // blocked from now on, on the calling thread and on those that it starts.
  static int StopDescriptor();

  // Answers until the descriptor `stop` can be read from. False: a handler that is still running
  // did not end within a second; it goes on on its thread, so the caller has to end the process.
  bool Run(const Handler& handler, int stop);

 private:
  HttpServer(int listener, uint16_t port) : listener_(listener), port_(port) {}
  void Accept(const Handler& handler);

  const int listener_;
  const uint16_t port_;
  std::mutex mutex_;  // for what follows
  std::condition_variable ended_;
  std::set<int> connections_;  // descriptors, each with its thread
};

// Answers the requests of one connection until it ends, or is shut down. `socket` stays open.
// Requests are bounded in size and time; those with a body are refused.
void ServeConnection(int socket, const HttpServer::Handler& handler);

// The answer as it is sent. `has_body`: not for HEAD.
std::string ResponseText(const HttpResponse& response, bool has_body, bool keeps_alive);

}  // namespace hindsight::analyzer
