#include "analyzer/serve/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string>
#include <system_error>
#include <thread>

namespace hindsight::analyzer {
namespace {

constexpr int kBacklog = 64;
constexpr std::chrono::seconds kPatience{1};

Error CannotListen(uint16_t port, int error) {
  std::string sentence = "Cannot listen on 127.0.0.1";
  if (port != 0) sentence += ":" + std::to_string(port);
  sentence += std::string(": ") + std::strerror(error) + ".";
  if (error == EADDRINUSE) sentence += " Choose another --port, or none for one that is free.";
  return {sentence};
}

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::Open(uint16_t port) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0) return CannotListen(port, errno);
  const int yes = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener, any, size) != 0 || listen(listener, kBacklog) != 0 ||
      getsockname(listener, any, &size) != 0) {
    const int error = errno;
    close(listener);
    return CannotListen(port, error);
  }
  return std::unique_ptr<HttpServer>(new HttpServer(listener, ntohs(address.sin_port)));
}

HttpServer::~HttpServer() { close(listener_); }

int HttpServer::StopDescriptor() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signalfd(-1, &signals, SFD_CLOEXEC);
}

void HttpServer::Accept(const Handler& handler) {
  const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (connection < 0) return;
  {
    const std::lock_guard lock(mutex_);
    if (connections_.size() == kMostConnections) {
      close(connection);
      return;
    }
    connections_.insert(connection);
  }
  const auto end = [this, connection] {
    const std::lock_guard lock(mutex_);
    connections_.erase(connection);
    close(connection);
    ended_.notify_all();
  };
  try {
    std::thread([handler, connection, end] {
      ServeConnection(connection, handler);
      end();
    }).detach();
  } catch (const std::system_error&) {  // no more threads: the browser will try again
    end();
  }
}

bool HttpServer::Run(const Handler& handler, int stop) {
  while (true) {
    pollfd waits[] = {{stop, POLLIN, 0}, {listener_, POLLIN, 0}};
    if (poll(waits, 2, -1) < 0 && errno != EINTR) break;
    if (waits[0].revents != 0) break;
    if (waits[1].revents != 0) Accept(handler);
  }
  std::unique_lock lock(mutex_);
  for (const int connection : connections_) shutdown(connection, SHUT_RDWR);
  return ended_.wait_for(lock, kPatience, [this] { return connections_.empty(); });
}

}  // namespace hindsight::analyzer
