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

  // Called on the connections' threads, concurrently.
  using Handler = std::function<HttpResponse(const HttpRequest&)>;

  // Listens on 127.0.0.1. `port` 0: any free port. An error: it cannot listen.
  static Result<std::unique_ptr<HttpServer>> Open(uint16_t port);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  uint16_t port() const { return port_; }

  // A descriptor that becomes readable once the program is asked to end. From now on, the signals
  // are blocked on the calling thread and on those that it starts.
  static int StopDescriptor();

  // Answers requests until the descriptor `stop` becomes readable. False: a handler did not end
  // within a second; it continues on its thread, so the caller has to end the process.
  bool Run(const Handler& handler, int stop);

 private:
  HttpServer(int listener, uint16_t port) : listener_(listener), port_(port) {}
  void Accept(const Handler& handler);

  const int listener_;
  const uint16_t port_;
  std::mutex mutex_;  // protects the following
  std::condition_variable ended_;
  std::set<int> connections_;  // descriptors, each with its thread
};

// Answers the requests of one connection until it ends or is shut down. Leaves `socket` open.
// Requests are limited in size and time; those with a body are rejected.
void ServeConnection(int socket, const HttpServer::Handler& handler);

// The response as it is sent. `has_body`: false for HEAD.
std::string ResponseText(const HttpResponse& response, bool has_body, bool keeps_alive);

}  // namespace hindsight::analyzer
