#include "bench/service/load.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "bench/driver/event_pipe_session.h"

namespace hindsight::bench {
namespace {

using Clock = std::chrono::steady_clock;

Descriptor Connect(uint16_t port) {
  Descriptor connection(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int yes = 1;
  const timeval patience = {30, 0};
  setsockopt(connection.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  setsockopt(connection.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (connect(connection.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("no connection to the service");
  }
  return connection;
}

// Length of a response's body according to its header, also if chunked: 0 once it is complete.
bool IsWhole(std::string_view answer) {
  const size_t head = answer.find("\r\n\r\n");
  if (head == std::string_view::npos) return false;
  const size_t body = head + 4;
  constexpr std::string_view kLength = "Content-Length: ";
  const size_t length = answer.substr(0, head).find(kLength);
  if (length == std::string_view::npos) return answer.ends_with("\r\n0\r\n\r\n");
  return answer.size() - body >=
         std::strtoull(answer.data() + length + kLength.size(), nullptr, 10);
}

void Ask(int connection, const std::string& request, std::string& answer) {
  if (send(connection, request.data(), request.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(request.size())) {
    throw std::runtime_error("the service hung up");
  }
  answer.clear();
  while (!IsWhole(answer)) {
    std::array<char, 8192> buffer;
    const ssize_t got = recv(connection, buffer.data(), buffer.size(), 0);
    if (got <= 0) throw std::runtime_error("the service does not answer");
    answer.append(buffer.data(), static_cast<size_t>(got));
  }
  if (!answer.starts_with("HTTP/1.1 200")) {
    throw std::runtime_error("the service answered: " + answer.substr(0, answer.find('\r')));
  }
}

}  // namespace

LoadResult Load::Run(int milliseconds) const {
  const auto interval = std::chrono::nanoseconds(1'000'000'000LL * connections / rate);
  const Clock::time_point start = Clock::now();
  const Clock::time_point end = start + std::chrono::milliseconds(milliseconds);
  std::vector<std::vector<double>> latencies(static_cast<size_t>(connections));
  std::vector<std::exception_ptr> failures(static_cast<size_t>(connections));
  const auto serve = [&](size_t index) {
    try {
      const Descriptor connection = Connect(port);
      std::string answer;
      size_t next = index;
      Clock::time_point due = start + interval * static_cast<int>(index) / connections;
      for (; due < end; due += interval, ++next) {
        std::this_thread::sleep_until(due);
        Ask(connection.get(), requests[next % requests.size()], answer);
        const auto took = std::chrono::duration<double, std::micro>(Clock::now() - due);
        latencies[index].push_back(took.count());
      }
    } catch (...) {
      failures[index] = std::current_exception();
    }
  };
  std::vector<std::jthread> threads;
  for (size_t i = 0; i < static_cast<size_t>(connections); ++i) threads.emplace_back(serve, i);
  threads.clear();
  LoadResult result;
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  for (size_t i = 0; i < latencies.size(); ++i) {
    if (failures[i]) std::rethrow_exception(failures[i]);
    result.latencies_us.insert(result.latencies_us.end(), latencies[i].begin(), latencies[i].end());
  }
  return result;
}

}  // namespace hindsight::bench
