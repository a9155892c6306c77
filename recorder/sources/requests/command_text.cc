#include "recorder/sources/requests/command_text.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "recorder/base/fnv_hash.h"

namespace hindsight::recorder {
namespace {

constexpr size_t kLongestVerb = 16;

bool IsDecimal(char16_t c) { return c >= u'0' && c <= u'9'; }
bool IsBlank(char16_t c) { return c <= u' ' || c == u'\u00a0'; }
bool IsLetter(char16_t c) { return (c >= u'a' && c <= u'z') || (c >= u'A' && c <= u'Z'); }
bool IsOfWord(char16_t c) { return IsLetter(c) || IsDecimal(c) || c == u'_' || c >= 0x80; }

// Reads a text token by token.
class Normalizer {
 public:
  explicit Normalizer(std::u16string_view text) : text_(text) {}

  std::u16string Run() {
    while (at_ < text_.size()) Step();
    EndStatement();
    if (!out_.empty()) out_.resize(out_.size() - 2);  // the separator
    return std::move(out_);
  }

 private:
  char16_t Next(size_t ahead = 1) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : u'\0';
  }

  void Step() {
    const char16_t c = text_[at_];
    if (IsBlank(c)) {
      ++at_;
      blank_ = true;
    } else if (c == u'-' && Next() == u'-') {
      SkipPast(u"\n", at_);
    } else if (c == u'/' && Next() == u'*') {
      SkipPast(u"*/", at_ + 2);
    } else if (c == u'\'') {
      SkipLiteral();
      Value();
    } else if (c == u'"' || c == u'`') {
      CopyUntil(c);
    } else if (c == u'[' && !BeginsElements()) {
      CopyUntil(u']');
    } else if (IsDecimal(c) || (c == u'.' && IsDecimal(Next()))) {
      SkipNumber();
      Value();
    } else if (IsParameter(c)) {
      ++at_;
      SkipWord();
      Value();
    } else if (c == u'$' && SkipDollarQuoted()) {
      Value();
    } else if (IsOfWord(c)) {
      Word();
    } else if (c == u'?') {
      ++at_;
      Value();
    } else {
      Sign(c);
    }
  }

  void SkipPast(std::u16string_view end, size_t from) {
    const size_t found = text_.find(end, from);
    at_ = found == std::u16string_view::npos ? text_.size() : found + end.size();
    blank_ = true;
  }

  // Ends at a quote that is not doubled.
  void SkipLiteral() {
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] != u'\'') continue;
      if (Next() != u'\'') break;
      ++at_;
    }
    if (at_ < text_.size()) ++at_;
  }

  // Includes signs of exponents, and hexadecimal digits.
  void SkipNumber() {
    for (; at_ < text_.size(); ++at_) {
      const char16_t c = text_[at_], before = text_[at_ - (at_ == 0 ? 0 : 1)];
      const bool is_sign = (c == u'+' || c == u'-') && (before == u'e' || before == u'E');
      if (!IsOfWord(c) && c != u'.' && !(is_sign && IsDecimal(Next()))) break;
    }
  }

  void SkipWord() {
    while (at_ < text_.size() && IsOfWord(text_[at_])) ++at_;
  }

  // @name, :name, $1; but not @@rowcount, and not a cast (::int).
  bool IsParameter(char16_t c) const {
    const char16_t before = at_ == 0 ? u' ' : text_[at_ - 1];
    if (c == u'@') return IsOfWord(Next()) && before != u'@';
    if (c == u':') return IsOfWord(Next()) && before != u':';
    return c == u'$' && (IsDecimal(Next()) || (IsOfWord(Next()) && !EndsDollarTag()));
  }

  // Elements of an array or an index (PostgreSQL) rather than a quoted name (SQL Server).
  bool BeginsElements() const {
    const char16_t before = at_ == 0 ? u' ' : text_[at_ - 1];
    return brackets_ > 0 || IsOfWord(before) || before == u']' || EndsWith(u"ARRAY") ||
           EndsWith(u"array");
  }

  // $tag$ begins a literal that ends with the same tag.
  size_t DollarTag() const {
    size_t end = at_ + 1;
    while (end < text_.size() && IsOfWord(text_[end])) ++end;
    return end < text_.size() && text_[end] == u'$' ? end + 1 - at_ : 0;
  }
  bool EndsDollarTag() const { return DollarTag() != 0; }
  bool SkipDollarQuoted() {
    const size_t length = DollarTag();
    if (length == 0) return false;
    const size_t end = text_.find(text_.substr(at_, length), at_ + length);
    at_ = end == std::u16string_view::npos ? text_.size() : end + length;
    return true;
  }

  void Space() {
    if (blank_ && out_.size() > statement_ && out_.back() != u'(') out_ += u' ';
    blank_ = false;
  }

  void CopyUntil(char16_t end) {
    Space();
    const size_t last = text_.find(end, at_ + 1);
    const size_t after = last == std::u16string_view::npos ? text_.size() : last + 1;
    out_ += text_.substr(at_, after - at_);
    at_ = after;
  }

  void Word() {
    const size_t begin = at_;
    SkipWord();
    // N'text' and E'text' are literals.
    if (at_ - begin == 1 && at_ < text_.size() && text_[at_] == u'\'') return;
    Space();
    out_ += text_.substr(begin, at_ - begin);
  }

  bool EndsWith(std::u16string_view end) const {
    return out_.size() >= statement_ + end.size() && out_.ends_with(end);
  }

  // A list of values is reduced to one.
  void Value() {
    if (EndsWith(u"?,")) {
      out_.pop_back();
      blank_ = false;
      return;
    }
    Space();
    out_ += u'?';
  }

  void Sign(char16_t c) {
    ++at_;
    if (c == u';') return EndStatement();
    if (c == u'[') ++brackets_;
    if (c == u']' && brackets_ > 0) --brackets_;
    if (c == u',' || c == u')') blank_ = false;
    Space();
    out_ += c;
    if (c != u')') return;
    // So are lists of such lists.
    for (const std::u16string_view twice : {u"(?), (?)", u"(?),(?)"}) {
      if (EndsWith(twice)) out_.resize(out_.size() - twice.size() + 3);
    }
  }

  // Equal statements in a row are merged into one.
  void EndStatement() {
    const std::u16string_view all = out_;
    const std::u16string_view now = all.substr(statement_);
    if (!now.empty() && now == all.substr(before_, before_length_)) {
      out_.resize(statement_);
    } else if (!now.empty()) {
      before_ = statement_;
      before_length_ = now.size();
      out_ += u"; ";
    }
    statement_ = out_.size();
    blank_ = false;
  }

  const std::u16string_view text_;
  size_t at_ = 0;
  std::u16string out_;
  size_t statement_ = 0;                   // where the current statement begins in out_
  size_t before_ = 0, before_length_ = 0;  // the statement before it
  bool blank_ = false;                     // there is one before the next token
  int brackets_ = 0;                       // open ones around elements
};

std::string FirstWord(std::u16string_view statement) {
  std::string word;
  for (const char16_t c : statement) {
    if (c == u'(' && word.empty()) continue;
    if (!IsLetter(c) || word.size() == kLongestVerb) break;
    word += static_cast<char>(c >= u'a' ? c - u'a' + u'A' : c);
  }
  return word;
}

bool IsSetting(std::string_view verb) {
  static constexpr std::array<std::string_view, 4> kSettings = {"SET", "PRAGMA", "DECLARE", "USE"};
  return std::find(kSettings.begin(), kSettings.end(), verb) != kSettings.end();
}

}  // namespace

std::u16string NormalizeCommand(std::u16string_view text) { return Normalizer(text).Run(); }

std::string VerbOf(std::u16string_view normalized) {
  std::string first;
  while (!normalized.empty()) {
    std::string verb = FirstWord(normalized);
    if (first.empty()) first = verb;
    if (!verb.empty() && !IsSetting(verb)) return verb;
    const size_t end = normalized.find(u"; ");
    if (end == std::u16string_view::npos) break;
    normalized.remove_prefix(end + 2);
  }
  return first;
}

uint64_t HashOfText(std::u16string_view text) {
  FnvHash hash;
  for (const char16_t unit : text) hash.Add(unit);
  return hash.value();
}

std::string NameOfCommand(std::u16string_view normalized) {
  std::string name = VerbOf(normalized);
  const uint64_t hash = HashOfText(normalized);
  const auto folded = static_cast<uint32_t>(hash ^ hash >> 32);
  if (!name.empty()) name += ' ';
  for (int shift = 28; shift >= 0; shift -= 4) name += "0123456789abcdef"[folded >> shift & 15];
  return name;
}

}  // namespace hindsight::recorder
