// Who may send requests: browsers on this machine that know the token, from pages of this server.
//
// The server listens on the loopback address, which other users of the machine can reach, too, and
// so can any web page in the browser. The token, which is in the path of every address, keeps both
// out. A page whose name was redirected to this machine (DNS rebinding) sends its own name as Host,
// and one with a cross-origin request sends its own as Origin: neither is answered, token or not.
// Browsers send the origin with every POST, so a POST without one does not come from our page.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analyzer/serve/request.h"

namespace hindsight::analyzer {

class Access {
 public:
  // 192 random bits in characters that need no escaping in addresses. An error: the system provides
  // no random numbers.
  static Result<std::string> NewToken();

  explicit Access(std::string token) : token_(std::move(token)) {}

  const std::string& token() const { return token_; }

  // The response if the request is refused; nullopt: it may be answered.
  std::optional<HttpResponse> Refusal(const HttpRequest& request) const;

 private:
  std::string token_;
};

}  // namespace hindsight::analyzer
