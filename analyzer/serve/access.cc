#include "analyzer/serve/access.h"

#include <exception>
#include <random>

namespace hindsight::analyzer {
namespace {

constexpr std::string_view kScheme = "http://";

// 127.0.0.1:8080 and localhost:8080, with any port, because that of a tunnel (ssh -L) is different.
bool IsLoopback(std::string_view host) {
  const size_t colon = host.rfind(':');
  if (colon != host.npos) {
    const std::string_view port = host.substr(colon + 1);
    if (port.empty() || port.size() > 5 || port.find_first_not_of("0123456789") != port.npos) {
      return false;
    }
    host = host.substr(0, colon);
  }
  return host == "127.0.0.1" || host == "localhost";
}

// Takes the same time wherever they differ.
bool IsSame(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return difference == 0;
}

// The path's first segment.
std::string_view TokenOf(std::string_view target) {
  if (!target.starts_with('/')) return {};
  target.remove_prefix(1);
  return target.substr(0, target.find_first_of("/?"));
}

}  // namespace

Result<std::string> Access::NewToken() {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  try {
    std::random_device random;  // from the processor or the system, not a seeded generator
    std::string token;
    for (int i = 0; i < 32; ++i) token += kDigits[random() % kDigits.size()];
    return token;
  } catch (const std::exception& error) {
    return Error{std::string("The system gives no random numbers: ") + error.what() + "."};
  }
}

std::optional<HttpResponse> Access::Refusal(const HttpRequest& request) const {
  HttpResponse refusal;
  if (!IsLoopback(request.host)) {
    refusal.status = 421;
    refusal.body = "This server answers to 127.0.0.1 and localhost only.\n";
  } else if (!request.origin.empty() && request.origin != std::string(kScheme) + request.host) {
    refusal.status = 403;
    refusal.body = "This server answers its own pages only.\n";
  } else if (!IsSame(TokenOf(request.target), token_)) {
    refusal.status = 403;
    refusal.body = "Open the whole address that `hindsight serve` has printed.\n";
  } else if (request.method == "POST" && request.origin.empty()) {
    refusal.status = 403;
    refusal.body = "Only this server's own pages may change anything.\n";
  } else if (request.method != "GET" && request.method != "HEAD" && request.method != "POST") {
    refusal.status = 405;
    refusal.body = "This server only answers GET and POST.\n";
  } else {
    return std::nullopt;
  }
  return refusal;
}

}  // namespace hindsight::analyzer
