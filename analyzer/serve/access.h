// Who may ask: browsers of this machine that know the token, on pages of this server.
//
// The server listens on the loopback address, which other users of the machine reach too, and so
// does any web page that the browser shows. The token, in the path of every address, keeps both
// out. A page whose name was pointed at this machine (DNS rebinding) sends its own name as Host,
// and one that asks across origins its own as Origin: neither is answered, token or not. Browsers
// name the origin of every POST, so one that names none is not from a page of ours.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analyzer/serve/request.h"

namespace hindsight::analyzer {

class Access {
 public:
  // 192 random bits in characters that stand in addresses as they are. An error: the system gives
  // no random numbers.
  static Result<std::string> NewToken();

  explicit Access(std::string token) : token_(std::move(token)) {}

  const std::string& token() const { return token_; }

  // What is answered instead; nothing: the request may be answered.
  std::optional<HttpResponse> Refusal(const HttpRequest& request) const;

 private:
  std::string token_;
};

}  // namespace hindsight::analyzer
