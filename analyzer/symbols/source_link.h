// Source Link: maps the path of a document, as given to the compiler, to the place where its text
// is published.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hindsight::analyzer::symbols {

class SourceLink {
 public:
  SourceLink() = default;  // maps nothing
  // {"documents": {"/src/*": "https://host/repository/commit/*", "/src/A.cs": "https://..."}}.
  // Anything else maps nothing.
  explicit SourceLink(std::string_view json);

  // Empty: no entry matches, or its result is not an http or https address. An exact entry takes
  // precedence over those with a star, and a longer one of these over a shorter one.
  std::string Url(std::string_view path) const;

 private:
  struct Entry {
    std::string path;  // lower case, with / as separator; for a wildcard, the part before the star
    std::string before;
    std::string after;  // what follows the star in the address
    bool is_wildcard = false;
  };
  std::vector<Entry> entries_;
};

}  // namespace hindsight::analyzer::symbols
