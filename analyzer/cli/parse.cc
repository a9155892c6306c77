#include "analyzer/cli/parse.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "analyzer/base/text.h"

namespace hindsight::cli {
namespace {

constexpr size_t kMostShown = 200;  // of an untrusted text, bytes

class Parser {
 public:
  Parser(const Command& command, std::span<const std::string> arguments)
      : command_(command), arguments_(arguments) {
    app_.allow_extras();  // arguments, and unknown options
    app_.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app_.set_help_flag("-h,--help");
    for (const Option& option : command.options()) {
      if (!option.is_argument()) Describe(option);
    }
    for (const Option& option : command.options()) {
      for (const std::string& other : option.excluded()) {
        app_.get_option(option.name())->excludes(app_.get_option(other));
      }
      for (const std::string& other : option.needed()) {
        app_.get_option(option.name())->needs(app_.get_option(other));
      }
    }
  }

  ParseResult Run() {
    std::string wrong;
    try {
      app_.parse(Reversed());
    } catch (const CLI::ParseError& error) {
      if (app_.get_help_ptr()->count() > 0) return {Parsed::kHelp, {}};
      wrong = Sentence(error);
    }
    // A misspelled option is often the reason why another one is missing.
    const std::vector<std::string> extras = app_.remaining();
    const auto dashes = std::find(extras.begin(), extras.end(), "--");
    const auto unknown = std::find_if(extras.begin(), dashes, [](const std::string& text) {
      return text.size() > 1 && text[0] == '-';
    });
    if (unknown != dashes) return {Parsed::kError, Unknown(*unknown)};
    if (wrong.empty()) wrong = TakeArguments(extras, dashes - extras.begin());
    return {wrong.empty() ? Parsed::kCommand : Parsed::kError, wrong};
  }

 private:
  void Describe(const Option& option) {
    const std::string letter = option.letter() == 0 ? "" : std::string("-") + option.letter() + ",";
    const auto take = [this, &option](const CLI::results_t& texts) {
      for (const std::string& text : texts) {
        const std::string wrong = TakeValue(option, text);
        if (!wrong.empty()) throw CLI::ValidationError(wrong);
      }
      return true;
    };
    app_.add_option(letter + option.name(), take)
        ->expected(option.is_flag() ? 0 : 1)
        ->required(option.is_required());
  }

  // In reverse order, as CLI11 wants them. `--output=` becomes two words, of which the second is
  // empty; otherwise CLI11 would take the next word for the value.
  std::vector<std::string> Reversed() const {
    std::vector<std::string> texts;
    bool is_behind_dashes = false;
    for (const std::string& text : arguments_) {
      is_behind_dashes = is_behind_dashes || text == "--";
      const bool is_empty = !is_behind_dashes && text.starts_with("--") && text.ends_with('=');
      const std::string name = is_empty ? text.substr(0, text.size() - 1) : text;
      const Option* const option = is_empty ? command_.Find(name) : nullptr;
      if (option == nullptr || option->is_flag()) {
        texts.push_back(text);
      } else {
        texts.insert(texts.end(), {name, ""});
      }
    }
    std::reverse(texts.begin(), texts.end());
    return texts;
  }

  // CLI11's messages begin with the option that is wrong, and end with the other one if there is
  // one. The message about a wrong value is ours, and a sentence.
  std::string Sentence(const CLI::ParseError& error) const {
    const std::string text = error.what();
    const std::string name = text.substr(0, text.find_first_of(" :"));
    const std::string other = text.substr(text.rfind(' ') + 1);
    const Option* const option = command_.Find(name);
    const std::string value = option == nullptr ? "" : " " + option->value();
    switch (static_cast<CLI::ExitCodes>(error.get_exit_code())) {
      case CLI::ExitCodes::ArgumentMismatch:
        return name + " needs a value: " + name + value + ".";
      case CLI::ExitCodes::RequiredError:
        return name + value + " is required.";
      case CLI::ExitCodes::RequiresError:
        return name + " needs " + other + ".";
      case CLI::ExitCodes::ExcludesError:
        return name + " and " + other + " cannot be combined.";
      default:
        return text;
    }
  }

  std::string Unknown(const std::string& text) const {
    const std::string name = text.starts_with("--") ? text.substr(0, text.find('=')) : text;
    std::vector<std::string> names = {"--help"};
    for (const Option& option : command_.options()) {
      if (!option.is_argument()) names.push_back(option.name());
    }
    const std::string near = Nearest(name, names);
    return "Unknown option " + Quoted(name) + "." +
           (near.empty() ? "" : " Did you mean " + near + "?");
  }

  // Returns a sentence if something is wrong.
  std::string TakeValue(const Option& option, const std::string& text) const {
    const std::string& name = option.name();
    if (option.is_flag() && text != "true") return name + " takes no value.";
    if (text.starts_with("--") && !IsAttached(option, text)) {
      return name + " needs a value, and " + Quoted(text) + " looks like an option; write " + name +
             "=" + Quoted(text) + " if it is the value.";
    }
    const std::string wrong = option.Take(text);
    return wrong.empty() ? "" : name + " " + wrong + ", got " + Quoted(text) + ".";
  }

  // Whether it is written as --output=TEXT or -oTEXT.
  bool IsAttached(const Option& option, const std::string& text) const {
    const std::string by_letter = std::string("-") + option.letter() + text;
    return std::any_of(arguments_.begin(), arguments_.end(), [&](const std::string& argument) {
      return argument == option.name() + "=" + text || argument == by_letter;
    });
  }

  // The first `dashes` of `extras` come before `--`. Each argument takes one; the repeatable one
  // takes all that the others leave.
  std::string TakeArguments(const std::vector<std::string>& extras, size_t dashes) const {
    std::vector<std::string> places(extras.begin(), extras.begin() + dashes);
    std::vector<std::string> behind;
    if (dashes < extras.size()) behind.assign(extras.begin() + dashes + 1, extras.end());
    std::vector<const Option*> arguments;
    const Option* last = nullptr;
    for (const Option& option : command_.options()) {
      if (option.is_behind_dashes()) {
        last = &option;
      } else if (option.is_argument()) {
        arguments.push_back(&option);
      }
    }
    if (last == nullptr) places.insert(places.end(), behind.begin(), behind.end());

    size_t next = 0;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const size_t later = arguments.size() - i - 1;
      size_t count = next < places.size() ? 1 : 0;
      if (arguments[i]->is_repeatable() && places.size() > next + later) {
        count = places.size() - next - later;
      }
      const std::string wrong = TakeArgument(*arguments[i], std::span(places).subspan(next, count));
      if (!wrong.empty()) return wrong;
      next += count;
    }
    if (next < places.size()) {
      return last == nullptr
                 ? Quoted(places[next]) + " is one argument too many."
                 : "Write " + last->name() + " behind two dashes: -- " + Quoted(places[next]);
    }
    return last == nullptr ? "" : TakeArgument(*last, behind);
  }

  std::string TakeArgument(const Option& argument, std::span<const std::string> texts) const {
    const bool is_waived =
        !argument.unless().empty() && app_.get_option(argument.unless())->count() > 0;
    if (texts.empty() && argument.is_required() && !is_waived) {
      return command_.name() + " needs " + (argument.is_behind_dashes() ? "-- " : "") +
             argument.name() + (argument.unless().empty() ? "." : " or " + argument.unless() + ".");
    }
    for (const std::string& text : texts) {
      const std::string wrong = argument.Take(text);
      if (wrong.empty()) continue;
      // A name instead of a pid is a common mistake.
      const char* const hint =
          argument.offer() == Offer::kProcess ? "; see `hindsight-trigger list`" : "";
      return argument.name() + " " + wrong + ", got " + Quoted(text) + hint + ".";
    }
    return {};
  }

  const Command& command_;
  const std::span<const std::string> arguments_;
  CLI::App app_;
};

// The number of insertions, deletions, replacements and swaps of neighbors that turn one into the
// other.
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
  return Parser(command, arguments).Run();
}

std::string Nearest(std::string_view text, std::span<const std::string> names) {
  constexpr size_t kLongest = 40;
  std::string nearest;
  if (text.empty() || text.size() > kLongest) return nearest;
  const size_t bare = text.size() - std::min(text.find_first_not_of('-'), text.size());
  size_t best = bare / 3 + 1;  // the most; beyond that, it is another word
  for (const std::string& name : names) {
    size_t distance = Distance(text, name);
    // The beginning of a name stands for that name.
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
