// Source Link: from the path of a document, as the compiler saw it, to where its text is published.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hindsight::analyzer::symbols {

class SourceLink {
 public:
  SourceLink() = default;  // maps nothing
  // {"documents": {"/src/*": "https://host/repository/commit/*", "/src/A.cs": "https://..."}}. What
  // is no such map is as good as none.
  explicit SourceLink(std::string_view json);

  // Empty: no entry fits, or what it gives is no http or https address. An exact entry comes before
  // those with a star, and of these the longest.
  std::string Url(std::string_view path) const;

 private:
  struct Entry {
    std::string path;  // lower case, with / as separator; of a wildcard what stands before the star
    std::string before;
    std::string after;  // of the star in the address
    bool is_wildcard = false;
  };
  std::vector<Entry> entries_;
};

}  // namespace hindsight::analyzer::symbols
