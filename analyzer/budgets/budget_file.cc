#include "analyzer/budgets/budget_file.h"

// toml++ 3.3 asserts properties that the text may violate ("[" and a control character), or makes
// the compiler assume them, before it checks the same and reports an error. The checks are what we
// want.
#undef NDEBUG
#define TOML_ASSERT(expression) static_cast<void>(0)
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "analyzer/base/path_text.h"
#include "analyzer/base/text.h"
#include "analyzer/budgets/measure_phrases.h"

namespace hindsight::analyzer {
namespace {

constexpr std::string_view kShape =
    "A budget file has a table [budgets] with lines such as: \"no deadlocks\" = \"deadlocks = 0\".";

// The first character that TOML allows in strings and comments only: outside of them, it is ASCII.
// toml++ must not see others, because it assumes that these are white space: its behavior for many
// letters is undefined (3.3, is_non_ascii_horizontal_whitespace).
std::optional<toml::source_position> FindUnquoted(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // the byte order mark
  toml::source_position at{1, 1};
  std::string_view closing;  // of the current string or comment; empty: in none
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const std::string_view rest = text.substr(i);
    size_t length = 1;
    if (!closing.empty()) {
      const bool is_escape = closing.front() == '"' && c == '\\' && rest.size() > 1;
      if (is_escape && rest[1] != '\n') {
        length = 2;
      } else if (rest.starts_with(closing)) {
        length = closing.size();
        closing = {};
      } else if (c == '\n' && closing.size() == 1) {
        closing = {};
      }
    } else if (c == '#') {
      closing = "\n";
    } else if (c == '"' || c == '\'') {
      const bool is_long = rest.starts_with(c == '"' ? "\"\"\"" : "'''");
      closing = rest.substr(0, is_long ? 3 : 1);
      length = closing.size();
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      return at;
    }
    for (const char one : rest.substr(0, length)) {
      if (one == '\n') {
        at = {at.line + 1, 1};
      } else if ((one & 0xC0) != 0x80) {
        ++at.column;
      }
    }
    i += length - 1;
  }
  return std::nullopt;
}

class FileParser {
 public:
  explicit FileParser(std::string_view file) : file_(file) {}

  Result<std::vector<Budget>> Parse(std::string_view text) {
    if (const auto place = FindUnquoted(text)) {
      return At(*place,
                "Not valid TOML: only strings and comments may contain characters other "
                "than ASCII. Strings need quotation marks.");
    }
    const toml::parse_result parsed = toml::parse(text);
    if (!parsed) {
      const toml::parse_error& error = parsed.error();
      return At(error.source().begin, "Not valid TOML: " + Sentence(error.description()) +
                                          " Strings need quotation marks.");
    }
    const toml::table& top = parsed.table();
    for (const auto& [key, value] : top) {
      if (key.str() == "budgets") continue;
      Fail(key.source().begin,
           "'" + Printable(key.str()) + "' is unknown; only 'budgets' is allowed here.");
    }
    const toml::node* const budgets = top.get("budgets");
    if (budgets == nullptr && !errors_.empty()) return AllErrors();
    if (budgets == nullptr) return At({1, 1}, "There are no budgets. " + std::string(kShape));
    if (const toml::table* const table = budgets->as_table()) {
      for (const auto& [key, value] : *table) Add(std::string(key.str()), value);
    } else if (const toml::array* const array = budgets->as_array()) {
      for (const toml::node& value : *array) Add("", value);
    } else {
      return At(budgets->source().begin, std::string(kShape));
    }
    // The table is ordered by name.
    std::stable_sort(budgets_.begin(), budgets_.end(),
                     [](const Placed& a, const Placed& b) { return a.place < b.place; });
    if (!errors_.empty()) return AllErrors();
    if (budgets_.empty()) {
      return At(budgets->source().begin, "There are no budgets. " + std::string(kShape));
    }
    std::vector<Budget> out;
    for (Placed& placed : budgets_) out.push_back(std::move(placed.budget));
    return out;
  }

 private:
  struct Placed {
    std::pair<size_t, size_t> place;
    Budget budget;
  };

  // toml++ has its own wording, without a full stop.
  static std::string Sentence(std::string_view words) {
    std::string out = Printable(words);
    if (!out.empty() && out.back() != '.') out += '.';
    return out;
  }

  Error At(toml::source_position place, const std::string& sentence) const {
    return {Printable(file_) + ":" + std::to_string(place.line) + ":" +
            std::to_string(place.column) + ": " + sentence};
  }
  void Fail(toml::source_position place, const std::string& sentence) {
    errors_.insert({{place.line, place.column}, At(place, sentence).sentence});
  }
  // All of them, in the order of the file, one line each.
  Error AllErrors() const {
    constexpr size_t kMost = 20;
    std::string sentences;
    size_t shown = 0;
    for (const auto& [place, sentence] : errors_) {
      if (shown == kMost) {
        sentences += "\nand " + FormatCount(errors_.size() - shown) + " more";
        break;
      }
      sentences += (shown++ == 0 ? "" : "\n") + sentence;
    }
    return {sentences};
  }

  void Add(std::string name, const toml::node& value);
  void AddRule(Budget budget, const toml::node& rule);

  std::string_view file_;
  std::vector<Placed> budgets_;
  std::multimap<std::pair<size_t, size_t>, std::string> errors_;
};

// A text, or a table with one.
void FileParser::Add(std::string name, const toml::node& value) {
  Budget budget;
  budget.name = std::move(name);
  const toml::table* const table = value.as_table();
  if (table == nullptr) return AddRule(std::move(budget), value);
  const toml::node* rule = nullptr;
  for (const auto& [key, part] : *table) {
    if (key.str() == "rule") {
      rule = &part;
    } else if (key.str() == "optional" && part.is_boolean()) {
      budget.optional = part.as_boolean()->get();
    } else if (key.str() == "name" && part.is_string()) {
      budget.name = part.as_string()->get();
    } else {
      return Fail(key.source().begin, "'" + Printable(key.str()) +
                                          "' is unknown: a budget has a rule and a name (strings) "
                                          "and optional (true or false).");
    }
  }
  if (rule == nullptr) {
    return Fail(table->source().begin,
                "This budget has no rule; write { rule = \"deadlocks = 0\" }.");
  }
  AddRule(std::move(budget), *rule);
}

void FileParser::AddRule(Budget budget, const toml::node& rule) {
  const toml::source_region& source = rule.source();
  const toml::value<std::string>* const text = rule.as_string();
  if (text == nullptr) {
    return Fail(source.begin, "A rule is a string, such as \"deadlocks = 0\".");
  }
  budget.text = text->get();
  budget.line = source.begin.line;
  std::variant<BudgetRule, RuleError> parsed = ParseRule(budget.text);
  if (const RuleError* const error = std::get_if<RuleError>(&parsed)) {
    toml::source_position place = source.begin;
    // Exact unless it contains escapes.
    const bool is_plain = source.end.line == source.begin.line &&
                          source.end.column - source.begin.column == budget.text.size() + 2;
    if (is_plain) place.column += static_cast<toml::source_index>(error->at + 1);
    return Fail(place, error->sentence);
  }
  budget.rule = std::get<BudgetRule>(std::move(parsed));
  if (budget.name.empty()) budget.name = budget.text;
  budgets_.push_back({{source.begin.line, source.begin.column}, std::move(budget)});
}

}  // namespace

Result<std::vector<Budget>> ParseBudgets(std::string_view toml, std::string_view file) {
  if (toml.size() > kMaxBudgetFileBytes) {
    return Error{Printable(file) + " is larger than " + FormatBytes(kMaxBudgetFileBytes) +
                 "; it is not a budget file."};
  }
  return FileParser(file).Parse(toml);
}

Result<std::vector<Budget>> LoadBudgets(const std::string& file) {
  std::ifstream stream(PathOf(file), std::ios::binary);
  std::string text;
  std::array<char, 1 << 16> buffer;
  while (stream && text.size() <= kMaxBudgetFileBytes) {
    stream.read(buffer.data(), buffer.size());
    text.append(buffer.data(), static_cast<size_t>(stream.gcount()));
  }
  if (!stream.eof() && text.size() <= kMaxBudgetFileBytes) {
    return Error{"The budgets in " + Printable(file) + " cannot be read: " + std::strerror(errno) +
                 "."};
  }
  return ParseBudgets(text, file);
}

}  // namespace hindsight::analyzer
