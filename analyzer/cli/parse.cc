#include "analyzer/cli/parse.h"

#include <algorithm>
#include <map>
#include <vector>

#include "analyzer/base/text.h"

namespace hindsight::cli {
namespace {

constexpr size_t kMostShown = 200;  // of a foreign text, bytes

class Parser {
 public:
  explicit Parser(const Command& command) : command_(command) {}

  ParseResult Run(std::span<const std::string> arguments) {
    for (size_t i = 0; i < arguments.size() && result_.error.empty(); ++i) {
      const std::string& text = arguments[i];
      if (text == "--help" || text == "-h") return {Parsed::kHelp, {}};
      if (text == "--") {
        TakeRest(arguments.subspan(i + 1));
        break;
      }
      if (text.size() < 2 || text[0] != '-') {
        places_.push_back(text);
      } else {
        TakeOption(text, arguments, i);
      }
    }
    if (result_.error.empty()) TakeArguments();
    if (result_.error.empty()) CheckTogether();
    if (!result_.error.empty()) result_.what = Parsed::kError;
    return result_;
  }

 private:
  void Fail(std::string sentence) {
    if (result_.error.empty()) result_.error = std::move(sentence);
  }

  void Take(const Option& option, const std::string& text) {
    ++given_[&option];
    const std::string wrong = option.Take(text);
    if (wrong.empty()) return;
    Fail(option.is_argument()
             ? Quoted(text) + " " + wrong + "; it stands for " + option.name() + "."
             : option.name() + ": " + Quoted(text) + " " + wrong + ".");
  }

  void FailUnknown(const std::string& name) {
    std::vector<std::string> names = {"--help"};
    for (const Option& option : command_.options()) {
      if (!option.is_argument()) names.push_back(option.name());
    }
    const std::string near = Nearest(name, names);
    Fail("Unknown option " + Quoted(name) + "." +
         (near.empty() ? "" : " Did you mean " + near + "?"));
  }

  // The option at arguments[i]; its value may be the next one.
  void TakeOption(const std::string& text, std::span<const std::string> arguments, size_t& i) {
    const bool is_long = text[1] == '-';
    const size_t equals = is_long ? text.find('=') : std::string::npos;
    const std::string name = is_long ? text.substr(0, equals) : text.substr(0, 2);
    const Option* const option = is_long ? command_.Find(name) : command_.Find(text[1]);
    if (option == nullptr) return FailUnknown(is_long ? name : text);
    const bool attached = is_long ? equals != std::string::npos : text.size() > 2;
    if (option->is_flag()) {
      if (attached) return Fail(name + " takes no value.");
      return Take(*option, {});
    }
    if (attached) return Take(*option, text.substr(is_long ? equals + 1 : 2));
    if (i + 1 >= arguments.size()) {
      return Fail(name + " needs a value: " + name + " " + option->value() + ".");
    }
    const std::string& next = arguments[i + 1];
    if (next.starts_with("--")) {
      return Fail(name + " needs a value, and " + Quoted(next) + " looks like an option; write " +
                  name + "=" + Quoted(next) + " if it is the value.");
    }
    ++i;
    Take(*option, next);
  }

  // What stands behind `--`.
  void TakeRest(std::span<const std::string> rest) {
    for (const Option& option : command_.options()) {
      if (!option.is_behind_dashes()) continue;
      for (const std::string& text : rest) Take(option, text);
      return;
    }
    places_.insert(places_.end(), rest.begin(), rest.end());
  }

  // Each argument takes one, the one that is repeatable all that the others leave.
  void TakeArguments() {
    std::vector<const Option*> arguments;
    for (const Option& option : command_.options()) {
      if (option.is_argument() && !option.is_behind_dashes()) arguments.push_back(&option);
    }
    size_t next = 0;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const size_t later = arguments.size() - i - 1;
      size_t count = next < places_.size() ? 1 : 0;
      if (arguments[i]->is_repeatable() && places_.size() > next + later) {
        count = places_.size() - next - later;
      }
      for (; count > 0; --count) Take(*arguments[i], places_[next++]);
    }
    if (next == places_.size()) return;
    for (const Option& option : command_.options()) {
      if (!option.is_behind_dashes()) continue;
      return Fail("Write " + option.name() + " behind two dashes: -- " + Quoted(places_[next]));
    }
    Fail(Quoted(places_[next]) + " is one argument too many.");
  }

  void CheckTogether() {
    for (const Option& option : command_.options()) {
      const bool given = given_.contains(&option);
      if (!given && option.is_required()) {
        return Fail(option.is_argument()
                        ? command_.name() + " needs " + (option.is_behind_dashes() ? "-- " : "") +
                              option.name() + "."
                        : option.name() + " " + option.value() + " is required.");
      }
      if (!given) continue;
      for (const std::string& other : option.excluded()) {
        if (!IsGiven(other)) continue;
        return Fail(option.name() + " and " + other + " do not go together.");
      }
      for (const std::string& other : option.needed()) {
        if (IsGiven(other)) continue;
        return Fail(option.name() + " needs " + other + ".");
      }
    }
  }

  bool IsGiven(const std::string& name) const {
    const Option* const option = command_.Find(name);
    return option != nullptr && given_.contains(option);
  }

  const Command& command_;
  std::vector<std::string> places_;  // arguments in their order
  std::map<const Option*, size_t> given_;
  ParseResult result_;
};

// Insertions, deletions, replacements and swaps of neighbours that make one of the other.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min(
          {d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

ParseResult Parse(const Command& command, std::span<const std::string> arguments) {
  return Parser(command).Run(arguments);
}

std::string Nearest(std::string_view text, std::span<const std::string> names) {
  constexpr size_t kLongest = 40;
  std::string nearest;
  if (text.empty() || text.size() > kLongest) return nearest;
  const size_t bare = text.size() - std::min(text.find_first_not_of('-'), text.size());
  size_t best = bare / 3 + 1;  // at most; beyond it is another word
  for (const std::string& name : names) {
    size_t distance = Distance(text, name);
    // The beginning of a name is meant to be it.
    if (bare >= 2 && name.starts_with(text)) distance = std::min<size_t>(distance, 1);
    if (distance > best || (distance == best && !nearest.empty())) continue;
    best = distance;
    nearest = name;
  }
  return nearest;
}

std::string Quoted(std::string_view text) {
  const bool is_long = text.size() > kMostShown;
  return "'" + analyzer::Printable(text.substr(0, kMostShown)) + (is_long ? "...'" : "'");
}

}  // namespace hindsight::cli
