// One connection. Boost.Beast parses the input; sockets, time and size are handled here.
#include <poll.h>
#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <cerrno>
#include <chrono>
#include <exception>
#include <new>
#include <optional>
#include <string>

#include "analyzer/serve/http_server.h"

namespace hindsight::analyzer {
namespace {

namespace http = boost::beast::http;
using Clock = std::chrono::steady_clock;

constexpr auto kIdle = std::chrono::seconds(60);     // between requests
constexpr auto kRequest = std::chrono::seconds(10);  // from a request's first byte to its last
constexpr auto kAnswer = std::chrono::seconds(60);
constexpr uint32_t kMostHeaderBytes = 32 << 10;

// Scripts, styles and images come from this server only, and nothing is sent anywhere else.
constexpr std::string_view kHeaders =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "X-Frame-Options: DENY\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Cache-Control: no-store\r\n";

std::string_view Reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 421:
      return "Misdirected Request";
    case 422:
      return "Unprocessable Content";
    default:
      return "Internal Server Error";
  }
}

// False: not ready before `until`, or the other side is gone.
bool WaitFor(int socket, short events, Clock::time_point until) {
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
    if (left.count() <= 0) return false;
    pollfd wait{socket, events, 0};
    const int ready = poll(&wait, 1, static_cast<int>(left.count()));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

bool Send(int socket, std::string_view text) {
  const auto until = Clock::now() + kAnswer;
  while (!text.empty()) {
    if (!WaitFor(socket, POLLOUT, until)) return false;
    const ssize_t sent = send(socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (sent > 0) text.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

struct Incoming {
  HttpRequest request;
  bool keeps_alive = false;
  bool is_malformed = false;  // nothing else is set
};

class RequestReader {
 public:
  explicit RequestReader(int socket) : socket_(socket) {}

  // nullopt: the connection has ended.
  std::optional<Incoming> Next() {
    http::request_parser<http::empty_body> parser;
    parser.header_limit(kMostHeaderBytes);
    parser.body_limit(0);
    parser.eager(true);
    auto until = Clock::now() + kIdle;
    bool has_begun = false;
    while (!parser.is_done()) {
      if (!pending_.empty()) {
        if (!has_begun) until = Clock::now() + kRequest;
        has_begun = true;
        boost::system::error_code error;
        pending_.erase(0, parser.put(boost::asio::buffer(pending_), error));
        if (parser.is_done()) break;
        if ((error && error != http::error::need_more) || pending_.size() > kMostHeaderBytes) {
          return Incoming{.request = {}, .is_malformed = true};
        }
      }
      if (!Receive(until)) return std::nullopt;
    }
    const auto& message = parser.get();
    // If a decisive header has two values, neither is to be trusted.
    if (message.count(http::field::host) > 1 || message.count(http::field::origin) > 1) {
      return Incoming{.request = {}, .is_malformed = true};
    }
    const auto text = [](const auto& value) { return std::string(value.data(), value.size()); };
    return Incoming{.request = {.method = text(message.method_string()),
                                .target = text(message.target()),
                                .host = text(message[http::field::host]),
                                .origin = text(message[http::field::origin])},
                    .keeps_alive = message.keep_alive()};
  }

 private:
  bool Receive(Clock::time_point until) {
    char bytes[4096];
    while (WaitFor(socket_, POLLIN, until)) {
      const ssize_t got = recv(socket_, bytes, sizeof bytes, MSG_DONTWAIT);
      if (got > 0) {
        pending_.append(bytes, static_cast<size_t>(got));
        return true;
      }
      if (got == 0 || (errno != EAGAIN && errno != EINTR)) return false;
    }
    return false;
  }

  const int socket_;
  std::string pending_;  // received, but not parsed yet
};

HttpResponse AnswerOf(const HttpServer::Handler& handler, const HttpRequest& request) {
  try {
    return handler(request);
  } catch (const std::bad_alloc&) {
    return {.status = 500, .body = "There is not enough memory to answer this.\n"};
  } catch (const std::exception& error) {
    return {.status = 500, .body = std::string("Internal error: ") + error.what() + "\n"};
  }
}

}  // namespace

std::string ResponseText(const HttpResponse& response, bool has_body, bool keeps_alive) {
  std::string text = "HTTP/1.1 " + std::to_string(response.status) + " ";
  text += Reason(response.status);
  text += "\r\nContent-Type: " + response.type +
          "\r\nContent-Length: " + std::to_string(response.body.size()) + "\r\n";
  if (response.status == 405) text += "Allow: " + std::string(response.allow) + "\r\n";
  if (!keeps_alive) text += "Connection: close\r\n";
  text += kHeaders;
  text += "\r\n";
  if (has_body) text += response.body;
  return text;
}

void ServeConnection(int socket, const HttpServer::Handler& handler) {
  RequestReader reader(socket);
  while (std::optional<Incoming> incoming = reader.Next()) {
    if (incoming->is_malformed) {
      const HttpResponse refusal = {.status = 400, .body = "This is not a request for a page.\n"};
      Send(socket, ResponseText(refusal, true, false));
      return;
    }
    const HttpResponse response = AnswerOf(handler, incoming->request);
    const bool has_body = incoming->request.method != "HEAD";
    const bool goes_on = Send(socket, ResponseText(response, has_body, incoming->keeps_alive));
    if (!goes_on || !incoming->keeps_alive) return;
  }
}

}  // namespace hindsight::analyzer
