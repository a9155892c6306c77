// Decides which field values of which types a snapshot records.
//
// Everything is denied except small numbers of the framework's own types that analyses need, the
// names of threads (the list is in value_rules.cc and in README.md's privacy section), and what the
// options name. Any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hindsight::recorder {

class ValueRules {
 public:
  // `allowed`: patterns Namespace.Type.field from heap.values, `*` matches any text;
  // `System.String` alone means the contents of all strings.
  explicit ValueRules(std::span<const std::string> allowed);

  // Whether the number at this path (FieldLeaf::path) of this type (raw metadata name) is recorded.
  bool AllowsNumber(std::string_view type, std::string_view path) const;
  // Whether the content of the string that the field refers to is recorded.
  bool AllowsText(std::string_view type, std::string_view path) const;
  bool AllowsAllStrings() const { return all_strings_; }

 private:
  bool Named(std::string_view type, std::string_view path) const;

  std::vector<std::string> allowed_;
  bool all_strings_ = false;
};

}  // namespace hindsight::recorder
