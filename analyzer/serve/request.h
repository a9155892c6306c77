// What a browser asks for, and what it gets. Requests are input as any other: never trusted.
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
  std::string method;  // GET, or POST for what changes something
  std::string target;  // /TOKEN/api/object?recording=..., as it was sent
  std::string host;    // of the headers with these names; empty: there is none
  std::string origin;
};

struct HttpResponse {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
  std::string_view allow = "GET, HEAD";  // of an answer 405
};

// A target in its parts, percent-decoded.
struct HttpTarget {
  static constexpr size_t kMostBytes = 16 << 10;
  static constexpr size_t kMostSegments = 8;
  static constexpr size_t kMostParameters = 16;

  std::vector<std::string> path;  // segments; the last one is empty if the path ends with a slash
  std::map<std::string, std::string, std::less<>> parameters;

  // Empty: there is none of this name.
  std::string_view Text(std::string_view name) const;
  // Nothing where it is missing. An error: it is no number up to `most`.
  Result<std::optional<uint64_t>> Number(std::string_view name, uint64_t most) const;
};

// An error: it is no path of this server's, has a parameter twice, breaks the encoding, is not
// UTF-8, or is larger than the limits above.
Result<HttpTarget> ParseTarget(std::string_view target);

}  // namespace hindsight::analyzer
