// A browser's request, and the response. Requests are untrusted input like any other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/base/result.h"

namespace hindsight::analyzer {

struct HttpRequest {
  std::string method;  // GET, or POST for changes
  std::string target;  // /TOKEN/api/object?recording=..., as sent
  std::string host;    // from the headers with these names; empty: there is none
  std::string origin;
};

struct HttpResponse {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
  std::string_view allow = "GET, HEAD";  // for a 405 response
};

// The parts of a target, percent-decoded.
struct HttpTarget {
  static constexpr size_t kMostBytes = 16 << 10;
  static constexpr size_t kMostSegments = 8;
  static constexpr size_t kMostParameters = 16;

  std::vector<std::string> path;  // segments; the last one is empty if the path ends with a slash
  std::map<std::string, std::string, std::less<>> parameters;

  // Empty: there is no parameter with this name.
  std::string_view Text(std::string_view name) const;
  // nullopt if it is missing. An error: it is not a number up to `most`.
  Result<std::optional<uint64_t>> Number(std::string_view name, uint64_t most) const;
};

// An error: it is not a path of this server, has a parameter twice, is wrongly encoded, is not
// UTF-8, or exceeds the limits above.
Result<HttpTarget> ParseTarget(std::string_view target);

}  // namespace hindsight::analyzer
