#include "analyzer/cli/command.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "analyzer/base/text.h"
#include "analyzer/cli/times.h"
#include "recorder/contract/units.h"

namespace hindsight::cli {
namespace {

template <typename T>
std::string StoreNumber(const std::string& text, T& value, const char* what) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range) return "must be a smaller number";
  if (error != std::errc() || stop != end) return what;
  return {};
}

std::string JoinChoices(const std::vector<std::string>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace

std::optional<uint64_t> ParseDuration(std::string_view text) {
  uint64_t ns = 0;
  return contract::ParseDuration(text, ns) ? std::optional(ns) : std::nullopt;
}

std::string StoreValue(const std::string& text, std::string& value) {
  value = text;
  return {};
}

std::string StoreValue(const std::string& text, int32_t& value) {
  return StoreNumber(text, value, "must be a whole number");
}

std::string StoreValue(const std::string& text, uint32_t& value) {
  return StoreNumber(text, value, "must be a whole number, 0 or more");
}

std::string StoreValue(const std::string& text, uint64_t& value) {
  return StoreNumber(text, value, "must be a whole number, 0 or more");
}

std::string StoreValue(const std::string& text, double& value) {
  double number = 0;
  std::string wrong = StoreNumber(text, number, "must be a number");
  if (wrong.empty() && number - number != 0) wrong = "must be a number";  // inf, nan
  if (wrong.empty()) value = number;
  return wrong;
}

std::string DefaultText(const std::string& value) { return value; }

std::string DefaultText(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

Option& Option::Letter(char letter) {
  letter_ = letter;
  return *this;
}

Option& Option::Default(std::string words) {
  default_ = std::move(words);
  return *this;
}

Option& Option::Choices(std::vector<std::string> choices) {
  choices_ = std::move(choices);
  return Verify([choices = choices_](const std::string& text) {
    const bool known = std::find(choices.begin(), choices.end(), text) != choices.end();
    return known ? std::string() : "must be one of " + JoinChoices(choices);
  });
}

Option& Option::Range(double least, double most) {
  return Verify([least, most](const std::string& text) {
    double number = 0;
    std::string wrong = StoreValue(text, number);
    if (wrong.empty() && !(number >= least && number <= most)) {
      wrong = "must be between " + DefaultText(least) + " and " + DefaultText(most);
    }
    return wrong;
  });
}

Option& Option::Verify(Check check) {
  checks_.push_back(std::move(check));
  return *this;
}

Option& Option::Offers(Offer offer) {
  offer_ = offer;
  return *this;
}

Option& Option::Required(bool required) {
  required_ = required;
  return *this;
}

Option& Option::Separator(char separator) {
  separator_ = separator;
  return *this;
}

Option& Option::Excludes(std::string other) {
  excludes_.push_back(std::move(other));
  return *this;
}

Option& Option::Needs(std::string other) {
  needs_.push_back(std::move(other));
  return *this;
}

Option& Option::Unless(std::string flag) {
  unless_ = std::move(flag);
  return *this;
}

Option& Option::Suggests(std::vector<std::string> words, bool is_list) {
  suggested_ = std::move(words);
  suggests_list_ = is_list;
  return *this;
}

Option& Option::BehindDashes() {
  behind_dashes_ = true;
  return *this;
}

std::string Option::Take(const std::string& text) const {
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end =
        separator_ == 0 ? text.size() : std::min(text.find(separator_, begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    for (const Check& check : checks_) {
      if (std::string wrong = check(part); !wrong.empty()) return wrong;
    }
    if (std::string wrong = store_(part); !wrong.empty()) return wrong;
    begin = end + 1;
  }
  return {};
}

Option& Command::Flag(std::string name, bool& variable, std::string help) {
  options_.push_back(Option(std::move(name), "", std::move(help)));
  options_.back().store_ = [&variable](const std::string&) {
    variable = true;
    return std::string();
  };
  return options_.back();
}

Option& Command::Duration(std::string name, std::string help, uint64_t least_ns, uint64_t most_ns,
                          std::function<void(uint64_t ns)> set, std::string shown) {
  options_.push_back(Option(std::move(name), "TIME", std::move(help)));
  Option& option = options_.back();
  option.default_ = std::move(shown);
  option.store_ = [least_ns, most_ns, set = std::move(set)](const std::string& text) {
    uint64_t ns = 0;
    if (!contract::ParseDuration(text, ns)) {
      return std::string("must be a time such as 500ms, 30s or 1m30s");
    }
    if (ns < least_ns || ns > most_ns) {
      return "must be between " + analyzer::FormatDuration(least_ns) + " and " +
             analyzer::FormatDuration(most_ns);
    }
    set(ns);
    return std::string();
  };
  return option;
}

Option& Command::Size(std::string name, uint64_t& bytes, std::string help) {
  options_.push_back(Option(std::move(name), "SIZE", std::move(help)));
  Option& option = options_.back();
  option.default_ = analyzer::FormatBytes(bytes);
  option.store_ = [&bytes](const std::string& text) {
    return contract::ParseSize(text, bytes) ? std::string()
                                            : "must be a size such as 4096, 500KB or 1MiB";
  };
  return option;
}

void Command::Example(std::string line, std::string words) {
  examples_.push_back({std::move(line), std::move(words)});
}

const Option* Command::Find(std::string_view name) const {
  for (const Option& option : options_) {
    if (option.name() == name) return &option;
  }
  return nullptr;
}

const Option* Command::Find(char letter) const {
  for (const Option& option : options_) {
    if (letter != 0 && option.letter() == letter) return &option;
  }
  return nullptr;
}

}  // namespace hindsight::cli
