// A command, described once for parsing, help, manual pages and completion.
//
//   void DescribeCpu(cli::Command& command) {
//     auto options = std::make_shared<CpuOptions>();
//     command.Argument("RECORDING", options->paths, "Folder or files of one recording")
//         .Offers(cli::Offer::kRecording);
//     command.Value("--top", "N", options->top, "Methods and threads to show; 0: all");
//     command.Flag("--bottom-up", options->bottom_up, "Callers below what they called");
//     command.Example("hindsight cpu shop.hindsight --top 3", "the three hottest methods");
//     command.Runs([options] { return Run(*options); });
//   }
//
// The value of an option's variable at the time of its description is its default, and is shown as
// such.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace hindsight::cli {

// What a shell offers as a value.
enum class Offer : uint8_t { kNothing, kRecording, kFile, kFolder, kProcess, kCommand };

// Empty: `text` is valid. Otherwise, what is expected, to be appended to the option's name: "must
// be a number".
using Check = std::function<std::string(const std::string& text)>;

// An option (`--top N`), a flag (`--json`) or an argument, which is identified by its position.
class Option {
 public:
  // Setters, for descriptions.
  Option& Letter(char letter);                        // -o in addition to --output
  Option& Default(std::string words);                 // if the value does not say it: "the newest"
  Option& Choices(std::vector<std::string> choices);  // nothing else is accepted
  Option& Range(double least, double most);
  Option& Verify(Check check);
  Option& Offers(Offer offer);
  Option& Required(bool required = true);
  Option& Separator(char separator);  // one value contains several: 1,3
  Option& Excludes(std::string other);
  Option& Needs(std::string other);
  Option& Unless(std::string flag);  // required unless this flag is given
  // Words that a shell offers; others are valid, too. `is_list`: separated by commas.
  Option& Suggests(std::vector<std::string> words, bool is_list = false);
  Option& BehindDashes();  // an argument that takes everything after `--`, unchanged

  const std::string& name() const { return name_; }    // --top, RECORDING
  const std::string& value() const { return value_; }  // N; empty: a flag
  const std::string& help() const { return help_; }
  const std::string& default_text() const { return default_; }
  const std::vector<std::string>& choices() const { return choices_; }
  const std::vector<std::string>& excluded() const { return excludes_; }
  const std::vector<std::string>& needed() const { return needs_; }
  const std::string& unless() const { return unless_; }
  const std::vector<std::string>& suggested() const { return suggested_; }
  bool suggests_list() const { return suggests_list_; }
  char letter() const { return letter_; }
  Offer offer() const { return offer_; }
  bool is_argument() const { return name_[0] != '-'; }
  bool is_flag() const { return value_.empty(); }
  bool is_required() const { return required_; }
  bool is_repeatable() const { return repeatable_; }
  bool is_behind_dashes() const { return behind_dashes_; }

  // Stores `text`; otherwise returns what is wrong with it, like a Check. Flags ignore `text`.
  std::string Take(const std::string& text) const;

 private:
  friend class Command;
  Option(std::string name, std::string value, std::string help)
      : name_(std::move(name)), value_(std::move(value)), help_(std::move(help)) {}

  std::string name_, value_, help_, default_, unless_;
  std::vector<std::string> choices_, excludes_, needs_, suggested_;
  std::vector<Check> checks_;
  Check store_;
  char letter_ = 0;
  char separator_ = 0;
  Offer offer_ = Offer::kNothing;
  bool required_ = false;
  bool suggests_list_ = false;
  bool repeatable_ = false;
  bool behind_dashes_ = false;
};

// Converts a text to a value, for the types of options.
std::string StoreValue(const std::string& text, std::string& value);
std::string StoreValue(const std::string& text, int32_t& value);
std::string StoreValue(const std::string& text, uint32_t& value);
std::string StoreValue(const std::string& text, uint64_t& value);
std::string StoreValue(const std::string& text, double& value);
template <typename T>
std::string StoreValue(const std::string& text, std::optional<T>& value) {
  return StoreValue(text, value.emplace());
}
template <typename T>
std::string StoreValue(const std::string& text, std::vector<T>& values) {
  return StoreValue(text, values.emplace_back());
}

// A value as shown as a default; empty if there is none.
std::string DefaultText(const std::string& value);
std::string DefaultText(double value);
template <typename T>
std::string DefaultText(const T& value) {
  if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else {
    return {};
  }
}

template <typename T>
inline constexpr bool kIsVector = false;
template <typename T>
inline constexpr bool kIsVector<std::vector<T>> = true;

struct Example {
  std::string line;   // as typed
  std::string words;  // what it does, beginning in lower case
};

class Command {
 public:
  Command(std::string name, std::string summary)
      : name_(std::move(name)), summary_(std::move(summary)) {}

  // All variables must outlive the parsing. References stay valid.
  template <typename T>
  Option& Argument(std::string name, T& variable, std::string help) {
    return Add(std::move(name), "", std::move(help), variable).Required();
  }
  // `value` is its placeholder in the help: N, TIME, FILE. May be repeated if T is a vector.
  template <typename T>
  Option& Value(std::string name, std::string value, T& variable, std::string help) {
    Option& option = Add(std::move(name), std::move(value), std::move(help), variable);
    option.default_ = DefaultText(variable);
    return option;
  }
  Option& Flag(std::string name, bool& variable, std::string help);
  // A time from `least` to `most`, as parsed by contract::ParseDuration: 30, 30s, 1m30s. `set`
  // receives nanoseconds; `shown` is the default as displayed.
  Option& Duration(std::string name, std::string help, uint64_t least_ns, uint64_t most_ns,
                   std::function<void(uint64_t ns)> set, std::string shown);
  // Bytes, as parsed by contract::ParseSize: 4096, 1MB, 1.5MiB.
  Option& Size(std::string name, uint64_t& bytes, std::string help);
  void Example(std::string line, std::string words);
  // A paragraph of the help, below the options.
  void Note(std::string paragraph) { notes_.push_back(std::move(paragraph)); }
  // Other commands that may be wanted next: "hindsight threads".
  void SeeAlso(std::vector<std::string> commands) { see_also_ = std::move(commands); }
  // What the command does after parsing; returns the exit code, a number or an enum.
  template <typename F>
  void Runs(F run) {
    run_ = [run = std::move(run)]() mutable { return static_cast<int>(run()); };
  }

  const std::string& name() const { return name_; }
  const std::string& summary() const { return summary_; }
  const std::deque<Option>& options() const { return options_; }  // including arguments
  const std::vector<struct Example>& examples() const { return examples_; }
  const std::vector<std::string>& notes() const { return notes_; }
  const std::vector<std::string>& see_also() const { return see_also_; }
  const Option* Find(std::string_view name) const;  // --top
  const Option* Find(char letter) const;
  // Runs before the command; any result other than 0 is the exit code, and the command does not
  // run.
  void Before(std::function<int()> prepare) { before_.push_back(std::move(prepare)); }
  int Run() const {
    for (const std::function<int()>& prepare : before_) {
      if (const int exit_code = prepare(); exit_code != 0) return exit_code;
    }
    return run_();
  }

 private:
  template <typename T>
  Option& Add(std::string name, std::string value, std::string help, T& variable) {
    options_.push_back(Option(std::move(name), std::move(value), std::move(help)));
    Option& option = options_.back();
    option.store_ = [&variable](const std::string& text) { return StoreValue(text, variable); };
    option.repeatable_ = kIsVector<T>;
    return option;
  }

  std::string name_, summary_;
  std::deque<Option> options_;
  std::vector<struct Example> examples_;
  std::vector<std::string> notes_, see_also_;
  std::vector<std::function<int()>> before_;
  std::function<int()> run_;
};

}  // namespace hindsight::cli
