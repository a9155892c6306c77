// What a browser, or any other program, sends to `hindsight serve`: bytes of a connection, and
// targets.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "analyzer/serve/access.h"
#include "analyzer/serve/http_server.h"
#include "analyzer/serve/request.h"

namespace hindsight::analyzer {
namespace {

// No segment of a target leads anywhere else.
void CheckTarget(std::string_view text) {
  const Result<HttpTarget> target = ParseTarget(text);
  if (!target) return;
  for (const std::string& segment : target->path) {
    if (segment == "." || segment == ".." || segment.find('/') != segment.npos) std::abort();
  }
  for (const auto& [name, value] : target->parameters) (void)target->Number(name, 500);
}

HttpResponse AnswerTo(const HttpRequest& request) {
  static const Access access("t0ken");
  if (const auto refusal = access.Refusal(request)) return *refusal;
  if (!request.target.starts_with("/t0ken")) std::abort();
  CheckTarget(request.target);
  return {.body = "answer"};
}

}  // namespace
}  // namespace hindsight::analyzer

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kMost = 48 << 10;  // that a socket takes at once
  const std::string_view text(reinterpret_cast<const char*>(data), std::min(size, kMost));
  hindsight::analyzer::CheckTarget(text);
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) std::abort();
  if (write(ends[0], text.data(), text.size()) < 0) std::abort();
  shutdown(ends[0], SHUT_WR);
  // Unread replies fill the socket; then the connection ends at once.
  shutdown(ends[0], SHUT_RD);
  hindsight::analyzer::ServeConnection(ends[1], hindsight::analyzer::AnswerTo);
  close(ends[0]);
  close(ends[1]);
  return 0;
}
